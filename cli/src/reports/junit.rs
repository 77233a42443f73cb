//! Findings as JUnit's XML, as CI systems read it. A check is a suite, and each finding that counts
//! is a failed test of it.
//!
//! A finding below the level that counts is a passed test, with the finding as its output. A suite
//! without findings has one passed test, because a suite without tests is taken for a suite that
//! did not run. A part that was cut short is an error of the suite.

use std::io::{self, Write};
use std::path::Path;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use warpsim::report::Code;

use super::{Report, Reported, relative};

pub(super) fn write(
    report: &Report<'_>,
    here: Option<&Path>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut suite = TestSuite::new(report.subject);
    for found in &report.findings {
        suite.add_test_case(case(found, report, here));
    }
    if !report.incomplete.is_empty() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type(Code::Incomplete.name()).set_message(report.incomplete.join("; "));
        suite.add_test_case(named("complete", report, status));
    } else if report.findings.is_empty() {
        suite.add_test_case(named("no findings", report, TestCaseStatus::success()));
    }
    let mut all = quick_junit::Report::new("warpsim");
    all.add_test_suite(suite);
    all.serialize(&mut *to).map_err(io::Error::other)?;
    writeln!(to)
}

fn case(found: &Reported<'_>, report: &Report<'_>, here: Option<&Path>) -> TestCase {
    let finding = found.finding;
    let (file, line) = found.position().unwrap_or((found.module, 0));
    let file = relative(file, here).to_string_lossy().into_owned();
    let place = if line > 0 { format!("{file}:{line}") } else { file };
    let name = format!("{} at {place}", finding.code.name());
    let text = format!("{}\n{place}\nto see it again: {}", found.text(), found.replay);
    if finding.severity < report.level {
        let mut case = named(&name, report, TestCaseStatus::success());
        case.set_system_out(text);
        return case;
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(finding.code.name());
    status.set_message(finding.explanation.clone()).set_description(text);
    named(&name, report, status)
}

fn named(name: &str, report: &Report<'_>, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(report.subject);
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::race;
    use crate::reports::sample;
    use warpsim::report::Severity;

    fn written(severity: Option<Severity>, incomplete: Option<&str>) -> quick_junit::Report {
        let mut finding = race();
        finding.notes = vec!["a < b & \u{1b}[31mred\u{1b}[0m".to_owned()];
        finding.severity = severity.unwrap_or(finding.severity);
        let found = sample(&finding);
        let report = Report {
            subject: "scan (1 x 32 threads)",
            findings: severity.map(|_| found).into_iter().collect(),
            level: Severity::Warning,
            incomplete: incomplete.map(str::to_owned).into_iter().collect(),
        };
        let mut bytes = Vec::new();
        write(&report, None, &mut bytes).unwrap();
        quick_junit::Report::deserialize(bytes.as_slice()).unwrap()
    }

    fn counts(report: &quick_junit::Report) -> (usize, usize, usize) {
        (report.tests, report.failures, report.errors)
    }

    #[test]
    fn a_finding_that_counts_is_a_test_that_failed() {
        let report = written(Some(Severity::Error), None);
        assert_eq!(counts(&report), (1, 1, 0));
        let suite = &report.test_suites[0];
        assert_eq!(suite.name.as_str(), "scan (1 x 32 threads)");
        let case = &suite.test_cases[0];
        assert_eq!(case.name.as_str(), "race at src/scan.cu:15");
        let TestCaseStatus::NonSuccess { ty, description, .. } = &case.status else {
            panic!("{:?}", case.status);
        };
        assert_eq!(ty.as_ref().unwrap().as_str(), "race");
        let text = description.as_ref().unwrap().as_str();
        assert!(text.contains("\na < b & red\n"), "{text}");
        assert!(text.ends_with("to see it again: warpsim check scan.ptx"), "{text}");
    }

    #[test]
    fn a_note_and_no_finding_are_tests_that_passed() {
        assert_eq!(counts(&written(Some(Severity::Note), None)), (1, 0, 0));
        assert_eq!(counts(&written(None, None)), (1, 0, 0));
    }

    #[test]
    fn what_was_cut_short_is_an_error() {
        let report = written(None, Some("the limit of steps was reached"));
        assert_eq!(counts(&report), (1, 0, 1));
    }
}
