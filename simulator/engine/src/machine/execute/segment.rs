//! Segments: register operations, and branches that all lanes of each warp take alike, one after
//! the other, that no observer asks for.
//!
//! They change only the registers of an activation and the place in the program. So they run in a
//! separate loop, which examines nothing else. The loop serves one warp, or several at one place
//! ([`super::gang`]). Lanes of gangs may also diverge at a branch whose two ways are a few register
//! operations each ([`crate::lower::Diamond`]). Most instructions of most kernels are executed
//! here.
//!
//! This equals [`super::fragment`], which executes one operation of one warp at a time.
//! `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares segments of several warps with one warp's.
//! `single_programs_give_what_the_naive_interpreter_gives`
//! (`tests/tests/suite/differential_single.rs`) compares results with a naive interpreter.

use std::slice;

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{FULL, Gang, Mask, Member};
use crate::lower::{Conduct, Diamond, Guard, Operation, Pc, Program};
use crate::machine::execute::tallies::Tallies;
use crate::machine::state::block::MOST;
use crate::machine::state::tally::{SLICE, Tally, width_of};

/// Warps that execute a segment: all lists have the same length.
#[derive(Debug)]
pub(in crate::machine) struct Walkers<'g, 'r> {
    /// Their registers. The active lanes are `masks`, except during an operation.
    gang: Gang<'g, 'r>,
    /// The lanes of each.
    masks: &'g [Mask],
    /// For each warp, the sum of lanes that took part in guarded operations.
    lanes: &'g mut [u64],
    /// `masks` are all lanes of all of them.
    whole: bool,
    /// The separate counts of each warp, and the number of the first; `None` if the caller handles
    /// lanes that diverge.
    apart: Option<(&'g mut Tallies, usize)>,
}

/// How a segment goes on.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Way<'p> {
    /// Instructions that may be executed.
    pub allotted: u64,
    /// The rank of a basic block at which others may be.
    pub horizon: u32,
    /// Whether an observer asks for an operation, by program counter; empty if for none.
    pub places: &'p [bool],
}

impl Way<'_> {
    /// Whether an observer asks for one of this many operations from a place on.
    #[inline(always)]
    fn tells_of(&self, pc: Pc, operations: u32) -> bool {
        self.places.iter().skip(pc as usize).take(operations as usize).any(|told| *told)
    }
}

/// Why a segment has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) enum End {
    /// At an operation of another kind, or a branch at which lanes of a warp, or warps, diverge.
    Other,
    /// At an operation that an observer asks for.
    Told,
    /// At a basic block whose rank is the horizon or more.
    Horizon,
    /// The allotted instructions are used up.
    Spent,
}

/// The common counts of all warps of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::machine) struct Alike {
    /// Instructions.
    pub instructions: u64,
    /// Instructions among them in which all lanes took part.
    pub whole: u64,
    /// Branches that depend on a predicate.
    pub branches: u64,
}

impl Alike {
    /// Counts the branch at which lanes diverge, if a segment has ended at one.
    #[inline]
    pub(in crate::machine) fn count_branch(&mut self, operation: &Operation, end: End) {
        if end == End::Other && matches!(operation.kind.conduct(), Conduct::Branch { .. }) {
            let one = u64::from(!operation.part);
            self.instructions += one;
            self.whole += one;
            self.branches += 1;
        }
    }

    /// Counts a branch that all lanes take, wherever they go.
    #[inline]
    pub(in crate::machine) fn count_whole_branch(&mut self) {
        self.instructions += 1;
        self.whole += 1;
        self.branches += 1;
    }

    /// The counts for this many warps together, with this many lanes; none took part in guarded
    /// operations.
    pub(in crate::machine) fn of_all(self, warps: u64, width: u64) -> Tally {
        Tally {
            instructions: self.instructions * warps,
            lanes: self.whole * width,
            branches: self.branches * warps,
            divergent: 0,
        }
    }

    /// The counts for a warp of this many lanes; `lanes` is the sum over guarded operations.
    pub(in crate::machine) fn tally(self, width: u32, lanes: u64) -> Tally {
        Tally {
            instructions: self.instructions,
            lanes: self.whole * u64::from(width) + lanes,
            branches: self.branches,
            divergent: 0,
        }
    }
}

/// For which warps a guard holds.
enum Holds {
    /// For all lanes of all of them.
    All,
    /// For no lane of any.
    Nowhere,
    /// For some.
    Some,
}

