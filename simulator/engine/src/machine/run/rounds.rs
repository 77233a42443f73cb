//! Forms a gang, and gives its warps turns.
//!
//! A turn whose visible operation is an access to memory has no further effect: it releases no
//! thread, ends no block and completes no barrier. The effects of an arrival at a barrier, or of
//! the end of a warp, are carried out here as after single turns ([`super::settle`]). Then the gang
//! goes on, or another is formed.
//!
//! This equals `take_turn` of [`super::turn`]. `a_gang_leaves_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares them.

use std::ops::Range;

use super::grid::Machine;
use crate::internal::InternalError;
use crate::machine::execute::gang::run_ahead::activation;
use crate::machine::execute::gang::turn_ends::is_access;
use crate::machine::execute::gang::turn_order::InPlace;
use crate::machine::execute::gang::{Room, Strand};
use crate::machine::state::block::{MOST, no_block, no_warp};
use crate::machine::state::execution::{Execution, Watcher};
use crate::machine::state::fragment::{Fragment, State};
use crate::machine::state::frame::FrameId;
use crate::machine::state::profile::Model;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::SLICE;
use crate::machine::state::warp::{Ahead, Warp};
use crate::schedule::{Choice, Move, Schedule};

/// Turns that strands have taken, one by one.
#[derive(Default)]
struct Round {
    /// The number of turns taken.
    taken: usize,
    /// Other warps have been released.
    let_go: bool,
    /// The block has ended.
    ended: bool,
}

/// Turns not yet reported to the schedule.
struct Untold {
    /// The warp with the last turn. `None` if the first one of the block comes next, and no round
    /// begins.
    last: Option<u32>,
    /// The rounds that have begun.
    rounds: u64,
    /// There are turns.
    any: bool,
}

/// The strands whose turns come next before a round begins.
struct Next {
    strands: Range<usize>,
    /// A round begins with them.
    begins: bool,
}

impl Untold {
    fn next(&self, strands: &[Strand]) -> Next {
        let is_over = |strand: &Strand| self.last.is_some_and(|last| strand.warp <= last as usize);
        let over = strands.partition_point(is_over);
        let begins = over == strands.len();
        Next { strands: if begins { 0 } else { over }..strands.len(), begins }
    }

    /// Adds turns up to the turn of a strand, in which this many rounds began.
    fn add(&mut self, last: &Strand, rounds: u64) {
        (self.last, self.any) = (Some(last.warp as u32), true);
        self.rounds += rounds;
    }

    /// Reports them to the schedule.
    fn tell(&mut self, schedule: &mut dyn Schedule) {
        if let Some(last) = self.last.filter(|_| self.any) {
            schedule.went(last, std::mem::take(&mut self.rounds));
        }
    }
}

/// The activation of all lanes of a warp that can move, if it may run ahead ([`activation`]). Other
/// warps release lanes that wait at a block barrier, and so change the warp's next step.
#[inline]
fn movable(warp: &Warp) -> Option<FrameId> {
    let waits = |fragment: &Fragment| matches!(fragment.state, State::Barrier(_));
    if warp.fragments.iter().any(waits) { None } else { activation(warp) }
}

/// The strands' share of the warps that can move in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formed {
    /// All.
    Whole,
    /// Other warps come behind them.
    Part,
}

impl Machine {
    /// Lets the warp whose turn it is, and those after it, run ahead together. Then it gives them
    /// turns, as long as these are accesses to memory, arrivals at barriers, or exits. Returns
    /// whether the chosen turn has been taken; if not, it is still to come.
    pub(in crate::machine) fn take_turns_together(
        &mut self,
        choice: Move,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        if schedule.goes_round().is_none() || !self.may_run_ahead(choice, watcher)? {
            return Ok(false);
        }
        let mut room = self.room.take().unwrap_or_default();
        let taken = self.take_rounds(choice.warp, schedule, watcher, &mut room);
        self.room = Some(room);
        taken
    }

