//! The order of the strands' turns, and how many turns may be taken in place.
//!
//! The schedule gives the warps of a block that can move a turn each, in their order, and then
//! begins again. A warp that is released while others have their turns comes in the place of its
//! number. So the order is a circle: the next strand behind the last one comes next.
//!
//! This equals the schedule's order of single turns.
//! `strands_come_in_the_order_of_their_numbers_behind_the_last_one`, a test of this file, compares
//! them.

use std::ops::Range;

use super::barrier_events::Met;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::execute::strand_set::Set;
use crate::machine::state::block::MOST;
use crate::machine::state::tally::SLICE;
use crate::observe::Who;

/// One turn for each of some strands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Circle {
    /// The strand that comes first. The strands before it come after the last one.
    pub(in crate::machine) first: usize,
    /// The strand that comes last.
    pub(in crate::machine) last: usize,
    /// A round begins anew: the first strands follow the last ones, or begin it.
    pub(in crate::machine) begins: bool,
}

impl Circle {
    /// The turns of all these strands, after the strand with the last turn; `None` for no strands.
    #[inline(always)]
    pub(in crate::machine) fn after(last: Option<usize>, strands: Set) -> Option<Circle> {
        let Range { start: lowest, end } = strands.range()?;
        let highest = end - 1;
        let Some(last) = last else {
            return Some(Circle { first: lowest, last: highest, begins: false });
        };
        if last >= highest {
            return Some(Circle { first: lowest, last: highest, begins: true });
        }
        let until = Set::first(last + 1);
        let first = strands.without(until).range()?.start;
        Some(match strands.without(strands.without(until)).range() {
            None => Circle { first, last: highest, begins: false },
            Some(before) => Circle { first, last: before.end - 1, begins: true },
        })
    }

    /// The strands in their order, in two ranges; one may be empty. If a round begins anew, the
    /// second range has its turns after that.
    pub(in crate::machine) fn ranges(self, strands: usize) -> [Range<usize>; 2] {
        match (self.begins, self.first > self.last) {
            (false, _) => [self.first..strands, 0..0],
            (true, true) => [self.first..strands, 0..self.first],
            (true, false) => [0..0, 0..strands],
        }
    }
}

/// The turns of a circle, taken in parts.
pub(in crate::machine) struct Order {
    /// The strands in their order.
    ranges: [Range<usize>; 2],
    /// A round begins anew with the first turn in the second range.
    begins: bool,
}

impl Order {
    /// The order of this many strands.
    #[inline(always)]
    pub(in crate::machine) fn of(circle: Circle, strands: usize) -> Order {
        Order { ranges: circle.ranges(strands), begins: circle.begins }
    }

    /// The strands of a set that come first, and the others.
    #[inline(always)]
    pub(in crate::machine) fn parts(&self, strands: Set) -> [Set; 2] {
        let [first, then] = &self.ranges;
        [first, then].map(|range| strands.among(Set::of_range(range.clone())))
    }

    /// The strands from this number on come first. No strand does if all are in the second range.
    #[inline(always)]
    pub(in crate::machine) fn first(&self) -> usize {
        self.ranges[0].start
    }

    /// The strands of `others` that come before all of `strands`; `None` if some come between
    /// these.
    #[inline(always)]
    pub(in crate::machine) fn before_all(&self, strands: Set, others: Set) -> Option<Set> {
        let ([those, wrapped], [first, then]) = (self.parts(strands), self.parts(others));
        let between = |one: Set, others: Set| {
            one.range().is_some_and(|range| !others.among(Set::of_range(range)).is_empty())
        };
        if between(those, first) || between(wrapped, then) {
            return None;
        }
        let below =
            |one: Set, others: Set| one.range().map(|range| others.among(Set::first(range.start)));
        match (below(those, first), below(wrapped, then)) {
            (None, before) => before.map(|before| before.with(first)),
            (before, None) => before,
            // No other strand comes between these.
            (Some(before), Some(between)) => {
                (before == first && between.is_empty()).then_some(before)
            }
        }
    }
}

/// Turns that a gang may take in place, and what it has done in them.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct InPlace {
    /// The rounds that may be begun.
    pub(in crate::machine) rounds: u64,
    /// The turns up to the next look at the state, including its own turn.
    pub(in crate::machine) turns: u64,
    /// The instructions that may be executed.
    pub(in crate::machine) steps: u64,
    /// The rounds that have begun.
    pub(in crate::machine) begun: u64,
    /// The turns taken.
    pub(in crate::machine) taken: u64,
    /// The strand that has had the last turn. `None` if the first comes next, and no round begins
    /// with it.
    pub(in crate::machine) last: Option<usize>,
    /// They are all strands, so all are in one function after a call or return, too.
    pub(in crate::machine) all: bool,
    /// All warps of the block have ended in their turns.
    pub(in crate::machine) ended: bool,
    /// The last turns are over, and their strands have not run ahead of the next operation.
    pub(in crate::machine) turned: bool,
    /// The strands that wait at a block barrier.
    pub(in crate::machine) waiting: Waiting,
}

