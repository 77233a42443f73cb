//! Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), which code hosts
//! show beside the lines.
//!
//! Each kind of finding is a rule; each finding a result at the place of its last access, the
//! others being related locations. A place is the line of the source where the module has lines,
//! else the line of the PTX. Where a header of a library was inlined, it is the user's line. Paths
//! are as the compiler wrote them; those of the working directory are made relative to it, as code
//! hosts want them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use warpsim::report::{Code, Finding, Severity, Site};

/// A finding, and where its PTX came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) finding: &'a Finding,
    /// The file, or the name, of the module.
    pub(crate) module: &'a str,
    /// The file and the line of the host's code that it is about, where it is no access of a
    /// kernel.
    pub(crate) called: Option<(&'a str, u32)>,
    /// In which kernel, and of how many launches.
    pub(crate) place: &'a str,
    pub(crate) replay: &'a str,
}

/// The document; `is_complete` says whether nothing was cut short.
pub(crate) fn document<'a>(found: impl Iterator<Item = Found<'a>>, is_complete: bool) -> Value {
    // Where there is none, paths stay absolute.
    let here = std::env::current_dir().ok();
    let results: Vec<Value> = found.map(|one| result(one, here.as_deref())).collect();
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
            "invocations": [{ "executionSuccessful": is_complete }],
            "results": results,
        }],
    })
}

fn result(found: Found<'_>, here: Option<&Path>) -> Value {
    let Found { finding, module, called, place, replay } = found;
    let mut sites = finding.sites.iter();
    let of_host = || called.map(|(file, line)| line_of(file, line, here));
    let first = sites.next().map(|site| location(site, module, here)).or_else(of_host);
    let related = sites.enumerate().map(|(index, site)| {
        let mut location = location(site, module, here);
        location["id"] = json!(index + 1);
        location["message"] = json!({ "text": in_words(site) });
        location
    });
    let mut text = format!("{} ({place})", finding.explanation);
    for line in finding.sites.iter().map(in_words).chain(finding.notes.iter().cloned()) {
        text += &format!("\n{line}");
    }
    if let Some(help) = &finding.help {
        text += &format!("\nhelp: {help}");
    }
    json!({
        "ruleId": finding.code.name(),
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": first.into_iter().collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
        "occurrenceCount": finding.count,
        "properties": { "replay": replay },
    })
}

/// What SARIF calls it.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn in_words(site: &Site) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    format!("{} by thread {} of block {}", site.operation, triple(site.thread), triple(site.block))
}

fn location(site: &Site, module: &str, here: Option<&Path>) -> Value {
    let (file, line) = match &site.source {
        Some(source) => {
            let own = source.seen().own;
            (&*own.file, own.line)
        }
        None => (site.ptx_file.as_deref().unwrap_or(module), site.ptx_line),
    };
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
    let path = PathBuf::from(file);
    let below = here.and_then(|here| path.strip_prefix(here).ok()).map(Path::to_owned);
    let (prefix, path) = match (below, path.is_absolute()) {
        (Some(relative), _) => ("", relative),
        (None, true) => ("file://", path),
        (None, false) => ("", path),
    };
    let mut uri = prefix.to_owned();
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
    use super::uri;
    use std::path::Path;

    #[test]
    fn paths_are_relative_to_the_working_directory_and_written_as_uris_are() {
        let here = Some(Path::new("/home/someone/project"));
        assert_eq!(uri("/home/someone/project/src/sum.cu", here), "src/sum.cu");
        assert_eq!(uri("src/a b.cu", here), "src/a%20b.cu");
        assert_eq!(uri("/opt/kernels/ä.cu", here), "file:///opt/kernels/%C3%A4.cu");
        assert_eq!(uri("module 1", here), "module%201");
    }
}
