//! From the findings of a command's launches to its text and its exit code.
//!
//! Findings of several launches are one list, errors first. Allowed findings are left out and
//! counted. Findings at or above a level decide the verdict.

mod allow;
mod groups;
mod merge;
#[cfg(test)]
pub(crate) mod samples;

use warpsim::report::{Finding, Severity};

pub(crate) use allow::Allowed;
pub(crate) use groups::{Group, MendPlace, each, groups, groups_within};
pub(crate) use merge::{Place, merged, place};

/// The findings.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The findings to show.
    pub(crate) shown: Vec<Finding>,
    /// How many more there are.
    pub(crate) left_out: usize,
    /// How many were allowed.
    pub(crate) allowed: usize,
    /// How many errors, warnings and notes there are, the allowed ones aside.
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
    /// Whether one of them is as bad as the level.
    pub(crate) is_finding: bool,
}

impl Verdict {
    /// Whether nothing was found that is more than a note, allowed or not.
    pub(crate) fn is_silent(&self) -> bool {
        self.errors + self.warnings + self.allowed == 0
    }

    /// Judges findings in the PTX file of this name by the least severity that counts; at most
    /// `most` are shown.
    pub(crate) fn new(
        findings: Vec<Finding>,
        allow: &[Allowed],
        ptx_file: &str,
        level: impl Into<Severity>,
        most: usize,
    ) -> Verdict {
        let all = findings.len();
        let is_wanted = |finding: &Finding| !allow.iter().any(|a| a.covers(finding, ptx_file));
        let mut shown: Vec<Finding> = findings.into_iter().filter(is_wanted).collect();
        shown.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let allowed = all - shown.len();
        let count = |severity| shown.iter().filter(|f| f.severity == severity).count();
        let (errors, warnings, notes) =
            (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
        let level = level.into();
        let is_finding = shown.iter().any(|f| f.severity >= level);
        let left_out = shown.len().saturating_sub(most);
        shown.truncate(most);
        Verdict { shown, left_out, allowed, errors, warnings, notes, is_finding }
    }

    /// `2 errors, 1 warning`, or `no findings`.
    pub(crate) fn tally(&self) -> String {
        let parts: Vec<String> =
            [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| plural(count, word))
                .collect();
        if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
    }

    /// How many findings are not shown, if any: `; 3 allowed (--allow)`.
    pub(crate) fn not_shown(&self) -> String {
        let allowed = format!("; {} allowed (--allow)", self.allowed);
        let left_out = format!("; {} not shown (--max-findings)", self.left_out);
        let parts = [(self.allowed, allowed), (self.left_out, left_out)];
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect()
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::samples::race;
    use super::*;
    use warpsim::report::Code;

    fn warning() -> Finding {
        let mut finding = race();
        finding.severity = Severity::Warning;
        finding.code = Code::Unordered;
        finding
    }

    fn verdict(findings: Vec<Finding>, allow: &[&str], level: Severity, most: usize) -> Verdict {
        let allow: Vec<Allowed> = allow.iter().map(|a| Allowed::parse(a).unwrap()).collect();
        Verdict::new(findings, &allow, "scan.ptx", level, most)
    }

    #[test]
    fn the_level_decides_what_counts_and_not_what_is_shown() {
        let warnings = verdict(vec![warning()], &[], Severity::Error, 100);
        assert!(!warnings.is_finding && warnings.shown.len() == 1);
        assert!(verdict(vec![warning()], &[], Severity::Warning, 100).is_finding);
        assert!(verdict(vec![warning(), race()], &[], Severity::Error, 100).is_finding);
        assert_eq!(warnings.tally(), "1 warning");
    }

    #[test]
    fn the_allowed_are_counted_and_do_not_count() {
        let judged = verdict(vec![warning(), race()], &["race:scan.cu:15"], Severity::Error, 100);
        assert!(!judged.is_finding);
        assert_eq!(judged.tally() + &judged.not_shown(), "1 warning; 1 allowed (--allow)");
        let none = verdict(vec![race()], &["race"], Severity::Note, 100);
        assert_eq!((none.is_finding, none.tally()), (false, "no findings".to_owned()));
    }

    #[test]
    fn errors_come_first_and_those_not_shown_count_all_the_same() {
        let judged = verdict(vec![warning(), race(), race()], &[], Severity::Warning, 1);
        assert_eq!(judged.shown[0].severity, Severity::Error);
        assert_eq!(judged.tally(), "2 errors, 1 warning");
        assert_eq!(judged.not_shown(), "; 2 not shown (--max-findings)");
        assert!(verdict(vec![race()], &[], Severity::Warning, 0).is_finding);
    }
}
