//! Two schedules with different results: found, made small, named, replayed.

use super::super::{Distinct, Exploration, Explored, LaunchRequest, Strategy, Unit, explore};
use super::Bench;
use crate::element::ElementType;
use crate::report::{Code, Outcome};
use crate::schedule::{Part, Replay};
use crate::{Argument, Device, Launch, Simulator};

/// The parts of a replay that depart from the default.
fn departures(replay: &str) -> Vec<Part> {
    let replay: Replay = replay.parse().unwrap();
    replay.parts().iter().copied().filter(|p| matches!(p, Part::Turns(..))).collect()
}

/// The naive scan of 32, on the numbers 1 to 32; `volatile` when asked for.
fn scan(volatile: bool) -> (Simulator, LaunchRequest) {
    let text = include_str!("../../../../../tests/hardware/scan_naive.ptx");
    let text = match volatile {
        true => text
            .replace("ld.shared", "ld.volatile.shared")
            .replace("st.shared", "st.volatile.shared"),
        false => text.to_owned(),
    };
    let mut gpu = Simulator::default();
    let module = gpu.load(&crate::ptx::parse("scan.ptx", &text).unwrap()).unwrap();
    let (input, output) = (gpu.allocate(128).unwrap(), gpu.allocate(128).unwrap());
    let numbers: Vec<u8> = (1..=32_u32).flat_map(u32::to_le_bytes).collect();
    gpu.upload(input, &numbers).unwrap();
    let arguments = [Argument::Pointer(input), Argument::Pointer(output)];
    let request = LaunchRequest::new(module, "scan", Launch::new(1, 32), &arguments);
    (gpu, request)
}

#[test]
fn the_volatile_scan_differs_when_one_lane_goes_ahead() {
    let (mut gpu, request) = scan(true);
    let explored = explore(&mut gpu, &request, &Exploration::default()).unwrap();
    assert_eq!(explored.schedules, 100);
    let difference = explored.difference.unwrap();
    assert_eq!(difference.first, "in-order");
    // One lane, or some lanes, once ahead of the others: no two departures are needed.
    assert_eq!(departures(&difference.second).len(), 1, "{}", difference.second);
    // It takes no more than the nine operations up to and with the first addition.
    assert!(difference.turns <= 9, "{} turns: {}", difference.turns, difference.second);
    assert!(difference.second.len() < 20, "{}", difference.second);
    let cell = &difference.cells[0];
    assert_eq!((cell.argument, cell.ty), (Some(1.into()), ElementType::U32));
    assert_eq!(cell.object, "the buffer of argument 1 (`pout`)");
    // In order, the scan is right: 1 + 2 + ... + (index + 1).
    let right = (cell.index + 1) * (cell.index + 2) / 2;
    assert_eq!(cell.values[0], right);
    assert_ne!(cell.values[1], right);
}

#[test]
fn cells_are_of_the_type_of_their_buffer() {
    let mut bench = Bench::new(HIDDEN, Launch::new(1, 256), 256);
    bench.request.cell_types = [(0.into(), ElementType::I16)].into();
    let explored = explore(&mut bench.gpu, &bench.request, &Exploration::default()).unwrap();
    let cell = &explored.difference.as_ref().unwrap().cells[0];
    // The lower half of word 200.
    assert_eq!((cell.index, cell.ty, cell.values), (400, ElementType::I16, [1, 0]));
}

/// Thread 7 writes after three barriers, thread 200 reads: nothing orders the two. All else is in
/// order whatever the schedule.
const HIDDEN: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry k(.param .u64 out) {
      .reg .u64 %o, %a; .reg .u32 %t, %v, %s, %n; .reg .pred %p;
      .shared .align 4 .u32 s[257];
      ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; add.u64 %o, %o, %a;
      mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s; mov.u32 %n, 3;
    again:
      st.shared.u32 [%s], %t; bar.sync 0;
      xor.b32 %v, %s, 64; ld.shared.u32 %v, [%s]; bar.sync 0;
      sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;
      setp.ne.u32 %p, %t, 7; @%p bra read;
      mov.u32 %s, s; st.shared.u32 [%s+1024], 1;
    read:
      setp.ne.u32 %p, %t, 200; @%p bra end;
      mov.u32 %s, s; ld.shared.u32 %v, [%s+1024];
    end: st.global.u32 [%o], %v; ret; }";

