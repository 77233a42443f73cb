//! Runs a launch under all schedules of its warps and compares what they leave.
//!
//!     cargo run -p warpsim --example explore_schedules

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::explore::{Exploration, LaunchRequest, Strategy, Unit, explore};
use warpsim::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::default();
    let loaded = gpu.load(&module)?;
    let buffer = gpu.allocate(4 * 64)?;
    let numbers: Vec<u8> = (0..64_u32).flat_map(u32::to_le_bytes).collect();
    gpu.upload(buffer, &numbers)?;

    let strategy = Strategy::Exhaustive(Unit::Warps);
    let exploration = Exploration::default().with_strategy(strategy).with_schedules(10_000);
    for (kernel, is_right) in [("neighbour", true), ("neighbour_racy", false)] {
        let arguments = [Argument::Pointer(buffer)];
        let request = LaunchRequest::new(loaded, kernel, Launch::new(1, 64), &arguments);
        let explored = explore(&mut gpu, &request, &exploration)?;
        println!(
            "{kernel}: {} results of {} schedules",
            explored.outcomes.len(),
            explored.schedules
        );
        assert_eq!(explored.outcomes.len() == 1, is_right);
        if let Some(difference) = explored.difference {
            println!("  {}", difference.finding().explanation);
        }
    }
    Ok(())
}
