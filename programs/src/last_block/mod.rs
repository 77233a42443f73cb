//! The sum of any number of ints in one launch: the block that is done last adds the sums of all
//! blocks.
//!
//! A grid has no barrier, but it can find its last block: each block stores its partial sum, and
//! then takes a ticket. The host launches twice, because the kernel has to leave its counter as it
//! found it.

use warpsim::host::{Argument, Device, Launch, ModuleHandle};
use warpsim::report::Code;

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{ANY, Inputs, Length, Program, RunError, Soundness, Told, Variant, completed};
use crate::texts::{compiled, cuda};

/// Numbers that a block adds up, one by each thread.
const BLOCK: usize = 256;

/// The program.
pub static PROGRAM: Program = Program {
    name: "last-block",
    summary: "the sum of any number of ints in one launch, which the last block completes; twice",
    source: cuda!("last_block"),
    ptx: compiled!("last_block"),
    variants: &[
        Variant {
            name: "fences",
            kernel: "last_block",
            soundness: Soundness::Synchronised,
            note: "a fence before the ticket and one after it",
        },
        Variant {
            name: "no-first-fence",
            kernel: "without_first_fence",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "no fence between the partial sum and the ticket",
        },
        Variant {
            name: "no-second-fence",
            kernel: "without_second_fence",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "no fence between the ticket and the partial sums",
        },
        Variant {
            name: "plain-ticket",
            kernel: "plain_ticket",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "count++ in the place of atomicInc()",
        },
        Variant {
            name: "no-barrier",
            kernel: "without_barrier",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "no barrier between the flag and the threads that read it",
        },
    ],
    length: Length::AtMost(1 << 30),
    values: ANY,
    inputs: Inputs { checked: two_blocks, ..Inputs::COUNTING },
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

fn two_blocks() -> Vec<i32> {
    (1..=300).collect()
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let blocks = input.len().div_ceil(BLOCK).max(1);
    let launch = Launch::new(blocks as u32, BLOCK as u32);
    let numbers = ints::upload(device, input)?;
    let mut sums = Vec::new();
    for _ in 0..2 {
        let (partials, out) = (ints::zeros(device, blocks)?, ints::zeros(device, 1)?);
        let arguments = [
            Argument::Pointer(numbers),
            Argument::I32(input.len() as i32),
            Argument::Pointer(partials),
            Argument::Pointer(out),
        ];
        completed(variant.kernel, device.launch(module, variant.kernel, &launch, &arguments)?)?;
        sums.extend(ints::download(device, out, 1)?);
        device.free(partials)?;
        device.free(out)?;
    }
    device.free(numbers)?;
    Ok(sums.into())
}

/// The sum of both launches.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let sum = input.iter().fold(0, |sum: i32, &x| sum.wrapping_add(x));
    vec![sum, sum].into()
}