#[test]
fn the_one_pair_of_threads_that_matters_is_what_is_left() {
    let mut bench = Bench::new(HIDDEN, Launch::new(1, 256), 256);
    let explored = explore(&mut bench.gpu, &bench.request, &Exploration::default()).unwrap();
    let difference = explored.difference.clone().unwrap();
    assert_eq!((difference.cells.len(), difference.cells_in_all), (1, 1));
    let cell = &difference.cells[0];
    assert_eq!((cell.index, cell.argument), (200, Some(0.into())));
    // In order, warp 0 writes before warp 6 reads.
    assert_eq!(cell.values, [1, 0]);
    let departures = departures(&difference.second);
    assert_eq!(departures.len(), 1, "{}", difference.second);
    assert!(difference.second.len() < 24, "{}", difference.second);
    // Two results, whatever the schedule, and both replay.
    assert_eq!(bench.results(&explored).len(), 2);
    let (first, second) = (bench.run(&difference.first).1, bench.run(&difference.second).1);
    assert_eq!((first[200], second[200]), (1, 0));
    assert_eq!((&first[..200], &first[201..]), (&second[..200], &second[201..]));
}

#[test]
fn threads_that_keep_to_themselves_have_one_result() {
    let text = "
        .version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) {
          .reg .u64 %o, %a; .reg .u32 %t, %v;
          ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; add.u64 %o, %o, %a;
          ld.global.u32 %v, [%o]; add.u32 %v, %v, %t; st.global.u32 [%o], %v;
          atom.global.add.u32 %v, [%o], 1; ret; }";
    let mut bench = Bench::new(text, Launch::new(1, 64), 64);
    for strategy in [Strategy::Mixed, Strategy::Random, Strategy::Pct { depth: 2 }] {
        let exploration = Exploration { strategy, schedules: 40, ..Exploration::default() };
        let explored = explore(&mut bench.gpu, &bench.request, &exploration).unwrap();
        assert_eq!((explored.schedules, explored.outcomes.len()), (40, 1));
        assert_eq!((explored.difference, explored.complete), (None, false));
        assert_eq!(explored.outcomes[0].count, 40);
    }
    assert_eq!(bench.run("in-order").1[5], 6);
    let mut untouched = vec![9; 256];
    bench.gpu.download(bench.buffer, &mut untouched).unwrap();
    assert_eq!(untouched, [0; 256], "exploring leaves memory as it was");
}

#[test]
fn schedules_are_checked_when_the_settings_ask_for_it() {
    let (mut gpu, request) = scan(false);
    gpu.settings_mut().checking = Some(crate::Checking::default());
    for (strategy, schedules) in [(Strategy::Mixed, 4), (Strategy::Exhaustive(Unit::Threads), 3)] {
        let exploration = Exploration { strategy, schedules, ..Exploration::default() };
        let explored = explore(&mut gpu, &request, &exploration).unwrap();
        // The plain scan is a race, whatever the schedule; the results do not differ by it.
        let codes: Vec<Code> = explored.findings.iter().map(|f| f.code).collect();
        assert!(codes.contains(&Code::Race), "{codes:?}");
        assert!(explored.findings.iter().all(|f| f.replay.is_some()));
        assert!(explored.outcomes.iter().all(|d| d.code.is_none()));
        let last = explored.findings.last().map(|f| (f.code, f.replay.clone()));
        let second = explored.difference.map(|d| (Code::ScheduleDependent, Some(d.second)));
        assert!(second.is_some());
        assert_eq!(last, second);
    }
}

#[test]
fn seeds_are_counted_up_from_the_one_given() {
    let (mut gpu, request) = scan(true);
    let exploration = Exploration {
        strategy: Strategy::Random,
        schedules: 2,
        seed: 41,
        ..Exploration::default()
    };
    let explored = explore(&mut gpu, &request, &exploration).unwrap();
    let replays: Vec<&str> = explored.outcomes.iter().map(|d| d.replay.as_str()).collect();
    assert_eq!(replays, ["in-order", "random:41@12-18"]);
}

