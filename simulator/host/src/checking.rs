//! Running a launch under the schedules that checking asks for.
//!
//! The launch itself runs as the settings say, watched. Every other schedule starts from a copy of
//! the memory before the launch, and what it writes is thrown away.

use std::sync::Arc;

use super::device::{Argument, Launch, ModuleHandle};
use super::error::DeviceError;
use super::objects::LaunchObjects;
use super::simulator::{Finished, Simulator};
use crate::check::{Checking, Merged, Schedules, Watch, is_the_same_under_every_schedule};
use crate::observe::Order;
use crate::observe::races::Policy;
use crate::observe::races::wording::Missing;
use crate::report::{Checked, Code, Finding, Outcome, Report};
use crate::schedule::{Adversarial, Direction, Schedule};

/// A launch may take this many times the steps of the first schedule under another one,
const PATIENCE: u64 = 100;

/// but at least this many.
const LEAST: u64 = 4_000_000;

/// Runs of more warp instructions are not repeated to find out what synchronisation is missing.
const WORTH_ASKING: u64 = 4_000_000;

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
        checking: Checking,
    ) -> Result<Report, DeviceError> {
        let mut before = self.fork();
        let first = self.settings().schedule.to_string();
        let mut checked = Checked::default();
        let mut merged = Merged::default();
        let mut finished = self.run_watched(request, checking, &mut before, &first, &mut merged)?;
        checked.schedules.push(first);
        checked.every_schedule = is_the_same_under_every_schedule(&finished.program);
        let others = if checked.every_schedule { Vec::new() } else { others(checking) };
        for schedule in others {
            let text = schedule.to_string();
            if checked.schedules.contains(&text) {
                continue;
            }
            let mut fork = before.fork();
            let patience = finished.counts.warp_instructions.saturating_mul(PATIENCE).max(LEAST);
            fork.settings_mut().max_steps = self.settings().max_steps.min(patience);
            fork.settings_mut().schedule = schedule;
            let mut other = Merged::default();
            let ended = fork.run_watched(request, checking, &mut before, &text, &mut other)?;
            let gave_up = ended.outcome == Outcome::Limit;
            let mut findings = other.into_findings();
            if gave_up {
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
        checking: Checking,
        before: &mut Simulator,
        schedule: &str,
        merged: &mut Merged,
    ) -> Result<Finished, DeviceError> {
        let mut watch = Watch::new(checking, std::mem::take(&mut self.remembered));
        let finished = self.run_once(request, Some(&mut watch))?;
        let candidates = watch.candidates();
        let mut again = |policy: Policy| -> Result<Watch, DeviceError> {
            let mut fork = before.fork();
            fork.settings_mut().schedule = self.settings().schedule.clone();
            fork.settings_mut().max_steps = self.settings().max_steps;
            let mut judge = Watch::judging(Arc::clone(&candidates), policy);
            fork.run_once(request, Some(&mut judge))?;
            Ok(judge)
        };
        let mut judge = Watch::default();
        let mut remaining = Vec::new();
        if !candidates.is_empty() {
            judge = again(Policy::default())?;
            if judge.may_miss_a_link() && finished.counts.warp_instructions <= WORTH_ASKING {
                for (missing, policy) in Missing::candidates() {
                    remaining.push((missing, again(policy)?.pairs()));
                }
            }
        }
        let objects = LaunchObjects {
            program: &finished.program,
            global: self.global(),
            pointers: &finished.pointers,
        };
        let mut findings = judge.findings(&objects, &remaining);
        let undefined = watch.findings(&objects, &Vec::new());
        let others: Vec<Finding> =
            undefined.into_iter().filter(|finding| !may_be_written(finding, &findings)).collect();
        findings.extend(others);
        findings.extend(finished.findings.iter().cloned());
        merged.add(findings, schedule);
        self.remembered = watch.into_remembered();
        Ok(finished)
    }
}

/// Whether an undefined value is of an object some write to which is not ordered: then it is the
/// race that matters, and under another schedule the value may be there.
fn may_be_written(finding: &Finding, conflicts: &[Finding]) -> bool {
    let object = |f: &Finding| (f.space, f.object.clone(), f.argument);
    let load = finding.sites.last().map(|site| site.ptx_line);
    let concerns = |conflict: &Finding| {
        object(conflict) == object(finding)
            || conflict.sites.iter().any(|site| Some(site.ptx_line) == load)
    };
    finding.code == Code::Uninitialized && conflicts.iter().any(concerns)
}

/// The schedules to merge with the first.
fn others(checking: Checking) -> Vec<Box<dyn Schedule>> {
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