impl InPlace {
    /// No turns.
    pub(in crate::machine) const NEVER: InPlace = InPlace {
        rounds: 0,
        turns: 0,
        steps: 0,
        begun: 0,
        taken: 0,
        last: None,
        all: false,
        ended: false,
        turned: false,
        waiting: Waiting::NOBODY,
    };

    /// Whether this many strands of `all` may take a turn each.
    #[inline]
    pub(in crate::machine) fn may(&self, strands: usize, all: usize) -> bool {
        let (turns, all) = (strands as u64, all as u64);
        // No strand runs ahead of a look: the look comes now, or all can have another turn before
        // it. Each may use up its time, in this turn and before the next one. A round may begin
        // with these turns, and another behind them.
        let looks = self.turns == turns || self.turns >= turns + all;
        self.rounds > 1 && looks && self.steps > 2 * all * SLICE
    }

    /// Whether turns were taken up to the next look at the state.
    #[inline]
    pub(in crate::machine) fn looks(&self) -> bool {
        self.taken > 0 && self.turns == 0
    }

    /// This many strands have taken a turn each, with this many instructions in all.
    #[inline]
    pub(in crate::machine) fn take(&mut self, strands: usize, instructions: u64) {
        self.turns -= strands as u64;
        self.steps = self.steps.saturating_sub(instructions);
        self.taken += strands as u64;
    }

    /// Strands have taken a turn each, one after the other in this order, with this many
    /// instructions in all.
    #[inline(always)]
    pub(in crate::machine) fn take_in(
        &mut self,
        order: &mut Order,
        strands: Set,
        instructions: u64,
    ) {
        self.take(strands.count(), instructions);
        for (strands, is_second) in order.parts(strands).into_iter().zip([false, true]) {
            let Some(range) = strands.range() else { continue };
            self.last = Some(range.end - 1);
            if is_second && std::mem::take(&mut order.begins) {
                self.begin();
            }
        }
    }

    /// A round begins anew.
    #[inline]
    pub(in crate::machine) fn begin(&mut self) {
        self.rounds -= 1;
        self.begun += 1;
    }
}

/// Strands that wait at a block barrier, each with all lanes at one operation.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Waiting {
    /// The barrier; arbitrary while none waits.
    pub(in crate::machine) met: Met,
    /// The strands.
    pub(in crate::machine) strands: Set,
    /// The lanes of each strand; none if it does not wait.
    pub(in crate::machine) masks: [Mask; MOST],
    /// The strands in the order of their arrival.
    come: [u8; MOST],
    count: usize,
    /// The number of waiting lanes.
    pub(in crate::machine) width: u64,
}

impl Waiting {
    const NOBODY: Waiting = Waiting {
        met: Met { pc: 0, id: 0, aligned: true },
        strands: Set::NONE,
        masks: [0; MOST],
        come: [0; MOST],
        count: 0,
        width: 0,
    };

    /// The number of strands.
    #[inline]
    pub(in crate::machine) fn count(&self) -> usize {
        self.count
    }

    /// Whether strands that arrive at an operation can wait there with the others.
    #[inline]
    pub(in crate::machine) fn is_at(&self, pc: Pc) -> bool {
        self.count == 0 || self.met.pc == pc
    }

    /// Strands arrive, one after the other, with this many lanes.
    #[inline(always)]
    pub(in crate::machine) fn come(&mut self, strands: Set, masks: &[Mask; MOST], width: u64) {
        for strand in strands.iter() {
            self.masks[strand] = masks[strand];
            self.come[self.count] = strand as u8;
            self.count += 1;
        }
        self.strands = self.strands.with(strands);
        self.width += width;
    }

    /// The strands in the order of their arrival.
    pub(in crate::machine) fn in_order(&self) -> impl Iterator<Item = usize> {
        self.come.iter().take(self.count).map(|strand| usize::from(*strand))
    }

