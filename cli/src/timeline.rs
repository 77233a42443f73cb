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
use warpsim::observe::Step;
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
    let mut known: Vec<([u32; 3], u32)> = Vec::new();
    for step in run.steps() {
        let track = (step.block_index, step.warp);
        if !known.contains(&track) {
            events.extend(names(step, known.iter().any(|(block, _)| *block == step.block_index)));
            known.push(track);
        }
        events.push(slice(step));
        events.push(active_lanes(step));
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

/// The number of a block, from 1: Perfetto hides process 0. Blocks lie apart by more than a grid
/// has along an axis (CUDA C++ Programming Guide, "Technical Specifications").
fn process(step: &Step) -> u64 {
    let [x, y, z] = step.block_index.map(u64::from);
    1 + x + (y << 31) + (z << 47)
}

/// The names of the tracks of a warp, and of its block if none of its warps has come before.
fn names(step: &Step, is_block_known: bool) -> Vec<Value> {
    let name = |event: &str, text: String| {
        json!({
            "ph": "M", "name": event, "pid": process(step), "tid": step.warp + 1,
            "args": { "name": text },
        })
    };
    let warp = name("thread_name", format!("warp {}", step.warp));
    let block = name("process_name", format!("block {:?}", step.block_index));
    if is_block_known { vec![warp] } else { vec![block, warp] }
}

fn slice(step: &Step) -> Value {
    let source = step.source.as_ref().map(|source| format!("{}:{}", source.file, source.line));
    json!({
        "ph": "X", "name": &*step.name, "cat": category(step), "ts": step.number, "dur": 1,
        "pid": process(step), "tid": step.warp + 1,
        "args": {
            "instruction": &*step.text, "active": format!("{:#010x}", step.active),
            "ptx line": step.line, "source": source,
        },
    })
}

/// The kind of a step.
fn category(step: &Step) -> &'static str {
    let opcode = step.name.split_once('.').map_or(&*step.name, |(opcode, _)| opcode);
    match opcode {
        "bar" | "barrier" | "mbarrier" => "barrier",
        "bra" | "brx" | "call" | "ret" | "exit" => "branch",
        _ if step.touches.is_empty() => "compute",
        _ => "memory",
    }
}

fn active_lanes(step: &Step) -> Value {
    json!({
        "ph": "C", "name": format!("active lanes of warp {}", step.warp), "ts": step.number,
        "pid": process(step), "args": { "lanes": step.active.count_ones() },
    })
}

/// The arrow between the two accesses of a finding, as far as both are among the steps. The latest
/// access is the first of its sites.
fn arrow(steps: &[Step], finding: &Finding, number: usize) -> Vec<Value> {
    let [second, first, ..] = &*finding.sites else { return Vec::new() };
    let Some(end) = steps.iter().position(|step| is_at(step, second)) else { return Vec::new() };
    let Some(start) = steps[..end].iter().rposition(|step| is_at(step, first)) else {
        return Vec::new();
    };
    let event = |phase: &str, step: &Step| {
        json!({
            "ph": phase, "bp": "e", "id": number, "cat": "finding", "name": finding.explanation,
            "ts": step.number, "pid": process(step), "tid": step.warp + 1,
        })
    };
    vec![event("s", &steps[start]), event("f", &steps[end])]
}

/// Whether a step is an access of a finding.
fn is_at(step: &Step, site: &Site) -> bool {
    step.line == site.ptx_line
        && (step.block_index, step.warp) == (site.block, site.warp)
        && step.active >> (site.lane % 32) & 1 == 1
}
