//! `warpsim compile`: PTX in, PTX out, through passes.
//!
//! The text is a fixed point: compiled again without a pass, it is the same text. The PTX goes to
//! standard output or the file, the passes' reasons to standard error.

use std::fs;

use warpsim::passes;
use warpsim::ptx;

use crate::args::CompileArgs;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::Output;
use crate::render::Reasons;

pub(super) fn run(args: &CompileArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut module = input::read(&args.file, &args.compiler, output)?;
    for name in &args.pass {
        let Some(pass) = passes::by_name(name) else { continue };
        let rewritten = pass(&module);
        let reasons = Reasons::new(&module);
        for remark in &rewritten.remarks {
            output.note(&format!("{name}: {}", reasons.of(remark)));
        }
        module = rewritten.module;
    }
    let text = ptx::print(&module);
    match &args.output {
        Some(path) => fs::write(path, &text)
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?,
        None => output.print(&text)?,
    }
    Ok(Exit::CLEAN)
}
