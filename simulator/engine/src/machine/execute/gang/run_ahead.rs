//! Warps run ahead: each up to the operation that must wait for its turn.
//!
//! Lanes at one place are driven as one, for all warps of the gang ([`super::drive`]). Lanes that
//! diverge at a branch go on separately, the ones furthest behind first, and meet again where their
//! paths join ([`super::frontier`]). No operation here faults, depends on the clock of the block,
//! or has an effect that others can notice.
//!
//! This equals `run` of [`crate::machine::execute::fragment`] for each warp in its turn.
//! `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) compares them.

use super::Strand;
use super::drive::{Drive, Halt};
use super::frontier::{Frontier, Left};
use super::group::Group;
use super::operation::Step;
use super::turn_order::{InPlace, Waiting};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Mask, in_tier};
use crate::lower::{Operation, Pc};
use crate::machine::access::addresses::By;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::{Chosen, Fragment, State};
use crate::machine::state::frame::FrameId;
use crate::machine::state::history::patience::LOOK;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::{SLICE, Tally, width_of};
use crate::machine::state::warp::Warp;

/// The one fragment of a warp that has not diverged.
pub(in crate::machine) const WHOLE: Chosen = Chosen { index: 0, horizon: u32::MAX };

/// The activation of all lanes of a warp that can move. `None` if they are in several, or if some
/// have been passed over so often that they come first.
pub(in crate::machine) fn activation(warp: &Warp) -> Option<FrameId> {
    let mut ready = warp.fragments.iter().filter(|fragment| fragment.state == State::Ready);
    let patient = |fragment: &Fragment| fragment.passed_over < LOOK;
    let first = ready.next().filter(|first| patient(first))?;
    ready.all(|other| other.frame == first.frame && patient(other)).then_some(first.frame)
}

impl Execution<'_, '_> {
    /// Lets all strands run until they stop, after the turns that they take in place. The result is
    /// as if each warp had run alone.
    pub(in crate::machine) fn run_ahead(
        &mut self,
        warps: &mut [Warp],
        strands: &mut [Strand],
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) -> Result<(), Stop> {
        let environment = self.environment;
        let operations = &*environment.program.operations;
        let not_in_place = !may.may(strands.len(), strands.len());
        if not_in_place && self.stand_at_an_access(warps, strands) {
            return Ok(());
        }
        load(operations, warps, strands, frontier);
        while !frontier.is_empty() {
            let drive = Drive { execution: self, warps, strands, frontier, may };
            match in_tier(drive)? {
                Halt::Done => break,
                Halt::Spent => stop_spent(warps, strands, frontier)?,
                Halt::Turned => {
                    may.turned = true;
                    break;
                }
                Halt::Operation => {
                    let pc = frontier.now.pc;
                    match self.step_at(&operations[pc as usize], pc) {
                        Step::Segment | Step::Part | Step::Indexed => {
                            return Err(internal!("a gang pauses in a segment").into());
                        }
                        Step::Single => self.singles(warps, strands, frontier),
                        Step::Call
                            if may.all && self.call_together(warps, strands, frontier)? => {}
                        Step::Return
                            if may.all && self.return_together(warps, strands, frontier)? => {}
                        Step::Exit if self.exit_together(warps, strands, frontier, may)? => {
                            return Ok(());
                        }
                        Step::Call | Step::Return | Step::Exit => {
                            stop_all(warps, strands, frontier, |_| true);
                        }
                        Step::Wait => stop_all(warps, strands, frontier, |_| true),
                    }
                }
            }
        }
        frontier.count_each();
        for group in frontier.take_all_stopped() {
            for at in group.here().iter() {
                strands[at].stop(group.masks()[at], group.pc);
            }
        }
        for (at, strand) in strands.iter_mut().enumerate() {
            strand.tally = frontier.tallies.take(at);
        }
        if may.taken > 0 {
            // A visible operation has been executed.
            strands.iter().for_each(|strand| warps[strand.warp].local_loop.forget());
        }
        self.wait(warps, strands, may);
        let turned = may.turned;
        for (at, strand) in strands.iter_mut().enumerate().filter(|(_, strand)| !strand.waits) {
            let warp = &mut warps[strand.warp];
            match (strand.stopped, strand.placed) {
                (true, true) => {}
                (true, false) => place_all(warp, strand, frontier, at),
                (false, _) if turned => leave(warp, strand, frontier, at),
                (false, _) => {
                    return Err(internal!(
                        "warp {} has run, and no lane of it stopped",
                        strand.warp
                    )
                    .into());
                }
            }
        }
        Ok(())
    }

