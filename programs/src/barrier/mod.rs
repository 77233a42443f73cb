//! A barrier in a conditional: reached by all threads of a block, by some warps, by part of a warp,
//! and one on each side of a branch.
//!
//! Hardware counts warps that come and threads that have left. So a barrier that some never reach
//! need not hang, but it does not order their actions either. Two barriers within one warp hang.
//! Two in different warps meet.

use std::collections::BTreeSet;

use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer};
use warpsim::report::{Code, Outcome, Report};

use crate::columns::columns;
use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Asked, Form, Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant,
    completed,
};
use crate::texts::{compiled, cuda};

/// The threads of the block.
const THREADS: usize = 64;

/// The program.
pub static PROGRAM: Program = Program {
    name: "barrier",
    summary: "64 numbers in reverse order, with a barrier in a conditional",
    source: cuda!("barrier"),
    ptx: compiled!("barrier"),
    variants: &[
        Variant {
            name: "all",
            kernel: "barrier_all",
            soundness: Soundness::Synchronised,
            note: "reached by all: one condition for the block",
        },
        Variant {
            name: "some-warps",
            kernel: "barrier_some_warps",
            soundness: Soundness::Faulty(&[Code::BarrierDivergence]),
            note: "reached by one warp of two",
        },
        Variant {
            name: "part-of-warp",
            kernel: "barrier_part_of_warp",
            soundness: Soundness::Faulty(&[Code::BarrierDivergence]),
            note: "reached by every other lane",
        },
        Variant {
            name: "by-warp",
            kernel: "barrier_by_warp",
            soundness: Soundness::Faulty(&[Code::BarrierDivergence]),
            note: "on both sides of a branch, a warp on each",
        },
        Variant {
            name: "both-sides",
            kernel: "barrier_both_sides",
            soundness: Soundness::Faulty(&[Code::BarrierDivergence]),
            note: "on both sides of a branch, lanes of each warp on both",
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
    told: Told::Report(Reporting { sizes: None, has_sweep: false, report }),
    driver: drive,
    oracle,
};

fn counting() -> Vec<i32> {
    (1..).take(THREADS).collect()
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let (to, report) = launch(device, module, variant, input)?;
    completed(variant.kernel, report)?;
    let result = ints::download(device, to, THREADS)?;
    device.free(to)?;
    Ok(result.into())
}

/// Launches a variant: where its result is, and its report.
fn launch(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<(Pointer, Report), RunError> {
    let from = ints::upload(device, input)?;
    let to = ints::upload(device, &[0; THREADS])?;
    let arguments = [Argument::Pointer(from), Argument::Pointer(to), Argument::I32(THREADS as i32)];
    let shape = Launch::new(1, THREADS as u32);
    let report = device.launch(module, variant.kernel, &shape, &arguments)?;
    if report.outcome == Outcome::Completed {
        device.free(from)?;
    }
    Ok((to, report))
}

fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    input.iter().rev().copied().collect::<Vec<i32>>().into()
}

/// How each variant ends on a device, and what a check says of it.
fn report(device: &mut dyn Device, _: &Asked) -> Result<String, RunError> {
    let input = counting();
    let module = PROGRAM.module(Form::Naive)?;
    let mut table =
        vec![["the barrier is", "the launch", "the numbers", "check"].map(str::to_owned).to_vec()];
    for variant in PROGRAM.variants {
        let (ended, numbers) = match PROGRAM.run(device, &module, variant, &input) {
            Ok(numbers) if numbers == oracle(variant, &input) => ("completed", "right"),
            Ok(_) => ("completed", "wrong"),
            Err(RunError::Stopped { report, .. }) => (report.outcome.name(), "-"),
            Err(error) => return Err(error),
        };
        let found = found(variant, &input)?;
        table.push(vec![variant.note.to_owned(), ended.to_owned(), numbers.to_owned(), found]);
    }
    Ok(format!("How it ends on {}:\n\n{}", device.name(), columns(&table)))
}

/// The kinds of findings of a check.
fn found(variant: &Variant, input: &[i32]) -> Result<String, RunError> {
    let (mut simulator, module) = PROGRAM.checked(Form::Naive)?;
    let (_, report) = launch(&mut simulator, module, variant, input)?;
    let codes: BTreeSet<&str> = report.findings.iter().map(|finding| finding.code.name()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    Ok(if codes.is_empty() { "none".to_owned() } else { codes.join(", ") })
}
