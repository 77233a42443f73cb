//! Running a launch under the schedules that checking asks for.
//!
//! One schedule is enough where the program does the same under every schedule. Otherwise two
//! adversarial ones are merged with it. If these three find nothing, or only that threads got
//! stuck, more schedules are drawn, within a bound on their cost. If a race makes threads wait for
//! ever, the race is the finding that matters. A launch that is one of many of the same kernel may
//! be checked under one other schedule alone, in turn ([`Schedules::InTurn`]).
//!
//! A run that is watched stays on one host thread. The two adversarial ones run in parallel if the
//! settings allow it, and so do as many drawn ones as there are threads. Each run may take the
//! steps that earlier runs have left, a number that is unknown when it begins. It begins with the
//! steps left at that time. A run that took too many is repeated.
//!
//! The launch itself runs as the settings say, watched. Every other schedule starts from a copy of
//! the memory before the launch, and its writes are thrown away.

use std::ops::Range;
use std::sync::Arc;

use super::admitted::Admitted;
use super::error::DeviceError;
use super::settings::Settings;
use super::simulator::{Finished, Simulator};
use super::threads::{Crew, Threads};
use crate::check::{
    Checking, Merged, Reads, Schedules, is_the_same_under_every_schedule, without_consequences,
};
use crate::findings::listener::Listener;
use crate::findings::objects::LaunchObjects;
use crate::machine::Watcher;
use crate::observe::{EndedRun, Object, Observer, Order, Tried};
use crate::passes::{Side, Synchronisation};
use crate::ptx::{InstId, Space};
use crate::report::{Checked, Code, Finding, Outcome, Report};
use crate::schedule::{
    Adversarial, Counted, DEPTH, Direction, InOrder, Random, Recorder, Schedule,
};
use crate::taped::Taped;

/// A launch may take this many times the steps of the first schedule under another one,
const OTHER_COST: u64 = 100;

/// but at least this many.
const OTHER_LEAST: u64 = 4_000_000;

/// With synchronisation added a launch may take this many times the steps, and as many more.
const MENDED_COST: u64 = 4;
const MENDED_LEAST: u64 = 100_000;

/// How many random schedules, and how many by priorities, are drawn when nothing was found.
const DRAWN: u64 = 8;

/// These may take this many times the steps of the first schedule, all together,
const DRAWN_COST: u64 = 4;

/// but at least this many.
const DRAWN_LEAST: u64 = 400_000;

/// They choose for this many times the turns of the run in order, one for each thread; then the run
/// goes on in order, so that it ends or is seen to go round for ever.
const DRAWN_TURNS: u64 = 4;

/// A launch to be checked.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub admitted: &'a Admitted,
    /// Its place among the operations of the device.
    pub order: &'a Order,
}

impl Simulator {
    /// Runs a launch as the settings say, and checks it.
    pub(super) fn run_checked(
        &mut self,
        request: Request<'_>,
        checking: &Checking,
        watcher: Watcher<'_, '_>,
    ) -> Result<Report, DeviceError> {
        let mut before = self.fork_to_run();
        let first = self.settings().schedule.to_string();
        let (mut finished, reads) = self.run_watched(request, checking, watcher, &mut before)?;
        // A listener gets the new findings of all schedules when they are checked one after the
        // other.
        let has_others = match checking.schedules {
            Schedules::Merged | Schedules::InTurn(_) => true,
            Schedules::AsSet => false,
        };
        let listener = self.settings().listener.clone().filter(|_| has_others);
        let mut merged = Merged::default();
        merged.add(std::mem::take(&mut finished.findings), &first);
        listener.iter().for_each(|listener| listener.tell_new(&mut merged));
        let is_fixed = is_the_same_under_every_schedule(&finished.program, reads);
        // When every thread has gone as far as it can, all work is done.
        let is_whole = matches!(finished.outcome, Outcome::Completed | Outcome::Deadlock);
        let mut checked = Checked {
            schedules: vec![first],
            every_schedule: is_fixed && is_whole,
            ..Checked::default()
        };
        let is_enough = is_fixed && (is_whole || finished.outcome == Outcome::Limit);
        if has_others && !is_enough {
            let steps = finished.counts.warp_instructions;
            // One other schedule needs no threads beside this one, which cost more than it does.
            let crew = Crew::new(match checking.schedules {
                Schedules::InTurn(_) => Threads::ONE,
                Schedules::Merged | Schedules::AsSet => self.settings().threads,
            });
            let mut others = Others { request, checking, before, merged, checked, crew, listener };
            others.run(self.settings().max_steps, steps)?;
            Others { merged, checked, .. } = others;
        }
        finished.findings = merged.into_findings();
        let mut report = finished.report();
        report.checked = Some(checked);
        Ok(report)
    }

