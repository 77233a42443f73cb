//! Vector clocks: for every timeline, the last operation there that has happened.
//!
//! A program may have a hundred thousand streams, and each of its operations has a clock. So clocks
//! share their common parts. A clock is a tree over the numbers of timelines; a node never changes
//! while others have it, too. Joining two clocks examines only the parts that they do not share
//! (Mathur et al., "A Tree Clock Data Structure for Causal Orderings in Concurrent Executions",
//! ASPLOS 2022, have the same aim with another tree).

use std::fmt;
use std::sync::Arc;

use super::OperationId;

/// Children of a node, and timelines of a leaf.
const WIDTH: usize = 16;

/// For every timeline, the number of the last operation there that has happened; 0 for none. Cheap
/// to clone.
///
/// ```
/// use warpsim::observe::{Clock, OperationId};
/// let first = OperationId { number: 1, timeline: 2 };
/// let second = OperationId { number: 2, timeline: 70_000 };
/// let (mut one, mut other) = (Clock::default(), Clock::default());
/// one.set(first);
/// other.set(second);
/// assert!(one.has(first) && !one.has(second));
/// one.join(&other);
/// assert!(one.has(first) && one.has(second) && one.has_all(&other));
/// ```
#[derive(Clone, Default)]
pub struct Clock {
    root: Option<Arc<Node>>,
    /// The number of levels of nodes above the leaves.
    height: u32,
}

#[derive(Clone)]
enum Node {
    /// The numbers of [`WIDTH`] timelines.
    Leaf([u64; WIDTH]),
    Inner([Option<Arc<Node>>; WIDTH]),
}

/// A timeline on which one clock is further than another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The timeline.
    pub timeline: u32,
    /// The number there of the clock that is behind.
    pub from: u64,
    /// The number there of the clock that is further.
    pub to: u64,
}

/// The number of timelines below a node this many levels above the leaves.
fn span(height: u32) -> u64 {
    (WIDTH as u64).saturating_pow(height + 1)
}

/// The place of a timeline among the children of a node, or in a leaf.
fn slot(timeline: u32, height: u32) -> usize {
    (u64::from(timeline) / (span(height) / WIDTH as u64)) as usize % WIDTH
}

impl Clock {
    /// The number of the last operation of a timeline that has happened; 0 for none.
    pub fn last(&self, timeline: u32) -> u64 {
        if u64::from(timeline) >= span(self.height) {
            return 0;
        }
        let mut node = self.root.as_deref();
        let mut height = self.height;
        loop {
            match node {
                None => return 0,
                Some(Node::Leaf(numbers)) => return numbers[slot(timeline, 0)],
                Some(Node::Inner(children)) => {
                    node = children[slot(timeline, height)].as_deref();
                    height = height.saturating_sub(1);
                }
            }
        }
    }

    /// Whether an operation has happened.
    pub fn has(&self, operation: OperationId) -> bool {
        operation.number <= self.last(operation.timeline)
    }

    /// Makes this operation the last of its timeline that has happened.
    pub fn set(&mut self, operation: OperationId) {
        while u64::from(operation.timeline) >= span(self.height) {
            self.rise();
        }
        let mut place = &mut self.root;
        let mut height = self.height;
        loop {
            let node = Arc::make_mut(place.get_or_insert_with(|| Arc::new(Node::empty(height))));
            match node {
                Node::Leaf(numbers) => {
                    numbers[slot(operation.timeline, 0)] = operation.number;
                    return;
                }
                Node::Inner(children) => {
                    place = &mut children[slot(operation.timeline, height)];
                    height = height.saturating_sub(1);
                }
            }
        }
    }

    /// Adds everything that has happened at `other`.
    pub fn join(&mut self, other: &Clock) {
        while self.height < other.height {
            self.rise();
        }
        let risen = other.risen_to(self.height);
        self.root = match (self.root.take(), risen) {
            (Some(own), Some(other)) => Some(joined(&own, &other)),
            (own, other) => own.or(other),
        };
    }

    /// Whether everything that has happened at `other` has happened here.
    pub fn has_all(&self, other: &Clock) -> bool {
        other.advances_since(self).is_empty()
    }

