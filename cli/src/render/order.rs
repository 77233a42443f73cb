//! The order of two accesses as a picture: a column for each thread, time from top to bottom.
//!
//! The columns have the accesses of a race and, of each thread, the operations that synchronise.
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
    let with_block = earlier.block != later.block;
    let mut left = vec![format!("(1) {}", event(earlier, file))];
    left.extend(steps(after, file));
    let mut right = steps(before, file);
    right.push(format!("(2) {}", event(later, file)));
    let heads = [thread(earlier, with_block), thread(later, with_block)];
    let width = left.iter().chain([&heads[0]]).map(|line| line.chars().count()).max().unwrap_or(0);
    let beside = |a: &str, b: &str| format!("{a:width$}{}{b}", " ".repeat(GAP));
    let mut lines = vec![beside(&heads[0], &heads[1])];
    // The first access came before the second: the left column begins, the right one ends.
    lines.extend(left.iter().map(|line| beside(line, "|")));
    lines.extend(right.iter().map(|line| beside("|", line)));
    lines.push(missing.clone());
    Some(lines)
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
