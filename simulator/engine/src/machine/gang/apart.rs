//! Turns that the warps of a gang take where they stand, at different places: each at an access to memory, or at a barrier of the block, where it waits for the others.
//!
//! The warps are all that can move in their block, and each has run up to the visible operation of its turn. Those whose turns
//! come one after the other, at one operation, have them together.

use std::ops::Range;

use super::Strand;
use super::frontier::{Front, Frontier};
use super::met::{Met, those_told_of};
use super::order::{Circle, InPlace};
use super::set::Set;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Gang;
use crate::lower::{Access, Conduct, Guard, Operation, Pc};
use crate::machine::at_once::At;
use crate::machine::grid::SLICE;
use crate::machine::segment::{Tally, width_of};
use crate::machine::stage::Stage;
use crate::observe::Who;

/// What strands do in their turns in place.
#[derive(Clone, Copy)]
enum Turn<'o> {
    /// They access memory.
    Access(Access<'o>, Option<Guard>),
    /// They come to this barrier.
    Arrival(Met),
}

/// Which strands have taken their turns in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// None.
    Nobody,
    /// All, and they may run ahead.
    All,
    /// The first ones, or all that may not run ahead of what follows.
    Some,
}

impl Stage<'_, '_> {
    /// Gives each strand that does not wait its turn where it has stopped, if all of them can have theirs so.
    pub(super) fn take_turns_apart(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        strands: &mut [Strand],
        frontier: &mut Frontier,
        live: usize,
        may: &mut InPlace,
    ) -> Result<Taken, InternalError> {
        let all = strands.len();
        let count = all - may.waiting.count();
        if !frontier.none_waits || !may.may(count, all) {
            return Ok(Taken::Nobody);
        }
        let ready = Set::first(all).without(may.waiting.strands);
        if !self.can_all_turn(strands, frontier, live, may) {
            return Ok(Taken::Nobody);
        }
        let Some(circle) = Circle::after(may.last, ready) else { return Ok(Taken::Nobody) };
        let before = may.taken;
        for (range, begins) in circle.ranges(all).into_iter().zip([false, circle.begins]) {
            let mut begins = begins;
            let mut rest = range;
            while let Some(group) = next_group(strands, ready, &mut rest) {
                let turned = self.turn_of_group((gang, who), (strands, &group), frontier, may)?;
                if !turned {
                    return Ok(if may.taken == before { Taken::Nobody } else { Taken::Some });
                }
                if std::mem::take(&mut begins) {
                    may.begin();
                }
            }
        }
        self.complete_in_place(who, all, frontier, may);
        let overdue = frontier.is_overdue();
        Ok(if overdue || may.looks() { Taken::Some } else { Taken::All })
    }

    /// Whether all strands that do not wait are at an operation that can be done in place. Nothing has changed.
    fn can_all_turn(
        &self,
        strands: &[Strand],
        frontier: &Frontier,
        live: usize,
        may: &InPlace,
    ) -> bool {
        let mut known = None;
        // The barrier that all come to.
        let mut barrier = (may.waiting.count() > 0).then_some(may.waiting.met.pc);
        strands.iter().enumerate().all(|(at, strand)| {
            if may.waiting.strands.has(at) {
                return true;
            }
            if !strand.stopped || strand.placed || strand.tally.instructions >= SLICE {
                return false;
            }
            let turn = match known {
                Some((pc, turn)) if pc == strand.pc => turn,
                _ => match self.in_place_at(strand.pc) {
                    Some(turn) => turn,
                    None => return false,
                },
            };
            known = Some((strand.pc, turn));
            match turn {
                Turn::Access(..) => true,
                Turn::Arrival(_) => {
                    let is_whole = !frontier.has_aside(at) && live == strands.len();
                    is_whole && *barrier.get_or_insert(strand.pc) == strand.pc
                }
            }
        })
    }

