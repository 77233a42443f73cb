//! A run as a timeline for Perfetto (<https://ui.perfetto.dev>), which reads Chrome's trace format.
//!
//! A block is a process and a warp is a thread. A step is a slice of one microsecond at the time of
//! its number, in a category: memory, barrier, branch or compute. A counter of each warp shows its
//! active lanes, so divergence is a dent in it. A finding is an arrow from its first access to its
//! second one.
//!
//! Times are steps of the run, not of hardware: the trace shows the order of steps, and no more.

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
    let arrows = run.findings().iter().filter_map(|finding| arrow(run.steps(), finding));
    events.extend(arrows.zip(0..).flat_map(|(arrow, number)| arrow.events(number)));
    let other = json!({
        "kernel": run.shown().kernel,
        "steps left out": run.shown().left_out,
        "time": "a step is a microsecond",
    });
    write_events(&events, &other, to)
}

/// Writes events, with the data about all of them.
///
/// # Errors
/// They cannot be written.
pub(crate) fn write_events(
    events: &[Value],
    other: &Value,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    json::to_writer(&mut *to, &json!({ "traceEvents": events, "otherData": other }))?;
    Ok(writeln!(to)?)
}

/// A moment, or a stretch of time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time(pub(crate) u64);

impl Time {
    /// What the format has: microseconds.
    fn value(self) -> Value {
        match self.0.is_multiple_of(1000) {
            true => (self.0 / 1000).into(),
            false => (self.0 as f64 / 1e3).into(),
        }
    }
}

/// A track, by the numbers of its process and its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Track {
    pub(crate) process: u64,
    pub(crate) thread: u64,
}

impl Track {
    /// The name of it (`thread_name`), or of its process (`process_name`).
    pub(crate) fn named(self, event: &str, name: &str) -> Value {
        self.event("M", event, json!({ "args": { "name": name } }))
    }

    /// Something that begins at a moment and takes a time.
    pub(crate) fn slice(
        self,
        name: &str,
        category: &str,
        (start, takes): (Time, Time),
        arguments: &Value,
    ) -> Value {
        let (start, takes) = (start.value(), takes.value());
        let more = json!({ "cat": category, "ts": start, "dur": takes, "args": arguments });
        self.event("X", name, more)
    }

    /// Something at a moment.
    pub(crate) fn mark(self, name: &str, category: &str, at: Time, arguments: &Value) -> Value {
        let more = json!({ "cat": category, "ts": at.value(), "s": "t", "args": arguments });
        self.event("i", name, more)
    }

    fn event(self, phase: &str, name: &str, more: Value) -> Value {
        let mut event =
            json!({ "ph": phase, "name": name, "pid": self.process, "tid": self.thread });
        if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
            event.extend(more);
        }
        event
    }
}

/// An arrow between slices: from the one at a moment of a track to the one at another.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) name: String,
    pub(crate) category: &'static str,
    pub(crate) from: (Track, Time),
    pub(crate) to: (Track, Time),
}

impl Arrow {
    /// Its two ends; `number` is its own among all arrows.
    pub(crate) fn events(&self, number: u64) -> [Value; 2] {
        [("s", self.from), ("f", self.to)].map(|(phase, (track, at))| {
            let more = json!({ "bp": "e", "id": number, "cat": self.category, "ts": at.value() });
            track.event(phase, &self.name, more)
        })
    }
}

/// The track of a warp. Perfetto hides process 0. The numbers of blocks leave room for more than a
/// grid has along an axis (CUDA C++ Programming Guide, "Technical Specifications").
fn track(step: &Step) -> Track {
    let [x, y, z] = step.block_index.map(u64::from);
    Track { process: 1 + x + (y << 31) + (z << 47), thread: u64::from(step.warp) + 1 }
}

/// The names of the tracks of a warp, and of its block if none of its warps has come before.
fn names(step: &Step, is_block_known: bool) -> Vec<Value> {
    let track = track(step);
    let warp = track.named("thread_name", &format!("warp {}", step.warp));
    let block = track.named("process_name", &format!("block {:?}", step.block_index));
    if is_block_known { vec![warp] } else { vec![block, warp] }
}

fn slice(step: &Step) -> Value {
    let source = step.source.as_ref().map(|source| format!("{}:{}", source.file, source.line));
    let arguments = json!({
        "instruction": &*step.text, "active": format!("{:#010x}", step.active),
        "ptx line": step.line, "source": source,
    });
    track(step).slice(&step.name, category(step), (time(step), Time(1000)), &arguments)
}

/// A step is a microsecond.
fn time(step: &Step) -> Time {
    Time(step.number as u64 * 1000)
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
        "pid": track(step).process, "args": { "lanes": step.active.count_ones() },
    })
}

/// The arrow between the two accesses of a finding, as far as both are among the steps. The latest
/// access is the first of its sites.
fn arrow(steps: &[Step], finding: &Finding) -> Option<Arrow> {
    let [second, first, ..] = &*finding.sites else { return None };
    let end = steps.iter().position(|step| is_at(step, second))?;
    let start = steps.get(..end)?.iter().rposition(|step| is_at(step, first))?;
    let at = |index: usize| steps.get(index).map(|step| (track(step), time(step)));
    let (from, to) = (at(start)?, at(end)?);
    Some(Arrow { name: finding.explanation.clone(), category: "finding", from, to })
}

/// Whether a step is an access of a finding.
fn is_at(step: &Step, site: &Site) -> bool {
    step.line == site.ptx_line
        && (step.block_index, step.warp) == (site.block, site.warp)
        && step.active >> (site.lane % 32) & 1 == 1
}
