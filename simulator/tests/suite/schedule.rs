//! Strategies against a toy machine whose every move is written down, and against kernels.

use warpsim::host::{Argument, Device, DeviceError, Launch, Simulator};
use warpsim::lanes::Mask;
use warpsim::report::Outcome;
use warpsim::schedule::*;

/// A machine of threads that count their turns, meet at block barriers and may spin.
#[derive(Clone)]
struct Toy {
    blocks: u64,
    threads: u32,
    /// Turns between two barriers, and how many such phases there are.
    phase: u64,
    phases: u64,
    /// Turns of each thread so far.
    done: Vec<Vec<u64>>,
    /// A thread that spins until another one has ended.
    spins: Option<((u64, usize), (u64, usize))>,
    moves: Vec<(u64, usize)>,
}

impl Toy {
    fn new(blocks: u64, threads: u32, phase: u64, phases: u64) -> Toy {
        let done = vec![vec![0; threads as usize]; blocks as usize];
        Toy { blocks, threads, phase, phases, done, spins: None, moves: Vec::new() }
    }

    fn ended(&self, (block, thread): (u64, usize)) -> bool {
        self.done[block as usize][thread] == self.phase * self.phases
    }

    fn can_move(&self, block: u64, thread: usize) -> bool {
        let done = &self.done[block as usize];
        let behind = done.iter().min().copied().unwrap_or(0);
        done[thread] < (behind / self.phase + 1) * self.phase && !self.ended((block, thread))
    }

    fn play(&mut self, schedule: &mut dyn Schedule, limit: usize) {
        while self.moves.len() < limit
            && let Some(turn) = schedule.next(self)
        {
            let lanes = turn.lanes.mask() & self.ready(turn.block, turn.warp);
            assert_ne!(lanes, 0, "{turn:?} cannot move");
            for lane in warpsim::lanes::lanes_of(lanes) {
                let thread = turn.warp as usize * 32 + lane;
                self.moves.push((turn.block, thread));
                let waits = self.spins.is_some_and(|(who, for_whom)| {
                    who == (turn.block, thread) && !self.ended(for_whom)
                });
                self.done[turn.block as usize][thread] += u64::from(!waits);
            }
        }
    }

    fn all_ended(&self) -> bool {
        (0..self.blocks).all(|b| (0..self.threads as usize).all(|t| self.ended((b, t))))
    }
}

impl View for Toy {
    fn warps(&self, _block: u64) -> u32 {
        self.threads.div_ceil(32)
    }

    fn ready(&self, block: u64, warp: u32) -> Mask {
        let threads = (0..32).map(|lane| (lane, warp as usize * 32 + lane));
        let there = threads.filter(|(_, t)| *t < self.threads as usize);
        there.filter(|(_, t)| self.can_move(block, *t)).fold(0, |mask, (lane, _)| mask | 1 << lane)
    }

    fn groups(&self, block: u64, warp: u32) -> Vec<Mask> {
        Some(self.ready(block, warp)).into_iter().filter(|mask| *mask != 0).collect()
    }

    fn asked_in_vain(&self, _block: u64, _warp: u32) -> Mask {
        0
    }

    fn spinning(&self, _block: u64, _warp: u32) -> Mask {
        0
    }

    fn free(&self, _block: u64, _warp: u32, _places: &mut Places) -> Mask {
        0
    }

    fn is_lockstep(&self) -> bool {
        false
    }

    fn resident_after(&self, block: Option<u64>) -> Box<dyn Iterator<Item = u64> + '_> {
        let start = block.map_or(0, |b| b + 1);
        let alive = |b: &u64| (0..self.threads as usize).any(|t| !self.ended((*b, t)));
        Box::new((start..self.blocks).chain(0..start.min(self.blocks)).filter(alive))
    }
}

fn named(text: &str) -> Box<dyn Schedule> {
    text.parse().unwrap()
}

#[test]
fn adversarial_runs_one_thread_after_the_other_in_every_phase() {
    let mut forward = Toy::new(2, 40, 3, 4);
    forward.play(named("adversarial").as_mut(), usize::MAX);
    let mut back = Toy::new(2, 40, 3, 4);
    back.play(named("adversarial:back").as_mut(), usize::MAX);
    let mut expected = Vec::new();
    for block in 0..2 {
        for _phase in 0..4 {
            for thread in 0..40 {
                expected.extend([(block, thread); 3]);
            }
        }
    }
    assert_eq!(forward.moves, expected);
    let mut expected = Vec::new();
    for block in (0..2).rev() {
        for _phase in 0..4 {
            for thread in (0..40).rev() {
                expected.extend([(block, thread); 3]);
            }
        }
    }
    assert_eq!(back.moves, expected);
}

