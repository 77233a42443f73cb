//! What schedules promise: the default is fixed and fair, blocks hand over, only resident blocks
//! can wait for each other, and a run is a pure function of its inputs.

use warpsim::host::{Argument, DeviceProfile, Launch, Model, SharedInit};
use warpsim::observe::Trace;
use warpsim::report::Outcome;
use warpsim_tests::launching::Bench;

/// Instructions of warps that a launch without an end runs at most before it is ended, 14.4 million
/// under `reverse`: about a second. Time itself would judge how busy the machine is.
const SOON: u64 = 20_000_000;

const SCHEDULES: [&str; 4] = ["in-order", "reverse", "random:0", "random:7"];

fn kernel(body: &str) -> String {
    format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n.shared .align 4 .u32 s[64];\n\
         .visible .entry k(.param .u64 out) {{\n.reg .pred %p<4>; .reg .u32 %t, %b, %n, %v, %w; .reg .u64 %m, %o;\n\
         ld.param.u64 %m, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %nctaid.x;\n{body}\nret;\n}}"
    )
}

/// Launches and gives the outcome and the buffer.
fn left(bench: &mut Bench, launch: &Launch, cells: &[u32]) -> (Outcome, Vec<u32>) {
    let out = bench.buffer(cells);
    let report = bench.launch("k", launch, &[out.into()]);
    (report.outcome, bench.read(out))
}

#[test]
fn a_warp_that_spins_for_a_later_or_an_earlier_warp_gets_its_wish() {
    for (setter, spinner) in [(0, 1), (1, 0), (3, 0), (0, 3)] {
        let body = format!(
            "shr.u32 %w, %t, 5;\nsetp.eq.u32 %p1, %w, {setter};\nsetp.eq.u32 %p2, %w, {spinner};\n\
             @%p1 st.volatile.shared.u32 [s], 5;\n@!%p2 bra done;\nagain:\nld.volatile.shared.u32 %v, [s];\n\
             setp.ne.u32 %p3, %v, 5;\n@%p3 bra again;\nst.global.u32 [%m], %v;\ndone:"
        );
        for schedule in SCHEDULES {
            for model in [Model::Independent, Model::Lockstep] {
                let mut bench =
                    Bench::of_text("spin.ptx", &kernel(&body)).under(model).scheduled(schedule);
                let found = left(&mut bench, &Launch::new(1, 128), &[0]);
                assert_eq!(
                    found,
                    (Outcome::Completed, vec![5]),
                    "{schedule} {setter} for {spinner}"
                );
            }
        }
    }
}

/// Block `consumer` waits for a flag that the other of two blocks sets.
fn hand_over(consumer: u32) -> String {
    kernel(&format!(
        "setp.eq.u32 %p1, %b, {consumer};\n@%p1 bra again;\nst.global.u32 [%m+4], 77;\n\
         st.release.gpu.global.u32 [%m], 1;\nbra done;\nagain:\nld.acquire.gpu.global.u32 %v, [%m];\n\
         setp.eq.u32 %p2, %v, 0;\n@%p2 bra again;\nld.global.u32 %w, [%m+4];\nst.global.u32 [%m+8], %w;\ndone:"
    ))
}

#[test]
fn a_block_that_waits_for_another_hands_over() {
    for consumer in [0, 1] {
        for schedule in SCHEDULES {
            let mut bench = Bench::of_text("flag.ptx", &hand_over(consumer)).scheduled(schedule);
            let found = left(&mut bench, &Launch::new(2, 32), &[0; 3]);
            assert_eq!(found, (Outcome::Completed, vec![1, 77, 77]), "{schedule} {consumer}");
        }
    }
}

/// A barrier of the whole grid: the last block to arrive lets all go.
fn grid_barrier() -> String {
    kernel(
        "setp.ne.u32 %p1, %t, 0;\n@%p1 bra done;\natom.global.add.u32 %v, [%m], 1;\nagain:\n\
         ld.volatile.global.u32 %v, [%m];\nsetp.lt.u32 %p2, %v, %n;\n@%p2 bra again;\nred.global.add.u32 [%m+4], 1;\ndone:",
    )
}

fn small_device(multiprocessors: u32, blocks_per_multiprocessor: u32) -> DeviceProfile {
    let mut profile = DeviceProfile::h200();
    profile.multiprocessors = multiprocessors;
    profile.blocks_per_multiprocessor = blocks_per_multiprocessor;
    profile
}

