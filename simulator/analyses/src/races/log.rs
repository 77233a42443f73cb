//! Recent synchronisation, to explain how a conflict arose.
//!
//! It holds the last [`LENGTH`] events of the run. So a chain shown to a person can be cut at its
//! beginning. It never decides a verdict.

use std::collections::VecDeque;

use super::clock::Step;
use super::thread::ThreadId;
use crate::lanes::Mask;
use crate::lower::Pc;

/// Events that are kept.
const LENGTH: usize = 4096;

/// Among this many last events the read before is looked for, where a warp polls: as often as
/// others come in between.
const POLLING: usize = 32;

/// Events of one thread that are shown.
const SHOWN: usize = 5;

/// Lanes of a warp did something that may synchronise.
#[derive(Clone, Copy, Debug)]
struct Event {
    step: Step,
    block: u64,
    warp: u32,
    lanes: Mask,
    pc: Pc,
    what: Did,
}

/// What an event is to threads that do not take part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Did {
    /// Threads wait for each other, and no other thread learns of it.
    Meeting,
    /// A strong write or a fence, by which threads pass on what they know.
    Telling,
    /// A strong read, by which threads receive what others pass on.
    Hearing,
}

/// The last events of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    events: VecDeque<Event>,
}

impl Log {
    /// Notes an event. A read that a warp repeats, as one that polls, is one event: the last.
    pub(super) fn note(
        &mut self,
        (step, what): (Step, Did),
        block: u64,
        warp: u32,
        lanes: Mask,
        pc: Pc,
    ) {
        let event = Event { step, block, warp, lanes, pc, what };
        if what == Did::Hearing
            && let Some(before) = self.last_of(block, warp)
            && (before.what, before.lanes, before.pc) == (what, lanes, pc)
        {
            // No event of this warp lies between, so the order of its events stays.
            *before = event;
            return;
        }
        if self.events.len() >= LENGTH {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    /// The last event of a warp, if it is among the last ones.
    fn last_of(&mut self, block: u64, warp: u32) -> Option<&mut Event> {
        let last = self.events.iter_mut().rev().take(POLLING);
        last.into_iter().find(|e| (e.block, e.warp) == (block, warp))
    }

    /// What a thread did between two steps, both left out: the first few of it.
    pub(super) fn after(&self, thread: ThreadId, from: Step, to: Step) -> Vec<Pc> {
        let mut pcs = self.of(thread, from, to);
        pcs.truncate(SHOWN);
        pcs
    }

    /// The same: the last few of it.
    pub(super) fn before(&self, thread: ThreadId, to: Step) -> Vec<Pc> {
        let mut pcs = self.of(thread, 0, to);
        pcs.drain(..pcs.len().saturating_sub(SHOWN));
        pcs
    }

    /// The threads that released something to others between two steps, both excluded: the last
    /// first, and one for each event.
    pub(super) fn telling(&self, from: Step, to: Step) -> impl Iterator<Item = ThreadId> {
        let is_it = move |e: &&Event| e.what == Did::Telling && e.step > from && e.step < to;
        let first = |e: &Event| ThreadId::new(e.block, e.warp, e.lanes.trailing_zeros());
        self.events.iter().rev().filter(is_it).map(first)
    }

    /// A repetition, as of a thread that polls, appears once.
    fn of(&self, thread: ThreadId, from: Step, to: Step) -> Vec<Pc> {
        let is_its = |e: &&Event| {
            e.step > from
                && e.step < to
                && (e.block, e.warp) == (thread.block(), thread.warp())
                && e.lanes >> thread.lane() & 1 == 1
        };
        let mut pcs: Vec<Pc> = self.events.iter().filter(is_its).map(|e| e.pc).collect();
        pcs.dedup();
        pcs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_that_poll_push_nothing_out_and_a_read_is_nothing_that_others_were_told() {
        let mut log = Log::default();
        log.note((1, Did::Meeting), 0, 0, 0b11, 10);
        log.note((2, Did::Telling), 0, 0, 0b01, 11);
        for step in 0..2 * LENGTH as Step {
            log.note((3 + step, Did::Hearing), 0, 1 + (step % 3) as u32, 0b1, 20);
        }
        let end = 3 + 2 * LENGTH as Step;
        let thread = |warp| ThreadId::new(0, warp, 0);
        assert_eq!(log.after(thread(0), 0, end), [10, 11]);
        assert_eq!(log.before(thread(2), end), [20]);
        // Each is at the step of its last read.
        assert_eq!(log.before(thread(2), end - 3), [] as [Pc; 0]);
        assert_eq!(log.telling(0, end).collect::<Vec<_>>(), [thread(0)]);
        // What comes between is between.
        log.note((end, Did::Telling), 0, 1, 0b1, 21);
        log.note((end + 1, Did::Hearing), 0, 1, 0b1, 20);
        assert_eq!(log.before(thread(1), end + 2), [20, 21, 20]);
    }

    #[test]
    fn what_a_thread_did_between_two_moments_is_told_in_order_and_repetitions_once() {
        let mut log = Log::default();
        for (step, lanes, pc) in [(1, 1, 10), (2, 1, 11), (3, 2, 12), (4, 1, 13), (5, 1, 13)] {
            log.note((step, Did::Meeting), 0, 0, lanes, pc);
        }
        log.note((6, Did::Telling), 1, 0, 0b110, 14);
        let thread = ThreadId::new(0, 0, 0);
        assert_eq!(log.after(thread, 1, 6), [11, 13]);
        assert_eq!(log.before(thread, 5), [10, 11, 13]);
        assert_eq!(log.before(ThreadId::new(0, 0, 1), 9), [12]);
        assert_eq!(log.telling(0, 7).collect::<Vec<_>>(), [ThreadId::new(1, 0, 1)]);
        assert_eq!(log.telling(0, 6).count(), 0);
    }
}
