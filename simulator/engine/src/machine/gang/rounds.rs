//! Forming a gang, and giving its warps turns.
//!
//! Nothing follows from a turn whose visible operation is an access to memory: nobody is let go,
//! nobody ends, nothing is completed. What follows from an arrival at a barrier, or from the end of
//! a warp, is done here as it is done after single turns ([`crate::machine::settle`]); then the
//! gang goes on, or another is formed.

use std::ops::Range;

use super::ahead::activation;
use super::order::InPlace;
use super::turns::is_access;
use super::{Ahead, MOST, Room, Strand};
use crate::internal::InternalError;
use crate::machine::frame::FrameId;
use crate::machine::grid::{Machine, SLICE, Watcher, no_block, no_warp};
use crate::machine::profile::Model;
use crate::machine::stage::Stage;
use crate::machine::stall;
use crate::machine::stop::Stop;
use crate::machine::warp::{Fragment, State, Warp};
use crate::schedule::{Choice, Move, Schedule};

/// Turns that strands have taken, one by one.
#[derive(Default)]
struct Round {
    /// How many of them have.
    taken: usize,
    /// Others have been let go.
    let_go: bool,
    /// The block has ended.
    ended: bool,
}

/// Turns of which the schedule has not been told.
struct Untold {
    /// The warp that has had the last turn; none has when the first one of the block comes next,
    /// and no round begins.
    last: Option<u32>,
    /// The rounds that have been begun.
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

    /// Turns up to that of a strand, in which so many rounds began.
    fn add(&mut self, last: &Strand, rounds: u64) {
        (self.last, self.any) = (Some(last.warp as u32), true);
        self.rounds += rounds;
    }

    /// Tells the schedule.
    fn tell(&mut self, schedule: &mut dyn Schedule) {
        if let Some(last) = self.last.filter(|_| self.any) {
            schedule.went(last, std::mem::take(&mut self.rounds));
        }
    }
}

/// The activation in which all lanes of a warp are that can move, if it may run ahead
/// ([`activation`]). What waits at a barrier of the block is let go by others, and changes what the
/// warp does next.
#[inline]
fn movable(warp: &Warp) -> Option<FrameId> {
    let waits = |fragment: &Fragment| matches!(fragment.state, State::Barrier(_));
    if warp.fragments.iter().any(waits) { None } else { activation(warp) }
}

/// Which part of the warps that can move in a block strands are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formed {
    /// All.
    Whole,
    /// Others come behind them.
    Part,
}

impl Machine {
    /// Lets the warp whose turn it is, and those after it, run ahead together, and gives them turns
    /// as far as these are accesses to memory, arrivals at barriers, or exits. Whether the turn
    /// that was chosen has been taken; if not, it is still to come.
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
            // A look at the state of the machine finds no warp ahead.
            let until_look = usize::try_from(self.recurrence.turns_to_look()).unwrap_or(usize::MAX);
            next.strands.end = next.strands.end.min(next.strands.start.saturating_add(until_look));
            let run = if in_place { 0..strands.len() } else { next.strands.clone() };
            may.all = run.len() == strands.len();
            let (mut stage, warps) = self.stage(watcher)?;
            strands[run.clone()].iter().for_each(|strand| warps[strand.warp].ahead = None);
            stage.run_ahead(warps, &mut strands[run], frontier, &mut may)?;
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

    /// The turns that strands may take in place, if they are all that can move in their block, with
    /// so many rounds before another block has its turn.
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

    /// Gives strands that have run ahead a turn each, one after the other, as far as these are
    /// accesses, arrivals and exits. The others keep what they have done.
    fn turns(
        &mut self,
        strands: &mut [Strand],
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<Round, Stop> {
        let mut round = Round::default();
        let most = strands.len();
        while round.taken < most && !round.let_go && !round.ended {
            let (mut stage, warps) = self.stage(watcher)?;
            let (taken, something_follows) =
                stage.take_turns(warps, &mut strands[round.taken..most])?;
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

    /// Has strands that have run ahead keep what they have done, but for those that wait. Whether
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

    /// Does what follows from the arrival or exit of the last of some strands: barriers may be
    /// complete, the block may have ended, or nobody be left who can move.
    fn follow(
        &mut self,
        strands: &[Strand],
        watcher: &mut Watcher<'_, '_>,
        round: &mut Round,
    ) -> Result<(), Stop> {
        let completed = self.launched.counts.barriers;
        self.complete_barriers(watcher)?;
        // Who has been let go may come before the next of these.
        round.let_go = self.launched.counts.barriers != completed;
        let block = self.current.as_ref().ok_or_else(no_block)?;
        if block.has_ended() {
            round.ended = true;
            return self.end_block(watcher);
        }
        let waits = strands.last().is_none_or(|strand| strand.waits);
        if waits && !round.let_go && block.warps.iter().all(|warp| warp.ready(false) == 0) {
            return Err(Stop::Deadlock(stall::waiting(self)));
        }
        Ok(())
    }

    /// The surroundings of the warps of the current block, and the warps.
    fn stage<'a, 'o>(
        &'a mut self,
        watcher: &'a mut Watcher<'_, 'o>,
    ) -> Result<(Stage<'a, 'o>, &'a mut [Warp]), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let stage = self.launched.stage((block.linear, block.index), &mut block.common, watcher);
        Ok((stage, &mut block.warps))
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

    /// Makes strands of the warps that are ready, as far as these may run ahead: of all, or of
    /// those from one on whose turns come one after the other.
    fn form(&mut self, next: usize, strands: &mut Vec<Strand>) -> Result<Formed, InternalError> {
        let block = self.current.as_ref().ok_or_else(no_block)?;
        strands.clear();
        let mut function = None;
        let mut formed = Formed::Whole;
        // As many as there may be, so that none is looked for room.
        strands.reserve(block.warps.len());
        for (number, warp) in block.warps.iter().enumerate() {
            let movable = match warp.fragments.as_slice() {
                // Mostly all lanes are at one place, and can move.
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
