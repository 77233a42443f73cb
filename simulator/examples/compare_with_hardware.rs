//! Runs a kernel on the simulator and on an NVIDIA GPU and compares what they leave, byte by byte.
//! Without a GPU it says why there is none.
//!
//!     cargo run -p warpsim --example compare_with_hardware

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::prelude::*;
use warpsim_gpu::Gpu;

/// What the kernel makes of the numbers from 0 on, on a device.
fn neighbours(device: &mut dyn Device) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let loaded = device.load(&module)?;
    let numbers: Vec<u8> = (0..256_u32).flat_map(u32::to_le_bytes).collect();
    let buffer = device.allocate(numbers.len() as u64)?;
    device.upload(buffer, &numbers)?;
    device.launch(loaded, "neighbour", &Launch::new(2, 128), &[Argument::Pointer(buffer)])?;
    let mut after = vec![0; numbers.len()];
    device.download(buffer, &mut after)?;
    Ok(after)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simulated = neighbours(&mut Simulator::default())?;
    match Gpu::open(0) {
        Ok(mut gpu) => {
            assert_eq!(neighbours(&mut gpu)?, simulated);
            println!("{} and the simulator agree", gpu.name());
        }
        Err(error) => println!("nothing to compare with: {error}"),
    }
    Ok(())
}
