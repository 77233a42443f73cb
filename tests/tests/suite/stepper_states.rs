//! Stepping: what a step says, what can be asked between steps, and that going back is exact.

use warpsim::host::Stepper;
use warpsim::host::{Argument, Launch};
use warpsim::lower::Place;
use warpsim::observe::{AccessKind, AccessName, Observer, Statistics, Step};
use warpsim::passes;
use warpsim::ptx::{Space, Type};
use warpsim::report::Outcome;
use warpsim_tests::launching::Bench;

const SCAN: &str = include_str!("../../hardware/scan_naive.ptx");

/// The scan with its input 1 to 32, ready to be launched.
fn scan() -> (Bench, [Argument; 2]) {
    let mut bench = Bench::of_text("scan_naive.ptx", SCAN);
    let input: Vec<u32> = (1..=32).collect();
    let arguments = [bench.buffer(&input).into(), bench.buffer(&[0u32; 32]).into()];
    (bench, arguments)
}

fn stepper<'a>(
    bench: &'a mut Bench,
    kernel: &str,
    launch: &Launch,
    arguments: &[Argument],
) -> Stepper<'a> {
    bench.gpu.stepper(bench.handle, kernel, launch, arguments).expect("starts")
}

/// Steps until an instruction of this name has run for the `nth` time, from 1.
fn until(stepper: &mut Stepper<'_>, name: &str, nth: usize) -> Step {
    let mut left = nth;
    loop {
        let step = stepper.step().expect("it comes");
        left -= usize::from(&*step.name == name);
        if left == 0 {
            return step.clone();
        }
    }
}

#[test]
fn a_step_says_what_every_lane_read_wrote_and_touched() {
    let (mut bench, arguments) = scan();
    let mut stepper = stepper(&mut bench, "scan", &Launch::new(1, 32), &arguments);
    let load = until(&mut stepper, "ld.global.u32", 1);
    assert_eq!((load.block, load.warp, load.mask, load.active), (0, 0, u32::MAX, u32::MAX));
    assert_eq!(load.writes[0].bits, std::array::from_fn(|lane| lane as u64 + 1));
    let touch = &load.touches[0];
    assert_eq!((touch.kind, touch.space, touch.bytes), (AccessKind::Read, Space::Global, 4));
    let Argument::Pointer(input) = arguments[0] else { panic!() };
    assert_eq!(touch.addresses, std::array::from_fn(|lane| input.0 + 4 * lane as u64));
    // The cells 0 to 31 are zeros, the cells 32 to 63 the input: the second store.
    let store = until(&mut stepper, "st.shared.u32", 1);
    assert_eq!(store.touches[0].kind, AccessKind::Write);
    assert_eq!(store.touches[0].space, Space::Shared);
    assert!(store.writes.is_empty());
    let line = SCAN.lines().nth(store.line as usize - 1).expect("a line of the text");
    assert!(line.contains("st.shared.u32"), "{line}");
}

#[test]
fn shared_memory_is_read_by_symbol_and_type_round_by_round() {
    let (mut bench, arguments) = scan();
    let mut stepper = stepper(&mut bench, "scan", &Launch::new(1, 32), &arguments);
    let name = stepper.program().expect("it runs").shared[0].name.to_string();
    // Two stores prepare the array; then each round stores once.
    until(&mut stepper, "st.shared.u32", 2);
    let mut expected: Vec<u64> = vec![0; 32].into_iter().chain(1..=32).collect();
    assert_eq!(stepper.shared(0, &name, Type::U32), Some(expected.clone()));
    for distance in [1, 2, 4, 8, 16] {
        until(&mut stepper, "st.shared.u32", 1);
        let before = expected.clone();
        (32..64).for_each(|i| expected[i] = before[i] + before[i - distance]);
        assert_eq!(stepper.shared(0, &name, Type::U32), Some(expected.clone()), "{distance}");
    }
    let bytes = stepper.shared(0, &name, Type::U8).expect("there");
    assert_eq!((bytes.len(), bytes[63 * 4], bytes[63 * 4 + 1]), (256, 528 % 256, 528 / 256));
    let wide = stepper.shared(0, &name, Type::U64).expect("there");
    assert_eq!(wide[31], 496 | 528 << 32);
    assert_eq!(stepper.shared(0, "nothing", Type::U32), None);
    assert_eq!(stepper.shared(1, &name, Type::U32), None);
}