    /// Gives strands at one operation their turns, one after the other, and has them go on behind it, or wait. Whether they
    /// have had them; if not, nothing has happened that does not come to the same when it is done again.
    fn turn_of_group(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        (strands, group): (&mut [Strand], &Group),
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) -> Result<bool, InternalError> {
        let lost = || internal!("a gang has no strands {group:?}");
        let strands = strands.get_mut(group.range.clone()).ok_or_else(lost)?;
        let operations = &*self.environment.program.operations;
        let one = u64::from(!operations[group.pc as usize].part);
        let next = group.pc + 1;
        let mut front = Front::at(operations[next as usize].rank, next);
        for (at, strand) in group.range.clone().zip(&*strands).filter(|(at, _)| group.has(*at)) {
            front.set(at, strand.mask);
        }
        let masks = front.masks().get(group.range.clone()).ok_or_else(lost)?;
        let width = || masks.iter().map(|mask| u64::from(width_of(*mask))).sum();
        let mut part = gang.part(group.range.clone()).ok_or_else(lost)?;
        let who = those_told_of(who, group.range.clone())?;
        let at = At { pc: group.pc, who, behind: 0, in_a_row: false };
        let (lanes, barrier) = match self.in_place_at(group.pc) {
            Some(Turn::Arrival(met)) => {
                self.tell_arrivals(met, &part, at, masks);
                (width(), Some(met))
            }
            Some(Turn::Access(access, guard)) => {
                for (member, mask) in part.members_mut().iter_mut().zip(masks) {
                    member.set_mask(*mask);
                }
                match self.access_in_place(access, guard, (&mut part, at), masks)? {
                    Some(lanes) => (lanes.unwrap_or_else(width), None),
                    None => return Ok(false),
                }
            }
            None => {
                return Err(internal!(
                    "strands have turns in place at {}, which has none",
                    group.pc
                ));
            }
        };
        let mut taken = Tally { lanes: one * lanes, ..Tally::default() };
        for at in front.here().iter() {
            let strand = &mut strands[at - group.range.start];
            taken.add(std::mem::take(&mut strand.tally));
            taken.instructions += one;
            strand.stopped = false;
            may.last = Some(at);
            if let Some(met) = barrier {
                may.waiting.met = met;
                may.waiting.come(at, strand.mask);
            }
        }
        self.count(taken);
        may.take(front.here().iter().count(), taken.instructions);
        if barrier.is_none() {
            front.has_turned();
            let here = front.here();
            frontier.insert(front);
            here.iter().for_each(|at| frontier.take_back(at));
        }
        Ok(true)
    }

    /// Lets all go that wait, if all of the block have come.
    fn complete_in_place(
        &mut self,
        who: &[Who<'_>],
        all: usize,
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) {
        if may.waiting.count() < all {
            return;
        }
        self.tell_met(may.waiting.met, may.waiting.arrivals(who));
        let pc = may.waiting.met.pc + 1;
        let rank = self.environment.program.operations[pc as usize].rank;
        self.counts.barriers += 1;
        frontier.now = Front::at(rank, pc);
        frontier.now.let_in(may.waiting.strands, &may.waiting.masks);
        frontier.now.has_turned();
        may.waiting.let_go();
    }
}

impl<'a> Stage<'a, '_> {
    /// What strands do at an operation, if it may be done in place.
    fn in_place_at(&self, pc: Pc) -> Option<Turn<'a>> {
        let environment = self.environment;
        let Operation { kind, guard, visible, .. } =
            environment.program.operations.get(pc as usize)?;
        if self.tells_of(pc) {
            return None;
        }
        match kind.conduct() {
            Conduct::Access(Access::Atomic(_)) => None,
            Conduct::Access(access) if *visible => Some(Turn::Access(access, *guard)),
            Conduct::Barrier(barrier) if guard.is_none() => {
                self.may_meet_in_place(barrier, pc).map(Turn::Arrival)
            }
            Conduct::Registers(_)
            | Conduct::Branch { .. }
            | Conduct::Own(_)
            | Conduct::Access(_)
            | Conduct::Barrier(_)
            | Conduct::Leave
            | Conduct::Warp(_)
            | Conduct::Fence
            | Conduct::Block
            | Conduct::Beyond(_) => None,
        }
    }
}

/// Strands at one operation whose turns come one after the other.
#[derive(Debug)]
struct Group {
    pc: Pc,
    /// They are among these,
    range: Range<usize>,
    /// and have a turn.
    ready: Set,
}

impl Group {
    fn has(&self, strand: usize) -> bool {
        self.ready.has(strand)
    }
}

/// The next strands of a range that are at one operation, of those that have a turn.
fn next_group(strands: &[Strand], ready: Set, rest: &mut Range<usize>) -> Option<Group> {
    let start = rest.clone().find(|at| ready.has(*at))?;
    let pc = strands[start].pc;
    let ends = |at: &usize| ready.has(*at) && strands[*at].pc != pc;
    let end = (start + 1..rest.end).find(ends).unwrap_or(rest.end);
    rest.start = end;
    Some(Group { pc, range: start..end, ready })
}
