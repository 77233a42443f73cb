//! Named schedules and seeded ones, as many as asked for.
//!
//! PCT draws its changes of priority from the length of the run in order. Random schedules and PCT
//! choose where it matters who goes first, as far as that is known ([`super::places`]).

use std::ops::Range;

use super::run::{self, Ending, Runner};
use super::{Exploration, LaunchRequest, Strategy, places};
use crate::report::Outcome;
use crate::schedule::{Adversarial, Counted, DEPTH, Direction, InOrder, Random, Schedule};
use crate::threads::Crew;
use crate::{DeviceError, Simulator};

/// Runs at a time, whether on one host thread or on several.
const BATCH: u64 = 32;

/// The depth of the PCT schedule with this number: one after the other, so that a mistake that
/// needs less is not hidden by changes that it does not need.
fn depth_of(number: u64) -> u32 {
    1 + (number % u64::from(DEPTH)) as u32
}

/// The schedule with this number.
fn numbered(number: u64, strategy: Strategy, seed: u64, length: &Counted) -> Box<dyn Schedule> {
    let seeded = |n: u64| seed.wrapping_add(n);
    let random = |n: u64| -> Box<dyn Schedule> {
        let random = Random::new(seeded(n));
        Box::new(match length.places() {
            Some(places) => random.at(places.clone()),
            None => random,
        })
    };
    let adversarial = |direction: Direction| -> Box<dyn Schedule> {
        let adversarial = Adversarial::new(direction);
        Box::new(match length.places() {
            Some(places) => adversarial.at(places.clone()),
            None => adversarial,
        })
    };
    match (number, strategy) {
        (0, _) => Box::new(InOrder::new()),
        (n, Strategy::Random) => random(n - 1),
        (n, Strategy::Pct { depth }) => length.pct(seeded(n - 1), depth),
        (1, _) => adversarial(Direction::Forward),
        (2, _) => adversarial(Direction::Back),
        (n, _) if n % 2 == 1 => random((n - 3) / 2),
        (n, _) => length.pct(seeded((n - 4) / 2), depth_of((n - 4) / 2)),
    }
}

/// The schedules of an exploration, by number: each is a function of its number and of how long the
/// run in order is.
pub(super) struct Sampled {
    strategy: Strategy,
    seed: u64,
    pub(super) length: Counted,
    crew: Crew,
}

impl Sampled {
    pub(super) fn new(
        runner: &mut Runner<'_>,
        exploration: &Exploration,
    ) -> Result<Sampled, DeviceError> {
        let Exploration { strategy, seed, threads, everywhere, .. } = *exploration;
        let places = if everywhere { None } else { places::of(runner)? };
        Ok(Sampled { strategy, seed, length: runner.length(places)?, crew: Crew::new(threads) })
    }

    /// The schedule with this number.
    pub(super) fn schedule(&self, number: u64) -> Box<dyn Schedule> {
        numbered(number, self.strategy, self.seed, &self.length)
    }

    /// Runs the schedules with these numbers. Passes each ending to `told` in the order of the
    /// numbers, with the text of its schedule.
    pub(super) fn run(
        &self,
        runner: &mut Runner<'_>,
        numbers: Range<u64>,
        mut told: impl FnMut(u64, &str, Ending),
    ) -> Result<(), DeviceError> {
        let mut next = numbers.start;
        while next < numbers.end && !runner.is_interrupted() {
            let batch = next..next.saturating_add(BATCH).min(numbers.end);
            next = batch.end;
            let runs: Vec<(Box<dyn Schedule>, Simulator)> =
                batch.clone().map(|n| (self.schedule(n), runner.fork_checking())).collect();
            let request = runner.request();
            let ended = self.crew.each(runs, |one| run_one(one, request));
            for (number, (text, ending)) in batch.zip(ended) {
                let ending = ending?;
                // What was cut off from outside says nothing about its schedule.
                if runner.is_interrupted() && ending.key.outcome == Outcome::Limit {
                    continue;
                }
                told(number, &text, ending);
            }
        }
        Ok(())
    }
}

/// Runs one, and says which it was.
fn run_one(
    (schedule, gpu): (Box<dyn Schedule>, Simulator),
    request: &LaunchRequest,
) -> (String, Result<Ending, DeviceError>) {
    let ended = run::run(gpu, request, schedule.as_ref(), None).map(|(ending, _)| ending);
    (schedule.to_string(), ended)
}
