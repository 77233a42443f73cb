//! The devices that a command line can launch on: the simulator, and a GPU behind its child
//! process.

use std::time::Duration;

use warpsim::host::{
    Argument, Device, DeviceError, DeviceProfile, Launch, Launcher, Model, ModuleHandle,
    SharedInit, Simulator, Threads,
};
use warpsim::observe::Observer;
use warpsim::report::Report;
use warpsim_gpu::{GpuError, Isolated, IsolatedSettings, JitLevel};

use crate::args::LaunchOptions;
use crate::args::launch::{ModelName, Target};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::RunningLine;

/// Warp instructions after which a launch is given up, unless `--max-steps` says otherwise.
const MAX_STEPS: u64 = 1_000_000_000_000;

/// A device that options describe.
pub(crate) trait LaunchDevice: Device + Sized {
    /// Whether fresh memory holds zeros, so that they need not be copied there.
    const FRESH_IS_ZERO: bool;

    /// Opens it.
    fn open(options: &LaunchOptions) -> Result<Self, Failure>;

    /// Bytes of its global memory.
    fn memory(&self) -> u64;

    /// The line that says how far its launches are, and notices that they are interrupted; `None`
    /// where neither can be.
    fn watched(&mut self, output: &Output) -> Option<RunningLine>;

    /// Launches, watched by an observer. A GPU has no observer.
    fn launch_watched(
        &mut self,
        kernel: (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
        observer: &mut dyn Observer,
    ) -> Result<Report, DeviceError>;

    /// How it runs launches.
    fn ran(&self, options: &LaunchOptions) -> Ran;
}

/// Where and how launches ran, as a document says it.
#[derive(Clone, Debug)]
pub(crate) enum Ran {
    /// On the simulator: under this model and schedule, with this profile.
    Simulated { model: &'static str, schedule: String, profile: String },
    /// On a GPU of this name, compiled at this level of the driver's.
    OnGpu { name: String, jit: Option<u8> },
}

impl LaunchDevice for Simulator {
    const FRESH_IS_ZERO: bool = true;

    fn open(options: &LaunchOptions) -> Result<Simulator, Failure> {
        if options.on == Target::Gpu {
            return Err(Failure::usage_with_help(
                "this command runs on the simulator only",
                "leave out `--on gpu`; `warpsim run` runs on a GPU, and `warpsim compare` on both",
            ));
        }
        simulator(options)
    }

    fn memory(&self) -> u64 {
        self.profile().global_memory
    }

    fn watched(&mut self, output: &Output) -> Option<RunningLine> {
        let (line, meter) = RunningLine::new(output);
        self.settings_mut().meter = Some(meter);
        Some(line)
    }

    fn launch_watched(
        &mut self,
        (module, kernel): (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
        observer: &mut dyn Observer,
    ) -> Result<Report, DeviceError> {
        self.launch_observed(module, kernel, launch, arguments, observer)
    }

    fn ran(&self, options: &LaunchOptions) -> Ran {
        Ran::Simulated {
            model: Model::from(options.model).name(),
            schedule: self.settings().schedule.to_string(),
            profile: self.profile().name.clone(),
        }
    }
}

impl LaunchDevice for Isolated {
    const FRESH_IS_ZERO: bool = false;

    fn open(options: &LaunchOptions) -> Result<Isolated, Failure> {
        let or = ", or `--on gpu`";
        refuse_simulated(options, or)?;
        if !matches!(options.shared_init, SharedInit::Zero | SharedInit::Leftover) {
            return Err(no_meaning("--shared-init", or));
        }
        let jit = one_level(options)?;
        gpu(options.gpu_timeout, jit).map_err(|error| Failure::Missing {
            message: format!("cannot run on a GPU: {error}"),
            help: Some(
                "leave out `--on gpu` to run on the simulator; `warpsim compare FILE --recording \
                 REC.json` compares with a recorded GPU"
                    .to_owned(),
            ),
        })
    }

    fn memory(&self) -> u64 {
        self.facts().memory
    }

    /// The progress of a GPU is unknown, and Ctrl-C ends the process that waits for it.
    fn watched(&mut self, _: &Output) -> Option<RunningLine> {
        None
    }

    fn launch_watched(
        &mut self,
        (module, kernel): (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
        _: &mut dyn Observer,
    ) -> Result<Report, DeviceError> {
        self.launch(module, kernel, launch, arguments)
    }

    fn ran(&self, options: &LaunchOptions) -> Ran {
        let jit = options.jit_opt.as_ref().and_then(|levels| levels.0.first().copied());
        Ran::OnGpu { name: self.name(), jit }
    }
}

/// A simulator that is set up as the options say.
pub(crate) fn simulator(options: &LaunchOptions) -> Result<Simulator, Failure> {
    let name = options.schedule.as_deref().unwrap_or("in-order");
    let schedule = name
        .parse()
        .map_err(|e| Failure::usage(format!("invalid value '{name}' for '--schedule': {e}")))?;
    let mut simulator = Simulator::new(options.device.clone());
    let settings = simulator.settings_mut();
    settings.launcher = Launcher::Command;
    settings.model = options.model.into();
    settings.schedule = schedule;
    settings.shared_init = options.shared_init;
    settings.max_steps = options.max_steps.unwrap_or(MAX_STEPS);
    settings.threads = threads(options.threads)?;
    Ok(simulator)
}

/// The host threads that were asked for: all cores where none were.
pub(crate) fn threads(asked: Option<u32>) -> Result<Threads, Failure> {
    if let Some(count) = asked {
        return Ok(Threads::up_to(count as usize));
    }
    match Threads::of_environment() {
        Ok(Some(threads)) => Ok(threads),
        Ok(None) => Ok(Threads::all()),
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}

/// A GPU whose driver compiles at this level, and which is hung when a launch takes longer than
/// this many seconds.
pub(crate) fn gpu(timeout: u32, jit: JitLevel) -> Result<Isolated, GpuError> {
    let timeout = Duration::from_secs(timeout.into());
    Isolated::start(IsolatedSettings::default().with_jit(jit).with_timeout(timeout))
}

/// The driver's level where there can be only one.
fn one_level(options: &LaunchOptions) -> Result<JitLevel, Failure> {
    match options.jit_opt.as_ref().map(|levels| levels.0.as_slice()) {
        None => Ok(JitLevel::Default),
        Some([level]) => Ok(JitLevel::Level(*level)),
        Some(_) => Err(Failure::usage_with_help(
            "this command takes one level of --jit-opt",
            "`warpsim compare` takes several",
        )),
    }
}

/// Refuses options that say how the simulator runs, if a GPU runs the launch. `or` names what else
/// may be left out.
pub(crate) fn refuse_simulated(options: &LaunchOptions, or: &str) -> Result<(), Failure> {
    let given = [
        (options.schedule.is_some(), "--schedule"),
        (options.model == ModelName::Lockstep, "--model lockstep"),
        (options.max_steps.is_some(), "--max-steps"),
        (options.device != DeviceProfile::default(), "--device"),
    ];
    match given.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, name)) => Err(no_meaning(name, or)),
    }
}

fn no_meaning(name: &str, or: &str) -> Failure {
    Failure::usage_with_help(
        format!("{name} has no meaning on a GPU"),
        format!("it says how the simulator runs: leave out {name}{or}"),
    )
}
