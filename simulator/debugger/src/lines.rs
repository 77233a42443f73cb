//! Lines: when a thread has reached another one, forwards and backwards.
//!
//! A thread leaves its line when its next instruction is of another line, or when it jumps back: a
//! loop on one line stops in each turn. Where the PTX has lines of the source, instructions without
//! one belong to no line, and a thread does not stop there.
//!
//! Inlined calls count as calls: stepping over a line does not stop in them.

use std::sync::Arc;

use crate::session::Debugger;
use crate::threads::{ThreadId, threads};
use warpsim::lower::{Pc, Place};
use warpsim::observe::Step;

/// The threads that have to reach another line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The thread in focus.
    Thread,
    /// All threads of its warp.
    Warp,
    /// All threads of its block.
    Block,
}

/// Whether stepping stops in calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// It stops in the called function.
    Nothing,
    /// It stops after the call.
    Calls,
    /// It stops after the call of the present function.
    Function,
}

/// A line of the source, or of the PTX if the PTX has no lines of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineKey {
    file: Option<Arc<str>>,
    line: u32,
}

/// Where a thread was when it was asked to move.
#[derive(Clone, Debug)]
pub(crate) struct Departure {
    pub(crate) thread: ThreadId,
    line: Option<LineKey>,
    depth: usize,
    pc: Option<Pc>,
    over: Over,
    is_done: bool,
}

impl Debugger<'_> {
    /// Whether the program has lines of a source.
    pub(crate) fn has_source(&self) -> bool {
        let program = self.stepper.program();
        program.is_some_and(|program| program.places.iter().any(|place| place.source.is_some()))
    }

    /// The line of an instruction; `None` for one without, in a program that has lines.
    pub(crate) fn line_key(&self, place: &Place, has_source: bool) -> Option<LineKey> {
        match (&place.source, has_source) {
            (Some(source), _) => {
                Some(LineKey { file: Some(Arc::clone(&source.file)), line: source.line })
            }
            (None, true) => None,
            (None, false) => Some(LineKey { file: place.file.clone(), line: place.line }),
        }
    }

    fn key_at(&self, pc: Option<Pc>, has_source: bool) -> Option<LineKey> {
        self.line_key(self.place_at(pc?)?, has_source)
    }

    /// How many calls a thread is in, with inlined ones.
    fn depth(&self, thread: ThreadId) -> usize {
        let stack = self.stepper.call_stack(thread.block, thread.warp, thread.lane as usize);
        let inlined = |pc: Pc| {
            let source = self.place_at(pc).and_then(|place| place.source.as_ref());
            source.map_or(0, |source| source.inlined_at.len())
        };
        match (stack.as_slice(), self.pc(thread)) {
            ([], Some(entry)) => 1 + inlined(entry),
            (stack, _) => stack.iter().map(|activation| 1 + inlined(activation.pc)).sum(),
        }
    }

    /// Where the threads of a unit are, to see when they have moved on.
    pub(crate) fn departures(&self, unit: Unit, over: Over, has_source: bool) -> Vec<Departure> {
        let focus = self.focus();
        let of_warp = |warp: u32| {
            let lanes = self.stepper.warp(focus.block, warp).map_or(0, |warp| warp.live);
            threads(focus.block, warp, lanes)
        };
        let all: Vec<ThreadId> = match unit {
            Unit::Thread => vec![focus],
            Unit::Warp => of_warp(focus.warp).collect(),
            Unit::Block => {
                let warps = self.stepper.block(focus.block).map_or(0, |block| block.warps.len());
                (0..warps as u32).flat_map(of_warp).collect()
            }
        };
        let departure = |thread: ThreadId| {
            let pc = self.pc(thread);
            let line = self.key_at(pc, has_source);
            let depth = self.depth(thread);
            // A thread that has not begun is in no function that it could leave.
            let over = if pc.is_none() { Over::Nothing } else { over };
            Departure { thread, line, depth, pc, over, is_done: false }
        };
        all.into_iter().map(departure).collect()
    }

    /// Whether all have moved on, after one more step.
    pub(crate) fn have_moved(
        &self,
        departures: &mut [Departure],
        (block, warp, lanes): (u64, u32, u32),
        has_source: bool,
    ) -> bool {
        for departure in departures.iter_mut().filter(|departure| !departure.is_done) {
            let thread = departure.thread;
            if (thread.block, thread.warp) == (block, warp) && lanes >> thread.lane & 1 == 1 {
                self.note_move(departure, has_source);
            }
        }
        departures.iter().all(|departure| departure.is_done)
    }

    fn note_move(&self, departure: &mut Departure, has_source: bool) {
        let Some(pc) = self.pc(departure.thread) else {
            departure.is_done = true;
            return;
        };
        let depth = self.depth(departure.thread);
        let is_deeper = depth > departure.depth;
        let passes = match departure.over {
            Over::Nothing => false,
            Over::Calls => is_deeper,
            Over::Function => depth >= departure.depth,
        };
        // The instructions of a call say nothing of where the caller is.
        if passes {
            return;
        }
        let before = departure.pc.replace(pc);
        let Some(line) = self.key_at(Some(pc), has_source) else { return };
        let jumps_back = depth == departure.depth && before.is_some_and(|before| pc <= before);
        let is_elsewhere = departure.line.as_ref() != Some(&line) || depth != departure.depth;
        departure.is_done = is_elsewhere || jumps_back;
    }

    /// The moment when the thread in focus reached its line. At the beginning of a line, the moment
    /// for the line before. `None` at its beginning.
    pub(crate) fn line_before(&self, over: Over) -> Option<usize> {
        let has_source = self.has_source();
        let focus = self.focus();
        let lane = focus.lane;
        let steps = self.stepper.trace().steps().iter().rev().filter(|step| focus.is_in(step));
        let start = self.place(self.focus()).map_or(0, inlined);
        // Calls that have been left, going back, and not yet entered.
        let mut calls = 0u32;
        let mut has_exited = self.pc(self.focus()).is_none();
        let mut visit: Option<(&Step, LineKey, usize)> = None;
        for step in steps {
            let is = |opcode: &str| step.name.split('.').next() == Some(opcode);
            let acts = step.active >> lane & 1 == 1;
            // The last `ret` of a thread that has exited is the kernel's own.
            let returns = acts && is("ret") && !std::mem::take(&mut has_exited);
            calls += u32::from(returns);
            let in_call = calls > 0;
            let leaves = acts && is("call");
            if in_call && leaves {
                calls -= 1;
            }
            let place = self.place_at(step.pc());
            let depth = place.map_or(0, inlined);
            let passes = match over {
                Over::Nothing => false,
                Over::Calls => calls > 0 || (depth > start && !leaves),
                // Back to the call of the function, or of the inlined code.
                Over::Function => (!leaves || in_call) && depth >= start,
            };
            let key = place.and_then(|place| self.line_key(place, has_source));
            let Some(key) = key.filter(|_| !passes) else { continue };
            match &visit {
                None => visit = Some((step, key, depth)),
                Some((later, line, at)) => {
                    if key != *line || depth != *at || step.pc() >= later.pc() {
                        break;
                    }
                    visit = Some((step, key, depth));
                }
            }
        }
        visit.map(|(step, ..)| step.number)
    }
}

/// Inlined calls that an instruction is in.
fn inlined(place: &Place) -> usize {
    place.source.as_ref().map_or(0, |source| source.inlined_at.len())
}
