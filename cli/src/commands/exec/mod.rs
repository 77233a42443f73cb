//! `warpsim exec`: runs a CUDA program, unchanged, with this command as its driver.
//!
//! The program finds `libcuda.so.1` in its own folder, before all other folders. An environment
//! variable carries its options. All its processes append their findings to one file of that
//! folder. They share another file as memory and write their progress there. Nothing outside of the
//! child is changed.

#[cfg(all(target_os = "linux", feature = "exec"))]
mod child;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod counted;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod cut;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod debugging;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod failed;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod folder;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod found;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod page;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod python;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod report;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod signals;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod source;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod timeline;
#[cfg(all(target_os = "linux", feature = "exec"))]
mod told;

use crate::args::ExecArgs;
use crate::failure::{Exit, Failure};
use crate::output::Output;

#[cfg(all(target_os = "linux", feature = "exec"))]
pub(super) fn run(args: &ExecArgs, output: &mut Output) -> Result<Exit, Failure> {
    output.flush()?;
    for file in [&args.report, &args.perfetto].into_iter().flatten() {
        crate::output::check_file(file)?;
    }
    if let Some(to) = &args.output
        && args.command.is_empty()
        && !args.check
    {
        return child::compile(args, to, output).map(|()| Exit::CLEAN);
    }
    let ended = child::run(args, output)?;
    let found = found::Found::read(&ended, args);
    if let Some(timeline) = &args.perfetto {
        crate::output::write_file(timeline, |to| timeline::write(&found, &ended.calls, to))?;
    }
    found.tell(args, ended.code, output)?;
    if let Some(file) = args.report.as_deref().filter(|file| crate::reports::is_page(file)) {
        page::write(&found, args, &ended.folder, file, output)?;
    }
    Ok(found.exit(args, ended.code))
}

/// Where a program's loader knows no such file.
#[cfg(not(all(target_os = "linux", feature = "exec")))]
pub(super) fn run(_: &ExecArgs, _: &mut Output) -> Result<Exit, Failure> {
    Err(Failure::Missing {
        message: "`warpsim exec` runs on Linux only".to_owned(),
        help: Some("the other commands run PTX and .cu files here, too".to_owned()),
    })
}
