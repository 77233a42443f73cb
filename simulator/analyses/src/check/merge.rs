//! Findings of several schedules as one list: one finding a pair of source places.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::{Code, Finding, Rank, Severity, Site, SourcePosition};

/// Where a finding is: source lines with the calls they were inlined into, if the PTX says; else
/// lines of the PTX. Stores of one value are of the kind of races: under another schedule a thread
/// may store something else there.
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
    let code = match finding.code {
        Code::SameValue => Code::Race,
        code => code,
    };
    (code, places)
}

/// Takes the worse of two findings of one place, with the count of both. Whether it is the other's.
fn take_worse(known: &mut Finding, other: &Finding) -> bool {
    let is_worse = other.severity > known.severity;
    if is_worse {
        let count = known.count;
        known.clone_from(other);
        known.count = known.count.max(count);
    }
    is_worse
}

/// Keeps a mend that fixes both of two findings at one place: the greater one. Returns whether it
/// belongs to the other finding. Then the other finding replaces the known one, because its advice
/// names its own accesses.
fn mend_both(known: &mut Finding, other: &Finding) -> bool {
    let is_greater = other.mend > known.mend;
    if is_greater {
        let (count, severity) = (known.count, known.severity);
        known.clone_from(other);
        known.count = count;
        known.severity = severity.max(other.severity);
    }
    is_greater
}

impl Merged {
    /// Adds the findings under a schedule, and returns whether they add something new. If they add
    /// nothing here, they also add nothing after more schedules.
    pub fn add(&mut self, findings: Vec<Finding>, schedule: &str) -> bool {
        let mut here: BTreeMap<Place, Finding> = BTreeMap::new();
        for mut finding in findings {
            finding.replay.get_or_insert_with(|| schedule.to_owned());
            let place = place(&finding);
            match here.get_mut(&place) {
                Some(known) => {
                    let count = known.count + finding.count;
                    take_worse(known, &finding);
                    known.count = count;
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
            says_more |= take_worse(known, &finding);
            says_more |= mend_both(known, &finding);
        }
        says_more
    }

    /// Returns the findings that were added since the last call, in the order in which they were
    /// found.
    pub fn take_new(&mut self, mut give: impl FnMut(&Finding)) {
        let new = self.order.iter().skip(self.taken);
        new.filter_map(|place| self.found.get(place)).for_each(&mut give);
        self.taken = self.order.len();
    }

    /// Whether there is a finding that may be the cause of others: no mere note, and no stuck
    /// threads.
    pub fn has_cause(&self) -> bool {
        self.found.values().any(is_cause)
    }

    /// All findings: errors first, with causes before their consequences; then in the order in
    /// which they were found.
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
            (severity, finding.code.rank())
        });
        all
    }
}

/// Whether a finding may be the cause of others.
fn is_cause(finding: &Finding) -> bool {
    finding.severity > Severity::Note && finding.code.rank() != Rank::Stuck
}

/// Says of threads that got stuck what was found under another schedule, and is likely why.
fn name_causes(all: &mut [Finding]) {
    let causes: Vec<(Code, Option<String>)> = all
        .iter()
        .filter(|finding| is_cause(finding))
        .map(|finding| (finding.code, finding.replay.clone()))
        .collect();
    for stuck in all.iter_mut().filter(|finding| finding.code.rank() == Rank::Stuck) {
        let is_elsewhere = |(_, replay): &&(Code, Option<String>)| *replay != stuck.replay;
        let is_here = causes.iter().any(|(_, replay)| *replay == stuck.replay);
        if let Some((code, _)) = causes.iter().find(is_elsewhere).filter(|_| !is_here) {
            stuck.notes.push(format!(
                "a `{code}` was found under another schedule: it is the likely cause, so fix it \
                 first"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(severity: Severity, code: Code) -> Finding {
        let mut finding = Finding::new(severity, code, format!("{code}"));
        finding.count = 3;
        finding
    }

    /// Merges the findings of several schedules.
    fn merged(of: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
        let mut merged = Merged::default();
        for (finding, schedule) in of.into_iter().zip(0..) {
            merged.add(vec![finding], &format!("schedule {schedule}"));
        }
        merged.into_findings()
    }

    #[test]
    fn the_worst_that_a_schedule_shows_of_a_place_is_what_is_found() {
        let (note, warning) = (Severity::Note, Severity::Warning);
        for order in [[note, warning], [warning, note]] {
            let found = merged(order.map(|severity| finding(severity, Code::Unordered)));
            let [one] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((one.severity, one.count), (warning, 3));
            let shown_by = order.iter().position(|severity| *severity == warning).unwrap();
            assert_eq!(one.replay.as_deref(), Some(&*format!("schedule {shown_by}")));
        }
    }

    #[test]
    fn stores_of_one_value_are_a_race_where_another_schedule_shows_one() {
        let same = || finding(Severity::Warning, Code::SameValue);
        let race = || finding(Severity::Error, Code::Race);
        for order in [[same(), race()], [race(), same()]] {
            let codes: Vec<Code> = merged(order).iter().map(|finding| finding.code).collect();
            assert_eq!(codes, [Code::Race]);
        }
        assert_eq!(merged([same(), same()]).len(), 1);
    }
}