/// Two blocks of two warps: branches, loops of different length, barriers, atomics, more than two
/// thousand steps.
const LONG: &str = "
    .version 8.3 .target sm_90 .address_size 64
    .shared .align 4 .u32 sums[64];
    .visible .entry k(.param .u64 out) {
      .reg .pred %p; .reg .u32 %t, %n, %a, %v, %r, %o; .reg .u64 %m;
      ld.param.u64 %m, [out];
      mov.u32 %t, %tid.x;
      mov.u32 %a, sums;
      mad.lo.u32 %a, %t, 4, %a;
      mov.u32 %r, 0;
      mov.u32 %v, %t;
    round:
      and.b32 %n, %t, 7;
      st.shared.u32 [%a], %v;
      bar.sync 0;
      xor.b32 %o, %a, 4;
      ld.shared.u32 %v, [%o];
      bar.sync 0;
    loop:
      setp.eq.u32 %p, %n, 0;
      @%p bra done;
      mad.lo.u32 %v, %v, 3, %n;
      sub.u32 %n, %n, 1;
      bra loop;
    done:
      red.global.add.u32 [%m], %v;
      add.u32 %r, %r, 1;
      setp.lt.u32 %p, %r, 12;
      @%p bra round;
      ret;
    }";

/// All that can be asked at a moment.
fn state(stepper: &Stepper<'_>, out: u64) -> String {
    let registers: Vec<_> = (0..2)
        .flat_map(|block| (0..2).flat_map(move |warp| (0..32).map(move |lane| (block, warp, lane))))
        .map(|(block, warp, lane)| {
            let of = |name| stepper.register(block, warp, lane, name).map(|r| r.bits);
            (of("%v"), of("%n"), of("%p"), stepper.place(block, warp, lane).map(|p| p.line))
        })
        .collect();
    let shared: Vec<_> = (0..2).map(|block| stepper.shared(block, "sums", Type::U32)).collect();
    format!("{registers:?} {shared:?} {:?} {:?}", stepper.global(out, 4), stepper.outcome())
}

#[test]
fn going_back_and_anywhere_gives_the_same_states_and_the_same_trace() {
    for schedule in ["in-order", "reverse", "random:5"] {
        let mut bench = Bench::of_text("long.ptx", LONG).scheduled(schedule);
        let out = bench.buffer(&[0u32]);
        let mut stepper = stepper(&mut bench, "k", &Launch::new(2, 64), &[out.into()]);
        let look = |s: &Stepper<'_>| state(s, out.pointer.0);
        let mut states = vec![look(&stepper)];
        while stepper.step().is_some() {
            states.push(look(&stepper));
        }
        let steps: Vec<Step> = stepper.trace().steps().to_vec();
        assert!(steps.len() > 2000, "{}", steps.len());
        assert_eq!(stepper.outcome(), Some((Outcome::Completed, None)));
        let end = steps.len();
        for target in [end - 1, 0, end / 2, 7, end, 33, 31, 32, end / 3, end - 100, end + 50] {
            stepper.go_to(target);
            let reached = target.min(end);
            assert_eq!(stepper.trace().steps().len(), reached);
            assert_eq!(look(&stepper), states[reached], "{schedule} {target}");
            assert!(stepper.trace().steps() == &steps[..reached], "{schedule} {target}");
        }
        for back in 1..=70 {
            assert!(stepper.back());
            assert_eq!(look(&stepper), states[end - back], "{schedule} back {back}");
        }
        stepper.go_to(0);
        assert!(!stepper.back());
        stepper.finish();
        assert!(stepper.trace().steps() == &steps[..], "{schedule}");
    }
}

