//! Races as one of the analyses of a check. The filter watches the whole run. Then the words that
//! could race are judged in the same run once more.

use std::sync::Arc;

use warpsim_language::internal::InternalError;

use super::advice::{self, Flow, Trials};
use super::unused::{self, Following, Unused};
use super::wording::{self, Cause, Missing};
use super::{Candidates, Conflict, Filter, Pair, Policy, Races};
use crate::observe::{Analysis, EndedRun, LaunchFacts};
use crate::report::{Code, Finding, Hazard, Mend};

/// Runs of more warp instructions are not repeated to find out what synchronisation is missing.
const WORTH_ASKING: u64 = 4_000_000;

/// The conflicts of a run that are left when something is assumed.
#[derive(Debug, Default)]
struct Remaining {
    /// When some synchronisation that may be missing is there, the likeliest first.
    links: Vec<(Missing, Vec<Pair>)>,
    /// When the least mends are there, the lesser first.
    mends: Vec<(Mend, Vec<Pair>)>,
}

impl Remaining {
    /// What would order all pairs of accesses like this one. If the run was not judged again, only
    /// the example is known.
    fn mend(&self, conflict: &Conflict) -> Mend {
        let vanishes = |(_, left): &&(_, Vec<Pair>)| !left.contains(&conflict.pair());
        let found = self.mends.iter().find(vanishes).map(|(mend, _)| *mend);
        let least = conflict.earlier.thread.least_mend(conflict.later.thread);
        match self.mends.last() {
            Some(_) => found.unwrap_or(Mend::Grid).max(least),
            None => least,
        }
    }
}

impl Analysis for Filter {
    fn name(&self) -> &'static str {
        "races"
    }

    fn looks_for(&self) -> &'static str {
        "races"
    }

    fn codes(&self) -> &'static [Code] {
        &[Code::Race, Code::SameValue, Code::Unordered]
    }

    fn has_ordered_reads(&self) -> bool {
        self.is_without_conflicts()
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        let candidates = self.take_candidates();
        let Some(launch) = self.take_launch() else { return Vec::new() };
        if candidates.is_empty() {
            return Vec::new();
        }
        self.unused = None;
        let mut judge = self.judged(run, Policy::default(), &candidates);
        let has_patterns = judge.has_patterns();
        let mut conflicts = judge.take_conflicts();
        conflicts.retain(|conflict| !conflict.is_spent || !wording::is_polled(conflict, &launch));
        let unused = self.without_use(run, &launch, &candidates, &mut conflicts);
        let carries_data = self.carries_data(run, &conflicts, &candidates);
        let mut remaining = Remaining::default();
        if !conflicts.is_empty() && run.steps() <= WORTH_ASKING {
            let has_races = conflicts.iter().any(|conflict| conflict.weakness.is_some());
            if has_patterns && (has_races || carries_data) {
                for (missing, policy) in Missing::candidates() {
                    remaining.links.push((missing, self.left(run, policy, &candidates)));
                }
            }
            for mend in [Mend::Warp, Mend::Block] {
                let policy = Policy { mended: Some(mend), ..Policy::default() };
                let left = self.left(run, policy, &candidates);
                let is_enough = left.is_empty();
                remaining.mends.push((mend, left));
                if is_enough {
                    break;
                }
            }
        }
        let updated = wording::lines_that_update(&conflicts, &launch);
        let cause = |conflict: &Conflict| {
            let vanishes = |(_, left): &&(_, Vec<Pair>)| !left.contains(&conflict.pair());
            let line = wording::one_line(conflict, &launch);
            Cause {
                missing: remaining.links.iter().find(vanishes).map(|(missing, _)| *missing),
                mend: remaining.mend(conflict),
                is_update: line.is_some_and(|line| updated.contains(line)),
                carries_data,
                advice: None,
            }
        };
        let mut causes: Vec<Cause> = conflicts.iter().map(cause).collect();
        self.advise(run, &launch, &candidates, &conflicts, &mut causes);
        let both = conflicts.iter().zip(causes);
        let mut findings: Vec<Finding> =
            both.map(|(conflict, cause)| worded(conflict, cause, &launch, run)).collect();
        findings.extend(unused.iter().map(|conflict| {
            let mut finding = worded(conflict, Cause::unknown(conflict), &launch, run);
            wording::without_use(&mut finding);
            finding
        }));
        findings
    }

    fn bug(&mut self) -> Option<InternalError> {
        self.bug.take()
    }

    /// Which words could race is a matter of one run: the copy has its own shadow memory.
    fn boxed(&self) -> Box<dyn Analysis> {
        let mut copy = Filter::new();
        copy.advised = self.advised.clone();
        Box::new(copy)
    }
}

impl Filter {
    /// The same run, its candidates judged under a policy.
    fn judged(
        &mut self,
        run: &mut dyn EndedRun,
        policy: Policy,
        candidates: &Arc<Candidates>,
    ) -> Races {
        let judge = Races::assuming(policy, Arc::clone(candidates));
        let mut judge = judge.leaving_out(self.unused.clone());
        run.again(&mut judge);
        if let Some(bug) = judge.bug() {
            self.bug.note(bug);
        }
        judge
    }

