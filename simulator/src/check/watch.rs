//! The analyses that watch one run, as one observer.

use std::sync::Arc;

use super::{Checking, Objects};
use crate::lower::Semantics;
use crate::observe::races::{Candidates, Filter, Pair, Policy, Races, wording};
use crate::observe::{
    Access, Arrival, BarrierEvent, Event, Interest, LaunchFacts, Observer, WarpEvent,
};
use crate::report::Finding;

/// The analyses that watch a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    filter: Option<Filter>,
    races: Option<Races>,
    launch: Option<LaunchFacts>,
}

/// The races of a run, and those that are left when some synchronisation is assumed.
pub(crate) type Remaining = Vec<(wording::Missing, Vec<Pair>)>;

impl Watch {
    /// What these settings ask for.
    pub(crate) fn new(checking: Checking) -> Watch {
        Watch { filter: checking.races.then(Filter::new), ..Watch::default() }
    }

    /// A judge of the candidates of an earlier, equal run, as if some synchronisation were there.
    pub(crate) fn judging(candidates: Arc<Candidates>, policy: Policy) -> Watch {
        Watch { races: Some(Races::assuming(policy, candidates)), ..Watch::default() }
    }

    /// The words that could race, and forgets them.
    pub(crate) fn candidates(&mut self) -> Arc<Candidates> {
        self.filter.as_mut().map(Filter::take_candidates).unwrap_or_default()
    }

    /// The pairs of instructions that race.
    pub(crate) fn pairs(&mut self) -> Vec<Pair> {
        let conflicts = self.races.as_mut().map(Races::take_conflicts).unwrap_or_default();
        conflicts.iter().map(|conflict| conflict.pair()).collect()
    }

    /// Whether somebody raced who also synchronised, so that it can be asked what is missing.
    pub(crate) fn may_miss_a_link(&self) -> bool {
        self.races.as_ref().is_some_and(Races::may_miss_a_link)
    }

    /// What was found, and forgets it. `remaining` tells what is left of the races under which
    /// assumption.
    pub(crate) fn findings(
        &mut self,
        objects: &dyn Objects,
        remaining: &Remaining,
    ) -> Vec<Finding> {
        let Some(launch) = self.launch.clone() else { return Vec::new() };
        let conflicts = self.races.as_mut().map(Races::take_conflicts).unwrap_or_default();
        let race = |conflict: &crate::observe::races::Conflict| {
            let vanishes = |(_, left): &&(_, Vec<Pair>)| !left.contains(&conflict.pair());
            let missing = remaining.iter().find(vanishes).map(|(missing, _)| *missing);
            let object = objects.at(conflict.space, conflict.address);
            let mut finding = wording::finding(conflict, missing, &launch, &object.to_string());
            finding.object = object.name;
            finding.argument = object.argument;
            finding
        };
        conflicts.iter().map(race).collect()
    }

    fn each(&mut self) -> impl Iterator<Item = &mut dyn Observer> {
        let filter = self.filter.iter_mut().map(|filter| filter as &mut dyn Observer);
        filter.chain(self.races.iter_mut().map(|races| races as &mut dyn Observer))
    }
}

impl Observer for Watch {
    fn interest(&self) -> Interest {
        let filter = self.filter.iter().map(|filter| filter.interest());
        let all = filter.chain(self.races.iter().map(|races| races.interest()));
        all.fold(Interest::none(), |all, one| all.or(&one))
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.launch = Some(launch.clone());
        self.each().for_each(|one| one.launch_begin(launch));
    }

    fn block_begin(&mut self, block: u64) {
        self.each().for_each(|one| one.block_begin(block));
    }

    fn before(&mut self, event: &Event<'_>) {
        self.each().for_each(|one| one.before(event));
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        self.each().for_each(|one| one.access(event, access));
    }

    fn after(&mut self, event: &Event<'_>) {
        self.each().for_each(|one| one.after(event));
    }

    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {
        self.each().for_each(|one| one.fence(event, semantics));
    }

    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {
        self.each().for_each(|one| one.arrive(event, barrier, count, arrival));
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        self.each().for_each(|one| one.barrier(barrier));
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        self.each().for_each(|one| one.together(warp));
    }

    fn exit(&mut self, event: &Event<'_>) {
        self.each().for_each(|one| one.exit(event));
    }

    fn block_end(&mut self, block: u64) {
        self.each().for_each(|one| one.block_end(block));
    }

    fn launch_end(&mut self) {
        self.each().for_each(|one| one.launch_end());
    }
}
