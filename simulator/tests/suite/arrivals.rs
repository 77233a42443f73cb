//! Some threads of a block access memory, and the others arrive at the barrier behind it: a step of
//! a reduction.
//!
//! The threads that access are the first warps, the last ones, each second one, or lanes of each.
//! They access once, a few times, or more often than others are passed over. The oracle is the same
//! launch without gangs, for its results and for the events that it reports.

use warpsim::check::Checking;

use super::gangs::{self, Step, repeated};
use super::parallel::{Setting, usual};
use super::told::{self, Asks};

/// Such kernels, and launches of them. Each thread accesses at most `most` times. The steps repeat
/// this many times.
fn each(most: u32, times: u32, mut agree: impl FnMut(&str, &Setting)) {
    let mut count = 0;
    let first = [0, 1, 3, 4].into_iter();
    let who =
        first.flat_map(|who| [1, 33, 64, 65, 100, 240].map(|some| (who, some))).chain([(2, 0)]);
    for (who, some) in who {
        for (accesses, id) in [(1, 0), (2, 0), (3, 5), (70, 0)] {
            if accesses > most {
                continue;
            }
            let steps = [
                Step::Before { who, some, accesses, id },
                Step::Before { who: 4, some: 50, accesses: 2, id: 0 },
            ];
            let text = repeated(&steps, times);
            for threads in [64, 250, 256] {
                // Two blocks take turns.
                let (multiprocessors, resident) = (1, 2);
                let setting = Setting { blocks: 2, threads, multiprocessors, resident, ..usual() };
                agree(&text, &setting);
                count += 1;
            }
        }
    }
    assert!(count >= 100, "{count} launches");
}

#[test]
fn threads_that_access_before_a_barrier_leave_what_single_turns_leave() {
    each(70, 150, |text, setting| gangs::agree(text, setting, None));
}

#[test]
fn threads_that_access_before_a_barrier_are_found_to_do_what_single_turns_do() {
    let checking = Checking::default();
    each(2, 5, |text, setting| gangs::agree(text, setting, Some(&checking)));
}

#[test]
fn of_threads_that_access_before_a_barrier_the_same_is_told_as_of_single_turns() {
    for (accesses, synchronisation) in [(true, true), (true, false), (false, true)] {
        let asks = Asks { accesses, synchronisation, places: 0 };
        each(70, 5, |text, setting| told::agree(text, setting, asks));
    }
}
