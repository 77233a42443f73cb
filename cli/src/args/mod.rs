//! The command line, and its help. The contract is `docs/cli.md`.

mod check;
mod compare;
mod compiler;
mod exec;
pub(crate) mod launch;
pub(crate) mod parse;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use warpsim::host::ArgumentPlace;
use warpsim::report::Severity;

use crate::spec::Expectation;

pub(crate) use check::{
    CheckArgs, ExploreArgs, FindingOptions, MergeArgs, ReportOptions, StrategyName,
};
use check::{EXPLORE_EXAMPLES, MERGE_EXAMPLES, check_help};
use compare::{COMPARE_EXAMPLES, RECORD_EXAMPLES};
pub(crate) use compare::{CompareArgs, RecordArgs};
pub(crate) use compiler::CompilerOptions;
use exec::EXEC_EXAMPLES;
pub(crate) use exec::{ExecArgs, SourceOptions};
pub(crate) use launch::LaunchOptions;
pub(crate) use parse::{Dump, JitLevels, Show, Shown};

/// Runs CUDA kernels on a CPU the way a GPU runs them, 32 lanes at a time.
#[derive(Debug, Parser)]
#[command(
    name = "warpsim",
    version,
    propagate_version = true,
    after_help = "Examples:
  warpsim scan.ptx                   its kernels, and a command line for each
  warpsim programs run volatile      the story of the scan that a compiler breaks
  warpsim run scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim check scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim diff scan.ptx --pass register-cache

Exit codes: 0 clean, 1 a finding, deadlock, fault or limit, 2 usage or bad input,
3 PTX that is not supported yet, 4 no GPU or compiler where one was needed, 101 a bug in warpsim."
)]
pub(crate) struct CommandLine {
    /// Whether output is coloured: on terminals that can show it, always, or never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        display_order = 1000
    )]
    pub(crate) color: Coloured,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Coloured {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the kernels of a file, say whether each runs here, and suggest a command line; `warpsim
    /// FILE` is short for it
    #[command(after_help = DESCRIBE_EXAMPLES)]
    Describe(DescribeArgs),
    /// Run one kernel and print its buffers
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Run it under several schedules and report what is wrong: races, barriers, memory errors
    #[command(after_help = check_help(), mut_args(launch::without_gpu))]
    Check(CheckArgs),
    /// Run it under many schedules and report findings, and results that differ between them
    #[command(after_help = EXPLORE_EXAMPLES, mut_args(launch::without_gpu))]
    Explore(ExploreArgs),
    /// Run the tests of a folder: the launches that *.launch.toml files beside kernels describe
    #[command(after_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// Combine the shards of an `explore` into the answer of one run
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArgs),
    /// Step through a kernel: a debugger that fills a terminal, or reads commands from a pipe
    #[command(after_help = STEP_EXAMPLES, mut_args(launch::without_gpu))]
    Step(StepArgs),
    /// Write what happened, instruction by instruction
    #[command(after_help = TRACE_EXAMPLES, mut_args(launch::without_gpu))]
    Trace(TraceArgs),
    /// Compile a .cu or .ptx file to PTX, through passes
    #[command(after_help = COMPILE_EXAMPLES)]
    Compile(CompileArgs),
    /// Show PTX before and after a pass, side by side, with the pass's reasons
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArgs),
    /// Run it on the simulator and on a GPU, and compare the results bit by bit
    #[command(
        after_help = COMPARE_EXAMPLES,
        mut_args(launch::without_target),
        mut_arg("jit_opt", compare::levels_to_compare)
    )]
    Compare(CompareArgs),
    /// Run it on a GPU and record the results, for comparison anywhere
    #[command(
        after_help = RECORD_EXAMPLES,
        mut_args(launch::without_simulator),
        mut_arg("file", compare::file_to_record),
        mut_arg("shared_init", compare::shared_init_to_record),
        mut_arg("jit_opt", compare::levels_to_record)
    )]
    Record(RecordArgs),
    /// List and run the kernels that come with warpsim
    #[command(after_help = PROGRAMS_EXAMPLES)]
    Programs(ProgramsArgs),
    /// Explain a kind of finding: its meaning, its usual cause and its fix
    Explain(ExplainArgs),
    /// Print the instruction support table
    #[command(after_help = ISA_EXAMPLES)]
    Isa(IsaArgs),
    /// Run the built-in workloads and print lane-instructions a second
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(BenchArgs),
    /// Run a CUDA program unchanged: its driver calls go to the simulator
    #[command(after_help = EXEC_EXAMPLES)]
    Exec(ExecArgs),
    /// Compile CUDA C++ as NVIDIA's nvcc does, for build systems
    #[command(after_help = NVCC_EXAMPLES, disable_help_flag = true, disable_version_flag = true)]
    Nvcc {
        /// nvcc's own arguments, or --install DIR
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        arguments: Vec<OsString>,
    },
    /// Serve the Model Context Protocol: tools with which a program checks kernels
    #[cfg(all(feature = "mcp", unix))]
    Mcp,
    /// List what can run here: the simulator and its device profiles, GPUs, compilers
    #[command(after_help = "Examples:\n  warpsim devices\n  warpsim devices --format json")]
    Devices(DevicesArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// The arguments of the process, with `describe` where a file stands in the place of a command.
pub(crate) fn with_command(arguments: &[OsString]) -> Vec<OsString> {
    let mut arguments = arguments.to_vec();
    let is_file = |word: &OsString| {
        let path = Path::new(word);
        path.extension().is_some() || path.is_file()
    };
    let commands = CommandLine::command();
    let is_command = |word: &OsString| commands.get_subcommands().any(|one| one.get_name() == word);
    if arguments.get(1).is_some_and(|word| is_file(word) && !is_command(word)) {
        arguments.insert(1, "describe".into());
    }
    arguments
}

const DESCRIBE_EXAMPLES: &str = "Examples:
  warpsim scan.ptx
  warpsim describe scan.cu --format json";

const NVCC_EXAMPLES: &str = "Examples:
  warpsim nvcc -O3 -arch=sm_80 main.cu kernels.cu -o prog
  warpsim nvcc --install ~/cuda          a folder for build systems
  cmake -DCMAKE_CUDA_COMPILER=~/cuda/bin/nvcc ..
  PATH=~/cuda/bin:$PATH make";

const RUN_EXAMPLES: &str = "Examples:
  warpsim run scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim run scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]' --pass register-cache --format json
  warpsim run sum.ptx --kernel sum --grid 8 --block 256 --arg 'f32[2048]=rand:7' --arg 'f32[8]' --arg 2048
  warpsim run scan.ptx --launches 5 --pass register-cache@2-5 --shared-init leftover \\
      --arg 's32[32]=iota:1' --arg 's32[32]'

