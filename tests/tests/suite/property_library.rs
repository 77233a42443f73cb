//! Property testing of kernels: what each property finds, how small it gets, and the test from a
//! failure, to be pasted into a file. The chapter "Testing a kernel in CI without a GPU" quotes the
//! tests here, and shows what they print.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use warpsim::host::{Launch, Model};
use warpsim::property::{
    Case, Counterexample, Evidence, Failure, Kernel, Mistake, Value, Wrong, buffer, cases, expect,
    launch, scalar, schedules,
};
use warpsim::report::{Code, Outcome};
use warpsim_effort as effort;

fn reverse(kernel: &str) -> Kernel {
    Kernel::from_ptx(include_str!("../../property/reverse.ptx"), kernel)
        .included_from("../../property/reverse.ptx")
        .launch(launch().blocks(1..=4).threads(1..=128))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<i32>().one_per_thread())
        .cases(16)
}

fn add_one(kernel: &str) -> Kernel {
    Kernel::from_ptx(include_str!("../../property/add_one.ptx"), kernel)
        .included_from("../../property/add_one.ptx")
        .launch(launch().threads(1..=128).blocks_to_cover(0))
        .argument(buffer::<u32>().lengths(1..=300).any())
        .argument(buffer::<u32>().same_length_as(0))
        .argument(scalar::<u32>().length_of(0))
        .cases(16)
}

fn waiting(kernel: &str) -> Kernel {
    Kernel::from_ptx(include_str!("../../property/flag.ptx"), kernel)
        .included_from("../../property/flag.ptx")
        .launch(launch().threads(1..=96))
        .cases(16)
}

fn scan(kernel: &str) -> Kernel {
    Kernel::from_file("../programs/src/volatile/scan32.ptx", kernel)
        .argument(buffer::<i32>().length(32).any())
        .argument(buffer::<i32>().length(32))
        .cases(4)
}

/// The oracle of `add_one`.
fn one_more(case: &Case) -> Result<warpsim::property::Expected, Mistake> {
    let numbers = case.buffer::<u32>(0)?;
    Ok(expect().buffer(1, numbers.into_iter().map(|number| number.wrapping_add(1))))
}

fn counterexample(tried: Result<Evidence, Failure>) -> Counterexample {
    match tried {
        Err(Failure::Counterexample(counterexample)) => *counterexample,
        Err(mistake) => panic!("{mistake}"),
        Ok(evidence) => panic!("nothing was found: {evidence}"),
    }
}

fn first_code(counterexample: &Counterexample) -> Code {
    match &counterexample.wrong {
        Wrong::Found(findings) | Wrong::Stopped { findings, .. } => findings[0].code,
        wrong => panic!("no finding: {wrong:?}"),
    }
}

/// What the book shows of a kernel that is right.
mod right {
    use super::*;

    #[test]
    fn reverse_is_race_free() -> Result<(), Failure> {
        reverse("reverse").race_free()?;
        Ok(())
    }

    #[test]
    fn reverse_reverses() -> Result<(), Failure> {
        reverse("reverse").matches(|case| {
            let numbers = case.buffer::<i32>(0)?;
            let blocks = numbers.chunks(case.launch.block[0] as usize);
            let reversed = blocks.flat_map(|block| block.iter().rev().copied());
            Ok(expect().buffer(1, reversed))
        })?;
        Ok(())
    }

    #[test]
    fn add_one_is_clean_for_every_length() -> Result<(), Failure> {
        add_one("add_one").clean()?;
        add_one("add_one").matches(one_more)?;
        Ok(())
    }

    #[test]
    fn waiting_ends_where_every_thread_goes_its_own_way() -> Result<(), Failure> {
        waiting("wait_for_even").argument(buffer::<u32>().length(1)).terminates()?;
        Ok(())
    }
}

#[test]
fn a_missing_barrier_races_with_two_threads_of_one_block() {
    let found = counterexample(reverse("reverse_racy").race_free());
    assert_eq!(first_code(&found), Code::Race);
    // One thread reads its own cell; with two, each reads the other's.
    assert_eq!(found.case.launch, Launch::new(1, 2));
    assert_eq!(found.schedule, "in-order");
    assert_eq!(found.case.buffer::<i32>(0), Ok(vec![0, 0]));
}

