//! Random programs whose result does not depend on who runs when: whatever the model and the
//! schedule, the simulator must leave what the naive reference leaves, and a recorded run must
//! replay exactly.

use std::fmt;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};

use warpsim::host::{Argument, Launch, Model};
use warpsim::observe::Trace;
use warpsim::ptx::Module;
use warpsim::report::Outcome;
use warpsim::schedule::{Move, Recorder, Schedule, View};
use warpsim_effort::cases;
use warpsim_tests::launching::Bench;
use warpsim_tests::random_programs::{Program, programs};
use warpsim_tests::reference;

fn config(cases: u32) -> Config {
    let failure_persistence = Some(Box::new(FileFailurePersistence::Off) as _);
    Config { cases, failure_persistence, ..Config::default() }
}

fn parsed(program: &Program) -> Module {
    warpsim::ptx::parse("random.ptx", &program.text()).expect("valid PTX")
}

/// The buffer before the launch.
fn cells(program: &Program) -> Vec<u32> {
    (0..program.cells()).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

fn expected(program: &Program, module: &Module) -> Vec<u32> {
    let bytes: Vec<u8> = cells(program).iter().flat_map(|c| c.to_le_bytes()).collect();
    let after = reference::run(module, program.blocks, program.threads, &bytes);
    after.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// What a run leaves, with its trace.
fn run(
    program: &Program,
    module: &Module,
    model: Model,
    schedule: Box<dyn Schedule>,
) -> (Vec<u32>, Trace) {
    let mut bench = Bench::of_module(module.clone()).under(model);
    bench.gpu.settings_mut().schedule = schedule;
    let buffer = bench.buffer(&cells(program));
    let launch = Launch::new(program.blocks, program.threads);
    let arguments: [Argument; 1] = [buffer.into()];
    let mut trace = Trace::new();
    let report = bench.gpu.launch_observed(bench.handle, "k", &launch, &arguments, &mut trace);
    let report = report.expect("launches");
    assert_eq!(report.outcome, Outcome::Completed, "{report:?}");
    (bench.read(buffer), trace)
}

/// A recorder that leaves its text behind when it is dropped. Launches run a copy of the schedule,
/// so the first of the two has recorded nothing.
#[derive(Debug)]
struct Kept {
    recorder: Recorder,
    text: Arc<Mutex<String>>,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.recorder.fmt(f)
    }
}

impl Schedule for Kept {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.recorder.next(view)
    }

    fn copies_at_once(&mut self) -> bool {
        self.recorder.copies_at_once()
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        let recorder = Recorder::new(self.recorder.boxed());
        Box::new(Kept { recorder, text: Arc::clone(&self.text) })
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.recorder.recurrence(resident)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let recorded = self.recorder.to_string();
        let mut text = self.text.lock().expect("not poisoned");
        if recorded.len() > text.len() {
            *text = recorded;
        }
    }
}

fn named(text: &str) -> Box<dyn Schedule> {
    text.parse().expect("a schedule")
}

proptest! {
    #![proptest_config(config(cases(16, 256)))]

    #[test]
    fn every_model_and_schedule_leaves_what_the_reference_leaves(program in programs(), seed in any::<u64>()) {
        let module = parsed(&program);
        let expected = expected(&program, &module);
        for model in [Model::Independent, Model::Lockstep] {
            let (random, pct) = (format!("random:{seed}"), format!("pct:{seed}"));
            for text in ["in-order", "reverse", "adversarial", "adversarial:back", &random, &pct] {
                let (found, _) = run(&program, &module, model, named(text));
                prop_assert_eq!(&found, &expected, "{} {}\n{}", model.name(), text, program.text());
            }
        }
    }
}

proptest! {
    #![proptest_config(config(cases(8, 120)))]

    #[test]
    fn a_recorded_run_replays_step_by_step_from_its_text(program in programs(), seed in any::<u64>()) {
        let module = parsed(&program);
        for model in [Model::Independent, Model::Lockstep] {
            let (random, pct) = (format!("random:{seed}"), format!("pct:{seed}"));
            for text in ["in-order", "reverse", "adversarial", &random, &pct] {
                let kept = Arc::new(Mutex::new(String::new()));
                let recorder = Recorder::new(named(text));
                let schedule = Box::new(Kept { recorder, text: Arc::clone(&kept) });
                let (first, trace) = run(&program, &module, model, schedule);
                let recorded = kept.lock().expect("not poisoned").clone();
                // The schedule `in-order` records no turns.
                prop_assert!(text != "in-order" || recorded == "1a:", "{}", recorded);
                let (again, replayed) = run(&program, &module, model, named(&recorded));
                prop_assert_eq!(first, again);
                prop_assert_eq!(trace.steps().len(), replayed.steps().len(), "{}", text);
                for (one, other) in trace.steps().iter().zip(replayed.steps()) {
                    prop_assert_eq!(one, other, "{}", text);
                }
            }
        }
    }
}

/// A program that is a race by construction: both steps of a swap between neighbours without a
/// barrier.
#[test]
fn the_property_is_not_true_of_programs_with_a_race() {
    let text = ".version 8.3\n.target sm_90\n.address_size 64\n.shared .align 4 .u32 s[64];\n\
        .visible .entry k(.param .u64 out) {\n .reg .u64 %p, %o; .reg .u32 %t, %a, %v;\n\
        ld.param.u64 %p, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n\
        mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a; st.shared.u32 [%a], %t; xor.b32 %a, %a, 4;\n\
        ld.shared.u32 %v, [%a]; st.global.u32 [%p], %v; ret; }";
    let left = |schedule: &str| {
        let mut bench = Bench::of_text("race.ptx", text).scheduled(schedule);
        let out = bench.buffer(&[99u32; 64]);
        bench.run("k", &Launch::new(1, 64), &[out.into()]);
        bench.read(out)
    };
    let swapped: Vec<u32> = (0..64).map(|t| t ^ 1).collect();
    assert_eq!(left("in-order"), swapped);
    assert_ne!(left("reverse"), swapped);
    assert!((0..8).any(|seed| left(&format!("random:{seed}")) != swapped));
}
