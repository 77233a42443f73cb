//! A product of matrices on tensor cores, with a pipeline of asynchronous copies: one warp
//! multiplies a tile while the next one is copied to shared memory. Without the wait the warp reads
//! tiles that may not be there yet.

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer};
use warpsim::report::Code;

use crate::numbers::Numbers;
use crate::program::{Inputs, Length, Program, RunError, Soundness, Told, Variant, completed};
use crate::texts::{compiled, cuda};

/// Rows of the left factor, columns of the right one, and how long these are.
const ROWS: usize = 16;
const COLUMNS: usize = 8;
const DEPTH: usize = 64;

/// The program.
pub static PROGRAM: Program = Program {
    name: "tensor",
    summary: "a product of matrices by mma.sync, tiles copied asynchronously",
    source: cuda!("tensor"),
    ptx: compiled!("tensor"),
    variants: &[
        Variant {
            name: "waits",
            kernel: "tensor_waits",
            soundness: Soundness::Synchronised,
            note: "waits for the copies of a tile before it is read",
        },
        Variant {
            name: "no-wait",
            kernel: "tensor_no_wait",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "reads tiles that may still be on their way",
        },
    ],
    length: Length::Exactly((ROWS + COLUMNS) * DEPTH),
    values: -8..=8,
    inputs: Inputs { example: numbers, checked: numbers, recorded: &["s32[1536]=rand:71:-8:8"] },
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

/// The left factor by rows, then the right one by columns.
fn numbers() -> Vec<i32> {
    (0..(ROWS + COLUMNS) * DEPTH).map(|i| (i * 7 % 17) as i32 - 8).collect()
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let (left, right) = factors(input);
    let (a, b) = (upload(device, left)?, upload(device, right)?);
    let mut result = vec![0; 4 * ROWS * COLUMNS];
    let out = device.allocate(result.len() as u64)?;
    let arguments = [
        Argument::Pointer(a),
        Argument::Pointer(b),
        Argument::Pointer(out),
        Argument::I32(DEPTH as i32),
    ];
    let report = device.launch(module, variant.kernel, &Launch::new(1, 32), &arguments)?;
    completed(variant.kernel, report)?;
    device.download(out, &mut result)?;
    for pointer in [a, b, out] {
        device.free(pointer)?;
    }
    Ok(Numbers { ty: ElementType::F32, bytes: result })
}

/// The two matrices: the right one comes behind the left one.
fn factors(input: &[i32]) -> (&[i32], &[i32]) {
    input.split_at(input.len().min(ROWS * DEPTH))
}

/// Small integers as halves on the device.
fn upload(device: &mut dyn Device, integers: &[i32]) -> Result<Pointer, RunError> {
    let bytes: Vec<u8> = integers.iter().flat_map(|int| half(*int).to_le_bytes()).collect();
    let pointer = device.allocate(bytes.len() as u64)?;
    device.upload(pointer, &bytes)?;
    Ok(pointer)
}

/// An integer of up to eleven bits as a half, which has it exactly.
fn half(integer: i32) -> u16 {
    let (sign, size) = (u16::from(integer < 0) << 15, integer.unsigned_abs());
    match size.checked_ilog2() {
        None => 0,
        Some(exponent) => {
            sign | ((15 + exponent as u16) << 10)
                | ((size << (10 - exponent.min(10))) as u16 & 0x3ff)
        }
    }
}

/// Row by column.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let (left, right) = factors(input);
    let element = |(row, column): (&[i32], &[i32])| -> f32 {
        row.iter().zip(column).map(|(a, b)| a * b).sum::<i32>() as f32
    };
    let columns = || right.chunks(DEPTH);
    let pairs = left.chunks(DEPTH).flat_map(|row| columns().map(move |column| (row, column)));
    let bytes = pairs.map(element).flat_map(f32::to_le_bytes).collect();
    Numbers { ty: ElementType::F32, bytes }
}
