//! `warpsim test`: runs the launch files of a folder, side by side, and says which are as they
//! should be.

mod case;
mod launch_file;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::args::TestArgs;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Style, check_file, write_file};
use case::Tested;
use launch_file::{Case, ENDING, cases};

/// Folders inside each other that are looked through.
const MOST_DEEP: usize = 64;

pub(super) fn run(args: &TestArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(report) = &args.report {
        if report.extension().is_none_or(|ending| ending != "xml") {
            return Err(Failure::usage_with_help(
                format!("{} is not a valid name for the report of tests", report.display()),
                "the report is JUnit's XML: use a name that ends in .xml",
            ));
        }
        check_file(report)?;
    }
    let all = found(&args.path)?;
    let is_wanted = |case: &Case| args.filter.as_ref().is_none_or(|part| case.name.contains(part));
    let (cases, others): (Vec<Case>, Vec<Case>) = all.into_iter().partition(is_wanted);
    if args.list {
        cases.iter().try_for_each(|case| output.line(&case.name))?;
        return Ok(Exit::CLEAN);
    }
    let started = Instant::now();
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let workers = args.threads.map_or_else(cores, |threads| threads as usize);
    let tested = run_all(cases, workers, |tested| line(tested, output))?;
    let failed: Vec<&Tested> = tested.iter().filter(|test| test.failure.is_some()).collect();
    for test in &failed {
        output.line(&format!("\n---- {}", test.case.name))?;
        output.line(test.failure.as_deref().unwrap_or_default())?;
    }
    let summary = summary((tested.len(), failed.len(), others.len()), started.elapsed());
    let style = if failed.is_empty() { Style::Good } else { Style::Error };
    let colour = output.colour();
    output.line(&format!("\n{}", style.paint(&summary, colour)))?;
    if let Some(path) = &args.report {
        write_file(path, |to| Ok(junit(&tested).serialize(to).map_err(std::io::Error::other)?))?;
    }
    Ok(if failed.is_empty() { Exit::CLEAN } else { Exit::FINDING })
}

/// The tests of a launch file, or of all in a folder and those inside of it.
fn found(path: &Path) -> Result<Vec<Case>, Failure> {
    let mut files = Vec::new();
    if path.is_file() {
        files.push(path.to_owned());
    } else {
        collect(path, 0, &mut files)?;
    }
    if files.is_empty() {
        return Err(Failure::usage_with_help(
            format!("there is no *{ENDING} in {}", path.display()),
            "a launch file beside a kernel describes its launches and their results: docs/cli.md, \
             \"Tests of kernels\"",
        ));
    }
    files.sort();
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        match cases(&file) {
            Ok(cases) => all.extend(cases),
            Err(error) => wrong.push(error),
        }
    }
    if wrong.is_empty() { Ok(all) } else { Err(Failure::usage(wrong.join("\nerror: "))) }
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let cannot = |error| Failure::usage(format!("cannot read {}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let path = entry.path();
        // A link to a folder is not followed: it may lead back here. A hidden file is no kernel.
        let kind = entry.file_type().map_err(cannot)?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && depth < MOST_DEEP && !is_hidden {
            collect(&path, depth + 1, files)?;
        } else if path.is_file() && entry.file_name().to_string_lossy().ends_with(ENDING) {
            files.push(path);
        }
    }
    Ok(())
}

/// Runs all tests, this many at a time, and reports each in the order of its name.
fn run_all(
    cases: Vec<Case>,
    workers: usize,
    mut tell: impl FnMut(&Tested) -> Result<(), Failure>,
) -> Result<Vec<Tested>, Failure> {
    let count = cases.len();
    let (give, take) = crossbeam_channel::unbounded();
    let (done, results) = crossbeam_channel::unbounded();
    for case in cases.into_iter().enumerate() {
        // Both ends are here.
        let _ = give.send(case);
    }
    drop(give);
    thread::scope(|scope| {
        for _ in 0..workers.min(count) {
            let (take, done) = (take.clone(), done.clone());
            scope.spawn(move || {
                for (number, case) in take {
                    if done.send((number, case::run(case))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let mut waiting: Vec<Option<Tested>> = (0..count).map(|_| None).collect();
        let mut told = 0;
        for (number, tested) in results {
            waiting[number] = Some(tested);
            while let Some(Some(next)) = waiting.get(told) {
                tell(next)?;
                told += 1;
            }
        }
        Ok(waiting.into_iter().flatten().collect())
    })
}

fn line(tested: &Tested, output: &mut Output) -> Result<(), Failure> {
    let (word, style) = match tested.failure {
        None => ("ok    ", Style::Good),
        Some(_) => ("FAILED", Style::Error),
    };
    let word = style.paint(word, output.colour());
    output.line(&format!("{word} {}", tested.case.name))?;
    output.flush()
}

fn summary((tested, failed, left_out): (usize, usize, usize), time: Duration) -> String {
    let tests = if tested == 1 { "1 test".to_owned() } else { format!("{tested} tests") };
    let others = if left_out > 0 { format!(", {left_out} left out") } else { String::new() };
    let passed = tested - failed;
    format!("{tests}: {passed} passed, {failed} failed{others}, in {:.1} s", time.as_secs_f64())
}

fn junit(tested: &[Tested]) -> quick_junit::Report {
    let mut report = quick_junit::Report::new("warpsim test");
    let mut suites: Vec<(String, TestSuite)> = Vec::new();
    for test in tested {
        let file = test.case.file.display().to_string();
        let status = match &test.failure {
            None => TestCaseStatus::success(),
            Some(failure) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(failure.lines().next().unwrap_or_default());
                status.set_description(failure.clone());
                status
            }
        };
        let name = test.case.name.strip_prefix(&format!("{file}: ")).unwrap_or(&test.case.name);
        let mut case = TestCase::new(name, status);
        case.set_classname(&file).set_time(test.time);
        match suites.iter_mut().find(|(known, _)| *known == file) {
            Some((_, suite)) => drop(suite.add_test_case(case)),
            None => {
                let mut suite = TestSuite::new(&file);
                suite.add_test_case(case);
                suites.push((file, suite));
            }
        }
    }
    report.add_test_suites(suites.into_iter().map(|(_, suite)| suite));
    report
}
