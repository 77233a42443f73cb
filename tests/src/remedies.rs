//! What `warpsim check` advises, followed to the letter: the statement that a finding names is put
//! into the text beside the lines that it names, and the text is checked again.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// A finding by its code and the lines that it is about.
pub type Key = (String, BTreeSet<String>);

/// A text with statements added, and where its lines were before.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// For each line of it, from 1, the line that it was; 0 for those that are new.
    lines: Vec<u64>,
}

impl Edited {
    /// The PTX text with a finding's remedy; `None` when it has none.
    pub fn ptx(text: &str, finding: &Value) -> Option<Edited> {
        let remedy = finding.get("remedy")?;
        let statement = remedy["ptx_statement"].as_str()?;
        let places = remedy["ptx"].as_array()?;
        Some(Edited::with(text, statement, &|line, side| is_among(places, line, side)))
    }

    /// The source with a finding's remedy; `None` when that is not a line of this file.
    pub fn source(text: &str, file: &str, finding: &Value) -> Option<Edited> {
        let remedy = finding.get("remedy")?;
        let places = remedy.get("source")?.as_array()?;
        let is_here = |place: &Value| {
            let name = place["file"].as_str().and_then(|path| Path::new(path).file_name());
            name.is_some_and(|name| name == file)
        };
        let is_whole = !places.is_empty() && places.iter().all(is_here);
        let statement = remedy["statement"].as_str().unwrap_or("?");
        let wants = |line: u64, side: &str| is_among(places, line, side);
        is_whole.then(|| Edited::with(text, statement, &wants))
    }

    /// The text with a statement beside each line, from 1, that wants one on this side.
    pub fn with(text: &str, statement: &str, wants: &dyn Fn(u64, &str) -> bool) -> Edited {
        let mut edited = Edited { text: String::new(), lines: Vec::new() };
        let mut add = |line: &str, number: u64| {
            edited.text += line;
            edited.text.push('\n');
            edited.lines.push(number);
        };
        for (line, number) in text.lines().zip(1..) {
            if wants(number, "before") {
                add(statement, 0);
            }
            add(line, number);
            if wants(number, "behind") {
                add(statement, 0);
            }
        }
        edited
    }

    /// The line that one was before.
    fn before(&self, line: u64) -> u64 {
        let index = usize::try_from(line).unwrap_or(usize::MAX).wrapping_sub(1);
        self.lines.get(index).copied().unwrap_or(line)
    }
}

fn is_among(places: &[Value], line: u64, side: &str) -> bool {
    places.iter().any(|place| place["line"] == line && place["side"] == side)
}

/// The findings of a document that are more than notes. `edited` is the PTX text, when it is one
/// with statements added.
pub fn keys(document: &Value, edited: Option<&Edited>) -> BTreeSet<Key> {
    let findings = document["findings"].as_array().into_iter().flatten();
    findings.filter(|f| f["severity"] != "note").map(|f| key(f, edited)).collect()
}

/// What a finding is about: its code, and the lines of the source, or else of the PTX.
pub fn key(finding: &Value, edited: Option<&Edited>) -> Key {
    let place = |access: &Value| match access.get("source") {
        Some(source) => {
            let calls = source["inlined_at"].as_array().into_iter().flatten();
            let all = std::iter::once(source).chain(calls);
            let places: Vec<String> = all
                .map(|p| format!("{}:{}", p["file"].as_str().unwrap_or("?"), p["line"]))
                .collect();
            places.join(" in ")
        }
        None => {
            let line = access["ptx_line"].as_u64().unwrap_or(0);
            format!("PTX line {}", edited.map_or(line, |edited| edited.before(line)))
        }
    };
    let accesses = finding["accesses"].as_array().into_iter().flatten();
    (finding["code"].as_str().unwrap_or("?").to_owned(), accesses.map(place).collect())
}
