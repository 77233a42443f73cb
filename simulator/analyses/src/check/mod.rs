//! Checking a launch: the analyses that watch it, the schedules, and the findings as one list.
//!
//! A stop of the run (an access outside memory, a deadlock, a livelock, a trap) is a finding of the
//! run itself. The [`Analyses`] of the list find the rest. `host::Simulator` checks every launch
//! when its settings say so.

mod contention;
mod independence;
mod list;
mod merge;

pub use contention::{Contended, Contention};
pub use independence::{Reads, goes_the_same_way, is_the_same_under_every_schedule};
pub use list::Analyses;
pub use merge::Merged;

use crate::ptx::Space;
use crate::report::{Code, Finding, Severity, Site};

/// What to look for, and under which schedules.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checking {
    /// The analyses that watch each run.
    pub analyses: Analyses,
    /// The schedules.
    pub schedules: Schedules,
    /// The warp instructions that runs with added synchronisation may take, all together, to see
    /// what mends a conflict of a run. Without any, the advice says that it was not tried.
    pub trial_steps: u64,
}

/// The default of [`Checking::trial_steps`].
const TRIAL_STEPS: u64 = 16_000_000;

/// Under which schedules a launch is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedules {
    /// Under the schedule of the settings, and the adversarial ones in both directions. If these
    /// find nothing, also under some drawn schedules. Only under the first if the program has the
    /// same effects and accesses under every schedule.
    Merged,
    /// Under the schedule of the settings, and one other. The other is in turn one adversarial
    /// schedule in each direction and two drawn ones, new ones each time. It is meant for many
    /// checked launches that differ little.
    InTurn(u64),
    /// Under the one of the settings alone.
    AsSet,
}

impl Default for Checking {
    fn default() -> Checking {
        Checking {
            analyses: Analyses::default(),
            schedules: Schedules::Merged,
            trial_steps: TRIAL_STEPS,
        }
    }
}

impl Checking {
    /// The same with these analyses.
    pub fn with_analyses(mut self, analyses: Analyses) -> Checking {
        self.analyses = analyses;
        self
    }

    /// The same under these schedules.
    pub fn with_schedules(mut self, schedules: Schedules) -> Checking {
        self.schedules = schedules;
        self
    }

    /// The same with this many steps for trials of what mends a conflict.
    pub fn with_trial_steps(mut self, steps: u64) -> Checking {
        self.trial_steps = steps;
        self
    }
}

/// The findings of a run, without findings that follow from others.
///
/// This drops an undefined value of an object when some write to the object is not ordered. Then
/// the race matters, and under another schedule the value may be there. A mere note about such a
/// write hides nothing. Neither do stores of one value, which happen under every schedule. It also
/// drops a race on shared memory in a block whose threads met crosswise, at different instructions
/// of a barrier. There the source does not show which accesses the barrier ordered, so the advice
/// for the race would be wrong. The finding of the barrier says how many races were left out. The
/// races stay where threads only passed by a barrier: the missing wait causes them.
pub fn without_consequences(mut findings: Vec<Finding>) -> Vec<Finding> {
    leave_out_crosswise_races(&mut findings);
    let is_conflict = |finding: &&Finding| {
        matches!(finding.code, Code::Race | Code::Unordered) && finding.severity > Severity::Note
    };
    let (conflicts, others): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| is_conflict(&finding));
    let follows = |finding: &Finding| {
        finding.code == Code::Uninitialized && conflicts.iter().any(|c| concerns(c, finding))
    };
    let others: Vec<Finding> = others.into_iter().filter(|finding| !follows(finding)).collect();
    conflicts.into_iter().chain(others).collect()
}

/// Leaves out races on shared memory where barriers met crosswise, and says so there.
fn leave_out_crosswise_races(findings: &mut Vec<Finding>) {
    let waits = |site: &Site| site.operation.starts_with("bar");
    let is_crosswise = |f: &Finding| {
        f.code == Code::BarrierDivergence
            && f.severity == Severity::Error
            && f.sites.len() > 1
            && f.sites.iter().all(waits)
    };
    if !findings.iter().any(is_crosswise) {
        return;
    }
    let before = findings.len();
    let is_race = |f: &Finding| matches!(f.code, Code::Race | Code::SameValue);
    findings.retain(|f| !is_race(f) || f.space != Some(Space::Shared));
    let races = before - findings.len();
    if races > 0
        && let Some(barrier) = findings.iter_mut().find(|finding| is_crosswise(finding))
    {
        let races = if races == 1 { "1 race".to_owned() } else { format!("{races} races") };
        barrier.notes.push(format!(
            "{races} on shared memory left out: threads wait at different barriers, so barriers \
             order other accesses than in the source; fix this first and check again"
        ));
    }
}

/// Whether a conflict is about the memory, or the load, that an undefined value came from.
fn concerns(conflict: &Finding, undefined: &Finding) -> bool {
    let object = |f: &Finding| (f.space, f.object.clone(), f.argument);
    let load = undefined.sites.last().map(|site| site.ptx_line);
    object(conflict) == object(undefined)
        || conflict.sites.iter().any(|site| Some(site.ptx_line) == load)
}
