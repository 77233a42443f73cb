//! The options of `compare` and `record`.

use std::path::PathBuf;

use clap::{Arg, Args};

use warpsim::host::ArgumentPlace;

use super::{Format, LaunchOptions, parse};

pub(super) const COMPARE_EXAMPLES: &str = "Examples:
  warpsim compare scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim compare scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]' --jit-opt all
  warpsim compare wave.ptx --arg 'f32[1024]=rand:1' --arg 'f32[1024]' --ulp 2
  warpsim compare scan.ptx --recording scan.json         with a recorded GPU; needs no GPU

Without --jit-opt, the GPU's driver compiles at level 0. Level 0 keeps the program as written;
higher levels also keep values in registers. Exit code 0: equal, or one of several results that the
simulator reaches; 1: different; 4: no GPU.";

/// What several levels look like.
const LEVELS: &str = "LEVEL[,LEVEL...]|all";

/// `--jit-opt` of `compare`.
pub(super) fn levels_to_compare(option: Arg) -> Arg {
    option.value_name(LEVELS).help(
        "The optimisation levels of the GPU's driver, 0 to 4, or all [default: 0; with --recording \
         the recorded ones]",
    )
}

/// `--jit-opt` of `record`.
pub(super) fn levels_to_record(option: Arg) -> Arg {
    option.value_name(LEVELS).help(
        "The optimisation levels of the GPU's driver, 0 to 4, or all [default: 0 and the driver's \
         own]",
    )
}

/// FILE of `record`, which names it in the recording.
pub(super) fn file_to_record(argument: Arg) -> Arg {
    argument.help("A .ptx or .cu file")
}

/// `--shared-init` of `record`.
pub(super) fn shared_init_to_record(option: Arg) -> Arg {
    option.help(
        "The simulator's initial contents of shared memory, for the recording: zero, poison, \
         random:SEED or leftover",
    )
}

/// Options of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    /// Text for people, or one JSON document on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Floats may be N units in the last place apart, in all buffers or in parameter K's; may be
    /// repeated
    #[arg(long, value_name = "[K=]N", value_parser = parse::tolerance::<u64>, help_heading = "Comparison")]
    pub(crate) ulp: Vec<(Option<ArgumentPlace>, u64)>,
    /// Floats may differ by X, in all buffers or in parameter K's; may be repeated
    #[arg(long, value_name = "[K=]X", value_parser = parse::absolute, help_heading = "Comparison")]
    pub(crate) abs: Vec<(Option<ArgumentPlace>, f64)>,
    /// How many differences of each buffer to print; the rest are counted
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Comparison")]
    pub(crate) max_differences: usize,
    /// How many schedules to try when results differ, to look for the GPU's result
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Comparison")]
    pub(crate) schedules: u64,
    /// The seed of the first random schedule
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Comparison")]
    pub(crate) seed: u64,
    /// Compare with this recording instead of a GPU: all recorded runs, or those that the launch
    /// options describe
    #[arg(long, value_name = "REC.json", help_heading = "Comparison")]
    pub(crate) recording: Option<PathBuf>,
}

pub(super) const RECORD_EXAMPLES: &str = "Examples:
  warpsim record scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]' -o scan.json
  warpsim record scan.ptx --again scan.json        record all its runs again
  warpsim compare scan.ptx --recording scan.json   anywhere, without a GPU

Without --jit-opt, the GPU's driver compiles at level 0 and at its own default. Runs with the same
result are kept as one. A new run replaces an older run of the same launch.
Exit code 0: recorded; 1: recorded that it faults or hangs; 4: no GPU.";

/// Options of `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    /// The recording to write, or to add to
    #[arg(short, long, value_name = "REC.json", required_unless_present = "again")]
    pub(crate) output: Option<PathBuf>,
    /// Record all runs of this recording again, also if the module's text has changed
    #[arg(long, value_name = "REC.json", conflicts_with = "output")]
    pub(crate) again: Option<PathBuf>,
    /// Say in the recording that threads race, so that several results are legal
    #[arg(long)]
    pub(crate) racy: bool,
}
