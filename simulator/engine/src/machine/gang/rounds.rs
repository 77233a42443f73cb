//! Forming a gang, and giving its warps turns.
//!
//! Nothing follows from a turn whose visible operation is an access to memory: nobody is let go, nobody ends, nothing is
//! completed. What follows from an arrival at a barrier, or from the end of a warp, is done here as it is done after
//! single turns ([`crate::machine::settle`]); then the gang goes on, or another is formed.

use super::ahead::activation;
use super::frontier::Frontier;
use super::in_place::InPlace;
use super::turns::is_access;
use super::{Ahead, MOST, Room, Strand};
use crate::internal::InternalError;
use crate::machine::divergence::Chosen;
use crate::machine::frame::FrameId;
use crate::machine::grid::{Machine, SLICE, Watcher, no_block, no_warp};
use crate::machine::profile::Model;
use crate::machine::segment::Tally;
use crate::machine::stage::Stage;
use crate::machine::stall;
use crate::machine::stop::Stop;
use crate::machine::warp::{Fragment, State, Warp};
use crate::schedule::{Choice, Move, Schedule};

/// Turns that strands have taken.
struct Round {
    /// How many of them have.
    taken: usize,
    /// Others have been let go.
    let_go: bool,
    /// The block has ended.
    ended: bool,
}

/// The activation in which all lanes of a warp are that can move, if it may run ahead ([`activation`]). What waits at a
/// barrier of the block is let go by others, and changes what the warp does next.
#[inline]
fn movable(warp: &Warp) -> Option<FrameId> {
    let waits = |fragment: &Fragment| matches!(fragment.state, State::Barrier(_));
    match warp.fragments.as_slice() {
        // It is ready, since the warp can move.
        [Fragment { passed_over: 0, frame, .. }] => Some(*frame),
        fragments if fragments.iter().any(waits) => None,
        _ => activation(warp),
    }
}

/// Which part of the warps that can move in a block strands are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formed {
    /// All.
    Whole,
    /// All from one on.
    Rest,
    /// Others come behind them.
    Part,
}