SPEC of a scalar: 42, -7, 0x1f, 1.5, nan, -inf, exact bits as 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX,
  with its type in front if needed (f32:1.5, s32:-7); null is a null pointer.
SPEC of a buffer: TYPE[LEN] or TYPE[LEN]=INIT, with TYPE one of u8 s8 u16 s16 u32 s32 u64 s64 f16
  bf16 f32 f64 and INIT one of zeros, fill:V, iota[:START[:STEP]], rand:SEED[:LO:HI], list:V,V,...,
  file:PATH (.npy, or raw little-endian). TYPE[LEN]+BYTES passes an address inside the buffer.
  @K[+BYTES] is the buffer of parameter K again; @K.OFFSET[+BYTES] is a buffer of the struct K.
SPEC of a struct passed by value: bytes:HEX, or {OFFSET: SPEC, OFFSET: SPEC, ...}: buffers and
  numbers with their types, at byte offsets; the rest is zero.";

const STEP_EXAMPLES: &str = "Examples:
  warpsim step scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  echo 'step 20; registers; mem s; quit' | warpsim step scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'

Type `help` for the debugger's own commands.";

const TRACE_EXAMPLES: &str = "Examples:
  warpsim trace scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]'
  warpsim trace scan.ptx --arg 's32[32]=iota:1' --arg 's32[32]' --format json -o scan.jsonl";

const COMPILE_EXAMPLES: &str = "Examples:
  warpsim compile scan.ptx                                   the same module in warpsim's own layout
  warpsim compile scan.ptx --pass register-cache -o cached.ptx
  cat scan.ptx | warpsim compile - --pass register-cache";

const DIFF_EXAMPLES: &str = "Examples:
  warpsim diff scan.ptx --pass register-cache
  warpsim diff scan.ptx --pass register-cache --width 160";

