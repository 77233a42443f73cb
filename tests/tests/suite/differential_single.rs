//! Programs of single instructions: that every form of the table is written somewhere, prints and
//! reads again; what the simulator gives for them, against a naive interpreter; and that nothing
//! panics or hangs when they are changed at random.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use warpsim::host::{Argument, Checking, Device, Simulator};
use warpsim::isa;
use warpsim::ptx;
use warpsim::report::{Outcome, Severity};
use warpsim_effort::cases;
use warpsim_mutation::{File, Limits, Settings};
use warpsim_tests::differential::batch::{Batch, HEAD};
use warpsim_tests::differential::forms::{Forms, Place, RegisterForm, texts_of};
use warpsim_tests::differential::program::{Family, Program};
use warpsim_tests::differential::run::{parsed, simulated, simulated_under};
use warpsim_tests::differential::search::forms_of;
use warpsim_tests::differential::single::{Reach, Single, entries};
use warpsim_tests::differential::{Draw, operands};
use warpsim_tests::lockstep;

/// Programs of these forms that have each at least once.
fn a_round(reach: Reach, seed: u64) -> Vec<Single> {
    let entries = entries(reach);
    let count = entries.len() as u64 / 6 + 1;
    (0..count)
        .map(|index| Single::drawn(&entries, seed, index, &mut Draw::new(&[seed, index])))
        .collect()
}

#[test]
fn a_round_of_single_programs_has_every_form_that_they_are_for() {
    let programs = a_round(Reach::Hopper, 5);
    let seen: BTreeSet<&str> =
        programs.iter().flat_map(|program| &program.steps).map(|step| &*step.form).collect();
    let mut written = 0;
    for entry in isa::forms().filter(|e| Place::of(e) == Some(Place::Single)) {
        assert!(seen.contains(&*entry.form), "{}", entry.form);
        written += 1;
    }
    assert!(written > 700, "{written} forms");
}

#[test]
fn single_programs_come_to_the_same_under_every_schedule() {
    let (forms, table) = (Forms::of_the_table(), operands::table(21));
    // Batches of programs, side by side where there are many.
    let (batches, next) = (cases(1, 50), AtomicU64::new(0));
    let programs = cases(2, 4);
    std::thread::scope(|scope| {
        for _ in 0..workers() {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= batches {
                        break;
                    }
                    let batch =
                        Batch::drawn(Family::Single, &forms, 21, programs * number, programs);
                    comes_to_the_same(&batch, &table);
                }
            });
        }
    });
}

/// This many threads do the work of a test: one, where all tests run side by side in a small run.
fn workers() -> usize {
    cases(1, std::thread::available_parallelism().map_or(1, usize::from))
}

fn comes_to_the_same(batch: &Batch, table: &[u64]) {
    let in_order = simulated(batch, table).unwrap();
    for schedule in ["reverse", "random:1", "adversarial"] {
        let other = simulated_under(batch, table, schedule).unwrap();
        let mut at = 0;
        for section in batch.written.iter().flat_map(|written| &written.sections) {
            let words = at..at + section.words;
            assert!(in_order[words.clone()] == other[words], "{} under {schedule}", section.label);
            at += section.words;
        }
    }
}

#[test]
fn single_programs_are_free_of_findings() {
    let table = operands::table(22);
    let bytes: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    // All forms in a large run.
    for program in a_round(Reach::Hopper, 22).into_iter().step_by(cases(40, 1)) {
        let small = Single { blocks: 1, threads: 64, ..program };
        let batch = Batch::of(vec![Program::Single(small)]);
        let mut gpu = Simulator::default();
        gpu.settings_mut().checking = Some(Checking::default());
        let module = gpu.load(&parsed(&batch).unwrap()).unwrap();
        let operands = gpu.allocate(bytes.len() as u64).unwrap();
        gpu.upload(operands, &bytes).unwrap();
        let out = gpu.allocate(batch.words() as u64 * 8).unwrap();
        gpu.upload(out, &vec![0; batch.words() * 8]).unwrap();
        let arguments = [operands, out].map(Argument::Pointer);
        let report = gpu.launch(module, "p0", &batch.written[0].launch, &arguments).unwrap();
        let bad = report.findings.iter().find(|finding| finding.severity > Severity::Note);
        assert!(bad.is_none(), "{bad:#?}\n{}", batch.text());
        assert_eq!(report.outcome, Outcome::Completed);
    }
}

