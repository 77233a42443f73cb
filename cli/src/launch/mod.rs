//! From options to launches on a device.
//!
//! [`Prepared`] holds a device with the modules loaded, the buffers filled and the arguments laid
//! out. A pass may be for some launches only, so there is a module for each list of passes. The
//! modules share all memory: the contents of module variables are carried from one to the next.

mod arguments;
pub(crate) mod device;
pub(crate) mod globals;
pub(crate) mod memory;
pub(crate) mod state;

use std::time::Instant;

use warpsim::host::{
    Argument, DeviceError, Launch, ModuleHandle, Parameter, Simulator, kernel_named,
    kernel_parameters, kernels,
};
use warpsim::internal;
use warpsim::names;
use warpsim::observe::Statistics;
use warpsim::ptx::Module;
use warpsim::report::Report;

use crate::args::LaunchOptions;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use device::LaunchDevice;
use warpsim::passes::{self, Remark};
pub(crate) use warpsim_formats::arguments::Buffer;

/// Warp instructions after which a launch is given up where every step is kept in memory, or
/// written, about a kilobyte for each.
pub(crate) const TRACE_STEPS: u64 = 1_000_000;

/// The module as it is for some launches.
pub(crate) struct Variant {
    pub(crate) passes: Vec<String>,
    pub(crate) module: Module,
    /// What the passes did.
    pub(crate) remarks: Vec<Remark>,
    pub(crate) handle: ModuleHandle,
}

/// The program of a command line, and the kernel of it that is launched.
pub(crate) struct Chosen {
    pub(crate) module: Module,
    pub(crate) kernel: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// Everything that a launch needs, on a device.
pub(crate) struct Prepared<D = Simulator> {
    pub(crate) device: D,
    /// The program before all passes.
    pub(crate) program: Module,
    pub(crate) variants: Vec<Variant>,
    pub(crate) kernel: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) launch: Launch,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) arguments: Vec<Argument>,
    /// Whether launches are watched, to say how they use the machine.
    pub(crate) counts_use: bool,
    /// The variant of the launch before: its module variables are the current ones.
    last: Option<usize>,
}

/// One launch and what came of it.
pub(crate) struct Launched {
    pub(crate) passes: Vec<String>,
    pub(crate) report: Report,
    pub(crate) seconds: f64,
    /// How it used the machine, if asked for.
    pub(crate) statistics: Option<Box<Statistics>>,
}

impl Chosen {
    /// Reads the program and checks what can be checked without a device.
    pub(crate) fn read(options: &LaunchOptions, output: &mut Output) -> Result<Chosen, Failure> {
        let module = input::read_linked(&options.file, &options.links, &options.compiler, output)?;
        let kernel = choose_kernel(&module, options.kernel.as_deref())?;
        let parameters = kernel_parameters(&module, &kernel).map_err(usage)?;
        arguments::check_count(&module, &kernel, &parameters, &options.args)?;
        check_passes(options)?;
        Ok(Chosen { module, kernel, parameters })
    }
}

impl<D: LaunchDevice> Prepared<D> {
    /// Reads the program, checks everything that can be checked, opens the device, and fills
    /// memory.
    pub(crate) fn new(
        options: &LaunchOptions,
        output: &mut Output,
    ) -> Result<Prepared<D>, Failure> {
        let chosen = Chosen::read(options, output)?;
        Prepared::on(D::open(options)?, &chosen, options, output)
    }

    /// Loads a program into a device and fills memory.
    pub(crate) fn on(
        mut device: D,
        chosen: &Chosen,
        options: &LaunchOptions,
        output: &Output,
    ) -> Result<Prepared<D>, Failure> {
        let Chosen { module, kernel, parameters } = chosen;
        memory::check(&options.args, device.memory())?;
        let variants = load_variants(&mut device, module, options, output)?;
        let (arguments, buffers) = arguments::resolve(&mut device, parameters, &options.args)?;
        for variant in &variants {
            globals::initialise(&mut device, variant, &options.globals, &buffers)?;
        }
        let launch = options.launch();
        let (kernel, parameters) = (kernel.clone(), parameters.clone());
        Ok(Prepared {
            device,
            program: module.clone(),
            variants,
            kernel,
            parameters,
            launch,
            buffers,
            arguments,
            counts_use: false,
            last: None,
        })
    }

