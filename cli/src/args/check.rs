//! The options of `check` and `explore`, and those that every command with a verdict has.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use warpsim::check::Analyses;
use warpsim::report::Code;
use warpsim_campaign::Shard;

use super::{Dump, ExpectOptions, FindingFormat, LaunchOptions, Level, Show, Shown, parse};
use crate::findings::Allowed;

const CHECK_EXAMPLES: &str = "Examples:
  warpsim check scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim check sum.ptx --grid 8 --block 256 --arg 'f32[2048]' --arg 'f32[1]' --format json
  warpsim check scan.ptx --arg 's32[32]' --arg 's32[32]' --allow race:scan.cu:15 --level error
  warpsim check scan.ptx --arg 's32[32]' --arg 's32[32]' --schedule random:7     under this one only";

/// The examples of `check`, and the kinds of findings that there are.
pub(super) fn check_help() -> String {
    let row = |code: &Code| format!("\n  {code:21}  {}", code.text());
    let codes: String = Code::ALL.iter().map(row).collect();
    format!("{CHECK_EXAMPLES}\n\nKinds of findings, by their names for --allow:{codes}")
}

pub(super) const EXPLORE_EXAMPLES: &str = "Examples:
  warpsim explore scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim explore scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]' --schedules 1000 --seed 7
  warpsim explore flag.ptx --grid 2 --block 1 --arg 's32[2]' --strategy exhaustive
  warpsim explore flag.ptx --grid 2 --arg 's32[2]' --schedules 1000000 --shard 3/8 --shard-out 3.json";

pub(super) const MERGE_EXAMPLES: &str = "Examples:
  warpsim merge 1.json 2.json 3.json
  warpsim merge shards/*.json

The files contain the command line of `explore`. The answer is the same as from one machine that
ran all of it. Run this where the paths of that command line lead to the same files.";

/// Where findings matter and how results are shown: shared by `run`, `check` and `explore`.
#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    /// How many cells of each buffer to print [default: all up to 2^20 cells, else 16]
    #[arg(long, value_name = "all|none|N", value_parser = parse::shown)]
    pub(crate) values: Option<Shown>,
    /// Print cells as full-width "0x..." bits
    #[arg(long)]
    pub(crate) bits: bool,
    /// Write parameter K's buffer after the run, whole and exact (bf16 as u16); may be repeated
    #[arg(long, value_name = "K=PATH.npy", value_parser = parse::dump)]
    pub(crate) dump: Vec<Dump>,
    /// Print a `__device__` variable after the run, as cells of a type where that is given; may be
    /// repeated
    #[arg(long, value_name = "NAME[:TYPE[SHAPE]]", value_parser = parse::show)]
    pub(crate) show: Vec<Show>,
    /// What counts as a finding for the exit code
    #[arg(long, value_enum, default_value = "warning")]
    pub(crate) level: Level,
    /// Exit code for a finding
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) error_exitcode: u8,
}

/// Which findings are wanted, and how much about each: shared by `check` and `explore`.
#[derive(Debug, Args)]
pub(crate) struct FindingOptions {
    /// What to print on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: FindingFormat,
    /// Also write the findings to a file: SARIF, JUnit's XML or a page for a browser if it ends in
    /// .sarif, .xml or .html, else JSON
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    pub(crate) report: Option<PathBuf>,
    /// Findings to let pass: all of a kind, or those with an access at this line of the source or
    /// of the PTX; may be repeated
    #[arg(long, value_name = "CODE[:FILE:LINE]", value_parser = Allowed::parse, help_heading = "Findings")]
    pub(crate) allow: Vec<Allowed>,
    /// How many findings to print; the rest are counted
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Findings")]
    pub(crate) max_findings: usize,
    /// Show for each finding the synchronisation that is there, and the missing link
    #[arg(long, help_heading = "Findings")]
    pub(crate) explain: bool,
    /// Also look for this; it is not a mistake, and the search costs time; may be repeated
    #[arg(long, value_name = "NAME", value_parser = also(), help_heading = "Findings")]
    pub(crate) also: Vec<String>,
    /// Do not look for uses of values that were never written; this search takes the most time
    #[arg(long, help_heading = "Findings")]
    pub(crate) no_uninitialized: bool,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    #[command(flatten)]
    pub(crate) findings: FindingOptions,
    #[command(flatten)]
    pub(crate) expected: ExpectOptions,
    /// Also say which __syncthreads() change nothing for this launch, by a run without each
    #[arg(long, help_heading = "Findings")]
    pub(crate) advise: bool,
}

/// The analyses that take part where they are asked for, by name.
fn also() -> PossibleValuesParser {
    PossibleValuesParser::new(Analyses::on_request().names())
}

/// How `explore` chooses schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// In-order, both adversarial ones, then random and pct by turns
    All,
    /// In-order, then every choice at random from a seed
    Random,
    /// In-order, then priorities that change at a few random points
    Pct,
    /// Every schedule of the threads that can make a difference, up to --schedules
    Exhaustive,
    /// The same, but for whole warps
    ExhaustiveWarps,
}

impl StrategyName {
    /// The name as typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StrategyName::All => "all",
            StrategyName::Random => "random",
            StrategyName::Pct => "pct",
            StrategyName::Exhaustive => "exhaustive",
            StrategyName::ExhaustiveWarps => "exhaustive-warps",
        }
    }
}

/// Options of `explore`.
#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    #[command(flatten)]
    pub(crate) findings: FindingOptions,
    /// The most schedules to try [default: 100; 10000 if exhaustive]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Schedules")]
    pub(crate) schedules: Option<u64>,
    /// The seed of the first random schedule; the others count up from it
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Schedules")]
    pub(crate) seed: u64,
    /// How to choose schedules
    #[arg(long, value_enum, default_value = "all", help_heading = "Schedules")]
    pub(crate) strategy: StrategyName,
    #[command(flatten)]
    pub(crate) shard: ShardOptions,
}

/// Which part of a campaign to do, and where to write what came of it.
#[derive(Debug, Args)]
pub(crate) struct ShardOptions {
    /// Run only the K-th of N parts; `warpsim merge` combines the parts
    #[arg(long, value_name = "K/N", requires = "shard_out", help_heading = "Schedules")]
    pub(crate) shard: Option<Shard>,
    /// Where to write the results of the part
    #[arg(long, value_name = "FILE", requires = "shard", help_heading = "Schedules")]
    pub(crate) shard_out: Option<PathBuf>,
}

/// Options of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The files of all shards, in any order
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The compiler for .cu files; warpsim loads a library only if it is named here, not in the
    /// files of shards
    #[arg(long, value_name = "PATH")]
    pub(crate) nvrtc: Option<PathBuf>,
    /// A folder of headers for .cu files, the same as for the shards; may be repeated
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub(crate) includes: Vec<PathBuf>,
}
