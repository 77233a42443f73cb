//! Every variant of every program against its oracle: right where it claims to be, wrong where it
//! claims to be.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use warpsim::host::{DeviceProfile, Model, SharedInit, Simulator};
use warpsim::passes;
use warpsim::ptx::Module;
use warpsim_effort::cases;
use warpsim_programs::{Form, Length, Numbers, Program, Soundness, Variant, all, find};

/// The circumstances of a run.
#[derive(Clone, Copy, Debug)]
struct Setting {
    model: Model,
    schedule: &'static str,
    shared_init: SharedInit,
    cached: bool,
}

const AS_USUAL: Setting = Setting {
    model: Model::Independent,
    schedule: "in-order",
    shared_init: SharedInit::Zero,
    cached: false,
};

fn run(program: &Program, variant: &Variant, form: Form, input: &[i32], at: Setting) -> Numbers {
    let mut simulator = Simulator::new(DeviceProfile::h200());
    let settings = simulator.settings_mut();
    settings.model = at.model;
    settings.schedule = at.schedule.parse().unwrap();
    settings.shared_init = at.shared_init;
    let module = program.module(form).unwrap();
    let module = if at.cached { cached(&module) } else { module };
    program.run(&mut simulator, &module, variant, input).unwrap()
}

fn cached(module: &Module) -> Module {
    passes::by_name("register-cache").unwrap()(module).unwrap().module
}

fn variants() -> impl Iterator<Item = (&'static Program, &'static Variant)> {
    all().iter().flat_map(|program| program.variants.iter().map(move |variant| (*program, variant)))
}

/// Fails unless a result is right.
fn expect_right(
    (program, variant): (&Program, &Variant),
    input: &[i32],
    result: &Numbers,
    at: &dyn std::fmt::Debug,
) -> Result<(), TestCaseError> {
    let expected = program.oracle(variant, input);
    let is_right = program.is_right(result, &expected);
    prop_assert!(is_right, "{} {:?}: {:?}, not {:?}", variant.name, at, result, expected);
    Ok(())
}

/// All variants but those that are wrong on purpose.
fn meant_to_be_right() -> impl Iterator<Item = (&'static Program, &'static Variant)> {
    variants().filter(|(_, variant)| !matches!(variant.soundness, Soundness::Faulty(_)))
}

fn with(soundness: Soundness) -> impl Iterator<Item = (&'static Program, &'static Variant)> {
    variants().filter(move |(_, variant)| variant.soundness == soundness)
}

/// An input that the program takes, of a length up to `longest`.
fn input(program: &Program, longest: usize) -> BoxedStrategy<Vec<i32>> {
    let (least, most) = program.values.clone().into_inner();
    // What is no number like any other is a size.
    let is_size = (least, most) != (i32::MIN, i32::MAX);
    let values = if is_size { least..=most.min(longest as i32) } else { least..=most };
    match program.length {
        Length::Exactly(n) => prop::collection::vec(values, n).boxed(),
        Length::AtMost(_) => prop::collection::vec(values, 0..longest).boxed(),
    }
}

/// Runs a property on inputs of a program.
fn for_inputs(
    program: &Program,
    cases: u32,
    longest: usize,
    property: impl Fn(&[i32]) -> Result<(), TestCaseError>,
) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    if let Err(error) = runner.run(&input(program, longest), |input| property(&input)) {
        panic!("{}: {error}", program.name);
    }
}

#[test]
fn as_written_every_variant_is_right_for_any_input() {
    for (program, variant) in meant_to_be_right() {
        for_inputs(program, cases(12, 100), 4000, |input| {
            let result = run(program, variant, Form::Naive, input, AS_USUAL);
            expect_right((program, variant), input, &result, &Form::Naive)
        });
    }
}

#[test]
fn what_does_not_depend_on_the_compiler_is_right_in_both_forms_and_with_the_pass() {
    for (program, variant) in
        meant_to_be_right().filter(|(_, v)| v.soundness != Soundness::AsWritten)
    {
        for_inputs(program, cases(4, 32), 3000, |input| {
            for &(form, _) in program.ptx {
                for cached in [false, true] {
                    let result = run(program, variant, form, input, Setting { cached, ..AS_USUAL });
                    expect_right((program, variant), input, &result, &form)?;
                }
            }
            Ok(())
        });
    }
}

#[test]
fn synchronised_variants_are_right_under_every_schedule_and_whatever_shared_memory_holds() {
    let schedules = ["in-order", "reverse", "random:1", "random:2", "random:3"];
    for (program, variant) in with(Soundness::Synchronised) {
        for_inputs(program, cases(1, 8), cases(1300, 2500), |input| {
            for schedule in schedules {
                for model in [Model::Independent, Model::Lockstep] {
                    for cached in [false, true] {
                        let shared_init = SharedInit::Poison;
                        let at = Setting { model, schedule, shared_init, cached };
                        let result = run(program, variant, Form::Naive, input, at);
                        expect_right((program, variant), input, &result, &at)?;
                    }
                }
            }
            Ok(())
        });
    }
}

