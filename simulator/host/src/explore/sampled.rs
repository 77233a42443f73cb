//! Named schedules and seeded ones, as many as asked for.
//!
//! PCT draws its changes of priority from the length of the run, which is that of the run in order.

use super::run::{self, Ending, Runner};
use super::{Exploration, LaunchRequest, Results, Strategy};
use crate::schedule::{Adversarial, Counted, DEPTH, Direction, InOrder, Random, Schedule};
use crate::{DeviceError, Simulator};

/// Runs at a time, whether on one host thread or on several.
const BATCH: u64 = 32;

/// The depth of the PCT schedule with this number: one after the other, so that a mistake that needs
/// less is not hidden by changes that it does not need.
fn depth_of(number: u64) -> u32 {
    1 + (number % u64::from(DEPTH)) as u32
}

/// The schedule with this number.
fn numbered(number: u64, strategy: Strategy, seed: u64, length: &Counted) -> Box<dyn Schedule> {
    let seeded = |n: u64| seed.wrapping_add(n);
    match (number, strategy) {
        (0, _) => Box::new(InOrder::new()),
        (n, Strategy::Random) => Box::new(Random::new(seeded(n - 1))),
        (n, Strategy::Pct { depth }) => length.pct(seeded(n - 1), depth),
        (1, _) => Box::new(Adversarial::new(Direction::Forward)),
        (2, _) => Box::new(Adversarial::new(Direction::Back)),
        (n, _) if n % 2 == 1 => Box::new(Random::new(seeded((n - 3) / 2))),
        (n, _) => length.pct(seeded((n - 4) / 2), depth_of((n - 4) / 2)),
    }
}

/// Runs them all.
pub(super) fn some(
    runner: &mut Runner<'_>,
    exploration: &Exploration,
    results: &mut Results,
) -> Result<(), DeviceError> {
    let length = runner.length()?;
    let schedule = |n| numbered(n, exploration.strategy, exploration.seed, &length);
    let mut next = 0;
    while next < exploration.schedules {
        let numbers = next..(next + BATCH).min(exploration.schedules);
        next = numbers.end;
        let batch: Vec<(Box<dyn Schedule>, Simulator)> =
            numbers.map(|n| (schedule(n), runner.fork_checking())).collect();
        for (text, ending) in run_batch(batch, runner.request()) {
            results.add(ending?, || text.clone());
        }
    }
    Ok(())
}

type Endings = Vec<(String, Result<Ending, DeviceError>)>;

/// Runs one, and says which it was.
fn run_one(
    (schedule, gpu): (Box<dyn Schedule>, Simulator),
    request: &LaunchRequest,
) -> (String, Result<Ending, DeviceError>) {
    let ended = run::run(gpu, request, schedule.as_ref(), None).map(|(ending, _)| ending);
    (schedule.to_string(), ended)
}

#[cfg(feature = "parallel")]
fn run_batch(batch: Vec<(Box<dyn Schedule>, Simulator)>, request: &LaunchRequest) -> Endings {
    use rayon::prelude::*;
    batch.into_par_iter().map(|one| run_one(one, request)).collect()
}

#[cfg(not(feature = "parallel"))]
fn run_batch(batch: Vec<(Box<dyn Schedule>, Simulator)>, request: &LaunchRequest) -> Endings {
    batch.into_iter().map(|one| run_one(one, request)).collect()
}
