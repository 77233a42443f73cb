//! `warpsim programs`: the kernels that come with warpsim.

mod check;
mod compare;
mod ended;
mod run;
mod watched;

use warpsim::host::DeviceError;
use warpsim::ptx::Module;
use warpsim_programs::{Program, RunError, all, find};

use crate::args::{ProgramsAction, ProgramsArgs};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Style};
use crate::render::table;

pub(super) fn run(args: &ProgramsArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.action {
        None | Some(ProgramsAction::List) => list(output),
        Some(ProgramsAction::Show { name }) => show(named(name)?, output),
        Some(ProgramsAction::Run(args)) => run::run(named(&args.name)?, args, output),
        Some(ProgramsAction::Check { name }) => check::run(named(name)?, output),
        Some(ProgramsAction::Compare(args)) => compare::run(args, output),
    }
}

fn named(name: &str) -> Result<&'static Program, Failure> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = all().iter().map(|p| p.name).collect();
        Failure::usage_with_help(
            format!("there is no program `{name}`"),
            format!("there are {}", names.join(", ")),
        )
    })
}

fn list(output: &mut Output) -> Result<Exit, Failure> {
    let mut table = table(["program", "what it computes", "variants"]);
    for program in all() {
        let variants: Vec<&str> = program.variants.iter().map(|v| v.name).collect();
        table.add_row([program.name, program.summary, &variants.join(", ")]);
    }
    output.line(&table.trim_fmt())?;
    output.line(
        "\nwarpsim programs run NAME runs one; warpsim programs check NAME looks for races and the \
         like;\nwarpsim programs compare NAME compares it with a GPU; warpsim programs show NAME prints its \
         source",
    )?;
    Ok(Exit::CLEAN)
}

fn show(program: &Program, output: &mut Output) -> Result<Exit, Failure> {
    let colour = output.colour();
    let heading = |text: &str| Style::Bold.paint(text, colour);
    output.line(&format!("{}: {}\n", heading(program.name), program.summary))?;
    let mut table = table(["variant", "kernel", "what it is", "when it is right"]);
    for variant in program.variants {
        let soundness = variant.soundness.describe();
        table.add_row([variant.name, variant.kernel, variant.note, soundness]);
    }
    output.line(&table.trim_fmt())?;
    output.line(&format!("\n{}\n", heading(program.source.file)))?;
    output.line(program.source.text.trim_end())?;
    for (form, text) in program.ptx {
        let name = format!("{} ({})", text.file, form.name());
        output.line(&format!("\n{}\n", heading(&name)))?;
        output.line(text.text.trim_end())?;
    }
    Ok(Exit::CLEAN)
}

/// A program of our own that does not run.
fn failed(error: &RunError, module: Option<&Module>, output: &Output) -> Failure {
    match (error, module) {
        (RunError::Device(DeviceError::Program(error)), Some(module)) => {
            input::refused(error, module, output)
        }
        (RunError::Device(DeviceError::Internal(error)), _) => Failure::from(error.clone()),
        _ => Failure::Rendered(format!("error: {error}")),
    }
}
