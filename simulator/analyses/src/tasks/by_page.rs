//! Tasks by the pages that they touch, for programs in which nothing orders thousands of streams.
//!
//! There a task is compared only with tasks that touch one of its pages. If many of these do the
//! same, it is compared with a few of them. A task that touches many pages is compared with all
//! others.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry::Occupied;
use std::sync::Arc;

use super::footprint::{Doing, Footprint};
use super::kept::{Entry, MOST_ALIKE};
use crate::observe::{Clock, OperationId};

/// A task that touches more pages is not entered by them.
const MOST_PAGES: usize = 16;

/// Tasks that do the same, by their timelines, numbers and places in the order in which they were
/// over.
type Alike = BTreeMap<(u32, u64, u64), Arc<Entry>>;

/// Tasks by what they do, and of those that touch few pages by these first.
#[derive(Clone, Debug, Default)]
pub(super) struct ByPage {
    pages: BTreeMap<u64, BTreeMap<Doing, Alike>>,
    of_many_pages: BTreeMap<Doing, Alike>,
}

/// The place of a task among those that do the same.
fn place_of(entry: &Entry) -> (u32, u64, u64) {
    let OperationId { number, timeline } = entry.task.order.operation();
    (timeline, number, entry.place)
}

impl ByPage {
    pub(super) fn enter(&mut self, entry: &Arc<Entry>) {
        let doing = entry.task.doing();
        let enter = |tasks: &mut BTreeMap<Doing, Alike>| {
            tasks.entry(doing).or_default().insert(place_of(entry), Arc::clone(entry));
        };
        match entry.task.area.few_pages(MOST_PAGES) {
            Some(few) => {
                few.iter().for_each(|page| enter(self.pages.entry(*page).or_default()));
            }
            None => enter(&mut self.of_many_pages),
        }
    }

    pub(super) fn leave(&mut self, entry: &Entry) {
        match entry.task.area.few_pages(MOST_PAGES) {
            Some(few) => {
                for page in few {
                    remove(&mut self.pages, page, |tasks| leave(tasks, entry));
                }
            }
            None => leave(&mut self.of_many_pages, entry),
        }
    }

    /// Tasks that touch a page of this one, may conflict with it and do not happen before it: of
    /// those that do the same so many as are compared. `None` if it touches too many pages.
    pub(super) fn unordered_with(&self, task: &Footprint) -> Option<Vec<&Entry>> {
        let few = task.area.few_pages(MOST_PAGES)?;
        let outline = task.outline();
        // A task that touches several of these pages counts once.
        let mut found: BTreeMap<u64, &Entry> = BTreeMap::new();
        let near = few.iter().filter_map(|page| self.pages.get(page)).flat_map(BTreeMap::values);
        for alike in near.chain(self.of_many_pages.values()) {
            // They do the same: one outline is all of theirs.
            let first = alike.values().next();
            if first.is_some_and(|first| first.outline.may_conflict(&outline)) {
                let unordered = behind(alike, task.order.before().clone())
                    .filter(|entry| !entry.task.order.is_after(task.order.operation()));
                found.extend(unordered.take(MOST_ALIKE).map(|entry| (entry.place, entry)));
            }
        }
        Some(found.into_values().collect())
    }
}

/// The tasks that a clock does not have. The tasks of a timeline that it has are skipped at once.
fn behind(alike: &Alike, clock: Clock) -> impl Iterator<Item = &Entry> {
    let mut from = (0, 0, 0);
    std::iter::from_fn(move || {
        loop {
            let ((timeline, number, place), entry) = alike.range(from..).next()?;
            let passed = clock.last(*timeline);
            if *number > passed {
                from = (*timeline, *number, place + 1);
                return Some(&**entry);
            }
            from = (*timeline, passed + 1, 0);
        }
    })
}

fn leave(tasks: &mut BTreeMap<Doing, Alike>, entry: &Entry) {
    remove(tasks, entry.task.doing(), |alike| {
        alike.remove(&place_of(entry));
    });
}

/// Removes something below a key, and the key with the last of it.
fn remove<K: Ord, A, B>(
    map: &mut BTreeMap<K, BTreeMap<A, B>>,
    key: K,
    within: impl FnOnce(&mut BTreeMap<A, B>),
) {
    if let Occupied(mut below) = map.entry(key) {
        within(below.get_mut());
        if below.get().is_empty() {
            below.remove();
        }
    }
}
