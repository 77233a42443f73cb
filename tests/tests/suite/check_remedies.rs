//! The mend that is printed mends. For every race of the twins and of the programs that come with
//! warpsim, what the finding advises is done where it is one statement to add, and the text is
//! checked again: that finding is gone, and nothing new is found.
//!
//! The statement is added to the PTX, beside the lines that the finding names (`remedy.ptx` of the
//! document). If clang is available, it is added to the source of the twins, too, beside the line
//! that is named there (`remedy.source`).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::channel;

use serde_json::Value;
use warpsim::host::{Checking, Listener, Simulator};
use warpsim::report::{Code, Finding, Severity};
use warpsim_effort as effort;
use warpsim_programs::{Form, Program, RunError, Variant};
use warpsim_tests::labelled::{Labelled, Manifest};
use warpsim_tests::remedies::{Edited, key, keys};

/// How many findings were looked at, and of how many the advice was a statement to add.
#[derive(Debug, Default)]
struct Tally {
    races: usize,
    tried: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn told(&self, of: &str, least: usize) {
        let Tally { races, tried, wrong } = self;
        println!(
            "{of}: {races} races, {tried} with a statement to add, {} of them wrong",
            wrong.len()
        );
        wrong.iter().for_each(|one| println!("  {one}"));
        assert!(wrong.is_empty(), "{of}: {} of {tried} advices do not mend", wrong.len());
        // Otherwise nothing more is tried.
        assert!(*tried >= least, "{of}: of {races} races, {tried} were tried");
    }
}

fn is_race(finding: &Value) -> bool {
    finding["code"] == "race" || finding["code"] == "unordered"
}

/// What `warpsim check` says of a PTX file.
fn check(ptx: &Path, labelled: &Labelled) -> Value {
    let mut command = vec!["check".to_owned(), ptx.display().to_string()];
    command.extend(["--kernel".to_owned(), labelled.kernel.clone()]);
    command.extend_from_slice(&labelled.options);
    let more = ["--format", "json", "--values", "none", "--threads", "1"];
    command.extend(more.map(str::to_owned));
    let captured = warpsim_cli::capture(command);
    serde_json::from_str(&captured.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}\n{}", ptx.display(), captured.stderr))
}

/// Follows the advice of each race of a kernel.
fn follow(name: &str, ptx: &Path, labelled: &Labelled, tally: &mut Tally) {
    let text = std::fs::read_to_string(ptx).unwrap();
    let document = check(ptx, labelled);
    let before = keys(&document, None);
    let folder = tempfile::tempdir().unwrap();
    let races = document["findings"].as_array().into_iter().flatten().filter(|f| is_race(f));
    for finding in races {
        tally.races += 1;
        let Some(edited) = Edited::ptx(&text, finding) else { continue };
        tally.tried += 1;
        let path = folder.path().join("edited.ptx");
        std::fs::write(&path, &edited.text).unwrap();
        let after = keys(&check(&path, labelled), Some(&edited));
        let new: Vec<_> = after.difference(&before).collect();
        if after.contains(&key(finding, None)) || !new.is_empty() {
            let remedy = &finding["remedy"];
            let help = &finding["help"];
            tally
                .wrong
                .push(format!("{name}: {help} {remedy}: {:?}, new: {new:?}", key(finding, None)));
        }
    }
}

#[test]
fn what_is_advised_mends_every_race_of_the_twins() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("twins");
    let mut tally = Tally::default();
    let mut sources: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    sources.sort();
    // In a small run every third.
    for source in sources.into_iter().step_by(effort::cases(3, 1)) {
        let manifest = Manifest::parse(&std::fs::read_to_string(&source).unwrap()).unwrap();
        for form in effort::cases(&["o3"][..], &["naive", "o3"]) {
            let ptx = source.with_extension(format!("{form}.ptx"));
            for labelled in &manifest.kernels {
                let file = source.file_stem().unwrap().display();
                follow(&format!("{file} {form} {}", labelled.kernel), &ptx, labelled, &mut tally);
            }
        }
    }
    tally.told("twins", effort::cases(25, 150));
}

/// What `warpsim check` says of a source; `None` where there is no compiler, or it refuses the
/// text.
fn check_source(source: &Path, labelled: &Labelled) -> Option<Value> {
    let mut command = vec!["check".to_owned(), source.display().to_string()];
    command.extend(["--kernel".to_owned(), labelled.kernel.clone()]);
    command.extend_from_slice(&labelled.options);
    let more = ["--format", "json", "--values", "none", "--threads", "1"];
    command.extend(more.map(str::to_owned));
    let captured = warpsim_cli::capture(command);
    serde_json::from_str(&captured.stdout).ok()
}

/// Whether all of some codes are among others, each as often.
fn are_among(some: &[String], others: &[String]) -> bool {
    let mut others = others.to_vec();
    some.iter().all(|code| {
        let at = others.iter().position(|other| other == code);
        at.map(|at| others.remove(at)).is_some()
    })
}

/// Lines of the source move by one when one is added: what a finding is about without their
/// numbers.
fn codes(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().into_iter().flatten();
    let serious = findings.filter(|f| f["severity"] != "note");
    let mut codes: Vec<String> =
        serious.map(|f| f["code"].as_str().unwrap_or("?").to_owned()).collect();
    codes.sort();
    codes
}

