//! `warpsim step`: the line debugger on a terminal or a pipe.

use warpsim::host::Simulator;
use warpsim::report::Outcome;

use crate::args::StepArgs;
use crate::debugger::Debugger;
use crate::debugger::command::Command;
use crate::debugger::lines::Lines;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::Output;

pub(super) fn run(args: &StepArgs, output: &mut Output) -> Result<Exit, Failure> {
    if input::is_standard_input(&args.launch.file) {
        return Err(Failure::usage_with_help(
            "standard input holds the debugger's commands, so the program cannot come from there",
            "write the PTX to a file",
        ));
    }
    let mut prepared = Prepared::<Simulator>::new(&args.launch, output)?;
    prepared.device.settings_mut().max_steps = args.launch.max_steps.unwrap_or(TRACE_STEPS);
    for number in 1..args.launch.launches {
        let launched = prepared.launch(&args.launch, number, output)?;
        if launched.report.outcome != Outcome::Completed {
            let outcome = launched.report.outcome;
            return Err(Failure::usage(format!("launch {number} ended with `{outcome}`")));
        }
    }
    let index = prepared.enter(&args.launch, args.launch.launches)?;
    let variant = &prepared.variants[index];
    let stepper = prepared
        .device
        .stepper(variant.handle, &prepared.kernel, &prepared.launch, &prepared.arguments)
        .map_err(|e| refused(e, &variant.module, output))?
        .with_remarks(&variant.remarks);
    let source = variant.module.source.clone();
    let debugger = Debugger::new(stepper, source, prepared.buffers.clone());
    converse(debugger, output)
}

/// Reads and carries out commands until there are no more.
fn converse(mut debugger: Debugger<'_>, output: &mut Output) -> Result<Exit, Failure> {
    let mut lines = Lines::of_standard_input()?;
    let mut misunderstood = false;
    let mut last: Option<Command> = None;
    output.flush()?;
    'lines: while let Some(line) = lines.next()? {
        for text in line.split(';').map(str::trim) {
            let command = match (text.is_empty(), &last) {
                (true, Some(last)) if lines.are_typed() && line.trim().is_empty() => {
                    Ok(last.clone())
                }
                (true, _) => continue,
                _ => Command::parse(text),
            };
            match command {
                Ok(command) => {
                    let Some(said) = debugger.execute(&command) else { break 'lines };
                    output.line(&said)?;
                    last = Some(command);
                }
                Err(reason) => {
                    misunderstood = true;
                    output.message(&format!("error: {reason}"));
                }
            }
        }
        output.flush()?;
    }
    if let Some(error) = debugger.bug() {
        return Err(Failure::from(error.clone()));
    }
    Ok(match debugger.outcome() {
        _ if misunderstood && !lines.are_typed() => Exit::USAGE,
        Some((outcome, _)) if outcome != Outcome::Completed => Exit::FINDING,
        _ => Exit::CLEAN,
    })
}
