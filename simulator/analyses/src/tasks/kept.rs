//! The tasks that have ended and that later ones may race with.
//!
//! A task is compared only with tasks that no order puts before it. On each timeline these are the
//! last ones, behind those that its clock has. So a program that issues to one stream compares
//! none, and a stream that is waited for costs nothing more.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::area::Area;
use super::by_page::ByPage;
use super::footprint::{Doing, Footprint};
use super::outline::Outline;
use crate::observe::{Advance, Clock, OperationId};

/// The most earlier tasks of one kind that are compared with a later one. Races with these are
/// reported. In a program that never waits, each of thousands of launches races with every other.
pub(super) const MOST_ALIKE: usize = 16;

/// Where more timelines go on behind a clock, their tasks are looked for by what they touch.
const MOST_TIMELINES: usize = 32;

/// The spare areas and timelines, beyond those in use by kept tasks.
const SPARE: usize = 64;

/// The tasks, by their timelines and by what they touch.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    lanes: BTreeMap<u32, VecDeque<Slot>>,
    by_page: ByPage,
    /// The last task of each timeline, with some that were forgotten.
    last: Clock,
    /// How many timelines it has.
    timelines: usize,
    /// What the host had waited for at its last report.
    waited_for: Clock,
    /// What tasks touch, by its hash: loops launch what touches the same.
    areas: BTreeMap<u64, Arc<Area>>,
    /// How many tasks there were, and are.
    entered: u64,
    count: usize,
    /// How many bytes to keep, if there is a limit, and how many are kept.
    most: Option<usize>,
    bytes: usize,
    /// How many were forgotten to stay within the limit.
    forgotten: u64,
}

/// A task that is over.
#[derive(Debug)]
pub(super) struct Entry {
    /// The place in the order in which tasks were over.
    pub(super) place: u64,
    pub(super) outline: Outline,
    pub(super) task: Footprint,
}

#[derive(Clone, Debug)]
struct Slot {
    entry: Arc<Entry>,
    /// Its own bytes, and the bytes of the area that it touches if no task before it touched the
    /// same.
    bytes: usize,
}

impl Entry {
    pub(super) fn operation(&self) -> OperationId {
        self.task.order.operation()
    }
}

impl Slot {
    fn number(&self) -> u64 {
        self.entry.operation().number
    }
}

