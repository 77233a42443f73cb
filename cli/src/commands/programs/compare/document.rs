//! Programs on both devices, as JSON: `docs/cli.md` describes it.

use serde::Serialize;
use warpsim_programs::Numbers;

use super::five::Level;
use super::{Comparison, Ended, Row, Verdict};
use crate::commands::compare::GpuRow;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::spec::cell::Cell;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    verdict: &'static str,
    gpu: &'a GpuRow,
    programs: Vec<ProgramRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    five_rows: Option<Vec<FiveRow<'a>>>,
}

#[derive(Serialize)]
struct ProgramRow<'a> {
    program: &'a str,
    variant: &'a str,
    form: &'a str,
    jit_opt: u8,
    verdict: &'static str,
    simulator: EndedRow,
    gpu: EndedRow,
}

#[derive(Serialize)]
struct EndedRow {
    outcome: &'static str,
    right: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Cell>>,
}

#[derive(Serialize)]
struct FiveRow<'a> {
    jit_opt: u8,
    equal: bool,
    simulator: &'a [i32],
    gpu: &'a [i32],
    blocks: usize,
    known: usize,
    as_left: usize,
    differing: usize,
}

/// Writes the document.
pub(super) fn write(comparison: &Comparison, output: &mut Output) -> Result<(), Failure> {
    let document = Document {
        schema: 1,
        verdict: if comparison.is_clean() { "equal" } else { "different" },
        gpu: &comparison.gpu,
        programs: comparison.rows.iter().map(program_row).collect(),
        five_rows: comparison.five.as_ref().and_then(five_rows),
    };
    json::to_writer(output.results(), &document)?;
    output.line("")
}

fn program_row(row: &Row) -> ProgramRow<'_> {
    ProgramRow {
        program: row.program.name,
        variant: row.variant.name,
        form: row.form.name(),
        jit_opt: row.level,
        verdict: match row.verdict() {
            Verdict::Equal => "equal",
            Verdict::MayDiffer => "may-differ",
            Verdict::Different => "different",
        },
        simulator: ended_row(row, &row.ours),
        gpu: ended_row(row, &row.theirs),
    }
}

fn ended_row(row: &Row, ended: &Ended) -> EndedRow {
    let cells = |numbers: &Numbers| {
        let cell = |bits| Cell { element: numbers.ty, bits, as_bits: false };
        numbers.bits().map(cell).collect()
    };
    EndedRow {
        outcome: ended.outcome.name(),
        right: row.is_right(ended),
        values: ended.numbers.as_ref().map(cells),
    }
}

/// The rows; `None` when the GPU gave none.
fn five_rows<'a>(five: &'a Result<Vec<Level>, String>) -> Option<Vec<FiveRow<'a>>> {
    let row = |level: &'a Level| {
        let Level { level: jit_opt, simulator, gpu, blocks, known, as_left, differing } = level;
        FiveRow {
            jit_opt: *jit_opt,
            equal: level.agrees(),
            simulator,
            gpu,
            blocks: *blocks,
            known: *known,
            as_left: *as_left,
            differing: *differing,
        }
    };
    Some(five.as_ref().ok()?.iter().map(row).collect())
}