impl<'g, 'r> Walkers<'g, 'r> {
    /// Warps with these lanes; `lanes` gets the sums over guarded operations.
    #[inline(always)]
    pub(in crate::machine) fn new(
        gang: Gang<'g, 'r>,
        masks: &'g [Mask],
        lanes: &'g mut [u64],
        apart: (&'g mut Tallies, usize),
    ) -> Result<Walkers<'g, 'r>, InternalError> {
        let members = gang.members().len();
        if masks.len() != members || lanes.len() != members {
            return Err(internal!("{members} warps with {} masks", masks.len()));
        }
        let whole = masks.iter().fold(FULL, |all, mask| all & mask) == FULL;
        Ok(Walkers { gang, masks, lanes, whole, apart: Some(apart) })
    }

    /// The warps, for another operation, and their lanes.
    #[inline]
    pub(in crate::machine) fn gang(&mut self) -> (&mut Gang<'g, 'r>, &'g [Mask]) {
        (&mut self.gang, self.masks)
    }

    /// The separate counts of each warp.
    #[inline(always)]
    pub(in crate::machine) fn apart(&mut self) -> Option<&mut Tallies> {
        self.apart.as_mut().map(|(tallies, _)| &mut **tallies)
    }

    /// Takes the sum of lanes over guarded operations since the last call, for all warps.
    #[inline]
    pub(in crate::machine) fn take_lanes(&mut self) -> u64 {
        let lanes = self.lanes.iter().sum();
        self.lanes.fill(0);
        lanes
    }

    /// One warp.
    #[inline]
    pub(in crate::machine) fn of_one(
        member: &'g mut Member<'r>,
        mask: &'g Mask,
        lanes: &'g mut u64,
    ) -> Walkers<'g, 'r> {
        let (masks, lanes) = (slice::from_ref(mask), slice::from_mut(lanes));
        Walkers { gang: Gang::of_one(member), masks, lanes, whole: masks == [FULL], apart: None }
    }
}

impl Walkers<'_, '_> {
    /// Activates the lanes of each warp for which a guard holds.
    #[inline]
    fn activate(&mut self, guard: Guard) -> Holds {
        let (mut whole, mut any) = (true, false);
        for ((member, lanes), mask) in self.gang.predicates(guard.predicate).zip(self.masks) {
            let lanes = if guard.negated { !lanes } else { lanes };
            let active = mask & lanes;
            member.set_mask(active);
            whole &= active == *mask;
            any |= active != 0;
        }
        match (whole, any) {
            (true, true) => Holds::All,
            (_, false) => Holds::Nowhere,
            (false, true) => Holds::Some,
        }
    }

    /// For which of the warps a guard holds.
    #[inline(always)]
    fn decide(&self, guard: Guard) -> Holds {
        if self.whole {
            // All lanes of all warps: usually a predicate's lanes agree.
            let (mut all, mut any) = (FULL, 0);
            for holds in self.gang.held(guard.predicate) {
                all &= holds;
                any |= holds;
            }
            return match (all == FULL, any == 0) {
                (true, _) if guard.negated => Holds::Nowhere,
                (true, _) => Holds::All,
                (_, true) if guard.negated => Holds::All,
                (_, true) => Holds::Nowhere,
                (false, false) => Holds::Some,
            };
        }
        // The lanes of any warp for which it holds, and for which it does not.
        let (mut taken, mut not_taken) = (0, 0);
        for (holds, mask) in self.gang.held(guard.predicate).zip(self.masks) {
            taken |= mask & holds;
            not_taken |= mask & !holds;
        }
        if guard.negated {
            (taken, not_taken) = (not_taken, taken);
        }
        match (taken != 0, not_taken != 0) {
            (true, false) => Holds::All,
            (false, _) => Holds::Nowhere,
            (true, true) => Holds::Some,
        }
    }

    /// Executes both ways of a diamond, each for its lanes. Returns the instructions that remain
    /// allotted, after those counted for each warp separately; `None` if it was not executed.
    #[inline(never)]
    fn cross(&mut self, diamond: &Diamond, guard: Guard) -> Option<u64> {
        let (tallies, first) = self.apart.as_mut()?;
        // Computed before any execution: a way may change the predicate.
        let mut ways = [[0; 2]; MOST];
        let held = self.gang.held(guard.predicate).zip(self.masks);
        for (way, (holds, mask)) in ways.iter_mut().zip(held) {
            let holds = if guard.negated { !holds } else { holds };
            *way = [mask & holds, mask & !holds];
        }
        for (at, side) in diamond.sides.iter().enumerate() {
            let Some(run) = &side.run else { continue };
            for (member, lanes) in self.gang.members_mut().iter_mut().zip(&ways) {
                member.set_mask(lanes[at]);
            }
            run.drive(&mut self.gang);
        }
        let mut most = 0;
        for (at, lanes) in ways.iter().enumerate().filter(|(_, [a, b])| a | b != 0) {
            let tally = tallies.of(*first + at);
            for (side, mask) in diamond.sides.iter().zip(lanes).filter(|(_, mask)| **mask != 0) {
                let count = u64::from(side.instructions);
                tally.instructions += count;
                tally.lanes += count * u64::from(width_of(*mask));
            }
            tally.divergent += u64::from(!lanes.contains(&0));
            most = most.max(tally.instructions);
        }
        self.reset();
        Some(SLICE.saturating_sub(most))
    }

