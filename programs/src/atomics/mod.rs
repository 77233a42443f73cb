//! Every atomic function of CUDA, by type and by scope: the values that threads find and leave.
//!
//! The order of the threads decides what each finds in a cell that all access, but not every
//! outcome is possible: `trail` checks that. The value left does not depend on the order, except
//! for `exch` and `cas`.

mod report;
mod rows;
mod trail;

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Launch, ModuleHandle};
use warpsim::report::Code;

use crate::arrays;
use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant, completed,
};
use crate::texts::{compiled, cuda};

use rows::{Row, rows};
use trail::is_one_trail;

/// The threads: two warps.
const THREADS: usize = 64;
/// The variant that spreads them over two blocks though its atomics are for one.
const ACROSS: &str = "block-across";

/// The program.
pub static PROGRAM: Program = Program {
    name: "atomics",
    summary: "every atomic function by type: what 64 threads find in a cell, and what they leave there",
    source: cuda!("atomics"),
    ptx: compiled!("atomics"),
    variants: &[
        Variant {
            name: "device",
            kernel: "atomics_device",
            soundness: Soundness::Synchronised,
            note: "atomicAdd and so on, two blocks",
        },
        Variant {
            name: "system",
            kernel: "atomics_system",
            soundness: Soundness::Synchronised,
            note: "atomicAdd_system and so on, two blocks",
        },
        Variant {
            name: "block",
            kernel: "atomics_block",
            soundness: Soundness::Synchronised,
            note: "atomicAdd_block and so on, one block",
        },
        Variant {
            name: ACROSS,
            kernel: "atomics_block",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "atomicAdd_block and so on, two blocks: too narrow a scope",
        },
        Variant {
            name: "plain",
            kernel: "atomics_plain",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "a load and a store, two blocks",
        },
    ],
    length: Length::Exactly(THREADS),
    values: ANY,
    inputs: Inputs {
        example: counting,
        checked: counting,
        recorded: &["s32[64]=iota:1", "s32[64]=rand:71:-100000:100000"],
    },
    tolerance: 0.0,
    told: Told::Report(Reporting { sizes: None, has_sweep: false, report: report::report }),
    driver: drive,
    oracle,
};

fn counting() -> Vec<i32> {
    (1..).take(THREADS).collect()
}

/// The outcome of a cell that all threads accessed.
#[derive(Debug)]
struct Common {
    /// What each thread found, in the order of threads.
    found: Vec<u64>,
    /// What was left.
    left: u64,
}

/// Runs a kernel twice: with one cell a row for all threads, and with one for each.
fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let blocks = if variant.name == "block" { 1 } else { 2 };
    let launch = Launch::new(blocks, (THREADS / blocks as usize) as u32);
    let common = common(device, module, variant.kernel, &launch, input)?;
    let mut result: Vec<u64> = rows()
        .into_iter()
        .zip(&common)
        .flat_map(|(row, common)| {
            [u64::from(is_serial(row, common, input)), last(row, common.left)]
        })
        .collect();
    let (found, cells) = go(device, module, variant.kernel, &launch, input, 1)?;
    result.extend(found.into_iter().chain(cells));
    Ok(result.into())
}

/// The value of a cell at the end, or 0 if it depends on the order.
fn last(row: Row, left: u64) -> u64 {
    if row.commutes() { left } else { 0 }
}

/// Whether the threads can have accessed a cell one after the other.
fn is_serial(row: Row, common: &Common, input: &[i32]) -> bool {
    let edges = common.found.iter().zip(input).map(|(old, x)| (*old, row.after(*old, *x)));
    is_one_trail(&edges.collect::<Vec<_>>(), row.before(), common.left)
}

/// All threads access one cell of each row.
fn common(
    device: &mut dyn Device,
    module: ModuleHandle,
    kernel: &'static str,
    launch: &Launch,
    input: &[i32],
) -> Result<Vec<Common>, RunError> {
    let (found, cells) = go(device, module, kernel, launch, input, 0)?;
    // A row has as many of each as there are threads; without any there are no rows.
    let threads = input.len().max(1);
    let of_rows = found.chunks(threads).zip(cells.chunks(threads));
    Ok(of_rows.map(|(found, cells)| Common { found: found.to_vec(), left: cells[0] }).collect())
}

/// What the threads found, and the final contents of the cells, by row and thread.
fn go(
    device: &mut dyn Device,
    module: ModuleHandle,
    kernel: &'static str,
    launch: &Launch,
    input: &[i32],
    stride: i32,
) -> Result<(Vec<u64>, Vec<u64>), RunError> {
    let before = rows().into_iter().flat_map(|row| vec![row.before(); input.len()]);
    let before = Numbers::from(before.collect::<Vec<u64>>());
    let from = ints::upload(device, input)?;
    let cells = arrays::upload(device, &before)?;
    let found = arrays::upload(device, &vec![0_u64; before.len()].into())?;
    let arguments = [
        Argument::Pointer(from),
        Argument::Pointer(cells),
        Argument::Pointer(found),
        Argument::I32(stride),
    ];
    completed(kernel, device.launch(module, kernel, launch, &arguments)?)?;
    let mut numbers = |pointer| -> Result<Vec<u64>, RunError> {
        let numbers = arrays::download(device, pointer, ElementType::U64, before.len())?;
        device.free(pointer)?;
        Ok(numbers.bits().collect())
    };
    let both = (numbers(found)?, numbers(cells)?);
    device.free(from)?;
    Ok(both)
}

/// One thread after the other.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let rows = rows();
    let common = rows.iter().flat_map(|row| {
        let left = input.iter().fold(row.before(), |old, x| row.after(old, *x));
        [1, last(*row, left)]
    });
    let found = rows.iter().flat_map(|row| vec![row.before(); input.len()]);
    let own = rows.iter().flat_map(|row| input.iter().map(|x| row.after(row.before(), *x)));
    common.chain(found).chain(own).collect::<Vec<u64>>().into()
}
