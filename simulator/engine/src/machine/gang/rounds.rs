//! Forming a gang, and giving its warps turns.
//!
//! A turn whose visible operation is an access to memory changes nothing but the warp itself and memory: nobody is let
//! go, nobody ends, nothing is completed. So nothing follows from it but what is done here. Arrivals at barriers are
//! turns like all others, but need no new gang.

use super::{Ahead, MOST, Strand};
use crate::internal;
use crate::lanes::Mask;
use crate::lower::{Kind, Operation};
use crate::machine::access::By;
use crate::machine::execute::Next;
use crate::machine::grid::{Machine, SLICE, Watcher, choose, no_block, no_warp};
use crate::machine::profile::Model;
use crate::machine::segment::Tally;
use crate::machine::stage::Stage;
use crate::machine::stall;
use crate::machine::stop::Stop;
use crate::machine::warp::{State, Warp};
use crate::schedule::{Choice, Move, Schedule};

/// Turns that strands have taken.
struct Round {
    /// How many of them have.
    taken: usize,
    /// Others have been let go.
    let_go: bool,
}

impl Machine {
    /// Lets the warp whose turn it is, and those after it, run ahead together, and gives them turns as far as these are
    /// accesses to memory or arrivals at barriers. Whether the turn that was chosen has been taken; if not, it is still
    /// to come.
    pub(in crate::machine) fn take_turns_together(
        &mut self,
        choice: Move,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        let Some(most_rounds) = schedule.goes_round() else { return Ok(false) };
        if !self.may_run_ahead(choice, watcher)? {
            return Ok(false);
        }
        let most = self.recurrence.turns_to_look().min(MOST as u64);
        let (mut strands, mut whole) = self.form(choice.warp as usize, most as usize)?;
        let (mut last, mut rounds) = (None, 0);
        loop {
            // A look at the state of the machine finds no warp ahead.
            let until_look = self.recurrence.turns_to_look();
            let all = strands.len();
            let now = &mut strands[..all.min(usize::try_from(until_look).unwrap_or(all))];
            let turns = now.len().min(usize::try_from(until_look - 1).unwrap_or(all));
            let round = self.round(now, turns, watcher)?;
            if let Some(at) = round.taken.checked_sub(1) {
                // A round begins with its first turn.
                rounds += u64::from(last.is_some());
                last = Some(now[at].warp as u32);
            }
            whole &= round.taken == all && !round.let_go;
            if !whole || rounds == most_rounds {
                break;
            }
            strands.retain(|strand| !strand.waits);
            if strands.is_empty() {
                break;
            }
        }
        if let Some(last) = last {
            schedule.went(last, rounds);
        }
        Ok(last.is_some())
    }

    /// Lets strands run ahead, and gives at most so many of them a turn, one after the other, as far as these are
    /// accesses and arrivals. The others keep what they have done.
    fn round(
        &mut self,
        strands: &mut [Strand],
        most: usize,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<Round, Stop> {
        let (mut stage, warps) = self.stage(watcher)?;
        stage.run_ahead(warps, strands)?;
        let completed = self.launched.counts.barriers;
        let mut taken = 0;
        while taken < most {
            let before = taken;
            let (mut stage, warps) = self.stage(watcher)?;
            while taken < most && stage.access_in_turn(warps, &mut strands[taken])? {
                taken += 1;
            }
            if taken < most && stage.arrive_in_turn(warps, &mut strands[taken])? {
                self.follow_arrival(&mut strands[taken], watcher)?;
                taken += 1;
            }
            // Who has been let go may come before the next of these.
            if taken == before || self.launched.counts.barriers != completed {
                break;
            }
        }
        self.recurrence.count(taken as u64);
        let block = self.current.as_mut().ok_or_else(no_block)?;
        for strand in &strands[taken..] {
            let ahead = Ahead { tally: strand.tally, chosen: strand.chosen };
            block.warps[strand.warp].ahead = Some(ahead);
        }
        Ok(Round { taken, let_go: self.launched.counts.barriers != completed })
    }

    /// Completes barriers after an arrival.
    fn follow_arrival(
        &mut self,
        strand: &mut Strand,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        self.complete_barriers(watcher)?;
        let block = self.current.as_ref().ok_or_else(no_block)?;
        strand.waits = block.warps[strand.warp].ready(false) == 0;
        if strand.waits && block.warps.iter().all(|warp| warp.ready(false) == 0) {
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
        let executed = self.launched.counts.warp_instructions;
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
            && self.max_steps.saturating_sub(executed) > (MOST as u64 + 1) * SLICE
            && block.common.in_flight.is_none())
    }

    /// The warp whose turn it is and the ready ones after it, and whether they are all that are ready in the block.
    fn form(&mut self, first: usize, most: usize) -> Result<(Vec<Strand>, bool), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let environment = &self.launched.environment;
        let mut strands = Vec::with_capacity(block.warps.len().min(most));
        let mut whole = block.warps[..first].iter().all(|warp| warp.ready(false) == 0);
        for (number, warp) in block.warps.iter_mut().enumerate().skip(first) {
            if warp.ready(false) == 0 {
                continue;
            }
            // What waits at a barrier of the block is let go by others, and changes what this warp does next.
            let waits = warp.fragments.iter().any(|f| matches!(f.state, State::Barrier(_)));
            if waits || strands.len() == most {
                whole = false;
                break;
            }
            let (chosen, tally) = match warp.ahead.take() {
                Some(ahead) => (Some(ahead.chosen), ahead.tally),
                None => (choose(warp, environment, Mask::MAX)?, Tally::default()),
            };
            let chosen =
                chosen.ok_or_else(|| internal!("warp {number} is ready and cannot move"))?;
            let fragment = &warp.fragments[chosen.index];
            let (mask, pc) = (fragment.mask, fragment.pc);
            let (stopped, waits) = (false, false);
            strands.push(Strand { warp: number, chosen, mask, pc, tally, stopped, waits });
        }
        Ok((strands, whole))
    }
}

