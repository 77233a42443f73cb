//! The chapter "What orders memory" and the litmus tests name each other: a clause without its
//! test, or a test without its clause, breaks the rule.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use warpsim_tests::labelled::{Expected, Labelled, Manifest};

/// Clauses whose tests are not litmus tests: about refusals, host code, behaviour that is not
/// modelled, and several runs.
const ELSEWHERE: [&str; 4] = ["OP-9", "HB-5", "MS-3", "VE-5"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn chapter() -> String {
    std::fs::read_to_string(root().join("docs/memory-model.md")).unwrap()
}

/// The litmus tests: names and texts.
fn litmus_tests() -> Vec<(String, String)> {
    let files = std::fs::read_dir(root().join("tests/litmus")).unwrap();
    let paths = files.map(|entry| entry.unwrap().path());
    let programs = paths.filter(|path| path.extension().is_some_and(|e| e == "ptx"));
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    programs.map(named).collect()
}

/// Whether a word is the name of a clause: two capitals, a dash, a number.
fn is_clause(word: &str) -> bool {
    word.split_once('-').is_some_and(|(family, number)| {
        family.len() == 2
            && family.bytes().all(|b| b.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// The names of clauses in a text, `RA-1c` as `RA-1`.
fn clauses_in(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let whole = words.map(|word| word.trim_end_matches(['a', 'b', 'c']));
    whole.filter(|word| is_clause(word)).collect()
}

/// Each clause of the chapter and its text.
fn clauses(chapter: &str) -> Vec<(&str, &str)> {
    let parts = chapter.split("\n- **").skip(1);
    let named = parts.filter_map(|part| {
        let end = part.find(['.', '*', ' '])?;
        is_clause(&part[..end]).then(|| (&part[..end], part.split("\n\n").next().unwrap()))
    });
    named.collect()
}

/// The litmus tests that a text names: in code, between asterisks.
fn tests_named_in(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in text.split(" *`").skip(1) {
        let names = part.split("`*").next().unwrap_or_default();
        found.extend(
            names
                .split('`')
                .map(str::trim)
                .filter(|name| {
                    name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                        && !name.is_empty()
                })
                .map(str::to_owned),
        );
    }
    found
}

#[test]
fn every_clause_has_a_litmus_test() {
    let chapter = chapter();
    let clauses = clauses(&chapter);
    assert!(clauses.len() > 40, "only {} clauses were found", clauses.len());
    for (clause, text) in clauses {
        let tested = !tests_named_in(text).is_empty();
        assert_eq!(tested, !ELSEWHERE.contains(&clause), "{clause}: {text}");
    }
}

#[test]
fn the_chapter_names_the_litmus_tests_that_there_are() {
    let there: BTreeSet<String> = litmus_tests().into_iter().map(|(name, _)| name).collect();
    assert_eq!(tests_named_in(&chapter()), there);
}

#[test]
fn litmus_tests_name_clauses_that_there_are() {
    let chapter = chapter();
    let there: BTreeSet<&str> = clauses(&chapter).into_iter().map(|(clause, _)| clause).collect();
    for (name, text) in litmus_tests() {
        let comments: Vec<&str> = text.lines().filter(|line| line.starts_with("//")).collect();
        let comments = comments.join(" ");
        let named = clauses_in(&comments);
        assert!(!named.is_empty(), "{name}.ptx says for no clause that it tests it");
        let unknown: Vec<&&str> = named.difference(&there).collect();
        assert!(
            unknown.is_empty(),
            "{name}.ptx names {unknown:?}, which the chapter does not have"
        );
    }
}

#[test]
fn every_kernel_of_a_litmus_test_has_a_verdict_and_a_name_that_says_it() {
    for (name, text) in litmus_tests() {
        let manifest = Manifest::parse(&text).unwrap_or_else(|error| panic!("{name}.ptx: {error}"));
        manifest.covers(&text).unwrap_or_else(|error| panic!("{name}.ptx: {error}"));
        for Labelled { kernel, expected, .. } in &manifest.kernels {
            let prefix = match expected {
                Expected::Clean => "good",
                Expected::Note(_) => "note",
                Expected::AnyOf(_) => "bad",
            };
            assert!(kernel.starts_with(prefix), "{name}.ptx: {kernel}: {expected}");
        }
    }
}
