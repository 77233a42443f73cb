//! Checking a launch: which analyses watch it, under which schedules, and what they found, as one
//! list.
//!
//! What stops a run (an access outside memory, a deadlock, a livelock, a trap) is a finding of the
//! run itself; the rest is found by the [`Analyses`] of the list. `host::Simulator` checks
//! every launch when its settings say so.

mod contention;
mod independence;
mod list;
mod merge;

pub use contention::{Contended, Contention};
pub use independence::{Reads, goes_the_same_way, is_the_same_under_every_schedule};
pub use list::Analyses;
pub use merge::Merged;

use crate::report::{Code, Finding};

/// What to look for, and under which schedules.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checking {
    /// The analyses that watch each run.
    pub analyses: Analyses,
    /// The schedules.
    pub schedules: Schedules,
}

/// Under which schedules a launch is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedules {
    /// Under the one of the settings, and the adversarial ones in both directions; when nothing is
    /// found under these, under some that are drawn. The first alone when the program does and
    /// accesses the same under every schedule.
    Merged,
    /// Under the one of the settings alone.
    AsSet,
}

impl Default for Checking {
    fn default() -> Checking {
        Checking { analyses: Analyses::default(), schedules: Schedules::Merged }
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
}

/// The findings of a run without those that follow from others: an undefined value of an object
/// some write to which is not ordered. Then it is the race that matters, and under another schedule
/// the value may be there.
pub fn without_consequences(findings: Vec<Finding>) -> Vec<Finding> {
    let is_conflict = |finding: &&Finding| matches!(finding.code, Code::Race | Code::Unordered);
    let (conflicts, others): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| is_conflict(&finding));
    let follows = |finding: &Finding| {
        finding.code == Code::Uninitialized && conflicts.iter().any(|c| concerns(c, finding))
    };
    let others: Vec<Finding> = others.into_iter().filter(|finding| !follows(finding)).collect();
    conflicts.into_iter().chain(others).collect()
}

/// Whether a conflict is about the memory, or the load, that an undefined value came from.
fn concerns(conflict: &Finding, undefined: &Finding) -> bool {
    let object = |f: &Finding| (f.space, f.object.clone(), f.argument);
    let load = undefined.sites.last().map(|site| site.ptx_line);
    object(conflict) == object(undefined)
        || conflict.sites.iter().any(|site| Some(site.ptx_line) == load)
}