#[test]
fn blocks_that_are_not_resident_cannot_be_waited_for() {
    let module = warpsim::ptx::parse("grid.ptx", &grid_barrier()).expect("valid");
    for (blocks, outcome) in [(4, Outcome::Completed), (5, Outcome::Livelock)] {
        for schedule in ["in-order", "reverse"] {
            let mut bench = Bench::on(small_device(2, 2), module.clone()).scheduled(schedule);
            let (found, cells) = left(&mut bench, &Launch::new(blocks, 32), &[0; 2]);
            assert_eq!(found, outcome, "{schedule} {blocks}");
            let passed = if outcome == Outcome::Completed { blocks } else { 0 };
            assert_eq!(cells, [blocks.min(4), passed], "{schedule}");
        }
    }
    // On a device where all are resident the same launch completes.
    let mut bench = Bench::on(DeviceProfile::h200(), module);
    assert_eq!(left(&mut bench, &Launch::new(5, 32), &[0; 2]), (Outcome::Completed, vec![5, 5]));
}

#[test]
fn a_multiprocessor_holds_as_many_blocks_as_its_threads_and_its_shared_memory_allow() {
    let module = warpsim::ptx::parse("grid.ptx", &grid_barrier()).expect("valid");
    let mut by_threads = DeviceProfile::h200();
    by_threads.multiprocessors = 1;
    let mut by_shared = by_threads.clone();
    by_threads.threads_per_multiprocessor = 96;
    by_shared.shared_per_multiprocessor = 3 * 1024;
    let dynamic = Launch { shared: 1024, ..Launch::new(1, 32) };
    for (profile, launch) in [(by_threads, Launch::new(1, 32)), (by_shared, dynamic)] {
        for (blocks, outcome) in [(3, Outcome::Completed), (4, Outcome::Livelock)] {
            let mut bench = Bench::on(profile.clone(), module.clone());
            let launch = Launch { grid: [blocks, 1, 1], ..launch };
            assert_eq!(left(&mut bench, &launch, &[0; 2]).0, outcome, "{profile:?} {blocks}");
        }
    }
}

#[test]
fn the_volatile_scan_is_right_in_order_and_wrong_in_reverse() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus/nvrtc13-sm80-O3/k02_scan_volatile.ptx");
    let right: Vec<u32> = (1..=32).map(|n| n * (n + 1) / 2).collect();
    let left = |model, schedule: &str| {
        let mut bench = Bench::of_file(&path).under(model).scheduled(schedule);
        // Who runs first reads what the others have not written yet: that is the point.
        bench.undefined_is_fine = true;
        let input: Vec<u32> = (1..=32).collect();
        let (out, input) = (bench.buffer(&[0u32; 32]), bench.buffer(&input));
        bench.run("scan_volatile", &Launch::new(1, 32), &[out.into(), input.into()]);
        bench.read(out)
    };
    assert_eq!(left(Model::Independent, "in-order"), right);
    assert_ne!(left(Model::Independent, "reverse"), right);
    assert!((0..4).any(|seed| left(Model::Independent, &format!("random:{seed}")) != right));
    for schedule in SCHEDULES {
        assert_eq!(left(Model::Lockstep, schedule), right, "{schedule}");
    }
}

#[test]
fn the_same_launch_twice_is_the_same_step_by_step() {
    let body = "red.global.add.u32 [%m], %t;\nand.b32 %v, %t, 3;\nsetp.eq.u32 %p1, %v, 2;\n@%p1 bra skip;\n\
                atom.global.exch.b32 %w, [%m+4], %t;\nst.global.u32 [%m+8], %w;\nskip:\nbar.sync 0;\nst.global.u32 [%m+12], %b;";
    for schedule in SCHEDULES {
        for model in [Model::Independent, Model::Lockstep] {
            let once = || {
                let mut bench =
                    Bench::of_text("twice.ptx", &kernel(body)).under(model).scheduled(schedule);
                let out = bench.buffer(&[0u32; 4]);
                let arguments: [Argument; 1] = [out.into()];
                let mut trace = Trace::new();
                let launch = Launch::new(3, 64);
                let report =
                    bench.gpu.launch_observed(bench.handle, "k", &launch, &arguments, &mut trace);
                (report.expect("starts"), bench.read(out), trace.steps().to_vec())
            };
            assert!(once() == once(), "{schedule} {}", model.name());
        }
    }
}

