//! A comparison in words: a row for each level, and each difference with who wrote it.

use warpsim::host::SharedInit;
use warpsim::report::{Outcome, Site};

use super::{Comparison, OfLevel};
use crate::compare::cells::Differing;
use crate::compare::{Known, LaunchCompared, ObjectCompared, Reached, Several, Verdict};
use crate::failure::Failure;
use crate::output::{Output, Style};
use crate::render::findings::{file_name, position, ptx_file, thread};
use crate::render::table;
use crate::replay;
use crate::spec::cell::Cell;

pub(super) fn print(comparison: &Comparison<'_>, output: &mut Output) -> Result<(), Failure> {
    let options = &comparison.args.launch;
    let launches = match options.launches {
        1 => String::new(),
        several => format!(", {several} launches"),
    };
    let (kernel, gpu) = (&comparison.chosen.kernel, comparison.gpu.title());
    let head = format!("{kernel} ({}{launches})", options.launch());
    output.line(&format!("{head}: the simulator and {gpu}\n"))?;
    let colour = output.colour();
    let mut rows = table(["level", "simulator", "GPU", "cells", "differing", "verdict"]);
    for of_level in &comparison.levels {
        rows.add_row(row(of_level, colour));
    }
    output.line(&rows.trim_fmt())?;
    for (places, text) in details(comparison, output) {
        let heading = Style::Bold.paint(&places.join("; "), colour);
        output.line(&format!("\n{heading}\n{}", text.trim_end()))?;
    }
    Ok(())
}

/// What there is to say about launches at levels, each text with the places where it is so.
fn details(comparison: &Comparison<'_>, output: &Output) -> Vec<(Vec<String>, String)> {
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    for of_level in &comparison.levels {
        for launch in &of_level.compared.launches {
            let text = of_launch(comparison, of_level, launch, output);
            if text.is_empty() {
                continue;
            }
            let place = place(comparison, of_level, launch);
            match all.iter_mut().find(|(_, known)| *known == text) {
                Some((places, _)) => places.push(place),
                None => all.push((vec![place], text)),
            }
        }
    }
    all
}

/// `level 1`, `level 1, launch 2`.
fn place(comparison: &Comparison<'_>, of_level: &OfLevel, launch: &LaunchCompared) -> String {
    let mut place = Vec::new();
    place.extend(of_level.level.map(|level| format!("level {level}")));
    let several = comparison.args.launch.launches > 1 || place.is_empty();
    place.extend(several.then(|| format!("launch {}", launch.number)));
    place.join(", ")
}

/// The result of a level, in a line.
fn row(of_level: &OfLevel, colour: bool) -> [String; 6] {
    let compared = &of_level.compared;
    let last = compared.launches.last();
    let outcome = |of: &dyn Fn(&LaunchCompared) -> Outcome| last.map_or("", |l| of(l).name());
    let (cells, differing) = compared.cells();
    let verdict = compared.verdict();
    let style = if verdict.is_clean() { Style::Good } else { Style::Error };
    [
        of_level.level.map_or("-".to_owned(), |level| level.to_string()),
        outcome(&|launch| launch.ours.outcome).to_owned(),
        outcome(&|launch| launch.theirs.outcome).to_owned(),
        (cells + of_level.digested).to_string(),
        differing.to_string(),
        style.paint(worded(verdict), colour),
    ]
}

fn worded(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equal => "equal",
        Verdict::OneOfSeveral => "one of several results",
        Verdict::Unnoticed => "the GPU did not notice",
        Verdict::Different => "DIFFERENT",
    }
}

/// All that there is to say about a launch at a level; nothing where both simply did the same.
fn of_launch(
    comparison: &Comparison<'_>,
    of_level: &OfLevel,
    launch: &LaunchCompared,
    output: &Output,
) -> String {
    let objects = launch.objects.iter();
    let mut text: String =
        objects.map(|compared| of_object(comparison, launch, compared, output.colour())).collect();
    for note in notes(comparison, of_level, launch, output) {
        text += &format!("  = {note}\n");
    }
    text
}

/// The differences of a buffer or a variable, and notes about it.
fn of_object(
    comparison: &Comparison<'_>,
    launch: &LaunchCompared,
    compared: &ObjectCompared,
    colour: bool,
) -> String {
    let (object, differences) = (&compared.object, &compared.differences);
    let heading = object.heading();
    match compared.known {
        Known::Lost => return format!("  {heading}: lost on the GPU\n"),
        // After the launches before the last a recording may hold nothing, and says so by that.
        Known::NotKept => return String::new(),
        Known::Here => (),
    }
    let mut text = String::new();
    if differences.tolerated > 0 {
        let farthest = differences.farthest.unwrap_or_default();
        text += &format!(
            "  {heading}: {} of {} cells differ within the tolerance (at most {farthest} ulp)\n",
            differences.tolerated, differences.compared
        );
    }
    if differences.differing == 0 {
        return text;
    }
    let farthest = match differences.farthest {
        Some(farthest) => format!(", at most {farthest} ulp apart"),
        None => String::new(),
    };
    text += &format!(
        "  {heading}: {} of {} cells differ{farthest}\n",
        Style::Error.paint(&differences.differing.to_string(), colour),
        differences.compared
    );
    text += &cells(comparison, compared);
    let more = differences.differing.saturating_sub(differences.first.len() as u64);
    if more > 0 {
        text += &format!("    ... {more} more\n");
    }
    if compared.writers.iter().any(Option::is_none) && !launch.objects.is_empty() {
        text += "    (-: the launch does not write the cell on the simulator)\n";
    }
    text
}

