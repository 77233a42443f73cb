//! Choosing only where threads conflict loses no result. Every run has a twin with the same result,
//! which takes the turns at those lines in the same order, and all others as soon as it can.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::super::run::Runner;
use super::super::{Exploration, Strategy, explore, places};
use super::exhaustive::program;
use super::model::{Op, Threads, ptx, words};
use super::{Bench, Digest};
use crate::Launch;
use crate::lanes::Mask;
use crate::schedule::{Choice, Move, Places, Random, Schedule, View};

/// Turns at places: who took them.
type Turns = Arc<Mutex<VecDeque<(u64, u32, Mask)>>>;

/// Random everywhere, and writes down the turns that are at places.
#[derive(Clone, Debug)]
struct Writer {
    inner: Random,
    places: Places,
    turns: Turns,
}

/// Takes the turns at places in the order in which they are written, and all others first.
#[derive(Clone, Debug)]
struct Reader {
    places: Places,
    turns: Turns,
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("as written")
    }
}

impl Schedule for Writer {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        let turn = self.inner.next(view)?;
        let free = view.free(turn.block, turn.warp, &mut self.places);
        // A turn moves lanes of one group: all are free, or none.
        let lanes = turn.lanes.mask() & view.ready(turn.block, turn.warp) & !free;
        if lanes != 0 {
            self.turns.lock().unwrap().push_back((turn.block, turn.warp, lanes));
        }
        Some(turn)
    }

    fn copies_at_once(&mut self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _: usize) -> Option<u64> {
        None
    }
}

impl Schedule for Reader {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        for block in view.resident_after(None) {
            for warp in 0..view.warps(block) {
                let free = view.free(block, warp, &mut self.places);
                if free != 0 {
                    return Some(Move { block, warp, lanes: Choice::Only(free) });
                }
            }
        }
        let (block, warp, lanes) = self.turns.lock().unwrap().pop_front()?;
        assert_eq!(view.ready(block, warp) & lanes, lanes, "they have come as far as before");
        Some(Move { block, warp, lanes: Choice::Only(lanes) })
    }

    fn copies_at_once(&mut self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _: usize) -> Option<u64> {
        None
    }
}

impl Bench {
    /// The places where its schedules choose.
    fn places(&mut self) -> Option<Places> {
        places::of(&mut Runner::new(self.gpu.fork(), &self.request).unwrap()).unwrap()
    }

    /// What a run under this schedule leaves.
    fn leaves(&mut self, schedule: &dyn Schedule) -> Digest {
        let mut runner = Runner::new(self.gpu.fork(), &self.request).unwrap();
        let (ending, _) = runner.run(schedule, None).unwrap();
        ending.key.digest.expect("it comes to its end")
    }
}

/// Threads that do not wait for each other but at a barrier: those are blocks of one thread or
/// lanes of a warp.
fn bench(threads: &Threads, one_warp: bool) -> Bench {
    let count = threads.len() as u32;
    let launch = if one_warp { Launch::new(1, count) } else { Launch::new(count, 1) };
    Bench::new(&ptx(threads, 3, one_warp), launch, words(threads, 3))
}

fn with_barriers(mut threads: Threads, at: usize) -> Threads {
    threads.iter_mut().for_each(|ops| ops.insert(at.min(ops.len()), Op::Barrier));
    threads
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(warpsim_effort::cases(150, 5000)) })]

    #[test]
    fn every_run_is_equivalent_to_one_that_chooses_at_the_places(
        threads in program(), at in 0..4_usize, one_warp: bool, seed: u64,
    ) {
        let threads = if one_warp { with_barriers(threads, at) } else { threads };
        let mut bench = bench(&threads, one_warp);
        let places = bench.places().expect("no thread goes another way");
        let turns = Turns::default();
        let writer = Writer { inner: Random::new(seed), places: places.clone(), turns: Arc::clone(&turns) };
        let everywhere = bench.leaves(&writer);
        prop_assert_eq!(bench.leaves(&Reader { places, turns }), everywhere);
    }

    #[test]
    fn adversarial_schedules_that_know_the_places_leave_what_they_leave_without(
        threads in program(), at in 0..4_usize, one_warp: bool,
    ) {
        let threads = if one_warp { with_barriers(threads, at) } else { threads };
        let mut bench = bench(&threads, one_warp);
        let places = bench.places().expect("no thread goes another way");
        for name in ["adversarial", "adversarial:back"] {
            let knowing = format!("{name}@{places}");
            prop_assert_eq!(bench.digest(&knowing), bench.digest(name), "{}", knowing);
        }
    }
}