    /// Runs a launch once, under the schedule of the settings, with all that was found. `before` is
    /// the device before the launch.
    fn run_watched(
        &mut self,
        request: Request<'_>,
        checking: &Checking,
        watcher: Watcher<'_, '_>,
        before: &mut Simulator,
    ) -> Result<(Finished, Reads), DeviceError> {
        let mut analyses = checking.analyses.going_on(self.analyses.take());
        let mut finished = self.run_once(request, Some(&mut analyses.and_observer(watcher)))?;
        let reads = match analyses.have_ordered_reads() {
            true => Reads::AreOrdered,
            false => Reads::MayVary,
        };
        let objects = LaunchObjects {
            program: &finished.program,
            global: self.global(),
            pointers: &finished.pointers,
        };
        let steps = finished.counts.warp_instructions;
        let is_fixed = is_the_same_under_every_schedule(&finished.program, reads);
        let settings = self.settings();
        let trial_steps = checking.trial_steps;
        let mut ended =
            Ended { request, before, settings, objects, steps, trial_steps, is_fixed, error: None };
        let found = analyses.findings(&mut ended);
        if let Some(error) = ended.error {
            return Err(error);
        }
        let mut findings = without_consequences(found?);
        findings.append(&mut finished.findings);
        finished.findings = findings;
        self.analyses = Some(analyses);
        Ok((finished, reads))
    }
}

/// A run that has been watched.
struct Ended<'a> {
    request: Request<'a>,
    /// The device before it.
    before: &'a mut Simulator,
    /// How it ran.
    settings: &'a Settings,
    objects: LaunchObjects<'a>,
    steps: u64,
    /// What repetitions with synchronisation added may take.
    trial_steps: u64,
    /// It does the same under every schedule.
    is_fixed: bool,
    /// What kept it from running again.
    error: Option<DeviceError>,
}

impl EndedRun for Ended<'_> {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn trial_steps(&self) -> u64 {
        self.trial_steps
    }

    fn object(&self, space: Space, address: u64) -> Object {
        self.objects.at(space, address)
    }

    fn again(&mut self, observer: &mut dyn Observer) {
        if self.error.is_some() {
            return;
        }
        let mut fork = self.before.fork();
        fork.settings_mut().schedule = self.settings.schedule.clone();
        fork.settings_mut().max_steps = self.settings.max_steps;
        self.error = fork.run_once(self.request, Some(observer)).err();
    }

    fn mended(
        &mut self,
        what: Synchronisation,
        places: &[(InstId, Side)],
        observer: &mut dyn Observer,
    ) -> Option<Tried> {
        let Request { admitted, order } = self.request;
        let program = self.before.synchronised(admitted, what, places).ok()?;
        let admitted = Admitted { program: Arc::clone(&program), ..admitted.clone() };
        let mut fork = self.before.fork();
        fork.settings_mut().schedule = self.settings.schedule.clone();
        let most = self.steps.saturating_mul(MENDED_COST).saturating_add(MENDED_LEAST);
        fork.settings_mut().max_steps = most.min(self.settings.max_steps);
        let request = Request { admitted: &admitted, order };
        let mut ended = fork.run_once(request, Some(&mut *observer)).ok()?;
        let mut steps = ended.counts.warp_instructions;
        if ended.outcome == Outcome::Completed && !self.is_fixed {
            // What mends one order of turns need not mend another one.
            let mut fork = self.before.fork();
            fork.settings_mut().schedule = Box::new(Adversarial::new(Direction::Back));
            fork.settings_mut().max_steps = most.min(self.settings.max_steps);
            ended = fork.run_once(request, Some(observer)).ok()?;
            steps = steps.saturating_add(ended.counts.warp_instructions);
        }
        Some(Tried { outcome: ended.outcome, steps, program })
    }
}

