//! The threads of the blocks that are alive, and how barriers and warps order them.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::clock::{Knowledge, Step, join_shared};
use super::history::Word;
use super::operation::Reach;
use super::policy::Policy;
use super::thread::{Sequential, Thread, ThreadId};
use crate::lanes::{LANES, Mask, lanes_of};
use crate::observe::{Arrival, BarrierEvent, Completed, MbarrierEvent};
use crate::ptx::Space;

/// Words by their number.
pub(super) type Words = HashMap<u64, Word, FxBuildHasher>;

/// A block that is alive.
#[derive(Clone, Debug)]
pub(super) struct Block {
    number: u64,
    threads: Vec<Thread>,
    /// The histories of its shared memory.
    pub shared: Words,
    /// What threads that did not wait knew when they arrived at each barrier.
    arrived: Vec<(u8, Arc<Knowledge>, Sequential)>,
    /// The last warp-wide order of each warp (`lockstep`): among which lanes, and whether anything
    /// was accessed since.
    in_step: Vec<Option<Mask>>,
    /// For each instruction that began copies its number and when it was.
    begun: Vec<(u64, Step)>,
    /// The mbarrier objects, by address.
    mbarriers: HashMap<u64, Phases, FxBuildHasher>,
    /// Copies in bulk may read its shared memory: writes before a proxy fence have to be kept.
    has_bulk_reads: bool,
    /// What a thread knew at a proxy fence.
    pub fenced: Arc<Knowledge>,
    /// The knowledge that asynchronous operations will bring to an mbarrier object: by thread, and
    /// their number.
    arriving: HashMap<(ThreadId, u64), Arc<Knowledge>, FxBuildHasher>,
}

/// What the phases of an mbarrier object make known.
#[derive(Clone, Debug, Default)]
struct Phases {
    /// Of the phase that is not complete.
    gathering: Arc<Knowledge>,
    /// Of those that are.
    complete: Arc<Knowledge>,
}

impl Block {
    /// A block of this many threads.
    pub(super) fn new(number: u64, threads: u32, has_bulk_reads: bool) -> Block {
        Block {
            number,
            threads: vec![Thread::default(); threads as usize],
            shared: Words::default(),
            arrived: Vec::new(),
            in_step: vec![None; threads.div_ceil(LANES as u32) as usize],
            begun: Vec::new(),
            mbarriers: HashMap::default(),
            has_bulk_reads,
            fenced: Arc::default(),
            arriving: HashMap::default(),
        }
    }

    /// A thread; threads that do not exist share one.
    pub(super) fn thread(&mut self, id: ThreadId) -> &mut Thread {
        let at = id.warp() as usize * LANES + id.lane() as usize;
        let last = self.threads.len().saturating_sub(1);
        &mut self.threads[at.min(last)]
    }