#[test]
fn what_is_left_over_in_shared_memory_belongs_to_the_multiprocessor() {
    // Each block reads what it finds, and leaves its number. Block b lives on multiprocessor b mod
    // 2.
    let body = "ld.shared.u32 %v, [s];\nadd.u32 %w, %b, 100;\nst.shared.u32 [s], %w;\nmul.wide.u32 %o, %b, 4;\n\
                add.u64 %o, %o, %m;\nst.global.u32 [%o], %v;";
    let module = warpsim::ptx::parse("left.ptx", &kernel(body)).expect("valid");
    let profile = small_device(2, 1);
    let mut bench = Bench::on(profile, module);
    bench.gpu.settings_mut().shared_init = SharedInit::Leftover;
    let first = left(&mut bench, &Launch::new(5, 1), &[0; 5]);
    assert_eq!(first, (Outcome::Completed, vec![0, 0, 100, 101, 102]));
    // The next launch finds what the last blocks of the first one left: 4 on the first, 3 on the
    // second.
    let second = left(&mut bench, &Launch::new(3, 1), &[0; 3]);
    assert_eq!(second, (Outcome::Completed, vec![104, 103, 100]));
}

#[test]
fn shared_memory_starts_as_it_was_asked_to() {
    let body = "ld.shared.u32 %v, [s];\nmul.wide.u32 %o, %b, 4;\nadd.u64 %o, %o, %m;\nst.global.u32 [%o], %v;";
    let found = |init| {
        let mut bench = Bench::of_text("init.ptx", &kernel(body));
        bench.gpu.settings_mut().shared_init = init;
        left(&mut bench, &Launch::new(2, 1), &[1; 2]).1
    };
    assert_eq!(found(SharedInit::Zero), [0, 0]);
    assert_eq!(found(SharedInit::Poison), [0xa5a5_a5a5; 2]);
    assert_eq!(found(SharedInit::Random(3)), found(SharedInit::Random(3)));
    assert_ne!(found(SharedInit::Random(3)), found(SharedInit::Random(4)));
    let one = found(SharedInit::Random(3));
    assert_ne!(one[0], one[1], "each block has its own bytes");
}

#[test]
fn a_loop_that_nobody_can_notice_ends_the_launch_soon_however_large_the_grid() {
    // Block 3 alone loops, through a cycle of registers and local memory; the others end.
    let round = "setp.ne.u32 %p1, %b, 3;\n@%p1 bra done;\n.local .align 4 .u32 x;\nagain:\n\
                 add.u32 %v, %v, 1;\nand.b32 %v, %v, 7;\nst.local.u32 [x], %v;\nld.local.u32 %w, [x];\n\
                 bra again;\ndone:";
    // Random schedules split the lanes, so that their places need not repeat for long.
    for schedule in ["in-order", "reverse"] {
        for model in [Model::Independent, Model::Lockstep] {
            let mut bench =
                Bench::of_text("round.ptx", &kernel(round)).under(model).scheduled(schedule);
            let out = bench.buffer(&[0u32]);
            let report = bench.launch("k", &Launch::new(200, 256), &[out.into()]);
            assert_eq!(report.outcome, Outcome::Livelock, "{schedule} {model:?}");
            let steps = report.counts.warp_instructions;
            assert!(steps < SOON, "{schedule} {model:?}: {steps} instructions of warps");
        }
    }
}

#[test]
fn a_long_loop_that_ends_is_not_taken_for_an_endless_one() {
    let count = "mov.u32 %v, 0;\nagain:\nadd.u32 %v, %v, 1;\nand.b32 %w, %v, 7;\n\
                 setp.lt.u32 %p1, %v, 300000;\n@%p1 bra again;\nst.global.u32 [%m], %v;";
    for schedule in ["in-order", "random:1"] {
        let mut bench = Bench::of_text("count.ptx", &kernel(count)).scheduled(schedule);
        let found = left(&mut bench, &Launch::new(2, 64), &[0]);
        assert_eq!(found, (Outcome::Completed, vec![300_000]), "{schedule}");
    }
}