    /// Lets strands wait at a block barrier that they have reached.
    fn wait(&mut self, warps: &mut [Warp], strands: &mut [Strand], may: &InPlace) {
        let Waiting { met, masks, .. } = may.waiting;
        for at in may.waiting.in_order() {
            let (strand, mask) = (&mut strands[at], masks[at]);
            let warp = &mut warps[strand.warp];
            let (state, fragment) =
                (State::Barrier(met.id), Fragment::new(mask, met.pc, strand.frame));
            warp.fragments.clear();
            warp.fragments.push(Fragment { state, ..fragment });
            self.common.barriers.arrive(met.id, None, met.arrival(warp.number, mask));
            strand.waits = true;
        }
    }

    /// Whether all warps are at the same access to memory, none of them diverged, so that no
    /// operation precedes their turns. Their strands have stopped then.
    fn stand_at_an_access(&self, warps: &mut [Warp], strands: &mut [Strand]) -> bool {
        let place_of = |strand: &Strand| match warps[strand.warp].fragments.as_slice() {
            [fragment] if strand.tally.instructions < SLICE => Some(fragment.pc),
            _ => None,
        };
        let Some(pc) = strands.first().and_then(place_of) else { return false };
        let is_there = |strand: &Strand| place_of(strand) == Some(pc);
        if !self.is_access(pc) || !strands.iter().all(is_there) {
            return false;
        }
        for strand in strands {
            let fragment = &mut warps[strand.warp].fragments[0];
            fragment.passed_over = 0;
            (strand.chosen, strand.mask, strand.pc) = (WHOLE, fragment.mask, pc);
            (strand.stopped, strand.placed, strand.turned) = (true, true, false);
        }
        true
    }

    /// Executes operations one warp at a time for the running lanes, as long as they follow each
    /// other.
    fn singles(&mut self, warps: &mut [Warp], strands: &mut [Strand], frontier: &mut Frontier) {
        let operations = &*self.environment.program.operations;
        frontier.tallies.add_alike(&mut frontier.now);
        loop {
            let pc = frontier.now.pc;
            let operation = &operations[pc as usize];
            let one = u64::from(!operation.part);
            let mut spent = false;
            for at in frontier.now.here().iter() {
                let strand = &mut strands[at];
                let warp = &mut warps[strand.warp];
                let active = frontier.now.masks()[at] & lanes_for(operation, warp, strand);
                let by = By { frame: strand.frame, active, pc };
                if active != 0 && !self.act_ahead(warp, &operation.kind, by) {
                    stop(warps, strand, frontier, at);
                    continue;
                }
                let tally = frontier.tallies.of(at);
                tally.instructions += one;
                tally.lanes += one * u64::from(width_of(active));
                spent |= tally.instructions >= SLICE;
            }
            let next = &operations[pc as usize + 1];
            (frontier.now.rank, frontier.now.pc) = (next.rank, pc + 1);
            if next.leader && next.rank >= frontier.horizon() {
                frontier.choose();
                return;
            }
            if spent || self.step_at(next, pc + 1) != Step::Single {
                return;
            }
        }
    }
}

/// The lanes for which the guard of an operation holds, if it has one.
fn lanes_for(operation: &Operation, warp: &Warp, strand: &Strand) -> Mask {
    match operation.guard {
        None => Mask::MAX,
        Some(guard) => guard.lanes(&warp.frames[usize::from(strand.frame)].registers),
    }
}

