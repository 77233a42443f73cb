//! The timeline of a program (`--perfetto`): the operations of its streams, and the calls that
//! issued them.
//!
//! Each process has a track for each of its threads, with its calls of the API. Each context of it
//! has a track for each stream, with launches, copies, sets and operations of libraries. An arrow
//! leads from a call to what it issued, and from the earlier to the later of two operations that
//! race. A finding is a mark at the first launch that showed it. The calls come from the log
//! (`--log`), the rest from the journal.
//!
//! Times are host time: how long the simulator took. They show the order of operations, and nothing
//! about a GPU.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use warpsim::names;
use warpsim_driver_core::{SpanEntry, SpanTask};

use super::found::{Found, Seen};
use crate::failure::Failure;
use crate::timeline::{self, Arrow, Time, Track};

/// A line of the log of calls, as `docs/cli.md` describes it.
#[derive(Debug, Deserialize)]
struct Called {
    process: u32,
    thread: u64,
    start: u64,
    nanoseconds: u64,
    call: String,
    arguments: Map<String, Value>,
    result: String,
}

/// Writes the timeline of a program; `log` is its log of calls.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(found: &Found, log: &str, to: &mut dyn Write) -> Result<(), Failure> {
    // Who was stopped has left half a line.
    let calls: Vec<Called> =
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let timeline = Timeline::new(&found.spans, &calls);
    let mut events = timeline.names();
    events.extend(calls.iter().map(|call| timeline.call(call)));
    events.extend(found.spans.iter().map(|span| timeline.operation(span)));
    let mut arrows = timeline.issued();
    let mut without = 0u64;
    for seen in &found.seen {
        let marked = timeline.mark(seen);
        without += u64::from(marked.is_none());
        events.extend(marked);
        arrows.extend(timeline.race(seen));
    }
    events.extend(arrows.iter().zip(0..).flat_map(|(arrow, number)| arrow.events(number)));
    let other = json!({
        "time": "host time: what the simulator took, not what a GPU takes; a checked launch has the \
                 time of all its schedules",
        "findings of no operation": without,
    });
    timeline::write_events(&events, &other, to)
}

/// What is on the timeline, by what it is found by.
struct Timeline<'a> {
    /// The first moment, which is zero.
    zero: u64,
    spans: &'a [SpanEntry],
    /// The calls of each thread of a process, in order.
    calls: BTreeMap<(u32, u64), Vec<&'a Called>>,
    /// Launches, by process and number.
    launches: BTreeMap<(u32, u64), &'a SpanEntry>,
    /// Operations, by process and their first number on the device.
    operations: BTreeMap<(u32, u64), &'a SpanEntry>,
    /// What is a process to the viewer: the threads of a process, and a context of it.
    groups: BTreeSet<(u32, Option<u64>)>,
}

