//! Counts how many of some ints are 6: the first program of many courses, and the first race.
//!
//! Thread t of the one block looks at the elements t, t + B, t + 2B, ... The variants differ in how
//! the threads combine their counts.

use warpsim::host::{Argument, Device, Launch, ModuleHandle};
use warpsim::report::Code;

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{ANY, Inputs, Length, Program, RunError, Soundness, Told, Variant, completed};
use crate::texts::{compiled, cuda};

/// The threads of the block.
const THREADS: usize = 256;

/// The variant whose counts are added up on the host.
const EACH: &str = "each";

/// The program.
pub static PROGRAM: Program = Program {
    name: "count-sixes",
    summary: "how many of some ints are 6, by one block",
    source: cuda!("count_sixes"),
    ptx: compiled!("count_sixes"),
    variants: &[
        Variant {
            name: "racy",
            kernel: "count_racy",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "each adds directly to one sum",
        },
        Variant {
            name: "each",
            kernel: "count_each",
            soundness: Soundness::Synchronised,
            note: "a count for each thread, summed on the host",
        },
        Variant {
            name: "barrier",
            kernel: "count_barrier",
            soundness: Soundness::Synchronised,
            note: "the same, a barrier, and thread 0 sums",
        },
        Variant {
            name: "atomic",
            kernel: "count_atomic",
            soundness: Soundness::Synchronised,
            note: "the same, then atomicAdd()",
        },
    ],
    length: Length::AtMost(1 << 30),
    values: ANY,
    inputs: Inputs {
        example: throws,
        checked: throws,
        recorded: &["s32[1000]=rand:6:1:6", "s32[1000]=fill:6"],
    },
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

/// A thousand throws of a die: the leading bits of a linear congruential generator (Knuth, "The Art
/// of Computer Programming", volume 2, 3.3.4, table 1, line 26).
fn throws() -> Vec<i32> {
    let mut state = 6u64;
    let mut throw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % 6) as i32 + 1
    };
    (0..1000).map(|_| throw()).collect()
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let numbers = ints::upload(device, input)?;
    let (out, sum) = (ints::zeros(device, THREADS)?, ints::zeros(device, 1)?);
    let arguments = [
        Argument::Pointer(numbers),
        Argument::I32(input.len() as i32),
        Argument::Pointer(out),
        Argument::Pointer(sum),
    ];
    let launch = Launch::new(1, THREADS as u32);
    completed(variant.kernel, device.launch(module, variant.kernel, &launch, &arguments)?)?;
    let count = match variant.name {
        EACH => vec![ints::download(device, out, THREADS)?.iter().sum()],
        _ => ints::download(device, sum, 1)?,
    };
    for pointer in [numbers, out, sum] {
        device.free(pointer)?;
    }
    Ok(count.into())
}

fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    vec![input.iter().filter(|&&number| number == 6).count() as i32].into()
}
