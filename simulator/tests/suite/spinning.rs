//! Threads that spin, and lanes that wait for others where their ways join.
//!
//! The bounds on counts come from the programs: how often each thread has to look until it is its
//! turn, and what `lockstep` executes for code in which lanes diverge.

use warpsim::host::{Argument, Device, Launch, Model, Simulator};
use warpsim::report::{Outcome, Report};

/// The report of a launch of `k` with a buffer of words, and what the buffer holds then.
fn run(text: &str, launch: &Launch, schedule: &str, model: Model) -> (Report, Vec<u32>) {
    let mut gpu = Simulator::default();
    gpu.settings_mut().schedule = schedule.parse().unwrap();
    gpu.settings_mut().model = model;
    gpu.settings_mut().max_steps = 2_000_000;
    let module = gpu.load(&warpsim::ptx::parse("k.ptx", text).unwrap()).unwrap();
    let mut bytes = vec![0; 4 * 4096];
    let out = gpu.allocate(bytes.len() as u64).unwrap();
    gpu.upload(out, &bytes).unwrap();
    let report = gpu.launch(module, "k", launch, &[Argument::Pointer(out)]).unwrap();
    gpu.download(out, &mut bytes).unwrap();
    let words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    (report, words.collect())
}

/// A kernel: `%i` is the number of the thread in the grid, `%n` the number of threads, `%a` the
/// buffer.
fn kernel(functions: &str, body: &str) -> String {
    format!(
        ".version 7.0 .target sm_70 .address_size 64 {functions}
        .visible .entry k(.param .u64 out) {{
          .reg .u32 %r<20>; .reg .u64 %d<8>; .reg .pred %p<8>; .reg .u32 %i, %n; .reg .u64 %a, %own;
          .local .align 8 .b8 depot[16]; .reg .u64 %SP, %SPL;
          mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
          ld.param.u64 %a, [out]; cvta.to.global.u64 %a, %a;
          mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mov.u32 %n, %nctaid.x;
          mad.lo.u32 %i, %r0, %r1, %r2; mul.lo.u32 %n, %n, %r1; mul.wide.u32 %own, %i, 4;
          add.u64 %own, %own, %a;
          {body} }}"
    )
}

/// A function as it is without optimisation: what it works with lies on its stack. It branches by
/// the lowest bit, and calls another.
const ON_THE_STACK: &str = ".func (.param .b32 rv) half(.param .b32 v) {
      .reg .u32 %r<4>; .reg .u64 %SP, %SPL; .local .align 8 .b8 depot[8];
      mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
      ld.param.u32 %r0, [v]; st.u32 [%SP], %r0; ld.u32 %r1, [%SP]; shr.u32 %r1, %r1, 1;
      st.u32 [%SP+4], %r1; ld.u32 %r2, [%SP+4]; st.param.b32 [rv], %r2; ret; }
    .func (.param .b32 rv) step(.param .b32 v) {
      .reg .u32 %r<8>; .reg .pred %p; .reg .u64 %SP, %SPL; .local .align 8 .b8 depot[8];
      mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
      ld.param.u32 %r0, [v]; st.u32 [%SP], %r0; ld.u32 %r1, [%SP]; and.b32 %r2, %r1, 1;
      setp.eq.u32 %p, %r2, 0; @%p bra even;
      ld.u32 %r3, [%SP]; mad.lo.u32 %r3, %r3, 1664525, 1013904223; st.u32 [%SP+4], %r3; bra end;
      even:
      { .param .b32 a; .param .b32 r; ld.u32 %r3, [%SP]; st.param.b32 [a], %r3;
        call (r), half, (a); ld.param.b32 %r3, [r]; }
      add.u32 %r3, %r3, 77; st.u32 [%SP+4], %r3;
      end:
      ld.u32 %r4, [%SP+4]; st.param.b32 [rv], %r4; ret; }";

/// A function that goes round a loop with what it counts on its stack.
const LONG: &str = ".func (.param .b32 rv) long(.param .b32 v) {
      .reg .u32 %r<8>; .reg .pred %p; .reg .u64 %SP, %SPL; .local .align 8 .b8 depot[8];
      mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
      ld.param.u32 %r0, [v]; st.u32 [%SP], %r0; st.u32 [%SP+4], 50;
      again:
      { .param .b32 a; .param .b32 r; ld.u32 %r3, [%SP]; st.param.b32 [a], %r3;
        call (r), step, (a); ld.param.b32 %r3, [r]; st.u32 [%SP], %r3; }
      ld.u32 %r4, [%SP+4]; sub.u32 %r4, %r4, 1; st.u32 [%SP+4], %r4; setp.ne.u32 %p, %r4, 0; @%p bra again;
      ld.u32 %r4, [%SP]; st.param.b32 [rv], %r4; ret; }";