#[test]
fn lengths_around_the_sizes_of_warps_and_blocks_are_right() {
    let lengths = [0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 2047, 2049];
    for (program, variant) in meant_to_be_right() {
        for length in lengths.into_iter().filter(|length| program.length.allows(*length)) {
            let first = 1.max(*program.values.start());
            let input: Vec<i32> = (first..).take(length).collect();
            let result = run(program, variant, Form::Naive, &input, AS_USUAL);
            expect_right((program, variant), &input, &result, &length).unwrap();
        }
    }
}

#[test]
fn no_program_compares_a_wrong_result_as_right() {
    for program in all() {
        let input = (program.inputs.checked)();
        let right = program.oracle(&program.variants[0], &input);
        assert!(program.is_right(&right, &right), "{}", program.name);
        let mut wrong = right.clone();
        let last = wrong.bytes.len() - 1;
        wrong.bytes[last] ^= 0x40;
        assert!(!program.is_right(&wrong, &right), "{}", program.name);
    }
}

#[test]
fn a_scan_of_more_than_1024_blocks_goes_down_a_second_level() {
    let scan = find("scan").unwrap();
    let input: Vec<i32> = (0..1024 * 1024 + 1).map(|i| i % 7 - 3).collect();
    let variant = scan.variant("syncwarp").unwrap();
    assert_eq!(run(scan, variant, Form::Optimised, &input, AS_USUAL), scan.oracle(variant, &input));
}

#[test]
fn variants_that_need_every_access_are_wrong_once_values_are_kept_in_registers() {
    for (program, variant) in with(Soundness::AsWritten) {
        let input = program.example_input();
        let right = program.oracle(variant, &input);
        let by_pass = Setting { cached: true, ..AS_USUAL };
        assert_ne!(run(program, variant, Form::Naive, &input, by_pass), right, "{}", program.name);
        assert_ne!(run(program, variant, Form::Optimised, &input, AS_USUAL), right);
    }
}

#[test]
fn the_pass_goes_wrong_just_as_the_optimising_compiler_does() {
    for (program, variant) in with(Soundness::AsWritten) {
        let input = program.example_input();
        let by_pass = Setting { cached: true, ..AS_USUAL };
        assert_eq!(
            run(program, variant, Form::Naive, &input, by_pass),
            run(program, variant, Form::Optimised, &input, AS_USUAL),
            "{}",
            program.name
        );
    }
}

#[test]
fn warp_synchronous_variants_are_wrong_when_the_highest_lane_runs_first() {
    for (program, variant) in
        meant_to_be_right().filter(|(_, v)| v.soundness != Soundness::Synchronised)
    {
        let input = program.example_input();
        let at = Setting { schedule: "reverse", ..AS_USUAL };
        let result = run(program, variant, Form::Naive, &input, at);
        assert_ne!(result, program.oracle(variant, &input), "{} {}", program.name, variant.name);
    }
}

#[test]
fn under_lockstep_no_schedule_makes_warp_synchronous_variants_wrong() {
    for (program, variant) in meant_to_be_right() {
        let input = program.example_input();
        for schedule in ["reverse", "random:1", "random:2"] {
            let at = Setting { model: Model::Lockstep, schedule, ..AS_USUAL };
            let result = run(program, variant, Form::Naive, &input, at);
            expect_right((program, variant), &input, &result, &at).unwrap();
        }
    }
}

#[test]
fn the_cached_scan_returns_its_input_when_shared_memory_held_zeros() {
    let volatile = find("volatile").unwrap();
    let input: Vec<i32> = (1..=32).collect();
    let at = Setting { cached: true, ..AS_USUAL };
    let result = run(volatile, volatile.variant("plain").unwrap(), Form::Naive, &input, at);
    assert_eq!(result, input.into());
}

#[test]
fn an_input_of_a_length_that_the_program_does_not_take_is_refused() {
    let volatile = find("volatile").unwrap();
    let mut simulator = Simulator::new(DeviceProfile::h200());
    let module = volatile.module(Form::Naive).unwrap();
    let error =
        volatile.run(&mut simulator, &module, &volatile.variants[0], &[1, 2, 3]).unwrap_err();
    assert_eq!(error.to_string(), "the program takes exactly 32 numbers, and got 3");
}

/// The rows of `tests/hardware/README.md`: program, variants, right in the naive form at level 0,
/// right in the optimised form.
fn hardware_rows() -> Vec<(String, Vec<String>, bool, bool)> {
    let page = include_str!("../../hardware/README.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [program, variants, naive, _, optimised] = cells.as_slice() else { panic!("{line}") };
        let names = variants.split(", ").map(|name| name.trim_matches('`').to_owned());
        let right = |cell: &&str| **cell == *"right";
        (program.trim_matches('`').to_owned(), names.collect(), right(naive), right(optimised))
    };
    rows.map(row).collect()
}

#[test]
fn every_variant_is_right_and_wrong_where_an_h200_found_it_right_and_wrong() {
    let mut compared = 0;
    for (program, names, naive, optimised) in hardware_rows() {
        let program = find(&program).unwrap();
        let input = program.example_input();
        for name in names {
            let variant = program.variant(&name).unwrap();
            for (form, on_hardware) in [(Form::Naive, naive), (Form::Optimised, optimised)] {
                let right = run(program, variant, form, &input, AS_USUAL)
                    == program.oracle(variant, &input);
                assert_eq!(right, on_hardware, "{} {name} {form:?}", program.name);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 20, "the page has 10 variants, in both forms");
}
