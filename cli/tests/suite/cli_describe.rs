//! `warpsim FILE`: its suggestions can be typed, for every kernel of the corpus.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// All PTX files below a folder.
fn modules(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            modules(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "ptx") {
            into.push(path);
        }
    }
}

#[test]
fn every_suggested_command_line_is_accepted() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut files = Vec::new();
    for folder in ["tests/corpus", "tests/ptx", "tests/hardware", "cli/tests/cmd/input"] {
        modules(&root.join(folder), &mut files);
    }
    let (mut accepted, mut refused) = (0, Vec::new());
    for file in &files {
        let file = file.display().to_string();
        let described = warpsim_cli::capture(["describe", &file, "--format", "json"]);
        let Ok(document) = serde_json::from_str::<Value>(&described.stdout) else {
            assert_eq!(described.exit, 2, "{file}: {}", described.stderr);
            continue;
        };
        let kernels = document["kernels"].as_array().unwrap();
        for kernel in kernels.iter().filter(|kernel| kernel["runs"] == true) {
            let command = kernel["command"].as_array().unwrap().iter();
            let mut words: Vec<&str> = command.skip(1).map(|word| word.as_str().unwrap()).collect();
            words[0] = "run";
            words.extend(["--max-steps", "1", "--values", "none"]);
            let ran = warpsim_cli::capture(&words);
            match ran.exit {
                // One step is seldom enough.
                0 | 1 => accepted += 1,
                exit => refused.push(format!("{exit}: {}\n{}", words.join(" "), ran.stderr)),
            }
        }
    }
    println!("{accepted} suggestions of {} files are accepted", files.len());
    // The command catches panics, and so their messages.
    refused.iter().for_each(|one| println!("refused: {one}"));
    assert!(refused.is_empty() && accepted > 300);
}
