//! A run as a timeline for Perfetto (<https://ui.perfetto.dev>), which reads Chrome's trace format.
//!
//! A block is a process and a warp is a thread. A step is a slice of one microsecond at the time of
//! its number, in a category: memory, barrier, branch or compute. A counter of each warp shows its
//! active lanes, so divergence is a dent in it. A finding is an arrow from its first access to its
//! second one.
//!
//! Times are steps of the run, not of hardware: the trace says who came before whom, and no more.

use std::io::Write;

use serde_json::{Value, json};
use warpsim::report::{Finding, Site};

use crate::failure::Failure;
use crate::json;
use crate::page::Traced;

/// Writes a run with its findings.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(run: &Traced, to: &mut dyn Write) -> Result<(), Failure> {
    let mut events = Vec::new();
    let mut known: Vec<(Value, u64)> = Vec::new();
    for step in run.steps() {
        let Some(place) = Place::of(step) else { continue };
        let track = (place.block.clone(), place.warp);
        if !known.contains(&track) {
            events.extend(names(&place, known.iter().any(|(block, _)| *block == place.block)));
            known.push(track);
        }
        events.push(slice(step, &place));
        events.push(active_lanes(step, &place));
    }
    for (number, finding) in run.findings().iter().enumerate() {
        events.extend(arrow(run.steps(), finding, number));
    }
    let document = json!({
        "traceEvents": events,
        "otherData": {
            "kernel": run.kernel(),
            "steps left out": run.left_out(),
            "time": "a step is a microsecond",
        },
    });
    json::to_writer(&mut *to, &document)?;
    Ok(writeln!(to)?)
}

/// Where a step happened.
struct Place {
    block: Value,
    warp: u64,
    /// The number of the block among those of a grid, from 1: Perfetto hides process 0.
    process: u64,
    time: u64,
}

impl Place {
    fn of(step: &Value) -> Option<Place> {
        let block = step.get("block")?.clone();
        let index = |axis: usize| block.get(axis).and_then(Value::as_u64);
        // Blocks lie apart by more than a grid has along an axis (PTX ISA 2.2.3).
        let process = 1 + index(0)? + (index(1)? << 31) + (index(2)? << 47);
        let (warp, time) = (step.get("warp")?.as_u64()?, step.get("step")?.as_u64()?);
        Some(Place { block, warp, process, time })
    }
}

/// The names of the tracks of a warp, and of its block if nobody of it has come before.
fn names(place: &Place, is_block_known: bool) -> Vec<Value> {
    let name = |event: &str, text: String| {
        json!({
            "ph": "M", "name": event, "pid": place.process, "tid": place.warp + 1,
            "args": { "name": text },
        })
    };
    let warp = name("thread_name", format!("warp {}", place.warp));
    let block = name("process_name", format!("block {}", place.block));
    if is_block_known { vec![warp] } else { vec![block, warp] }
}

fn slice(step: &Value, place: &Place) -> Value {
    let text = |key: &str| step.get(key).cloned().unwrap_or_default();
    let operation = step.get("op").and_then(Value::as_str).unwrap_or_default();
    json!({
        "ph": "X", "name": operation, "cat": category(step, operation), "ts": place.time, "dur": 1,
        "pid": place.process, "tid": place.warp + 1,
        "args": {
            "instruction": text("text"), "active": text("active"), "ptx line": text("ptx_line"),
            "source": text("source"), "memory": text("memory"),
        },
    })
}

/// What kind of step it is.
fn category(step: &Value, operation: &str) -> &'static str {
    let first = operation.split('.').next().unwrap_or_default();
    let touches = step.get("memory").and_then(Value::as_array);
    match first {
        "bar" | "barrier" | "mbarrier" => "barrier",
        "bra" | "brx" | "call" | "ret" | "exit" => "branch",
        _ if touches.is_some_and(|touches| !touches.is_empty()) => "memory",
        _ => "compute",
    }
}

fn active_lanes(step: &Value, place: &Place) -> Value {
    let lanes = mask(step, "active").count_ones();
    json!({
        "ph": "C", "name": format!("active lanes of warp {}", place.warp), "ts": place.time,
        "pid": place.process, "args": { "lanes": lanes },
    })
}

fn mask(step: &Value, key: &str) -> u32 {
    let text = step.get(key).and_then(Value::as_str).unwrap_or_default();
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0)
}

/// The arrow between the two accesses of a finding, as far as both are among the steps. The latest
/// access is the first of its sites.
fn arrow(steps: &[Value], finding: &Finding, number: usize) -> Vec<Value> {
    let [second, first, ..] = &*finding.sites else { return Vec::new() };
    let Some(end) = steps.iter().position(|step| is_at(step, second)) else { return Vec::new() };
    let Some(start) = steps[..end].iter().rposition(|step| is_at(step, first)) else {
        return Vec::new();
    };
    let event = |phase: &str, index: usize| {
        let place = Place::of(&steps[index])?;
        Some(json!({
            "ph": phase, "bp": "e", "id": number, "cat": "finding", "name": finding.explanation,
            "ts": place.time, "pid": place.process, "tid": place.warp + 1,
        }))
    };
    [event("s", start), event("f", end)].into_iter().flatten().collect()
}

/// Whether a step is an access of a finding.
fn is_at(step: &Value, site: &Site) -> bool {
    let number = |key: &str| step.get(key).and_then(Value::as_u64);
    let block: Option<Vec<u64>> = step
        .get("block")
        .and_then(Value::as_array)
        .and_then(|block| block.iter().map(Value::as_u64).collect());
    number("ptx_line") == Some(site.ptx_line.into())
        && number("warp") == Some(site.warp.into())
        && block.is_some_and(|block| block == site.block.map(u64::from))
        && mask(step, "active") >> (site.lane % 32) & 1 == 1
}
