//! The past of one thread that belongs to its present place: the registers that it has written, and
//! whether it has just arrived at the place.
//!
//! A thread is *at* a place, say a line of the source, from its first instruction to the first jump
//! that leads away. A compiler may have put instructions of other lines in between; they do not end
//! that. A new visit begins with a jump backwards (the next turn of a loop), a jump from elsewhere,
//! or a call.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{RegisterValue, Stepper};
use crate::lanes::{LANES, Mask};
use crate::lower::{Pc, Place, Program};
use crate::observe::Step;

/// Threads of a warp that move together and arrive at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrival {
    /// The block's linear number.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes.
    pub lanes: Mask,
    /// Which of the places that were asked for.
    pub place: usize,
}

impl Stepper<'_> {
    /// Goes on until a group of lanes arrives at one of some places. Stops before the group
    /// executes the first instruction there. A function says which instructions are of a place.
    /// `None` when the launch has ended or was stopped.
    ///
    /// A place of several instructions counts as one arrival, however many of them follow. A loop
    /// arrives at the places of its body in each turn. The instruction that is next at the time of
    /// the call is passed over, except the first one of a launch.
    ///
    /// ```
    /// # use warpsim::host::{Device, Launch, Simulator};
    /// # use warpsim::lower::Place;
    /// let text = ".version 7.0 .target sm_70 .address_size 64
    ///     .entry k() { .reg .u32 %a;
    ///       mov.u32 %a, %laneid;
    ///       add.u32 %a, %a, 1; add.u32 %a, %a, 1;
    ///       ret; }";
    /// # let mut gpu = Simulator::default();
    /// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
    /// let mut stepper = gpu.stepper(module, "k", &Launch::new(1, 40), &[])?;
    /// let mut warps = Vec::new();
    /// while let Some(arrival) = stepper.run_to(&[|place: &Place| place.line == 4]) {
    ///     warps.push((arrival.warp, arrival.lanes));
    /// }
    /// warps.sort();
    /// assert_eq!(warps, [(0, 0xffff_ffff), (1, 0xff)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_to(&mut self, places: &[impl Fn(&Place) -> bool]) -> Option<Arrival> {
        let start = self.trace.steps().len();
        let mut passes = start > 0 || self.arrived == Some(0);
        loop {
            let moment = self.trace.steps().len();
            let step = self.step()?;
            let (block, warp, lanes) = (step.block, step.warp, step.mask);
            let place = match std::mem::take(&mut passes) {
                true => None,
                false => places
                    .iter()
                    .position(|is_there| self.arrives(moment, &|_, place| is_there(place))),
            };
            if let Some(place) = place {
                self.go_to(moment);
                self.arrived = Some(moment);
                return Some(Arrival { block, warp, lanes, place });
            }
        }
    }

    /// The threads of a step, if it is the first of their visit to a place. A function says which
    /// operations are of the place. The step of this number has to be in the trace.
    pub fn arrival(&self, number: usize, is_there: impl Fn(Pc) -> bool) -> Option<Arrival> {
        let step = self.trace.steps().get(number)?;
        let arrival = Arrival { block: step.block, warp: step.warp, lanes: step.mask, place: 0 };
        self.arrives(number, &|pc, _| is_there(pc)).then_some(arrival)
    }

    /// Whether the step of this number is the first of a visit.
    fn arrives(&self, number: usize, is_there: &impl Fn(Pc, &Place) -> bool) -> bool {
        let (Some(program), Some(step)) = (self.program(), self.trace.steps().get(number)) else {
            return false;
        };
        let place = |pc: Pc| program.places.get(pc as usize).filter(|place| is_there(pc, place));
        let Some(here) = place(step.pc()) else { return false };
        let lane = step.mask.trailing_zeros() as usize % LANES;
        let before = self.trace.steps().get(..number).unwrap_or_default();
        let mut later = step.pc();
        for earlier in InActivation::new(before, program, (step.block, step.warp, lane), later) {
            if later <= earlier.pc() {
                return true;
            }
            if place(earlier.pc()).is_some_and(|there| are_of_one_call(there, here)) {
                return false;
            }
            if !follows(program, earlier.pc(), later) {
                return true;
            }
            later = earlier.pc();
        }
        true
    }

    /// The registers of the function that a lane is in, by their names in the text, and what they
    /// hold. None when the lane has not begun, or has exited.
    pub fn registers(&self, block: u64, warp: u32, lane: usize) -> Vec<(Arc<str>, RegisterValue)> {
        self.registers_of(block, warp, lane, 0)
    }

    /// The registers that a lane has written since it entered the function that it is in, by their
    /// names in the text. Other registers are unwritten: a program must not use their contents.
    pub fn written(&self, block: u64, warp: u32, lane: usize) -> BTreeSet<Arc<str>> {
        self.written_in(block, warp, lane, 0)
    }

    /// The same for an activation of the lane's call stack, counted from the innermost, which is 0.
    pub fn written_in(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        level: usize,
    ) -> BTreeSet<Arc<str>> {
        let pc = self.warp(block, warp).and_then(|warp| warp.fragment_of(lane)).map(|f| f.pc);
        let (Some(program), Some(pc)) = (self.program(), pc) else { return BTreeSet::new() };
        let mut steps = InActivation::new(self.trace.steps(), program, (block, warp, lane), pc);
        steps.outer = level;
        let wrote = steps.filter(|step| step.active >> lane & 1 == 1);
        wrote.flat_map(|step| step.writes.iter().map(|w| Arc::clone(&w.register))).collect()
    }
}

