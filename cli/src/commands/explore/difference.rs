//! Two schedules with different results: the cells that differ, as a finding and as rows.

use warpsim::explore;
use warpsim::host::ArgumentPlace;
use warpsim::report::{Code, Finding, Outcome, Severity};

use crate::args::ExploreArgs;
use crate::document::CellRow;
use crate::output::Output;
use crate::replay;
use crate::spec::cell::Cell;

/// Cells that the finding shows; JSON has more.
const SHOWN: usize = 4;

/// Two schedules with different results.
pub(super) struct Difference {
    pub(super) first: String,
    pub(super) second: String,
    pub(super) turns: u64,
    /// Whose the first cell is.
    argument: Option<ArgumentPlace>,
    pub(super) cells: Vec<CellRow>,
    pub(super) cells_in_all: u64,
    pub(super) outcomes: [Outcome; 2],
    /// The commands that run the two.
    commands: [String; 2],
}

impl Difference {
    pub(super) fn new(
        difference: &explore::Difference,
        args: &ExploreArgs,
        output: &Output,
    ) -> Difference {
        let row = |cell: &explore::Cell| {
            let value = |bits| Cell { element: cell.ty, bits, as_bits: args.report.bits };
            CellRow {
                object: cell.object.clone(),
                param: cell.argument.map(Into::into),
                index: cell.index,
                ty: cell.ty,
                values: cell.values.map(value),
            }
        };
        let command = |schedule| replay::run_under(output, schedule);
        Difference {
            first: difference.first.clone(),
            second: difference.second.clone(),
            turns: difference.turns,
            argument: difference.cells.first().and_then(|cell| cell.argument),
            cells: difference.cells.iter().map(row).collect(),
            cells_in_all: difference.cells_in_all,
            outcomes: difference.outcomes,
            commands: [command(&difference.first), command(&difference.second)],
        }
    }

    /// The difference as a finding.
    pub(super) fn finding(&self) -> Finding {
        let [a, b] = self.outcomes;
        let sentence = match a == b {
            true => "two schedules of this launch end with different results".to_owned(),
            false => format!("one schedule of this launch ends with `{a}`, another with `{b}`"),
        };
        let mut finding = Finding::new(Severity::Warning, Code::ScheduleDependent, sentence);
        finding.argument = self.argument;
        finding.notes = self.notes();
        finding.help = Some(
            "other findings show the unordered accesses; without them, the result depends on the \
             order of threads at an atomic or a lock, which may be intended"
                .to_owned(),
        );
        finding.replay = Some(self.second.clone());
        finding
    }

    fn notes(&self) -> Vec<String> {
        let [first, second] = &self.commands;
        let turns = match self.turns {
            1 => "1 turn".to_owned(),
            turns => format!("{turns} turns"),
        };
        let mut notes = vec![
            format!("(1) {first}"),
            format!("(2) {second}"),
            format!("(2) differs from (1) in {turns}"),
        ];
        let cell = |cell: &CellRow| {
            let [a, b] = cell.values.map(Cell::text);
            format!("{}[{}]: {a} after (1), {b} after (2)", cell.object, cell.index)
        };
        notes.extend(self.cells.iter().take(SHOWN).map(cell));
        match self.cells_in_all.saturating_sub(SHOWN as u64) {
            0 => (),
            more => notes.push(format!("and {more} more cells differ")),
        }
        notes
    }
}