    /// Whether two clocks are known to be the same without examining their timelines.
    pub fn is_shared_with(&self, other: &Clock) -> bool {
        match (&self.root, &other.root) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// The timelines on which it is further than an older one, in order. Shared parts are skipped.
    pub fn advances_since(&self, older: &Clock) -> Vec<Advance> {
        self.first_advances_since(older, usize::MAX)
    }

    /// The same, if there are at most this many of them; `None` for more. It then skips the rest.
    pub fn few_advances_since(&self, older: &Clock, most: usize) -> Option<Vec<Advance>> {
        let found = self.first_advances_since(older, most.saturating_add(1));
        (found.len() <= most).then_some(found)
    }

    fn first_advances_since(&self, older: &Clock, most: usize) -> Vec<Advance> {
        let height = self.height.max(older.height);
        let mut found = Vec::new();
        let (own, older) = (self.risen_to(height), older.risen_to(height));
        advances(own.as_ref(), older.as_ref(), (0, height), (&mut found, most));
        found
    }

    /// Adds one level.
    fn rise(&mut self) {
        self.root = self.risen_to(self.height + 1);
        self.height += 1;
    }

    /// The root of the same clock with more levels.
    fn risen_to(&self, height: u32) -> Option<Arc<Node>> {
        let mut root = self.root.clone()?;
        for _ in self.height..height {
            let mut children = [const { None }; WIDTH];
            children[0] = Some(root);
            root = Arc::new(Node::Inner(children));
        }
        Some(root)
    }
}

impl Node {
    fn empty(height: u32) -> Node {
        match height {
            0 => Node::Leaf([0; WIDTH]),
            1.. => Node::Inner([const { None }; WIDTH]),
        }
    }
}

/// Everything that has happened at one of two nodes of the same timelines. Returns one of the two
/// if it has everything.
fn joined(one: &Arc<Node>, other: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(one, other) {
        return Arc::clone(one);
    }
    match (&**one, &**other) {
        (Node::Leaf(a), Node::Leaf(b)) => {
            let both: [u64; WIDTH] = std::array::from_fn(|at| a[at].max(b[at]));
            match (both == *a, both == *b) {
                (true, _) => Arc::clone(one),
                (false, true) => Arc::clone(other),
                (false, false) => Arc::new(Node::Leaf(both)),
            }
        }
        (Node::Inner(a), Node::Inner(b)) => {
            let both: [Option<Arc<Node>>; WIDTH] =
                std::array::from_fn(|at| match (&a[at], &b[at]) {
                    (Some(a), Some(b)) => Some(joined(a, b)),
                    (a, b) => a.as_ref().or(b.as_ref()).cloned(),
                });
            match (are_shared(&both, a), are_shared(&both, b)) {
                (true, _) => Arc::clone(one),
                (false, true) => Arc::clone(other),
                (false, false) => Arc::new(Node::Inner(both)),
            }
        }
        // Both are at the same level.
        (Node::Leaf(_), Node::Inner(_)) => Arc::clone(other),
        (Node::Inner(_), Node::Leaf(_)) => Arc::clone(one),
    }
}

fn are_shared(some: &[Option<Arc<Node>>; WIDTH], others: &[Option<Arc<Node>>; WIDTH]) -> bool {
    some.iter().zip(others).all(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    })
}

/// Where a node is further than an older one of the same timelines; `first` is the first timeline.
/// Returns at most this many.
fn advances(
    node: Option<&Arc<Node>>,
    older: Option<&Arc<Node>>,
    (first, height): (u32, u32),
    (found, most): (&mut Vec<Advance>, usize),
) {
    let Some(node) = node else { return };
    if older.is_some_and(|older| Arc::ptr_eq(node, older)) {
        return;
    }
    match &**node {
        Node::Leaf(numbers) => {
            let older = match older.map(|older| &**older) {
                Some(Node::Leaf(older)) => *older,
                // Both are at the same level.
                Some(Node::Inner(_)) | None => [0; WIDTH],
            };
            for (slot, (to, from)) in numbers.iter().zip(older).enumerate() {
                if *to > from && found.len() < most {
                    found.push(Advance { timeline: first + slot as u32, from, to: *to });
                }
            }
        }
        Node::Inner(children) => {
            let each = span(height.saturating_sub(1));
            for (at, child) in children.iter().enumerate() {
                if found.len() >= most {
                    return;
                }
                let older = match older.map(|older| &**older) {
                    Some(Node::Inner(older)) => older[at].as_ref(),
                    Some(Node::Leaf(_)) | None => None,
                };
                // Timelines have numbers of 32 bits, also those below a child.
                let first = first + (at as u64 * each) as u32;
                advances(child.as_ref(), older, (first, height.saturating_sub(1)), (found, most));
            }
        }
    }
}