#[test]
fn what_a_thread_spins_for_happens() {
    for text in ["in-order", "reverse", "adversarial", "adversarial:back", "random:1"] {
        spins_end(text);
    }
    for seed in 0..10 {
        spins_end(&format!("pct:{seed}"));
        spins_end(&format!("pct:{seed}:1"));
    }
}

fn spins_end(text: &str) {
    let ends = [((0, 0), (1, 63)), ((1, 63), (0, 0)), ((0, 5), (0, 40)), ((0, 40), (0, 5))];
    for (who, for_whom) in ends {
        let mut toy = Toy::new(2, 64, 4, 1);
        toy.spins = Some((who, for_whom));
        toy.play(named(text).as_mut(), 20_000_000);
        assert!(toy.all_ended(), "{text}: {who:?} waits for {for_whom:?}");
    }
}

/// Of two threads without order, which one has all its turns before the other begins is a toss of a
/// coin by priorities, however long they are; by drawing every turn it never happens.
#[test]
fn pct_finds_what_needs_one_thread_to_be_far_ahead() {
    let ahead = |text: &str| {
        let mut toy = Toy::new(1, 2, 100, 1);
        toy.play(named(text).as_mut(), usize::MAX);
        toy.moves[..100].iter().all(|m| *m == (0, 1))
    };
    // Half of the seeds move converged lanes together.
    let found = (0..200).filter(|seed| ahead(&format!("pct:{seed}:1"))).count();
    assert!((20..=80).contains(&found), "{found} of 200");
    assert_eq!((0..200).filter(|seed| ahead(&format!("random:{seed}"))).count(), 0);
}

/// How many turns the first thread to move had before another one did, under seeds that move
/// threads singly.
fn first_stretches(threads: u32, turns: u64, depth: u32) -> Vec<usize> {
    let seeds = (0..4000).filter(|seed| !Pct::new(*seed, depth).moves_together());
    let stretch = |seed| {
        let mut toy = Toy::new(1, threads, turns, 1);
        let length = u64::from(threads) * turns;
        toy.play(&mut Pct::within(seed, depth, length), usize::MAX);
        let first = toy.moves[0];
        toy.moves.iter().take_while(|m| **m == first).count()
    };
    seeds.map(stretch).collect()
}

/// A mistake that shows when one of two threads of 100 turns each is interrupted after a certain
/// number of turns has a depth of 2; the paper's bound is 1 / (2 * 200) for each of the two.
#[test]
fn within_a_known_length_a_mistake_of_depth_2_is_found_as_often_as_the_bound_says() {
    let stretches = first_stretches(2, 100, 2);
    let seeds = stretches.len();
    // Ten turns of either thread at a time: ten times the bound, twice.
    let expected = 2 * 10 * seeds / 400;
    for from in (0..100).step_by(10) {
        let found = stretches.iter().filter(|n| (from..from + 10).contains(*n)).count();
        assert!(found * 3 >= expected * 2, "{found} of {seeds} from {from}, expected {expected}");
    }
}

/// Thread A is interrupted, then B, then C runs to its end; B goes on before A. That needs three
/// ordered pairs, and that who fell later is not always the lower.
#[test]
fn who_falls_later_may_go_on_earlier() {
    let seeds = (0..2000).filter(|seed| !Pct::new(*seed, 3).moves_together());
    let is_nested = |seed: &u64| {
        let mut toy = Toy::new(1, 3, 20, 1);
        toy.play(&mut Pct::within(*seed, 3, 60), usize::MAX);
        let mut order: Vec<usize> = toy.moves.iter().map(|m| m.1).collect();
        order.dedup();
        matches!(&order[..], [a, b, c, d, e] if a == e && b == d && c != a && c != b)
    };
    let found = seeds.filter(is_nested).count();
    // 20 turns of A and 20 of B of 60 each, in either order of drawing, and one order of ranks.
    let expected = 1000 * 20 * 20 / (60 * 60);
    assert!(found * 3 >= expected * 2, "{found}, expected {expected}");
}

#[test]
fn texts_are_read_back_and_bad_ones_are_refused() {
    let long = "1a:7n3k2w80000000l5x2nt1x";
    let pct = ["pct:9", "pct:9:1", "pct:9:1000", "pct:9:3:70"];
    for text in ["adversarial", "adversarial:back", long].into_iter().chain(pct) {
        assert_eq!(named(text).to_string(), text);
    }
    let refused = |text: &str| text.parse::<Box<dyn Schedule>>().unwrap_err();
    assert_eq!(refused("pct:x"), ScheduleError::BadSeed("x".into()));
    assert_eq!(refused("pct:1:0"), ScheduleError::BadDepth("0".into()));
    assert_eq!(refused("pct:1:4000000000"), ScheduleError::BadDepth("4000000000".into()));
    for turns in ["0", "x", "", "1:1"] {
        let text = format!("pct:1:3:{turns}");
        assert_eq!(refused(&text), ScheduleError::BadTurns(turns.into()));
    }
    for text in ["1a:5", "1a:0n", "1a:5z", "1a:fffffffffw1x", "1a:x"] {
        assert_eq!(refused(text), ScheduleError::BadReplay(text.into()));
    }
    assert_eq!(
        refused("adversarial:sideways"),
        ScheduleError::Unknown("adversarial:sideways".into())
    );
}

