//! `warpsim compile`: PTX in, PTX out, through passes.
//!
//! The text is a fixed point: compiled again without a pass, it is the same text. The PTX goes to
//! standard output or the file. The passes' reasons, and the parts that need a version, go to
//! standard error.

use warpsim::isa::{self, Cause};
use warpsim::passes;
use warpsim::ptx::{self, Module, Span, Version};

use crate::args::CompileArgs;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, write_file};
use crate::render::Reasons;

pub(super) fn run(args: &CompileArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut module = input::read(&args.file, &args.compiler, output)?;
    for name in &args.pass {
        let Some(pass) = passes::by_name(name) else { continue };
        let rewritten =
            pass(&module).map_err(|error| input::not_rewritten(&error, &module, output))?;
        let reasons = Reasons::new(&module);
        for remark in &rewritten.remarks {
            output.note(&format!("{name}: {}", reasons.of(remark)));
        }
        module = rewritten.module;
    }
    if args.lowest {
        module = isa::lowest(&module);
        note(&module, output);
    }
    let text = ptx::print(&module);
    match &args.output {
        Some(path) => write_file(path, |to| Ok(to.write_all(text.as_bytes())?))?,
        None => output.exact(&text)?,
    }
    Ok(Exit::CLEAN)
}

/// What the module is printed for and what in it asks for that, or why it is as it was.
fn note(module: &Module, output: &mut Output) {
    let own = module.target.first().map_or("", |name| &name.text);
    if own.ends_with(|letter: char| letter.is_ascii_lowercase()) {
        output.note(&format!("the module is unchanged: {own} is for one architecture only"));
        return;
    }
    let needs = isa::needs(module);
    let line = |span: Span| module.source.line(span.start);
    if let Some((name, span)) = needs.unknown {
        output.note(&format!(
            "the module is unchanged: warpsim does not know the needs of {name} (line {})",
            line(span)
        ));
        return;
    }
    let Version { major, minor } = needs.level.version;
    let asks = |cause: Cause| format!("{} (line {})", cause.name, line(cause.span));
    if let Some(cause) = needs.version {
        output.note(&format!("{} needs PTX {major}.{minor}", asks(cause)));
    }
    if let Some(cause) = needs.target {
        output.note(&format!("{} needs sm_{}", asks(cause), needs.level.target));
    }
}
