//! The differential search, bounded: what its programs are, and that they say what they promise.

use std::collections::BTreeSet;
use std::time::Duration;

use warpsim::host::{Checking, Device, Simulator};
use warpsim::isa;
use warpsim::report::{Outcome, Severity};
use warpsim_effort::cases;
use warpsim_gpu::JitLevel;
use warpsim_tests::differential::batch::Batch;
use warpsim_tests::differential::forms::{Forms, Place, RegisterForm, left_out, texts_of};
use warpsim_tests::differential::program::Family;
use warpsim_tests::differential::recording::Recording;
use warpsim_tests::differential::run::{parsed, simulated, simulated_under};
use warpsim_tests::differential::search::{Plan, forms_of};
use warpsim_tests::differential::{operands, replay};

/// Those that do more than compute.
const WITH_MORE: [Family; 9] = [
    Family::Divergence,
    Family::Memory,
    Family::Barriers,
    Family::Warps,
    Family::Atomics,
    Family::Copies,
    Family::Addresses,
    Family::Branched,
    Family::Images,
];

const STRUCTURED: [Family; 7] = [
    Family::Divergence,
    Family::Memory,
    Family::Barriers,
    Family::Warps,
    Family::Atomics,
    Family::Copies,
    Family::Addresses,
];

#[test]
fn every_supported_form_of_registers_is_written_or_has_a_reason() {
    let forms = Forms::of_the_table();
    let drawn: BTreeSet<&str> =
        forms.exact.iter().chain(&forms.approximate).map(|form| &*form.text).collect();
    let mut straight = 0;
    for entry in isa::forms() {
        let spelled = || texts_of(&entry).into_iter();
        match Place::of(&entry) {
            Some(Place::Straight | Place::Approximate) => {
                straight += 1;
                for text in spelled().filter(|text| left_out(text).is_none()) {
                    assert!(drawn.contains(&*text), "{text} of {}", entry.form);
                }
            }
            Some(Place::Nowhere(why)) => {
                assert!(!why.is_empty());
                assert!(spelled().all(|text| !drawn.contains(&*text)), "{}", entry.form);
            }
            Some(Place::Single) => {
                assert!(forms.single.iter().any(|single| single.form == entry.form));
            }
            Some(Place::Images) => {
                assert!(forms.images.iter().any(|image| image.form == entry.form));
            }
            Some(Place::Structured) => {
                // In a small run every seventh spelling: an `atom` has thousands.
                let mut some = spelled().step_by(cases(7, 1));
                assert!(some.all(|text| RegisterForm::of(&text).is_none()), "{}", entry.form);
            }
            None => {}
        }
    }
    assert!(straight > 1000, "{straight} forms");
}

#[test]
fn a_round_of_straight_programs_has_every_form_and_structured_ones_every_opcode() {
    let forms = Forms::of_the_table();
    let mut seen = BTreeSet::new();
    for index in 0..(forms.exact.len() as u64).div_ceil(12) {
        let program = Family::Straight.program(&forms, 11, index);
        seen.extend(forms_of(&program, &program.write("k")));
    }
    for form in &forms.exact {
        assert!(seen.contains(&form.text), "{}", form.text);
    }
    let mut opcodes = BTreeSet::new();
    for family in STRUCTURED {
        for index in 0..300 {
            let program = family.program(&forms, 11, index);
            let of = |text: String| text.split('.').next().unwrap().to_owned();
            opcodes.extend(forms_of(&program, &program.write("k")).into_iter().map(of));
        }
    }
    for entry in isa::forms().filter(|e| Place::of(e) == Some(Place::Structured)) {
        assert!(opcodes.contains(entry.opcode), "{}", entry.form);
    }
}

#[test]
fn programs_depend_on_their_family_the_seed_and_their_number_alone() {
    let forms = Forms::of_the_table();
    for family in Family::ALL {
        let text = |seed, first| Batch::drawn(family, &forms, seed, first, 4).text();
        assert_eq!(text(3, 8), text(3, 8));
        assert_ne!(text(3, 8), text(4, 8));
        assert_ne!(text(3, 8), text(3, 12));
    }
}

/// A plan of a search, with the forms whose text begins like this.
fn plan(begin: &str, asked: &[Family]) -> Result<Plan, String> {
    let plan = Plan {
        seed: 1,
        programs: 64,
        shard: None,
        time: Duration::from_secs(1),
        families: if asked.is_empty() { Family::ALL.to_vec() } else { asked.to_vec() },
        jobs: 1,
        levels: vec![JitLevel::Level(0)],
        forms: Forms::of_the_table().beginning_with(begin),
        out: None,
        record: false,
    };
    plan.drawable(asked)
}

