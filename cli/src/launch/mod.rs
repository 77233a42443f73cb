//! From options to launches on the simulator.
//!
//! [`Prepared`] holds a simulator with the modules loaded, the buffers filled and the arguments
//! laid out. A pass may be for some launches only, so there is a module for each list of passes;
//! they share all memory: what module variables hold is carried from one to the next.

mod arguments;
mod globals;
mod memory;
pub(crate) mod state;

use std::time::Instant;

use warpsim::host::{
    Argument, Device, DeviceError, Launch, ModuleHandle, Parameter, Pointer, Simulator,
    kernel_parameters, kernels,
};
use warpsim::ptx::Module;
use warpsim::report::Report;
use warpsim::schedule::from_text;

use crate::args::LaunchOptions;
use crate::args::launch::Target;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::spec::element::Element;
use warpsim::passes::{self, Remark};

/// Warp instructions after which a launch is given up, unless `--max-steps` says otherwise.
const MAX_STEPS: u64 = 1_000_000_000_000;

/// The same where every step is kept in memory, about a kilobyte for each.
pub(crate) const TRACE_STEPS: u64 = 1_000_000;

/// A buffer that was made for an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    /// The parameter that it was given for.
    pub(crate) parameter: usize,
    pub(crate) element: Element,
    pub(crate) length: u64,
    pub(crate) pointer: Pointer,
}

/// The module as it is for some launches.
pub(crate) struct Variant {
    pub(crate) passes: Vec<String>,
    pub(crate) module: Module,
    /// What the passes did.
    pub(crate) remarks: Vec<Remark>,
    pub(crate) handle: ModuleHandle,
}

/// Everything that a launch needs.
pub(crate) struct Prepared {
    pub(crate) simulator: Simulator,
    pub(crate) variants: Vec<Variant>,
    pub(crate) kernel: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) launch: Launch,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) arguments: Vec<Argument>,
    /// The schedule as text that replays it.
    pub(crate) schedule: String,
    /// The variant of the launch before: its module variables are the current ones.
    last: Option<usize>,
}

/// One launch and what came of it.
pub(crate) struct Launched {
    pub(crate) passes: Vec<String>,
    pub(crate) report: Report,
    pub(crate) seconds: f64,
}

impl Prepared {
    /// Reads the program, checks everything that can be checked, and fills memory.
    pub(crate) fn new(options: &LaunchOptions, output: &Output) -> Result<Prepared, Failure> {
        let module = input::read(&options.file, output)?;
        refuse_gpu(options)?;
        let kernel = choose_kernel(&module, options.kernel.as_deref())?;
        let parameters = kernel_parameters(&module, &kernel).map_err(usage)?;
        arguments::check_count(&kernel, &parameters, &options.args)?;
        memory::check(&options.args, &options.device)?;
        let mut simulator = Simulator::new(options.device.clone());
        let schedule = configure(&mut simulator, options)?;
        let variants = load_variants(&mut simulator, &module, options, output)?;
        let (arguments, buffers) = arguments::resolve(&mut simulator, &parameters, &options.args)?;
        for variant in &variants {
            globals::initialise(&mut simulator, variant, &options.globals, &buffers)?;
        }
        let launch = Launch { grid: options.grid, block: options.block, shared: options.shared };
        Ok(Prepared {
            simulator,
            variants,
            kernel,
            parameters,
            launch,
            buffers,
            arguments,
            schedule,
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
        let report = self.simulator.launch(handle, &self.kernel, &self.launch, &self.arguments);
        let seconds = started.elapsed().as_secs_f64();
        let variant = &self.variants[index];
        let report = report.map_err(|e| refused(e, &variant.module, output))?;
        Ok(Launched { passes: variant.passes.clone(), report, seconds })
    }

    /// Makes the module of a launch the current one and gives its index.
    pub(crate) fn enter(&mut self, options: &LaunchOptions, number: u32) -> Result<usize, Failure> {
        let passes = passes_of(options, number);
        let index = self.variants.iter().position(|v| v.passes == passes).unwrap_or(0);
        if let Some(last) = self.last.filter(|last| *last != index) {
            let (from, to) = (&self.variants[last], &self.variants[index]);
            globals::carry(&mut self.simulator, from, to)?;
        }
        self.last = Some(index);
        Ok(index)
    }
}

fn refuse_gpu(options: &LaunchOptions) -> Result<(), Failure> {
    if options.on == Target::Sim {
        return Ok(());
    }
    let reason = warpsim_gpu::GpuError::NoDriver;
    Err(Failure::Missing {
        message: format!("cannot run on a GPU: {reason}"),
        help: Some("leave out `--on gpu` to run on the simulator".to_owned()),
    })
}

fn choose_kernel(module: &Module, wanted: Option<&str>) -> Result<String, Failure> {
    let names = kernels(module);
    match (wanted, names.as_slice()) {
        (Some(name), _) => Ok(name.to_owned()),
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) => Err(Failure::usage("the module defines no kernel (no `.entry` with a body)")),
        (None, several) => Err(Failure::usage_with_help(
            format!("the module has {} kernels: {}", several.len(), several.join(", ")),
            "choose one with --kernel NAME",
        )),
    }
}

fn configure(simulator: &mut Simulator, options: &LaunchOptions) -> Result<String, Failure> {
    let name = options.schedule.as_deref().unwrap_or("in-order");
    let schedule = from_text(name)
        .map_err(|e| Failure::usage(format!("invalid value '{name}' for '--schedule': {e}")))?;
    let text = schedule.text();
    let settings = simulator.settings_mut();
    settings.model = options.model.into();
    settings.schedule = schedule;
    settings.shared_init = options.shared_init;
    settings.max_steps = options.max_steps.unwrap_or(MAX_STEPS);
    Ok(text)
}

/// The passes for a launch, counted from 1, in the order of the options.
fn passes_of(options: &LaunchOptions, number: u32) -> Vec<String> {
    options.pass.iter().filter(|p| p.is_for(number)).map(|p| p.name.clone()).collect()
}

fn load_variants(
    simulator: &mut Simulator,
    module: &Module,
    options: &LaunchOptions,
    output: &Output,
) -> Result<Vec<Variant>, Failure> {
    if let Some(unused) = options.pass.iter().find(|p| p.from > options.launches) {
        return Err(Failure::usage(format!(
            "--pass {}@{} never applies: --launches is {}",
            unused.name, unused.from, options.launches
        )));
    }
    let mut variants: Vec<Variant> = Vec::new();
    for number in 1..=options.launches {
        let passes = passes_of(options, number);
        if variants.iter().any(|v| v.passes == passes) {
            continue;
        }
        let (module, remarks) = rewritten(module, &passes);
        let handle = simulator.load(&module).map_err(|e| refused(e, &module, output))?;
        variants.push(Variant { passes, module, remarks, handle });
    }
    Ok(variants)
}

/// The module after passes, in order, and what they did.
pub(crate) fn rewritten(module: &Module, names: &[String]) -> (Module, Vec<Remark>) {
    let mut remarks = Vec::new();
    let mut module = module.clone();
    for pass in names.iter().filter_map(|name| passes::by_name(name)) {
        let result = pass(&module);
        remarks.extend(result.remarks);
        module = result.module;
    }
    (module, remarks)
}

/// What a device's refusal comes to.
pub(crate) fn refused(error: DeviceError, module: &Module, output: &Output) -> Failure {
    match error {
        DeviceError::Program(error) => input::refused(&error, module, output),
        other => usage(other),
    }
}

/// A refusal that is the user's business.
#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
pub(crate) fn usage(error: DeviceError) -> Failure {
    Failure::usage(error.to_string())
}