    /// Runs a launch, counted from 1.
    pub(crate) fn launch(
        &mut self,
        options: &LaunchOptions,
        number: u32,
        output: &Output,
    ) -> Result<Launched, Failure> {
        let index = self.enter(options, number)?;
        let started = Instant::now();
        let handle = self.variants[index].handle;
        let mut statistics = self.counts_use.then(Box::<Statistics>::default);
        let Prepared { device, kernel, launch, arguments, .. } = self;
        let report = match &mut statistics {
            Some(watcher) => {
                device.launch_watched((handle, kernel.as_str()), launch, arguments, &mut **watcher)
            }
            None => device.launch(handle, kernel, launch, arguments),
        };
        let seconds = started.elapsed().as_secs_f64();
        let variant = &self.variants[index];
        let report = report.map_err(|e| refused(e, &variant.module, output))?;
        Ok(Launched { passes: variant.passes.clone(), report, seconds, statistics })
    }

    /// The same launches on another device, from their beginning.
    pub(crate) fn again<T: LaunchDevice>(
        &self,
        options: &LaunchOptions,
        output: &Output,
    ) -> Result<Prepared<T>, Failure> {
        let (module, kernel) = (self.program.clone(), self.kernel.clone());
        let chosen = Chosen { module, kernel, parameters: self.parameters.clone() };
        Prepared::on(T::open(options)?, &chosen, options, output)
    }

    /// The module of the launch before, or the one that was made current.
    pub(crate) fn current(&self) -> Option<&Variant> {
        self.variants.get(self.last?)
    }

    /// Makes the module of a launch the current one and gives its index.
    pub(crate) fn enter(&mut self, options: &LaunchOptions, number: u32) -> Result<usize, Failure> {
        let passes = passes_of(options, number);
        let index = self.variants.iter().position(|v| v.passes == passes);
        let index =
            index.ok_or_else(|| internal!("launch {number} has no module of its passes"))?;
        if let Some(last) = self.last.filter(|last| *last != index) {
            let (from, to) = (&self.variants[last], &self.variants[index]);
            globals::carry(&mut self.device, from, to)?;
        }
        self.last = Some(index);
        Ok(index)
    }
}

fn choose_kernel(module: &Module, wanted: Option<&str>) -> Result<String, Failure> {
    let names = kernels(module);
    match (wanted, names.as_slice()) {
        (_, []) => Err(Failure::usage_with_help(
            "the module defines no kernel (no `.entry` with a body)",
            "in CUDA C++ a kernel is `__global__`, and a template becomes one where the file \
             instantiates it: template __global__ void fold<float>(float *);",
        )),
        (Some(name), _) => kernel_named(module, name).map(str::to_owned).map_err(usage),
        (None, [only]) => Ok((*only).to_owned()),
        (None, several) => Err(Failure::usage_with_help(
            format!("the module has {} kernels: {}", several.len(), names::list(several)),
            "choose one with --kernel NAME",
        )),
    }
}

/// The passes for a launch, counted from 1, in the order of the options.
fn passes_of(options: &LaunchOptions, number: u32) -> Vec<String> {
    options.pass.iter().filter(|p| p.is_for(number)).map(|p| p.name.clone()).collect()
}

/// Refuses a pass that is for none of the launches.
fn check_passes(options: &LaunchOptions) -> Result<(), Failure> {
    match options.pass.iter().find(|p| p.from > options.launches) {
        None => Ok(()),
        Some(unused) => Err(Failure::usage(format!(
            "--pass {}@{} never applies: --launches is {}",
            unused.name, unused.from, options.launches
        ))),
    }
}

fn load_variants(
    device: &mut impl LaunchDevice,
    module: &Module,
    options: &LaunchOptions,
    output: &Output,
) -> Result<Vec<Variant>, Failure> {
    let mut variants: Vec<Variant> = Vec::new();
    for number in 1..=options.launches {
        let passes = passes_of(options, number);
        if variants.iter().any(|v| v.passes == passes) {
            continue;
        }
        let (module, remarks) = rewritten(module, &passes, output)?;
        let handle = device.load(&module).map_err(|e| refused(e, &module, output))?;
        variants.push(Variant { passes, module, remarks, handle });
    }
    Ok(variants)
}

/// The module after passes, in order, and what they did.
pub(crate) fn rewritten(
    module: &Module,
    names: &[String],
    output: &Output,
) -> Result<(Module, Vec<Remark>), Failure> {
    let mut remarks = Vec::new();
    let mut module = module.clone();
    // The options accept only names of passes.
    for pass in names.iter().filter_map(|name| passes::by_name(name)) {
        let result =
            pass(&module).map_err(|error| input::not_rewritten(&error, &module, output))?;
        remarks.extend(result.remarks);
        module = result.module;
    }
    Ok((module, remarks))
}

/// The failure for a device's refusal.
pub(crate) fn refused(error: DeviceError, module: &Module, output: &Output) -> Failure {
    match error {
        DeviceError::Program(error) => input::refused(&error, module, output),
        other => usage(other),
    }
}

/// A refusal that is the user's business.
pub(crate) fn usage(error: DeviceError) -> Failure {
    Failure::from(error)
}
