//! What `count-sixes`, `find-max`, `last-block` and `votes` are there to show.

use warpsim::host::{DeviceError, DeviceProfile, Simulator};
use warpsim_programs::{Asked, Form, Numbers, Program, RunError, Soundness, Told, find};

/// Schedules that no program of the repository is made for.
const SCHEDULES: [&str; 6] =
    ["in-order", "reverse", "random:1", "random:2", "random:3", "adversarial"];

/// What a variant computes from its example under a schedule.
fn under(schedule: &str, program: &Program, variant: &str) -> Result<Numbers, RunError> {
    let mut simulator = Simulator::default();
    simulator.settings_mut().schedule = schedule.parse().unwrap();
    let module = program.module(Form::Naive)?;
    let variant = program.variant(variant).unwrap();
    program.run(&mut simulator, &module, variant, &program.example_input())
}

#[test]
fn the_racy_count_loses_sixes_and_the_others_lose_none() {
    let program = find("count-sixes").unwrap();
    let input = program.example_input();
    let sixes = input.iter().filter(|&&number| number == 6).count() as f64;
    assert_eq!((input.len(), sixes), (1000, 156.0));
    let mut racy = Vec::new();
    for schedule in SCHEDULES {
        racy.push(under(schedule, program, "racy").unwrap().floats()[0]);
        for variant in ["each", "barrier", "atomic"] {
            assert_eq!(under(schedule, program, variant).unwrap().floats(), [sixes], "{schedule}");
        }
    }
    assert!(racy.iter().all(|count| (1.0..=sixes).contains(count)), "{racy:?}");
    assert!(racy[0] < sixes / 10.0, "in order all threads of a warp read before one writes");
    racy.dedup();
    assert!(racy.len() > 2, "how many are lost depends on the schedule: {racy:?}");
}

/// What the report of `find-max` says on a device with so much memory.
fn sweep(memory: u64, n: u64) -> Result<String, RunError> {
    let Told::Report(reporting) = find("find-max").unwrap().told else { panic!("it reports") };
    let mut profile = DeviceProfile::h200();
    profile.global_memory = memory;
    let asked = Asked { n: Some(n), sweep: true, ..Asked::default() };
    (reporting.report)(&mut Simulator::new(profile), &asked)
}

#[test]
fn a_sweep_takes_a_time_for_each_number_of_threads_and_less_for_more_lanes() {
    let report = sweep(1 << 30, 1 << 12).unwrap();
    let (_, table) = report.split_once("\n\n").unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split_whitespace().collect()).collect();
    let threads: Vec<u32> = rows[1..].iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(threads, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    let bar = |row: &Vec<&str>| row.last().unwrap().len();
    assert_eq!(bar(&rows[1]), 50, "the longest of the plot");
    // Twice the lanes of a warp that is not full take half the time, and a little more.
    assert!((25..=27).contains(&bar(&rows[2])) && (12..=14).contains(&bar(&rows[3])), "{report}");
    let steps = |row: &Vec<&str>| row[2].parse::<u64>().unwrap();
    let fall = steps(&rows[1]) / steps(&rows[10]);
    assert!((60..512).contains(&fall), "{fall}: a thread of 1024 looks at 4 numbers, not at 2048");
}

#[test]
fn numbers_take_4_bytes_each_and_the_result_4_and_less_memory_is_refused() {
    let n = 5000;
    assert!(sweep(4 * n + 4, n).is_ok());
    for (memory, requested, available) in [(4 * n + 3, 4, 3), (4 * n - 1, 4 * n, 4 * n - 1)] {
        let refused = DeviceError::OutOfMemory { requested, available };
        assert_eq!(sweep(memory, n), Err(RunError::Device(refused)));
    }
}

#[test]
fn a_look_before_the_write_loses_the_largest() {
    let program = find("find-max").unwrap();
    let found = |schedule, variant| under(schedule, program, variant).unwrap().floats()[0];
    for schedule in SCHEDULES {
        assert_eq!(found(schedule, "atomic"), 1000.0, "{schedule}");
    }
    assert!(SCHEDULES.iter().any(|schedule| found(schedule, "racy") < 1000.0));
}

#[test]
fn the_last_block_is_exact_in_any_order_of_blocks_and_again_when_run_twice() {
    let program = find("last-block").unwrap();
    for schedule in SCHEDULES {
        let sums = under(schedule, program, "fences").unwrap();
        assert_eq!(sums.floats(), [500_500.0, 500_500.0], "{schedule}");
    }
}

#[test]
fn two_blocks_that_draw_one_ticket_leave_nobody_to_be_last() {
    let program = find("last-block").unwrap();
    let seeds = (0..40).map(|seed| format!("random:{seed}"));
    let mut wrong = seeds.filter(|seed| {
        let sums = under(seed, program, "plain-ticket").unwrap();
        sums.floats().contains(&0.0)
    });
    assert!(wrong.next().is_some(), "no schedule of 40 has two blocks read the same count");
}

#[test]
fn threads_that_do_not_wait_for_the_flag_leave_out_the_last_step() {
    let program = find("last-block").unwrap();
    let sums: Vec<Numbers> =
        SCHEDULES.iter().map(|s| under(s, program, "no-barrier").unwrap()).collect();
    assert!(sums.iter().any(|sums| sums.floats() != [500_500.0, 500_500.0]), "{sums:?}");
}

#[test]
fn a_count_of_votes_is_of_those_that_are_not_zero_whatever_they_are() {
    let program = find("votes").unwrap();
    let module = program.module(Form::Naive).unwrap();
    let run = |name: &str, input: &[i32]| {
        let variant = program.variant(name).unwrap();
        program.run(&mut Simulator::default(), &module, variant, input).unwrap().floats()
    };
    let seven = [vec![7, -1, i32::MIN, 256, 0], vec![0; 91]].concat();
    assert_eq!(run("block", &seven)[..3], [4.0, 0.0, 1.0]);
    assert_eq!(run("block", &[2; 96])[..3], [96.0, 1.0, 1.0]);
    assert_eq!(run("block", &[0; 96])[..3], [0.0, 0.0, 0.0]);
    assert_eq!(run("warp", &seven)[..3], [1.0, 0.0, 15.0]);
    // The 92 that are added are zeros: they vote for no among the even ones, and none is odd.
    assert_eq!(run("sides", &[2, 3, 4, 5])[..6], [1.0, 0.0, 5.0, 1.0, 1.0, 10.0]);
}

#[test]
fn votes_without_a_mask_are_of_those_who_happen_to_be_there() {
    let program = find("votes-unmasked").unwrap();
    let input = program.example_input();
    for variant in program.variants {
        assert_eq!(variant.soundness, Soundness::Unmasked);
        let right = program.oracle(variant, &input);
        assert_eq!(under("in-order", program, variant.name).unwrap(), right);
        // One lane after the other: each has only its own vote, in its own bit.
        let alone = under("reverse", program, variant.name).unwrap().floats();
        let own = |(i, vote): (usize, &i32)| {
            let yes = f64::from(u8::from(*vote != 0));
            [yes, yes, yes * f64::from(1u32 << (i % 32))]
        };
        let expected: Vec<f64> = input.iter().enumerate().flat_map(own).collect();
        assert_eq!(alone, expected);
    }
}
