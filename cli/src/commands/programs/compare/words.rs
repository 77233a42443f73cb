//! Programs on both devices, in words.

use super::five::Level;
use super::{Comparison, Ended, Row, Verdict};
use crate::failure::Failure;
use crate::output::{Output, Style};
use crate::render::table;

pub(super) fn print(comparison: &Comparison, output: &mut Output) -> Result<(), Failure> {
    let colour = output.colour();
    output.line(&format!("the simulator and {}\n", comparison.gpu.title()))?;
    let mut rows = table(["program", "variant", "form", "level", "simulator", "GPU", "the same"]);
    for row in &comparison.rows {
        rows.add_row([
            row.program.name.to_owned(),
            row.variant.name.to_owned(),
            row.form.name().to_owned(),
            row.level.to_string(),
            result(row, &row.ours),
            result(row, &row.theirs),
            verdict(row, colour),
        ]);
    }
    output.line(&rows.trim_fmt())?;
    match &comparison.five {
        Some(five) => print_five(five, output),
        None => Ok(()),
    }
}

fn result(row: &Row, ended: &Ended) -> String {
    match (&ended.numbers, row.is_right(ended)) {
        (None, _) => ended.outcome.name().to_owned(),
        (Some(_), true) => "right".to_owned(),
        (Some(_), false) => "wrong".to_owned(),
    }
}

fn verdict(row: &Row, colour: bool) -> String {
    match row.verdict() {
        Verdict::Equal => Style::Good.paint("yes", colour),
        Verdict::MayDiffer => format!("no, and need not be: {}", row.variant.soundness.describe()),
        Verdict::Different => Style::Error.paint(&format!("NO: {}", apart(row)), colour),
    }
}

/// How two results differ.
fn apart(row: &Row) -> String {
    let (Some(ours), Some(theirs)) = (&row.ours.numbers, &row.theirs.numbers) else {
        return format!("{} and {}", row.ours.outcome, row.theirs.outcome);
    };
    let (ours, theirs) = (ours.texts(), theirs.texts());
    let differing = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
    let first = (0..).zip(ours.iter().zip(&theirs)).find(|(_, (a, b))| a != b);
    match first {
        Some((index, (a, b))) => {
            format!("{differing} of {} numbers, the first at {index}: {a} and {b}", ours.len())
        }
        None => format!("{} and {} numbers", ours.len(), theirs.len()),
    }
}

/// The five rows: once where they are equal, both where they are not.
fn print_five(five: &Result<Vec<Level>, String>, output: &mut Output) -> Result<(), Failure> {
    output.line(
        "\nThe plain scan of 32 by hand on every multiprocessor, launched five times in a row, loaded each\n\
         time at a higher level of the driver's compiler; the simulator: as written, then four times\n\
         after register-cache, with what shared memory held.\n",
    )?;
    let colour = output.colour();
    let levels = match five {
        Ok(levels) => levels,
        Err(why) => return output.line(&format!("{} {why}", Style::Error.paint("GPU:", colour))),
    };
    for level in levels {
        let Level { level: number, simulator, gpu, .. } = level;
        if simulator == gpu {
            output.line(&format!("level {number}, both      {}", numbers(gpu)))?;
        } else {
            output.line(&format!("level {number}, GPU       {}", numbers(gpu)))?;
            output.line(&format!("level {number}, simulator {}", numbers(simulator)))?;
        }
    }
    let disturbed: Vec<&Level> = levels.iter().filter(|level| !level.is_undisturbed()).collect();
    if !disturbed.is_empty() {
        output.line("")?;
    }
    for level in &disturbed {
        output.line(&found(level))?;
    }
    let said = match (levels.iter().all(Level::agrees), disturbed.is_empty()) {
        (true, true) => Style::Good.paint("all five rows are equal", colour),
        (true, false) => Style::Good.paint(
            "all rows are equal, given the contents of shared memory on each multiprocessor",
            colour,
        ),
        (false, _) => Style::Error.paint("the rows DIFFER", colour),
    };
    output.line(&format!("\n{said}"))
}

/// What the blocks of a level found in shared memory, if it is not what the launch before left.
fn found(level: &Level) -> String {
    let Level { level: number, blocks, known, as_left, differing, .. } = level;
    let mut said = format!(
        "level {number}: of {blocks} blocks, {as_left} found the memory that the launch before left"
    );
    for (count, what) in [
        (known - as_left, "found something else"),
        (blocks - known, "shared a multiprocessor, or ran on one that no earlier block had read"),
        (*differing, "gave another row than the simulator"),
    ] {
        if count > 0 {
            said += &format!(", {count} {what}");
        }
    }
    said
}

fn numbers(row: &[i32]) -> String {
    row.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}
