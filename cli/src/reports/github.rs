//! Findings as workflow commands of GitHub Actions ("Workflow commands for GitHub Actions", GitHub
//! documentation): a line for each. GitHub shows it as an annotation beside the source line.
//!
//! Paths are relative to the working directory, which is the repository's folder in a workflow.

use std::path::Path;

use warpsim::report::Severity;

use super::{Report, Reported, relative};

/// All lines, each with its end.
pub(super) fn lines(report: &Report<'_>, here: Option<&Path>) -> String {
    let mut lines: String = report.findings.iter().map(|found| line(found, here)).collect();
    for reason in &report.incomplete {
        lines += &format!("::error title=warpsim%3A incomplete::{}\n", data(reason));
    }
    lines
}

fn line(found: &Reported<'_>, here: Option<&Path>) -> String {
    let command = match found.finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some((file, line)) = found.position() {
        let path = relative(file, here);
        properties.push(format!("file={}", property(&path.to_string_lossy())));
        // Lines count from 1; 0 is an unknown one.
        if line > 0 {
            properties.push(format!("line={line}"));
        }
    }
    let title = format!("warpsim: {}", found.finding.code.name());
    properties.push(format!("title={}", property(&title)));
    format!("::{command} {}::{}\n", properties.join(","), data(&found.text()))
}

/// Text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text between commas.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::race;
    use crate::reports::sample;

    #[test]
    fn a_finding_is_one_line_at_its_place() {
        let mut finding = race();
        finding.notes = vec!["100 % of them".to_owned()];
        let found = sample(&finding);
        let report = Report {
            subject: "scan (1 x 32 threads)",
            findings: vec![found],
            level: Severity::Warning,
            incomplete: vec!["the limit of steps was reached".to_owned()],
        };
        let lines = lines(&report, None);
        let wanted = "::error file=src/scan.cu,line=15,title=warpsim%3A race::read-write race on \
                      shared memory `data`+0x84, block (0,0,0) (kernel scan)%0Ald.shared.u32 by \
                      thread (2,0,0) of block (0,0,0)%0Ast.volatile.shared.u32 by thread (1,0,0) \
                      of block (0,0,0)%0A100 %25 of them%0Ahelp: put __syncwarp() between (1) and \
                      (2)\n::error title=warpsim%3A incomplete::the limit of steps was reached\n";
        assert_eq!(lines, wanted);
    }

    #[test]
    fn a_comma_or_a_colon_in_a_path_ends_no_property() {
        assert_eq!(property("a,b:c%.cu"), "a%2Cb%3Ac%25.cu");
    }
}
