//! `warpsim exec`: a CUDA program, unchanged, whose driver is this command.
//!
//! The program finds `libcuda.so.1` in a folder of its own, first of all folders; what it is to do stands in an
//! environment variable, and what it found in a file of that folder, to which all its processes append. Nothing outside
//! of the child is changed.

mod found;

#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod source;

use crate::args::ExecArgs;
use crate::failure::{Exit, Failure};
use crate::output::Output;

#[cfg(target_os = "linux")]
pub(super) fn run(args: &ExecArgs, output: &mut Output) -> Result<Exit, Failure> {
    output.flush()?;
    let ended = child::run(args, output)?;
    let found = found::Found::read(&ended.journal, args)?;
    found.tell(args, ended.code, output)?;
    Ok(found.exit(args, ended.code))
}

/// Where a program's loader knows no such file.
#[cfg(not(target_os = "linux"))]
pub(super) fn run(_: &ExecArgs, _: &mut Output) -> Result<Exit, Failure> {
    Err(Failure::Missing {
        message: "`warpsim exec` runs on Linux only".to_owned(),
        help: Some("the other commands run PTX and .cu files here, too".to_owned()),
    })
}