impl<'a> Timeline<'a> {
    fn new(spans: &'a [SpanEntry], all: &'a [Called]) -> Timeline<'a> {
        let starts = spans.iter().map(|span| span.start).chain(all.iter().map(|call| call.start));
        let mut timeline = Timeline {
            zero: starts.min().unwrap_or(0),
            spans,
            calls: BTreeMap::new(),
            launches: BTreeMap::new(),
            operations: BTreeMap::new(),
            groups: BTreeSet::new(),
        };
        for call in all {
            timeline.calls.entry((call.process, call.thread)).or_default().push(call);
            timeline.groups.insert((call.process, None));
        }
        for calls in timeline.calls.values_mut() {
            calls.sort_by_key(|call| call.start);
        }
        for span in spans {
            timeline.groups.insert((span.process, Some(span.context)));
            timeline.operations.insert((span.process, span.operations.0), span);
            if let SpanTask::Launch { launch, .. } = span.task {
                timeline.launches.insert((span.process, launch), span);
            }
        }
        timeline
    }

    /// The time since the first moment.
    fn at(&self, nanoseconds: u64) -> Time {
        Time(nanoseconds.saturating_sub(self.zero))
    }

    /// The number of a group, from 1: Perfetto hides process 0.
    fn group(&self, process: u32, context: Option<u64>) -> u64 {
        self.groups.range(..(process, context)).count() as u64 + 1
    }

    fn of_span(&self, span: &SpanEntry) -> Track {
        let thread = span.stream + 1;
        Track { process: self.group(span.process, Some(span.context)), thread }
    }

    fn of_call(&self, call: &Called) -> Track {
        Track { process: self.group(call.process, None), thread: call.thread }
    }

    /// The names of all tracks.
    fn names(&self) -> Vec<Value> {
        let mut events = Vec::new();
        for (process, context) in &self.groups {
            let track = Track { process: self.group(*process, *context), thread: 1 };
            let name = match context {
                None => format!("program, process {process}"),
                Some(context) => {
                    let before = (*process, Some(0))..(*process, Some(*context));
                    let number = self.groups.range(before).count() + 1;
                    format!("device, context {number} of process {process}")
                }
            };
            events.push(track.named("process_name", &name));
        }
        let threads = self.calls.iter().filter_map(|((_, thread), calls)| {
            let track = self.of_call(calls.first()?);
            Some(track.named("thread_name", &format!("thread {thread}")))
        });
        events.extend(threads);
        let streams = self.spans.iter().map(|span| (self.of_span(span), span.stream));
        let streams: BTreeSet<(Track, u64)> = streams.collect();
        events.extend(streams.iter().map(|(track, stream)| {
            let name = match stream {
                0 => "default stream".to_owned(),
                number => format!("stream {number}"),
            };
            track.named("thread_name", &name)
        }));
        events
    }

    fn call(&self, call: &Called) -> Value {
        let mut arguments = call.arguments.clone();
        arguments.insert("result".to_owned(), call.result.clone().into());
        let times = (self.at(call.start), Time(call.nanoseconds));
        self.of_call(call).slice(&call.call, "call", times, &arguments.into())
    }

    fn operation(&self, span: &SpanEntry) -> Value {
        let (name, category, arguments) = described(&span.task);
        let times = (self.at(span.start), Time(span.nanoseconds));
        self.of_span(span).slice(&name, category, times, &arguments)
    }

    /// An arrow from each call to each operation that it issued.
    fn issued(&self) -> Vec<Arrow> {
        let arrow = |span: &SpanEntry| {
            let calls = self.calls.get(&(span.process, span.thread))?;
            let begun = calls.partition_point(|call| call.start <= span.start);
            let goes_on = |call: &&&Called| call.start + call.nanoseconds >= span.start;
            let call = calls.get(..begun)?.iter().rev().find(goes_on)?;
            Some(Arrow {
                name: "issues".to_owned(),
                category: "issue",
                from: (self.of_call(call), self.at(call.start)),
                to: (self.of_span(span), self.at(span.start)),
            })
        };
        self.spans.iter().filter_map(arrow).collect()
    }

    /// The operation of a process that has this number on the device.
    fn with(&self, process: u32, number: u64) -> Option<&SpanEntry> {
        let mut before = self.operations.range((process, 0)..=(process, number));
        let (_, span) = before.next_back()?;
        (span.operations.1 >= number).then_some(*span)
    }

    /// A mark where a finding showed first: at its launch, or at the later of its operations.
    fn mark(&self, seen: &Seen) -> Option<Value> {
        let later = seen.operations.and_then(|(later, _)| self.with(seen.process, later));
        let launch = || self.launches.get(&(seen.process, seen.launch)).copied();
        let span = later.or_else(launch)?;
        let finding = &seen.finding;
        let arguments = json!({
            "message": finding.explanation, "severity": finding.severity.to_string(),
            "launches": seen.launches, "times": finding.count, "help": finding.help,
        });
        let name = finding.code.name();
        Some(self.of_span(span).mark(name, "finding", self.at(span.start), &arguments))
    }

    /// An arrow from the earlier to the later of two operations that race.
    fn race(&self, seen: &Seen) -> Option<Arrow> {
        let (later, earlier) = seen.operations?;
        let (to, from) = (self.with(seen.process, later)?, self.with(seen.process, earlier)?);
        Some(Arrow {
            name: seen.finding.explanation.clone(),
            category: "finding",
            from: (self.of_span(from), self.at(from.start)),
            to: (self.of_span(to), self.at(to.start)),
        })
    }
}

/// The name of an operation, its kind, and its arguments.
fn described(task: &SpanTask) -> (String, &'static str, Value) {
    match task {
        SpanTask::Launch { launch, kernel, module, grid, block, shared, outcome, is_checked } => {
            let arguments = json!({
                "launch": launch, "kernel": names::readable(kernel), "module": module,
                "grid": grid, "block": block, "shared": shared,
                "outcome": outcome.name(), "checked": is_checked,
            });
            (names::short(kernel).into_owned(), "kernel", arguments)
        }
        SpanTask::Copy { from_host, to_host, bytes } => {
            let end = |is_host: bool| if is_host { "host" } else { "device" };
            let name = format!("copy {} to {}", end(*from_host), end(*to_host));
            (name, "copy", json!({ "bytes": bytes }))
        }
        SpanTask::Set { bytes } => ("set".to_owned(), "set", json!({ "bytes": bytes })),
        SpanTask::Library { name } => (name.clone(), "library", json!({})),
    }
}
