//! Checks whether threads that found these values in a cell can have come one after the other.
//!
//! Each thread leads from the value it found to the value it left. The threads came one at a time
//! if and only if in some order each finds what the one before left. Such an order is a trail from
//! the first value to the last that takes every thread once. Euler's condition says whether there
//! is one.

use std::collections::{BTreeMap, BTreeSet};

/// Whether there is a trail from `first` to `last` that takes each of the edges once.
pub(super) fn is_one_trail(edges: &[(u64, u64)], first: u64, last: u64) -> bool {
    is_balanced(edges, first, last) && is_connected(edges, first)
}

/// Each value is left as often as it is reached, except the first and the last.
fn is_balanced(edges: &[(u64, u64)], first: u64, last: u64) -> bool {
    let mut balance: BTreeMap<u64, i64> = BTreeMap::new();
    for (from, to) in edges.iter().chain([&(last, first)]) {
        *balance.entry(*from).or_default() += 1;
        *balance.entry(*to).or_default() -= 1;
    }
    balance.values().all(|difference| *difference == 0)
}

/// Every edge begins at a value that is reached from the first.
fn is_connected(edges: &[(u64, u64)], first: u64) -> bool {
    let mut reached = BTreeSet::from([first]);
    let mut left: Vec<&(u64, u64)> = edges.iter().collect();
    loop {
        let before = left.len();
        left.retain(|(from, to)| {
            let is_reached = reached.contains(from);
            if is_reached {
                reached.insert(*to);
            }
            !is_reached
        });
        if left.is_empty() || left.len() == before {
            return left.is_empty();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_came_one_at_a_time_make_a_trail() {
        assert!(is_one_trail(&[], 5, 5));
        assert!(is_one_trail(&[(5, 6), (8, 11), (6, 8)], 5, 11));
        // Two that change nothing, and a value that comes up again.
        assert!(is_one_trail(&[(5, 5), (5, 7), (7, 5), (5, 5), (5, 9)], 5, 9));
    }

    #[test]
    fn threads_that_came_between_each_other_do_not() {
        // Both found 5: one of the two is lost.
        assert!(!is_one_trail(&[(5, 6), (5, 7)], 5, 7));
        // Nobody left the 9 that one of them found.
        assert!(!is_one_trail(&[(5, 6), (9, 9)], 5, 6));
        assert!(!is_one_trail(&[(5, 6)], 5, 5));
        assert!(!is_one_trail(&[], 5, 6));
    }
}