    /// Activates all lanes again; the active lanes are counted for `count` instructions.
    #[inline]
    fn restore(&mut self, count: u64) {
        let masks = self.masks.iter().zip(self.lanes.iter_mut());
        for (member, (mask, lanes)) in self.gang.members_mut().iter_mut().zip(masks) {
            *lanes += count * u64::from(width_of(member.mask()));
            member.set_mask(*mask);
        }
    }

    /// Activates all lanes again.
    #[inline]
    fn reset(&mut self) {
        for (member, mask) in self.gang.members_mut().iter_mut().zip(self.masks) {
            member.set_mask(*mask);
        }
    }

    /// Executes a segment from `pc` on, and sets `pc` to the next operation.
    #[inline]
    pub(in crate::machine) fn walk(
        &mut self,
        program: &Program,
        way: Way<'_>,
        pc: &mut Pc,
        alike: &mut Alike,
    ) -> End {
        match way.places.is_empty() {
            true => self.walk_between::<false>(program, way, pc, alike),
            false => self.walk_between::<true>(program, way, pc, alike),
        }
    }

    /// The same; `TOLD` if there are operations that an observer asks for.
    ///
    /// Not inlined, so that this hot loop has the processor's registers for itself.
    #[inline(never)]
    fn walk_between<const TOLD: bool>(
        &mut self,
        program: &Program,
        way: Way<'_>,
        pc: &mut Pc,
        alike: &mut Alike,
    ) -> End {
        let Way { mut allotted, horizon, .. } = way;
        let Alike { mut instructions, mut whole, mut branches } = *alike;
        let operations = &*program.operations;
        let mut at = *pc;
        let mut operation = &operations[at as usize];
        let end = loop {
            if instructions >= allotted && !operation.part {
                break End::Spent;
            }
            if TOLD && way.tells_of(at, 1) {
                break End::Told;
            }
            let mut one = u64::from(!operation.part);
            match (operation.kind.conduct(), operation.guard) {
                (Conduct::Registers(action), None) => {
                    match program.runs.at(at) {
                        Some(run)
                            if instructions + u64::from(run.operations()) <= allotted
                                && !(TOLD && way.tells_of(at, run.operations())) =>
                        {
                            run.drive(&mut self.gang);
                            one = run.operations().into();
                            at += run.operations();
                        }
                        Some(_) | None => {
                            action.drive(&mut self.gang);
                            at += 1;
                        }
                    }
                    whole += one;
                }
                (Conduct::Registers(action), Some(guard)) => {
                    match self.activate(guard) {
                        Holds::All => {
                            action.drive(&mut self.gang);
                            whole += one;
                        }
                        Holds::Nowhere => self.reset(),
                        Holds::Some => {
                            action.drive(&mut self.gang);
                            self.restore(one);
                        }
                    }
                    at += 1;
                }
                (Conduct::Branch { target }, None) => {
                    whole += one;
                    at = target;
                }
                (Conduct::Branch { target }, Some(guard)) => {
                    at = match self.decide(guard) {
                        Holds::All => target,
                        Holds::Nowhere => at + 1,
                        Holds::Some => {
                            let left = allotted.saturating_sub(instructions + one);
                            let diamond = program.diamonds.at(at).filter(|diamond| {
                                diamond.rank < horizon
                                    && diamond.instructions() < left
                                    && !(TOLD
                                        && diamond.operations().any(|(pc, n)| way.tells_of(pc, n)))
                            });
                            match diamond.map(|diamond| (diamond, self.cross(diamond, guard))) {
                                Some((diamond, Some(most))) => {
                                    allotted = most;
                                    diamond.join
                                }
                                Some((_, None)) | None => break End::Other,
                            }
                        }
                    };
                    // The lanes that do not take it execute it, too.
                    whole += one;
                    branches += 1;
                }
                (
                    Conduct::Own(_)
                    | Conduct::Access(_)
                    | Conduct::Barrier(_)
                    | Conduct::Leave
                    | Conduct::Warp(_)
                    | Conduct::Fence
                    | Conduct::Block
                    | Conduct::Beyond(_),
                    _,
                ) => break End::Other,
            }
            instructions += one;
            operation = &operations[at as usize];
            if operation.leader && operation.rank >= horizon {
                break End::Horizon;
            }
        };
        *pc = at;
        *alike = Alike { instructions, whole, branches };
        end
    }
}
