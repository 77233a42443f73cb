//! The search: cases and schedules until one fails, then smaller ones until none does.
//!
//! It makes things smaller in this order. First the schedule becomes the simplest of `in-order`,
//! `reverse` and the adversarial ones that still fails. Then the launch and the data become smaller
//! under that schedule. Then the schedule does once more: a drawn one in its seed, and two with
//! different results in the turns in which they differ ([`crate::explore`]).

use std::ops::Range;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::case::Case;
use super::evidence::Evidence;
use super::failure::{Counterexample, Failure, Mistake};
use super::judge::{Kind, Property, Wrong};
use super::kernel::Kernel;
use super::run::Bench;
use super::{pasted, shards};
use crate::drawing::shrink::CaseTree;

/// The schedules that a failure is tried under first, the simplest first.
const SIMPLE: [&str; 4] = ["in-order", "reverse", "adversarial", "adversarial:back"];

/// Seeds of a drawn schedule that are tried instead of its own.
const SEEDS: u64 = 16;

/// Tries a property on the cases of a kernel, or on its part of them.
pub(super) fn search(kernel: &Kernel, property: Property<'_>) -> Result<Evidence, Failure> {
    let evidence = shards::search(kernel, property)?;
    if evidence.runs == 0 && !kernel.share.may_be_empty() {
        return Err(Mistake::NothingToTry.into());
    }
    Ok(evidence)
}

/// The cases of a kernel.
pub(super) fn cases(kernel: &Kernel) -> u32 {
    if kernel.only.is_some() { 1 } else { kernel.cases }
}

/// The case with which a kernel begins.
pub(super) fn first_case(kernel: &Kernel, property: Property<'_>) -> Result<Case, Mistake> {
    let search = Search { kernel, property, bench: kernel.bench()?, tries: 0 };
    match &kernel.only {
        Some(case) => Ok(case.clone()),
        None => Ok(search.draw(&mut runner(kernel.seed))?.current()),
    }
}

/// The schedules for these cases, one after the other.
pub(super) fn schedules(kernel: &Kernel, numbers: Range<u32>) -> impl Iterator<Item = String> {
    numbers.flat_map(|number| kernel.schedules_of(number))
}

/// Tries a property on the cases with these numbers. The cases before them are drawn, too, because
/// a draw depends on the draws before it.
pub(super) fn try_cases(
    kernel: &Kernel,
    property: Property<'_>,
    numbers: Range<u32>,
) -> Result<Evidence, Failure> {
    let mut search = Search { kernel, property, bench: kernel.bench()?, tries: 0 };
    let mut evidence = Evidence::new(kernel, property);
    let mut runner = runner(kernel.seed);
    for number in 0..numbers.end {
        let mut tree = match kernel.only {
            Some(_) => None,
            None => Some(search.draw(&mut runner)?),
        };
        if number < numbers.start {
            continue;
        }
        let case = match (&tree, &kernel.only) {
            (Some(tree), _) => tree.current(),
            (None, Some(case)) => case.clone(),
            (None, None) => break,
        };
        for schedule in kernel.schedules_of(number) {
            if let Some(wrong) = search.judge(&case, &schedule)? {
                let found = Found { case, schedule, wrong };
                let first = found.case.clone();
                let found = search.shrink(found, tree.as_mut())?;
                let counterexample = search.counterexample(found, first, number);
                return Err(Failure::Counterexample(Box::new(counterexample)));
            }
            evidence.schedule(&schedule);
        }
        evidence.case(&case);
    }
    evidence.finish(search.bench.runs, search.bench.warp_instructions);
    Ok(evidence)
}

/// The source of randomness for a seed.
fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(seed.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

impl Kernel {
    /// The schedules for the case of this number.
    fn schedules_of(&self, number: u32) -> Vec<String> {
        let mut schedules = self.schedules.clone();
        let each = u64::from(self.drawn_schedules);
        for drawn in 0..each {
            let seed = self.seed.wrapping_add(u64::from(number) * each + drawn);
            schedules.extend([format!("random:{seed}"), format!("pct:{seed}")]);
        }
        schedules
    }
}

struct Search<'a> {
    kernel: &'a Kernel,
    property: Property<'a>,
    bench: Bench,
    /// Smaller cases tried.
    tries: u32,
}

