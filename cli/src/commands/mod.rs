//! One file for each subcommand.

mod bench;
mod check;
mod compare;
mod compile;
mod completions;
mod describe;
mod devices;
mod diff;
mod exec;
mod explain;
mod explore;
mod isa;
mod launches;
#[cfg(all(feature = "mcp", unix))]
mod mcp;
mod merge;
mod programs;
mod record;
mod reported;
mod run;
mod step;
mod test;
mod trace;

use crate::args::Command;
use crate::cuda;
use crate::failure::{Exit, Failure};
use crate::nvcc;
use crate::output::Output;

/// Runs a subcommand.
pub(crate) fn run(command: Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Test(args) => test::run(&args, output),
        Command::Describe(args) => describe::run(&args, output),
        Command::Run(args) => run::run(&args, output),
        Command::Check(mut args) => {
            cuda::keep_accesses(&mut args.launch, output);
            check::run(&args, output)
        }
        Command::Explore(mut args) => {
            cuda::keep_accesses(&mut args.launch, output);
            explore::run(&args, output)
        }
        Command::Explain(args) => explain::run(&args, output),
        Command::Merge(args) => merge::run(&args, output),
        Command::Step(args) => step::run(args, output),
        Command::Trace(args) => trace::run(&args, output),
        Command::Programs(args) => programs::run(&args, output),
        Command::Bench(args) => bench::run(&args, output),
        Command::Exec(args) => exec::run(&args, output),
        Command::Nvcc { arguments } => nvcc::run(None, &arguments, output),
        Command::Devices(args) => devices::run(&args, output),
        Command::Compile(args) => compile::run(&args, output),
        Command::Diff(args) => diff::run(&args, output),
        #[cfg(all(feature = "mcp", unix))]
        Command::Mcp => mcp::run(),
        Command::Isa(args) => isa::run(&args, output),
        Command::Completions { shell } => completions::run(shell, output),
        Command::Compare(args) => compare::run(&args, output),
        Command::Record(args) => record::run(&args, output),
    }
}
