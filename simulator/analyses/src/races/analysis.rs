//! Races as one of the analyses of a check: the filter watches the whole run, and the words that
//! could race are then judged in the same run once more.

use std::sync::Arc;

use super::wording::{self, Missing};
use super::{Candidates, Conflict, Filter, Pair, Policy, Races};
use crate::observe::{Analysis, EndedRun, LaunchFacts};
use crate::report::{Code, Finding};

/// Runs of more warp instructions are not repeated to find out what synchronisation is missing.
const WORTH_ASKING: u64 = 4_000_000;

/// The races of a run, and those that are left when some synchronisation is assumed.
type Remaining = Vec<(Missing, Vec<Pair>)>;

impl Analysis for Filter {
    fn name(&self) -> &'static str {
        "races"
    }

    fn looks_for(&self) -> &'static str {
        "races"
    }

    fn codes(&self) -> &'static [Code] {
        &[Code::Race, Code::Unordered]
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        let candidates = self.take_candidates();
        let Some(launch) = self.take_launch() else { return Vec::new() };
        if candidates.is_empty() {
            return Vec::new();
        }
        let mut judge = judged(run, Policy::default(), &candidates);
        let mut remaining = Vec::new();
        if judge.may_miss_a_link() && run.steps() <= WORTH_ASKING {
            for (missing, policy) in Missing::candidates() {
                let left = judged(run, policy, &candidates).take_conflicts();
                remaining.push((missing, left.iter().map(Conflict::pair).collect()));
            }
        }
        let conflicts = judge.take_conflicts();
        conflicts.iter().map(|conflict| worded(conflict, &remaining, &launch, run)).collect()
    }

    /// Which words could race is a matter of one run: the copy has shadow memory of its own.
    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(Filter::new())
    }
}

/// The same run, its candidates judged under a policy.
fn judged(run: &mut dyn EndedRun, policy: Policy, candidates: &Arc<Candidates>) -> Races {
    let mut judge = Races::assuming(policy, Arc::clone(candidates));
    run.again(&mut judge);
    judge
}

fn worded(
    conflict: &Conflict,
    remaining: &Remaining,
    launch: &LaunchFacts,
    run: &dyn EndedRun,
) -> Finding {
    let vanishes = |(_, left): &&(_, Vec<Pair>)| !left.contains(&conflict.pair());
    let missing = remaining.iter().find(vanishes).map(|(missing, _)| *missing);
    let object = run.object(conflict.space, conflict.address);
    let mut finding = wording::finding(conflict, missing, launch, &object.to_string());
    finding.object = object.name;
    finding.argument = object.argument;
    finding
}
