//! Programs on both devices, in words.

use super::{Comparison, Ended, Row, Rows, Verdict};
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
    let differing = ours.iter().zip(theirs).filter(|(a, b)| a != b).count();
    let first = (0..).zip(ours.iter().zip(theirs)).find(|(_, (a, b))| a != b);
    match first {
        Some((index, (a, b))) => {
            format!("{differing} of {} numbers, the first at {index}: {a} and {b}", ours.len())
        }
        None => format!("{} and {} numbers", ours.len(), theirs.len()),
    }
}

/// The five rows: once where they are equal, both where they are not.
fn print_five(five: &Rows, output: &mut Output) -> Result<(), Failure> {
    output.line(
        "\nThe plain scan of 32 by hand, launched five times in a row, loaded each time at a higher \
         level\nof the driver's compiler; the simulator: as written, then four times after \
         register-cache, with\nshared memory that nobody clears.\n",
    )?;
    let colour = output.colour();
    let theirs = match &five.theirs {
        Ok(theirs) => theirs,
        Err(why) => return output.line(&format!("{} {why}", Style::Error.paint("GPU:", colour))),
    };
    for ((ours, theirs), level) in five.ours.iter().zip(theirs).zip(0..) {
        if ours == theirs {
            output.line(&format!("level {level}, both      {}", numbers(theirs)))?;
        } else {
            output.line(&format!("level {level}, GPU       {}", numbers(theirs)))?;
            output.line(&format!("level {level}, simulator {}", numbers(ours)))?;
        }
    }
    let said = match five.are_equal() {
        true => Style::Good.paint("all five rows are equal", colour),
        false => Style::Error.paint("the rows DIFFER", colour),
    };
    output.line(&format!("\n{said}"))
}

fn numbers(row: &[i32]) -> String {
    row.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}