/// The cells that differ, each with both values and the last instruction that wrote it.
fn cells(comparison: &Comparison<'_>, compared: &ObjectCompared) -> String {
    let mut rows = table(["cell", "simulator", "", "GPU", "", "last written on the simulator by"]);
    let element = compared.object.element;
    let value = |bits, as_bits| Cell { element, bits, as_bits }.text();
    let writers = compared.writers.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    for (Differing { index, ours, theirs }, writer) in
        compared.differences.first.iter().zip(writers)
    {
        rows.add_row([
            index.to_string(),
            value(*ours, false),
            value(*ours, true),
            value(*theirs, false),
            value(*theirs, true),
            writer.map_or("-".to_owned(), |site| by(comparison, site)),
        ]);
    }
    rows.trim_fmt().lines().map(|line| format!("    {line}\n")).collect()
}

/// `st.global.u32  thread (2,0,0) of block (0,0,0)  warp 0 lane 2  scan.cu:15  scan.ptx:26`.
fn by(comparison: &Comparison<'_>, site: &Site) -> String {
    let file = file_name(&comparison.args.launch.file);
    let mut parts = vec![
        site.operation.clone(),
        thread(site, true),
        format!("warp {} lane {}", site.warp, site.lane),
    ];
    parts.extend(site.source.as_ref().map(position));
    parts.push(format!("{}:{}", ptx_file(site, &file), site.ptx_line));
    parts.join("  ")
}

/// What follows from how both ended, and from what other schedules do.
fn notes(
    comparison: &Comparison<'_>,
    of_level: &OfLevel,
    launch: &LaunchCompared,
    output: &Output,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(words) = &launch.theirs.words {
        notes.push(format!("the GPU: {words}"));
    }
    let (ours, theirs) = (launch.ours.outcome, launch.theirs.outcome);
    match launch.verdict {
        Verdict::Equal if theirs != Outcome::Completed => notes.push(format!(
            "`{ours}` on the simulator is `{theirs}` on a GPU; the GPU's memory is then lost, so \
             nothing else is compared"
        )),
        Verdict::Unnoticed => notes.push(
            "the simulator stops at an access outside every buffer; the GPU did not notice: it \
             checks pages, not buffers"
                .to_owned(),
        ),
        _ => (),
    }
    if let Some(several) = &launch.several {
        notes.push(of_several(comparison, several, output));
    }
    if launch.verdict == Verdict::OneOfSeveral {
        notes.push("help: `warpsim check` shows whether that is a race".to_owned());
    }
    if launch.verdict == Verdict::Different {
        notes.extend(hints(comparison, of_level).into_iter().map(str::to_owned));
    }
    notes
}

/// Whether the GPU's is another legal result.
fn of_several(comparison: &Comparison<'_>, several: &Several, output: &Output) -> String {
    let schedules = match (several.schedules, several.complete) {
        (1, true) => "the only schedule".to_owned(),
        (n, true) => format!("all {n} schedules"),
        (n, false) => format!("{n} schedules"),
    };
    let results = match several.results {
        1 => "1 result".to_owned(),
        n => format!("{n} different results"),
    };
    match &several.reached {
        Reached::Whole { schedule } => {
            let how = match comparison.args.launch.launches {
                1 => replay::run_under(output, schedule),
                _ => format!("--schedule {schedule}"),
            };
            format!("the GPU's result is one of {results} that {schedules} reach: {how}")
        }
        Reached::CellByCell => format!(
            "each differing cell has the GPU's value under one of {schedules}, which reach \
             {results}, but no schedule has all these values together"
        ),
        Reached::No if several.complete && several.results == 1 => {
            "every schedule leads to the simulator's result".to_owned()
        }
        Reached::No if several.complete => {
            format!("the GPU's result is not among the {results} of {schedules}")
        }
        Reached::No if several.results == 1 => {
            format!("{schedules} all lead to the simulator's result")
        }
        Reached::No => format!(
            "the result depends on the schedule, and the GPU's result is not among the {results} \
             of {schedules}; raise --schedules to try more"
        ),
    }
}

/// What may explain a difference.
fn hints(comparison: &Comparison<'_>, of_level: &OfLevel) -> Vec<&'static str> {
    let options = &comparison.args.launch;
    let mut hints = Vec::new();
    if of_level.level.is_some_and(|level| level > 0) && options.pass.is_empty() {
        hints.push(
            "help: above level 0 the driver keeps values in registers where the program does not \
             forbid it; `warpsim check` shows where it must",
        );
    }
    let uses_shared =
        options.shared > 0 || comparison.chosen.module.source.text().contains(".shared");
    if uses_shared && options.shared_init != SharedInit::Leftover {
        hints.push(
            "help: a GPU does not clear shared memory (--shared-init leftover); `warpsim check` \
             shows where the kernel uses values that it has not written",
        );
    }
    hints
}
