//! Threads that wait for one another by mbarrier objects, which means asking again and again. Every
//! run ends, with the same result, after few steps for each wait. So `adversarial` and PCT, which
//! let one thread run as long as it can, do not let it ask for long.

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};

use warpsim::host::{Argument, Launch, Model};
use warpsim::report::Outcome;
use warpsim_effort::cases;
use warpsim_tests::launching::Bench;

/// In each round a thread writes a cell, arrives at the object, waits for the phase and reads the
/// cell of another thread. There are two rows of cells: who writes one has read it two rounds
/// before all have arrived.
const ROUNDS: &str = "
    .version 8.0 .target sm_90 .address_size 64
    .visible .entry k(.param .u64 out, .param .u32 rounds, .param .u32 shift) {
      .shared .align 8 .b64 object; .shared .align 4 .b8 cells[1024];
      .reg .b64 %o, %s; .reg .b32 %t, %n, %r, %m, %d, %c, %v, %sum, %par, %row, %at; .reg .pred %p;
      ld.param.u64 %o, [out]; ld.param.u32 %m, [rounds]; ld.param.u32 %d, [shift];
      mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r, 0; mov.u32 %sum, 0; mov.u32 %c, cells;
      setp.ne.u32 %p, %t, 0; @%p bra made;
      mbarrier.init.shared.b64 [object], %n;
    made:
      bar.sync 0;
      add.u32 %d, %t, %d; rem.u32 %d, %d, %n;
    round:
      and.b32 %par, %r, 1; mad.lo.u32 %row, %par, 512, %c;
      mad.lo.u32 %at, %t, 4, %row; mul.lo.u32 %v, %t, 7; mad.lo.u32 %v, %r, 13, %v; st.shared.u32 [%at], %v;
      mbarrier.arrive.shared.b64 %s, [object];
    ask:
      mbarrier.WAIT.shared.b64 %p, [object], %OPERAND;
      @!%p bra ask;
      mad.lo.u32 %at, %d, 4, %row; ld.shared.u32 %v, [%at]; add.u32 %sum, %sum, %v;
      add.u32 %r, %r, 1; setp.lt.u32 %p, %r, %m; @%p bra round;
      mul.wide.u32 %s, %t, 4; add.u64 %o, %o, %s; st.global.u32 [%o], %sum; ret;
    }";

/// Instructions of a thread outside of its rounds, and of a round without its asking.
const OUTSIDE: u64 = 20;
const ROUND: u64 = 16;

/// Instructions of a turn in which a thread asks, and how often it may ask in a round: a few times
/// before it lets the others go, once they have gone, and as often for an arrival that was still to
/// come then.
const ASKING: u64 = 2;
const TIMES: u64 = 2 * 8 + 1;

fn schedules() -> impl Strategy<Value = (&'static str, Model)> {
    let names = prop::sample::select(vec!["adversarial", "adversarial:back"]);
    (names, prop::sample::select(vec![Model::Independent, Model::Lockstep]))
}

proptest! {
    #![proptest_config(Config {
        cases: cases(48, 1024),
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..Config::default()
    })]

    #[test]
    fn threads_that_ask_for_phases_soon_let_those_go_that_complete_them(
        threads in 1_u32..=128,
        rounds in 1_u32..=6,
        shift in 0_u32..128,
        form in prop::sample::select(vec![
            ("test_wait", "s"), ("try_wait", "s"), ("test_wait.parity", "par"), ("try_wait.parity", "par"),
        ]),
        (schedule, model) in schedules(),
    ) {
        let text = ROUNDS.replace("WAIT", form.0).replace("OPERAND", form.1);
        let mut bench = Bench::of_text("rounds.ptx", &text).under(model).scheduled(schedule);
        let out = bench.buffer(&vec![0_u32; threads as usize]);
        let arguments = [out.into(), Argument::U32(rounds), Argument::U32(shift)];
        let report = bench.launch("k", &Launch::new(1, threads), &arguments);
        prop_assert_eq!(report.outcome, Outcome::Completed);
        let sum = |t: u32| (0..rounds).map(|r| (t + shift) % threads * 7 + r * 13).sum::<u32>();
        prop_assert_eq!(bench.read(out), (0..threads).map(sum).collect::<Vec<u32>>());
        let most = u64::from(threads) * (OUTSIDE + u64::from(rounds) * (ROUND + ASKING * TIMES));
        let took = report.counts.lane_instructions;
        prop_assert!(took <= most, "{took} lane instructions, and no more than {most} are due");
    }
}