/// What the naive interpreter does not know: rounding of a product of doubles that is not to
/// nearest.
fn is_known(form: &str) -> bool {
    let rounds = [".rz", ".rm", ".rp"].iter().any(|rounding| form.contains(rounding));
    !(form.contains("f64") && rounds)
}

/// Compares programs of a batch; gives how often each form was compared, in lanes.
fn compared(batch: &Batch, table: &[u64], counts: &mut BTreeMap<String, u64>) {
    let ours = simulated(batch, table).unwrap();
    let module = parsed(batch).unwrap();
    let mut at = 0;
    for (i, written) in batch.written.iter().enumerate() {
        let size = [written.launch.grid[0], written.launch.block[0]];
        let right = lockstep::run(&module, &format!("p{i}"), size, table, written.words());
        let mut place = 0;
        for section in &written.sections {
            let (x, y) = (&ours[at + place..][..section.words], &right[place..][..section.words]);
            let differs = x.iter().zip(y).position(|(x, y)| x != y);
            if let Some(word) = differs {
                panic!(
                    "{} of program {i}, word {word}: the simulator {:x}, the interpreter {:x}\n{}",
                    section.label, x[word], y[word], written.text
                );
            }
            place += section.words;
        }
        for form in forms_of(&batch.programs[i], written) {
            *counts.entry(form).or_default() += u64::from(size[0] * size[1]);
        }
        at += place;
    }
}

#[test]
fn single_programs_give_what_the_naive_interpreter_gives() {
    let (table, mut counts) = (operands::table(31), BTreeMap::new());
    for seed in 0..cases(1, 12) {
        for programs in a_round(Reach::Hopper, seed).chunks(32) {
            let small = programs.iter().map(|program| {
                let steps = program.steps.iter().filter(|step| is_known(&step.form)).cloned();
                Single { blocks: 1, threads: 64, steps: steps.collect(), branches: None }
            });
            let batch = Batch::of(small.map(Program::Single).collect());
            compared(&batch, &table, &mut counts);
        }
    }
    for (form, count) in &counts {
        println!("{count:>9} {form}");
    }
    for entry in entries(Reach::Hopper).iter().filter(|entry| is_known(&entry.form)) {
        assert!(counts.contains_key(&entry.form), "{}", entry.form);
    }
}

#[test]
fn narrow_conversions_give_what_the_naive_interpreter_gives() {
    let forms = Forms::of_the_table();
    let narrow = |form: &&RegisterForm| form.text.contains("e4m3") || form.text.contains("e5m2");
    let texts: Vec<String> = forms.exact.iter().filter(narrow).map(|f| f.text.clone()).collect();
    assert_eq!(texts.len(), 12, "two formats, from f32 and f16 and to f16, with and without relu");
    let forms = Forms::of(texts);
    let (table, mut counts) = (operands::table(32), BTreeMap::new());
    let batch = Batch::drawn(Family::Straight, &forms, 32, 0, cases(8, 400));
    compared(&batch, &table, &mut counts);
    assert_eq!(counts.len(), 12);
}

/// Prints a text and reads it again.
fn round_trip(text: &str) {
    let module = ptx::parse("drawn.ptx", text).unwrap();
    let printed = ptx::print(&module);
    assert!(ptx::parse("printed.ptx", &printed).unwrap() == module, "{printed}");
}