#[test]
fn after_the_place_of_a_sunk_store_its_value_is_still_only_in_a_register() {
    let module = warpsim::ptx::parse("scan_naive.ptx", SCAN).expect("valid");
    let rewritten = passes::register_cache(&module).unwrap();
    let mut bench = Bench::of_module(rewritten.module.clone());
    let input: Vec<u32> = (1..=32).collect();
    let arguments = [bench.buffer(&input).into(), bench.buffer(&[0u32; 32]).into()];
    let stepper = stepper(&mut bench, "scan", &Launch::new(1, 32), &arguments);
    let mut stepper = stepper.with_remarks(&rewritten.remarks);
    let name = stepper.program().expect("it runs").shared[0].name.to_string();
    let (mut stores, mut held) = (0, 0);
    while let Some(step) = stepper.step() {
        stores += usize::from(&*step.name == "st.shared.u32");
        let (pending, number) = (step.pending.clone(), step.number);
        let cells = stepper.shared(0, &name, Type::U32);
        assert_eq!(pending, stepper.pending(0, 0), "step {number}");
        if let Some(cells) = cells.filter(|_| !pending.is_empty()) {
            // While anything is pending, the upper half of the array is not yet what the program
            // stored.
            assert!(
                pending.iter().all(|p| p.lanes == u32::MAX && p.holder.starts_with('%')),
                "{pending:?}"
            );
            assert!(stores < 2, "step {number}: both stores have happened");
            assert_eq!(cells[32..], [0; 32], "step {number}");
            held += 1;
        }
        if stores == 2 {
            assert!(pending.is_empty(), "step {number}: {pending:?}");
        }
    }
    assert_eq!(stores, 2);
    assert!(held > 5, "{held}");
}

