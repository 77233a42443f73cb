//! `warpsim trace`: what every warp instruction did, as lines for people or as JSON lines.

use std::io::Write;

use serde::Serialize;
use warpsim::host::Simulator;
use warpsim::lanes::LANES;
use warpsim::observe::{AccessKind, Pending, Step, Touch, Trace, Values};
use warpsim::report::{Outcome, Report};

use super::launches::write_unsupported;
use crate::args::{Format, TraceArgs};
use crate::document::{SourceRow, source_row, space_name};
use crate::failure::{Exit, Failure};
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::{Output, write_file};
use crate::render::findings::FindingText;
use crate::render::step_line;
use crate::replay;

pub(super) fn run(args: &TraceArgs, output: &mut Output) -> Result<Exit, Failure> {
    let recorded = record(args, output);
    if let (Err(failure), Format::Json) = (&recorded, args.format) {
        write_unsupported(failure, output)?;
    }
    let (trace, report) = recorded?;
    match &args.output {
        Some(path) => write_file(path, |to| Ok(write(args.format, &trace, &report, to)?))?,
        None => write(args.format, &trace, &report, output.results())?,
    }
    let text = FindingText::new(&args.launch.file, output.colour_of_messages());
    for finding in &report.findings {
        let replay = replay::command_line(output);
        output.message(&text.of(finding, &replay));
    }
    Ok(if report.outcome == Outcome::Completed { Exit::CLEAN } else { Exit::FINDING })
}

/// Runs the launches; the last one is recorded.
fn record(args: &TraceArgs, output: &mut Output) -> Result<(Trace, Report), Failure> {
    let mut prepared = Prepared::<Simulator>::new(&args.launch, output)?;
    prepared.device.settings_mut().max_steps = args.launch.max_steps.unwrap_or(TRACE_STEPS);
    for number in 1..args.launch.launches {
        let launched = prepared.launch(&args.launch, number, output)?;
        if launched.report.outcome != Outcome::Completed {
            return Ok((Trace::new(), launched.report));
        }
    }
    let index = prepared.enter(&args.launch, args.launch.launches)?;
    let variant = &prepared.variants[index];
    let mut trace = Trace::with_remarks(&variant.remarks);
    let report = prepared.device.launch_observed(
        variant.handle,
        &prepared.kernel,
        &prepared.launch,
        &prepared.arguments,
        &mut trace,
    );
    let report = report.map_err(|e| refused(e, &variant.module, output))?;
    Ok((trace, report))
}

fn write(
    format: Format,
    trace: &Trace,
    report: &Report,
    to: &mut dyn Write,
) -> Result<(), std::io::Error> {
    for step in trace.steps() {
        match format {
            Format::Text => writeln!(to, "{:6} {}", step.number, step_line(step))?,
            Format::Json => {
                serde_json::to_writer(&mut *to, &row(step))?;
                writeln!(to)?;
            }
        }
    }
    let outcome = report.outcome.name();
    match format {
        Format::Text => writeln!(to, "{outcome} after {} warp instructions", trace.steps().len()),
        Format::Json => writeln!(to, "{{\"outcome\":\"{outcome}\"}}"),
    }
}

#[derive(Serialize)]
struct Row<'a> {
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

fn row(step: &Step) -> Row<'_> {
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
