//! Runs a kernel and looks at what it leaves in memory.
//!
//!     cargo run -p warpsim --example run_a_kernel

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::new(DeviceProfile::h200());
    let loaded = gpu.load(&module)?;

    let numbers: Vec<u32> = (0..128).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let buffer = gpu.allocate(bytes.len() as u64)?;
    gpu.upload(buffer, &bytes)?;

    let launch = Launch::new(2, 64);
    let report = gpu.launch(loaded, "neighbour", &launch, &[Argument::Pointer(buffer)])?;
    assert_eq!(report.outcome, Outcome::Completed);

    let mut after = vec![0; bytes.len()];
    gpu.download(buffer, &mut after)?;
    let after: Vec<u32> =
        after.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    // The next number, and the first of the block at its end.
    assert_eq!((after[0], after[62], after[63], after[64]), (1, 63, 0, 65));
    println!("{} instructions of warps", report.counts.warp_instructions);
    Ok(())
}
