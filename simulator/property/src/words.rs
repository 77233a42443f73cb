//! Findings and cells in words.

use std::fmt;

use super::expected::Mismatch;
use crate::report::Finding;

/// The most findings that are shown in full.
const SHOWN: usize = 3;

/// The findings in a PTX file, each with its threads and lines.
pub(super) fn findings(
    f: &mut fmt::Formatter<'_>,
    findings: &[Finding],
    file: &str,
) -> fmt::Result {
    for finding in findings.iter().take(SHOWN) {
        writeln!(f, "{}", finding.told(file))?;
    }
    if findings.len() > SHOWN {
        writeln!(f, "and {} more", findings.len() - SHOWN)?;
    }
    Ok(())
}

/// Says how many cells of a buffer are like the one that was shown.
pub(super) fn more_cells(f: &mut fmt::Formatter<'_>, count: usize, verb: &str) -> fmt::Result {
    match count {
        0 | 1 => Ok(()),
        count => writeln!(f, "  {count} cells of this buffer {verb}"),
    }
}

/// How far a number may be from the expected one.
pub(super) fn within(mismatch: &Mismatch) -> String {
    match mismatch.tolerance {
        None => String::new(),
        Some(tolerance) => {
            let (absolute, relative) = (tolerance.absolute, tolerance.relative);
            format!(", within {absolute} + {relative} of it")
        }
    }
}
