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

    /// Whether there is more than notes.
    pub fn is_serious(&self) -> bool {
        self.found.values().any(|finding| finding.severity > Severity::Note)
    }

    /// All of them: errors first, then in the order in which they were found.
    pub fn into_findings(mut self) -> Vec<Finding> {
        let found = &mut self.found;
        let mut all: Vec<Finding> = self.order.iter().filter_map(|p| found.remove(p)).collect();
        all.sort_by_key(|finding| match finding.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => 2,
        });
        all
    }
}