#[test]
fn the_data_is_made_smaller_where_the_data_decides() {
    // Two threads that write to one cell need equal numbers, and zeros are the simplest.
    let scatter = Kernel::from_ptx(include_str!("../../property/add_one.ptx"), "scatter")
        .launch(launch().threads(2..=64))
        .argument(buffer::<u32>().one_per_thread().between(0..=15))
        .argument(buffer::<u32>().length(16));
    let found = counterexample(scatter.race_free());
    assert_eq!(found.case.launch, Launch::new(1, 2));
    assert_eq!(found.case.buffer::<u32>(0), Ok(vec![0, 0]));

    // Numbers that three divides are left out from 6 on: 6 is the smallest, in a block of one.
    let threes = Kernel::from_ptx(include_str!("../../property/add_one.ptx"), "add_one_threes")
        .launch(launch().threads(1..=64))
        .argument(buffer::<u32>().one_per_thread().any())
        .argument(buffer::<u32>().one_per_thread());
    let found = counterexample(threes.matches(one_more));
    assert_eq!(found.case.launch, Launch::new(1, 1));
    assert_eq!(found.case.buffer::<u32>(0), Ok(vec![6]));
}

#[test]
fn the_volatile_scan_is_not_deterministic_and_the_schedules_differ_in_little() {
    let found = counterexample(scan("scan_volatile").deterministic());
    let Wrong::Differs(difference) = &found.wrong else { panic!("{:?}", found.wrong) };
    assert_ne!(difference.values[0], difference.values[1]);
    assert_eq!(difference.first, "in-order");
    assert!(found.schedule.parse::<warpsim::schedule::Replay>().is_ok(), "{}", found.schedule);
    // A scan of zeros is zeros under every schedule, and one number is enough to tell.
    let numbers = found.case.buffer::<i32>(0).unwrap();
    assert_eq!(numbers.iter().filter(|number| **number != 0).count(), 1, "{numbers:?}");
    scan("scan_volatile").model(Model::Lockstep).deterministic().unwrap();
    reverse("reverse").deterministic().unwrap();
}

#[test]
fn an_oracle_finds_the_number_that_is_left_out() {
    let found = counterexample(add_one("add_one_off").matches(one_more));
    let Wrong::Mismatch(mismatch) = &found.wrong else { panic!("{:?}", found.wrong) };
    // With one cell, the last one is the first: it stays 0 and should be 0 + 1.
    assert_eq!(found.case.arguments[0], Value::Buffer(warpsim::property::Cells::new([0u32])));
    assert_eq!(found.case.launch, Launch::new(1, 1));
    assert_eq!((mismatch.argument, mismatch.cell), (1, 0));
    assert_eq!((&*mismatch.expected, &*mismatch.found), ("1", "0"));
}

#[test]
fn two_barriers_that_wait_for_each_other_are_a_deadlock_of_two_warps() {
    let found = counterexample(waiting("two_barriers").terminates());
    assert!(matches!(found.wrong, Wrong::Stopped { outcome: Outcome::Deadlock, .. }));
    // One thread of one warp waits for ever already: 64 threads should arrive.
    assert_eq!(found.case.launch, Launch::new(1, 1));
}

#[test]
fn a_lock_in_a_warp_is_a_livelock_in_lockstep_with_two_lanes() {
    let lock = waiting("lock").argument(buffer::<u32>().length(1));
    let lock = lock.launch(launch().threads(1..=effort::cases(40, 96))).cases(effort::cases(6, 16));
    lock.terminates().unwrap();
    let found = counterexample(lock.model(Model::Lockstep).terminates());
    assert!(matches!(found.wrong, Wrong::Stopped { outcome: Outcome::Livelock, .. }));
    assert_eq!(found.case.launch, Launch::new(1, 2));
}

#[test]
fn a_tile_without_room_for_its_longer_rows_is_out_of_bounds_with_two_rows() {
    let tile = Kernel::from_ptx(include_str!("../../property/transpose.ptx"), "transpose")
        .launch(launch().block([1..=16, 1..=16, 1..=1]).grid_to_cover([2, 3]).shared_per_thread(4))
        .argument(buffer::<u32>().product_of([2, 3]).any())
        .argument(buffer::<u32>().product_of([2, 3]))
        .argument(scalar::<u32>().between(1..=40))
        .argument(scalar::<u32>().between(1..=40));
    let found = counterexample(tile.clean());
    assert_eq!(first_code(&found), Code::OutOfBounds);
    // With one column a row has two cells: the second row's first is the third of two.
    assert_eq!(
        found.case.launch,
        Launch { grid: [1, 1, 1], block: [1, 2, 1], shared: 8, ..Launch::default() }
    );
    assert_eq!((found.case.scalar::<u32>(2), found.case.scalar::<u32>(3)), (Ok(1), Ok(2)));
    assert_eq!(found.case.buffer::<u32>(0), Ok(vec![0, 0]));
}