    /// The same for a warp that may run ahead.
    fn take_rounds(
        &mut self,
        first: u32,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
        Room { strands, frontier }: &mut Room,
    ) -> Result<bool, Stop> {
        let mut formed = self.form(first as usize, strands)?;
        // The schedule has begun the round of the first turn.
        let mut untold = Untold { last: first.checked_sub(1), rounds: 0, any: false };
        while let Some(most_rounds) = schedule.goes_round().filter(|_| !strands.is_empty()) {
            let mut may = self.in_place(formed, strands, &untold, most_rounds);
            let in_place = may.rounds > 0;
            let mut next = untold.next(strands);
            if next.begins && untold.rounds == most_rounds {
                break;
            }
            // At a look at the state of the machine no warp is ahead.
            let until_look = usize::try_from(self.recurrence.turns_to_look()).unwrap_or(usize::MAX);
            next.strands.end = next.strands.end.min(next.strands.start.saturating_add(until_look));
            let run = if in_place { 0..strands.len() } else { next.strands.clone() };
            may.all = run.len() == strands.len();
            let (mut execution, warps) = self.execution(watcher)?;
            strands[run.clone()].iter().for_each(|strand| warps[strand.warp].ahead = None);
            execution.run_ahead(warps, &mut strands[run], frontier, &mut may)?;
            self.recurrence.count(may.taken);
            if let Some(last) = may.last.filter(|_| may.taken > 0) {
                untold.add(&strands[last], may.begun);
            }
            let mut round = Round::default();
            let mut are_ahead = false;
            if may.ended {
                self.end_block(watcher)?;
                round.ended = true;
            } else if may.turned {
                are_ahead = self.keep_ahead(strands.iter().filter(|strand| !strand.turned))?;
            } else {
                if in_place {
                    strands.retain(|strand| !strand.waits);
                    next = untold.next(strands);
                    let others = strands[..next.strands.start].iter();
                    are_ahead = self.keep_ahead(others)?;
                }
                if next.begins && untold.rounds == most_rounds {
                    self.keep_ahead(strands[next.strands].iter())?;
                    break;
                }
                round = self.turns(&mut strands[next.strands.clone()], watcher)?;
                if let Some(at) = round.taken.checked_sub(1) {
                    untold.add(&strands[next.strands.start + at], next.begins.into());
                }
            }
            let looks = (may.taken > 0 || round.taken > 0) && self.recurrence.looks();
            if looks {
                untold.tell(schedule);
                if self.look_for_livelock(schedule, watcher)? {
                    break;
                }
            }
            let all_taken = if may.turned { !are_ahead } else { round.taken == next.strands.len() };
            if !all_taken || round.ended || formed == Formed::Part || !self.has_steps_for_all() {
                break;
            }
            self.beat()?;
            if round.let_go || are_ahead {
                formed = self.form(untold.last.map_or(0, |warp| warp as usize + 1), strands)?;
                continue;
            }
            strands.retain(|strand| !strand.waits);
            if !self.may_go_on(strands)? {
                break;
            }
        }
        untold.tell(schedule);
        Ok(untold.any)
    }

    /// Whether each warp of a block can use up its time before the limit of steps is reached.
    fn has_steps_for_all(&self) -> bool {
        let executed = self.launched.counts.warp_instructions;
        self.max_steps.saturating_sub(executed) > (MOST as u64 + 1) * SLICE
    }

    /// Whether strands that have had a turn may run ahead again.
    fn may_go_on(&self, strands: &[Strand]) -> Result<bool, InternalError> {
        let block = self.current.as_ref().ok_or_else(no_block)?;
        let may = |strand: &Strand| activation(&block.warps[strand.warp]) == Some(strand.frame);
        Ok(strands.iter().all(may))
    }

    /// The turns that strands may take in place, if they are all that can move in their block. This
    /// many rounds come before another block has its turn.
    fn in_place(
        &self,
        formed: Formed,
        strands: &[Strand],
        untold: &Untold,
        most_rounds: u64,
    ) -> InPlace {
        let executed = self.launched.counts.warp_instructions;
        let Next { strands: next, begins } = untold.next(strands);
        let all = strands.len();
        let may = InPlace {
            rounds: most_rounds.saturating_sub(untold.rounds),
            turns: self.recurrence.turns_to_look(),
            steps: self.max_steps.saturating_sub(executed),
            last: if begins { all } else { next.start }.checked_sub(1),
            ..InPlace::NEVER
        };
        if formed == Formed::Whole && may.may(all, all) { may } else { InPlace::NEVER }
    }

