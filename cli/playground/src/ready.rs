//! A launch, prepared on a fresh simulator: the text parsed and rewritten, memory filled.

use warpsim::check::{Checking, Schedules};
use warpsim::host::{
    Argument, Device, Extent, Launch, Model, ModuleHandle, Simulator, kernel_named,
    kernel_parameters, kernels as kernels_of,
};
use warpsim::passes::{self, Remark};
use warpsim::ptx::{self, Module};
use warpsim::report::Report;
use warpsim_formats::arguments::{Buffer, resolve};
use warpsim_formats::spec::{Spec, scalar};

use crate::refusal::{FILE, Refusal};
use crate::request::Work;

/// Warp instructions after which a launch is given up, unless the request says otherwise.
pub const MOST_STEPS: u64 = 20_000_000;

/// Warp instructions that runs with added synchronisation may take, to see what mends the findings
/// of a schedule. If many schedules are explored, they are for the findings of all.
const MOST_TRIED: u64 = 400_000;

/// The most bytes of global memory that the arguments of a launch may take.
const MOST_MEMORY: u64 = 256 << 20;

/// A launch, ready on a simulator.
pub(crate) struct Ready {
    pub(crate) gpu: Simulator,
    pub(crate) module: Module,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) handle: ModuleHandle,
    pub(crate) kernel: String,
    pub(crate) launch: Launch,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) buffers: Vec<Buffer>,
}

/// The PTX of the page.
pub(crate) fn parsed(text: &str) -> Result<Module, Refusal> {
    ptx::parse(FILE, text).map_err(|error| Refusal::syntax(&error, text))
}

/// The module after passes, and what they did.
pub(crate) fn rewritten(
    mut module: Module,
    names: &[String],
) -> Result<(Module, Vec<Remark>), Refusal> {
    let mut remarks = Vec::new();
    for name in names {
        let pass = passes::by_name(name);
        let pass = pass.ok_or_else(|| Refusal::usage(format!("there is no pass `{name}`")))?;
        let after = pass(&module).map_err(|error| Refusal::pass(error, &module))?;
        remarks.extend(after.remarks);
        module = after.module;
    }
    Ok((module, remarks))
}

impl Ready {
    /// Parses the text, applies passes, loads the module and fills memory.
    pub(crate) fn of(work: &Work) -> Result<Ready, Refusal> {
        let (module, remarks) = rewritten(parsed(&work.text)?, &work.passes)?;
        let refused = |error| Refusal::device(error, &module);
        let kernel = chosen(&module, work.kernel.as_deref())?;
        let parameters = kernel_parameters(&module, &kernel).map_err(refused)?;
        if parameters.len() != work.args.len() {
            let wanted = parameters.iter().enumerate();
            let wanted: Vec<String> =
                wanted.map(|(k, parameter)| scalar::describe_in_list(k, parameter)).collect();
            return Err(Refusal::usage(format!(
                "kernel `{kernel}` takes {} arguments, and {} are given: {}",
                wanted.len(),
                work.args.len(),
                wanted.join(", ")
            )));
        }
        let specs = specs(&work.args)?;
        let mut gpu = simulator(work)?;
        let handle = gpu.load(&module).map_err(refused)?;
        let laid_out = resolve(&mut gpu, true, &parameters, &specs);
        let (arguments, buffers) = laid_out.map_err(|error| Refusal::arguments(error, &module))?;
        let launch = Launch {
            grid: extent("grid", &work.grid)?,
            block: extent("block", &work.block)?,
            shared: work.shared,
            ..Launch::default()
        };
        Ok(Ready { gpu, module, remarks, handle, kernel, launch, arguments, buffers })
    }

    /// Runs it once.
    pub(crate) fn launch(&mut self) -> Result<Report, Refusal> {
        let Ready { gpu, handle, kernel, launch, arguments, module, .. } = self;
        let report = gpu.launch(*handle, kernel, launch, arguments);
        report.map_err(|error| Refusal::device(error, module))
    }
}

fn specs(args: &[String]) -> Result<Vec<Spec>, Refusal> {
    let mut specs = Vec::new();
    let mut total: u64 = 0;
    for (index, text) in args.iter().enumerate() {
        let spec = Spec::parse(text.trim())
            .map_err(|error| Refusal::usage(format!("argument {index}: {error}")))?;
        for (_, buffer) in spec.buffers(index) {
            total = total.saturating_add(buffer.bytes().unwrap_or(u64::MAX));
        }
        specs.push(spec);
    }
    match total > MOST_MEMORY {
        true => Err(Refusal::usage(format!(
            "the buffers have {total} bytes; in a page they may have {MOST_MEMORY}"
        ))),
        false => Ok(specs),
    }
}

fn chosen(module: &Module, wanted: Option<&str>) -> Result<String, Refusal> {
    match (wanted.filter(|name| !name.is_empty()), kernels_of(module).as_slice()) {
        (_, []) => Err(Refusal::usage("the module defines no kernel (no `.entry` with a body)")),
        (Some(name), _) => kernel_named(module, name)
            .map(str::to_owned)
            .map_err(|error| Refusal::device(error, module)),
        (None, [only]) => Ok((*only).to_owned()),
        (None, several) => Err(Refusal::usage(format!("choose a kernel: {}", several.join(", ")))),
    }
}

fn extent(what: &str, text: &str) -> Result<[u32; 3], Refusal> {
    let text = if text.trim().is_empty() { "1" } else { text };
    let Extent(sizes) = text.parse().map_err(|error| Refusal::usage(format!("{what}: {error}")))?;
    Ok(sizes)
}

/// How launches are checked, if an answer has so many of them.
pub(crate) fn checking(schedules: Schedules, launches: u64) -> Checking {
    let each = MOST_TRIED / launches.max(1);
    Checking::default().with_schedules(schedules).with_trial_steps(each)
}

/// A fresh simulator, with the settings of a request.
pub(crate) fn simulator(work: &Work) -> Result<Simulator, Refusal> {
    let mut gpu = Simulator::default();
    let settings = gpu.settings_mut();
    settings.max_steps = work.max_steps.unwrap_or(MOST_STEPS);
    let schedule = work.schedule.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if let Some(schedule) = schedule {
        let parsed = schedule.parse();
        settings.schedule = parsed
            .map_err(|error: warpsim::schedule::ScheduleError| Refusal::usage(error.to_string()))?;
    }
    settings.model = match work.model.as_deref() {
        None | Some("" | "independent") => Model::Independent,
        Some("lockstep") => Model::Lockstep,
        Some(other) => return Err(Refusal::usage(format!("there is no model `{other}`"))),
    };
    Ok(gpu)
}
