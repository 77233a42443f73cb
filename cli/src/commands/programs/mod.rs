//! `warpsim programs`: the kernels that come with warpsim.

mod check;
mod compare;
mod watched;

use comfy_table::Table;
use warpsim::host::{DeviceError, Simulator};
use warpsim::passes;
use warpsim::ptx::Module;
use warpsim_programs::{Colour, Form, Program, RunError, Soundness, Variant, all, find};

use crate::args::{ProgramsAction, ProgramsArgs};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Style};
use crate::render::table;

/// The pass that plays the compiler.
const PASS: &str = "register-cache";
/// Schedules that a program is run under.
const SCHEDULES: [&str; 2] = ["in-order", "reverse"];

pub(super) fn run(args: &ProgramsArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.action {
        None | Some(ProgramsAction::List) => list(output),
        Some(ProgramsAction::Show { name }) => show(named(name)?, output),
        Some(ProgramsAction::Run { name }) => run_named(named(name)?, output),
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

/// Tells the program's story, or else runs all variants.
fn run_named(program: &'static Program, output: &mut Output) -> Result<Exit, Failure> {
    let Some(story) = program.story else { return verdicts(program, output) };
    let colour = if output.colour() { Colour::Ansi } else { Colour::Never };
    let text = story(colour).map_err(|e| failed(&e, None, output))?;
    output.print(&text)?;
    Ok(Exit::CLEAN)
}

/// Runs every variant as written and after the pass, under each schedule, against the oracle.
fn verdicts(program: &'static Program, output: &mut Output) -> Result<Exit, Failure> {
    let input = program.example_input();
    let expected = program.oracle(&input);
    let module = program.module(Form::Naive).map_err(|e| failed(&e, None, output))?;
    let rewritten = passes::by_name(PASS).map(|pass| pass(&module)).transpose();
    let rewritten = rewritten.map_err(|error| input::not_rewritten(&error, &module, output))?;
    let rewritten = rewritten.map(|rewritten| rewritten.module);
    let mut table = table(["variant", "compiler", "schedule", "result", "when it is right"]);
    let mut as_documented = true;
    for variant in program.variants {
        for (compiler, module) in [("as written", Some(&module)), (PASS, rewritten.as_ref())] {
            let Some(module) = module else { continue };
            for schedule in SCHEDULES {
                let result = run_once(program, module, variant, &input, schedule, output)?;
                let right = result == expected;
                as_documented &= is_documented(variant, compiler == PASS, schedule, right);
                add_verdict(&mut table, variant, compiler, schedule, right, output.colour());
            }
        }
    }
    output.line(&format!(
        "{}: {} ({} numbers, 1, 2, 3, ...)\n",
        program.name,
        program.summary,
        input.len()
    ))?;
    output.line(&table.trim_fmt())?;
    Ok(if as_documented { Exit::CLEAN } else { Exit::FINDING })
}

fn run_once(
    program: &Program,
    module: &Module,
    variant: &Variant,
    input: &[i32],
    schedule: &str,
    output: &Output,
) -> Result<Vec<i32>, Failure> {
    let mut simulator = Simulator::default();
    simulator.settings_mut().schedule = schedule
        .parse()
        .map_err(|e: warpsim::schedule::ScheduleError| Failure::usage(e.to_string()))?;
    program
        .run(&mut simulator, module, variant, input)
        .map_err(|error| failed(&error, Some(module), output))
}

fn add_verdict(
    table: &mut Table,
    variant: &Variant,
    compiler: &str,
    schedule: &str,
    right: bool,
    colour: bool,
) {
    let verdict = match right {
        true => Style::Good.paint("right", colour),
        false => Style::Error.paint("WRONG", colour),
    };
    let soundness = variant.soundness.describe();
    table.add_row([variant.name, compiler, schedule, &verdict, soundness]);
}

/// Whether a verdict is what the program's documentation promises. Where lanes may part, a
/// variant that relies on their moving together promises nothing.
fn is_documented(variant: &Variant, cached: bool, schedule: &str, right: bool) -> bool {
    match variant.soundness {
        Soundness::Synchronised => right,
        soundness if schedule == "in-order" => right == soundness.is_right(Form::Naive, cached),
        _ => true,
    }
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