impl Machine {
    /// Lets the warp whose turn it is, and those after it, run ahead together, and gives them turns as far as these are
    /// accesses to memory, arrivals at barriers, or exits. Whether the turn that was chosen has been taken; if not, it is
    /// still to come.
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
        let (mut last, mut rounds) = (None, 0);
        // Whether a round begins with the next turn.
        let mut begins = false;
        while let Some(most_rounds) = schedule.goes_round().filter(|_| !strands.is_empty()) {
            // A look at the state of the machine finds no warp ahead.
            let until_look = self.recurrence.turns_to_look();
            let all = strands.len();
            let now = &mut strands[..all.min(usize::try_from(until_look).unwrap_or(all))];
            let begun = rounds + u64::from(begins);
            let mut may = InPlace::NEVER;
            if formed == Formed::Whole && now.len() == all {
                may = self.in_place(until_look, most_rounds - begun);
            }
            let round = self.round(now, frontier, &mut may, watcher)?;
            if may.taken > 0 {
                (rounds, begins) = (begun + may.taken - 1, true);
                last = now.last().map(|strand| strand.warp as u32);
            }
            if let Some(at) = round.taken.checked_sub(1) {
                rounds += u64::from(std::mem::take(&mut begins));
                last = Some(now[at].warp as u32);
            }
            let looks = (may.taken > 0 || round.taken > 0) && self.recurrence.looks();
            if looks && let Some(last) = last {
                schedule.went(last, std::mem::take(&mut rounds));
                if self.look_for_livelock(schedule, watcher)? {
                    break;
                }
            }
            let all_taken = round.taken == all || may.turned;
            if !all_taken || round.ended || formed == Formed::Part {
                break;
            }
            self.beat()?;
            let same = formed == Formed::Whole && !round.let_go;
            // Those behind the last one come first, if some have been let go.
            let next = last.map_or(0, |warp| warp as usize + 1);
            begins |= same || !self.is_ready_from(next)?;
            if begins && Some(rounds) == schedule.goes_round() || !self.has_steps_for_all() {
                break;
            }
            if same {
                strands.retain(|strand| !strand.waits);
                if !self.may_go_on(strands)? {
                    break;
                }
            } else {
                formed = self.form(if begins { 0 } else { next }, strands)?;
            }
        }
        if let Some(last) = last {
            schedule.went(last, rounds);
        }
        Ok(last.is_some())
    }

    /// Whether each warp of a block can use up its time before the limit of steps is reached.
    fn has_steps_for_all(&self) -> bool {
        let executed = self.launched.counts.warp_instructions;
        self.max_steps.saturating_sub(executed) > (MOST as u64 + 1) * SLICE
    }

    /// Whether a warp of the current block can move, from one on.
    fn is_ready_from(&self, first: usize) -> Result<bool, InternalError> {
        let block = self.current.as_ref().ok_or_else(no_block)?;
        Ok(block.warps.iter().skip(first).any(|warp| warp.ready(false) != 0))
    }

    /// Whether strands that have had a turn may run ahead again.
    fn may_go_on(&self, strands: &[Strand]) -> Result<bool, InternalError> {
        let block = self.current.as_ref().ok_or_else(no_block)?;
        let may = |strand: &Strand| activation(&block.warps[strand.warp]) == Some(strand.frame);
        Ok(strands.iter().all(may))
    }

    /// The rounds that all warps of a block may take in place, with so many turns up to the next look, and as many rounds
    /// before another block has its turn.
    fn in_place(&self, turns: u64, rounds: u64) -> InPlace {
        let executed = self.launched.counts.warp_instructions;
        InPlace { rounds, turns, steps: self.max_steps.saturating_sub(executed), ..InPlace::NEVER }
    }

    /// Lets strands run ahead, and gives each a turn, one after the other, as far as these are accesses, arrivals and exits.
    /// The others keep what they have done.
    fn round(
        &mut self,
        strands: &mut [Strand],
        frontier: &mut Frontier,
        may: &mut InPlace,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<Round, Stop> {
        let (mut stage, warps) = self.stage(watcher)?;
        stage.run_ahead(warps, strands, frontier, may)?;
        self.recurrence.count(may.taken * strands.len() as u64);
        let mut round = Round { taken: 0, let_go: false, ended: false };
        if may.turned {
            return Ok(round);
        }
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
        if round.taken == strands.len() {
            return Ok(round);
        }
        let block = self.current.as_mut().ok_or_else(no_block)?;
        for strand in &strands[round.taken..] {
            let ahead = Ahead { tally: strand.tally, chosen: strand.chosen };
            block.warps[strand.warp].ahead = Some(ahead);
        }
        Ok(round)
    }

    /// Does what follows from the arrival or exit of the last of some strands: barriers may be complete, the block may
    /// have ended, or nobody be left who can move.
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
        let is_watched =
            watcher.is_some() && (interest.instructions || !interest.places.is_empty());
        let block = self.current.as_ref().ok_or_else(no_block)?;
        let warp = block.warps.get(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let waits_for_its_turn = warp.ahead.is_some_and(|ahead| {
            let pc = warp.fragments[ahead.chosen.index].pc;
            !is_access(&self.launched.environment.program.operations[pc as usize])
        });
        Ok(self.gangs
            && !is_watched
            && !waits_for_its_turn
            && choice.lanes == Choice::Together
            && self.launched.environment.model == Model::Independent
            && self.has_steps_for_all()
            && block.common.in_flight.is_none())
    }

    /// Makes strands of the warps that are ready from one on, as far as these may run ahead. Which part of all those that
    /// are ready in the block they are.
    fn form(&mut self, first: usize, strands: &mut Vec<Strand>) -> Result<Formed, InternalError> {
        let most = self.recurrence.turns_to_look().min(MOST as u64) as usize;
        let block = self.current.as_mut().ok_or_else(no_block)?;
        strands.clear();
        let mut function = None;
        let before = block.warps[..first].iter().any(|warp| warp.ready(false) != 0);
        let mut formed = if before { Formed::Rest } else { Formed::Whole };
        for (number, warp) in block.warps.iter_mut().enumerate().skip(first) {
            if warp.ready(false) == 0 {
                continue;
            }
            let frame = movable(warp).filter(|_| strands.len() < most);
            let Some(frame) = frame else {
                formed = Formed::Part;
                break;
            };
            let here = warp.frames[usize::from(frame)].function;
            if *function.get_or_insert(here) != here {
                formed = Formed::Part;
                break;
            }
            let ahead = warp.ahead.take();
            strands.push(Strand {
                warp: number,
                frame,
                chosen: ahead.map_or(Chosen { index: 0, horizon: u32::MAX }, |ahead| ahead.chosen),
                mask: 0,
                pc: 0,
                tally: ahead.map_or(Tally::default(), |ahead| ahead.tally),
                stopped: false,
                placed: false,
                waits: false,
            });
        }
        Ok(formed)
    }
}
