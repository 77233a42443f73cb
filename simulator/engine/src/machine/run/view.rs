//! The view of a launch in progress for schedules.

use std::ops::Range;

use super::grid::Machine;
use crate::lanes::{LANES, Mask};
use crate::machine::state::block::{Block, existing};
use crate::machine::state::fragment::State;
use crate::machine::state::profile::Model;
use crate::machine::state::warp::Warp;
use crate::schedule::{Places, View};

/// Lanes of a warp of a block. A warp that the block does not have has no lanes.
#[inline]
fn lanes_of_warp(block: &Block, warp: u32, lanes: impl Fn(&Warp) -> Mask) -> Mask {
    match block.warps.get(warp as usize) {
        Some(warp) => lanes(warp),
        None => 0,
    }
}

impl View for Machine {
    fn warps(&self, _block: u64) -> u32 {
        self.environment().launch.threads_per_block().div_ceil(LANES as u32)
    }

    #[inline]
    fn ready(&self, block: u64, warp: u32) -> Mask {
        let lockstep = self.is_lockstep();
        let of = |b: &Block| lanes_of_warp(b, warp, |w| w.ready(lockstep));
        match &self.current {
            Some(current) if current.linear == block => of(current),
            _ => match self.resident.get(&block) {
                Some(Some(block)) => of(block),
                Some(None) => existing(self.environment().launch.threads_per_block(), warp),
                None => 0,
            },
        }
    }

    fn first_ready(&self, block: u64, mut warps: Range<u32>) -> Option<u32> {
        match &self.current {
            Some(current) if current.linear == block => {
                let lockstep = self.is_lockstep();
                let is_ready = |warp: &Warp| warp.ready(lockstep) != 0;
                warps.find(|warp| current.warps.get(*warp as usize).is_some_and(is_ready))
            }
            Some(_) | None => match self.resident.get(&block)? {
                Some(block) => {
                    let lockstep = self.is_lockstep();
                    let ready = |warp| lanes_of_warp(block, warp, |warp| warp.ready(lockstep));
                    warps.find(|warp| ready(*warp) != 0)
                }
                None => {
                    let threads = self.environment().launch.threads_per_block();
                    warps.find(|warp| existing(threads, *warp) != 0)
                }
            },
        }
    }

    fn groups(&self, block: u64, warp: u32) -> Vec<Mask> {
        let Some(started) = self.block(block) else {
            return Some(self.ready(block, warp)).into_iter().filter(|mask| *mask != 0).collect();
        };
        let Some(warp) = started.warps.get(warp as usize) else { return Vec::new() };
        let ready = warp.ready(self.is_lockstep());
        let groups = warp.fragments.iter().filter(|f| f.state == State::Ready);
        groups.map(|f| f.mask).filter(|mask| mask & !ready == 0).collect()
    }

    fn asked_in_vain(&self, block: u64, warp: u32) -> Mask {
        // A block that has not started has asked nothing.
        let Some(started) = self.block(block) else { return 0 };
        lanes_of_warp(started, warp, |warp| warp.poll_loop.asked_in_vain())
    }

    fn spinning(&self, block: u64, warp: u32) -> Mask {
        // A block that has not started has not moved.
        let Some(started) = self.block(block) else { return 0 };
        lanes_of_warp(started, warp, |warp| warp.spinning.lanes())
    }

    fn free(&self, block: u64, warp: u32, places: &mut Places) -> Mask {
        let program = &self.environment().program;
        let Some(started) = self.block(block) else {
            let entry = program.functions[0].entry;
            return if places.may_come(program, entry) { 0 } else { self.ready(block, warp) };
        };
        let Some(warp) = started.warps.get(warp as usize) else { return 0 };
        // Under `lockstep` only the top of the stack moves.
        let first = if self.is_lockstep() { warp.fragments.len().saturating_sub(1) } else { 0 };
        let groups = warp.fragments[first..].iter().filter(|f| f.state == State::Ready);
        let free = groups.filter(|f| !places.may_come(program, f.pc));
        free.fold(0, |free, fragment| free | fragment.mask)
    }

    fn is_lockstep(&self) -> bool {
        self.environment().model == Model::Lockstep
    }

    fn next_resident(&self, block: Option<u64>) -> Option<u64> {
        let start = block.map_or(0, |block| block + 1);
        match (&self.current, self.resident.first_key_value()) {
            // Blocks usually run in their order.
            (None, Some((first, _))) if *first >= start => Some(*first),
            (_, _) => self.resident_after(block).next(),
        }
    }

    fn resident_after(&self, block: Option<u64>) -> Box<dyn Iterator<Item = u64> + '_> {
        let start = block.map_or(0, |b| b + 1);
        let current = self.current.as_ref().map(|b| b.linear);
        let others = |range: Range<u64>| self.resident.range(range).map(|(block, _)| *block);
        // The current block takes its place among the others. Usually only the first one is
        // requested, so the beginning of the rest is looked up when needed.
        let up = move |range: Range<u64>| {
            let here = current.filter(|current| range.contains(current));
            let before = others(range.start..here.unwrap_or(range.end));
            before.chain(
                here.into_iter()
                    .flat_map(move |here| std::iter::once(here).chain(others(here..range.end))),
            )
        };
        Box::new([start..u64::MAX, 0..start].into_iter().flat_map(up))
    }
}
