//! Structures that users build or match may get new fields: settings, requests and findings are
//! `#[non_exhaustive]`, so that a crate that uses them goes on to compile when a field is added.
//!
//! This reads sources as text: the attribute is among the attributes above the struct.

use std::path::{Path, PathBuf};

const GROWING: [&str; 17] = [
    "Checking",
    "CompileOptions",
    "Counterexample",
    "DeviceProfile",
    "Diagnostic",
    "Distinct",
    "Evidence",
    "Exploration",
    "Explored",
    "Finding",
    "Interest",
    "IsolatedSettings",
    "LaunchRequest",
    "Message",
    "OwnCode",
    "Report",
    "Settings",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether the struct of a text has the attribute; `None` when it is not there.
fn is_growing(text: &str, name: &str) -> Option<bool> {
    let is_it = |line: &str| {
        let rest = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with([' ', '<', '{']))
    };
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| is_it(line))?;
    let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
    Some(attributes.into_iter().any(|line| *line == "#[non_exhaustive]"))
}

#[test]
fn structs_that_users_build_or_take_apart_may_grow_fields() {
    let mut files = Vec::new();
    for folder in ["../simulator", "../gpu-backend"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let texts: Vec<String> =
        files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    for name in GROWING {
        let found: Vec<bool> = texts.iter().filter_map(|text| is_growing(text, name)).collect();
        assert_eq!(found, [true], "{name}: is it #[non_exhaustive]?");
    }
}

#[test]
fn a_struct_without_the_attribute_is_noticed() {
    let text = "#[derive(Clone)]\npub struct A {}\n#[non_exhaustive]\n#[derive(Clone)]\npub struct B<'a> {}";
    assert_eq!(is_growing(text, "A"), Some(false));
    assert_eq!(is_growing(text, "B"), Some(true));
    assert_eq!(is_growing(text, "C"), None);
}
