//! The result of exploring, in words.

use warpsim::explore::Explored;
use warpsim::names;

use super::OfLaunch;
use crate::args::{ExploreArgs, StrategyName};
use crate::commands::check;
use crate::commands::launches::Launches;
use crate::cuda;
use crate::document::CellValueRow;
use crate::failure::Failure;
use crate::findings::Verdict;
use crate::output::{Output, Style};
use crate::replay;

/// Results that are shown with the command that leads to them; JSON has them all.
const SHOWN: usize = 8;

/// Prints of each launch how many schedules there were and which results they had.
pub(super) fn print(
    args: &ExploreArgs,
    launches: &Launches<'_>,
    explored: &[OfLaunch],
    output: &mut Output,
) -> Result<(), Failure> {
    if args.report.values.is_some() {
        launches.print_buffers(output)?;
    }
    for (of, number) in explored.iter().zip(1..) {
        let head = match args.launch.launches {
            1 => String::new(),
            _ => format!("launch {number}: "),
        };
        let text = of_launch(args, &of.explored, output);
        output.line(&format!(
            "{head}{} ({}): {text}",
            names::readable(&launches.prepared.kernel),
            launches.shape()
        ))?;
    }
    Ok(())
}

fn of_launch(args: &ExploreArgs, explored: &Explored, output: &Output) -> String {
    let mut text = covered(args, explored);
    if explored.cut > 0 {
        text += &format!(
            "; {} more were stopped after many more steps than in-order took",
            explored.cut
        );
    }
    if explored.interrupted {
        text += "; it was interrupted";
    }
    if let [only] = explored.outcomes.as_slice() {
        return format!("{text}; one result: {}", only.outcome);
    }
    text += &format!("; {} different results", explored.outcomes.len());
    let rows: Vec<Vec<CellValueRow>> =
        explored.outcomes.iter().take(SHOWN).map(|distinct| super::cells(args, distinct)).collect();
    let only = only_object(&rows);
    if let Some(object) = only {
        text += &format!(", in cells of {object}");
    }
    for (distinct, cells) in explored.outcomes.iter().zip(&rows) {
        let command = replay::run_under(output, &distinct.replay);
        let contents = contents(cells, only.is_none());
        text +=
            &format!("\n  {:6} times {}{contents}: {command}", distinct.count, distinct.outcome);
    }
    match explored.outcomes.len().saturating_sub(SHOWN) {
        0 => text,
        more => format!("{text}\n  and {more} more results"),
    }
}

/// The buffer or variable that all cells are of.
fn only_object(rows: &[Vec<CellValueRow>]) -> Option<&str> {
    let first = rows.iter().flatten().next()?;
    rows.iter().flatten().all(|cell| cell.object == first.object).then_some(&first.object)
}

/// Cells with their values, and with the names of their buffers or variables if asked for. Each
/// name comes once.
fn contents(cells: &[CellValueRow], with_names: bool) -> String {
    let of_object = |cells: &[CellValueRow]| {
        let name = cells.first().filter(|_| with_names).map(|cell| format!("{} ", cell.object));
        let value = |cell: &CellValueRow| format!("[{}] = {}", cell.index, cell.value.text());
        let values = cells.iter().map(value).collect::<Vec<String>>().join(", ");
        format!(", {}{values}", name.unwrap_or_default())
    };
    cells.chunk_by(|a, b| a.object == b.object).map(of_object).collect()
}

/// How many schedules, and whether that was all of them.
fn covered(args: &ExploreArgs, explored: &Explored) -> String {
    let count = match explored.schedules {
        1 => "1 schedule".to_owned(),
        several => format!("{several} schedules"),
    };
    if explored.complete {
        return format!("{count}, all that can differ");
    }
    let seed = args.seed;
    let how = match args.strategy {
        StrategyName::Random => format!("in-order, then random from seed {seed}"),
        StrategyName::Pct => format!("in-order, then pct from seed {seed}"),
        StrategyName::All => {
            format!("in-order, both adversarial, then random and pct by turns from seed {seed}")
        }
        StrategyName::Exhaustive | StrategyName::ExhaustiveWarps => {
            return format!("{count}, and there are more: raise --schedules to try them");
        }
    };
    format!("{count} ({how}), of many")
}

/// The last lines: what was found, and why that is not all, where it is not.
pub(super) fn summary(launches: &Launches<'_>, verdict: &Verdict, colour: bool) -> String {
    let style = if check::is_clean(launches, verdict) { Style::Good } else { Style::Error };
    let incomplete = check::incomplete(launches, verdict);
    let head = check::head(launches, verdict, incomplete.is_some(), style, colour);
    let form = cuda::form_in_words(launches.options).map(|form| format!("\n  {form}"));
    let incomplete = incomplete.map(|reason| format!("\nincomplete: {reason}"));
    format!("{head}{}{}", form.unwrap_or_default(), incomplete.unwrap_or_default())
}
