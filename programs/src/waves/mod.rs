//! Blocks that wait for another block, in grids larger than a device can hold at a time.
//!
//! A block starts when a multiprocessor has room for it, and keeps its place to the end. Blocks
//! that wait for a block that has not started wait for the place that they hold themselves.

mod residency;

use warpsim::host::{Argument, Device, Launch, ModuleHandle};
use warpsim::report::Code;

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant, completed,
};
use crate::texts::{compiled, cuda};

/// Threads of a block.
const BLOCK: u32 = 32;
/// Bytes of shared memory with which a multiprocessor of an H200 holds one block.
const MUCH: u32 = 200 << 10;
/// Blocks that are resident at once on any of the devices.
const FEW: u32 = 16;
/// Blocks with [`MUCH`] shared memory: more than an H200 with its 132 multiprocessors holds.
const MANY: u32 = 140;

/// The program.
pub static PROGRAM: Program = Program {
    name: "waves",
    summary: "the last number is added to all: blocks that wait for another block",
    source: cuda!("waves"),
    ptx: compiled!("waves"),
    variants: &[
        Variant {
            name: "ticket",
            kernel: "wait_for_ticket",
            soundness: Soundness::Synchronised,
            note: "140 blocks wait for the one that started first",
        },
        Variant {
            name: "first",
            kernel: "wait_for_first",
            soundness: Soundness::Synchronised,
            note: "140 blocks wait for block 0, without a promise that it starts first",
        },
        Variant {
            name: RESIDENT,
            kernel: "wait_for_last",
            soundness: Soundness::Synchronised,
            note: "16 blocks wait for the last one, all of them resident",
        },
        Variant {
            name: "last",
            kernel: "wait_for_last",
            soundness: Soundness::Faulty(&[Code::Livelock]),
            note: "140 blocks wait for the last one, which has no room",
        },
    ],
    length: Length::AtMost(1 << 20),
    values: ANY,
    inputs: Inputs {
        example: numbers,
        checked: numbers,
        recorded: &["s32[300]=iota:1", "s32[300]=rand:71:-100000:100000"],
    },
    tolerance: 0.0,
    told: Told::Report(Reporting { sizes: None, has_sweep: false, report: residency::report }),
    driver: drive,
    oracle,
};

/// The variant with few blocks.
const RESIDENT: &str = "last-resident";

fn numbers() -> Vec<i32> {
    (1..=300).collect()
}

/// The launch of a variant.
fn shape(variant: &Variant) -> Launch {
    match variant.name {
        RESIDENT => Launch::new(FEW, BLOCK),
        _ => Launch { shared: MUCH, ..Launch::new(MANY, BLOCK) },
    }
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let count = input.len();
    if count == 0 {
        return Ok(Vec::<i32>::new().into());
    }
    let from = ints::upload(device, input)?;
    let to = ints::upload(device, &vec![0; count])?;
    // The number, whether it is there, and the tickets.
    let board = ints::upload(device, &[0; 3])?;
    let arguments = [
        Argument::Pointer(from),
        Argument::Pointer(to),
        Argument::Pointer(board),
        Argument::I32(count as i32),
    ];
    let report = device.launch(module, variant.kernel, &shape(variant), &arguments)?;
    completed(variant.kernel, report)?;
    let result = ints::download(device, to, count)?;
    for buffer in [from, to, board] {
        device.free(buffer)?;
    }
    Ok(result.into())
}

fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let last = input.last().copied().unwrap_or(0);
    input.iter().map(|number| number.wrapping_add(last)).collect::<Vec<i32>>().into()
}