/// Whether an operation is an access to memory that ends a turn.
pub(super) fn is_access(operation: &Operation) -> bool {
    let is_access = matches!(operation.kind, Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_));
    operation.visible && is_access
}

impl Stage<'_, '_> {
    /// Ends the turn of a strand with its arrival at a barrier of the block, if it stands there as a whole. Whether it
    /// did.
    fn arrive_in_turn(&mut self, warps: &mut [Warp], strand: &mut Strand) -> Result<bool, Stop> {
        let operation = &self.environment.program.operations[strand.pc as usize];
        let warp = &mut warps[strand.warp];
        let ([_], Kind::Barrier(barrier), None) =
            (warp.fragments.as_slice(), &operation.kind, operation.guard)
        else {
            return Ok(false);
        };
        if warp.live != warp.exists || strand.tally.instructions >= SLICE {
            return Ok(false);
        }
        let mut tally = strand.tally;
        tally.instructions += 1;
        tally.lanes += u64::from(strand.mask.count_ones());
        self.count(tally);
        warp.fragments[0].passed_over = 0;
        match self.arrive_at_barrier(warp, 0, strand.mask, barrier)? {
            Next::On => warp.fragments[0].pc = strand.pc + 1,
            Next::Set => {}
        }
        strand.pc += 1;
        strand.tally = Tally::default();
        strand.stopped = false;
        warp.local_loop.forget();
        Ok(true)
    }

    /// Ends the turn of a strand with the access at which it stands, if it does. Whether it did.
    fn access_in_turn(&mut self, warps: &mut [Warp], strand: &mut Strand) -> Result<bool, Stop> {
        let operation = &self.environment.program.operations[strand.pc as usize];
        let warp = &mut warps[strand.warp];
        let [fragment] = warp.fragments.as_mut_slice() else { return Ok(false) };
        if !operation.visible || warp.live != warp.exists || strand.tally.instructions >= SLICE {
            return Ok(false);
        }
        let frame = fragment.frame;
        let active = match operation.guard {
            None => strand.mask,
            Some(guard) => strand.mask & guard.lanes(&warp.frames[usize::from(frame)].registers),
        };
        let by = By { frame, active, pc: strand.pc };
        let mut tally = strand.tally;
        let one = u64::from(!operation.part);
        tally.instructions += one;
        tally.lanes += one * u64::from(active.count_ones());
        match &operation.kind {
            Kind::Load(load) => {
                self.count(tally);
                if active != 0 {
                    self.load(warp, load, by)?;
                }
            }
            Kind::Store(store) => {
                self.count(tally);
                if active != 0 {
                    self.store(warp, store, by)?;
                }
            }
            Kind::Atomic(atomic) => {
                self.count(tally);
                if active != 0 {
                    self.atomic(warp, atomic, by)?;
                }
            }
            Kind::Lanes(..)
            | Kind::Special32(..)
            | Kind::Special64(..)
            | Kind::LocalAddress64(..)
            | Kind::LocalAddress32(..)
            | Kind::IsSpace { .. }
            | Kind::Span(_)
            | Kind::Stack(_)
            | Kind::Branch { .. }
            | Kind::BranchIndexed(_)
            | Kind::Call(_)
            | Kind::Runtime(_)
            | Kind::Return
            | Kind::Exit
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::Barrier(_)
            | Kind::Warp(_)
            | Kind::ActiveMask(_)
            | Kind::Image(_)
            | Kind::Fence(_)
            | Kind::Asynchronous(_)
            | Kind::ClusterBarrier(_)
            | Kind::ProxyFence
            | Kind::Mbarrier(_)
            | Kind::Nothing => return Ok(false),
        }
        strand.pc += 1;
        strand.tally = Tally::default();
        strand.stopped = false;
        warp.fragments[0].pc = strand.pc;
        warp.local_loop.forget();
        Ok(true)
    }
}
