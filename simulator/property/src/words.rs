//! Findings and cells in words.

use std::fmt;

use super::expected::Mismatch;
use crate::report::{Code, Finding, Site};

/// The most findings that are told in full.
const SHOWN: usize = 3;

/// The findings in a PTX file, each with its threads and lines.
pub(super) fn findings(
    f: &mut fmt::Formatter<'_>,
    findings: &[Finding],
    file: &str,
) -> fmt::Result {
    for finding in findings.iter().take(SHOWN) {
        tell(f, finding, file)?;
    }
    if findings.len() > SHOWN {
        writeln!(f, "and {} more", findings.len() - SHOWN)?;
    }
    Ok(())
}

fn tell(f: &mut fmt::Formatter<'_>, finding: &Finding, file: &str) -> fmt::Result {
    writeln!(f, "{}[{}]: {}", finding.severity, finding.code, finding.explanation)?;
    let is_pair = matches!(finding.code, Code::Race | Code::Unordered);
    for (index, site) in finding.sites.iter().enumerate() {
        let when = match (is_pair, index) {
            (true, 0) => "  <- just now",
            (true, _) => "  <- earlier",
            _ => "",
        };
        // Notes and help speak of them by these numbers, the latest having the highest.
        let number = match finding.sites.len() {
            1 => String::new(),
            total => format!("({}) ", total - index),
        };
        writeln!(f, "  {number}{}{when}", place(site, file))?;
    }
    for note in &finding.notes {
        writeln!(f, "  = {note}")?;
    }
    if finding.count > 1 {
        writeln!(f, "  = it happened {} times; this is the first", finding.count)?;
    }
    match &finding.help {
        Some(help) => writeln!(f, "  = help: {help}"),
        None => Ok(()),
    }
}

/// `ld.shared.u32 by thread (0,0,0) of block (0,0,0) (warp 0, lane 0) at k.ptx:9`.
fn place(site: &Site, file: &str) -> String {
    let ([x, y, z], [bx, by, bz]) = (site.thread, site.block);
    let (operation, warp, lane) = (&site.operation, site.warp, site.lane);
    let file = short(file);
    let source = site.source.as_ref();
    let source = source.map(|source| format!("{}:{}, ", short(&source.file), source.line));
    let source = source.unwrap_or_default();
    format!(
        "{operation} by thread ({x},{y},{z}) of block ({bx},{by},{bz}), warp {warp} lane {lane}, \
         at {source}{file}:{}",
        site.ptx_line
    )
}

/// Says how many cells of a buffer are like the one that was told of.
pub(super) fn more_cells(f: &mut fmt::Formatter<'_>, count: usize, verb: &str) -> fmt::Result {
    match count {
        0 | 1 => Ok(()),
        count => writeln!(f, "  {count} cells of this buffer {verb}"),
    }
}

/// How far from what is expected a number may be.
pub(super) fn within(mismatch: &Mismatch) -> String {
    match mismatch.tolerance {
        None => String::new(),
        Some(tolerance) => {
            let (absolute, relative) = (tolerance.absolute, tolerance.relative);
            format!(", within {absolute} + {relative} of it")
        }
    }
}

/// A file's name without its folders.
fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}
