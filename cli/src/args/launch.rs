//! The options that say what to launch and how: shared by all commands that launch.

use std::path::PathBuf;

use clap::{Arg, Args, ValueEnum};
use warpsim::host::{DeviceProfile, Extent, Launch, Model, SharedInit};

use super::CompilerOptions;
use super::parse::{self, JitLevels, PassUse};
use crate::spec::Spec;

/// Where to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    Sim,
    Gpu,
}

/// The execution model, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelName {
    Independent,
    Lockstep,
}

impl From<ModelName> for Model {
    fn from(name: ModelName) -> Model {
        match name {
            ModelName::Independent => Model::Independent,
            ModelName::Lockstep => Model::Lockstep,
        }
    }
}

/// Leaves out of help what says how a GPU runs, for a command that runs on the simulator alone.
pub(super) fn without_gpu(option: Arg) -> Arg {
    hide(option, &["on", "jit_opt", "gpu_timeout"])
}

/// Leaves out of help what says how the simulator runs, for a command that runs on a GPU alone.
pub(super) fn without_simulator(option: Arg) -> Arg {
    hide(option, &["on", "device", "model", "schedule", "max_steps", "threads"])
}

/// Leaves out of help where to run, for a command that runs on both.
pub(super) fn without_target(option: Arg) -> Arg {
    hide(option, &["on"])
}

fn hide(option: Arg, names: &[&str]) -> Arg {
    let is_hidden = option.is_hide_set() || names.contains(&option.get_id().as_str());
    option.hide(is_hidden)
}

/// What to launch and how.
#[derive(Debug, Args)]
pub(crate) struct LaunchOptions {
    /// A .ptx or .cu file, or - for PTX on standard input
    pub(crate) file: PathBuf,

    /// The kernel to launch [default: the only one]
    #[arg(long, value_name = "NAME", help_heading = "Launch")]
    pub(crate) kernel: Option<String>,
    /// Blocks of the grid
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", help_heading = "Launch")]
    pub(crate) grid: Extent,
    /// Threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "32", help_heading = "Launch")]
    pub(crate) block: Extent,
    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES", default_value_t = 0, help_heading = "Launch")]
    pub(crate) shared: u32,
    /// An argument, one for each kernel parameter, in order
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true, value_parser = Spec::parse, help_heading = "Launch")]
    pub(crate) args: Vec<Spec>,
    /// Initialise a module's .global or .const variable; may be repeated
    #[arg(long = "global", value_name = "NAME=SPEC", value_parser = parse::global, help_heading = "Launch")]
    pub(crate) globals: Vec<(String, Spec)>,
    /// A cooperative launch: all blocks are resident, and grid.sync() works
    #[arg(long, help_heading = "Launch")]
    pub(crate) cooperative: bool,
    /// Another module, which defines the .extern names of FILE; may be repeated
    #[arg(long = "link", value_name = "FILE", help_heading = "Launch")]
    pub(crate) links: Vec<PathBuf>,
    /// Launch N times in a row on the same memory
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Launch")]
    pub(crate) launches: u32,
    /// The device profile: one that `warpsim devices` lists, or
    /// multiprocessors=N,blocks=N,threads=N,shared=BYTES,... to change limits of h200
    #[arg(long, value_name = "NAME|KEY=N,...", default_value = "h200", value_parser = parse::profile, help_heading = "Launch")]
    pub(crate) device: DeviceProfile,

    /// Execution model: one program counter per lane (Volta and later), or per warp (before)
    #[arg(long, value_enum, default_value = "independent")]
    pub(crate) model: ModelName,
    /// A pass to apply first (register-cache); @ limits it to these launches, counted from 1; may
    /// be repeated
    #[arg(long, value_name = "NAME[@FROM[-TO]]", value_parser = parse::pass_use)]
    pub(crate) pass: Vec<PassUse>,
    /// Who runs next: in-order, reverse, random:SEED, adversarial, adversarial:back,
    /// pct:SEED[:DEPTH[:TURNS]], or a schedule to replay [default: in-order; check tries several]
    #[arg(long, value_name = "SCHEDULE")]
    pub(crate) schedule: Option<String>,
    /// The initial contents of shared memory: zero, poison, random:SEED or leftover
    #[arg(long, value_name = "INIT", default_value = "zero", value_parser = parse::shared_init)]
    pub(crate) shared_init: SharedInit,
    /// Stop after N warp instructions [default: 10^12; 10^6 for step and trace]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
    /// Where to run
    #[arg(long, value_enum, default_value = "sim")]
    pub(crate) on: Target,
    /// The optimisation level of the GPU's driver, 0 to 4 [default: the driver's own]
    #[arg(long, value_name = "LEVEL", value_parser = parse::jit_levels)]
    pub(crate) jit_opt: Option<JitLevels>,
    /// After how many seconds a GPU counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) gpu_timeout: u32,
    /// Host threads; only the printed seconds depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) compiler: CompilerOptions,
}

impl LaunchOptions {
    /// The shape of the launch.
    pub(crate) fn launch(&self) -> Launch {
        let LaunchOptions { shared, cooperative, .. } = *self;
        Launch { grid: self.grid.0, block: self.block.0, shared, cooperative }
    }
}
