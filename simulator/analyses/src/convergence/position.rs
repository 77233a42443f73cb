//! How far the lanes of a warp have come, relative to places where paths meet.

use super::plan::{Ahead, Count, Counter, Plan};
use crate::lanes::{LANES, Mask};
use crate::lower::Pc;

/// Lanes that wait for each other at a warp operation (`independent`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) lanes: Mask,
    pub(super) pc: Pc,
    pub(super) mask: Mask,
}

/// A warp.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    /// The lanes that exist.
    pub(super) exists: Mask,
    /// The lanes that have exited.
    pub(super) exited: Mask,
    /// Who waits at warp operations.
    pub(super) waits: Vec<Wait>,
    counts: Vec<[u32; LANES]>,
}

impl Warp {
    pub(super) fn new(exists: Mask, counters: usize) -> Warp {
        Warp { exists, exited: 0, waits: Vec::new(), counts: vec![[0; LANES]; counters] }
    }

    /// Resets it for a block that begins.
    pub(super) fn renew(&mut self) {
        self.exited = 0;
        self.waits.clear();
        self.counts.iter_mut().for_each(|counts| *counts = [0; LANES]);
    }

    /// Counts lanes that have reached an operation.
    pub(super) fn count(&mut self, plan: &Plan, counts: &[Count], mask: Mask, active: Mask) {
        for count in counts {
            let lanes = if count.guarded { active } else { mask };
            let add =
                |(lane, value): (usize, &mut u32)| *value = value.saturating_add(lanes >> lane & 1);
            self.counts[count.counter].iter_mut().enumerate().for_each(add);
            for inner in &plan.resets[count.counter] {
                let values = self.counts[*inner].iter_mut().enumerate();
                values.filter(|(lane, _)| lanes >> lane & 1 == 1).for_each(|(_, value)| *value = 0);
            }
        }
    }

    /// How often a lane has come.
    pub(super) fn at(&self, counter: Counter, lane: usize) -> u32 {
        self.counts[counter][lane % LANES]
    }

    /// Whether all lanes have come so often, those that do not exist as well.
    pub(super) fn are_all(&self, counter: Counter, like: u32) -> bool {
        self.counts[counter].iter().fold(0, |differs, count| differs | (count ^ like)) == 0
    }

    /// The lanes that a counter has counted at least once.
    pub(super) fn came(&self, counter: Counter) -> Mask {
        lanes_where(&self.counts[counter], |count| count > 0)
    }

    /// How far a lane is, relative to the places ahead of a rendezvous.
    pub(super) fn progress(&self, ahead: &[Ahead], lane: usize) -> Vec<u32> {
        ahead.iter().map(|a| self.at(a.counter, lane)).collect()
    }

    /// Whether all of some lanes have the same progress as `like`.
    pub(super) fn all_like(&self, ahead: &[Ahead], lanes: Mask, like: &[u32]) -> bool {
        ahead.iter().zip(like).all(|(ahead, value)| {
            lanes_where(&self.counts[ahead.counter], |count| count != *value) & lanes == 0
        })
    }

    /// The lanes among these that are ahead of a lane at the position `waiting`. Also the index of
    /// the place by which they are ahead: the outermost place at which they differ.
    pub(super) fn passed(
        &self,
        ahead: &[Ahead],
        lanes: Mask,
        waiting: &[u32],
    ) -> Option<(usize, Mask)> {
        let mut undecided = lanes;
        for (place, (ahead, waiting)) in ahead.iter().zip(waiting).enumerate() {
            let counts = &self.counts[ahead.counter];
            let further = undecided & lanes_where(counts, |count| count > *waiting);
            if further != 0 {
                return Some((place, further));
            }
            undecided &= lanes_where(counts, |count| count == *waiting);
        }
        None
    }
}

/// The lanes whose count is like that.
fn lanes_where(counts: &[u32; LANES], is: impl Fn(u32) -> bool) -> Mask {
    counts.iter().enumerate().fold(0, |mask, (lane, count)| mask | Mask::from(is(*count)) << lane)
}
