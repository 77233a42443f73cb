//! A schedule of one's own: the last warp that can move goes first, until it waits or ends.
//!
//!     cargo run -p warpsim --example own_schedule

#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::fmt;

use warpsim::prelude::*;
use warpsim::schedule::{Choice, Move, View};

#[derive(Clone, Debug)]
struct LastWarpFirst;

impl fmt::Display for LastWarpFirst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("last-warp-first")
    }
}

impl Schedule for LastWarpFirst {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        view.resident_after(None).find_map(|block| {
            let warp = (0..view.warps(block)).rev().find(|warp| view.ready(block, *warp) != 0)?;
            Some(Move { block, warp, lanes: Choice::Together })
        })
    }

    fn copies_at_once(&mut self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    // It holds nothing, so the state of the machine alone decides what it chooses.
    fn recurrence(&self, _resident: usize) -> Option<u64> {
        Some(0)
    }
}

/// What the first warp's last thread gets under a schedule.
fn taken(kernel: &str, schedule: Box<dyn Schedule>) -> Result<u32, Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::default();
    gpu.settings_mut().schedule = schedule;
    let loaded = gpu.load(&module)?;
    let buffer = gpu.allocate(4 * 64)?;
    gpu.upload(buffer, &(100..164_u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;
    gpu.launch(loaded, kernel, &Launch::new(1, 64), &[Argument::Pointer(buffer)])?;
    let mut word = [0; 4];
    gpu.download(buffer.offset(4 * 31), &mut word)?;
    Ok(u32::from_le_bytes(word))
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // With the barrier it does not matter which warp goes first.
    assert_eq!(taken("neighbour", "in-order".parse()?)?, 132);
    assert_eq!(taken("neighbour", Box::new(LastWarpFirst))?, 132);
    // Without it, the first warp reads before the second has written: what shared memory held.
    assert_eq!(taken("neighbour_racy", Box::new(LastWarpFirst))?, 132);
    let first = taken("neighbour_racy", "in-order".parse()?)?;
    println!("the thread before the second warp takes {first} where the first warp goes first");
    Ok(())
}