const PROGRAMS_EXAMPLES: &str = "Examples:
  warpsim programs                   list them
  warpsim programs show volatile     its description and its PTX
  warpsim programs run volatile      right, wrong, and right again, lane by lane
  warpsim programs check volatile    which of its variants race, under which model
  warpsim programs compare volatile  the same on a GPU, with a row for each level of its driver";

const ISA_EXAMPLES: &str = "Examples:
  warpsim isa
  warpsim isa shfl
  warpsim isa --format json";

const BENCH_EXAMPLES: &str = "Examples:
  warpsim bench
  warpsim bench xorshift matmul --repetitions 5
  warpsim bench variants
  warpsim bench find_max@2^28 variant:ldcoal
  warpsim bench --format json";

const TEST_EXAMPLES: &str = "Examples:
  warpsim test kernels
  warpsim test kernels scan --report kernels.xml

A launch file, scan.launch.toml beside scan.cu or scan.ptx:
  [[launch]]
  name = \"32 numbers\"
  args = [\"s32[32]=iota:1\", \"s32[32]\"]
  expect = { 1 = \"sums.npy\" }";

const COMPLETIONS_EXAMPLES: &str = "Examples:
  warpsim completions bash > ~/.local/share/bash-completion/completions/warpsim
  warpsim completions zsh > ~/.zfunc/_warpsim";

/// Text for people, or JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// How `trace` writes what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A line for each step
    Text,
    /// One JSON object a line
    Json,
    /// A page that shows the run step by step, with what is wrong in it
    Html,
    /// A timeline for ui.perfetto.dev
    Perfetto,
}

/// What `check` and `explore` print on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingFormat {
    /// Text for people
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// JUnit's XML, for CI systems
    Junit,
    /// Workflow commands, which GitHub shows as annotations
    Github,
    /// A page that shows the first finding step by step
    Html,
}

/// How `exec` tells findings on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramFormat {
    /// Text for people
    Text,
    /// The same, with workflow commands, which GitHub shows as annotations
    Github,
}

/// Options of `describe`.
#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    /// PTX, or CUDA C++ in a file whose name ends in .cu
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) compiler: CompilerOptions,
    /// Text for people, or one JSON document
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    /// Also say how the kernel uses the machine: lanes, branches, requests to memory, bank
    /// conflicts, barriers, atomics, occupancy; by line, with advice
    #[arg(long)]
    pub(crate) stats: bool,
    /// Text for people, or one JSON document on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    #[command(flatten)]
    pub(crate) expected: ExpectOptions,
}

/// What buffers are to hold after the launches: shared by `run` and `check`.
#[derive(Debug, Args)]
pub(crate) struct ExpectOptions {
    /// The expected contents of parameter K's buffer at the end, as INIT of --arg or a .npy file of
    /// its type and shape; may be repeated
    #[arg(long, value_name = "K=INIT", value_parser = Expectation::parse, help_heading = "Expected results")]
    pub(crate) expect: Vec<Expectation>,
    /// Floats may be N units in the last place away from that, in all buffers or in parameter K's;
    /// may be repeated
    #[arg(long, value_name = "[K=]N", value_parser = parse::tolerance::<u64>, requires = "expect", help_heading = "Expected results")]
    pub(crate) ulp: Vec<(Option<ArgumentPlace>, u64)>,
    /// The same for an absolute difference of X
    #[arg(long, value_name = "[K=]X", value_parser = parse::absolute, requires = "expect", help_heading = "Expected results")]
    pub(crate) abs: Vec<(Option<ArgumentPlace>, f64)>,
}

/// How bad a finding must be to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Error,
    Warning,
    Note,
}

impl From<Level> for Severity {
    fn from(level: Level) -> Severity {
        match level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Note => Severity::Note,
        }
    }
}

/// Options of `step`.
#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    /// Carry out the commands of this file first; without a terminal, leave after them
    #[arg(short = 'x', long = "commands", value_name = "FILE")]
    pub(crate) commands: Vec<PathBuf>,
    /// Read lines of commands at a terminal, too, instead of filling it
    #[arg(long)]
    pub(crate) plain: bool,
    /// Be a debug adapter (DAP) on standard input and output, for an editor
    #[arg(long, conflicts_with_all = ["commands", "plain"])]
    pub(crate) dap: bool,
}