/// Whether two instructions are of one inlined call, or of none: two calls of a function that are
/// inlined one behind the other are two visits to its lines.
fn are_of_one_call(a: &Place, b: &Place) -> bool {
    let calls = |place: &Place| place.source.as_ref().map(|source| source.inlined_at.clone());
    calls(a) == calls(b)
}

/// Whether an instruction is the next in the text: all operations between are parts of it.
fn follows(program: &Program, earlier: Pc, later: Pc) -> bool {
    let instruction = |pc: Pc| program.places.get(pc as usize).map(|place| place.instruction);
    (earlier + 1..later).all(|pc| instruction(pc) == instruction(later))
}

/// The steps of a thread in the activation of the function that it is in, the latest first.
/// What functions that it called did is left out.
struct InActivation<'a> {
    steps: std::iter::Rev<std::slice::Iter<'a, Step>>,
    program: &'a Program,
    thread: (u64, u32, usize),
    /// Where the thread is after the steps that are left.
    next: Pc,
    /// How many calls have been left, going back, and not yet entered.
    depth: u32,
    /// How many calls lead from the activation that is asked for to the one that the steps are in.
    outer: usize,
}

impl<'a> InActivation<'a> {
    fn new(
        steps: &'a [Step],
        program: &'a Program,
        thread: (u64, u32, usize),
        next: Pc,
    ) -> InActivation<'a> {
        InActivation { steps: steps.iter().rev(), program, thread, next, depth: 0, outer: 0 }
    }
}

impl<'a> Iterator for InActivation<'a> {
    type Item = &'a Step;

    fn next(&mut self) -> Option<&'a Step> {
        let (block, warp, lane) = self.thread;
        loop {
            let step = self.steps.next()?;
            if (step.block, step.warp) != (block, warp) || step.mask >> lane & 1 == 0 {
                continue;
            }
            let is = |opcode: &str| step.name.split('.').next() == Some(opcode);
            let acts = step.active >> lane & 1 == 1;
            if acts && is("ret") {
                self.depth += 1;
            } else if self.depth > 0 {
                self.depth -= u32::from(acts && is("call"));
            } else if acts && is("call") && !follows(self.program, step.pc(), self.next) {
                // The call that led here.
                self.outer = self.outer.checked_sub(1)?;
                self.next = step.pc();
                continue;
            }
            if self.depth == 0 {
                self.next = step.pc();
                if self.outer == 0 {
                    return Some(step);
                }
            }
        }
    }
}