    /// Removes the conflicts of reads with unused values. From then on the run is judged without
    /// these reads.
    fn without_use(
        &mut self,
        run: &mut dyn EndedRun,
        launch: &LaunchFacts,
        candidates: &Arc<Candidates>,
        conflicts: &mut Vec<Conflict>,
    ) -> Vec<Conflict> {
        let loads = unused::suspected(conflicts, &launch.program);
        if loads.is_empty() || run.steps() > WORTH_ASKING {
            return Vec::new();
        }
        let mut unused = Unused::default();
        for loads in loads.chunks(unused::AT_ONCE) {
            let mut following = Following::new(loads);
            run.again(&mut following);
            if let Some(bug) = following.bug.take() {
                self.bug.note(bug);
            }
            unused.extend(following.unused());
        }
        if unused.is_empty() {
            return Vec::new();
        }
        self.unused = Some(Arc::new(unused));
        let mut left = self.judged(run, Policy::default(), candidates).take_conflicts();
        left.retain(|conflict| !conflict.is_spent || !wording::is_polled(conflict, launch));
        let pairs: Vec<Pair> = left.iter().map(Conflict::pair).collect();
        let mut gone = std::mem::replace(conflicts, left);
        gone.retain(|conflict| !pairs.contains(&conflict.pair()));
        gone
    }

    /// Whether other data depends on the order of relaxed accesses. It does if, with all strong
    /// accesses as releases and acquires, some race would vanish, or some thread would read data
    /// written elsewhere. If the accesses only pass values to each other, as labels and levels of a
    /// graph, no order is missing.
    fn carries_data(
        &mut self,
        run: &mut dyn EndedRun,
        conflicts: &[Conflict],
        candidates: &Arc<Candidates>,
    ) -> bool {
        let flags: Vec<&Conflict> =
            conflicts.iter().filter(|c| c.is_relaxed() && c.tells()).collect();
        if flags.is_empty() {
            return false;
        }
        let left = self.left(run, Policy::SYNCHRONISED, candidates);
        let is_data = |conflict: &Conflict| {
            let is_read = conflict.hazard == Hazard::ReadAfterWrite;
            conflict.weakness.is_some()
                || is_read && flags.iter().any(|flag| flag.is_about_other(conflict))
        };
        conflicts.iter().any(|c| !left.contains(&c.pair()) && is_data(c))
    }

    /// Finds where synchronisation mends the conflicts that lack nothing else.
    fn advise(
        &mut self,
        run: &mut dyn EndedRun,
        launch: &LaunchFacts,
        words: &Arc<Candidates>,
        conflicts: &[Conflict],
        causes: &mut [Cause],
    ) {
        let mut wanted: Vec<(usize, Conflict, Mend)> = conflicts
            .iter()
            .zip(&*causes)
            .enumerate()
            .filter(|(_, (conflict, cause))| cause.is_order_missing(conflict))
            .map(|(index, (conflict, cause))| (index, conflict.clone(), cause.mend))
            .collect();
        if wanted.is_empty() {
            return;
        }
        let program = &launch.program;
        let flow = Flow::new(program);
        let is_worth_it = run.steps() <= WORTH_ASKING;
        // For blocks without any flag, the advice is to use one. So it is for a run that is not
        // judged again.
        if !(is_worth_it && flow.has_fences()) {
            wanted.retain(|(_, _, mend)| *mend < Mend::Grid);
        }
        let mut trials = match is_worth_it {
            true => Some(Trials::new(run, program, words)),
            false => None,
        };
        for group in advice::grouped(program, &wanted) {
            let known = self.advised.known(program, &group);
            let is_new = known.is_none();
            let advice = known.unwrap_or_else(|| group.advice(&flow, trials.as_mut()));
            if is_new {
                self.advised.keep(program, &group, &advice);
            }
            for (index, is_turned) in &group.members {
                let advice = advice.clone();
                causes[*index].mend = group.mend;
                causes[*index].advice = Some(if *is_turned { advice.turned() } else { advice });
            }
        }
        if let Some(bug) = trials.and_then(|trials| trials.bug) {
            self.bug.note(bug);
        }
    }

    /// The pairs of instructions that still conflict under a policy.
    fn left(
        &mut self,
        run: &mut dyn EndedRun,
        policy: Policy,
        candidates: &Arc<Candidates>,
    ) -> Vec<Pair> {
        let conflicts = self.judged(run, policy, candidates).take_conflicts();
        conflicts.iter().map(Conflict::pair).collect()
    }
}

fn worded(conflict: &Conflict, cause: Cause, launch: &LaunchFacts, run: &dyn EndedRun) -> Finding {
    let object = run.object(conflict.space, conflict.address);
    let mut finding = wording::finding(conflict, cause, launch, &object.to_string());
    finding.object = object.name;
    finding.argument = object.argument;
    finding
}