impl PartialEq for Clock {
    fn eq(&self, other: &Clock) -> bool {
        self.has_all(other) && other.has_all(self)
    }
}

impl Eq for Clock {}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.advances_since(&Clock::default());
        f.debug_map().entries(all.iter().map(|each| (each.timeline, each.to))).finish()
    }
}

/// The numbers by timeline, from the first one.
impl<const N: usize> From<[u64; N]> for Clock {
    fn from(numbers: [u64; N]) -> Clock {
        Clock::from(numbers.to_vec())
    }
}

/// The numbers by timeline, from the first one.
impl From<Vec<u64>> for Clock {
    fn from(numbers: Vec<u64>) -> Clock {
        let mut clock = Clock::default();
        for (timeline, number) in (0..).zip(numbers).filter(|(_, number)| *number > 0) {
            clock.set(OperationId { number, timeline });
        }
        clock
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Timelines on both sides of each level of the tree.
    fn timeline() -> impl Strategy<Value = u32> {
        let ends = [0, 1, 15, 16, 17, 255, 256, 4095, 4096, 65_535, 65_536, u32::MAX];
        prop_oneof![0..40u32, prop::sample::select(ends.to_vec()), any::<u32>()]
    }

    fn settings() -> impl Strategy<Value = Vec<(u32, u64)>> {
        prop::collection::vec((timeline(), 1..50u64), 0..12)
    }

    fn built(settings: &[(u32, u64)]) -> (Clock, BTreeMap<u32, u64>) {
        let mut clock = Clock::default();
        for (timeline, number) in settings {
            clock.set(OperationId { number: *number, timeline: *timeline });
        }
        (clock, settings.iter().copied().collect())
    }

    proptest! {
        /// Compares two clocks with a common past, and with their own later operations, with maps.
        #[test]
        fn clocks_do_what_maps_of_numbers_do(
            common in settings(), one in settings(), other in settings(), asked in timeline(),
            most in 0..8usize,
        ) {
            let (shared, _) = built(&common);
            let with = |own: &[(u32, u64)]| {
                let mut clock = shared.clone();
                for (timeline, number) in own {
                    clock.set(OperationId { number: *number, timeline: *timeline });
                }
                let all: Vec<_> = common.iter().chain(own).copied().collect();
                (clock, built(&all).1)
            };
            let ((a, a_map), (b, b_map)) = (with(&one), with(&other));
            let of = |map: &BTreeMap<u32, u64>, at: u32| map.get(&at).copied().unwrap_or(0);
            prop_assert_eq!(a.last(asked), of(&a_map, asked));
            let mut both = a.clone();
            both.join(&b);
            let mut all: BTreeMap<u32, u64> = a_map.clone();
            for (timeline, number) in &b_map {
                let known = all.entry(*timeline).or_insert(0);
                *known = (*known).max(*number);
            }
            for timeline in all.keys() {
                prop_assert_eq!(both.last(*timeline), of(&all, *timeline));
            }
            prop_assert!(both.has_all(&a) && both.has_all(&b));
            let advances: Vec<(u32, u64, u64)> =
                a.advances_since(&b).iter().map(|each| (each.timeline, each.from, each.to)).collect();
            let wanted: Vec<(u32, u64, u64)> = a_map
                .iter()
                .map(|(timeline, to)| (*timeline, of(&b_map, *timeline), *to))
                .filter(|(_, from, to)| to > from)
                .collect();
            let few = a.few_advances_since(&b, most).map(|few| few.len());
            prop_assert_eq!(few, (wanted.len() <= most).then_some(wanted.len()));
            prop_assert_eq!(advances, wanted);
            prop_assert_eq!(a.has_all(&b), b_map.iter().all(|(t, n)| of(&a_map, *t) >= *n));
            prop_assert_eq!(a == b, a_map == b_map);
        }
    }

    #[test]
    fn a_join_with_a_clock_that_has_less_shares_all() {
        let (less, _) = built(&[(3, 1), (500, 2)]);
        let mut more = less.clone();
        more.set(OperationId { number: 7, timeline: 600 });
        let before = more.clone();
        more.join(&less);
        assert!(more.is_shared_with(&before));
        let mut joined = less.clone();
        joined.join(&more);
        assert!(joined.is_shared_with(&more));
    }
}
