//! The results of the schedules so far.

use rustc_hash::FxHashMap;

use super::Distinct;
use super::run::{Ending, Key};
use crate::Listener;
use crate::check::Merged;
use crate::report::{Code, Outcome};

/// The results so far.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub(super) schedules: u64,
    pub(super) cut: u64,
    pub(super) outcomes: Vec<Distinct>,
    pub(super) merged: Merged,
    /// The listener that gets the findings.
    listener: Option<Listener>,
    /// The index of the result with a key among the outcomes.
    places: FxHashMap<Key, usize>,
}

impl Results {
    /// No results so far. The listener gets the findings.
    pub(super) fn told_to(listener: Option<Listener>) -> Results {
        Results { listener, ..Results::default() }
    }

    /// The result of the first run. It counts when the search finds it alone.
    pub(super) fn known(&mut self, ending: &Ending, replay: &str) {
        if ending.key.outcome != Outcome::Limit {
            let listener = self.listener.take();
            self.add(ending, 1, replay);
            self.listener = listener;
            self.merged = Merged::default();
            self.schedules = 0;
            self.outcomes.iter_mut().for_each(|d| d.count = 0);
        }
    }

    /// Counts the first run, if the search has not found its result alone.
    pub(super) fn count_first(&mut self) {
        if let Some(first) = self.outcomes.first_mut().filter(|first| first.count == 0) {
            first.count = 1;
            self.schedules += 1;
        }
    }

    /// Whether nothing ended like this so far.
    pub(super) fn is_new(&self, ending: &Ending) -> bool {
        ending.key.outcome != Outcome::Limit && !self.places.contains_key(&ending.key)
    }

    /// Counts a run that ended like this under a schedule, and as many more with the same result.
    /// Whether it says more than its being counted.
    pub(super) fn add(&mut self, ending: &Ending, times: u64, replay: &str) -> bool {
        let Ending { key, report } = ending;
        let mut findings = report.findings.clone();
        findings.retain(|finding| finding.code != Code::Limit);
        let says_more = !findings.is_empty() && self.merged.add(findings, replay);
        self.listener.iter().for_each(|listener| listener.tell_new(&mut self.merged));
        if key.outcome == Outcome::Limit {
            self.cut += times;
            return says_more;
        }
        self.schedules += times;
        let place = self.places.entry(*key).or_insert(self.outcomes.len());
        if let Some(known) = self.outcomes.get_mut(*place) {
            known.count += times;
            return says_more;
        }
        let Key { outcome, code, digest } = *key;
        let (replay, report) = (replay.to_owned(), report.clone());
        let cells = Vec::new();
        let distinct = Distinct { outcome, code, digest, count: times, replay, report, cells };
        self.outcomes.push(distinct);
        true
    }

    /// How many runs had a result, for the first caller; 0 for later callers, and if no run had it.
    pub(super) fn take_count(&mut self, key: &Key) -> u64 {
        let place = self.places.get(key).copied();
        let known = place.and_then(|place| self.outcomes.get_mut(place));
        known.map_or(0, |known| std::mem::take(&mut known.count))
    }
}
