//! Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), which code hosts
//! show beside the lines.
//!
//! Each kind of finding is a rule. Each finding is a result at the place of its last access; the
//! other accesses are related locations. If there are several, a code flow has a thread flow for
//! each of them, in the order in which they happened. Paths are as the compiler wrote them. Paths
//! below the working directory are relative to it, as code hosts want them.

use std::path::Path;

use serde_json::{Value, json};
use warpsim::report::{Code, Severity, Site};

use super::{Report, Reported, in_words, position, relative, thread};

/// The document.
pub(super) fn document(report: &Report<'_>, here: Option<&Path>) -> Value {
    let missing = report.incomplete.iter().map(|reason| incomplete(reason));
    let results = report.findings.iter().map(|found| result(found, here)).chain(missing);
    let rule = |code: &Code| {
        json!({
            "id": code.name(),
            "shortDescription": { "text": code.text() },
            "defaultConfiguration": { "level": level(code.severity()) },
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "warpsim",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Code::ALL.iter().map(rule).collect::<Vec<_>>(),
            } },
            "invocations": [{ "executionSuccessful": report.incomplete.is_empty() }],
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn result(found: &Reported<'_>, here: Option<&Path>) -> Value {
    let finding = found.finding;
    let first = match finding.sites.first() {
        Some(site) => Some(location(site, found.module, here)),
        None => found.called.map(|(file, line)| line_of(file, line, here)),
    };
    let related = finding.sites.iter().skip(1).enumerate().map(|(index, site)| {
        let mut location = described(site, found.module, here);
        location["id"] = json!(index + 1);
        location
    });
    let mut result = json!({
        "ruleId": finding.code.name(),
        "level": level(finding.severity),
        "message": { "text": found.text() },
        "locations": first.into_iter().collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
        "occurrenceCount": finding.count,
        "properties": { "replay": found.replay },
    });
    if finding.sites.len() > 1 {
        result["codeFlows"] = json!([code_flow(found, here)]);
    }
    result
}

/// What was cut short is about no place.
fn incomplete(reason: &str) -> Value {
    let code = Code::Incomplete;
    json!({
        "ruleId": code.name(),
        "level": level(code.severity()),
        "message": { "text": reason },
    })
}

/// The accesses in the order in which they happened, each with its thread. A finding has the latest
/// first.
fn code_flow(found: &Reported<'_>, here: Option<&Path>) -> Value {
    let sites = found.finding.sites.iter().rev().zip(1..);
    let flow = |(site, order): (&Site, u32)| {
        json!({
            "id": thread(site),
            "locations": [{
                "location": described(site, found.module, here),
                "executionOrder": order,
            }],
        })
    };
    json!({ "threadFlows": sites.map(flow).collect::<Vec<_>>() })
}

/// What SARIF calls it.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The place of an access, and what it did.
fn described(site: &Site, module: &str, here: Option<&Path>) -> Value {
    let mut location = location(site, module, here);
    location["message"] = json!({ "text": in_words(site) });
    location
}

fn location(site: &Site, module: &str, here: Option<&Path>) -> Value {
    let (file, line) = position(site, module);
    line_of(file, line, here)
}

fn line_of(file: &str, line: u32, here: Option<&Path>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file, here) } });
    // Lines count from 1; 0 is an unknown one.
    if line > 0 {
        place["region"] = json!({ "startLine": line });
    }
    json!({ "physicalLocation": place })
}

/// A path as a URI: relative where it can be, `file:` where it is absolute elsewhere.
fn uri(file: &str, here: Option<&Path>) -> String {
    let path = relative(file, here);
    let mut uri = if path.is_absolute() { "file://".to_owned() } else { String::new() };
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::race;
    use crate::reports::sample;

    #[test]
    fn the_accesses_of_a_race_are_a_code_flow_in_the_order_of_time() {
        let finding = race();
        let found = sample(&finding);
        let report = Report {
            subject: "scan",
            findings: vec![found],
            level: Severity::Warning,
            incomplete: Vec::new(),
        };
        let result = &document(&report, None)["runs"][0]["results"][0];
        let line = |at: &Value| at["physicalLocation"]["region"]["startLine"].as_u64();
        assert_eq!(line(&result["locations"][0]), Some(15));
        let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
        let steps: Vec<_> = flows
            .iter()
            .map(|flow| (flow["id"].as_str().unwrap(), line(&flow["locations"][0]["location"])))
            .collect();
        let wanted = [
            ("thread (1,0,0) of block (0,0,0)", Some(14)),
            ("thread (2,0,0) of block (0,0,0)", Some(15)),
        ];
        assert_eq!(steps, wanted);
    }

    #[test]
    fn paths_are_relative_to_the_working_directory_and_written_as_uris_are() {
        let here = Some(Path::new("/home/someone/project"));
        assert_eq!(uri("/home/someone/project/src/sum.cu", here), "src/sum.cu");
        assert_eq!(uri("src/a b.cu", here), "src/a%20b.cu");
        assert_eq!(uri("/opt/kernels/ä.cu", here), "file:///opt/kernels/%C3%A4.cu");
        assert_eq!(uri("module 1", here), "module%201");
    }
}
