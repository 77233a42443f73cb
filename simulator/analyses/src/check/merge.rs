//! Findings of several schedules as one list: one finding a pair of source places.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::{Code, Finding, Severity, Site, SourcePosition};

/// Where a finding is: source lines with the calls they were inlined into, if the PTX says; else
/// lines of the PTX.
type Place = (Code, Vec<Vec<(Arc<str>, u32)>>);

/// Findings of several schedules.
#[derive(Debug, Default)]
pub struct Merged {
    order: Vec<Place>,
    /// How many of them were taken as new.
    taken: usize,
    found: BTreeMap<Place, Finding>,
}

fn place(finding: &Finding) -> Place {
    let line = |position: &SourcePosition| (Arc::clone(&position.file), position.line);
    let of = |site: &Site| match &site.source {
        Some(source) => [source].into_iter().chain(&source.inlined_at).map(line).collect(),
        None => {
            let file = site.ptx_file.as_deref().unwrap_or_default();
            vec![(Arc::from(file), site.ptx_line)]
        }
    };
    let mut places: Vec<_> = finding.sites.iter().map(of).collect();
    places.sort();
    // Of threads that are stuck, it does not matter how many groups there are at a place.
    places.dedup();
    (finding.code, places)
}

/// What mends one of two findings of one place may not mend the other: the greater mends both.
/// Whether it is the other's.
fn mend_both(known: &mut Finding, other: &Finding) -> bool {
    let is_greater = other.mend > known.mend;
    if is_greater {
        known.mend = other.mend;
        known.help.clone_from(&other.help);
    }
    is_greater
}

impl Merged {
    /// Adds what was found under a schedule. Whether that says more than what was there: what says nothing
    /// here says nothing either where more schedules were added before it.
    pub fn add(&mut self, findings: Vec<Finding>, schedule: &str) -> bool {
        let mut here: BTreeMap<Place, Finding> = BTreeMap::new();
        for mut finding in findings {
            finding.replay.get_or_insert_with(|| schedule.to_owned());
            let place = place(&finding);
            match here.get_mut(&place) {
                Some(known) => {
                    known.count += finding.count;
                    mend_both(known, &finding);
                }
                None => {
                    if !self.found.contains_key(&place) {
                        self.order.push(place.clone());
                    }
                    here.insert(place, finding);
                }
            }
        }
        let mut says_more = false;
        for (place, finding) in here {
            let Some(known) = self.found.get_mut(&place) else {
                self.found.insert(place, finding);
                says_more = true;
                continue;
            };
            says_more |= finding.count > known.count;
            known.count = known.count.max(finding.count);
            says_more |= mend_both(known, &finding);
        }
        says_more
    }

    /// Gives those that were added since the last time, in the order in which they were found.
    pub fn take_new(&mut self, mut give: impl FnMut(&Finding)) {
        let new = self.order.iter().skip(self.taken);
        new.filter_map(|place| self.found.get(place)).for_each(&mut give);
        self.taken = self.order.len();
    }

    /// Whether there is more than notes, and more than that threads got stuck, for which there is a cause.
    pub fn has_cause(&self) -> bool {
        self.found.values().any(is_cause)
    }

    /// All of them: errors first; of these, causes before what they lead to; then in the order in which they were
    /// found.
    pub fn into_findings(mut self) -> Vec<Finding> {
        let found = &mut self.found;
        let mut all: Vec<Finding> = self.order.iter().filter_map(|p| found.remove(p)).collect();
        name_causes(&mut all);
        all.sort_by_key(|finding| {
            let severity = match finding.severity {
                Severity::Error => 0,
                Severity::Warning => 1,
                Severity::Note => 2,
            };
            (severity, Rank::of(finding.code))
        });
        all
    }
}

/// What leads to what: threads that do not meet race, and those that race may wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Meeting,
    Other,
    Stuck,
}

impl Rank {
    fn of(code: Code) -> Rank {
        match code {
            Code::BarrierDivergence | Code::SyncMask => Rank::Meeting,
            Code::Deadlock | Code::Livelock | Code::Limit | Code::Hung => Rank::Stuck,
            Code::Race
            | Code::Unordered
            | Code::ScheduleDependent
            | Code::OutOfBounds
            | Code::Misaligned
            | Code::InvalidFree
            | Code::Leak
            | Code::UseAfterFree
            | Code::Uninitialized
            | Code::ShuffleInactiveLane
            | Code::RedundantBarrier
            | Code::BankConflict
            | Code::Trap
            | Code::Assert
            | Code::StackOverflow
            | Code::Fault
            | Code::Own(_) => Rank::Other,
        }
    }
}

/// Whether a finding may be the cause of others.
fn is_cause(finding: &Finding) -> bool {
    finding.severity > Severity::Note && Rank::of(finding.code) != Rank::Stuck
}

/// Says of threads that got stuck what was found under another schedule, and is likely why.
fn name_causes(all: &mut [Finding]) {
    let causes: Vec<(Code, Option<String>)> = all
        .iter()
        .filter(|finding| is_cause(finding))
        .map(|finding| (finding.code, finding.replay.clone()))
        .collect();
    for stuck in all.iter_mut().filter(|finding| Rank::of(finding.code) == Rank::Stuck) {
        let is_elsewhere = |(_, replay): &&(Code, Option<String>)| *replay != stuck.replay;
        let is_here = causes.iter().any(|(_, replay)| *replay == stuck.replay);
        if let Some((code, _)) = causes.iter().find(is_elsewhere).filter(|_| !is_here) {
            stuck.notes.push(format!(
                "a `{code}` was found under another schedule: it is the likely cause, so mend it first"
            ));
        }
    }
}
