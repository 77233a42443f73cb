//! The options of `exec`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use warpsim::host::{DeviceProfile, SharedInit};
use warpsim_driver_core::Budget;

use super::launch::ModelName;
use super::{Level, ProgramFormat, parse};
use crate::findings::Allowed;

pub(super) const EXEC_EXAMPLES: &str = "Examples:
  warpsim exec -- ./vector_add
  warpsim exec --check -- ./vector_add 1000
  warpsim exec --check --report found.json -- cargo test
  warpsim exec --check vector_add.cu -- 1000
  warpsim exec --check main.cu kernels.cu files.cpp -- input.txt

The program keeps its own output and exit code. If there are findings, they go to standard error at
the end, and the exit code is --error-exitcode.";

/// How FILE.cu is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct SourceOptions {
    /// A folder of headers for FILE.cu; may be repeated
    #[arg(
        short = 'I',
        long = "include",
        value_name = "DIR",
        requires = "files",
        help_heading = "FILE.cu"
    )]
    pub(crate) includes: Vec<PathBuf>,
    /// A macro for FILE.cu; may be repeated
    #[arg(
        short = 'D',
        long = "define",
        value_name = "NAME[=VALUE]",
        requires = "files",
        help_heading = "FILE.cu"
    )]
    pub(crate) defines: Vec<String>,
    /// Compile FILE.cu for this architecture [default: sm_80]
    #[arg(long, value_name = "SM", requires = "files", help_heading = "FILE.cu")]
    pub(crate) arch: Option<String>,
    /// Compile FILE.cu by a clang that failed its trial (`warpsim devices` says why)
    #[arg(long, requires = "files", help_heading = "FILE.cu")]
    pub(crate) allow_compiler: bool,
}

/// Options of `exec`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("judged").args(["check", "stats"]).multiple(true))]
pub(crate) struct ExecArgs {
    /// A .cu file with its host code: clang compiles it, and warpsim runs it with the arguments
    /// after --. Several files of CUDA, C++ and C, objects and archives become one program
    #[arg(value_name = "FILE.cu")]
    pub(crate) files: Vec<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required_unless_present = "files", value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
    /// Keep the compiled program of FILE.cu. Without --check and arguments, it does not run
    #[arg(short, long, value_name = "PROGRAM", requires = "files")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    /// Check every launch for races, barrier mistakes and values never written
    #[arg(long)]
    pub(crate) check: bool,
    /// Say at the end how each kernel used the machine: lanes, branches, requests to memory, bank
    /// conflicts, barriers, atomics, occupancy; by line, with advice
    #[arg(long)]
    pub(crate) stats: bool,
    /// Check and count only the launches of this kernel, by its name in the source or in the PTX;
    /// may be repeated
    #[arg(long, value_name = "KERNEL", requires = "judged")]
    pub(crate) only: Vec<String>,
    /// Check and count only the first N launches of each kernel
    #[arg(long, value_name = "N", requires = "judged", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) first: Option<u64>,
    /// Check and count only one in N launches of each kernel, beginning with the first
    #[arg(long, value_name = "1/N", requires = "judged", value_parser = parse::sample)]
    pub(crate) sample: Option<u64>,
    /// Check the first N launches of each kernel in each shape under all schedules, and later ones
    /// in order and under one other schedule; or `all` [default: 16]
    #[arg(long, value_name = "N", requires = "check", value_parser = parse::budget, default_value = "16",
          hide_default_value = true)]
    pub(crate) budget: Budget,
    /// Execution model: one program counter per lane (Volta and later), or per warp (before)
    #[arg(long, value_enum, default_value = "independent")]
    pub(crate) model: ModelName,
    /// A pass to apply to modules when they are loaded (register-cache); may be repeated
    #[arg(long, value_name = "NAME", value_parser = parse::pass_name)]
    pub(crate) pass: Vec<String>,
    /// Who runs next: in-order, reverse, random:SEED, adversarial, adversarial:back, or
    /// pct:SEED[:DEPTH[:TURNS]] [default: in-order; --check tries several]
    #[arg(long, value_name = "SCHEDULE")]
    pub(crate) schedule: Option<String>,
    /// The initial contents of shared memory: zero, poison, random:SEED or leftover
    #[arg(long, value_name = "INIT", default_value = "zero", value_parser = parse::shared_init)]
    pub(crate) shared_init: SharedInit,
    /// Stop a launch after N warp instructions [default: 10^12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
    /// The device profile: one that `warpsim devices` lists, or
    /// multiprocessors=N,blocks=N,threads=N,shared=BYTES,... to change limits of h200
    #[arg(long, value_name = "NAME|KEY=N,...", default_value = "h200", value_parser = parse::profile)]
    pub(crate) device: DeviceProfile,
    /// Host threads for the blocks of a launch [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: Option<u32>,
    /// What counts as a finding for the exit code
    #[arg(long, value_enum, default_value = "warning", help_heading = "Findings")]
    pub(crate) level: Level,
    /// Findings to let pass: all of a kind, or those with an access at this line of the source or
    /// of the PTX; may be repeated
    #[arg(long, value_name = "CODE[:FILE:LINE]", value_parser = Allowed::parse, help_heading = "Findings")]
    pub(crate) allow: Vec<Allowed>,
    /// Exit code for a finding
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Findings")]
    pub(crate) error_exitcode: u8,
    /// How many findings to print; the rest are counted
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Findings")]
    pub(crate) max_findings: usize,
    /// Show for each finding the synchronisation that is there, and the missing link
    #[arg(long, help_heading = "Findings")]
    pub(crate) explain: bool,
    /// How to report findings on standard error
    #[arg(long, value_enum, default_value = "text", help_heading = "Findings")]
    pub(crate) format: ProgramFormat,
    /// Also write the findings to a file: SARIF, JUnit's XML or a page for a browser if it ends in
    /// .sarif, .xml or .html, else JSON, which has the numbers of --stats, too. The page shows the
    /// first launch with the worst finding, step by step
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    pub(crate) report: Option<PathBuf>,
    /// Step through a launch of this kernel, the first or the Nth, with the debugger of `step`.
    /// Commands come from the program's standard input, and answers go to standard error
    #[arg(long, value_name = "KERNEL[:N]", value_parser = parse::debugged,
          help_heading = "Debugging")]
    pub(crate) debug: Option<(String, u64)>,
    /// Carry out the debugger commands of this file first; without a terminal, go on after them
    #[arg(
        short = 'x',
        long = "commands",
        value_name = "FILE",
        requires = "debug",
        help_heading = "Debugging"
    )]
    pub(crate) commands: Vec<PathBuf>,
    /// Be the debug adapter (DAP) of that launch on standard input and output, for an editor
    #[arg(long, requires = "debug", conflicts_with = "commands", help_heading = "Debugging")]
    pub(crate) dap: bool,
    /// Write a timeline to this file, which ui.perfetto.dev opens: launches and copies of each
    /// stream, the calls of each thread, findings. Its times are the simulator's, not a GPU's
    #[arg(long, value_name = "FILE")]
    pub(crate) perfetto: Option<PathBuf>,
    /// Write every call of the API to this file, one JSON line each
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}
