//! Operations that were issued and have not been carried out.
//!
//! Only the *head* of a stream, its oldest operation, can be carried out. A head is *ready* where
//! nothing pending happens before it. Otherwise it waits for the head of another stream, and is
//! examined again when that one is carried out. So the next operation is found without examining
//! all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::handles::StreamOrder;
use super::queue::Queued;
use crate::observe::Clock;

/// The operations, by their timelines.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// Oldest first; none is empty.
    lanes: BTreeMap<u32, VecDeque<Queued>>,
    /// The heads that are ready: number and timeline.
    ready: BTreeSet<(u64, u32)>,
    /// The timelines whose heads wait for the head of a timeline.
    behind: BTreeMap<u32, Vec<u32>>,
    wanted: Wanted,
}

/// How many of the operations the host has waited for, and the clock at which they were counted.
#[derive(Clone, Debug, Default)]
struct Wanted {
    host: Clock,
    count: usize,
}

impl Pending {
    /// An operation was issued, the last one so far.
    pub(super) fn push(&mut self, queued: Queued) {
        let timeline = queued.order.operation().timeline;
        let lane = self.lanes.entry(timeline).or_default();
        lane.push_back(queued);
        if lane.len() == 1 {
            self.look_at_head(timeline);
        }
    }

    /// Takes the next operation that has to be carried out: now, or, when reversed, because the
    /// host has waited for something that has not been. `None` when nothing has to.
    pub(super) fn next(&mut self, order: StreamOrder, host: &Clock) -> Option<Queued> {
        match order {
            // The oldest of all has nothing before it.
            StreamOrder::AsIssued => self.take(self.ready.first()?.1),
            StreamOrder::Reversed => {
                self.count_wanted(host);
                match self.wanted.count {
                    0 => None,
                    1.. => self.take(self.ready.last()?.1),
                }
            }
        }
    }

    /// Whether the head of a timeline is ready, or what it waits for.
    fn look_at_head(&mut self, timeline: u32) {
        let Some(head) = self.lanes.get(&timeline).and_then(VecDeque::front) else { return };
        let heads = self.lanes.iter().filter_map(|(other, lane)| Some((other, lane.front()?)));
        let before = heads
            .filter(|(other, _)| **other != timeline)
            .find(|(_, other)| head.order.is_after(other.order.operation()));
        match before {
            Some((other, _)) => self.behind.entry(*other).or_default().push(timeline),
            None => {
                self.ready.insert((head.order.operation().number, timeline));
            }
        }
    }

    fn take(&mut self, timeline: u32) -> Option<Queued> {
        let lane = self.lanes.get_mut(&timeline)?;
        let taken = lane.pop_front()?;
        if lane.is_empty() {
            self.lanes.remove(&timeline);
        }
        let operation = taken.order.operation();
        self.ready.remove(&(operation.number, timeline));
        if self.wanted.host.has(operation) {
            self.wanted.count = self.wanted.count.saturating_sub(1);
        }
        self.look_at_head(timeline);
        for waiting in self.behind.remove(&timeline).unwrap_or_default() {
            self.look_at_head(waiting);
        }
        Some(taken)
    }

    /// Counts anew if the host has waited for something since. The host has not waited for
    /// operations issued later.
    fn count_wanted(&mut self, host: &Clock) {
        if self.wanted.host.is_shared_with(host) {
            return;
        }
        let waited_for = |(timeline, lane): (&u32, &VecDeque<Queued>)| {
            let last = host.last(*timeline);
            lane.partition_point(|queued| queued.order.operation().number <= last)
        };
        let count = self.lanes.iter().map(waited_for).sum();
        self.wanted = Wanted { host: host.clone(), count };
    }
}
