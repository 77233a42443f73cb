//! The largest of some unsigned numbers, by one block whose threads scan their own ranges.
//!
//! `sweep` varies the number of threads.

mod random;
mod sweep;

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer};
use warpsim::report::Code;

use crate::numbers::Numbers;
use crate::program::{
    ANY, Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant, completed,
};
use crate::texts::{compiled, cuda};
use crate::{arrays, ints};

/// The threads of the block, where nothing else is asked for.
const THREADS: u32 = 256;
/// The kernel that is right.
const KERNEL: &str = "find_max";

/// The program.
pub static PROGRAM: Program = Program {
    name: "find-max",
    summary: "the largest of some unsigned numbers, by one block",
    source: cuda!("find_max"),
    ptx: compiled!("find_max"),
    variants: &[
        Variant {
            name: "atomic",
            kernel: KERNEL,
            soundness: Soundness::Synchronised,
            note: "what each thread found goes through atomicMax()",
        },
        Variant {
            name: "racy",
            kernel: "find_max_racy",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "each compares with its own maximum, and writes",
        },
    ],
    length: Length::AtMost(1 << 30),
    values: ANY,
    inputs: Inputs::COUNTING,
    tolerance: 0.0,
    told: Told::Report(Reporting {
        sizes: Some((1, 1 << 31)),
        has_sweep: true,
        report: sweep::report,
    }),
    driver: drive,
    oracle,
};

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let numbers = ints::upload(device, input)?;
    let max = ints::zeros(device, 1)?;
    let report = device.launch(
        module,
        variant.kernel,
        &Launch::new(1, THREADS),
        &arguments(numbers, input.len() as u64, max),
    )?;
    completed(variant.kernel, report)?;
    let found = arrays::download(device, max, ElementType::U32, 1)?;
    device.free(numbers)?;
    device.free(max)?;
    Ok(found)
}

/// The kernel's arguments.
fn arguments(numbers: Pointer, n: u64, max: Pointer) -> [Argument; 3] {
    [Argument::Pointer(numbers), Argument::U64(n), Argument::Pointer(max)]
}

/// One number after the other.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    vec![input.iter().map(|&number| number as u32).max().unwrap_or(0)].into()
}