    /// The warps in the order of their arrival, and their lanes; `who` are the identities of all
    /// strands.
    pub(in crate::machine) fn arrivals(
        &self,
        who: &[Who<'_>],
    ) -> impl Iterator<Item = (u32, Mask)> {
        self.in_order().map(|at| (who[at].warp, self.masks[at]))
    }

    /// Releases all.
    pub(in crate::machine) fn let_go(&mut self) {
        (self.strands, self.masks, self.count, self.width) = (Set::NONE, [0; MOST], 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule's order of turns, one after the other.
    fn one_by_one(last: Option<usize>, masks: &[Mask]) -> (Vec<usize>, bool) {
        let start = last.map_or(0, |last| last + 1);
        let around = (start..masks.len()).chain(0..start.min(masks.len()));
        let order: Vec<usize> = around.filter(|strand| masks[*strand] != 0).collect();
        let begins = last.is_some_and(|last| order.iter().any(|strand| *strand <= last));
        (order, begins)
    }

    #[test]
    fn strands_come_in_the_order_of_their_numbers_behind_the_last_one() {
        for bits in 0_u32..1 << 5 {
            let masks: Vec<Mask> = (0..5).map(|strand| bits >> strand & 1).collect();
            let mut strands = Set::NONE;
            masks.iter().enumerate().for_each(|(at, mask)| strands.set(at, *mask != 0));
            for last in [None, Some(0), Some(1), Some(2), Some(3), Some(4)] {
                let (order, begins) = one_by_one(last, &masks);
                let Some(circle) = Circle::after(last, strands) else {
                    assert!(order.is_empty());
                    continue;
                };
                let [first, then] = circle.ranges(5);
                let is_here = |strand: &usize| masks[*strand] != 0;
                let ranges: Vec<usize> =
                    first.clone().chain(then.clone()).filter(is_here).collect();
                assert_eq!((&ranges, circle.begins), (&order, begins), "{masks:?} {last:?}");
                assert_eq!(Some(&circle.last), order.last());
                assert_eq!(Some(&circle.first), order.first());
                // With the second range a round begins anew.
                let wraps = last.is_some_and(|last| then.clone().any(|strand| strand <= last));
                assert_eq!(wraps, begins);
                assert!(!first.clone().filter(is_here).any(|s| last.is_some_and(|l| s <= l)));
            }
        }
    }

    #[test]
    fn turns_taken_in_parts_come_in_the_order_of_the_circle() {
        let masks_of = |bits: u32| (0..5).map(|strand| bits >> strand & 1).collect::<Vec<Mask>>();
        let (mut orders, mut between) = (0, 0);
        for (those, others) in
            (0_u32..1 << 5).flat_map(|a| (0_u32..1 << 5).map(move |b| (a, b & !a)))
        {
            for last in [None, Some(0), Some(1), Some(2), Some(3), Some(4)] {
                let (sequence, begins) = one_by_one(last, &masks_of(those | others));
                let Some(circle) = Circle::after(last, Set::of(those | others)) else { continue };
                let mut order = Order::of(circle, 5);
                let parts = order.parts(Set::of(those | others));
                let found: Vec<usize> = parts.iter().flat_map(|part| part.iter()).collect();
                assert_eq!(found, sequence);
                let at = |strand: &usize| those >> strand & 1 != 0;
                let Some(start) = sequence.iter().position(at) else { continue };
                let count = those.count_ones() as usize;
                let in_a_row = sequence[start..].iter().take(count).all(at);
                let expected = in_a_row.then(|| {
                    Set::of(sequence[..start].iter().fold(0, |all, strand| all | 1 << strand))
                });
                let before = order.before_all(Set::of(those), Set::of(others));
                assert_eq!(before, expected, "{those:b} among {others:b} after {last:?}");
                let Some(before) = before else {
                    between += 1;
                    continue;
                };
                let mut may = InPlace { rounds: 9, turns: 99, steps: 99, last, ..InPlace::NEVER };
                for part in [before, Set::of(those), Set::of(others).without(before)] {
                    may.take_in(&mut order, part, 3);
                }
                let taken = sequence.len() as u64;
                assert_eq!((may.last, may.begun), (sequence.last().copied(), begins.into()));
                assert_eq!((may.taken, may.turns), (taken, 99 - taken));
                orders += 1;
            }
        }
        assert!(orders > 500 && between > 500, "{orders}, {between} with others in between");
    }

    #[test]
    fn who_comes_to_a_barrier_is_let_go_with_the_others() {
        let mut waiting = Waiting::NOBODY;
        assert!(waiting.is_at(7));
        waiting.met = Met { pc: 7, id: 3, aligned: true };
        let mut masks = [0; MOST];
        (masks[4], masks[1]) = (0b11, 0b1);
        waiting.come(Set::of(1 << 4), &masks, 2);
        waiting.come(Set::of(1 << 1), &masks, 1);
        assert_eq!((waiting.count(), waiting.is_at(7), waiting.is_at(8)), (2, true, false));
        assert_eq!(waiting.in_order().collect::<Vec<_>>(), [4, 1]);
        assert_eq!((waiting.masks[4], waiting.masks[1], waiting.masks[0]), (0b11, 1, 0));
        assert_eq!(waiting.width, 3);
        waiting.let_go();
        assert_eq!((waiting.count(), waiting.width, waiting.masks), (0, 0, [0; MOST]));
    }
}
