//! Threads by number, and what each knows and has announced.

use std::sync::Arc;

use super::clock::{Knowledge, Step, join_optional, join_shared};
use super::operation::Reach;
use super::update::Held;
use crate::lanes::LANES;
use crate::observe::Completed;
use crate::report::Mend;

/// Bits of the number of a thread; those above say which copies of the thread.
const COPIES: u32 = 48;

/// The first number of copies that complete at an mbarrier object.
const MBARRIERS: u64 = 4;

/// The bits of a thread.
const THREAD: u64 = (1 << COPIES) - 1;

/// A thread of a launch: block, warp, lane. Or its asynchronous copies, which go on beside it like
/// a separate thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(u64);

impl ThreadId {
    /// A thread. A block has at most 32 warps.
    pub fn new(block: u64, warp: u32, lane: u32) -> ThreadId {
        ThreadId(block << 10 | u64::from(warp & 31) << 5 | u64::from(lane & 31))
    }

    /// The copies of a thread that are complete when this is.
    pub(super) fn copies_of(thread: ThreadId, completed: Completed<'_>) -> ThreadId {
        let which = match completed {
            Completed::Small => 1,
            Completed::BulkReads => 2,
            Completed::Bulk => 3,
            Completed::Mbarrier(objects) => objects[thread.lane() as usize % LANES] / 8 + MBARRIERS,
        };
        ThreadId(thread.0 | which << COPIES)
    }

    /// Whether it is copies in bulk, which go through the asynchronous proxy.
    pub(super) fn is_bulk_copy(self) -> bool {
        self.0 >> COPIES > 1
    }

    /// Whether it is copies that complete at an mbarrier object.
    pub(super) fn is_awaited_at_mbarrier(self) -> bool {
        self.0 >> COPIES >= MBARRIERS
    }

    /// Whether it is not a thread, but copies of one.
    pub fn is_copy(self) -> bool {
        self.0 >> COPIES != 0
    }

    /// The thread: of copies the one that began them.
    pub(super) fn owner(self) -> ThreadId {
        ThreadId(self.0 & THREAD)
    }

    /// The block's linear number.
    pub fn block(self) -> u64 {
        (self.0 & THREAD) >> 10
    }

    /// The block, or all copies that threads of the block began: what a clock has a component for.
    pub(super) fn timeline(self) -> u64 {
        self.0 >> 10
    }

    /// The warp in the block.
    pub fn warp(self) -> u32 {
        (self.0 >> 5) as u32 & 31
    }

    /// The lane in the warp.
    pub fn lane(self) -> u32 {
        self.0 as u32 & 31
    }

    /// The least synchronisation that orders the actions of this thread and another one.
    pub fn least_mend(self, other: ThreadId) -> Mend {
        match (self.block() == other.block(), self.warp() == other.warp()) {
            (true, true) => Mend::Warp,
            (true, false) => Mend::Block,
            (false, _) => Mend::Grid,
        }
    }
}

impl std::fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let copies = if self.is_copy() { "copies of " } else { "" };
        write!(f, "{copies}block {} warp {} lane {}", self.block(), self.warp(), self.lane())
    }
}

/// For each reach of a fence something, or nothing.
pub(super) type ByReach<T> = [Option<T>; 2];

/// What `fence.sc` of device reach announced and will make known. Unlike the halves of an ordinary
/// pattern it goes from thread to thread with happens-before: if a fence F happens before a write,
/// and what read it happens before a fence G, then F is before G in the order of `fence.sc` (were G
/// the first, the read would happen before the write that it reads from: PTX ISA 8.10.6
/// "Causality"), and so F synchronizes with G.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequential {
    /// What was known at such fences, if they happen before the next action of this thread.
    pub announced: Option<Arc<Knowledge>>,
    /// What was so announced before writes, if these were read by something that happens before
    /// here.
    pub heard: Option<Arc<Knowledge>>,
}

impl Sequential {
    /// Takes in what another thread has.
    pub(super) fn join(&mut self, other: &Sequential) {
        if let Some(announced) = &other.announced {
            join_optional(&mut self.announced, announced);
        }
        if let Some(heard) = &other.heard {
            join_optional(&mut self.heard, heard);
        }
    }
}

/// What a thread knows, has announced, and has heard but not yet taken in.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    /// What happens before whatever it does next.
    pub knows: Arc<Knowledge>,
    /// What it knew at its last fence of at least this reach: the first half of a release pattern.
    pub announced: ByReach<Arc<Knowledge>>,
    /// What strong reads have observed, that a fence of this reach makes known: the second half of
    /// an acquire pattern.
    pub heard: ByReach<Arc<Knowledge>>,
    /// When its last fence of at least this reach was.
    pub fenced: [Step; 2],
    /// What goes by the order of `fence.sc`.
    pub sequential: Sequential,
    /// Locks that it may hold.
    pub held: Held,
    /// It has released a lock since the last fence by which it announced something.
    pub gave_back: bool,
    /// It has exited.
    pub exited: bool,
}

impl Thread {
    /// A fence. An acquiring fence adds heard knowledge to the thread's. A releasing one announces
    /// the thread's knowledge.
    pub(super) fn fence(
        &mut self,
        thread: ThreadId,
        reach: Reach,
        step: Step,
        acquires: bool,
        releases: bool,
    ) {
        let reaches = Reach::ALL.into_iter().filter(|r| *r <= reach);
        if acquires {
            for reach in reaches.clone() {
                if let Some(heard) = &self.heard[reach.index()] {
                    join_shared(&mut self.knows, heard);
                }
                self.fenced[reach.index()] = step;
            }
        }
        if releases {
            self.gave_back = false;
            let announced = self.with_itself(thread, step);
            for reach in reaches {
                self.announced[reach.index()] = Some(Arc::clone(&announced));
            }
        }
    }

    /// A `fence.sc` of device reach.
    pub(super) fn fence_in_order(&mut self, thread: ThreadId, step: Step) {
        if let Some(heard) = &self.sequential.heard {
            join_shared(&mut self.knows, heard);
        }
        self.fence(thread, Reach::Device, step, true, true);
        self.sequential.announced = Some(self.with_itself(thread, step));
    }

    /// What it knows and what it has done up to now.
    pub(super) fn with_itself(&self, thread: ThreadId, step: Step) -> Arc<Knowledge> {
        let mut knows = Arc::clone(&self.knows);
        let lanes = 1 << thread.lane();
        Arc::make_mut(&mut knows).raise_lanes(thread.block(), thread.warp(), lanes, step);
        knows
    }

    /// Knows what some copies of a thread did up to `step`.
    pub(super) fn knows_copies(&mut self, copies: ThreadId, step: Step) {
        Arc::make_mut(&mut self.knows).raise_copies(copies, step);
    }

    /// Hears something that a fence of this reach, or a wider one, makes known.
    pub(super) fn hear(&mut self, what: &Arc<Knowledge>, reach: Reach) {
        join_optional(&mut self.heard[reach.index()], what);
    }
}