/// Goes round a loop on the stack as often as the lane's number says, and then calls a function
/// that takes long; so twice.
const ROUNDS: &str = "mov.u32 %r9, 0; mov.u32 %r5, %i;
      outer:
      and.b32 %r3, %i, 31; mul.lo.u32 %r3, %r3, 10; st.u32 [%SP], %r3;
      inner:
      { .param .b32 a; .param .b32 r; st.param.b32 [a], %r5; call (r), step, (a); ld.param.b32 %r5, [r]; }
      ld.u32 %r4, [%SP]; setp.eq.u32 %p1, %r4, 0; sub.u32 %r4, %r4, 1; st.u32 [%SP], %r4; @!%p1 bra inner;
      { .param .b32 a; .param .b32 r; st.param.b32 [a], %r5; call (r), long, (a); ld.param.b32 %r5, [r]; }
      add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 2; @%p0 bra outer;
      st.global.u32 [%own], %r5; exit;";

/// What the function `step` gives.
fn step(v: u32) -> u32 {
    match v % 2 {
        0 => (v / 2).wrapping_add(77),
        _ => v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223),
    }
}

/// The result of a thread.
fn rounds(thread: u32) -> u32 {
    (0..2 * (thread % 32 * 10 + 1 + 50)).fold(thread, |v, _| step(v))
}

#[test]
fn lanes_that_diverge_in_calls_wait_for_each_other_as_they_do_in_lockstep() {
    let text = kernel(&format!("{ON_THE_STACK} {LONG}"), ROUNDS);
    let launch = Launch::new(1, 64);
    let (lockstep, expected) = run(&text, &launch, "in-order", Model::Lockstep);
    let (independent, found) = run(&text, &launch, "in-order", Model::Independent);
    assert_eq!(expected[..64], (0..64).map(rounds).collect::<Vec<_>>());
    assert_eq!(found, expected);
    assert_eq!(independent.counts.lane_instructions, lockstep.counts.lane_instructions);
    let ratio =
        independent.counts.warp_instructions as f64 / lockstep.counts.warp_instructions as f64;
    assert!(ratio < 1.1, "{ratio}");
}

/// Rows of a matrix of other lengths: who has a short one waits for the others before it calls a
/// function.
#[test]
fn lanes_that_read_rows_of_other_lengths_wait_for_each_other_too() {
    let body = "mov.u32 %r9, 0; mov.u32 %r5, 0; and.b32 %r3, %i, 31; mul.lo.u32 %r3, %r3, 100; mov.u32 %r4, 0;
        inner: mad.lo.u32 %r6, %r4, 7, %i; and.b32 %r6, %r6, 2047; mul.wide.u32 %d0, %r6, 4; add.u64 %d0, %d0, %a;
        ld.global.u32 %r7, [%d0+8192]; add.u32 %r5, %r5, %r7; add.u32 %r5, %r5, %r6;
        add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r3; @%p1 bra inner;
        { .param .b32 a; .param .b32 r; st.param.b32 [a], %r5; call (r), long, (a); ld.param.b32 %r5, [r]; }
        st.global.u32 [%own], %r5; exit;";
    let text = kernel(&format!("{ON_THE_STACK} {LONG}"), body);
    let launch = Launch::new(1, 64);
    let (lockstep, expected) = run(&text, &launch, "in-order", Model::Lockstep);
    let (independent, found) = run(&text, &launch, "in-order", Model::Independent);
    let sum = |i: u32| (0..=i % 32 * 100).map(|at| (at * 7 + i) % 2048).sum::<u32>();
    let long = |i: u32| (0..50).fold(sum(i), |v, _| step(v));
    assert_eq!(expected[..64], (0..64).map(long).collect::<Vec<_>>());
    assert_eq!(found, expected);
    let ratio =
        independent.counts.warp_instructions as f64 / lockstep.counts.warp_instructions as f64;
    assert!(ratio < 1.1, "{ratio}");
}

/// Lane 0 spins in these ways until lane 1, which waits for it where their ways join, has gone on:
/// the number of warp instructions within which it must be seen.
const SPINS: [(&str, &str, u64); 5] = [
    ("a load", "spin: ld.volatile.global.u32 %r4, [%a+8192]; setp.eq.u32 %p2, %r4, 0; @%p2 bra spin;", 1000),
    ("an atomic", "spin: atom.global.cas.b32 %r4, [%a+8192], 1, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra spin;", 1000),
    (
        "one that counts",
        "spin: add.u32 %r9, %r9, 1; ld.volatile.global.u32 %r4, [%a+8192]; setp.eq.u32 %p2, %r4, 0; @%p2 bra spin;",
        1000,
    ),
    (
        "on the stack",
        "spin: ld.u32 %r6, [%SP]; add.u32 %r6, %r6, 1; st.u32 [%SP], %r6; ld.u32 %r6, [%SP]; st.u32 [%SP+4], %r6;
        ld.u32 %r7, [%SP+4]; st.u32 [%SP+8], %r7; ld.u32 %r8, [%SP+8]; st.u32 [%SP+12], %r8; ld.u32 %r8, [%SP+12];
        st.u32 [%SP+4], %r8; ld.u32 %r7, [%SP+4]; ld.u32 %r7, [%SP+8]; ld.u32 %r7, [%SP+4]; ld.u32 %r7, [%SP+8];
        ld.volatile.global.u32 %r4, [%a+8192]; setp.eq.u32 %p2, %r4, 0; @%p2 bra spin;",
        8000,
    ),
    (
        "one that tells others",
        "spin: red.global.add.u32 [%a+8196], 1; ld.volatile.global.u32 %r4, [%a+8192]; setp.eq.u32 %p2, %r4, 0; @%p2 bra spin;",
        200_000,
    ),
];