#[test]
fn the_line_that_is_named_mends_the_source_of_the_twins() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("twins");
    let scratch = tempfile::tempdir().unwrap();
    let mut tally = Tally::default();
    let twins = [
        "bitonic_sort",
        "block_stride_work",
        "broadcast",
        "halo",
        "histogram_not_awaited",
        "matmul_next_round",
        "matmul_tiles",
        "queue_in_shared",
        "reduce_barrier",
        "reduce_halves",
        "scan_in_place",
        "stencil_in_place",
        "stencil_not_awaited",
        "tile_in_loop",
        "transpose_tile",
    ];
    // In a small run every third.
    for name in twins.into_iter().step_by(effort::cases(3, 1)) {
        let source = folder.join(format!("{name}.cu"));
        let text = std::fs::read_to_string(&source).unwrap();
        for labelled in &Manifest::parse(&text).unwrap().kernels {
            let Some(document) = check_source(&source, labelled) else {
                return println!("skipped: no compiler of CUDA C++");
            };
            let races = document["findings"].as_array().into_iter().flatten();
            for finding in races.filter(|f| is_race(f)) {
                tally.races += 1;
                let Some(edited) = Edited::source(&text, &format!("{name}.cu"), finding) else {
                    continue;
                };
                tally.tried += 1;
                let path = scratch.path().join(format!("{name}.cu"));
                std::fs::write(&path, &edited.text).unwrap();
                let after = check_source(&path, labelled).map(|document| codes(&document));
                let mut wanted = codes(&document);
                let gone = wanted.iter().position(|code| finding["code"] == **code).unwrap();
                wanted.remove(gone);
                // One statement may mend more than the finding that advises it.
                if !after.as_ref().is_some_and(|after| are_among(after, &wanted)) {
                    let place = &finding["remedy"]["source"];
                    tally.wrong.push(format!(
                        "{name} {}: {} at {place}: {after:?}, and {wanted:?} is wanted",
                        labelled.kernel, finding["remedy"]["statement"]
                    ));
                }
            }
        }
    }
    tally.told("sources of twins", effort::cases(1, 3));
}

/// The findings in a variant of a program that runs from this text.
fn found(program: &Program, variant: &Variant, text: &str) -> Vec<Finding> {
    let module = warpsim::ptx::parse("program.ptx", text).unwrap();
    let mut simulator = Simulator::default();
    simulator.settings_mut().checking = Some(Checking::default());
    let (sender, told) = channel();
    let listener = Listener::new(move |finding| drop(sender.send(finding.clone())));
    simulator.settings_mut().listener = Some(listener);
    match program.run(&mut simulator, &module, variant, &(program.inputs.checked)()) {
        Ok(_) | Err(RunError::Stopped { .. }) => (),
        Err(error) => panic!("{} {}: {error}", program.name, variant.name),
    }
    told.try_iter().collect()
}

/// The findings that are more than notes, by their code and lines of the source.
fn lines(findings: &[Finding]) -> BTreeSet<(Code, BTreeSet<String>)> {
    let serious = findings.iter().filter(|f| f.severity > Severity::Note);
    serious.map(of_lines).collect()
}

fn of_lines(finding: &Finding) -> (Code, BTreeSet<String>) {
    let place = |site: &warpsim::report::Site| match &site.source {
        Some(source) => format!("{source:?}"),
        // A function of the compiler's own, which several call.
        None => site.operation.clone(),
    };
    (finding.code, finding.sites.iter().map(place).collect())
}

#[test]
fn what_is_advised_mends_every_race_of_the_programs() {
    let mut tally = Tally::default();
    let variants = warpsim_programs::all()
        .iter()
        .flat_map(|program| program.variants.iter().map(move |variant| (program, variant)));
    // In a small run every third.
    for (program, variant) in variants.step_by(effort::cases(3, 1)) {
        for (form, _) in program.ptx {
            if effort::cases(*form != Form::Optimised, false) {
                continue;
            }
            follow_program(program, variant, *form, &mut tally);
        }
    }
    tally.told("programs", effort::cases(4, 10));
}

fn follow_program(program: &Program, variant: &Variant, form: Form, tally: &mut Tally) {
    let text = program.text(form).unwrap().text;
    let findings = found(program, variant, text);
    let before = lines(&findings);
    // What another launch of the program shows again has the same advice.
    let mut followed = BTreeSet::new();
    for finding in findings.iter().filter(|f| matches!(f.code, Code::Race | Code::Unordered)) {
        tally.races += 1;
        let Some(remedy) = &finding.remedy else { continue };
        if !followed.insert((of_lines(finding), format!("{remedy:?}"))) {
            continue;
        }
        tally.tried += 1;
        let edited = Edited::with(text, remedy.what.instruction(), &|line, side| {
            remedy.ptx.iter().any(|(at, on)| u64::from(*at) == line && on.word() == side)
        });
        let after = lines(&found(program, variant, &edited.text));
        if after.contains(&of_lines(finding)) || !after.is_subset(&before) {
            let name = format!("{} {} {}", program.name, variant.name, form.name());
            tally.wrong.push(format!("{name}: {:?} {remedy:?}", finding.help));
        }
    }
}
