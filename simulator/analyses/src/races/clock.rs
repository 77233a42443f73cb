//! What a thread knows about other threads: clocks with the structure of the machine.
//!
//! Time is the number of the step in which something was observed, the same for all threads. A
//! thread knows a time for each other thread. Everything that the other did up to that time happens
//! before the thread's own next actions. Vector clocks would need a component for each pair of
//! threads. Synchronisation on a GPU comes in blocks and warps, so here a component may represent a
//! block or a warp. It represents a single lane only where lanes were synchronised singly. The
//! shape loses nothing: a component for many is only made when all of them took part.

use std::sync::Arc;

use super::thread::ThreadId;
use crate::lanes::{LANES, Mask, lanes_of};

/// A step of the run. Later is greater.
pub(super) type Step = u64;

/// What a thread knows: for each other thread, up to when it knows everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Knowledge {
    /// Ascending by block.
    blocks: Vec<(u64, OfBlock)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfBlock {
    floor: Step,
    /// Ascending by warp.
    warps: Vec<(u32, OfWarp)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfWarp {
    floor: Step,
    lanes: Option<Box<[Step; LANES]>>,
}

impl Knowledge {
    /// Up to when everything that `thread` did is known.
    pub(super) fn of(&self, thread: ThreadId) -> Step {
        let Ok(at) = self.blocks.binary_search_by_key(&thread.timeline(), |(b, _)| *b) else {
            return 0;
        };
        let block = &self.blocks[at].1;
        let Ok(at) = block.warps.binary_search_by_key(&thread.warp(), |(w, _)| *w) else {
            return block.floor;
        };
        let warp = &block.warps[at].1;
        let lane = warp.lanes.as_ref().map_or(0, |lanes| lanes[thread.lane() as usize % LANES]);
        block.floor.max(warp.floor).max(lane)
    }

    /// Knows what every thread of a block did up to `step`.
    pub(super) fn raise_block(&mut self, block: u64, step: Step) {
        let of = self.block(block);
        of.floor = of.floor.max(step);
        of.forget_what_the_floor_covers();
    }

    /// Knows what every thread of a warp did up to `step`.
    pub(super) fn raise_warp(&mut self, block: u64, warp: u32, step: Step) {
        let of = self.block(block).warp(warp);
        of.floor = of.floor.max(step);
        let floor = of.floor;
        if of.lanes.as_ref().is_some_and(|lanes| lanes.iter().all(|lane| *lane <= floor)) {
            of.lanes = None;
        }
    }

    /// Knows what some lanes of a warp did up to `step`.
    pub(super) fn raise_lanes(&mut self, block: u64, warp: u32, mask: Mask, step: Step) {
        let lanes = self.block(block).warp(warp).lanes.get_or_insert_default();
        for lane in lanes_of(mask) {
            lanes[lane] = lanes[lane].max(step);
        }
    }

    /// Knows what some copies of a thread did up to `step`.
    pub(super) fn raise_copies(&mut self, copies: ThreadId, step: Step) {
        self.raise_lanes(copies.timeline(), copies.warp(), 1 << copies.lane(), step);
    }

    /// Knows what the other knows.
    pub(super) fn join(&mut self, other: &Knowledge) {
        let mut at = 0;
        for (number, theirs) in &other.blocks {
            while self.blocks.get(at).is_some_and(|(block, _)| block < number) {
                at += 1;
            }
            match self.blocks.get_mut(at) {
                Some((block, ours)) if block == number => ours.join(theirs),
                Some(_) | None => self.blocks.insert(at, (*number, theirs.clone())),
            }
        }
    }

    /// Whether all that the other knows is known, as far as that is seen without a look at single
    /// lanes of whole warps.
    fn covers(&self, other: &Knowledge) -> bool {
        let mut ours = self.blocks.iter().peekable();
        other.blocks.iter().all(|(number, theirs)| {
            while ours.next_if(|(block, _)| block < number).is_some() {}
            ours.peek().is_some_and(|(block, ours)| block == number && ours.covers(theirs))
        })
    }

    fn block(&mut self, number: u64) -> &mut OfBlock {
        let found = self.blocks.binary_search_by_key(&number, |(b, _)| *b);
        let at = found.unwrap_or_else(|at| {
            self.blocks.insert(at, (number, OfBlock::default()));
            at
        });
        &mut self.blocks[at].1
    }
}

impl OfBlock {
    fn warp(&mut self, number: u32) -> &mut OfWarp {
        let found = self.warps.binary_search_by_key(&number, |(w, _)| *w);
        let at = found.unwrap_or_else(|at| {
            self.warps.insert(at, (number, OfWarp::default()));
            at
        });
        &mut self.warps[at].1
    }

    fn join(&mut self, other: &OfBlock) {
        if self.covers(other) {
            return;
        }
        self.floor = self.floor.max(other.floor);
        for (number, theirs) in &other.warps {
            self.warp(*number).join(theirs);
        }
        self.forget_what_the_floor_covers();
    }

    fn covers(&self, other: &OfBlock) -> bool {
        let mut ours = self.warps.iter().peekable();
        self.floor >= other.floor
            && other.warps.iter().all(|(number, theirs)| {
                while ours.next_if(|(warp, _)| warp < number).is_some() {}
                match ours.peek() {
                    Some((warp, ours)) if warp == number => ours.covers(theirs, self.floor),
                    Some(_) | None => OfWarp::default().covers(theirs, self.floor),
                }
            })
    }

    fn forget_what_the_floor_covers(&mut self) {
        let floor = self.floor;
        let beyond = |of: &OfWarp| {
            of.floor > floor
                || of.lanes.as_ref().is_some_and(|lanes| lanes.iter().any(|lane| *lane > floor))
        };
        self.warps.retain(|(_, of)| beyond(of));
    }
}

impl OfWarp {
    /// Whether it covers another one, when this much is known of the whole block.
    fn covers(&self, other: &OfWarp, of_block: Step) -> bool {
        let floor = self.floor.max(of_block);
        let lane = |at: usize| self.lanes.as_ref().map_or(0, |lanes| lanes[at]).max(floor);
        floor >= other.floor
            && other.lanes.as_ref().is_none_or(|theirs| (0..LANES).all(|at| lane(at) >= theirs[at]))
    }

    fn join(&mut self, other: &OfWarp) {
        self.floor = self.floor.max(other.floor);
        if let Some(theirs) = &other.lanes {
            let ours = self.lanes.get_or_insert_default();
            for (ours, theirs) in ours.iter_mut().zip(theirs.iter()) {
                *ours = (*ours).max(*theirs);
            }
        }
    }
}

/// Joins shared knowledge. Copies nothing when one of the two contains the other. A thread that
/// spins joins the same knowledge in each round.
pub(super) fn join_shared(into: &mut Arc<Knowledge>, other: &Arc<Knowledge>) {
    if Arc::ptr_eq(into, other) || into.covers(other) {
        return;
    }
    match other.covers(into) {
        true => *into = Arc::clone(other),
        false => Arc::make_mut(into).join(other),
    }
}

/// The same for knowledge that may be absent.
pub(super) fn join_optional(into: &mut Option<Arc<Knowledge>>, other: &Arc<Knowledge>) {
    match into {
        Some(into) => join_shared(into, other),
        None => *into = Some(Arc::clone(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(block: u64, warp: u32, lane: u32) -> ThreadId {
        ThreadId::new(block, warp, lane)
    }

    #[test]
    fn a_component_for_many_holds_for_each_of_them() {
        let mut knows = Knowledge::default();
        knows.raise_lanes(3, 1, 0b100, 50);
        knows.raise_warp(3, 1, 20);
        knows.raise_block(3, 10);
        assert_eq!(knows.of(thread(3, 1, 2)), 50);
        assert_eq!(knows.of(thread(3, 1, 3)), 20);
        assert_eq!(knows.of(thread(3, 0, 3)), 10);
        assert_eq!(knows.of(thread(2, 1, 2)), 0);
    }

    #[test]
    fn what_a_floor_covers_is_forgotten_and_nothing_else() {
        let mut knows = Knowledge::default();
        knows.raise_lanes(0, 0, 1, 5);
        knows.raise_lanes(0, 1, 1, 9);
        knows.raise_block(0, 7);
        assert_eq!(knows.blocks[0].1.warps.len(), 1);
        assert_eq!((knows.of(thread(0, 0, 0)), knows.of(thread(0, 1, 0))), (7, 9));
    }

    /// Against plain vector clocks: a map from every thread to a step.
    #[test]
    fn joining_and_raising_is_what_it_is_for_vector_clocks() {
        use proptest::prelude::*;
        let raise = (0..2u64, 0..3u32, any::<Mask>(), 1..100u64, 0..3u8);
        let side = proptest::collection::vec(raise, 0..8);
        let all = || (0..2).flat_map(|b| (0..3).flat_map(move |w| (0..32).map(move |l| (b, w, l))));
        proptest!(|(a in side.clone(), b in side)| {
            let build = |raises: &[(u64, u32, Mask, u64, u8)]| {
                let mut knows = Knowledge::default();
                let mut plain = std::collections::BTreeMap::<(u64, u32, u32), Step>::new();
                for (block, warp, mask, step, what) in raises {
                    match what {
                        0 => knows.raise_block(*block, *step),
                        1 => knows.raise_warp(*block, *warp, *step),
                        _ => knows.raise_lanes(*block, *warp, *mask, *step),
                    }
                    let raised = all().filter(|(b, w, l)| b == block && match what {
                        0 => true,
                        1 => w == warp,
                        _ => w == warp && mask >> l & 1 == 1,
                    });
                    for thread in raised {
                        let known = plain.entry(thread).or_default();
                        *known = (*known).max(*step);
                    }
                }
                (knows, plain)
            };
            let (mut knows, mut plain) = build(&a);
            let (other, plain_other) = build(&b);
            knows.join(&other);
            for (thread, step) in plain_other {
                let known = plain.entry(thread).or_default();
                *known = (*known).max(step);
            }
            for (b, w, l) in all() {
                let expected = plain.get(&(b, w, l)).copied().unwrap_or(0);
                prop_assert_eq!(knows.of(thread(b, w, l)), expected);
            }
            prop_assert!(knows.covers(&other) && knows.covers(&knows));
            let (first, _) = build(&a);
            if first.covers(&other) {
                let knows = |thread: ThreadId| first.of(thread) >= other.of(thread);
                prop_assert!(all().all(|(b, w, l)| knows(thread(b, w, l))));
            }
            let (mut shared, other) = (Arc::new(first), Arc::new(other));
            join_shared(&mut shared, &other);
            for (b, w, l) in all() {
                prop_assert_eq!(shared.of(thread(b, w, l)), knows.of(thread(b, w, l)));
            }
        });
    }
}
