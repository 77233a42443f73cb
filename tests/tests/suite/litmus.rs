//! The litmus tests of the memory model get their verdicts from the library, without the command.

use std::path::Path;

use warpsim::host::{Argument, Checking, Launch, Model};
use warpsim::report::Severity;
use warpsim_tests::labelled::{Checked, Labelled, Manifest};
use warpsim_tests::launching::Bench;

/// The value of an option of `warpsim check`.
fn option<'a>(kernel: &'a Labelled, name: &str) -> Option<&'a str> {
    let at = kernel.options.iter().position(|option| option == name)?;
    Some(&kernel.options[at + 1])
}

fn number(kernel: &Labelled, name: &str, default: u32) -> u32 {
    option(kernel, name).map_or(default, |value| value.parse().unwrap())
}

/// Checks a kernel as its label asks: the codes of what was found, and the exit code of the
/// command.
fn check(name: &str, text: &str, kernel: &Labelled) -> Checked {
    let mut bench = Bench::of_text(name, text);
    bench.gpu.settings_mut().checking = Some(Checking::default());
    if option(kernel, "--model") == Some("lockstep") {
        bench = bench.under(Model::Lockstep);
    }
    let mut arguments: Vec<Argument> = Vec::new();
    if let Some(spec) = option(kernel, "--arg") {
        let cells = spec.strip_prefix("u32[").and_then(|rest| rest.strip_suffix(']'));
        let cells = cells.expect("litmus tests have zeroed arrays of u32").parse().unwrap();
        arguments.push(bench.buffer(&vec![0_u32; cells]).into());
    }
    let launch = Launch::new(number(kernel, "--grid", 1), number(kernel, "--block", 32));
    let mut found = Vec::new();
    for _ in 0..number(kernel, "--launches", 1) {
        let report = bench.launch(&kernel.kernel, &launch, &arguments);
        found.extend(
            report.findings.iter().map(|finding| {
                (finding.code.name().to_owned(), finding.severity == Severity::Note)
            }),
        );
    }
    let is_clean = found.iter().all(|(_, is_note)| *is_note);
    Checked::new(u8::from(!is_clean), found)
}

#[test]
fn every_litmus_test_gets_its_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let (mut kernels, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        for kernel in &Manifest::parse(&text).unwrap().kernels {
            kernels += 1;
            if let Err(error) = kernel.expected.judge(&check(&name, &text, kernel)) {
                wrong.push(format!("{name} {}: {error}", kernel.kernel));
            }
        }
    }
    assert!(kernels > 250, "only {kernels} kernels were found");
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {kernels}:\n{}", wrong.len(), wrong.join("\n"));
}
