//! Goes through a launch one instruction of a warp at a time, forwards and back.
//!
//!     cargo run -p warpsim --example step_through

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::default();
    let loaded = gpu.load(&module)?;
    let buffer = gpu.allocate(4 * 32)?;
    gpu.upload(buffer, &(0..32_u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;

    let arguments = [Argument::Pointer(buffer)];
    let mut stepper = gpu.stepper(loaded, "neighbour", &Launch::new(1, 32), &arguments)?;
    let (block, warp, lane) = (0, 0, 5);
    // To the load from shared memory.
    while let Some(step) = stepper.step() {
        println!("{:>3} {:08x} {}", step.line, step.active, step.text);
        if &*step.name == "ld.shared.u32" {
            break;
        }
    }
    let value = |stepper: &Stepper<'_>| stepper.register(block, warp, lane, "%v").map(|v| v.bits);
    assert_eq!(value(&stepper), Some(6));
    assert!(stepper.back());
    assert_eq!(value(&stepper), Some(5));
    Ok(())
}
