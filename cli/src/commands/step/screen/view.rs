//! The state of a launch as the panes show it.
//!
//! A view is taken once after each change, because some of its answers search the trace of all
//! steps. Drawing reads the view alone. It does not know the size of the terminal, so it holds as
//! much as the widest one shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpsim::host::{FragmentState, RegisterValue};
use warpsim::lanes::{LANES, Mask};
use warpsim::names;
use warpsim::observe::{Step, format_bits, lane_list};
use warpsim_debugger::{Debugger, Listing, TextOf, ThreadId};

use super::memory::Memory;

/// Steps that the timeline holds.
const TICKS: usize = 512;

/// What the panes show.
pub(super) struct View {
    /// The kernel's name in the source.
    pub(super) kernel: String,
    /// Instructions executed so far.
    pub(super) moment: usize,
    /// How the launch has ended, if it has.
    pub(super) outcome: Option<String>,
    /// The thread in focus.
    pub(super) focus: ThreadId,
    /// The last step, in words.
    pub(super) last_step: Option<String>,
    /// The text around the thread in focus.
    pub(super) listing: Option<Listing>,
    /// The warps of the block in focus.
    pub(super) warps: Vec<WarpRow>,
    /// The last steps of the block in focus, the earliest first.
    pub(super) ticks: Vec<Tick>,
    /// The registers of the thread in focus.
    pub(super) registers: Vec<Register>,
    /// The chosen variable.
    pub(super) memory: Memory,
}

/// A warp of the block in focus.
pub(super) struct WarpRow {
    /// Its lanes.
    pub(super) exists: Mask,
    /// What it does: `ready`, `12 ready, 20 at barrier 0`.
    pub(super) state: String,
}

/// A step of the block in focus.
#[derive(Clone, Copy)]
pub(super) struct Tick {
    /// The warp that moved.
    pub(super) warp: u32,
    /// The lanes for which it had an effect.
    pub(super) active: Mask,
    /// It reached a barrier.
    pub(super) is_barrier: bool,
}

/// A register of the thread in focus.
pub(super) struct Register {
    pub(super) name: String,
    /// `None` for one that the thread has not written.
    pub(super) value: Option<String>,
    /// The value is not the one that was shown before.
    pub(super) is_changed: bool,
}

impl View {
    /// The present state. `before` is the view that was shown last.
    pub(super) fn of(
        debugger: &Debugger<'_>,
        text: TextOf,
        memory: Memory,
        before: Option<&View>,
    ) -> View {
        let stepper = debugger.stepper();
        let kernel = stepper.kernel().map(|name| {
            let name = names::readable(name);
            names::short(&name).into_owned()
        });
        let focus = debugger.focus();
        View {
            kernel: kernel.unwrap_or_default(),
            moment: debugger.moment(),
            outcome: debugger.outcome().map(|(outcome, _)| outcome.to_string()),
            focus,
            last_step: debugger.last_step().map(|step| step_text(step, focus.block)),
            listing: debugger.listing(text),
            warps: warps(debugger),
            ticks: ticks(debugger),
            registers: registers(debugger, before),
            memory,
        }
    }

    /// The line of the text that is next, or was last.
    pub(super) fn line(&self) -> Option<u32> {
        self.listing.as_ref().map(|listing| listing.line)
    }
}

/// A step in words that fit a line. The block is named where it is not the one in focus.
fn step_text(step: &Step, own: u64) -> String {
    let block = match step.block == own {
        true => String::new(),
        false => format!("block {} ", step.block),
    };
    let line = match &step.source {
        Some(source) => {
            let file = source.file.rsplit(['/', '\\']).next().unwrap_or_default();
            format!("{file}:{}", source.line)
        }
        None => format!("line {}", step.line),
    };
    let (number, warp, text) = (step.number, step.warp, &step.text);
    format!("{number} {block}warp {warp} {line} {text}  lanes {}", lane_list(step.active))
}

