//! The command's JSON and text for launches that another front end has made, such as the Python
//! package: the same documents (`docs/cli.md`) and the same words.
//!
//! This module only renders: it reads the sources that findings name, and nothing else.

use std::io;
use std::path::Path;

use warpsim::explore::Explored;
use warpsim::host::{Launch, Model};
use warpsim::observe::Step;
use warpsim::report::{Finding, Outcome, Report, Severity};
use warpsim_driver_core::Entry;

use crate::document::{
    CellValueRow, CheckedRow, DifferenceRow, Document, ExploredRow, LaunchShape, ResultRow, Stats,
    finding_row,
};
use crate::json;
use crate::launch::device::Ran;
use crate::render::findings::FindingText;
use crate::steps::row;

/// A launch on the simulator, and its result.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// The kernel's name in the PTX.
    pub kernel: &'a str,
    /// The shape.
    pub launch: &'a Launch,
    /// The execution model.
    pub model: Model,
    /// The schedule, as it prints.
    pub schedule: &'a str,
    /// The name of the device profile.
    pub profile: &'a str,
    /// The report of the launch.
    pub report: &'a Report,
    /// The wall-clock time of the launch, in seconds.
    pub seconds: f64,
}

/// Many schedules of a launch, and their results.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// The schedules that were tried, as `--strategy` names them.
    pub strategy: &'static str,
    /// The seed of the first random one.
    pub seed: u64,
    /// Their results.
    pub explored: &'a Explored,
}

/// The document of a launch, without its buffers, as `warpsim check --format json` writes it. For
/// schedules that were tried, it is as `warpsim explore --format json` writes it. The replay of a
/// finding is the schedule that shows it.
///
/// # Errors
/// None are known, except that the JSON writer fails.
pub fn launch_document(of: &Launched<'_>, tried: Option<&Tried<'_>>) -> io::Result<String> {
    let ran = Ran::Simulated {
        model: of.model.name(),
        schedule: of.schedule.to_owned(),
        profile: of.profile.to_owned(),
    };
    let findings = tried.map_or(&of.report.findings, |tried| &tried.explored.findings);
    let checked = of.report.checked.as_ref().filter(|_| tried.is_none());
    json::to_string(&Document {
        outcome: of.report.outcome.name(),
        kernel: Some(of.kernel),
        launch: Some(LaunchShape::new(of.launch, &ran)),
        printed: of.report.printed.text.clone(),
        printed_lost: of.report.printed.lost,
        findings: findings
            .iter()
            .map(|finding| finding_row(finding, schedule_of(finding)))
            .collect(),
        checked: checked.map(|checked| CheckedRow {
            every_schedule: checked.every_schedule,
            schedules: checked.schedules.clone(),
            unfinished: checked.unfinished.clone(),
        }),
        explored: tried.map(explored_row).into_iter().collect(),
        stats: Stats::new(&of.report.counts, of.seconds),
        ..Document::empty()
    })
}

fn explored_row<'a>(tried: &Tried<'a>) -> ExploredRow<'a> {
    let explored = tried.explored;
    ExploredRow {
        strategy: tried.strategy,
        seed: tried.seed,
        schedules: explored.schedules,
        unfinished: explored.cut,
        complete: explored.complete,
        interrupted: explored.interrupted,
        results: explored
            .outcomes
            .iter()
            .map(|distinct| ResultRow {
                outcome: distinct.outcome.name(),
                count: distinct.count,
                schedule: &distinct.replay,
                replay: distinct.replay.clone(),
                cells: distinct.cells.iter().map(|cell| CellValueRow::new(cell, false)).collect(),
            })
            .collect(),
        difference: explored.difference.as_ref().map(|difference| DifferenceRow {
            schedules: [&difference.first, &difference.second],
            outcomes: difference.outcomes.map(Outcome::name),
            turns: difference.turns,
            // The finding of the difference names its first cell.
            cells: &[],
            cells_in_all: difference.cells_in_all,
        }),
    }
}

/// The text of a finding, in some lines, without colour. `file` is the path of the PTX or of the
/// source. The sources that the finding names are looked for beside it.
pub fn finding_text(finding: &Finding, file: &Path) -> String {
    FindingText::new(file, false).of(finding, schedule_of(finding))
}

/// A step of a trace as one line of JSON, as `warpsim trace --format json` writes it.
///
/// # Errors
/// None are known, except that the JSON writer fails.
pub fn step_document(step: &Step) -> io::Result<String> {
    json::to_string(&row(step))
}

/// The schedule that shows a finding; none where every one does.
fn schedule_of(finding: &Finding) -> &str {
    finding.replay.as_deref().unwrap_or("in-order")
}

/// A finding of a program that `warpsim exec` runs, from a line of its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalFinding {
    /// The code: `race`.
    pub code: &'static str,
    /// Whether it is an error and not a warning.
    pub is_error: bool,
    /// The kernel; empty for copies and for a call that failed.
    pub kernel: String,
    /// Where the program launched it.
    pub site: Option<String>,
    /// The shown text, in some lines.
    pub text: String,
}

/// The findings of a line of the journal; none if the line is not whole.
pub fn journal_findings(line: &str) -> Vec<JournalFinding> {
    let Ok(entry) = Entry::read(line) else { return Vec::new() };
    let of = |findings: &[Finding], kernel: &str, module: &str, site: Option<&String>| {
        let one = |finding: &Finding| JournalFinding {
            code: finding.code.name(),
            is_error: finding.severity == Severity::Error,
            kernel: kernel.to_owned(),
            site: site.cloned(),
            text: finding_text(finding, Path::new(module)),
        };
        findings.iter().map(one).collect()
    };
    match &entry {
        Entry::Launch(launch) => {
            of(&launch.findings, &launch.kernel, &launch.module, launch.site.as_ref())
        }
        Entry::Copies { findings, .. } => of(findings, "", "", None),
        // The command reports them when the program has ended.
        Entry::Failed(_)
        | Entry::Counts(_)
        | Entry::Span(_)
        | Entry::Unsupported { .. }
        | Entry::Bug { .. } => Vec::new(),
    }
}
