//! Turns that the warps of a gang take where they stand, at different places: each at an access to memory, or at a barrier of the block, where it waits for the others.
//!
//! The warps are all that can move in their block, and each has run up to the visible operation of its turn. Those whose turns
//! come one after the other, at one operation, have them together.

use super::Strand;
use super::frontier::{Front, Frontier, Left};
use super::met::Met;
use super::order::{Circle, InPlace};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask};
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
        let mut masks = may.waiting.masks.map(|_| 0);
        for ((mask, strand), waits) in masks.iter_mut().zip(&*strands).zip(may.waiting.masks) {
            *mask = if waits == 0 { strand.mask } else { 0 };
        }
        if !self.can_all_turn(strands, frontier, live, may) {
            return Ok(Taken::Nobody);
        }
        let Some(circle) = Circle::after(may.last, &masks) else { return Ok(Taken::Nobody) };
        let before = may.taken;
        for (range, begins) in circle.ranges(all).into_iter().zip([false, circle.begins]) {
            let mut begins = begins;
            let mut rest = range;
            while let Some(group) = next_group(strands, &masks, &mut rest) {
                let turned =
                    self.turn_of_group((gang, who), (strands, group.clone()), &masks, may)?;
                if !turned {
                    return Ok(if may.taken == before { Taken::Nobody } else { Taken::Some });
                }
                if std::mem::take(&mut begins) {
                    may.begin();
                }
                self.go_on(&mut strands[group.clone()], group.start, &masks, frontier, may);
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
        strands.iter().enumerate().zip(may.waiting.masks).all(|((at, strand), waits)| {
            if waits != 0 {
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

    /// Gives strands at one operation their turns, one after the other. Whether they have had them; if not, nothing has
    /// happened that does not come to the same when it is done again.
    fn turn_of_group(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        (strands, group): (&mut [Strand], std::ops::Range<usize>),
        masks: &[Mask],
        may: &mut InPlace,
    ) -> Result<bool, InternalError> {
        let pc = strands[group.start].pc;
        let one = u64::from(!self.environment.program.operations[pc as usize].part);
        let masks = &masks[group.clone()];
        let width = || masks.iter().map(|mask| u64::from(width_of(*mask))).sum();
        let Some(mut part) = gang.part(group.clone()) else {
            return Err(internal!("a gang has no strands {group:?}"));
        };
        let at = At { pc, who: who.get(group.clone()).unwrap_or(&[]), behind: 0 };
        let (lanes, barrier) = match self.in_place_at(pc) {
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
            None => return Err(internal!("strands have turns in place at {pc}, which has none")),
        };
        let mut taken = Tally { lanes: one * lanes, ..Tally::default() };
        let mut count = 0;
        for ((strand, mask), at) in strands[group.clone()].iter_mut().zip(masks).zip(group) {
            if *mask == 0 {
                continue;
            }
            taken.add(std::mem::take(&mut strand.tally));
            taken.instructions += one;
            strand.stopped = false;
            count += 1;
            may.last = Some(at);
            if let Some(met) = barrier {
                may.waiting.met = met;
                may.waiting.come(at, *mask);
            }
        }
        self.count(taken);
        may.take(count, taken.instructions);
        Ok(true)
    }

    /// Has strands that have had their turns go on behind the operation, but for those that wait.
    fn go_on(
        &self,
        strands: &mut [Strand],
        first: usize,
        masks: &[Mask],
        frontier: &mut Frontier,
        may: &InPlace,
    ) {
        let operations = &*self.environment.program.operations;
        for (at, strand) in (first..).zip(strands) {
            if masks[at] == 0 || may.waiting.masks[at] != 0 {
                continue;
            }
            let pc = strand.pc + 1;
            let rank = operations[pc as usize].rank;
            frontier.add(at, Left { mask: strand.mask, pc, rank, passed_over: 1 });
            frontier.take_back(at);
        }
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
        let passed_over = [1; super::MOST];
        frontier.now = Front { masks: may.waiting.masks, passed_over, ..Front::at(rank, pc) };
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

/// The next strands of a range that are at one operation; waiting ones may be among them.
fn next_group(
    strands: &[Strand],
    masks: &[Mask],
    rest: &mut std::ops::Range<usize>,
) -> Option<std::ops::Range<usize>> {
    let start = rest.clone().find(|at| masks[*at] != 0)?;
    let pc = strands[start].pc;
    let ends = |at: &usize| masks[*at] != 0 && strands[*at].pc != pc;
    let end = (start + 1..rest.end).find(ends).unwrap_or(rest.end);
    rest.start = end;
    Some(start..end)
}
