//! The meter under every order in which threads can see what others did, as far as C11's relaxed
//! atomics allow it: by [loom](https://docs.rs/loom), on the file itself, compiled here with loom's
//! atomics in place of the standard library's.
//!
//! The meter has the only atomics of the crate through which host threads communicate: blocks that
//! run in parallel share nothing (`machine/run/parallel`).

#![allow(dead_code, unreachable_pub, reason = "the file is used in its crate")]

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;

#[path = "../src/machine/progress/meter.rs"]
mod meter;

use meter::Meter;

/// Tries every execution, and says how many there were: fewer than `least` would be no search.
#[expect(clippy::print_stdout, reason = "how much was tried belongs to what is claimed")]
fn each_execution(least: u64, body: impl Fn() + Sync + Send + 'static) {
    let executions = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = std::sync::Arc::clone(&executions);
    loom::model(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        body();
    });
    let executions = executions.load(Ordering::Relaxed);
    println!("{executions} executions");
    assert!(executions >= least, "{executions} executions, at least {least} were expected");
}

#[test]
fn nothing_that_machines_tell_is_lost_and_what_was_seen_does_not_shrink() {
    each_execution(100, || {
        let meter = Arc::new(Meter::default());
        let machines = [3, 7].map(|told| {
            let meter = Arc::clone(&meter);
            thread::spawn(move || {
                meter.add(told);
                meter.end_run();
            })
        });
        let seen = [meter.lane_instructions(), meter.lane_instructions()];
        assert!(seen[0] <= seen[1], "{seen:?}");
        for machine in machines {
            machine.join().unwrap();
        }
        assert_eq!((meter.lane_instructions(), meter.runs()), (10, 2));
    });
}

/// A machine reports its work before it asks whether to end.
#[test]
fn all_that_an_interrupted_machine_did_is_told_and_the_next_one_ends_at_its_first_look() {
    each_execution(3, || {
        let meter = Arc::new(Meter::default());
        let machine = {
            let meter = Arc::clone(&meter);
            thread::spawn(move || {
                let mut did = 0;
                // It ends by itself after two looks.
                while did < 20 {
                    did += 10;
                    meter.add(10);
                    if meter.is_interrupted() {
                        break;
                    }
                }
                meter.end_run();
                did
            })
        };
        meter.interrupt();
        let did = machine.join().unwrap();
        assert_eq!((meter.lane_instructions(), meter.runs()), (did, 1));
        assert!(meter.is_interrupted());
    });
}
