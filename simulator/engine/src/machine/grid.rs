//! A launch in progress: the blocks that are resident, and whose turn it is.
//!
//! Block b lives on multiprocessor b mod N. A multiprocessor holds as many blocks as the device
//! profile says, and takes its next one when one ends; only resident blocks can be scheduled, so
//! only they can wait for each other. A block comes to life at its first turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::behind::{self, Chosen};
use super::block::Block;
use super::divergence;
use super::environment::Environment;
use super::execute::Pause;
use super::gang;
use super::memory::{Copier, GlobalMemory, Pages};
use super::profile::{Model, SharedInit};
use super::pulse::Pulse;
use super::recurrence::Recurrence;
use super::runtime::Printed;
use super::stage::Launched;
use super::stop::Stop;
use super::{shared_init, stall};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Mask;
use crate::observe::{Interest, Observer};
use crate::report::Counts;
use crate::schedule::{Choice, Move, Schedule};

/// The most instructions of a turn that executes nothing visible.
pub(super) const SLICE: u64 = 4096;

/// Somebody who watches, or nobody.
pub type Watcher<'a, 'o> = Option<&'a mut (dyn Observer + 'o)>;

/// What multiprocessors hold in their shared memory after their last block.
pub type Leftovers = FxHashMap<u32, Pages>;

/// A launch in progress.
#[derive(Debug)]
pub struct Machine {
    pub(super) launched: Launched,
    pub(super) shared_init: SharedInit,
    pub(super) max_steps: u64,
    pub(super) leftovers: Leftovers,
    /// The block of the last turn, taken out of `resident`.
    pub(super) current: Option<Box<Block>>,
    /// The resident blocks but the current one; `None` for one that has not started.
    pub(super) resident: BTreeMap<u64, Option<Box<Block>>>,
    /// How many blocks a multiprocessor has taken beyond its first ones, where it has.
    pub(super) taken: FxHashMap<u32, u64>,
    pub(super) turn: Option<Turn>,
    pub(super) recurrence: Recurrence,
    /// Whether warps may execute the beginnings of their turns together.
    pub(super) gangs: bool,
    /// A block that has ended: the next one has its memory.
    pub(super) spare: Option<Box<Block>>,
    /// Memory in which shared memory was that nobody needs any more.
    pub(super) spare_shared: Option<Pages>,
    /// What the gangs are formed in.
    pub(super) room: Option<Box<gang::Room>>,
    pub(super) pulse: Pulse,
}

/// A turn in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    choice: Move,
    left: u64,
    /// The fragment that has run already, and goes on.
    goes_on: Option<Chosen>,
}

impl Machine {
    /// A launch about to begin.
    pub fn new(
        environment: Arc<Environment>,
        shared_init: SharedInit,
        max_steps: u64,
        global: GlobalMemory,
        leftovers: Leftovers,
    ) -> Machine {
        let resident = environment.resident_blocks();
        Machine {
            launched: Launched::new(environment, global),
            shared_init,
            max_steps,
            leftovers,
            current: None,
            resident: (0..resident).map(|block| (block, None)).collect(),
            taken: FxHashMap::default(),
            turn: None,
            recurrence: Recurrence::default(),
            gangs: true,
            spare: None,
            spare_shared: None,
            room: None,
            pulse: Pulse::default(),
        }
    }

    /// A copy in the same state. The two share memory pages until one writes.
    pub fn snapshot(&mut self) -> Machine {
        let global = self.launched.global.copied(Pages::snapshot);
        self.copied(Pages::snapshot, global)
    }

    /// A copy in the same state, but for global memory, which is empty. It shares no memory with
    /// this one, which stays in one piece.
    pub(super) fn duplicate_but_global(&mut self) -> Machine {
        self.copied(Pages::duplicate, GlobalMemory::default())
    }

    /// Bytes of all memory that a copy of it has.
    pub(super) fn memory_bytes(&self) -> u64 {
        let block = |block: &Block| {
            let local: u64 = block.warps.iter().map(|warp| warp.local.rows.bytes()).sum();
            block.common.shared.bytes() + local
        };
        self.launched.global.live_bytes() + self.started().map(block).sum::<u64>()
    }

