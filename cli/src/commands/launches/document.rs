//! The JSON document of launches.

use std::io::Write;

use warpsim::report::{Counts, Finding};

use super::{Launches, Row};
use crate::cuda;
use crate::document::{
    self, CheckedRow, Document, ErrorRow, ExploredRow, LaunchRow, LaunchShape, Stats,
};
use crate::expected::Compared;
use crate::failure::Failure;
use crate::json;
use crate::launch::device::{LaunchDevice, Ran};
use crate::output::Output;
use crate::statistics::MachineRow;

/// What a document says beside the launches themselves.
#[derive(Default)]
pub(in crate::commands) struct Judged<'a> {
    /// The outcome, if it differs from the outcome of the last launch.
    pub(in crate::commands) outcome: Option<&'static str>,
    /// Findings, each with the command that shows it again.
    pub(in crate::commands) findings: Vec<(&'a Finding, String)>,
    /// How many more findings there are.
    pub(in crate::commands) left_out: usize,
    /// How many were allowed.
    pub(in crate::commands) allowed: usize,
    /// How it was checked.
    pub(in crate::commands) checked: Option<CheckedRow>,
    /// The results of many schedules of each launch.
    pub(in crate::commands) explored: Vec<ExploredRow<'a>>,
}

impl<D: LaunchDevice> Launches<'_, D> {
    /// Writes the document of these launches.
    pub(in crate::commands) fn write_document(
        &self,
        judged: &Judged<'_>,
        to: &mut dyn Write,
    ) -> Result<(), Failure> {
        let Some(last) = self.rows.last() else { return Ok(()) };
        let (counts, seconds) = self.totals();
        let several = self.options.launches > 1;
        let bits = self.report.bits;
        let document = Document {
            outcome: judged.outcome.unwrap_or_else(|| self.outcome().name()),
            kernel: Some(&self.prepared.kernel),
            compiled: cuda::form(self.options),
            launch: Some(LaunchShape::new(&self.prepared.launch, &self.ran)),
            buffers: last.buffers.iter().map(|b| document::buffer_row(b, bits)).collect(),
            variables: last.variables.iter().map(|v| document::variable_row(v, bits)).collect(),
            printed: self.rows.iter().map(|row| &*row.launched.report.printed.text).collect(),
            printed_lost: self.rows.iter().map(|row| row.launched.report.printed.lost).sum(),
            launches: several.then(|| self.rows.iter().map(|row| self.launch_row(row)).collect()),
            findings: judged
                .findings
                .iter()
                .map(|(finding, replay)| document::finding_row(finding, replay))
                .collect(),
            expected: self.compared.iter().map(Compared::row).collect(),
            more_findings: (judged.left_out > 0).then_some(judged.left_out),
            allowed_findings: (judged.allowed > 0).then_some(judged.allowed),
            checked: judged.checked.clone(),
            explored: judged.explored.clone(),
            stats: self.stats(&counts, seconds).with_machine(self.only_machine()),
            ..Document::empty()
        };
        write(&document, to)
    }

    fn launch_row<'r>(&self, row: &'r Row) -> LaunchRow<'r> {
        let bits = self.report.bits;
        LaunchRow {
            passes: &row.launched.passes,
            outcome: row.launched.report.outcome.name(),
            buffers: row.buffers.iter().map(|b| document::buffer_row(b, bits)).collect(),
            variables: row.variables.iter().map(|v| document::variable_row(v, bits)).collect(),
            printed: &row.launched.report.printed.text,
            stats: self
                .stats(&row.launched.report.counts, row.launched.seconds)
                .with_machine(self.machine(row)),
        }
    }

    /// How the launch used the machine, where there is only one. Each of several has its own row.
    fn only_machine(&self) -> Option<MachineRow> {
        let [row] = self.rows.as_slice() else { return None };
        self.machine(row)
    }

    /// How a launch used the machine, if asked for.
    fn machine(&self, row: &Row) -> Option<MachineRow> {
        let statistics = row.launched.statistics.as_deref()?;
        Some(MachineRow::of(&statistics.totals(), &self.options.device))
    }

    /// The counts, if there are any, and the seconds.
    fn stats(&self, counts: &Counts, seconds: f64) -> Stats {
        match self.ran {
            Ran::Simulated { .. } => Stats::new(counts, seconds),
            Ran::OnGpu { .. } => Stats::uncounted(seconds),
        }
    }
}

/// The document for PTX that is not supported; nothing for another failure.
pub(in crate::commands) fn write_unsupported(
    failure: &Failure,
    output: &mut Output,
) -> Result<(), Failure> {
    let Failure::Unsupported { message, line, .. } = failure else { return Ok(()) };
    let error = ErrorRow { kind: "unsupported", message, ptx_line: *line };
    let document = Document { outcome: "unsupported", error: Some(error), ..Document::empty() };
    write(&document, output.results())
}

fn write(document: &Document<'_>, to: &mut dyn Write) -> Result<(), Failure> {
    json::to_writer(&mut *to, document)?;
    Ok(writeln!(to)?)
}
