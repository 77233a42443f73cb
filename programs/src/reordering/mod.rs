//! A loop with one thread an iteration: right in any order, or only in the order of the loop.
//!
//! A launch promises nothing about the order of its threads and blocks. A loop is right in any
//! order if its iterations do not touch what others write. If one depends on another, by a true, an
//! anti- or an output dependence, the result depends on the order. A check finds this without
//! trying the orders.

use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer};
use warpsim::report::{Code, Hazard, Report};

use crate::columns::columns;
use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Asked, Form, Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant,
    completed,
};
use crate::texts::{compiled, cuda};

/// Threads of a block.
const BLOCK: usize = 48;
/// What the wrong variants are found for.
const RACES: Soundness = Soundness::Faulty(&[Code::Race]);

/// The program.
pub static PROGRAM: Program = Program {
    name: "reordering",
    summary: "every number moves one place to the left: a loop, one thread an iteration",
    source: cuda!("reordering"),
    ptx: compiled!("reordering"),
    variants: &[
        Variant {
            name: "forall",
            kernel: "forall",
            soundness: Soundness::Synchronised,
            note: "no iteration touches what another writes",
        },
        Variant {
            name: "true",
            kernel: "true_dependence",
            soundness: RACES,
            note: "each iteration reads what the one before writes",
        },
        Variant {
            name: "anti",
            kernel: "anti_dependence",
            soundness: RACES,
            note: "each iteration reads what the next one overwrites",
        },
        Variant {
            name: "output",
            kernel: "output_dependence",
            soundness: RACES,
            note: "each iteration overwrites what the one before wrote",
        },
    ],
    length: Length::AtMost(1 << 20),
    values: ANY,
    inputs: Inputs {
        example: hundred,
        checked: hundred,
        recorded: &["s32[100]=iota:1", "s32[100]=rand:71:-100000:100000"],
    },
    tolerance: 0.0,
    told: Told::Report(Reporting { sizes: None, has_sweep: false, report }),
    driver: drive,
    oracle,
};

fn hundred() -> Vec<i32> {
    (1..=100).collect()
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    if input.is_empty() {
        return Ok(Vec::<i32>::new().into());
    }
    let (numbers, report) = launch(device, module, variant, input)?;
    completed(variant.kernel, report)?;
    Ok(numbers.into())
}

/// Launches a variant. Returns its result and its report.
fn launch(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<(Vec<i32>, Report), RunError> {
    let count = input.len();
    let from = ints::upload(device, input)?;
    // One place more: iterations write to the place behind their own.
    let mut passed = vec![0; count + 1];
    passed[0] = input.get(1).copied().unwrap_or(0);
    let pass = ints::upload(device, &passed)?;
    let out = ints::upload(device, &vec![0; count + 1])?;
    let (buffers, result): (Vec<Pointer>, Pointer) = match variant.kernel {
        "true_dependence" => (vec![from, pass, out], out),
        "anti_dependence" => (vec![from], from),
        _ => (vec![from, out], out),
    };
    let mut arguments: Vec<Argument> = buffers.into_iter().map(Argument::Pointer).collect();
    arguments.push(Argument::I32(count as i32));
    let shape = Launch::new(count.div_ceil(BLOCK) as u32, BLOCK as u32);
    let report = device.launch(module, variant.kernel, &shape, &arguments)?;
    let numbers = ints::download(device, result, count)?;
    for buffer in [from, pass, out] {
        device.free(buffer)?;
    }
    Ok((numbers, report))
}

/// The loop, in its order.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let moved = input.iter().skip(1).copied();
    moved.chain((!input.is_empty()).then_some(0)).collect::<Vec<i32>>().into()
}

/// Which iterations depend on each other, and how: found in one run, whose result may well be
/// right.
fn report(_: &mut dyn Device, _: &Asked) -> Result<String, RunError> {
    let input = hundred();
    let mut table =
        vec![["variant", "in order", "dependence", "between"].map(str::to_owned).to_vec()];
    for variant in PROGRAM.variants {
        let (mut simulator, module) = PROGRAM.checked(Form::Naive)?;
        let (numbers, report) = launch(&mut simulator, module, variant, &input)?;
        let right =
            if Numbers::from(numbers) == oracle(variant, &input) { "right" } else { "wrong" };
        let [dependence, between] = dependence(&report);
        table.push(vec![variant.name.to_owned(), right.to_owned(), dependence, between]);
    }
    let what = "What a check finds in one run in order:\n\n";
    Ok(format!("{what}{}", columns(&table)))
}

/// The dependence in a report, and the lines of the source that it is between.
fn dependence(report: &Report) -> [String; 2] {
    let Some(finding) = report.findings.first() else { return ["none", "-"].map(str::to_owned) };
    let dependence = match finding.hazard {
        Some(Hazard::ReadAfterWrite) => "true (RAW)",
        Some(Hazard::WriteAfterRead) => "anti (WAR)",
        Some(Hazard::WriteAfterWrite) => "output (WAW)",
        None => finding.code.name(),
    };
    let site = |site: &warpsim::report::Site| {
        let line = site.source.as_ref().map_or(0, |source| source.line);
        let iteration = site.block[0] * BLOCK as u32 + site.thread[0];
        format!("iteration {iteration}, line {line}")
    };
    let between: Vec<String> = finding.sites.iter().rev().map(site).collect();
    [dependence.to_owned(), between.join(" and ")]
}