/// Something that fails.
struct Found {
    case: Case,
    schedule: String,
    wrong: Wrong,
}

impl Search<'_> {
    fn draw(&self, runner: &mut TestRunner) -> Result<CaseTree, Mistake> {
        // What can be wrong is said by validating; the strategy knows only that something is.
        self.kernel.inputs.validate()?;
        let tree = self.kernel.inputs.new_tree(runner);
        tree.map_err(|reason| Mistake::CannotDraw { reason: reason.message().to_owned() })
    }

    fn judge(&mut self, case: &Case, schedule: &str) -> Result<Option<Wrong>, Mistake> {
        self.property.judge(&mut self.bench, case, schedule, &self.kernel.allowed)
    }

    /// The same kind of thing that is wrong, under another schedule or for another case. A case
    /// that cannot be launched does not show it.
    fn still(&mut self, case: &Case, schedule: &str, kind: Kind) -> Option<Wrong> {
        let wrong = self.judge(case, schedule).ok().flatten()?;
        (wrong.kind() == kind).then_some(wrong)
    }

    /// Makes what fails as small as it gets.
    fn shrink(&mut self, mut found: Found, tree: Option<&mut CaseTree>) -> Result<Found, Mistake> {
        if self.kernel.tries == 0 {
            return Ok(found);
        }
        let kind = found.wrong.kind();
        self.simpler_schedule(&mut found, kind);
        if let Some(tree) = tree {
            self.smaller_case(&mut found, kind, tree);
            self.simpler_schedule(&mut found, kind);
        }
        self.smaller_seed(&mut found, kind);
        if kind == Kind::Differs
            && let Some(schedule) = self.bench.smallest_difference(&found.case)?
            && let Some(wrong) = self.still(&found.case, &schedule, kind)
        {
            (found.schedule, found.wrong) = (schedule, wrong);
        }
        Ok(found)
    }

    fn simpler_schedule(&mut self, found: &mut Found, kind: Kind) {
        for simple in SIMPLE {
            if found.schedule == simple {
                return;
            }
            if let Some(wrong) = self.still(&found.case, simple, kind) {
                (found.schedule, found.wrong) = (simple.to_owned(), wrong);
                return;
            }
        }
    }

    fn smaller_seed(&mut self, found: &mut Found, kind: Kind) {
        let Some((strategy @ ("random" | "pct"), seed)) = found.schedule.split_once(':') else {
            return;
        };
        let (strategy, seed) = (strategy.to_owned(), seed.parse().unwrap_or(u64::MAX));
        for smaller in 0..SEEDS.min(seed) {
            let schedule = format!("{strategy}:{smaller}");
            if let Some(wrong) = self.still(&found.case, &schedule, kind) {
                (found.schedule, found.wrong) = (schedule, wrong);
                return;
            }
        }
    }

    fn smaller_case(&mut self, found: &mut Found, kind: Kind, tree: &mut CaseTree) {
        let mut goes_on = tree.simplify();
        while goes_on && self.tries < self.kernel.tries {
            self.tries += 1;
            let case = tree.current();
            goes_on = match self.still(&case, &found.schedule, kind) {
                Some(wrong) => {
                    (found.case, found.wrong) = (case, wrong);
                    tree.simplify()
                }
                None => tree.complicate(),
            };
        }
    }

    fn counterexample(&self, found: Found, first: Case, number: u32) -> Counterexample {
        let Found { case, schedule, wrong } = found;
        let replay = pasted::Replay { kernel: self.kernel, case: &case, schedule: &schedule };
        Counterexample {
            property: self.property.name(),
            claim: self.property.claim(),
            kernel: self.kernel.name.clone(),
            file: self.kernel.file(),
            test: replay.test(self.property.name(), &wrong),
            command: super::command::line(self.kernel, &case, &schedule, &wrong),
            seed: self.kernel.seed,
            number,
            tries: self.tries,
            first,
            case,
            schedule,
            wrong,
        }
    }
}