/// The runs under other schedules than the first.
struct Others<'a> {
    request: Request<'a>,
    checking: &'a Checking,
    before: Simulator,
    merged: Merged,
    checked: Checked,
    crew: Crew,
    listener: Option<Listener>,
}

/// A schedule that is drawn, with its name and what it runs on.
struct Drawn {
    name: String,
    leading: Recorder,
    forks: [Simulator; 2],
}

impl Others<'_> {
    /// Runs the launch under the schedules that are always merged with the first. If these find
    /// nothing, it also runs some drawn schedules. `steps` is the number of steps of the first run.
    fn run(&mut self, max_steps: u64, steps: u64) -> Result<(), DeviceError> {
        let most = max_steps.min(steps.saturating_mul(OTHER_COST).max(OTHER_LEAST));
        let chosen = Chosen::of(self.checking.schedules);
        self.run_always(chosen.always(), most)?;
        if self.merged.has_cause() || chosen.seeds().is_empty() {
            return Ok(());
        }
        let mut left = steps.saturating_mul(DRAWN_COST).max(DRAWN_LEAST).min(max_steps);
        let length = self.length(left)?;
        let turns = length.single_turns().saturating_mul(DRAWN_TURNS).max(1);
        let mut drawn = chosen.drawn(&length).peekable();
        while drawn.peek().is_some() {
            let most = left;
            for (name, leading, ended) in self.run_drawn(&mut drawn, turns, most) {
                let mut ended = ended?;
                let is_first = left == most;
                if !is_first && ended.counts.warp_instructions >= left {
                    let forks = [self.before.fork(), self.before.fork()];
                    ended = run_on(forks, self.request, self.checking, &leading, left)?;
                }
                let (findings, steps) = self.note(ended, &name);
                if !findings.is_empty() {
                    let replay = self.replay(leading, left)?.unwrap_or(name);
                    self.add(findings, &replay);
                }
                left = left.saturating_sub(steps);
                if self.merged.has_cause() || left == 0 {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Runs the launch under the next schedules that are drawn, side by side, each with this many
    /// steps: as many as there are threads.
    fn run_drawn(
        &mut self,
        drawn: &mut impl Iterator<Item = Box<dyn Schedule>>,
        turns: u64,
        most: u64,
    ) -> Vec<(String, Recorder, Result<Finished, DeviceError>)> {
        let next = drawn.take(self.crew.count()).map(|schedule| Drawn {
            name: schedule.to_string(),
            leading: Recorder::leading(schedule, turns),
            forks: [self.before.fork(), self.before.fork()],
        });
        let next: Vec<Drawn> = next.collect();
        let (request, checking) = (self.request, self.checking);
        self.crew.each(next, |Drawn { name, leading, forks }| {
            let ended = run_on(forks, request, checking, &leading, most);
            (name, leading, ended)
        })
    }

    /// Runs the launch under the schedules that are always merged with the first, side by side.
    fn run_always(
        &mut self,
        mut new: Vec<Box<dyn Schedule>>,
        most: u64,
    ) -> Result<(), DeviceError> {
        new.retain(|schedule| !self.checked.schedules.contains(&schedule.to_string()));
        let apart: Vec<(Box<dyn Schedule>, [Simulator; 2])> = new
            .into_iter()
            .map(|schedule| (schedule, [self.before.fork(), self.before.fork()]))
            .collect();
        let (request, checking) = (self.request, self.checking);
        let ended = self.crew.each(apart, |(schedule, forks)| {
            let ended = run_on(forks, request, checking, schedule.as_ref(), most);
            (schedule.to_string(), ended)
        });
        for (name, ended) in ended {
            let (findings, _) = self.note(ended?, &name);
            self.add(findings, &name);
        }
        Ok(())
    }

    /// Adds the findings under a schedule, and reports the new ones.
    fn add(&mut self, findings: Vec<Finding>, schedule: &str) {
        self.merged.add(findings, schedule);
        self.listener.iter().for_each(|listener| listener.tell_new(&mut self.merged));
    }

    /// The schedule of a run that was drawn at first. `None` when the whole run was drawn.
    fn replay(&mut self, leading: Recorder, most: u64) -> Result<Option<String>, DeviceError> {
        let tape = Taped::new(leading);
        self.run_unwatched(&tape, most)?;
        Ok(tape.is_past().then(|| tape.replay().to_string()))
    }

    /// How long the run in order is.
    fn length(&mut self, most: u64) -> Result<Counted, DeviceError> {
        let counted = Counted::new(&InOrder::new());
        self.run_unwatched(&counted, most)?;
        Ok(counted)
    }

    fn run_unwatched(&mut self, schedule: &dyn Schedule, most: u64) -> Result<(), DeviceError> {
        let mut fork = self.before.fork();
        fork.settings_mut().max_steps = most;
        fork.settings_mut().schedule = schedule.boxed();
        fork.run_once(self.request, None).map(|_| ())
    }

    /// Notes that a run has ended under a schedule of this name: what was found, and the steps that
    /// it took.
    fn note(&mut self, ended: Finished, name: &str) -> (Vec<Finding>, u64) {
        let mut findings = ended.findings;
        if ended.outcome == Outcome::Limit {
            findings.retain(|finding| finding.code != Code::Limit);
            self.checked.unfinished.push(name.to_owned());
        }
        self.checked.schedules.push(name.to_owned());
        (findings, ended.counts.warp_instructions)
    }
}

/// Runs a launch under a schedule, watched, on the first of two copies of the device; on the
/// second, once more where an analysis asks for it.
fn run_on(
    [mut gpu, mut before]: [Simulator; 2],
    request: Request<'_>,
    checking: &Checking,
    schedule: &dyn Schedule,
    most: u64,
) -> Result<Finished, DeviceError> {
    gpu.settings_mut().max_steps = most;
    gpu.settings_mut().schedule = schedule.boxed();
    gpu.run_watched(request, checking, None, &mut before).map(|(ended, _)| ended)
}

/// The schedules under which a launch runs beside the first.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    /// The adversarial ones, and if nothing is found all that are drawn.
    All,
    /// One of the adversarial ones.
    Adversarial(Direction),
    /// One that is drawn: at random, or by priorities.
    Drawn {
        seed: u64,
        by_priorities: bool,
    },
    None,
}

impl Chosen {
    fn of(schedules: Schedules) -> Chosen {
        match schedules {
            Schedules::Merged => Chosen::All,
            Schedules::AsSet => Chosen::None,
            Schedules::InTurn(turn) => match turn % 4 {
                0 => Chosen::Adversarial(Direction::Forward),
                1 => Chosen::Adversarial(Direction::Back),
                kind => Chosen::Drawn { seed: DRAWN + turn / 4, by_priorities: kind == 3 },
            },
        }
    }

    fn always(self) -> Vec<Box<dyn Schedule>> {
        match self {
            Chosen::All => other_schedules().into(),
            Chosen::Adversarial(direction) => vec![Box::new(Adversarial::new(direction))],
            Chosen::Drawn { .. } | Chosen::None => Vec::new(),
        }
    }

    fn seeds(self) -> Range<u64> {
        match self {
            Chosen::All => 0..DRAWN,
            Chosen::Drawn { seed, .. } => seed..seed + 1,
            Chosen::Adversarial(_) | Chosen::None => 0..0,
        }
    }

    /// The schedules that are drawn, for runs of this length.
    fn drawn(self, length: &Counted) -> impl Iterator<Item = Box<dyn Schedule>> {
        let is_one_of = move |is_by_priorities: bool| match self {
            Chosen::Drawn { by_priorities, .. } => by_priorities == is_by_priorities,
            Chosen::All | Chosen::Adversarial(_) | Chosen::None => true,
        };
        self.seeds().flat_map(move |seed| {
            let random = || Box::new(Random::new(seed)) as Box<dyn Schedule>;
            let both =
                [is_one_of(false).then(random), is_one_of(true).then(|| length.pct(seed, DEPTH))];
            both.into_iter().flatten()
        })
    }
}

/// The adversarial schedules, in both directions.
pub(super) fn other_schedules() -> [Box<dyn Schedule>; 2] {
    [Direction::Forward, Direction::Back]
        .map(|d| Box::new(Adversarial::new(d)) as Box<dyn Schedule>)
}
