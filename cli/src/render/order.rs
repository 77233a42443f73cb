//! The order of two accesses as a picture: a column for each thread, time from top to bottom.
//!
//! The columns have the accesses of a race and, of each thread, the operations that synchronise.
//! Between them there may be a third thread that comes after the first access, and that the thread
//! of the second one does not come after.
//! Operations of different threads that the picture has below each other need not have happened in
//! that order: only the two accesses did.

use warpsim::report::{Finding, Site};

use super::findings::{position, ptx_file, thread};

/// Blanks between the two columns.
const GAP: usize = 4;

/// The picture of a race; its last line names the missing order. `None` for other findings.
/// `file` is the PTX file.
pub(super) fn picture(finding: &Finding, file: &str) -> Option<Vec<String>> {
    let [later, earlier] = finding.sites.as_slice() else { return None };
    let missing = finding.chain.last()?;
    if !finding.code.is_conflict() {
        return None;
    }
    let [after, before] = &finding.synchronisations;
    let third = finding.third.first();
    let of_block = |site: &Site| site.block == later.block;
    let with_block = !of_block(earlier) || third.is_some_and(|third| !of_block(third));
    let mut first = vec![format!("(1) {}", event(earlier, file))];
    first.extend(steps(after, file));
    let mut last = steps(before, file);
    last.push(format!("(2) {}", event(later, file)));
    // The first access came before the second: the left column begins, the right one ends.
    let middle = third.map(|of| (thread(of, with_block), steps(&finding.third, file)));
    let columns: Vec<(String, Vec<String>)> = [(thread(earlier, with_block), first)]
        .into_iter()
        .chain(middle)
        .chain([(thread(later, with_block), last)])
        .collect();
    let mut lines = beside(&columns);
    lines.push(missing.clone());
    Some(lines)
}

/// Columns, each with a head, and each below the lines of the one before it.
fn beside(columns: &[(String, Vec<String>)]) -> Vec<String> {
    let width = |(head, lines): &(String, Vec<String>)| {
        lines.iter().chain([head]).map(|line| line.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let row = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let text = padded.collect::<Vec<_>>().join(&" ".repeat(GAP));
        text.trim_end().to_owned()
    };
    let mut rows = vec![row(columns.iter().map(|(head, _)| head.as_str()).collect())];
    for (at, (_, lines)) in columns.iter().enumerate() {
        rows.extend(lines.iter().map(|line| {
            row((0..columns.len()).map(|of| if of == at { line.as_str() } else { "|" }).collect())
        }));
    }
    rows
}

/// The operations of a thread that synchronise.
fn steps(sites: &[Site], file: &str) -> Vec<String> {
    match sites {
        [] => vec!["|   nothing that synchronises".to_owned()],
        sites => sites.iter().map(|site| format!("|   {}", event(site, file))).collect(),
    }
}

/// An operation with its line of the source, or of the PTX where it has none.
fn event(site: &Site, file: &str) -> String {
    let place = match &site.source {
        Some(source) => position(source),
        None => format!("{}:{}", ptx_file(site, file), site.ptx_line),
    };
    format!("{}  {place}", site.operation)
}
