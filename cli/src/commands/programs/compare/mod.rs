//! `warpsim programs compare`: every variant of a program in every form, on the simulator and on a
//! GPU. For `volatile` it also compares the five rows of the scan that a driver caches.
//!
//! Both devices run the same launches in the same order, and neither clears shared memory between
//! them. So a variant that reads too early reads what the launch before left, on both. What it
//! reads the very first time, and on which multiprocessor, is unknown. So a difference of such a
//! variant is no failure. The five rows are compared for every multiprocessor, with the contents
//! found in its shared memory (`five`).

mod document;
mod five;
mod words;

use warpsim::host::{Device, SharedInit, Simulator};
use warpsim_gpu::{GpuError, Isolated, JitLevel};
use warpsim_programs::{Form, Numbers, Program, Soundness, Variant, all, volatile};

use five::Level;

use super::ended::Ended;
use super::failed;
use crate::args::{Format, ProgramsCompareArgs};
use crate::commands::compare::GpuRow;
use crate::failure::{Exit, Failure};
use crate::launch::device::gpu;
use crate::output::Output;

/// The name that means all programs.
const ALL: &str = "all";

/// A variant in a form, compared.
struct Row {
    program: &'static Program,
    variant: &'static Variant,
    form: Form,
    level: u8,
    expected: Numbers,
    ours: Ended,
    theirs: Ended,
}

/// Whether two results are the same, and whether they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Equal,
    /// They differ, because the variant reads memory that no ordered write has filled.
    MayDiffer,
    Different,
}

impl Row {
    fn verdict(&self) -> Verdict {
        let is_cached = self.level > 0;
        let is_right = self.variant.soundness.is_right(self.form, is_cached);
        let have_ended_alike = self.ours.outcome == self.theirs.outcome;
        let is_faulty = matches!(self.variant.soundness, Soundness::Faulty(_));
        match self.are_the_same() {
            true => Verdict::Equal,
            false if is_faulty => Verdict::MayDiffer,
            false if is_right == Some(false) && have_ended_alike => Verdict::MayDiffer,
            false => Verdict::Different,
        }
    }

    /// Floats may differ by as much as a right result may differ from the oracle's.
    fn are_the_same(&self) -> bool {
        match (&self.ours.numbers, &self.theirs.numbers) {
            (Some(ours), Some(theirs)) => self.program.is_right(ours, theirs),
            (None, None) if [&self.ours, &self.theirs].iter().all(|e| e.outcome.is_endless()) => {
                true
            }
            (None, None) | (None, Some(_)) | (Some(_), None) => self.ours == self.theirs,
        }
    }

    fn is_right(&self, ended: &Ended) -> bool {
        ended.is_right(self.program, &self.expected)
    }
}

/// All that was compared.
struct Comparison {
    gpu: GpuRow,
    rows: Vec<Row>,
    /// Why there are none, when a launch did not complete.
    five: Option<Result<Vec<Level>, String>>,
}

impl Comparison {
    fn is_clean(&self) -> bool {
        self.rows.iter().all(|row| row.verdict() != Verdict::Different)
            && self.five.as_ref().is_none_or(|five| {
                five.as_ref().is_ok_and(|levels| levels.iter().all(Level::agrees))
            })
    }
}

pub(super) fn run(args: &ProgramsCompareArgs, output: &mut Output) -> Result<Exit, Failure> {
    let programs = match args.name.as_str() {
        ALL => all().to_vec(),
        name => vec![super::named(name)?],
    };
    let mut gpu = gpu(args.gpu_timeout, JitLevel::Default)
        .map_err(|error| missing("compare with", &error))?;
    let facts = GpuRow::of(gpu.facts());
    let mut rows = Vec::new();
    for program in &programs {
        for level in &args.jit_opt.0 {
            gpu.settings_mut().jit = JitLevel::Level(*level);
            rows.extend(compare(program, *level, &mut gpu, output)?);
        }
    }
    let is_told = programs.iter().any(|program| program.name == volatile::PROGRAM.name);
    let five = is_told.then(|| five::compare(&mut gpu)).transpose();
    let five = five.map_err(|error| failed(&error, None, output))?;
    let comparison = Comparison { gpu: facts, rows, five };
    match args.format {
        Format::Json => document::write(&comparison, output)?,
        Format::Text => words::print(&comparison, output)?,
    }
    Ok(if comparison.is_clean() { Exit::CLEAN } else { Exit::FINDING })
}

/// The error when a GPU is needed and there is none.
pub(super) fn missing(what: &str, error: &GpuError) -> Failure {
    Failure::Missing {
        message: format!("cannot {what} a GPU: {error}"),
        help: Some(
            "run it on a machine with an NVIDIA GPU and its driver; `warpsim programs run` runs on \
             the simulator"
                .to_owned(),
        ),
    }
}

/// Runs every variant of a program in every form on both.
fn compare(
    program: &'static Program,
    level: u8,
    gpu: &mut Isolated,
    output: &Output,
) -> Result<Vec<Row>, Failure> {
    let mut simulator = Simulator::default();
    simulator.settings_mut().shared_init = SharedInit::Leftover;
    let input = program.example_input();
    let mut rows = Vec::new();
    for (form, _) in program.ptx {
        let module = program.module(*form).map_err(|e| failed(&e, None, output))?;
        for variant in program.variants {
            let on = |device: &mut dyn Device| Ended::of(program, device, &module, variant, &input);
            let fails = |error| failed(&error, Some(&module), output);
            rows.push(Row {
                program,
                variant,
                form: *form,
                level,
                expected: program.oracle(variant, &input),
                ours: on(&mut simulator).map_err(fails)?,
                theirs: on(gpu).map_err(fails)?,
            });
        }
    }
    Ok(rows)
}
