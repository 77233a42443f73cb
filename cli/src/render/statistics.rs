//! How a kernel used the machine, for people: the totals, the lines, and advice.

use std::path::Path;

use warpsim::host::DeviceProfile;
use warpsim::observe::{LineUse, Metric, Totals, Usage};

use super::findings::{file_name, short};
use super::table;
use crate::output::Style;
use crate::roofline::RooflineRow;

/// The text for launches of a kernel in this file.
pub(crate) fn statistics(
    totals: &Totals,
    profile: &DeviceProfile,
    file: &Path,
    colour: bool,
) -> String {
    let file = file_name(file);
    let heading = Style::Bold.paint("how the kernel used the machine", colour);
    let mut text = format!("{heading}\n{}", metrics(&totals.metrics()));
    text += &occupancy(totals, profile);
    text += &roofline(totals, profile);
    text += &lines(&totals.lines(), &file, colour);
    text += &advice(totals, &file, colour);
    text
}

/// The totals, with Nsight Compute's names.
fn metrics(metrics: &[Metric]) -> String {
    let mut table = table(["total", "value", "Nsight Compute"]);
    for metric in metrics {
        let name = metric.ncu.unwrap_or("-").to_owned();
        table.add_row([metric.what.clone(), metric.value.to_string(), name]);
    }
    format!("{}\n", table.trim_fmt())
}

/// What a multiprocessor holds of it.
fn occupancy(totals: &Totals, profile: &DeviceProfile) -> String {
    let Some(of) = totals.occupancy(profile) else { return String::new() };
    format!(
        "\noccupancy of {}, without registers: {:.1} % ({} of {} warps), limited by {}; blocks by \
         blocks {}, by warps {}, by shared memory {}; {:.2} waves\n",
        profile.name,
        of.percent(),
        of.warps,
        of.most_warps,
        of.limit,
        of.by_blocks,
        of.by_warps,
        of.by_shared,
        of.waves(),
    )
}

/// What arithmetic and memory allow at most.
fn roofline(totals: &Totals, profile: &DeviceProfile) -> String {
    let row = RooflineRow::of(totals, profile);
    let sentences = row.iter().flat_map(RooflineRow::sentences);
    sentences.map(|sentence| format!("\n{sentence}\n")).collect()
}

/// The lines that reach memory, branch or wait.
fn lines(lines: &[LineUse], file: &str, colour: bool) -> String {
    let is_shown = |line: &&LineUse| {
        let Usage { branches, global, shared, local, arrivals, .. } = line.usage;
        branches + global.requests + shared.requests + local + arrivals > 0
    };
    let shown: Vec<&LineUse> = lines.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut table = table([
        "line",
        "executed",
        "lanes",
        "divergent",
        "sectors/request",
        "passes/request",
        "bank conflicts",
        "waited",
    ]);
    for line in shown {
        let usage = &line.usage;
        let of = |count: u64, text: String| if count > 0 { text } else { "-".to_owned() };
        table.add_row([
            place(line, file),
            usage.executed.to_string(),
            format!("{:.1}", usage.mean_active()),
            of(usage.branches, format!("{} of {}", usage.divergent, usage.branches)),
            of(usage.global.requests, format!("{:.2}", usage.sectors_per_request())),
            of(usage.shared.requests, format!("{:.2}", usage.passes_per_request())),
            of(usage.shared.requests, usage.shared.conflicts.to_string()),
            of(usage.arrivals, usage.waited.to_string()),
        ]);
    }
    let heading = Style::Bold.paint("lines that branch, wait or reach memory", colour);
    format!("\n{heading}\n{}\n", table.trim_fmt())
}

/// What costs more than it needs to.
fn advice(totals: &Totals, file: &str, colour: bool) -> String {
    let all = totals.advice();
    if all.is_empty() {
        return "\nno line costs much more than it needs to\n".to_owned();
    }
    let heading = Style::Bold.paint("what costs more than it needs to, the worst first", colour);
    let mut text = format!("\n{heading}\n");
    for advice in &all {
        let at = match &advice.line {
            Some(line) => {
                let name = line.name.as_deref().unwrap_or_default();
                format!("{} ({name})", place(line, file))
            }
            None => "launch".to_owned(),
        };
        text += &format!("{}: {}\n", Style::Note.paint(&at, colour), advice.text);
    }
    text
}

/// `tile.cu:12`.
fn place(line: &LineUse, file: &str) -> String {
    match (&line.source, &line.ptx_file) {
        (Some((source, number)), _) => format!("{}:{number}", short(source)),
        (None, Some(ptx)) => format!("{}:{}", short(ptx), line.ptx_line),
        (None, None) => format!("{file}:{}", line.ptx_line),
    }
}