#[test]
fn a_recording_holds_only_what_departs_from_the_default() {
    let mut first = Toy::new(2, 64, 5, 2);
    let mut recorder = Recorder::new(named("1a:6n1w8l2x"));
    first.play(&mut recorder, usize::MAX);
    let mut again = Toy::new(2, 64, 5, 2);
    again.play(&mut recorder.replay(), usize::MAX);
    assert_eq!(first.moves, again.moves);
    assert!(first.moves.contains(&(0, 35)));
    assert_eq!(recorder.to_string(), "1a:6n1w8l2x");
}

/// A `sides` kernel: after `rounds` barriers one thread writes a cell and another one reads it.
const SIDES: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry sides(.param .u64 cell, .param .u64 out, .param .u32 rounds,
                          .param .u32 writer, .param .u32 reader) {
      .reg .u64 %c, %o; .reg .u32 %t, %b, %n, %r, %w, %v; .reg .pred %p;
      ld.param.u64 %c, [cell]; ld.param.u64 %o, [out]; ld.param.u32 %r, [rounds];
      mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %t, %b, %n, %t;
    again:
      setp.eq.u32 %p, %r, 0; @%p bra ready;
      sub.u32 %r, %r, 1; bar.sync 0; bra again;
    ready:
      ld.param.u32 %w, [writer]; setp.ne.u32 %p, %t, %w; @%p bra read;
      mov.u32 %v, 1; st.global.u32 [%c], %v; ret;
    read:
      ld.param.u32 %w, [reader]; setp.ne.u32 %p, %t, %w; @%p ret;
      ld.global.u32 %v, [%c]; st.global.u32 [%o], %v; ret;
    }";

/// What the reader of `sides` reads.
fn read(schedule: &str, rounds: u32, writer: u32, reader: u32) -> u8 {
    let mut gpu = Simulator::default();
    gpu.settings_mut().schedule = named(schedule);
    let run = |gpu: &mut Simulator| -> Result<u8, DeviceError> {
        let module = gpu.load(&warpsim::ptx::parse("sides.ptx", SIDES).unwrap())?;
        let (cell, out) = (gpu.allocate(4)?, gpu.allocate(4)?);
        let mut arguments = vec![Argument::Pointer(cell), Argument::Pointer(out)];
        arguments.extend([rounds, writer, reader].map(Argument::U32));
        gpu.launch(module, "sides", &Launch::new(2, 64), &arguments)?;
        let mut byte = [0];
        gpu.download(out, &mut byte)?;
        Ok(byte[0])
    };
    run(&mut gpu).unwrap()
}

/// Whichever two threads it is that nothing orders, before any barrier or after several.
#[test]
fn the_two_directions_let_either_of_two_threads_go_first() {
    let threads = [0, 1, 31, 32, 63, 64, 90, 127];
    for (writer, reader) in threads.iter().flat_map(|w| threads.iter().map(move |r| (*w, *r))) {
        for rounds in [0, 1, 3] {
            let forward = read("adversarial", rounds, writer, reader);
            let back = read("adversarial:back", rounds, writer, reader);
            let expected = (u8::from(writer < reader), u8::from(writer > reader));
            assert_eq!((forward, back), expected, "{writer} {reader} after {rounds} barriers");
        }
    }
}

#[test]
fn an_endless_wait_is_a_livelock_in_both_directions() {
    let text = "
        .version 7.0 .target sm_70 .address_size 64
        .visible .entry spin(.param .u64 flag) {
          .reg .u64 %f; .reg .u32 %v; .reg .pred %p;
          ld.param.u64 %f, [flag];
        again: ld.volatile.global.u32 %v, [%f]; setp.eq.u32 %p, %v, 0; @%p bra again;
          ret;
        }";
    for schedule in ["adversarial", "adversarial:back"] {
        let mut gpu = Simulator::default();
        gpu.settings_mut().schedule = named(schedule);
        gpu.settings_mut().max_steps = 100_000_000;
        let module = gpu.load(&warpsim::ptx::parse("spin.ptx", text).unwrap()).unwrap();
        let flag = gpu.allocate(4).unwrap();
        let launch = Launch::new(2, 96);
        let report = gpu.launch(module, "spin", &launch, &[Argument::Pointer(flag)]).unwrap();
        assert_eq!(report.outcome, Outcome::Livelock, "{schedule}");
    }
}
