//! Running a launch under the schedules that checking asks for.
//!
//! The launch itself runs as the settings say, watched. Every other schedule starts from a copy of
//! the memory before the launch, and what it writes is thrown away.

use super::device::{Argument, Launch, ModuleHandle};
use super::error::DeviceError;
use super::objects::LaunchObjects;
use super::settings::Settings;
use super::simulator::{Finished, Simulator};
use crate::check::{Checking, Merged, Schedules};
use crate::check::{is_the_same_under_every_schedule, without_consequences};
use crate::machine::Watcher;
use crate::observe::{EndedRun, Object, Observer, Order};
use crate::ptx::Space;
use crate::report::{Checked, Code, Finding, Outcome, Report};
use crate::schedule::{Adversarial, Direction, Schedule};

/// A launch may take this many times the steps of the first schedule under another one,
const MOST_TIMES: u64 = 100;

/// but at least this many.
const LEAST: u64 = 4_000_000;

/// A launch to be checked.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub module: ModuleHandle,
    pub kernel: &'a str,
    pub launch: &'a Launch,
    pub arguments: &'a [Argument],
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
        let mut before = self.fork();
        let first = self.settings().schedule.to_string();
        let mut checked = Checked::default();
        let mut merged = Merged::default();
        let (mut finished, findings) = self.run_watched(request, checking, watcher, &mut before)?;
        merged.add(findings, &first);
        checked.schedules.push(first);
        checked.every_schedule = is_the_same_under_every_schedule(&finished.program);
        let others = if checked.every_schedule { Vec::new() } else { others(checking) };
        for schedule in others {
            let text = schedule.to_string();
            if checked.schedules.contains(&text) {
                continue;
            }
            let mut fork = before.fork();
            let most = finished.counts.warp_instructions.saturating_mul(MOST_TIMES).max(LEAST);
            fork.settings_mut().max_steps = self.settings().max_steps.min(most);
            fork.settings_mut().schedule = schedule;
            let (ended, mut findings) = fork.run_watched(request, checking, None, &mut before)?;
            if ended.outcome == Outcome::Limit {
                findings.retain(|finding| finding.code != Code::Limit);
                checked.unfinished.push(text.clone());
            }
            merged.add(findings, &text);
            checked.schedules.push(text);
        }
        finished.findings = merged.into_findings();
        let Finished { outcome, counts, findings, .. } = finished;
        Ok(Report { outcome, counts, findings, checked: Some(checked) })
    }

    /// Runs a launch once, under the schedule of the settings, and adds what was found. `before` is
    /// the device before the launch.
    fn run_watched(
        &mut self,
        request: Request<'_>,
        checking: &Checking,
        watcher: Watcher<'_, '_>,
        before: &mut Simulator,
    ) -> Result<(Finished, Vec<Finding>), DeviceError> {
        let mut analyses = checking.analyses.going_on(self.analyses.take());
        let finished = self.run_once(request, Some(&mut analyses.and_observer(watcher)))?;
        let objects = LaunchObjects {
            program: &finished.program,
            global: self.global(),
            pointers: &finished.pointers,
        };
        let steps = finished.counts.warp_instructions;
        let mut ended =
            Ended { request, before, settings: self.settings(), objects, steps, error: None };
        let mut findings = without_consequences(analyses.findings(&mut ended));
        if let Some(error) = ended.error {
            return Err(error);
        }
        findings.extend(finished.findings.iter().cloned());
        self.analyses = Some(analyses);
        Ok((finished, findings))
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
    /// What kept it from running again.
    error: Option<DeviceError>,
}

impl EndedRun for Ended<'_> {
    fn steps(&self) -> u64 {
        self.steps
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
}

/// The schedules to merge with the first.
fn others(checking: &Checking) -> Vec<Box<dyn Schedule>> {
    match checking.schedules {
        Schedules::AsSet => Vec::new(),
        Schedules::Merged => other_schedules().into(),
    }
}

/// The adversarial schedules, in both directions.
pub(super) fn other_schedules() -> [Box<dyn Schedule>; 2] {
    [Direction::Forward, Direction::Back]
        .map(|d| Box::new(Adversarial::new(d)) as Box<dyn Schedule>)
}