    fn copied(&mut self, copy: Copier, global: GlobalMemory) -> Machine {
        let copied = |block: &mut Box<Block>| Box::new(block.snapshot(copy));
        let other =
            |(id, block): (&u64, &mut Option<Box<Block>>)| (*id, block.as_mut().map(copied));
        Machine {
            launched: self.launched.snapshot(global),
            shared_init: self.shared_init,
            max_steps: self.max_steps,
            leftovers: self.leftovers.iter_mut().map(|(k, v)| (*k, copy(v))).collect(),
            current: self.current.as_mut().map(copied),
            resident: self.resident.iter_mut().map(other).collect(),
            taken: self.taken.clone(),
            turn: self.turn,
            recurrence: Recurrence::default(),
            gangs: self.gangs,
            spare: None,
            spare_shared: None,
            room: None,
            pulse: Pulse::default(),
        }
    }

    /// Tells the observers of this launch no more than this.
    pub fn attend(&mut self, interest: Interest) {
        self.launched.interest = interest;
    }

    /// The launch.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.launched.environment
    }

    /// Global memory as it is now.
    pub fn global(&self) -> &GlobalMemory {
        &self.launched.global
    }

    /// What has been done so far.
    pub fn counts(&self) -> Counts {
        self.launched.counts
    }

    /// What has been printed so far.
    pub fn printed(&self) -> &Printed {
        &self.launched.printed
    }

    /// A block that has started and not ended.
    pub fn block(&self, linear: u64) -> Option<&Block> {
        match &self.current {
            Some(block) if block.linear == linear => Some(block),
            _ => self.resident.get(&linear)?.as_deref(),
        }
    }

    /// Gives memory back after the run.
    pub fn into_memory(self) -> (GlobalMemory, Leftovers) {
        (self.launched.global, self.leftovers)
    }

    /// Whether every block has ended.
    pub fn has_ended(&self) -> bool {
        self.current.is_none() && self.resident.is_empty()
    }

    /// Lets warps execute the beginnings of their turns together, which they do unless somebody
    /// says no, or not. What comes out is the same.
    pub fn form_gangs(&mut self, gangs: bool) {
        self.gangs = gangs;
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// What stopped it.
    pub fn run(
        &mut self,
        schedule: &mut dyn Schedule,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        self.look_at_meter()?;
        while self.advance(schedule, &mut watcher, SLICE)? {
            self.beat()?;
        }
        self.look_at_meter()
    }

    /// Executes one warp instruction. `false` when there was nothing left to do.
    ///
    /// # Errors
    /// What stopped it.
    pub fn step(
        &mut self,
        schedule: &mut dyn Schedule,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        self.advance(schedule, &mut watcher, 1)
    }

    /// Goes on with the turn, or begins the next, for at most `limit` instructions.
    pub(super) fn advance(
        &mut self,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
        limit: u64,
    ) -> Result<bool, Stop> {
        let turn = match self.turn.take() {
            Some(turn) => turn,
            None if self.has_ended() => return Ok(false),
            None => {
                let choice = schedule.next(self);
                let choice = choice.ok_or_else(|| Stop::Deadlock(stall::waiting(self)))?;
                self.launched.looks_for_spinning = schedule.lets_spinning_wait();
                self.enter(choice.block, watcher)?;
                if limit == SLICE && self.take_turns_together(choice, schedule, watcher)? {
                    return Ok(true);
                }
                self.begin_turn(choice)?
            }
        };
        self.take_turn(turn, limit, schedule, watcher)?;
        Ok(true)
    }

    /// Goes on with a turn for at most `limit` instructions, and does what follows from it when it
    /// is over.
    fn take_turn(
        &mut self,
        mut turn: Turn,
        limit: u64,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let executed = self.launched.counts.warp_instructions;
        if executed >= self.max_steps {
            return Err(Stop::Limit(self.max_steps));
        }
        let mut left = turn.left.min(limit).min(self.max_steps - executed);
        let allotted = left;
        let over = self.run_turn(turn.choice, turn.goes_on.take(), &mut left, watcher)?;
        turn.left -= allotted - left;
        if over || turn.left == 0 {
            self.look_for_local_loop(turn.choice, !over)?;
            self.look_for_stuck_polls(turn.choice, !over)?;
            if self.launched.looks_for_spinning {
                self.look_for_spinning(turn.choice, watcher)?;
            }
            self.end_turn(turn.choice, schedule, watcher)?;
        } else {
            self.turn = Some(turn);
        }
        Ok(())
    }

    /// A turn about to begin, or to go on from where the warp has run ahead.
    fn begin_turn(&mut self, choice: Move) -> Result<Turn, Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let Some(ahead) = warp.ahead.take() else {
            return Ok(Turn { choice, left: SLICE, goes_on: None });
        };
        block.common.clock += ahead.tally.instructions;
        ahead.tally.count_in(&mut self.launched.counts);
        let left = SLICE.saturating_sub(ahead.tally.instructions);
        Ok(Turn { choice, left, goes_on: Some(ahead.chosen) })
    }

    /// Makes a block the current one, starting it when it has not.
    #[inline]
    pub(super) fn enter(&mut self, linear: u64, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        match &self.current {
            Some(block) if block.linear == linear => Ok(()),
            Some(_) | None => self.change_block(linear, watcher),
        }
    }

    /// Makes another block the current one.
    #[inline(never)]
    fn change_block(&mut self, linear: u64, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        if let Some(block) = self.current.take() {
            self.resident.insert(block.linear, Some(block));
        }
        self.current = match self.resident.remove(&linear) {
            Some(Some(block)) => Some(block),
            Some(None) => {
                if let Some(observer) = watcher.as_deref_mut() {
                    observer.block_begin(linear);
                }
                let sm = self.launched.environment.multiprocessor(linear);
                let bytes = self.launched.environment.shared_bytes().into();
                let left = self.leftovers.get(&sm);
                let spare = self.spare_shared.take();
                let shared = shared_init::initial(self.shared_init, linear, bytes, left, spare);
                let environment = &self.launched.environment;
                Some(match self.spare.take() {
                    Some(mut block) => {
                        block.renew(linear, environment, shared);
                        block
                    }
                    None => Box::new(Block::new(linear, environment, shared)),
                })
            }
            None => return Err(internal!("the schedule chose block {linear}, not resident").into()),
        };
        Ok(())
    }

    /// Runs the chosen lanes of the current block. Whether the turn is over.
    fn run_turn(
        &mut self,
        choice: Move,
        goes_on: Option<Chosen>,
        left: &mut u64,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        let lockstep = self.launched.environment.model == Model::Lockstep;
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let mut stage =
            self.launched.stage((block.linear, block.index), &mut block.common, watcher);
        if let Choice::Only(lanes) = choice.lanes
            && !lockstep
        {
            separate(warp, lanes);
        }
        let mut goes_on = goes_on;
        loop {
            let chosen = match goes_on.take() {
                Some(chosen) => Some(chosen),
                None => choose(warp, stage.environment, choice.lanes.mask())?,
            };
            let Some(chosen) = chosen else { return Ok(true) };
            match stage.run(warp, chosen, left)? {
                Pause::Visible => return Ok(true),
                Pause::Spent => return Ok(false),
                Pause::Look => {}
            }
        }
    }

    #[inline(never)]
    pub(super) fn end_block(&mut self, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        let mut block = self.current.take().ok_or_else(no_block)?;
        if let Some(observer) = watcher.as_deref_mut() {
            observer.block_end(block.linear);
        }
        let sm = self.launched.environment.multiprocessor(block.linear);
        let shared = std::mem::take(&mut block.common.shared);
        self.spare_shared = shared_init::keep(&mut self.leftovers, sm, shared);
        self.spare = Some(block);
        self.recurrence.forget();
        self.take_next(sm);
        Ok(())
    }

    /// Has a multiprocessor take its next block, now that one has ended.
    pub(super) fn take_next(&mut self, sm: u32) {
        // Where blocks are left to take, every multiprocessor was full at first.
        let first = u64::from(self.launched.environment.blocks_per_multiprocessor());
        let taken = first + self.taken.get(&sm).copied().unwrap_or(0);
        let next = u64::from(sm)
            + taken * u64::from(self.launched.environment.profile.multiprocessors.max(1));
        if next < self.launched.environment.launch.blocks() {
            *self.taken.entry(sm).or_insert(0) += 1;
            self.resident.insert(next, None);
        }
    }

    /// The blocks for which no multiprocessor has had room yet.
    pub(super) fn not_resident(&self) -> u64 {
        let at_first = self.launched.environment.resident_blocks();
        let later: u64 = self.taken.values().sum();
        self.launched.environment.launch.blocks().saturating_sub(at_first + later)
    }

    /// Everything that decides what happens next but global memory, for comparing two moments.
    pub(super) fn same_but_global(&self, other: &Machine) -> bool {
        let same_blocks = |a: &Block, b: &Block| {
            a.linear == b.linear
                && a.warps == b.warps
                && a.common.shared == b.common.shared
                && a.common.barriers == b.common.barriers
                && a.common.cluster == b.common.cluster
                && a.common.in_flight == b.common.in_flight
        };
        let resident = |machine: &Machine| machine.resident.len();
        let current = match (&self.current, &other.current) {
            (Some(a), Some(b)) => same_blocks(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        current
            && resident(self) == resident(other)
            && self.resident.iter().zip(&other.resident).all(|((i, a), (j, b))| {
                i == j
                    && match (a, b) {
                        (Some(a), Some(b)) => same_blocks(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    }
            })
    }

    /// The blocks that have started and not ended, the current one first.
    pub(super) fn started(&self) -> impl Iterator<Item = &Block> {
        self.current.iter().chain(self.resident.values().flatten()).map(Box::as_ref)
    }
}

/// The fragment of a warp that moves next, within the lanes `allowed`; those at one place are
/// brought together first.
pub(super) fn choose(
    warp: &mut super::Warp,
    environment: &Environment,
    allowed: Mask,
) -> Result<Option<Chosen>, Stop> {
    let program = &environment.program;
    let alone = Chosen { index: 0, horizon: u32::MAX };
    let chosen = match warp.fragments.as_slice() {
        [] => None,
        [only] if only.state == super::State::Ready => {
            warp.patience.rests();
            (only.mask & allowed != 0).then_some(alone)
        }
        _ if environment.model == Model::Lockstep => {
            divergence::leave_with_all(warp, program)?;
            let top = warp.fragments.len().saturating_sub(1);
            (warp.ready(true) != 0).then_some(Chosen { index: top, horizon: 0 })
        }
        _ => match behind::of_two(warp, program, allowed) {
            Some(chosen) => {
                warp.patience.rests();
                Some(chosen)
            }
            None => {
                divergence::merge(warp, allowed);
                behind::furthest_behind(warp, program, allowed)
            }
        },
    };
    if let Some(chosen) = chosen {
        warp.fragments[chosen.index].passed_over = 0;
    }
    Ok(chosen)
}

pub(super) fn no_block() -> InternalError {
    internal!("a turn without a block")
}

pub(super) fn no_warp(warp: u32) -> InternalError {
    internal!("the schedule chose warp {warp}, which the block does not have")
}

/// Splits off the chosen lanes, as far as they are ready and at one place with the lowest of them.
fn separate(warp: &mut super::Warp, lanes: Mask) {
    let ready = warp
        .fragments
        .iter()
        .enumerate()
        .filter(|(_, f)| f.state == super::State::Ready && f.mask & lanes != 0);
    let lowest = ready.min_by_key(|(_, f)| (f.mask & lanes).trailing_zeros());
    if let Some((index, fragment)) = lowest
        && fragment.mask & !lanes != 0
    {
        let part = fragment.mask & lanes;
        divergence::split(warp, index, part);
    }
}
