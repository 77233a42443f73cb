//! `warpsim trace`: what every warp instruction did, as lines for people or as JSON lines, written
//! as it happens.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread;

use crossbeam_channel::SendError;
use serde::Serialize;
use warpsim::diagnostics::printable;
use warpsim::host::{DeviceError, Simulator};
use warpsim::lanes::LANES;
use warpsim::observe::{AccessKind, Pending, Step, Touch, TraceStream, Values};
use warpsim::report::{Outcome, Report};

use super::launches::write_unsupported;
use crate::args::{Format, TraceArgs};
use crate::document::{SourceRow, source_row, space_name};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::{Output, write_file};
use crate::progress::RunningLine;
use crate::render::findings::FindingText;
use crate::render::step_line;
use crate::replay;

/// Steps that wait to be written: a slow disk slows the run down, and takes no memory.
const WAITING: usize = 1024;

pub(super) fn run(args: &TraceArgs, output: &mut Output) -> Result<Exit, Failure> {
    let traced = trace(args, output);
    if let (Err(failure), Format::Json) = (&traced, args.format) {
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

/// Launches, on a thread of its own, and writes each step as it comes. What cannot be written ends
/// the launch.
fn stream(
    format: Format,
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
fn write(format: Format, step: &Step, to: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Text => writeln!(to, "{:6} {}", step.number, printable(&step_line(step))),
        Format::Json => {
            json::to_writer(&mut *to, &row(step))?;
            writeln!(to)
        }
    }
}

/// Writes how it ended, after so many steps.
fn end(format: Format, report: &Report, steps: u64, to: &mut dyn Write) -> io::Result<()> {
    let outcome = report.outcome.name();
    match format {
        Format::Text => writeln!(to, "{outcome} after {steps} warp instructions"),
        Format::Json => writeln!(to, "{{\"outcome\":\"{outcome}\"}}"),
    }
}

#[derive(Serialize)]
pub(crate) struct Row<'a> {
    step: usize,
    block: [u32; 3],
    warp: u32,
    mask: String,
    active: String,
    op: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ptx_file: Option<&'a str>,
    ptx_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRow<'a>>,
    reads: Vec<RegisterRow<'a>>,
    writes: Vec<RegisterRow<'a>>,
    memory: Vec<TouchRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending: Vec<PendingRow<'a>>,
}

/// A register of the lanes for which the instruction had an effect; `null` for the others.
#[derive(Serialize)]
struct RegisterRow<'a> {
    register: &'a str,
    #[serde(rename = "type")]
    ty: String,
    bits: Vec<Option<String>>,
}

#[derive(Serialize)]
struct TouchRow {
    kind: &'static str,
    space: &'static str,
    bytes: u32,
    addresses: Vec<Option<u64>>,
}

#[derive(Serialize)]
struct PendingRow<'a> {
    register: &'a str,
    lanes: String,
}

pub(crate) fn row(step: &Step) -> Row<'_> {
    Row {
        step: step.number,
        block: step.block_index,
        warp: step.warp,
        mask: format!("{:#010x}", step.mask),
        active: format!("{:#010x}", step.active),
        op: &step.name,
        text: &step.text,
        ptx_file: step.file.as_deref(),
        ptx_line: step.line,
        source: step.source.as_ref().map(source_row),
        reads: step.reads.iter().map(|v| register_row(v, step.active)).collect(),
        writes: step.writes.iter().map(|v| register_row(v, step.active)).collect(),
        memory: step.touches.iter().map(touch_row).collect(),
        pending: step.pending.iter().map(pending_row).collect(),
    }
}

fn register_row(values: &Values, active: u32) -> RegisterRow<'_> {
    let bits = |lane: usize| format!("{:#x}", values.bits[lane]);
    RegisterRow {
        register: &values.register,
        ty: values.ty.to_string().trim_start_matches('.').to_owned(),
        bits: (0..LANES).map(|l| (active >> l & 1 == 1).then(|| bits(l))).collect(),
    }
}

fn touch_row(touch: &Touch) -> TouchRow {
    let here = |lane: usize| touch.mask >> lane & 1 == 1;
    TouchRow {
        kind: match touch.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        },
        space: space_name(touch.space),
        bytes: touch.bytes,
        addresses: (0..LANES).map(|l| here(l).then(|| touch.addresses[l])).collect(),
    }
}

fn pending_row(pending: &Pending) -> PendingRow<'_> {
    PendingRow { register: &pending.holder, lanes: format!("{:#010x}", pending.lanes) }
}
