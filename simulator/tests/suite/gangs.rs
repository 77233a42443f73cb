//! Warps that run ahead together give what they give one turn at a time, bit for bit.
//!
//! The kernels are those of [`super::parallel`], with blocks of several warps: random statements that let threads see
//! each other, the clock, divergence, barriers, locks, faults, prints, endless loops. The oracle is the same launch
//! without gangs.

use proptest::prelude::*;
use warpsim::check::Checking;
use warpsim::host::{Model, SharedInit, Threads};

use super::parallel::{Index, Setting, Statement, run_with, statements, text, usual};

/// Blocks of one to seven warps; steps enough for gangs, or hardly.
fn setting() -> impl Strategy<Value = Setting> {
    let limit = prop_oneof![3 => Just(400_000_u64), 1 => 130_000..160_000_u64];
    let shared = prop_oneof![Just(SharedInit::Zero), Just(SharedInit::Leftover)];
    (1..5_u32, 1..220_u32, 1..3_u32, 1..3_u32, shared, limit).prop_map(
        |(blocks, threads, multiprocessors, resident, shared_init, max_steps)| Setting {
            blocks,
            threads,
            multiprocessors,
            resident,
            model: Model::Independent,
            shared_init,
            max_steps,
        },
    )
}

fn agree(text: &str, setting: &Setting, checking: Option<&Checking>) {
    let module = warpsim::ptx::parse("k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let run = |gangs| {
        run_with(&module, setting, |settings| {
            settings.gangs = gangs;
            settings.threads = Threads::ONE;
            settings.checking = checking.cloned();
        })
    };
    let ((reports, bytes), (others, other)) = (run(false), run(true));
    assert_eq!(reports, others, "{text}");
    let differs = bytes.iter().zip(&other).position(|(a, b)| a != b);
    assert_eq!(differs, None, "the first byte that differs\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(20, 5_000)))]

    #[test]
    fn a_gang_leaves_what_single_turns_leave(statements in statements(), setting in setting()) {
        agree(&text(&statements), &setting, None);
    }

    #[test]
    fn a_gang_is_found_to_do_what_single_turns_do(statements in statements(), setting in setting()) {
        agree(&text(&statements), &setting, Some(&Checking::default()));
    }
}

#[test]
fn each_thing_that_warps_do_comes_out_the_same_in_a_gang() {
    let near = Index { a: 1, b: 3, c: 5, d: 0, bits: 7 };
    use Statement as S;
    let ways = [
        vec![S::Load(near, 2), S::Store(near, 2)],
        vec![S::Atomic(near, 0, true), S::Clock],
        vec![S::Shared, S::Shared],
        vec![S::Diverge(near), S::Shared],
        vec![S::Loop(near), S::Clock],
        vec![S::Lock(near), S::LastBlock],
        vec![S::Await, S::Print],
        vec![S::Loop(near), S::Fault(33, true)],
        vec![S::Diverge(near), S::Fault(33, false)],
        vec![S::Glance(3000)],
        vec![S::Load(near, 2), S::Stuck],
    ];
    for way in ways {
        for threads in [32, 50, 96, 250] {
            agree(&text(&way), &Setting { threads, blocks: 3, ..usual() }, None);
        }
    }
}