#[test]
fn the_first_run_counts_where_the_search_ends_before_it_comes_to_the_same() {
    // In order the lanes go together and both load 0. The search begins with one thread alone.
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry count(.param .u64 out) {
          .reg .u64 %a; .reg .u32 %v;
          ld.param.u64 %a, [out];
          ld.global.u32 %v, [%a];
          add.u32 %v, %v, 1;
          st.global.u32 [%a], %v;
          ret; }";
    let mut bench = Bench::new(text, Launch::new(1, 2), 1);
    let strategy = Strategy::Exhaustive(Unit::Threads);
    let exploration = Exploration { strategy, schedules: 1, ..Exploration::default() };
    let explored = explore(&mut bench.gpu, &bench.request, &exploration).unwrap();
    let counts: Vec<u64> = explored.outcomes.iter().map(|found| found.count).collect();
    let left: Vec<_> = explored.outcomes.iter().map(|found| bench.run(&found.replay).1).collect();
    assert_eq!(left, [[1], [2]]);
    assert_eq!((counts, explored.schedules), (vec![1, 1], 2));
    // A full search finds both alone: 2 orders of the loads and stores and 2 more.
    let all = Exploration { strategy, ..Exploration::default() };
    let explored = explore(&mut bench.gpu, &bench.request, &all).unwrap();
    let counts = explored.outcomes.iter().map(|found| found.count);
    assert_eq!((counts.sum::<u64>(), explored.complete), (explored.schedules, true));
}

#[test]
fn a_wait_that_some_schedules_never_end_is_cut_off_or_a_livelock() {
    use super::model::{Op, ptx, words};
    let threads = vec![vec![Op::Store(0, 1), Op::Store(0, 2)], vec![Op::Await(0, 1)]];
    let mut bench = Bench::new(&ptx(&threads, 1, false), Launch::new(2, 1), words(&threads, 1));
    let exploration = Exploration { schedules: 20, ..Exploration::default() };
    let explored = explore(&mut bench.gpu, &bench.request, &exploration).unwrap();
    let kinds: Vec<Outcome> = explored.outcomes.iter().map(|d| d.outcome).collect();
    assert!(kinds.contains(&Outcome::Livelock), "{kinds:?}");
    assert_eq!(explored.schedules + explored.cut, 20);
    assert!(explored.cut > 0, "random schedules do not know a livelock when they see one");
}

#[cfg(feature = "parallel")]
#[test]
fn the_number_of_host_threads_changes_nothing() {
    let with = |threads: usize| -> Explored {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut gpu, request) = scan(false);
        pool.install(|| explore(&mut gpu, &request, &Exploration::default())).unwrap()
    };
    let one = with(1);
    assert!(one.difference.is_some());
    assert_eq!(one, with(3));
}

/// What a result is said to have left is compared with a launch under its schedule.
#[test]
fn results_say_what_they_left_in_the_cells_that_differ() {
    let (mut gpu, request) = scan(true);
    let explored = explore(&mut gpu, &request, &Exploration::default()).unwrap();
    assert!(explored.outcomes.len() > 8);
    let places = |distinct: &Distinct| -> Vec<u64> {
        distinct.cells.iter().map(|cell| cell.address).collect()
    };
    let first = places(&explored.outcomes[0]);
    assert!((4..=8).contains(&first.len()) && first.is_sorted(), "{first:?}");
    for distinct in &explored.outcomes[..8] {
        assert_eq!(places(distinct), first);
        let mut gpu = gpu.fork();
        gpu.settings_mut().schedule =
            distinct.replay.parse::<Box<dyn crate::schedule::Schedule>>().unwrap();
        gpu.launch(request.module, "scan", &request.launch, &request.arguments).unwrap();
        let mut bytes = [0; 128];
        let &Argument::Pointer(output) = &request.arguments[1] else { panic!("a buffer") };
        gpu.download(output, &mut bytes).unwrap();
        for cell in &distinct.cells {
            let word = &bytes[cell.index as usize * 4..][..4];
            assert_eq!(u64::from(u32::from_le_bytes(word.try_into().unwrap())), cell.value);
            assert_eq!(cell.argument, Some(1.into()));
        }
    }
    assert!(explored.outcomes[8..].iter().all(|distinct| distinct.cells.is_empty()));
    // In each cell some result differs from the first, and the cells distinguish all eight.
    let values = |distinct: &Distinct| -> Vec<u64> {
        distinct.cells.iter().map(|cell| cell.value).collect()
    };
    let all: Vec<Vec<u64>> = explored.outcomes[..8].iter().map(values).collect();
    assert!((0..first.len()).all(|at| all.iter().any(|one| one[at] != all[0][at])), "{all:?}");
    let different: std::collections::BTreeSet<&Vec<u64>> = all.iter().collect();
    assert_eq!(different.len(), 8, "{all:?}");
}
