//! The options of `compare`.

use clap::Args;

use super::{Format, LaunchOptions, parse};

pub(super) const COMPARE_EXAMPLES: &str = "Examples:
  warpsim compare scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim compare scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]' --jit-opt all
  warpsim compare wave.ptx --arg 'f32[1024]=rand:1' --arg 'f32[1024]' --ulp 2

The GPU's driver compiles at level 0 unless --jit-opt says otherwise: level 0 keeps the program as
written, higher ones keep values in registers, too. Exit code 0: equal, or one of several results
that the simulator reaches; 1: different; 4: no GPU.";

/// Options of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    /// Text for people, or one JSON document on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Floats may be so many units in the last place apart, in all buffers or in parameter K's; may
    /// be repeated
    #[arg(long, value_name = "[K=]N", value_parser = parse::tolerance::<u64>, help_heading = "Comparison")]
    pub(crate) ulp: Vec<(Option<usize>, u64)>,
    /// Floats may differ by so much, in all buffers or in parameter K's; may be repeated
    #[arg(long, value_name = "[K=]X", value_parser = parse::absolute, help_heading = "Comparison")]
    pub(crate) abs: Vec<(Option<usize>, f64)>,
    /// How many differences of each buffer to print; the rest are counted
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Comparison")]
    pub(crate) max_differences: usize,
    /// When results differ: schedules to try, for another legal result that is the GPU's
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Comparison")]
    pub(crate) schedules: u64,
    /// The seed of the first random one
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Comparison")]
    pub(crate) seed: u64,
}
