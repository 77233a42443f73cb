//! Why the launch has stopped, in words.

use warpsim::observe::AccessKind;

use super::console::Console;
use super::instructions::{lanes_in_words, step_text};
use crate::regions::{Target, WatchKind};
use crate::stops::{Stop, WatchHit};
use crate::values::Value;

/// The most cells of a watchpoint whose values are shown.
const MOST_VALUES: usize = 8;

impl Console<'_> {
    /// Why the launch has stopped, and where.
    pub(super) fn arrived(&self, stop: &Stop) -> String {
        match stop {
            Stop::Breakpoint { id, lanes } => {
                let focus = self.debugger.focus();
                let place = self.debugger.breakpoints().iter().find(|b| b.id == *id);
                let place = place.map(ToString::to_string).unwrap_or_default();
                let lanes = lanes_in_words(*lanes);
                format!(
                    "breakpoint {id}, {place}: {lanes} of block {} warp {}\n{}",
                    focus.block,
                    focus.warp,
                    self.here()
                )
            }
            Stop::Watch(hit) => format!("{}\n{}", self.hit(hit), self.here()),
            Stop::Moved => self.here(),
            Stop::Paused => {
                format!("paused after {} instructions\n{}", self.debugger.moment(), self.here())
            }
            Stop::Beginning => {
                format!("at the beginning: nothing has been executed\n{}", self.here())
            }
            Stop::Ended => self.ending(),
        }
    }

    /// What there is to say when nothing can move any more.
    pub(super) fn ending(&self) -> String {
        match self.debugger.outcome() {
            Some((outcome, Some(finding))) => {
                format!("the launch has ended: {outcome}: {}", finding.explanation)
            }
            Some((outcome, None)) => format!("the launch has ended: {outcome}"),
            None => "nothing can move".to_owned(),
        }
    }

    fn hit(&self, hit: &WatchHit) -> String {
        let watch = self.debugger.watches().iter().find(|watch| watch.id == hit.id);
        let target = watch.map(|watch| watch.target.to_string()).unwrap_or_default();
        let mut text = format!("watchpoint {}, {target}: ", hit.id);
        let step = self.debugger.stepper().trace().steps().get(hit.step);
        let is_past = self.debugger.moment() > hit.step;
        match (hit.lanes, step) {
            (0, _) => text += "changed without an instruction (an asynchronous copy)",
            (lanes, step) => {
                let verb = match (hit.kind, is_past) {
                    (None | Some(AccessKind::Write), true) => "written",
                    (None | Some(AccessKind::Write), false) => "about to be written",
                    (Some(AccessKind::Read), true) => "read",
                    (Some(AccessKind::Read), false) => "about to be read",
                    (Some(AccessKind::Atomic), true) => "changed atomically",
                    (Some(AccessKind::Atomic), false) => "about to be changed atomically",
                };
                let focus = self.debugger.focus();
                let (block, warp) = step.map_or((focus.block, focus.warp), |s| (s.block, s.warp));
                text +=
                    &format!("{verb} by {} of block {block} warp {warp}", lanes_in_words(lanes));
            }
        }
        if let Some(step) = step.filter(|_| is_past) {
            text += &format!("\n{:6} {}", step.number, step_text(step));
        }
        let changes = match watch.map(|watch| &watch.target) {
            Some(Target::Memory(region)) => {
                changes(hit, &|cell| region.cell_name(region.first + cell as u64))
            }
            Some(Target::Register(_, name)) => changes(hit, &|_| name.clone()),
            None => Vec::new(),
        };
        for change in changes {
            text += &format!("\n  {change}");
        }
        text
    }

    /// A breakpoint or watchpoint that was just made.
    pub(super) fn described(&self, id: u32) -> String {
        let breakpoints = self.debugger.breakpoints().iter();
        let breakpoints = breakpoints
            .filter(|b| b.id == id)
            .map(|b| format!("breakpoint {id}: stops before {b}"));
        let watches = self.debugger.watches().iter().filter(|w| w.id == id).map(|watch| {
            let accesses = match watch.kind {
                WatchKind::Writes => "writes to",
                WatchKind::Reads => "reads of",
                WatchKind::Accesses => "accesses to",
            };
            let condition = watch.condition.as_ref();
            let condition = condition.map(|c| format!(" if {c}")).unwrap_or_default();
            format!("watchpoint {id}: stops after {accesses} {}{condition}", watch.target)
        });
        breakpoints.chain(watches).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn list_stops(&self) -> String {
        let breakpoints = self.debugger.breakpoints().iter().map(|b| (b.id, b.hits, b.ignore));
        let watches = self.debugger.watches().iter().map(|w| (w.id, w.hits, 0));
        let mut all: Vec<(u32, u64, u64)> = breakpoints.chain(watches).collect();
        all.sort_unstable();
        let line = |(id, hits, ignore): &(u32, u64, u64)| {
            let passes = match ignore {
                0 => String::new(),
                passes => format!(", passes over {passes}"),
            };
            format!("{}  ({hits} hits{passes})", self.described(*id))
        };
        let lines: Vec<String> = all.iter().map(line).collect();
        if lines.is_empty() { "no breakpoints".to_owned() } else { lines.join("\n") }
    }
}

/// The values of the cells that differ; of all, where none does.
fn changes(hit: &WatchHit, name: &dyn Fn(usize) -> String) -> Vec<String> {
    let pairs: Vec<(usize, &Value, &Value)> =
        hit.before.iter().zip(&hit.after).enumerate().map(|(k, (a, b))| (k, a, b)).collect();
    let differ: Vec<String> = pairs
        .iter()
        .filter(|(_, before, after)| before.to_string() != after.to_string())
        .map(|(cell, before, after)| format!("{} = {before} -> {after}", name(*cell)))
        .collect();
    let mut lines = match (differ.is_empty(), pairs.as_slice()) {
        (true, [(cell, value, _)]) => vec![format!("{} = {value} as before", name(*cell))],
        (true, []) => hit.after.iter().map(|value| format!("{} = {value}", name(0))).collect(),
        _ => differ,
    };
    if lines.len() > MOST_VALUES {
        let more = lines.len() - MOST_VALUES;
        lines.truncate(MOST_VALUES);
        lines.push(format!("... {more} more"));
    }
    lines
}