#[test]
fn every_form_prints_and_reads_again() {
    let mut seen = BTreeSet::new();
    for program in a_round(Reach::Text, 9) {
        round_trip(&(HEAD.to_owned() + &program.write("k").text));
        seen.extend(program.steps.iter().map(|step| step.form.clone()));
    }
    // All register forms, those too that are not compared with a GPU.
    let registers = isa::forms().filter(|entry| match Place::of(entry) {
        Some(Place::Straight | Place::Approximate | Place::Nowhere(_)) => true,
        Some(Place::Single | Place::Images | Place::Structured) | None => false,
    });
    let texts = registers.flat_map(|entry| texts_of(&entry));
    let registers = Forms::of(texts.filter(|text| RegisterForm::of(text).is_some()));
    let Forms { branched, images, .. } = Forms::of_the_table();
    let forms = Forms { branched, images, ..registers };
    for family in Family::ALL {
        let count = match family {
            Family::Straight => forms.exact.len() / 12 + 1,
            Family::Approximate => forms.approximate.len() / 24 + 1,
            Family::Single => 0,
            Family::Divergence
            | Family::Memory
            | Family::Barriers
            | Family::Warps
            | Family::Atomics
            | Family::Copies
            | Family::Addresses
            | Family::Branched => cases(60, 300),
            Family::Images => forms.images.len() / 6 + 1,
        };
        for index in 0..count as u64 {
            let program = family.program(&forms, 9, index);
            let written = program.write("k");
            round_trip(&(HEAD.to_owned() + &written.text));
            seen.extend(forms_of(&program, &written));
        }
    }
    let opcodes: BTreeSet<&str> = seen.iter().filter_map(|text| text.split('.').next()).collect();
    let mut left = Vec::new();
    for entry in isa::forms() {
        let Some(place) = Place::of(&entry) else { continue };
        let first = texts_of(&entry).swap_remove(0);
        let is_there = match place {
            Place::Single | Place::Images => seen.contains(&entry.form),
            Place::Structured => opcodes.contains(entry.opcode),
            Place::Straight | Place::Approximate => seen.contains(&first),
            Place::Nowhere(_) => seen.contains(&entry.form) || seen.contains(&first),
        };
        if !is_there {
            left.push((place, entry.form));
        }
    }
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn programs_of_every_form_changed_at_random_do_no_harm() {
    let (mut files, forms) = (Vec::new(), Forms::of_the_table());
    let mut programs = a_round(Reach::Text, 13);
    for (family, entries) in [(Family::Branched, &forms.branched), (Family::Images, &forms.images)]
    {
        // A round: half of a program's steps go through all forms in turn.
        for index in 0..entries.len() as u64 / 6 + 1 {
            match family.program(&forms, 13, index) {
                Program::Single(program) => programs.push(program),
                other => panic!("{other:?}"),
            }
        }
    }
    for (number, program) in programs.iter().enumerate() {
        for (part, steps) in program.steps.chunks(3).enumerate() {
            let steps = steps.to_vec();
            let small = Single { blocks: 1, threads: 64, steps, branches: program.branches };
            let text = HEAD.replace("sm_90", "sm_120") + &small.write("k").text;
            files.push(File { name: format!("drawn-{number}-{part}"), text });
        }
    }
    let settings = Settings {
        seed: 17,
        first: 0,
        count: cases(400, 40_000),
        threads: workers(),
        limits: Limits::default(),
        folder: None,
        tell_every: None,
    };
    let summary = warpsim_mutation::run(&files, &settings);
    let failures: Vec<_> =
        summary.failures.iter().map(|f| (f.number, &f.file, &f.trouble)).collect();
    assert!(failures.is_empty(), "{failures:?}");
    let launched = summary.reached.get(&warpsim_mutation::Reached::Launched);
    assert!(launched.is_some_and(|count| count * 5 > settings.count), "{:?}", summary.reached);
}
