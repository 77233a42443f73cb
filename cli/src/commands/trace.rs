//! `warpsim trace`: the effect of every warp instruction, as lines for people or as JSON lines,
//! written as it happens.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread;

use crossbeam_channel::SendError;
use warpsim::diagnostics::printable;
use warpsim::host::{DeviceError, Simulator};
use warpsim::observe::{Step, TraceStream};
use warpsim::report::{Outcome, Report};
use warpsim_debugger::text::step_text;

use super::launches::write_unsupported;
use crate::args::{TraceArgs, TraceFormat};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::{Output, write_file};
use crate::page::{Found, Page, Traced};
use crate::progress::RunningLine;
use crate::render::findings::FindingText;
use crate::replay;
use crate::steps::row;
use crate::timeline;

/// Steps that wait to be written: a slow disk slows the run down, and takes no memory.
const WAITING: usize = 1024;

pub(super) fn run(args: &TraceArgs, output: &mut Output) -> Result<Exit, Failure> {
    if matches!(args.format, TraceFormat::Html | TraceFormat::Perfetto) {
        return whole(args, output);
    }
    let traced = trace(args, output);
    if let (Err(failure), TraceFormat::Json) = (&traced, args.format) {
        write_unsupported(failure, output)?;
    }
    let report = traced?;
    let text = FindingText::new(&args.launch.file, output.colour_of_messages());
    for finding in &report.findings {
        let replay = replay::command_line(output);
        output.message(&text.of(finding, &replay));
    }
    Ok(if report.outcome == Outcome::Completed { Exit::CLEAN } else { Exit::FINDING })
}

/// Writes the page or the timeline of the last launch, with what was found in it.
fn whole(args: &TraceArgs, output: &mut Output) -> Result<Exit, Failure> {
    let prepared = Prepared::<Simulator>::new(&args.launch, output)?;
    let run = Traced::run(prepared, &args.launch, None, output)?;
    let command = replay::command_line(output);
    let check = replay::under(output, None);
    let write = |to: &mut dyn Write| {
        if args.format == TraceFormat::Perfetto {
            return timeline::write(&run, to);
        }
        let findings = run.findings().iter().map(|finding| Found::here(finding, check.clone()));
        let findings = findings.collect();
        let run = run.shown();
        Page { command: &command, program: None, run, other: None, findings }.write(to)
    };
    match &args.output {
        Some(path) => write_file(path, write)?,
        None => write(output.results())?,
    }
    let is_clean = run.shown().outcome == Outcome::Completed && run.findings().is_empty();
    Ok(if is_clean { Exit::CLEAN } else { Exit::FINDING })
}

/// Runs the launches; the last one is written as it happens.
fn trace(args: &TraceArgs, output: &mut Output) -> Result<Report, Failure> {
    let mut prepared = Prepared::<Simulator>::new(&args.launch, output)?;
    let (line, meter) = match args.output {
        Some(_) => RunningLine::new(output),
        // The trace itself shows how far the run is.
        None => RunningLine::hidden(),
    };
    let settings = prepared.device.settings_mut();
    settings.max_steps = args.launch.max_steps.unwrap_or(TRACE_STEPS);
    settings.meter = Some(meter);
    for number in 1..args.launch.launches {
        let launched = prepared.launch(&args.launch, number, output)?;
        if launched.report.outcome != Outcome::Completed {
            write_to(args, output, |to| end(args.format, &launched.report, 0, to))?;
            return Ok(launched.report);
        }
    }
    let index = prepared.enter(&args.launch, args.launch.launches)?;
    let launched = write_to(args, output, |to| stream(args.format, &mut prepared, index, to))?;
    drop(line);
    launched.map_err(|error| refused(error, &prepared.variants[index].module, output))
}

/// Writes where the trace is wanted.
fn write_to<T>(
    args: &TraceArgs,
    output: &mut Output,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> Result<T, Failure> {
    let Some(path) = &args.output else { return Ok(write(output.results())?) };
    let mut written = None;
    write_file(path, |to| {
        written = Some(write(to)?);
        Ok(())
    })?;
    written.ok_or_else(|| warpsim::internal!("a file was written without its contents").into())
}

/// Launches on a separate thread, and writes each step as it comes. What cannot be written ends the
/// launch.
fn stream(
    format: TraceFormat,
    prepared: &mut Prepared<Simulator>,
    index: usize,
    to: &mut dyn Write,
) -> io::Result<Result<Report, DeviceError>> {
    let Prepared { device, variants, kernel, launch, arguments, .. } = prepared;
    let variant = &variants[index];
    let (sender, steps) = crossbeam_channel::bounded::<Step>(WAITING);
    let meter = device.settings().meter.clone();
    thread::scope(|scope| {
        let running = scope.spawn(move || {
            let mut trace = TraceStream::new(&variant.remarks, |step| {
                if let (Err(SendError(_)), Some(meter)) = (sender.send(step), &meter) {
                    meter.interrupt();
                }
            });
            device.launch_observed(variant.handle, kernel, launch, arguments, &mut trace)
        });
        let mut count = 0;
        let written = steps.iter().try_for_each(|step| {
            count += 1;
            write(format, &step, to)
        });
        drop(steps);
        let launched = running.join().unwrap_or_else(|panic| resume_unwind(panic));
        written?;
        if let Ok(report) = &launched {
            end(format, report, count, to)?;
        }
        Ok(launched)
    })
}

/// Writes a step.
fn write(format: TraceFormat, step: &Step, to: &mut dyn Write) -> io::Result<()> {
    match format {
        TraceFormat::Text => writeln!(to, "{:6} {}", step.number, printable(&step_text(step))),
        TraceFormat::Json => {
            json::to_writer(&mut *to, &row(step))?;
            writeln!(to)
        }
        TraceFormat::Html | TraceFormat::Perfetto => Err(no_stream()),
    }
}

/// Writes how it ended, after this many steps.
fn end(format: TraceFormat, report: &Report, steps: u64, to: &mut dyn Write) -> io::Result<()> {
    let outcome = report.outcome.name();
    match format {
        TraceFormat::Text => writeln!(to, "{outcome} after {steps} warp instructions"),
        TraceFormat::Json => writeln!(to, "{{\"outcome\":\"{outcome}\"}}"),
        TraceFormat::Html | TraceFormat::Perfetto => Err(no_stream()),
    }
}

/// A page and a timeline are written as a whole.
fn no_stream() -> io::Error {
    io::Error::other("this format is not written step by step")
}
