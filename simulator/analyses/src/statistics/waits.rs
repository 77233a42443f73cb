//! How long warps wait for each other at block barriers, in instructions.
//!
//! A warp that arrives early waits for the slowest one. The wait is the difference of the
//! instructions that they have executed since the barrier before. So it does not depend on the
//! schedule. Hardware measures cycles instead (`smsp__warps_issue_stalled_barrier`).
//!
//! Where it can be wrong: an instruction counts as one, whatever hardware needs for it.

use rustc_hash::FxHashMap;

use crate::lower::Pc;
use crate::observe::{Arrival, BarrierEvent};

/// The instructions of each warp since its last barrier, by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    blocks: FxHashMap<u64, Vec<u64>>,
}

/// A warp that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    /// Where.
    pub(super) pc: Pc,
    /// The instructions for which it waited.
    pub(super) waited: u64,
    /// The instructions of the slowest warp.
    pub(super) awaited: u64,
}

impl Waits {
    /// Counts an instruction of a warp.
    pub(super) fn step(&mut self, block: u64, warp: u32) {
        let warps = self.blocks.entry(block).or_default();
        let warp = warp as usize;
        if warps.len() <= warp {
            warps.resize(warp + 1, 0);
        }
        warps[warp] += 1;
    }

    /// The waits at a barrier that is complete: one for each warp, at its first arrival.
    pub(super) fn meet(&mut self, barrier: &BarrierEvent<'_>) -> Vec<Wait> {
        self.of(barrier.block, barrier.arrivals)
    }

    fn of(&mut self, block: u64, arrivals: &[Arrival]) -> Vec<Wait> {
        let warps = self.blocks.entry(block).or_default();
        let steps = |warps: &[u64], warp: u32| warps.get(warp as usize).copied().unwrap_or(0);
        let awaited = arrivals.iter().map(|arrival| steps(warps, arrival.warp)).max();
        let awaited = awaited.unwrap_or(0);
        let mut waits = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        for arrival in arrivals {
            if seen.contains(&arrival.warp) {
                continue;
            }
            seen.push(arrival.warp);
            let own = steps(warps, arrival.warp);
            let waited = if arrival.waits { awaited - own } else { 0 };
            waits.push(Wait { pc: arrival.pc, waited, awaited });
        }
        for warp in seen {
            if let Some(steps) = warps.get_mut(warp as usize) {
                *steps = 0;
            }
        }
        waits
    }

    /// Forgets a block that has ended.
    pub(super) fn end(&mut self, block: u64) {
        self.blocks.remove(&block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(warp: u32, waits: bool) -> Arrival {
        Arrival { warp, lanes: u32::MAX, pc: 7, waits, aligned: true, predicate: 0 }
    }

    #[test]
    fn warps_wait_for_the_one_with_the_most_instructions() {
        let mut waits = Waits::default();
        for (warp, steps) in [(0, 10), (1, 4), (2, 4)] {
            (0..steps).for_each(|_| waits.step(3, warp));
        }
        // Warp 2 does not wait, and warp 1 arrives in two parts.
        let all = [arrival(1, true), arrival(1, true), arrival(2, false), arrival(0, true)];
        let wait = |waited| Wait { pc: 7, waited, awaited: 10 };
        assert_eq!(waits.of(3, &all), [wait(6), wait(0), wait(0)]);
        // From here on they count anew.
        waits.step(3, 1);
        let next = waits.of(3, &[arrival(0, true), arrival(1, true)]);
        assert_eq!(
            next.iter().map(|w| (w.waited, w.awaited)).collect::<Vec<_>>(),
            [(1, 1), (0, 1)]
        );
    }
}
