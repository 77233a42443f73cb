//! The analyses that watch one run, as one observer.

use std::sync::Arc;

use super::{Checking, Objects};
use crate::convergence::Convergence;
use crate::lower::Semantics;
use crate::observe::{
    Access, Arrival, BarrierEvent, Event, Interest, LaunchFacts, Observer, WarpEvent,
};
use crate::races::{Candidates, Filter, Pair, Policy, Races, wording};
use crate::report::Finding;
use crate::uninitialized::Uninitialized;

/// The analyses that watch a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    filter: Option<Filter>,
    races: Option<Races>,
    convergence: Option<Convergence>,
    uninitialized: Option<Uninitialized>,
    launch: Option<LaunchFacts>,
    /// What each of them wants to be told.
    interests: [Interest; 4],
}

/// What is kept between the launches of a device.
#[derive(Debug, Default)]
pub struct Remembered {
    /// Its shadow memory is used again.
    filter: Option<Filter>,
    /// What is known of memory that was never written.
    undefined: Option<Uninitialized>,
}

impl Remembered {
    /// What a copy of the device goes on from: shadow memory of its own.
    pub fn fork(&self) -> Remembered {
        Remembered { filter: None, undefined: self.undefined.clone() }
    }
}

/// The races of a run, and those that are left when some synchronisation is assumed.
pub type Remaining = Vec<(wording::Missing, Vec<Pair>)>;

impl Watch {
    /// What these settings ask for, going on from the earlier launches of the device.
    pub fn new(checking: Checking, earlier: Remembered) -> Watch {
        let Remembered { filter, undefined } = earlier;
        Watch {
            filter: checking.races.then(|| filter.unwrap_or_default()),
            convergence: checking.convergence.then(Convergence::new),
            uninitialized: checking.uninitialized.then(|| undefined.unwrap_or_default()),
            ..Watch::default()
        }
    }

    /// A judge of the candidates of an earlier, equal run, as if some synchronisation were there.
    pub fn judging(candidates: Arc<Candidates>, policy: Policy) -> Watch {
        Watch { races: Some(Races::assuming(policy, candidates)), ..Watch::default() }
    }

    /// The words that could race, and forgets them.
    pub fn candidates(&mut self) -> Arc<Candidates> {
        self.filter.as_mut().map(Filter::take_candidates).unwrap_or_default()
    }

    /// What the next launch of the device goes on from.
    pub fn into_remembered(self) -> Remembered {
        Remembered { filter: self.filter, undefined: self.uninitialized }
    }

    /// The pairs of instructions that race.
    pub fn pairs(&mut self) -> Vec<Pair> {
        let conflicts = self.races.as_mut().map(Races::take_conflicts).unwrap_or_default();
        conflicts.iter().map(|conflict| conflict.pair()).collect()
    }

    /// Whether somebody raced who also synchronised, so that it can be asked what is missing.
    pub fn may_miss_a_link(&self) -> bool {
        self.races.as_ref().is_some_and(Races::may_miss_a_link)
    }

    /// What was found, and forgets it. `remaining` tells what is left of the races under which
    /// assumption.
    pub fn findings(&mut self, objects: &dyn Objects, remaining: &Remaining) -> Vec<Finding> {
        let Some(launch) = self.launch.clone() else { return Vec::new() };
        let conflicts = self.races.as_mut().map(Races::take_conflicts).unwrap_or_default();
        let race = |conflict: &crate::races::Conflict| {
            let vanishes = |(_, left): &&(_, Vec<Pair>)| !left.contains(&conflict.pair());
            let missing = remaining.iter().find(vanishes).map(|(missing, _)| *missing);
            let object = objects.at(conflict.space, conflict.address);
            let mut finding = wording::finding(conflict, missing, &launch, &object.to_string());
            finding.object = object.name;
            finding.argument = object.argument;
            finding
        };
        let mut findings: Vec<Finding> = conflicts.iter().map(race).collect();
        findings.extend(self.convergence.iter_mut().flat_map(Convergence::findings));
        let undefined = self.uninitialized.iter_mut().flat_map(Uninitialized::findings);
        findings.extend(undefined.map(|mut finding| {
            if let (Some(space), Some(address)) = (finding.space, finding.address) {
                let object = objects.at(space, address);
                if object.name.is_some() {
                    finding.notes.insert(0, format!("the value is that of {object}"));
                }
                finding.object = object.name;
                finding.argument = object.argument;
            }
            finding
        }));
        findings
    }

    fn all(&mut self) -> [Option<&mut dyn Observer>; 4] {
        [
            self.filter.as_mut().map(|one| one as &mut dyn Observer),
            self.races.as_mut().map(|one| one as &mut dyn Observer),
            self.convergence.as_mut().map(|one| one as &mut dyn Observer),
            self.uninitialized.as_mut().map(|one| one as &mut dyn Observer),
        ]
    }

    /// Those who want to be told of something.
    #[inline]
    fn tell(&mut self, wants: impl Fn(&Interest) -> bool, what: impl Fn(&mut dyn Observer)) {
        let wanted: [bool; 4] = std::array::from_fn(|i| wants(&self.interests[i]));
        for (one, wanted) in self.all().into_iter().zip(wanted) {
            if let Some(one) = one
                && wanted
            {
                what(one);
            }
        }
    }
}

fn synchronisation(interest: &Interest) -> bool {
    interest.synchronisation
}

impl Observer for Watch {
    fn interest(&self) -> Interest {
        self.interests.iter().fold(Interest::none(), |all, one| all.or(one))
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.launch = Some(launch.clone());
        self.interests = self.all().map(|one| {
            let Some(one) = one else { return Interest::none() };
            one.launch_begin(launch);
            one.interest()
        });
    }

    fn block_begin(&mut self, block: u64) {
        self.tell(|_| true, |one| one.block_begin(block));
    }

    fn before(&mut self, event: &Event<'_>) {
        let at = event.pc as usize;
        let is_place = |places: &[bool]| places.get(at).copied().unwrap_or(false);
        self.tell(|i| i.instructions || is_place(&i.places), |one| one.before(event));
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        // The filter comes first and by its own name: it is told of every access of every run.
        if let Some(filter) = &mut self.filter {
            filter.access(event, access);
        }
        let wanted: [bool; 4] = std::array::from_fn(|i| i > 0 && self.interests[i].accesses);
        if wanted.contains(&true) {
            let wanted = self.all().into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
            wanted.filter_map(|(one, _)| one).for_each(|one| one.access(event, access));
        }
    }

    fn after(&mut self, event: &Event<'_>) {
        self.tell(|i| i.instructions, |one| one.after(event));
    }

    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {
        self.tell(synchronisation, |one| one.fence(event, semantics));
    }

    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {
        self.tell(synchronisation, |one| one.arrive(event, barrier, count, arrival));
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        self.tell(synchronisation, |one| one.barrier(barrier));
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        self.tell(synchronisation, |one| one.together(warp));
    }

    fn exit(&mut self, event: &Event<'_>) {
        self.tell(synchronisation, |one| one.exit(event));
    }

    fn block_end(&mut self, block: u64) {
        self.tell(|_| true, |one| one.block_end(block));
    }

    fn launch_end(&mut self) {
        self.tell(|_| true, |one| one.launch_end());
    }
}
