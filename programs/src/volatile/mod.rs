//! The scan of 32 in three forms, and the story of what `volatile` does for it.
//!
//! One warp computes the inclusive prefix sum of 32 numbers in shared memory, and its lanes pass no
//! barrier between the steps. That is right as long as lanes move together *and* every access that
//! is written happens. A compiler need not make every access; `volatile` says that it must.

pub mod everywhere;
mod leftovers;
mod render;
pub mod story;
mod tell;

use warpsim::host::{Argument, Device, Launch, ModuleHandle};

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Colour, Inputs, Length, Program, RunError, Soundness, Text, Told, Variant, completed,
};
use crate::scan;
use crate::texts::{compiled, cuda};

pub use leftovers::{BY_HAND, H200, five_rows, simulated_rows};
pub use render::render;
pub use tell::tell;

/// The lanes of a warp: one number each.
const LANES: usize = 32;

/// The scan cut down to 8 lanes, for pictures: the kernel `scan8`, naive.
pub const SCAN8: Text = Text { file: "scan8.ptx", text: include_str!("scan8.ptx") };

/// The program.
pub static PROGRAM: Program = Program {
    name: "volatile",
    summary: "the prefix sum of 32 ints by one warp: plain, volatile, and with an accumulator",
    source: cuda!("scan32"),
    ptx: compiled!("scan32"),
    variants: &[
        Variant {
            name: "plain",
            kernel: "scan_plain",
            soundness: Soundness::AsWritten,
            note: "through int *",
        },
        Variant {
            name: "volatile",
            kernel: "scan_volatile",
            soundness: Soundness::WarpSynchronous,
            note: "through volatile int *",
        },
        Variant {
            name: "accumulator",
            kernel: "scan_accumulator",
            soundness: Soundness::WarpSynchronous,
            note: "through volatile int *, the sum kept in a variable",
        },
    ],
    length: Length::Exactly(LANES),
    values: ANY,
    inputs: Inputs {
        example: counting,
        checked: counting,
        recorded: &["s32[32]=iota:1", "s32[32]=rand:71:-100000:100000"],
    },
    tolerance: 0.0,
    told: Told::Story(told),
    driver: drive,
    oracle: scan::oracle,
};

fn counting() -> Vec<i32> {
    (1..).take(LANES).collect()
}

/// The story in words.
fn told(colour: Colour) -> Result<String, RunError> {
    Ok(render(&tell()?, colour))
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let from = ints::upload(device, input)?;
    let to = ints::allocate(device, LANES)?;
    let launch = Launch::new(1, LANES as u32);
    let report = device.launch(
        module,
        variant.kernel,
        &launch,
        &[Argument::Pointer(from), Argument::Pointer(to)],
    )?;
    completed(variant.kernel, report)?;
    let result = ints::download(device, to, LANES)?;
    device.free(from)?;
    device.free(to)?;
    Ok(result.into())
}