/// A tree in shared memory, with a barrier for each step but where the text says so.
fn tree(barrier: &str) -> String {
    format!(
        ".version 7.0 .target sm_70 .address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .u64 %o; .reg .u32 %t, %a, %b, %c, %s, %v, %w; .reg .pred %p;
  .shared .align 4 .b8 s[512];
  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %b, s; mad.lo.u32 %a, %t, 4, %b;
  st.shared.u32 [%a], %t;
  bar.sync 0;
  mov.u32 %s, 64;
again:
  setp.ge.u32 %p, %t, %s; @%p bra skip;
  mad.lo.u32 %c, %s, 4, %a;
  ld.shared.u32 %v, [%c];
  ld.shared.u32 %w, [%a];
  add.u32 %v, %v, %w;
  st.shared.u32 [%a], %v;
skip:
  {barrier}
  shr.u32 %s, %s, 1; setp.ne.u32 %p, %s, 0; @%p bra again;
  setp.ne.u32 %p, %t, 0; @%p bra end;
  ld.shared.u32 %v, [%a];
  st.global.u32 [%o], %v;
end:
  ret;
}}"
    )
}

#[test]
fn a_kernel_without_conflicts_has_no_places_and_a_racy_one_those_that_touch_what_is_raced_for() {
    let mut clean = Bench::new(&tree("bar.sync 0;"), Launch::new(2, 128), 1);
    // Both blocks write the result: one line.
    assert_eq!(clean.places(), Some(Places::new([21])));
    let mut alone = Bench::new(&tree("bar.sync 0;"), Launch::new(1, 128), 1);
    assert_eq!(alone.places(), Some(Places::default()));
    // Nobody but thread 0 touches what it reads at last.
    let mut racy = Bench::new(&tree(""), Launch::new(1, 128), 1);
    assert_eq!(racy.places(), Some(Places::new([6, 12, 13, 15])));
}

#[test]
fn what_is_not_understood_has_no_places() {
    let kernel = |body: &str| {
        let text = format!(
            ".version 7.8 .target sm_80 .address_size 64 .visible .entry k(.param .u64 out) {{
             .reg .u64 %o; .reg .u32 %t, %v; .reg .pred %p; .shared .align 16 .b8 s[64];
             ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n{body}\nret; }}"
        );
        Bench::new(&text, Launch::new(1, 64), 4).places()
    };
    assert!(kernel("st.global.u32 [%o], %t;").is_some());
    for body in [
        // The contested value decides where a thread goes.
        "st.global.u32 [%o], %t; ld.global.u32 %v, [%o]; setp.eq.u32 %p, %v, 0; @%p st.global.u32 [%o+4], 1;",
        "atom.global.add.u32 %v, [%o], 1; setp.eq.u32 %p, %v, 0; @%p st.global.u32 [%o+4], 1;",
        "mov.u32 %v, %clock; st.global.u32 [%o], %v;",
        "activemask.b32 %v; st.global.u32 [%o], %v;",
        "cp.async.ca.shared.global [s], [%o], 4; cp.async.wait_all; st.global.u32 [%o], %t;",
        "bar.sync 1, 64; st.global.u32 [%o], %t;",
        // It does not run to its end.
        "st.global.u32 [%o+1], %t;",
    ] {
        assert_eq!(kernel(body), None, "{body}");
    }
}

#[test]
fn atomics_whose_order_nobody_can_tell_are_no_places() {
    let kernel = |body: &str| {
        let text = format!(
            ".version 7.8 .target sm_80 .address_size 64 .visible .entry k(.param .u64 out) {{
             .reg .u64 %o, %a; .reg .u32 %t, %v;
             ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %o;\n{body} ret; }}"
        );
        Bench::new(&text, Launch::new(1, 64), 65).places()
    };
    let line = || Some(Places::new([4]));
    assert_eq!(kernel("red.global.add.u32 [%o], %t;"), Some(Places::default()));
    assert_eq!(kernel("atom.global.max.u32 %v, [%o], %t;"), Some(Places::default()));
    assert_eq!(kernel("atom.global.max.u32 %v, [%o], %t; st.global.u32 [%a+4], %v;"), line());
    assert_eq!(kernel("atom.global.exch.b32 %v, [%o], %t;"), line());
    assert_eq!(kernel("red.global.add.f32 [%o], 1.0;"), line());
    assert_eq!(kernel("red.global.add.u32 [%o], %t; red.global.max.u32 [%o], %t;"), line());
    assert_eq!(kernel("red.global.add.u32 [%o], %t; st.global.u32 [%o], %t;"), line());
}

#[test]
fn schedules_that_know_the_places_are_told_with_them_and_replay() {
    let mut racy = Bench::new(&tree(""), Launch::new(1, 128), 1);
    let exploration = Exploration::default().with_schedules(30).with_strategy(Strategy::Random);
    let explored = explore(&mut racy.gpu, &racy.request, &exploration).unwrap();
    let replays: Vec<&str> = explored.outcomes.iter().map(|found| &*found.replay).collect();
    assert!(replays.len() > 1);
    assert!(replays[1..].iter().all(|text| text.ends_with("@6,12-13,15")), "{replays:?}");
    assert_eq!(racy.results(&explored).len(), replays.len());
}