    /// Gives strands that have run ahead a turn each, one after the other, as long as these are
    /// accesses, arrivals and exits. The others keep their work.
    fn turns(
        &mut self,
        strands: &mut [Strand],
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<Round, Stop> {
        let mut round = Round::default();
        let most = strands.len();
        while round.taken < most && !round.let_go && !round.ended {
            let (mut execution, warps) = self.execution(watcher)?;
            let (taken, something_follows) =
                execution.take_turns(warps, &mut strands[round.taken..most])?;
            round.taken += taken;
            if !something_follows {
                break;
            }
            self.follow(&strands[..round.taken], watcher, &mut round)?;
        }
        self.recurrence.count(round.taken as u64);
        if round.taken < most {
            self.keep_ahead(strands[round.taken..].iter())?;
        }
        Ok(round)
    }

    /// Lets strands that have run ahead keep their work, except for waiting ones. Returns whether
    /// there are any.
    fn keep_ahead<'s>(
        &mut self,
        strands: impl Iterator<Item = &'s Strand>,
    ) -> Result<bool, InternalError> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let mut any = false;
        for strand in strands.filter(|strand| !strand.waits) {
            let ahead = Ahead { tally: strand.tally, chosen: strand.chosen };
            block.warps[strand.warp].ahead = Some(ahead);
            any = true;
        }
        Ok(any)
    }

    /// Carries out the effects of the arrival or exit of the last of some strands. Barriers may be
    /// complete, the block may have ended, or no thread may be left that can move.
    fn follow(
        &mut self,
        strands: &[Strand],
        watcher: &mut Watcher<'_, '_>,
        round: &mut Round,
    ) -> Result<(), Stop> {
        let completed = self.launched.counts.barriers;
        self.complete_barriers(watcher)?;
        // Released warps may come before the next of these.
        round.let_go = self.launched.counts.barriers != completed;
        let block = self.current.as_ref().ok_or_else(no_block)?;
        if block.has_ended() {
            round.ended = true;
            return self.end_block(watcher);
        }
        let waits = strands.last().is_none_or(|strand| strand.waits);
        if waits && !round.let_go && block.warps.iter().all(|warp| warp.ready(false) == 0) {
            return Err(Stop::Deadlock(self.waiting()));
        }
        Ok(())
    }

    /// The surroundings of the warps of the current block, and the warps.
    fn execution<'a, 'o>(
        &'a mut self,
        watcher: &'a mut Watcher<'_, 'o>,
    ) -> Result<(Execution<'a, 'o>, &'a mut [Warp]), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let execution =
            self.launched.execution((block.linear, block.index), &mut block.common, watcher);
        Ok((execution, &mut block.warps))
    }

    /// Whether the warp whose turn it is may run ahead, together with others.
    fn may_run_ahead(&self, choice: Move, watcher: &Watcher<'_, '_>) -> Result<bool, Stop> {
        let interest = &self.launched.interest;
        let is_watched = watcher.is_some() && interest.instructions;
        let places = if watcher.is_some() { &*interest.places } else { &[] };
        let block = self.current.as_ref().ok_or_else(no_block)?;
        let warp = block.warps.get(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let waits_for_its_turn = warp.ahead.is_some_and(|ahead| {
            let pc = warp.fragments[ahead.chosen.index].pc;
            let operation = &self.launched.environment.program.operations[pc as usize];
            !is_access(operation) || places.get(pc as usize) == Some(&true)
        });
        Ok(self.gangs
            && !is_watched
            && !waits_for_its_turn
            && choice.lanes == Choice::Together
            && self.launched.environment.model == Model::Independent
            && self.has_steps_for_all()
            && block.common.in_flight.is_none())
    }

    /// Makes strands of the ready warps that may run ahead: of all, or of consecutive ones from
    /// `next` on.
    fn form(&mut self, next: usize, strands: &mut Vec<Strand>) -> Result<Formed, InternalError> {
        let block = self.current.as_ref().ok_or_else(no_block)?;
        strands.clear();
        let mut function = None;
        let mut formed = Formed::Whole;
        // Reserves for all, so that no strand causes an allocation.
        strands.reserve(block.warps.len());
        for (number, warp) in block.warps.iter().enumerate() {
            let movable = match warp.fragments.as_slice() {
                // Usually all lanes are at one place, and can move.
                [Fragment { state: State::Ready, passed_over: 0, frame, mask: 1.., .. }] => {
                    Some(*frame)
                }
                _ if warp.ready(false) == 0 => continue,
                _ => movable(warp),
            };
            let frame = movable.filter(|frame| {
                let here = warp.frames[usize::from(*frame)].function;
                strands.len() < MOST && *function.get_or_insert(here) == here
            });
            match frame {
                Some(frame) => strands.push(Strand::new(number, frame, warp.ahead)),
                None if number >= next => {
                    formed = Formed::Part;
                    break;
                }
                None => {
                    formed = Formed::Part;
                    function = None;
                    strands.clear();
                }
            }
        }
        if formed == Formed::Part {
            strands.retain(|strand| strand.warp >= next);
        }
        Ok(formed)
    }
}
