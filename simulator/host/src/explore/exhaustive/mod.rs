//! All schedules that are not equivalent, each once: dynamic partial-order reduction.
//!
//! A process is a thread, or a warp as a whole ([`Unit`]). Two turns conflict when they touch a
//! common byte and one of them changes it. Two schedules are equivalent when they differ only in
//! the order of turns that do not conflict. No thread notices when such turns change places, so one
//! schedule of each class is enough. The search runs one schedule and finds the pairs of
//! conflicting turns that nothing else keeps in order. Then it goes back to try each pair in the
//! other order (Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking
//! Software", POPL 2005, with the source sets of Abdulla and others, POPL 2014, and sleep sets).
//! Each run starts from the beginning.
//!
//! - Barriers and warp operations: the threads that meet there have their earlier turns before all
//!   later turns of the others. Arrivals do not conflict, except at barriers with a thread count.
//! - A thread may go twice round a loop of at most 16 turns, only read, and see the same both
//!   times. It then waits until another thread writes to what it has read. When only such threads
//!   are left, the result is a livelock.
//! - A turn that ends the run for all (a fault, a trap) is taken once. From there on it is deferred
//!   for ever, so that the actions of the others are seen too.
//!
//! Asynchronous copies: every schedule is tried with all of them at once, and with all of them as
//! late as possible. Mixtures are not explored, so these are never said to be all.
//!
//! "All" means the orders of visible operations, under sequentially consistent memory. Not
//! explored: results that depend on `%clock`, on lanes that happen to have converged
//! (`activemask`), on the order in which blocks end (which decides where later blocks live, and
//! `leftover` shared memory).

mod clock;
mod guide;
mod step;
mod trail;
mod tree;

use super::run::{Ending, Key, Runner};
use super::{Exploration, Results, Unit};
use crate::DeviceError;
use crate::report::{Code, Outcome};
use crate::schedule::{Copies, Move, Part, Replay};
use guide::{Abort, Guide};

/// Runs that found nothing new, for each schedule that is asked for, before the search gives up.
const VAIN: u64 = 16;

/// Runs all schedules. Whether these were all.
pub(super) fn all(
    runner: &mut Runner<'_>,
    unit: Unit,
    exploration: &Exploration,
    results: &mut Results,
) -> Result<bool, DeviceError> {
    let unit = if runner.is_lockstep() { Unit::Warps } else { unit };
    results.known(&runner.first, "in-order");
    let mut guide = Guide::new(unit, exploration.turns);
    let mut vain = 0;
    while results.schedules + results.cut < exploration.schedules {
        guide.search().begin();
        let schedule = guide.clone();
        let (ending, _) = runner.run(&schedule, Some(&mut guide))?;
        if runner.is_interrupted() {
            break;
        }
        let (abort, moves, copies, more) = {
            let mut search = guide.search();
            let search = &mut *search;
            search.trail.end_turn(&mut search.tree);
            if search.abort.is_none() && ending.key.outcome != Outcome::Completed {
                search.tree.stopped();
            }
            let copies = search.copies();
            let more = search.tree.turn_back(&search.trail.events) || search.goes_on();
            (search.abort, search.moves.clone(), copies, more)
        };
        match abort {
            Some(Abort::Seen) => vain += 1,
            Some(Abort::Long) => results.cut += 1,
            Some(Abort::Spinning) => add(runner, results, livelock(ending), &moves, &copies)?,
            None => add(runner, results, ending, &moves, &copies)?,
        }
        if !more {
            return Ok(results.cut == 0 && !guide.search().has_copies());
        }
        if vain > VAIN * exploration.schedules {
            break;
        }
    }
    Ok(false)
}

/// The ending of a run in which every thread that is left spins.
fn livelock(ending: Ending) -> Ending {
    let Ending { key, mut report } = ending;
    report.outcome = Outcome::Livelock;
    for finding in &mut report.findings {
        finding.code = Code::Livelock;
        finding.explanation = "the threads that are left spin and look at what nobody is left to \
                               change"
            .to_owned();
    }
    let key = Key { outcome: Outcome::Livelock, code: Some(Code::Livelock), ..key };
    Ending { key, report }
}

/// Counts a run; a new result is remembered with its schedule.
fn add(
    runner: &mut Runner<'_>,
    results: &mut Results,
    mut ending: Ending,
    moves: &[Move],
    copies: &Copies,
) -> Result<(), DeviceError> {
    let plain = plain(moves).with_copies(copies.clone());
    if ending.key.outcome != Outcome::Livelock
        && let Some(findings) = runner.check(&plain)?
    {
        ending.report.findings = findings;
    }
    let text = if results.is_new(&ending) && ending.key.outcome == Outcome::Completed {
        runner.record(&plain)?.1.to_string()
    } else {
        plain.to_string()
    };
    results.add(&ending, 1, &text);
    Ok(())
}

/// These turns, one by one.
fn plain(moves: &[Move]) -> Replay {
    let mut parts: Vec<Part> = Vec::new();
    for turn in moves {
        match parts.last_mut() {
            Some(Part::Turns(last, count)) if last == turn => *count += 1,
            _ => parts.push(Part::Turns(*turn, 1)),
        }
    }
    Replay::new(parts)
}
