//! Labelled kernels, through `warpsim check`: twins in both compiled forms, and litmus tests. One
//! test for each kernel of each form.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::Trial;
use serde_json::Value;
use warpsim_tests::confusion::Matrix;
use warpsim_tests::labelled::{Checked, Expected, Labelled, Manifest};

use crate::files;

/// A kernel of a PTX file, with its label.
struct Subject {
    name: String,
    form: &'static str,
    command: Vec<String>,
    expected: Expected,
}

/// The tests of all labelled kernels; one that fails for a file that has no label.
pub(crate) fn trials() -> Vec<Trial> {
    let (subjects, broken) = subjects();
    let broken = broken.into_iter().map(|(name, why)| Trial::test(name, || Err(why.into())));
    let tests = subjects.into_iter().map(|subject| {
        let name = format!("{} {}", subject.name, subject.form);
        Trial::test(name, move || Ok(subject.judge()?))
    });
    broken.chain(tests).collect()
}

/// Prints the confusion matrix, with every miss and every false alarm by name.
pub(crate) fn print_matrix() -> ExitCode {
    let (subjects, broken) = subjects();
    let mut matrix = Matrix::default();
    for subject in subjects {
        let (checked, _) = subject.check();
        matrix.add(subject.form, &subject.name, &subject.expected, &checked);
    }
    print!("{matrix}");
    broken.iter().for_each(|(name, why)| println!("no label: {name}: {why}"));
    if matrix.all_right() && broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All labelled kernels, and the files that are not labelled as they have to be.
fn subjects() -> (Vec<Subject>, Vec<(String, String)>) {
    let (mut subjects, mut broken) = (Vec::new(), Vec::new());
    let mut add = |source: &Path, forms: &[(&'static str, PathBuf)]| {
        let name = format!("{}", source.file_stem().unwrap_or_default().display());
        match of_file(&name, source, forms) {
            Ok(found) => subjects.extend(found),
            Err(why) => broken.push((name, why)),
        }
    };
    for source in files("twins", "cu") {
        let form = |form| (form, source.with_extension(format!("{form}.ptx")));
        add(&source, &[form("naive"), form("o3")]);
    }
    for source in files("litmus", "ptx") {
        add(&source, &[("litmus", source.clone())]);
    }
    (subjects, broken)
}

/// The kernels of a labelled file in each of its forms.
fn of_file(
    name: &str,
    source: &Path,
    forms: &[(&'static str, PathBuf)],
) -> Result<Vec<Subject>, String> {
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let place = |e: &dyn std::fmt::Display| format!("{}: {e}", source.display());
    let manifest = Manifest::parse(&read(source)?).map_err(|e| place(&e))?;
    let mut subjects = Vec::new();
    for (form, ptx) in forms {
        manifest.covers(&read(ptx)?).map_err(|e| place(&e))?;
        subjects.extend(manifest.kernels.iter().map(|k| Subject::new(name, form, ptx, k)));
    }
    Ok(subjects)
}

impl Subject {
    fn new(file: &str, form: &'static str, ptx: &Path, labelled: &Labelled) -> Subject {
        let mut command = vec!["check".to_owned(), ptx.display().to_string()];
        command.extend(["--kernel".to_owned(), labelled.kernel.clone()]);
        command.extend_from_slice(&labelled.options);
        let name = format!("{file} {}", labelled.kernel);
        Subject { name, form, command, expected: labelled.expected.clone() }
    }

    /// The result of the command, and its messages.
    fn check(&self) -> (Checked, String) {
        let more = ["--threads", "1", "--format", "json", "--values", "none"];
        let command = self.command.iter().map(String::as_str).chain(more);
        let captured = warpsim_cli::capture(command);
        (Checked::new(captured.exit, codes(&captured.stdout)), captured.stderr)
    }

    fn judge(&self) -> Result<(), String> {
        let (checked, said) = self.check();
        let again = self.command.join(" ");
        self.expected.judge(&checked).map_err(|why| format!("{why}\nwarpsim {again}\n{said}"))
    }
}

/// The codes of the findings of a JSON document, and whether they are notes.
fn codes(document: &str) -> Vec<(String, bool)> {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let findings = document["findings"].as_array().into_iter().flatten();
    let code = |finding: &Value| finding["code"].as_str().unwrap_or("?").to_owned();
    findings.map(|finding| (code(finding), finding["severity"] == "note")).collect()
}
