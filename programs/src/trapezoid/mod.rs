//! An integral by the trapezoidal rule: 65536 terms, and five ways to add them up.
//!
//! The input is the number of points. `report` shows the cost of each way.

mod addressing;
mod report;

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer};
use warpsim::report::{Code, Counts};

use crate::arrays;
use crate::numbers::Numbers;
use crate::program::{
    Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant, completed,
};
use crate::texts::{compiled, cuda};

/// Where the integral begins and ends.
const RANGE: [f64; 2] = [-1.0, 1.0];
/// Points of a block, one for each thread.
const BLOCK: usize = 256;
/// The points that the program was written for.
const POINTS: i32 = 65536;
/// The variant that adds over the whole grid.
const WHOLE: &str = "whole-grid";
/// The variant that sums the sums of the blocks by further launches; the others do so on the host.
const LAUNCHES: &str = "launches";

/// The program.
pub static PROGRAM: Program = Program {
    name: "trapezoid",
    summary: "the integral of sin(g) + 2 cos(g) by the trapezoidal rule",
    source: cuda!("trapezoid"),
    ptx: compiled!("trapezoid"),
    variants: &[
        Variant {
            name: WHOLE,
            kernel: "whole_grid",
            soundness: Soundness::Faulty(&[Code::Race]),
            note: "over the whole array, and nobody waits",
        },
        Variant {
            name: "global",
            kernel: "each_block",
            soundness: Soundness::Synchronised,
            note: "within blocks, with __syncthreads(); the host sums the blocks' sums",
        },
        Variant {
            name: "shared",
            kernel: "interleaved",
            soundness: Soundness::Synchronised,
            note: "the same in shared memory",
        },
        Variant {
            name: LAUNCHES,
            kernel: "interleaved",
            soundness: Soundness::Synchronised,
            note: "the same, and further launches sum the blocks' sums",
        },
        Variant {
            name: "sequential",
            kernel: "sequential",
            soundness: Soundness::Synchronised,
            note: "in shared memory, the threads that add side by side",
        },
    ],
    length: Length::Exactly(1),
    values: 2..=POINTS,
    inputs: Inputs {
        example: || vec![2048],
        checked: || vec![600],
        recorded: &["s32[1]=fill:65536", "s32[1]=fill:1000"],
    },
    tolerance: 1e-12,
    told: Told::Report(Reporting {
        sizes: Some((2, POINTS as u64)),
        has_sweep: false,
        report: report::report,
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
    let n = input.first().copied().unwrap_or(POINTS);
    let (integral, _) = integrate(device, module, variant, n)?;
    Ok(vec![integral].into())
}

/// The integral at this many points, and what adding them up took.
fn integrate(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    n: i32,
) -> Result<(f64, Counts), RunError> {
    let blocks = (n as usize).div_ceil(BLOCK);
    let sums = arrays::zeros(device, ElementType::F64, blocks * BLOCK)?;
    let [a, b] = RANGE.map(Argument::F64);
    let points = [Argument::Pointer(sums), a, b, Argument::I32(n)];
    let launch = Launch::new(blocks as u32, BLOCK as u32);
    let whole = variant.name == WHOLE;
    let kernel = if whole { variant.kernel } else { "evaluate" };
    let report = device.launch(module, kernel, &launch, &points)?;
    let mut counts = report.counts;
    completed(kernel, report)?;
    if whole {
        let sum = download(device, sums, 1)?;
        device.free(sums)?;
        return Ok((sum, counts));
    }
    let mut from = (sums, n as usize);
    counts = Counts::default();
    loop {
        let (to, report) = add_up(device, module, variant, from)?;
        device.free(from.0)?;
        counts = together(counts, report);
        from = to;
        if variant.name != LAUNCHES || to.1 == 1 {
            let sum = download(device, to.0, to.1)?;
            device.free(to.0)?;
            return Ok((sum, counts));
        }
    }
}

/// Adds up this many numbers, block by block: where the sums are, and how many.
fn add_up(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    (from, count): (Pointer, usize),
) -> Result<((Pointer, usize), Counts), RunError> {
    let blocks = count.div_ceil(BLOCK);
    let to = arrays::zeros(device, ElementType::F64, blocks)?;
    let arguments = [Argument::Pointer(from), Argument::Pointer(to), Argument::I32(count as i32)];
    let launch = Launch::new(blocks as u32, BLOCK as u32);
    let report = device.launch(module, variant.kernel, &launch, &arguments)?;
    let counts = report.counts;
    completed(variant.kernel, report)?;
    Ok(((to, blocks), counts))
}

/// The sum of this many numbers in the device's memory.
fn download(device: &mut dyn Device, from: Pointer, count: usize) -> Result<f64, RunError> {
    Ok(arrays::download(device, from, ElementType::F64, count)?.floats().iter().sum())
}

/// What two launches did.
fn together(a: Counts, b: Counts) -> Counts {
    Counts {
        warp_instructions: a.warp_instructions + b.warp_instructions,
        lane_instructions: a.lane_instructions + b.lane_instructions,
        branches: a.branches + b.branches,
        divergent_branches: a.divergent_branches + b.divergent_branches,
        barriers: a.barriers + b.barriers,
    }
}

/// One point after the other.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let n = input.first().copied().unwrap_or(POINTS);
    let [a, b] = RANGE;
    let h = (b - a) / (f64::from(n) - 1.0);
    let share = |i: i32| {
        let x = a + f64::from(i) * h;
        let g = 2.0 + x * (-1.0 + x * (0.5 - x * 0.2));
        let area = (g.sin() + 2.0 * g.cos()) * h;
        if i == 0 || i + 1 == n { area / 2.0 } else { area }
    };
    vec![(0..n).map(share).sum::<f64>()].into()
}