    /// A thread, and the histories of the space that it accesses.
    pub(super) fn parts<'a>(
        &'a mut self,
        id: ThreadId,
        space: Space,
        global: &'a mut Words,
    ) -> (&'a mut Thread, &'a mut Words) {
        let at = id.warp() as usize * LANES + id.lane() as usize;
        let last = self.threads.len().saturating_sub(1);
        let words = if space == Space::Shared { &mut self.shared } else { global };
        (&mut self.threads[at.min(last)], words)
    }

    /// The lanes of a warp that exist.
    fn exists(&self, warp: u32) -> Mask {
        let threads = (self.threads.len() as u32).saturating_sub(warp * LANES as u32);
        Mask::MAX.checked_shr(32u32.saturating_sub(threads)).unwrap_or(0)
    }

    /// The joint knowledge of these lanes of a warp, including their own actions up to `step`.
    fn together(
        &mut self,
        warp: u32,
        lanes: Mask,
        step: Step,
        into: &mut Arc<Knowledge>,
        sequential: &mut Sequential,
    ) {
        let (number, exists) = (self.number, self.exists(warp));
        for lane in lanes_of(lanes & exists) {
            let thread = self.thread(ThreadId::new(number, warp, lane as u32));
            join_shared(into, &thread.knows);
            sequential.join(&thread.sequential);
        }
        let into = Arc::make_mut(into);
        if lanes & exists == exists {
            into.raise_warp(number, warp, step);
        } else {
            into.raise_lanes(number, warp, lanes & exists, step);
        }
    }

    fn teach(&mut self, warp: u32, lanes: Mask, what: &Arc<Knowledge>, sequential: &Sequential) {
        let (number, exists) = (self.number, self.exists(warp));
        for lane in lanes_of(lanes & exists) {
            let thread = self.thread(ThreadId::new(number, warp, lane as u32));
            thread.knows = Arc::clone(what);
            thread.sequential = sequential.clone();
        }
    }

    /// Lanes of a warp order each other: what any of them did happens before what any does next.
    pub(super) fn order_lanes(&mut self, warp: u32, lanes: Mask, step: Step) {
        let first = lanes.trailing_zeros() % LANES as u32;
        let mut all = Arc::clone(&self.thread(ThreadId::new(self.number, warp, first)).knows);
        let mut sequential = Sequential::default();
        self.together(warp, lanes, step, &mut all, &mut sequential);
        self.teach(warp, lanes, &all, &sequential);
    }

    /// The lanes of a warp are about to execute an instruction together (`lockstep`).
    pub(super) fn in_step(&mut self, warp: u32, lanes: Mask, step: Step) {
        if self.in_step.get(warp as usize).is_some_and(|last| *last != Some(lanes)) {
            self.order_lanes(warp, lanes, step);
            self.in_step[warp as usize] = Some(lanes);
        }
    }

    /// A warp has accessed memory, so that its next instruction orders something.
    pub(super) fn out_of_step(&mut self, warp: u32) {
        if let Some(last) = self.in_step.get_mut(warp as usize) {
            *last = None;
        }
    }

    /// Threads arrive at a barrier and do not wait.
    pub(super) fn arrive(&mut self, barrier: u8, arrival: &Arrival, step: Step) {
        let (mut knows, mut sequential) = Default::default();
        self.together(arrival.warp, arrival.lanes, step, &mut knows, &mut sequential);
        self.arrived.push((barrier, knows, sequential));
    }

    /// A barrier lets its threads go.
    pub(super) fn release(&mut self, barrier: &BarrierEvent<'_>, step: Step, policy: Policy) {
        let (mut all, mut sequential) = <(Arc<Knowledge>, Sequential)>::default();
        let mut waiting = vec![0; self.in_step.len()];
        for arrival in barrier.arrivals.iter().filter(|a| a.waits) {
            if let Some(lanes) = waiting.get_mut(arrival.warp as usize) {
                *lanes |= arrival.lanes;
            }
        }
        for (warp, lanes) in (0..).zip(&waiting).filter(|(_, lanes)| **lanes != 0) {
            self.together(warp, *lanes, step, &mut all, &mut sequential);
        }
        for (_, knows, other) in self.arrived.extract_if(.., |(id, ..)| *id == barrier.barrier) {
            join_shared(&mut all, &knows);
            sequential.join(&other);
        }
        let everybody = (0..).zip(&waiting).all(|(warp, lanes)| *lanes == self.exists(warp));
        if everybody {
            Arc::make_mut(&mut all).raise_block(self.number, step);
            // Only threads of this block access its shared memory, and what they did so far happens
            // before whatever they will do. This does not hold for its copies, unless a thread has
            // waited for them, nor for writes that are ordered but that a bulk copy may not see
            // yet.
            match self.begun.is_empty() && !self.has_bulk_reads {
                true => self.shared.clear(),
                false => {
                    let fenced = self.has_bulk_reads.then_some(&*self.fenced);
                    self.shared.retain(|_, word| word.keep(&all, fenced));
                }
            }
        }
        for (warp, lanes) in (0..).zip(&waiting) {
            self.teach(warp, *lanes, &all, &sequential);
            if policy.barriers_are_fences {
                self.fence(warp, *lanes, step);
            }
        }
    }

    /// Notes that an instruction with this number begins copies. Returns when they begin, which is
    /// the same for all copies of the instruction.
    pub(super) fn begin_copies(&mut self, number: u64, now: Step) -> Step {
        match self.begun.last() {
            Some((last, step)) if *last == number => *step,
            Some(_) | None => {
                self.begun.push((number, now));
                now
            }
        }
    }

    /// When the last of the copies with numbers up to this one was begun; 0 when there are none.
    pub(super) fn begun_by(&self, number: u64) -> Step {
        let behind = self.begun.partition_point(|(begun, _)| *begun <= number);
        let last = behind.checked_sub(1).and_then(|last| self.begun.get(last));
        last.map_or(0, |(_, step)| *step)
    }

    /// A thread executes a proxy fence.
    pub(super) fn proxy_fence(&mut self, id: ThreadId, step: Step) {
        let knows = self.thread(id).with_itself(id, step);
        join_shared(&mut self.fenced, &knows);
    }

    /// An asynchronous operation of a thread will arrive at an mbarrier object, with what it knows.
    pub(super) fn will_arrive(&mut self, id: ThreadId, number: u64, knows: Arc<Knowledge>) {
        self.arriving.insert((id, number), knows);
    }

    /// Something happens to an mbarrier object.
    pub(super) fn mbarrier(&mut self, id: ThreadId, address: u64, what: MbarrierEvent, now: Step) {
        match what {
            MbarrierEvent::Begins => {
                self.mbarriers.insert(address, Phases::default());
            }
            MbarrierEvent::Arrives { releases } => {
                let thread = self.thread(id);
                let announced = match releases {
                    true => Some(thread.with_itself(id, now)),
                    false => thread.announced[Reach::Block.index()].clone(),
                };
                if let Some(announced) = announced {
                    join_shared(&mut self.phases(address).gathering, &announced);
                }
            }
            MbarrierEvent::WillArrive { number } => {
                let mut knows = self.thread(id).with_itself(id, now);
                let copies = ThreadId::copies_of(id, Completed::Small);
                let begun = self.begun_by(number);
                Arc::make_mut(&mut knows).raise_copies(copies, begun);
                self.will_arrive(id, number, knows);
            }
            MbarrierEvent::HasArrived { number } => {
                if let Some(knows) = self.arriving.remove(&(id, number)) {
                    join_shared(&mut self.phases(address).gathering, &knows);
                }
            }
            MbarrierEvent::Completes => {
                let phases = self.phases(address);
                let gathered = std::mem::take(&mut phases.gathering);
                join_shared(&mut phases.complete, &gathered);
            }
            MbarrierEvent::Seen { acquires } => {
                let complete = Arc::clone(&self.phases(address).complete);
                let thread = self.thread(id);
                match acquires {
                    true => join_shared(&mut thread.knows, &complete),
                    false => thread.hear(&complete, Reach::Block),
                }
            }
        }
    }

    fn phases(&mut self, address: u64) -> &mut Phases {
        self.mbarriers.entry(address).or_default()
    }

    fn fence(&mut self, warp: u32, lanes: Mask, step: Step) {
        for lane in lanes_of(lanes & self.exists(warp)) {
            let id = ThreadId::new(self.number, warp, lane as u32);
            self.thread(id).fence(id, Reach::Device, step, true, true);
        }
    }
}