/// Fills in the places of the lanes of all strands that can move.
fn load(operations: &[Operation], warps: &[Warp], strands: &mut [Strand], frontier: &mut Frontier) {
    let rank = |pc: Pc| operations.get(pc as usize).map_or(u32::MAX, |o| o.rank);
    // Usually all warps are undivided, and at one place.
    let first = strands.first().and_then(|strand| warps[strand.warp].fragments.first());
    let here = first.map_or(0, |fragment| fragment.pc);
    frontier.clear(rank(here), here);
    for (at, strand) in strands.iter_mut().enumerate() {
        (strand.stopped, strand.placed, strand.turned) = (false, false, false);
        if strand.tally != Tally::default() {
            *frontier.tallies.of(at) = std::mem::take(&mut strand.tally);
        }
        let warp = &warps[strand.warp];
        let fragments = warp.fragments.as_slice();
        if let [Fragment { mask, pc, state: State::Ready, .. }] = *fragments
            && pc == here
        {
            frontier.now.come(at, mask);
            continue;
        }
        for fragment in fragments {
            let Fragment { mask, pc, .. } = *fragment;
            match fragment.state {
                State::Ready => {
                    let passed_over = fragment.passed_over;
                    frontier.add(at, Left { mask, pc, rank: rank(pc), passed_over });
                }
                State::Warp(_) | State::Barrier(_) => frontier.none_waits = false,
            }
        }
    }
    frontier.choose();
}

/// Stops the running lanes whose warps have used up their time.
fn stop_spent(
    warps: &mut [Warp],
    strands: &mut [Strand],
    frontier: &mut Frontier,
) -> Result<(), InternalError> {
    if frontier.spent() < SLICE {
        return Err(internal!("a gang has used up its time, and none of its warps has"));
    }
    stop_all(warps, strands, frontier, |tally| tally.instructions >= SLICE);
    Ok(())
}

/// Stops the running strands whose counts satisfy a predicate.
fn stop_all(
    warps: &mut [Warp],
    strands: &mut [Strand],
    frontier: &mut Frontier,
    holds: impl Fn(&Tally) -> bool,
) {
    frontier.tallies.add_alike(&mut frontier.now);
    for at in frontier.now.here().iter() {
        if holds(frontier.tallies.of(at)) {
            stop(warps, &mut strands[at], frontier, at);
        }
    }
}

/// Stops a strand with its running lanes, and sets all its lanes to their places.
fn stop(warps: &mut [Warp], strand: &mut Strand, frontier: &mut Frontier, at: usize) {
    let warp = &mut warps[strand.warp];
    strand.stop(frontier.now.take(at), frontier.now.pc);
    place(warp, strand);
    if !frontier.is_elsewhere(at) {
        return;
    }
    for part in frontier.take(at) {
        strand.chosen.horizon = strand.chosen.horizon.min(part.rank);
        warp.fragments.push(part.fragment(strand.frame));
    }
}

/// Sets the lanes of a stopped strand to their place, replacing all fragments that could move.
fn place(warp: &mut Warp, strand: &mut Strand) {
    let stopped = Fragment::new(strand.mask, strand.pc, strand.frame);
    strand.placed = true;
    if let [only] = warp.fragments.as_mut_slice() {
        *only = stopped;
        return;
    }
    warp.fragments.retain(|fragment| fragment.state != State::Ready);
    strand.chosen.index = warp.fragments.len();
    warp.fragments.push(stopped);
}

/// Sets the lanes of a stopped strand to their places, including those put aside.
fn place_all(warp: &mut Warp, strand: &mut Strand, frontier: &mut Frontier, at: usize) {
    place(warp, strand);
    if frontier.has_aside(at) {
        for part in frontier.take_aside(at) {
            strand.chosen.horizon = strand.chosen.horizon.min(part.rank);
            warp.fragments.push(part.fragment(strand.frame));
        }
    }
}

/// Leaves the lanes of a strand that has had a turn at their places.
fn leave(warp: &mut Warp, strand: &mut Strand, frontier: &mut Frontier, at: usize) {
    let Group { rank, pc, passed_over, .. } = *frontier.now;
    let mask = frontier.now.take(at);
    let here = (mask != 0).then_some(Left { mask, pc, rank, passed_over: passed_over[at] });
    warp.fragments.clear();
    let parts = here.into_iter().chain(frontier.take(at));
    warp.fragments.extend(parts.map(|part| part.fragment(strand.frame)));
    if let [only] = warp.fragments.as_mut_slice()
        && warp.live == warp.exists
    {
        // An undivided warp is not counted, as in [`Execution::settle`].
        only.passed_over = 0;
    }
    (strand.stopped, strand.placed, strand.turned) = (true, true, true);
}