#[test]
fn the_schedule_becomes_the_simplest_that_shows_it() {
    let drawn = reverse("reverse_racy").under(["pct:900", "random:901"]);
    assert_eq!(counterexample(drawn.clone().shrink_tries(0).race_free()).schedule, "pct:900");
    assert_eq!(counterexample(drawn.race_free()).schedule, "in-order");
}

#[test]
fn a_case_that_was_found_fails_again_and_is_all_that_is_tried() {
    let found = counterexample(reverse("reverse_racy").race_free());
    let again = reverse("reverse_racy").only(found.case.clone()).under([&*found.schedule]);
    let once_more = counterexample(again.race_free());
    assert_eq!((once_more.case, once_more.wrong), (found.case.clone(), found.wrong));
    let fixed = reverse("reverse").only(found.case).under([&*found.schedule]);
    assert_eq!(fixed.race_free().unwrap().runs, 1);
}

#[test]
fn the_same_seed_finds_the_same_and_evidence_says_what_was_tried() {
    let message = |seed| counterexample(reverse("reverse_racy").seed(seed).race_free()).to_string();
    assert_eq!(message(3), message(3));
    let evidence = reverse("reverse").seed(3).race_free().unwrap();
    assert_eq!(evidence, reverse("reverse").seed(3).race_free().unwrap());
    // 16 cases, each under four fixed schedules and two drawn ones.
    assert_eq!((evidence.cases, evidence.runs, evidence.schedules.len()), (16, 96, 4 + 32));
    assert_ne!(
        reverse("reverse").seed(4).race_free().unwrap().warp_instructions,
        evidence.warp_instructions
    );
}

#[test]
fn findings_that_are_allowed_pass_and_evidence_says_so() {
    assert_eq!(first_code(&counterexample(scan("scan_volatile").race_free())), Code::Unordered);
    let allowing = scan("scan_volatile").allow(Code::Unordered);
    assert_eq!(allowing.race_free().unwrap().allowed, [Code::Unordered]);
}

#[test]
fn a_launch_that_cannot_be_is_a_mistake_of_the_test() {
    let mistake = |kernel: Kernel| match kernel.clean() {
        Err(Failure::Mistake(mistake)) => mistake.to_string(),
        other => panic!("{other:?}"),
    };
    let kernel = || Kernel::from_ptx(include_str!("../../property/add_one.ptx"), "scatter");
    assert!(mistake(kernel()).contains("takes 2 arguments, got 0"));
    #[allow(clippy::reversed_empty_ranges, reason = "that is what the test is about")]
    let backwards = kernel().launch(launch().threads(9..=3));
    assert!(mistake(backwards).contains("is the range reversed"));
    let circular = kernel().launch(launch().blocks_to_cover(0)).argument(buffer::<u8>());
    assert!(mistake(circular).contains("does not follow the launch"));
    assert!(mistake(kernel().under(["sideways"])).contains("sideways"));
    assert!(mistake(kernel().cases(0)).contains("no case"));
    assert!(mistake(Kernel::from_file("nowhere.ptx", "k")).contains("nowhere.ptx"));
    assert!(mistake(Kernel::from_ptx("hello", "k")).contains("not PTX"));
}

/// Whether a run under proptest shows no race.
fn no_race(kernel: &str, case: &Case, schedule: &str) -> Result<(), TestCaseError> {
    let ran = reverse(kernel).run(case, schedule).unwrap();
    prop_assert!(ran.report.findings.iter().all(|finding| finding.code != Code::Race));
    Ok(())
}

proptest! {
    #![proptest_config(Config::with_cases(8))]
    #[test]
    fn a_proptest_of_ones_own_draws_launch_data_and_schedule(
        case in cases(
            launch().blocks(1..=3).threads(1..=70),
            [buffer::<i32>().any().into(), buffer::<i32>().into()],
        ),
        schedule in schedules(),
    ) {
        no_race("reverse", &case, &schedule)?;
    }
}

#[test]
fn a_proptest_of_ones_own_makes_launch_data_and_schedule_smaller() {
    let mut runner = TestRunner::new_with_rng(
        Config { failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    );
    let strategy = (reverse("reverse_racy").inputs(), schedules());
    let failed =
        runner.run(&strategy, |(case, schedule)| no_race("reverse_racy", &case, &schedule));
    let Err(TestError::Fail(_, (case, schedule))) = failed else { panic!("{failed:?}") };
    assert_eq!((case.launch, &*schedule), (Launch::new(1, 2), "in-order"));
    assert_eq!(case.buffer::<i32>(0), Ok(vec![0, 0]));
}