#[test]
fn nobody_waits_for_ever_for_a_lane_that_spins() {
    for (way, spin, most) in SPINS {
        let body = format!(
            "mov.u32 %r9, 0; st.u32 [%SP], 0; setp.ne.u32 %p1, %i, 0; @%p1 bra join; {spin}
            join: setp.ne.u32 %p3, %i, 1; @%p3 bra over; mov.u32 %r5, 1; st.volatile.global.u32 [%a+8192], %r5;
            over: st.global.u32 [%own], %n; exit;"
        );
        let (report, found) =
            run(&kernel("", &body), &Launch::new(1, 32), "in-order", Model::Independent);
        assert_eq!(report.outcome, Outcome::Completed, "{way}");
        assert_eq!(found[..32], [32; 32], "{way}");
        assert!(
            report.counts.warp_instructions < most,
            "{way}: {}",
            report.counts.warp_instructions
        );
        let (report, _) = run(&kernel("", &body), &Launch::new(1, 32), "in-order", Model::Lockstep);
        assert_eq!(
            report.outcome.name(),
            if way == "one that counts" || most > 1000 { "limit" } else { "livelock" },
            "{way}"
        );
    }
}

/// Each thread waits for the one with the next higher number.
const IN_TURN: &str = "sub.u32 %r3, %n, %i; sub.u32 %r3, %r3, 1;
      spin: COUNT ld.volatile.global.u32 %r4, [%a+8192]; setp.ne.u32 %p2, %r4, %r3; @%p2 bra spin;
      add.u32 %r4, %r4, 1; st.volatile.global.u32 [%a+8192], %r4; st.global.u32 [%own], %r4; exit;";

#[test]
fn a_thread_that_spins_lets_others_go_first_under_every_schedule_that_lets_threads_run_on() {
    let text = kernel("", &IN_TURN.replace("COUNT", ""));
    for (blocks, threads) in [(1, 64), (8, 8)] {
        let all = u64::from(blocks * threads);
        let launch = Launch::new(blocks, threads);
        for schedule in
            ["adversarial", "adversarial:back", "reverse", "pct:1", "pct:2", "pct:3:5", "pct:4"]
        {
            let (report, found) = run(&text, &launch, schedule, Model::Independent);
            assert_eq!(report.outcome, Outcome::Completed, "{schedule}");
            let expected: Vec<u32> = (1..=blocks * threads).rev().collect();
            assert_eq!(found[..all as usize], expected, "{schedule}");
            // In the worst case each looks 20 times before each turn of another.
            let most = all * all * 20 * 5;
            assert!(
                report.counts.warp_instructions < most,
                "{schedule}: {}",
                report.counts.warp_instructions
            );
        }
    }
}

/// A thread that gives up after some rounds does so before others move, if they are driven apart:
/// it counts, and so its rounds are not the same.
#[test]
fn a_thread_that_gives_up_after_some_rounds_runs_through_them() {
    let text = kernel(
        "",
        "setp.eq.u32 %p1, %i, 1; @%p1 bra second; mov.u32 %r5, 0;
        spin: ld.volatile.global.u32 %r4, [%a+8192]; setp.ne.u32 %p2, %r4, 0; @%p2 bra got;
        add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 1000; @%p3 bra spin; mov.u32 %r6, 7; st.global.u32 [%own], %r6; exit;
        got: mov.u32 %r6, 1; st.global.u32 [%own], %r6; exit;
        second: mov.u32 %r6, 1; st.volatile.global.u32 [%a+8192], %r6; exit;",
    );
    let of = |schedule| run(&text, &Launch::new(2, 1), schedule, Model::Independent).1[0];
    assert_eq!((of("adversarial"), of("adversarial:back")), (7, 1));
}

/// A thread that would wait for ever still ends in a report, though the word that it waits for
/// changes in vain now and then.
#[test]
fn threads_that_spin_for_ever_are_a_livelock_all_the_same() {
    let forever = "spin: ld.volatile.global.u32 %r4, [%a+8192]; setp.ne.u32 %p2, %r4, 77; @%p2 bra spin; exit;";
    for schedule in ["in-order", "adversarial", "adversarial:back", "reverse"] {
        let (report, _) =
            run(&kernel("", forever), &Launch::new(3, 40), schedule, Model::Independent);
        assert_eq!(report.outcome.name(), "livelock", "{schedule}");
    }
}
