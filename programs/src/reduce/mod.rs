//! The sum of any number of ints: in blocks, with `__syncthreads()` after each step.

use warpsim::host::{Argument, Device, Launch, ModuleHandle};

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{ANY, Inputs, Length, Program, RunError, Soundness, Told, Variant, completed};
use crate::texts::{compiled, cuda};

/// Numbers that a block adds up, one by each thread.
const BLOCK: usize = 256;

/// The program.
pub static PROGRAM: Program = Program {
    name: "reduce",
    summary: "the sum of any number of ints, by blocks, with a barrier after each step",
    source: cuda!("reduce"),
    ptx: compiled!("reduce"),
    variants: &[Variant {
        name: "syncthreads",
        kernel: "reduce",
        soundness: Soundness::Synchronised,
        note: "__syncthreads() in the loop",
    }],
    length: Length::AtMost(1 << 30),
    values: ANY,
    inputs: Inputs::COUNTING,
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

/// Sums blocks, then the sums of the blocks, until one is left.
pub(crate) fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    if input.is_empty() {
        return Ok(vec![0].into());
    }
    let mut from = ints::upload(device, input)?;
    let mut count = input.len();
    loop {
        let blocks = count.div_ceil(BLOCK);
        let to = ints::allocate(device, blocks)?;
        let launch = Launch::new(blocks as u32, BLOCK as u32);
        let arguments =
            [Argument::Pointer(from), Argument::Pointer(to), Argument::I32(count as i32)];
        let report = device.launch(module, variant.kernel, &launch, &arguments)?;
        completed(variant.kernel, report)?;
        device.free(from)?;
        if blocks == 1 {
            let result = ints::download(device, to, 1)?;
            device.free(to)?;
            return Ok(result.into());
        }
        (from, count) = (to, blocks);
    }
}

/// One number after the other.
pub(crate) fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    vec![input.iter().fold(0, |sum: i32, &x| sum.wrapping_add(x))].into()
}