#[test]
fn a_search_with_few_forms_has_the_families_that_it_can_draw() {
    for (begin, without) in [
        // Forms of `cvta` are among them.
        ("cvt", &[Family::Approximate, Family::Images][..]),
        (
            "mov.b32 pack 2",
            &[Family::Approximate, Family::Single, Family::Branched, Family::Images],
        ),
        ("ex2.approx.f32", &[Family::Straight, Family::Single, Family::Branched, Family::Images]),
        ("add", &[Family::Approximate, Family::Single, Family::Branched, Family::Images]),
        ("atom", &[Family::Straight, Family::Approximate, Family::Images]),
        ("tex", &[Family::Straight, Family::Approximate, Family::Single, Family::Branched]),
        ("", &[]),
    ] {
        let plan = plan(begin, &[]).unwrap();
        let missing = Family::ALL.iter().filter(|family| !plan.families.contains(family));
        assert_eq!(missing.copied().collect::<Vec<_>>(), without, "{begin}");
        for family in plan.families {
            let batch = Batch::drawn(family, &plan.forms, 1, 0, 32);
            assert_eq!(batch.programs.len(), 32);
        }
    }
    let refused = |begin, asked: &[Family]| plan(begin, asked).map(|_| ()).unwrap_err();
    assert_eq!(refused("nothing", &[]), "there is no form to draw from");
    assert_eq!(
        refused("cvt", &[Family::Approximate]),
        "there is no form for programs of `approximate`"
    );
}

#[test]
fn programs_that_do_more_than_compute_come_to_the_same_under_every_schedule() {
    let (forms, table) = (Forms::of_the_table(), operands::table(21));
    for family in WITH_MORE {
        let batch = Batch::drawn(family, &forms, 21, 0, cases(6, 60));
        let in_order = simulated(&batch, &table).unwrap();
        for schedule in ["reverse", "random:1", "random:2"] {
            let other = simulated_under(&batch, &table, schedule).unwrap();
            assert!(in_order == other, "{} under {schedule}", family.name());
        }
    }
}

#[test]
fn programs_that_do_more_than_compute_are_free_of_races_and_of_mistakes_with_barriers() {
    let (forms, table) = (Forms::of_the_table(), operands::table(22));
    let bytes: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    // Images are not looked at here yet.
    for family in STRUCTURED.into_iter().chain([Family::Branched]) {
        for index in 0..cases(2, 40) {
            let batch = Batch::drawn(family, &forms, 22, index, 1);
            let mut gpu = Simulator::default();
            gpu.settings_mut().checking = Some(Checking::default());
            let module = gpu.load(&parsed(&batch).unwrap()).unwrap();
            let operands = gpu.allocate(bytes.len() as u64).unwrap();
            gpu.upload(operands, &bytes).unwrap();
            let words = batch.words() * 8;
            let out = gpu.allocate(words as u64).unwrap();
            gpu.upload(out, &vec![0; words]).unwrap();
            let written = &batch.written[0];
            let (arguments, _) = written.arguments(&mut gpu, [operands, out]).unwrap();
            for kernel in written.kernels("p0") {
                let report = gpu.launch(module, &kernel, &written.launch, &arguments).unwrap();
                assert_eq!(report.outcome, Outcome::Completed, "{} {index}", family.name());
                let bad: Vec<_> =
                    report.findings.iter().filter(|f| f.severity > Severity::Note).collect();
                assert!(bad.is_empty(), "{}:22:{index}: {:#?}", family.name(), bad[0]);
            }
        }
    }
}

#[test]
fn the_simulator_gives_what_a_gpu_answered_for_the_recorded_seed() {
    let recording = Recording::parse(include_str!("../../recordings/differential.json")).unwrap();
    let (forms, table) = (recording.forms(), operands::table(recording.seed));
    assert_eq!(recording.families.len(), 6, "all families whose bits are defined");
    for (family, programs) in &recording.families {
        assert!(programs.len() >= 250, "{}", family.name());
        // In a small run every other batch.
        for recorded in programs.chunks(32).step_by(cases(2, 1)) {
            let batch = recording.batch(*family, &forms, recorded);
            let different = replay::against(recorded, &batch, &table).unwrap();
            let name = family.name();
            let first = recorded[0].index;
            assert!(different.is_empty(), "{name} from {first}: {different:?}");
        }
    }
}
