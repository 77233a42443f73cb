//! The inclusive prefix sum of any number of ints, built from the scan of 32.
//!
//! Blocks of 1024 are scanned, then the totals of the blocks in the same way. Then every block adds
//! the total before it. Warps of a block wait for each other at barriers and blocks at the end of a
//! launch, so the combination is sound in every variant. Only the scan of 32 within a warp differs.

use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer};

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{ANY, Inputs, Length, Program, RunError, Soundness, Told, Variant, completed};
use crate::texts::{compiled, cuda};

/// Numbers that a block scans, one by each thread.
const BLOCK: usize = 1024;

/// The program.
pub static PROGRAM: Program = Program {
    name: "scan",
    summary: "the prefix sum of any number of ints, built from the scan of 32",
    source: cuda!("scan"),
    ptx: compiled!("scan"),
    variants: &[
        Variant {
            name: "syncwarp",
            kernel: "scan_blocks_syncwarp",
            soundness: Soundness::Synchronised,
            note: "__syncwarp() between the steps of the scan of 32",
        },
        Variant {
            name: "volatile",
            kernel: "scan_blocks_volatile",
            soundness: Soundness::WarpSynchronous,
            note: "the scan of 32 through a volatile pointer",
        },
        Variant {
            name: "plain",
            kernel: "scan_blocks_plain",
            soundness: Soundness::AsWritten,
            note: "the scan of 32 through a plain pointer",
        },
    ],
    length: Length::AtMost(1 << 30),
    values: ANY,
    inputs: Inputs::COUNTING,
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    if input.is_empty() {
        return Ok(Vec::<i32>::new().into());
    }
    let from = ints::upload(device, input)?;
    let to = ints::allocate(device, input.len())?;
    scan(device, module, variant.kernel, from, to, input.len())?;
    let result = ints::download(device, to, input.len())?;
    device.free(from)?;
    device.free(to)?;
    Ok(result.into())
}

/// Scans `count` ints, one or more.
fn scan(
    device: &mut dyn Device,
    module: ModuleHandle,
    kernel: &'static str,
    from: Pointer,
    to: Pointer,
    count: usize,
) -> Result<(), RunError> {
    let blocks = count.div_ceil(BLOCK);
    let launch = Launch::new(blocks as u32, BLOCK as u32);
    let n = Argument::I32(count as i32);

    let totals = ints::allocate(device, blocks)?;
    let arguments =
        [Argument::Pointer(from), Argument::Pointer(to), Argument::Pointer(totals), n.clone()];
    completed(kernel, device.launch(module, kernel, &launch, &arguments)?)?;
    if blocks > 1 {
        let before = ints::allocate(device, blocks)?;
        scan(device, module, kernel, totals, before, blocks)?;
        let report = device.launch(
            module,
            "add_totals",
            &launch,
            &[Argument::Pointer(to), Argument::Pointer(before), n],
        )?;
        completed("add_totals", report)?;
        device.free(before)?;
    }
    device.free(totals)?;
    Ok(())
}

/// One number after the other.
pub(crate) fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    sums(input).into()
}

/// The sums of the first, the first two, the first three, ...
pub(crate) fn sums(input: &[i32]) -> Vec<i32> {
    let mut sum = 0i32;
    let add = |&x| {
        sum = sum.wrapping_add(x);
        sum
    };
    input.iter().map(add).collect()
}
