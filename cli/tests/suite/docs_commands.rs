//! The commands in the README and the book work, and print the output shown there.
//!
//! Every `warpsim ...` line of an `sh` block runs, from the root of the repository and through a
//! shell, and must end with exit code 0. A `text` block between `<!-- output: ARGUMENTS -->` and
//! `<!-- end -->` must be the output of `warpsim ARGUMENTS`. A block behind `<!-- file: PATH -->`
//! must be that file. The list of the kinds of findings in
//! the command's reference must be the library's. `UPDATE_DOCS=1` writes both anew.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use warpsim::report::Code;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The README and the chapters of the book, except the command's reference, which has its own
/// tests.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("cli.md"))
        .chain([root().join("README.md")])
        .collect();
    pages.sort();
    pages
}

/// Runs a line through a shell in which `warpsim` is the command under test.
fn shell(line: &str) -> Output {
    let line = format!("warpsim() {{ \"$WARPSIM\" \"$@\"; }}\n{line}");
    Command::new("sh")
        .args(["-c", &line])
        .env("WARPSIM", env!("CARGO_BIN_EXE_warpsim"))
        .env("NO_COLOR", "1")
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The `warpsim` commands of a page's `sh` blocks; a line that ends with a backslash goes on.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for block in page.split("```sh\n").skip(1) {
        let block = block.split("```").next().unwrap().replace("\\\n", " ");
        let release = "cargo run --release -p warpsim-cli -- ";
        for line in block.lines().map(|line| line.replace(release, "warpsim ")) {
            if line.starts_with("warpsim ") {
                commands.push(line);
            }
        }
    }
    commands
}

#[test]
fn every_command_that_the_docs_show_succeeds() {
    let mut ran = 0;
    for path in pages() {
        for command in commands(&std::fs::read_to_string(&path).unwrap()) {
            let output = shell(&command);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {command}\n{errors}", path.display());
            ran += 1;
        }
    }
    assert!(ran >= 8, "only {ran} commands were found: are they still in `sh` blocks?");
}

#[test]
fn the_outputs_that_the_docs_show_are_what_the_commands_print() {
    let mut compared = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let mut renewed = page.clone();
        for (arguments, shown) in outputs(&page) {
            let output = shell(&format!("warpsim {arguments}"));
            let printed = String::from_utf8(output.stdout).unwrap();
            let mark = format!("<!-- output: {arguments} -->\n```text\n");
            renewed = renewed.replace(&format!("{mark}{shown}```"), &format!("{mark}{printed}```"));
            compared += 1;
        }
        renew(&path, &page, &renewed);
    }
    assert!(compared >= 1, "no outputs were found: are they still marked?");
}

/// Writes a page anew where that was asked for; else it has to be as it is.
fn renew(path: &Path, page: &str, renewed: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some() && renewed != page {
        std::fs::write(path, renewed).unwrap();
    } else {
        assert!(renewed == page, "{} shows something else:\n{renewed}", path.display());
    }
}

#[test]
fn the_files_that_the_docs_show_are_as_they_are_shown() {
    let mut compared = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        for part in page.split("<!-- file: ").skip(1) {
            let (file, rest) = part.split_once(" -->\n").unwrap();
            let (_, rest) = rest.split_once('\n').unwrap();
            let (shown, _) = rest.split_once("```").unwrap();
            let text = std::fs::read_to_string(root().join(file)).unwrap();
            assert!(text == shown, "{} shows something else than {file}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 1, "no files were found: are they still marked?");
}

#[test]
fn the_reference_lists_every_kind_of_finding_that_there_is() {
    let path = root().join("docs/cli.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- codes -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let rows = Code::ALL
        .iter()
        .map(|code| format!("| `{code}` | {} | {} |\n", code.severity(), code.text()));
    let table = format!("| code | severity | what |\n|---|---|---|\n{}", rows.collect::<String>());
    renew(&path, &page, &format!("{before}<!-- codes -->\n{table}<!-- end -->{after}"));
}

/// The outputs that a page shows: the arguments, and the text.
fn outputs(page: &str) -> Vec<(&str, &str)> {
    page.split("<!-- output: ")
        .skip(1)
        .map(|part| {
            let (arguments, rest) = part.split_once(" -->\n```text\n").unwrap();
            (arguments, rest.split_once("```\n<!-- end -->").unwrap().0)
        })
        .collect()
}
