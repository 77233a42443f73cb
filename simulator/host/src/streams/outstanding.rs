//! Facts about operations, kept until the host has waited for them.

use std::collections::{BTreeMap, VecDeque};

use crate::observe::{Clock, OperationId};

/// Something of each operation, by the number of the operation.
#[derive(Clone, Debug)]
pub(super) struct Outstanding<T> {
    by_number: BTreeMap<u64, T>,
    /// The numbers of each timeline, oldest first, including some that are gone.
    lanes: BTreeMap<u32, VecDeque<u64>>,
    /// What the host had waited for at the last query.
    asked: Clock,
}

impl<T> Default for Outstanding<T> {
    fn default() -> Outstanding<T> {
        let (by_number, lanes) = (BTreeMap::new(), BTreeMap::new());
        Outstanding { by_number, lanes, asked: Clock::default() }
    }
}

impl<T> Outstanding<T> {
    /// Keeps something of an operation, the last of its timeline so far.
    pub(super) fn insert(&mut self, operation: OperationId, what: T) {
        self.by_number.insert(operation.number, what);
        self.lanes.entry(operation.timeline).or_default().push_back(operation.number);
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.by_number.get(&number)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<T> {
        self.by_number.remove(&number)
    }

    /// All that is kept, in the order of issue.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.by_number.iter().map(|(number, what)| (*number, what))
    }

    /// Takes the entries of operations that the host has waited for, in the order of issue. It
    /// looks only at timelines on which the host has waited since the last time.
    pub(super) fn take_waited_for(&mut self, host: &Clock) -> Vec<T> {
        let mut numbers = Vec::new();
        for advance in host.advances_since(&self.asked) {
            let Some(lane) = self.lanes.get_mut(&advance.timeline) else { continue };
            while let Some(number) = lane.pop_front_if(|number| *number <= advance.to) {
                numbers.push(number);
            }
            if lane.is_empty() {
                self.lanes.remove(&advance.timeline);
            }
        }
        self.asked = host.clone();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.by_number.remove(&number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_has_waited_for_is_taken_once_and_in_the_order_of_issue() {
        let of = |number, timeline| OperationId { number, timeline };
        let mut kept = Outstanding::default();
        for (number, timeline) in [(1, 3), (2, 2), (3, 3), (4, 2), (5, 3)] {
            kept.insert(of(number, timeline), number);
        }
        let mut host = Clock::default();
        assert_eq!(kept.take_waited_for(&host), [0; 0]);
        host.set(of(3, 3));
        host.set(of(2, 2));
        assert_eq!(kept.remove(1), Some(1));
        assert_eq!(kept.take_waited_for(&host), [2, 3]);
        assert_eq!(kept.take_waited_for(&host), [0; 0]);
        assert_eq!(kept.iter().map(|(number, _)| number).collect::<Vec<_>>(), [4, 5]);
        host.set(of(5, 3));
        assert_eq!(kept.take_waited_for(&host), [5]);
        assert_eq!((kept.get(4), kept.get(5)), (Some(&4), None));
    }
}