/// The warps of the block in focus, also where it has not begun or has ended.
fn warps(debugger: &Debugger<'_>) -> Vec<WarpRow> {
    let stepper = debugger.stepper();
    if let Some(block) = stepper.block(debugger.focus().block) {
        let rows = block.warps.iter().map(|warp| {
            let mut parts: BTreeMap<String, Mask> = BTreeMap::new();
            for fragment in &warp.fragments {
                let lanes = fragment.mask & warp.live;
                *parts.entry(state_text(fragment.state)).or_default() |= lanes;
            }
            WarpRow { exists: warp.exists, state: warp_state(&parts) }
        });
        return rows.collect();
    }
    let threads = stepper.launch().map_or(0, |launch| launch.threads_per_block());
    let has_moved = stepper.trace().steps().iter().any(|s| s.block == debugger.focus().block);
    let state = if has_moved { "exited" } else { "not begun" };
    let row = |first: u32| {
        let lanes = (threads - first).min(LANES as u32);
        let exists = Mask::MAX >> (LANES as u32 - lanes);
        WarpRow { exists, state: state.to_owned() }
    };
    (0..threads).step_by(LANES).map(row).collect()
}

fn warp_state(parts: &BTreeMap<String, Mask>) -> String {
    let parts: Vec<(&str, u32)> = parts
        .iter()
        .filter(|(_, mask)| **mask != 0)
        .map(|(text, mask)| (text.as_str(), mask.count_ones()))
        .collect();
    match parts.as_slice() {
        [] => "exited".to_owned(),
        [(text, _)] => (*text).to_owned(),
        several => {
            let counted = several.iter().map(|(text, count)| format!("{count} {text}"));
            counted.collect::<Vec<_>>().join(", ")
        }
    }
}

/// What a part of a warp does.
fn state_text(state: FragmentState) -> String {
    match state {
        FragmentState::Ready => "ready".to_owned(),
        FragmentState::Barrier(id) => format!("at barrier {id}"),
        FragmentState::Warp(mask) => format!("wait for {}", lane_list(mask)),
    }
}

/// The last steps of the block in focus.
fn ticks(debugger: &Debugger<'_>) -> Vec<Tick> {
    let block = debugger.focus().block;
    let tick = |step: &Step| {
        let opcode = step.name.split('.').next().unwrap_or_default();
        Tick {
            warp: step.warp,
            active: step.active,
            is_barrier: matches!(opcode, "bar" | "barrier"),
        }
    };
    let steps = debugger.stepper().trace().steps().iter().rev();
    let mut ticks: Vec<Tick> =
        steps.filter(|step| step.block == block).take(TICKS).map(tick).collect();
    ticks.reverse();
    ticks
}

/// The registers of the thread in focus, by their names. Marked are those that have changed since
/// the view before. Where that was of another thread, those that the last step wrote are marked.
fn registers(debugger: &Debugger<'_>, before: Option<&View>) -> Vec<Register> {
    let thread = debugger.focus();
    let (block, warp, lane) = (thread.block, thread.warp, thread.lane as usize);
    let stepper = debugger.stepper();
    let written = stepper.written(block, warp, lane);
    let before = before.filter(|before| before.focus == thread);
    let wrote = |name: &str| {
        debugger.last_step().is_some_and(|step| {
            let is_thread = (step.block, step.warp) == (block, warp);
            let writes = step.writes.iter().any(|values| &*values.register == name);
            is_thread && writes && step.active >> lane & 1 == 1
        })
    };
    let mut all = stepper.registers(block, warp, lane);
    all.sort_by_cached_key(|(name, _)| {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = name.get(letters.len()..).and_then(|digits| digits.parse::<u64>().ok());
        (letters.to_owned(), number)
    });
    let register = |(name, value): (Arc<str>, RegisterValue)| {
        let value = written.contains(&name).then(|| format_bits(value.ty, value.bits));
        let is_changed = match before {
            // The same moment was drawn again: its marks stay.
            Some(before) => {
                let old = before.registers.iter().find(|register| register.name == *name);
                match before.moment == debugger.moment() {
                    true => old.is_some_and(|old| old.is_changed),
                    false => old.is_none_or(|old| old.value != value),
                }
            }
            None => wrote(&name),
        };
        Register { name: name.to_string(), is_changed: is_changed && value.is_some(), value }
    };
    all.into_iter().map(register).collect()
}
