//! Every instruction that compilers wrote into the corpus has a form in the instruction table.
//!
//! `WARPSIM_CORPUS=FOLDER` adds a folder of PTX of your own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use warpsim::isa::{Action, lookup};
use warpsim::ptx::{Function, parse};

/// The texts of all PTX files below the corpus.
fn corpus() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")];
    folders.extend(std::env::var_os("WARPSIM_CORPUS").map(PathBuf::from));
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files
}

/// Every opcode in the corpus with its modifiers, and a file that has it.
fn instructions() -> BTreeMap<Vec<String>, PathBuf> {
    let mut found = BTreeMap::new();
    for (path, text) in corpus() {
        let module = parse("corpus.ptx", &text).unwrap();
        for instruction in module.functions().flat_map(Function::instructions) {
            let names = std::iter::once(&instruction.opcode).chain(&instruction.modifiers);
            let names = names.map(|name| name.text.to_string()).collect();
            found.entry(names).or_insert_with(|| path.clone());
        }
    }
    found
}

#[test]
fn every_instruction_of_the_corpus_has_a_form() {
    let instructions = instructions();
    assert!(instructions.len() > 200, "only {} different instructions", instructions.len());
    let mut missing = Vec::new();
    let mut register_operations = 0;
    for (names, path) in &instructions {
        let modifiers: Vec<&str> = names[1..].iter().map(String::as_str).collect();
        match lookup(&names[0], &modifiers) {
            Ok(found) => {
                register_operations += matches!(found.form.action, Action::Lanes { .. }) as usize;
            }
            Err(why) => missing.push(format!("{} in {}: {why:?}", names.join("."), path.display())),
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(register_operations > 150, "only {register_operations} register operations");
}