/// Options of `trace`.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) launch: LaunchOptions,
    /// Lines for people, one JSON object a line, a page for a browser, or a timeline for Perfetto
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: TraceFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// Options of `test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// A folder with *.launch.toml files, or one such file
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    /// Only tests with this in their name
    pub(crate) filter: Option<String>,
    /// Print the names of the tests, and run none
    #[arg(long)]
    pub(crate) list: bool,
    /// Also write the results to a file, as JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Tests that run at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
}

/// Options of `compile`.
#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// A .ptx or .cu file, or - for PTX on standard input
    pub(crate) file: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// A pass to apply (register-cache); may be repeated
    #[arg(long, value_name = "NAME", value_parser = parse::pass_name)]
    pub(crate) pass: Vec<String>,
    /// Print it with the lowest .version and .target that its instructions need
    #[arg(long)]
    pub(crate) lowest: bool,
    #[command(flatten)]
    pub(crate) compiler: CompilerOptions,
}

/// Options of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A .ptx or .cu file, or - for PTX on standard input
    pub(crate) file: PathBuf,
    /// The pass (register-cache); may be repeated
    #[arg(long, value_name = "NAME", required = true, value_parser = parse::pass_name)]
    pub(crate) pass: Vec<String>,
    /// Only this kernel or function
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Columns of the output
    #[arg(long, value_name = "COLUMNS", default_value_t = 120, value_parser = clap::value_parser!(u16).range(40..=1000))]
    pub(crate) width: u16,
    #[command(flatten)]
    pub(crate) compiler: CompilerOptions,
}

/// Options of `programs`.
#[derive(Debug, Args)]
pub(crate) struct ProgramsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ProgramsAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProgramsAction {
    /// List them (the default)
    List,
    /// Describe a program, and print its PTX
    Show {
        /// The program's name
        name: String,
    },
    /// Run a program and report what happened
    Run(ProgramsRunArgs),
    /// Check every variant of a program: variants that promise to be right must have no findings
    Check {
        /// The program's name
        name: String,
    },
    /// Run every variant on the simulator and on a GPU, and compare the results
    Compare(ProgramsCompareArgs),
}

/// Options of `programs run`.
#[derive(Debug, Args)]
pub(crate) struct ProgramsRunArgs {
    /// The program's name
    pub(crate) name: String,
    /// The size of the problem, for a program that takes one: 1000, or 2^24
    #[arg(long, value_name = "N", value_parser = parse::size)]
    pub(crate) n: Option<u64>,
    /// Run the program's whole sweep, and print a table and a plot
    #[arg(long)]
    pub(crate) sweep: bool,
    /// Where to run the program's report
    #[arg(long, value_enum, default_value = "sim")]
    pub(crate) on: launch::Target,
    /// After how many seconds a GPU counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) gpu_timeout: u32,
}

/// Options of `programs compare`.
#[derive(Debug, Args)]
pub(crate) struct ProgramsCompareArgs {
    /// The program's name, or all
    pub(crate) name: String,
    /// The optimisation levels of the GPU's driver, 0 to 4, or all
    #[arg(long, value_name = "LEVEL[,LEVEL...]|all", value_parser = parse::jit_levels, default_value = "0")]
    pub(crate) jit_opt: JitLevels,
    /// After how many seconds a GPU counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) gpu_timeout: u32,
    /// Text for people, or one JSON document on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Options of `isa`.
#[derive(Debug, Args)]
pub(crate) struct IsaArgs {
    /// Only these opcodes
    pub(crate) opcode: Vec<String>,
    /// Text for people, or JSON
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The kind of finding, as in `error[race]` [default: list all kinds]
    pub(crate) code: Option<String>,
    /// Text for people, or JSON
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Options of `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Which workloads: find_max, block_reduce, trapezoid, xorshift, collatz, matmul [default: all
    /// six]; NAME@SIZE for another size, NAME+check to check for races, variant:KERNEL, or variants
    /// for all of them
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Timed repetitions of each; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// Host threads; checks and counts do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: u32,
    /// Use small sizes, to count instructions and not to measure time
    #[arg(long)]
    pub(crate) small: bool,
    /// Text for people, or JSON
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Options of `devices`.
#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    /// Text for people, or JSON
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Look for the compiler of .cu files only here
    #[arg(long, value_name = "PATH")]
    pub(crate) nvrtc: Option<PathBuf>,
}
