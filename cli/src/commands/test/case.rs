//! Runs one test: checks the launch, and compares the result with the expected one.

use std::time::{Duration, Instant};

use clap::Parser as _;
use serde::Deserialize;

use super::launch_file::Case;
use crate::args::{Command, CommandLine};
use crate::commands::check;
use crate::cuda;
use crate::failure::Exit;
use crate::output::Output;

/// The result of a test.
#[derive(Debug)]
pub(super) struct Tested {
    pub(super) case: Case,
    /// Why it failed; `None` where it passed.
    pub(super) failure: Option<String>,
    pub(super) time: Duration,
}

/// The parts of the document of `check` that are read.
#[derive(Deserialize)]
struct Document {
    outcome: String,
    findings: Vec<Finding>,
    #[serde(default)]
    expected: Vec<Expected>,
}

/// A buffer with expected contents.
#[derive(Deserialize)]
struct Expected {
    differing: u64,
}

#[derive(Deserialize)]
struct Finding {
    severity: String,
    code: String,
}

/// Runs a test.
pub(super) fn run(case: Case) -> Tested {
    let started = Instant::now();
    let failure = failure(&case);
    Tested { case, failure, time: started.elapsed() }
}

/// Why a test fails.
fn failure(case: &Case) -> Option<String> {
    // Tests run side by side: each has one thread. What it prints is not looked at.
    let fixed = ["--format=json", "--values=none", "--threads=1"].map(str::to_owned);
    let words: Vec<String> =
        std::iter::once("warpsim".to_owned()).chain(case.words.clone()).chain(fixed).collect();
    let line = match CommandLine::try_parse_from(&words) {
        Ok(line) => line,
        Err(error) => return Some(error.to_string().trim_end().to_owned()),
    };
    let Command::Check(mut args) = line.command else {
        return Some(warpsim::internal!("a launch file that runs no check").to_string());
    };
    let shown = words[..words.len() - 3].iter().map(Into::into).collect();
    let (mut output, out, err) = Output::to_memory(shown);
    cuda::keep_accesses(&mut args.launch, &mut output);
    let exit = match check::run(&args, &mut output) {
        Ok(exit) => exit,
        Err(failure) => failure.report(&mut output),
    };
    let told = err.text().trim_end().to_owned();
    if ![Exit::CLEAN, Exit::FINDING].contains(&exit) {
        return Some(told);
    }
    let document = serde_json::from_str::<Document>(&out.text());
    match document {
        Ok(document) => wrong(case, &document, exit, told),
        Err(error) => Some(warpsim::internal!("check wrote no document: {error}").to_string()),
    }
}

/// How the result differs from the expected one.
fn wrong(case: &Case, document: &Document, exit: Exit, told: String) -> Option<String> {
    let found = |code: &String| document.findings.iter().any(|finding| finding.code == *code);
    let missing: Vec<&str> =
        case.findings.iter().filter(|code| !found(code)).map(String::as_str).collect();
    let counts = |finding: &&Finding| finding.severity == "error";
    let unwanted = |finding: &&Finding| !case.findings.contains(&finding.code);
    let is_unwanted = document.findings.iter().filter(counts).any(|finding| unwanted(&finding));
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Some(
            format!("expected findings are missing: {missing}\n{told}").trim_end().to_owned(),
        );
    }
    // Where findings are wanted, the exit code says nothing about the buffers.
    let differs = document.expected.iter().any(|buffer| buffer.differing > 0);
    let is_wrong = is_unwanted || differs || case.findings.is_empty() && exit != Exit::CLEAN;
    let told =
        if told.is_empty() { format!("the launch ended as {}", document.outcome) } else { told };
    is_wrong.then_some(told)
}
