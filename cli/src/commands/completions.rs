//! `warpsim completions`: a script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::CommandLine;
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn run(shell: Shell, output: &mut Output) -> Result<Exit, Failure> {
    // Through a buffer: the generator panics where a write fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "warpsim", &mut script);
    output.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::CLEAN)
}