impl Kept {
    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.most = Some(bytes);
    }

    /// How many were forgotten to stay within the limit.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn tasks(&self) -> impl Iterator<Item = &Footprint> {
        self.lanes.values().flatten().map(|slot| &slot.entry.task)
    }

    /// The tasks with which another one may conflict and that are not ordered with it, in the order
    /// in which they were over; of those that do the same [`MOST_ALIKE`].
    pub(super) fn unordered_with(&self, task: &Footprint) -> Vec<&Footprint> {
        let before = task.order.before();
        let found = match self.last.few_advances_since(before, MOST_TIMELINES) {
            Some(few) => self.behind(&few, task),
            None => match self.by_page.unordered_with(task) {
                Some(found) => found,
                None => self.behind(&self.last.advances_since(before), task),
            },
        };
        let operation = task.order.operation();
        let mut alike: BTreeMap<Doing, usize> = BTreeMap::new();
        let mut is_one_of_few = |task: &&Footprint| {
            let count = alike.entry(task.doing()).or_default();
            *count += 1;
            *count <= MOST_ALIKE
        };
        let tasks = found.into_iter().map(|entry| &entry.task);
        tasks.filter(|task| !task.order.is_after(operation)).filter(&mut is_one_of_few).collect()
    }

    /// The tasks of these timelines that are not before another one, with which it may conflict, in
    /// the order in which they were over.
    fn behind(&self, timelines: &[Advance], task: &Footprint) -> Vec<&Entry> {
        let outline = task.outline();
        let mut found: Vec<&Entry> = Vec::new();
        for advance in timelines {
            // All tasks of a timeline may have been forgotten.
            let slots = self.lanes.get(&advance.timeline).into_iter().flat_map(|lane| {
                lane.range(lane.partition_point(|slot| slot.number() <= advance.from)..)
            });
            let entries = slots.map(|slot| &*slot.entry);
            found.extend(entries.filter(|entry| entry.outline.may_conflict(&outline)));
        }
        found.sort_unstable_by_key(|entry| entry.place);
        found
    }

    /// Keeps a task that is over.
    pub(super) fn keep(&mut self, mut task: Footprint) {
        let outline = task.outline();
        let bytes = size_of::<Entry>() + self.share_area(&mut task);
        let OperationId { number, timeline } = task.order.operation();
        let last = self.last.last(timeline);
        if number > last {
            self.last.set(OperationId { number, timeline });
            self.timelines += usize::from(last == 0);
        }
        let entry = Arc::new(Entry { place: self.entered, outline, task });
        self.by_page.enter(&entry);
        let lane = self.lanes.entry(timeline).or_default();
        // The host may report a task in pieces, so it may end after a later one.
        let at = lane.partition_point(|slot| slot.number() <= number);
        lane.insert(at, Slot { entry, bytes });
        (self.entered, self.count, self.bytes) =
            (self.entered + 1, self.count + 1, self.bytes + bytes);
        if self.most.is_some_and(|most| self.bytes > most) {
            self.make_room();
        }
    }

    /// Forgets the tasks that the host has waited for: all that is issued from now on comes after
    /// them.
    pub(super) fn forget(&mut self, waited_for: &Clock) {
        for advance in waited_for.advances_since(&self.waited_for) {
            // Not all that happens in a timeline is kept.
            let Some(lane) = self.lanes.get_mut(&advance.timeline) else { continue };
            while let Some(slot) = lane.pop_front_if(|slot| slot.number() <= advance.to) {
                self.by_page.leave(&slot.entry);
                self.bytes = self.bytes.saturating_sub(slot.bytes);
                self.count -= 1;
            }
            if lane.is_empty() {
                self.lanes.remove(&advance.timeline);
            }
        }
        self.waited_for = waited_for.clone();
        if self.timelines > 2 * self.lanes.len() + SPARE {
            (self.last, self.timelines) = (Clock::default(), self.lanes.len());
            for slot in self.lanes.values().filter_map(VecDeque::back) {
                self.last.set(slot.entry.operation());
            }
        }
        if self.areas.len() > 2 * self.count + SPARE {
            self.count_anew();
        }
    }

    /// Makes a task share its area with a task that touched the same. Returns the bytes of the area
    /// if none did.
    fn share_area(&mut self, task: &mut Footprint) -> usize {
        let mut hasher = DefaultHasher::new();
        task.area.hash(&mut hasher);
        let hash = hasher.finish();
        match self.areas.get(&hash) {
            Some(known) if *known == task.area => {
                task.area = Arc::clone(known);
                0
            }
            Some(_) | None => {
                self.areas.insert(hash, Arc::clone(&task.area));
                task.area.bytes_kept()
            }
        }
    }

    /// Forgets tasks until a quarter of the limit is free. The first to go are tasks behind which
    /// the same timeline has done the same. Whatever is unordered with such a task is also
    /// unordered with the later one. Then the oldest go.
    fn make_room(&mut self) {
        let wanted = self.most.unwrap_or(usize::MAX) / 4 * 3;
        for lane in self.lanes.values_mut() {
            let mut later = BTreeSet::new();
            let mut kept = VecDeque::new();
            while let Some(slot) = lane.pop_back() {
                match later.insert(slot.entry.task.doing()) {
                    true => kept.push_front(slot),
                    false => self.by_page.leave(&slot.entry),
                }
            }
            *lane = kept;
        }
        self.count_anew();
        while self.bytes > wanted {
            let oldest = self
                .lanes
                .values_mut()
                .min_by_key(|lane| lane.front().map_or(u64::MAX, |slot| slot.entry.place));
            let Some(slot) = oldest.and_then(VecDeque::pop_front) else { break };
            self.by_page.leave(&slot.entry);
            self.forgotten += 1;
            self.count -= 1;
            self.bytes = self.bytes.saturating_sub(slot.bytes);
        }
        self.lanes.retain(|_, lane| !lane.is_empty());
        self.count_anew();
    }

    /// Counts the kept tasks and bytes; a shared area counts once.
    fn count_anew(&mut self) {
        self.areas.retain(|_, area| Arc::strong_count(area) > 1);
        let mut counted = BTreeSet::new();
        (self.count, self.bytes) = (0, 0);
        for slot in self.lanes.values_mut().flatten() {
            slot.bytes = size_of::<Entry>();
            let area = &slot.entry.task.area;
            if counted.insert(Arc::as_ptr(area) as usize) {
                slot.bytes += area.bytes_kept();
            }
            self.count += 1;
            self.bytes += slot.bytes;
        }
    }
}