#[test]
fn a_trace_reads_as_text() {
    let text = "
        .version 8.3 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 out) {
          .reg .pred %p; .reg .u32 %t; .reg .s32 %v; .reg .f32 %f; .reg .u64 %m, %o;
          ld.param.u64 %m, [out];
          mov.u32 %t, %tid.x;
          setp.lt.u32 %p, %t, 3;
          @%p bra low;
          neg.s32 %v, %t;
          bra join;
        low:
          mul.lo.s32 %v, %t, 10;
        join:
          cvt.rn.f32.s32 %f, %v;
          mul.wide.u32 %o, %t, 4;
          add.u64 %o, %o, %m;
          @!%p st.global.f32 [%o], %f;
          ret;
        }";
    let mut bench = Bench::of_text("small.ptx", text);
    let out = bench.buffer(&[0f32; 5]);
    let mut stepper = stepper(&mut bench, "k", &Launch::new(1, 5), &[out.into()]);
    stepper.finish();
    let lines: Vec<String> = stepper.trace().steps().iter().map(Step::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_statistics_of_a_small_divergent_kernel_are_those_counted_by_hand() {
    let text = "
        .version 8.3 .target sm_90 .address_size 64
        .shared .align 4 .u32 s[64];
        .visible .entry k(.param .u64 out) {
          .reg .pred %p; .reg .u32 %t, %a; .reg .u64 %m;
          mov.u32 %t, %tid.x;
          setp.lt.u32 %p, %t, 20;
          @!%p bra high;
          ld.param.u64 %m, [out];
          red.global.add.u32 [%m], 1;
        high:
          mov.u32 %a, s;
          mad.lo.u32 %a, %t, 4, %a;
          st.shared.u32 [%a], %t;
          bar.sync 0;
          @%p ld.shared.u32 %t, [%a];
          ret;
        }";
    let mut bench = Bench::of_text("count.ptx", text);
    let out = bench.buffer(&[0u32]);
    let mut statistics = Statistics::default();
    let watcher: &mut dyn Observer = &mut statistics;
    let launch = Launch::new(3, 64);
    let report = bench
        .gpu
        .launch_observed(bench.handle, "k", &launch, &[out.into()], watcher)
        .expect("starts");
    // Of each of 3 blocks, warp 0 takes the branch with 20 lanes and loops with 12; warp 1
    // loops. Each warp runs mov, setp, bra, mov, mad, st, bar, ld, ret; warp 0 two more.
    assert_eq!(report.counts.branches, 6);
    assert_eq!(report.counts.divergent_branches, 3);
    assert_eq!(report.counts.barriers, 3);
    assert_eq!(report.counts.warp_instructions, 3 * (9 + 2 + 9));
    let active: Vec<(usize, u64)> =
        statistics.active_lanes.iter().copied().enumerate().filter(|(_, n)| *n > 0).collect();
    // The guarded branch has an effect on 12 and 32 lanes, the guarded load on 20 and on none.
    assert_eq!(active, [(0, 3), (12, 3), (20, 3 * 3), (32, 3 * (7 + 8))]);
    assert_eq!(statistics.instructions["st.shared.u32"], 6);
    assert_eq!(statistics.instructions["red.global.add.u32"], 3);
    assert_eq!((statistics.barriers, statistics.blocks), (3, 3));
    assert_eq!(statistics.accesses[&(Space::Shared, AccessName::Write)], 3 * 64);
    assert_eq!(statistics.accesses[&(Space::Shared, AccessName::Read)], 3 * 20);
    assert_eq!(statistics.accesses[&(Space::Global, AccessName::Atomic)], 3 * 20);
    assert_eq!(bench.read(out), [60]);
}

/// A loop of three turns: its body is line 3 of a source, with an instruction of line 4 amid it,
/// and line 3 again behind it. Line 5 is for the odd lanes only.
const TURNS: &str = "
.version 7.0 .target sm_70 .address_size 64
.entry k() {
  .reg .u32 %i, %s; .reg .pred %p;
  .loc 1 2 0
  mov.u32 %i, 0;
again:
  .loc 1 3 0
  add.u32 %s, %i, 1;
  .loc 1 4 0
  add.u32 %s, %s, 1;
  .loc 1 3 0
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 3;
  @%p bra again;
  .loc 1 2 0
  mov.u32 %s, %laneid;
  and.b32 %s, %s, 1;
  setp.eq.u32 %p, %s, 0;
  @%p bra even;
  .loc 1 5 0
  add.u32 %s, %s, 1;
  add.u32 %s, %s, 1;
even:
  .loc 1 6 0
  ret;
}
.file 1 \"/home/somebody/turns.cu\"
";

/// Where [`TURNS`] stops when it runs to these lines: the line, the lanes.
fn stops(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut bench = Bench::of_text("turns.ptx", TURNS);
    let mut stepper = stepper(&mut bench, "k", &Launch::new(1, 32), &[]);
    let is_at = |line: &u32| {
        let line = *line;
        move |place: &Place| place.source.as_ref().is_some_and(|source| source.line == line)
    };
    let places: Vec<_> = lines.iter().map(is_at).collect();
    let mut stops = Vec::new();
    while let Some(arrival) = stepper.run_to(&places) {
        let place = stepper.place(0, 0, arrival.lanes.trailing_zeros() as usize);
        // Before its first instruction a warp is nowhere.
        assert!(place.is_none_or(&places[arrival.place]), "it stands where it says");
        stops.push((lines[arrival.place], arrival.lanes));
    }
    stops
}

#[test]
fn lanes_come_to_a_line_once_a_turn_however_its_instructions_lie() {
    let all = u32::MAX;
    assert_eq!(stops(&[2]), [(2, all), (2, all)]);
    assert_eq!(stops(&[3]), [(3, all); 3]);
    assert_eq!(stops(&[5]), [(5, 0xaaaa_aaaa)]);
    let turn = [(3, all), (4, all)];
    assert_eq!(stops(&[3, 4]), turn.repeat(3));
    assert_eq!(stops(&[]), []);
}

#[test]
fn a_register_is_written_once_its_lane_has_written_it() {
    let mut bench = Bench::of_text("turns.ptx", TURNS);
    let mut stepper = stepper(&mut bench, "k", &Launch::new(1, 32), &[]);
    let written = |stepper: &Stepper<'_>, lane| {
        stepper.written(0, 0, lane).iter().map(|name| name.to_string()).collect::<Vec<_>>()
    };
    assert!(written(&stepper, 0).is_empty());
    let step = until(&mut stepper, "mov.u32", 1);
    assert!(step.to_string().contains(" turns.cu:2 mov.u32 %i, 0"), "{step}");
    assert_eq!(written(&stepper, 31), ["%i"]);
    until(&mut stepper, "setp.lt.u32", 1);
    assert_eq!(written(&stepper, 0), ["%i", "%p", "%s"]);
    stepper.go_to(1);
    assert_eq!(written(&stepper, 0), ["%i"]);
}
