//! The tasks that are over and that later ones may race with.
//!
//! A task is compared with those alone that it may not come after: of each timeline these are the
//! last ones, behind those that its clock has. So a program that issues to one stream compares
//! none, and a stream that is waited for costs nothing more.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::area::Area;
use super::footprint::Footprint;
use super::outline::Outline;
use crate::observe::{Clock, OperationId};

/// Of earlier tasks that do the same, so many are compared with a later one: what is unordered with
/// these is told, and each of thousands of launches races with each where a program waits for none.
const MOST_ALIKE: usize = 16;

/// The areas and timelines that are kept beyond those of tasks that are.
const SPARE: usize = 64;

/// The tasks, by their timelines.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    lanes: BTreeMap<u32, VecDeque<Entry>>,
    /// The last task of each timeline, with some that were forgotten.
    last: Clock,
    /// How many timelines it has.
    timelines: usize,
    /// What the host had waited for when it was told last.
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

#[derive(Clone, Debug)]
struct Entry {
    /// The place in the order in which tasks were over.
    place: u64,
    outline: Outline,
    task: Footprint,
    /// Bytes of its own, and of what it touches where no task before it touched the same.
    bytes: usize,
}

impl Entry {
    fn number(&self) -> u64 {
        self.task.order.operation().number
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
        self.lanes.values().flatten().map(|entry| &entry.task)
    }

    /// The tasks with which another one may conflict and that are not ordered with it, in the order
    /// in which they were over; of those that do the same the first [`MOST_ALIKE`].
    pub(super) fn unordered_with(&self, task: &Footprint) -> Vec<&Footprint> {
        let outline = task.outline();
        let operation = task.order.operation();
        let mut found: Vec<&Entry> = Vec::new();
        for advance in self.last.advances_since(task.order.before()) {
            let Some(lane) = self.lanes.get(&advance.timeline) else { continue };
            let ordered = lane.partition_point(|entry| entry.number() <= advance.from);
            found.extend(lane.range(ordered..).filter(|entry| {
                entry.outline.may_conflict(&outline) && !entry.task.order.is_after(operation)
            }));
        }
        found.sort_unstable_by_key(|entry| entry.place);
        let mut alike: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
        let tasks = found.into_iter().map(|entry| &entry.task);
        let mut is_one_of_few = |task: &&Footprint| {
            let count = alike.entry(what_it_does(task)).or_default();
            *count += 1;
            *count <= MOST_ALIKE
        };
        tasks.filter(|task| is_one_of_few(task)).collect()
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
        let entry = Entry { place: self.entered, outline, task, bytes };
        let lane = self.lanes.entry(timeline).or_default();
        // A task of the host may be told piece by piece, and be over behind another one.
        let at = lane.partition_point(|entry| entry.number() <= number);
        lane.insert(at, entry);
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
            let Some(lane) = self.lanes.get_mut(&advance.timeline) else { continue };
            while let Some(entry) = lane.pop_front_if(|entry| entry.number() <= advance.to) {
                self.bytes = self.bytes.saturating_sub(entry.bytes);
                self.count -= 1;
            }
            if lane.is_empty() {
                self.lanes.remove(&advance.timeline);
            }
        }
        self.waited_for = waited_for.clone();
        if self.timelines > 2 * self.lanes.len() + SPARE {
            (self.last, self.timelines) = (Clock::default(), self.lanes.len());
            for entry in self.lanes.values().filter_map(VecDeque::back) {
                self.last.set(entry.task.order.operation());
            }
        }
        if self.areas.len() > 2 * self.count + SPARE {
            self.count_anew();
        }
    }

    /// Has a task share what it touches with one that touched the same; how many bytes that is
    /// where none did.
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

    /// Forgets tasks until a quarter of the limit is free: first those behind which the same
    /// timeline has touched the same, for what is unordered with them is unordered with the later
    /// one, too; then the oldest.
    fn make_room(&mut self) {
        let wanted = self.most.unwrap_or(usize::MAX) / 4 * 3;
        for lane in self.lanes.values_mut() {
            let mut later = BTreeSet::new();
            let mut is_last: Vec<bool> =
                lane.iter().rev().map(|entry| later.insert(what_it_does(&entry.task))).collect();
            lane.retain(|_| is_last.pop().unwrap_or(true));
        }
        self.count_anew();
        while self.bytes > wanted {
            let oldest = self
                .lanes
                .values_mut()
                .min_by_key(|lane| lane.front().map_or(u64::MAX, |entry| entry.place));
            let Some(entry) = oldest.and_then(VecDeque::pop_front) else { break };
            self.forgotten += 1;
            self.count -= 1;
            self.bytes = self.bytes.saturating_sub(entry.bytes);
        }
        self.lanes.retain(|_, lane| !lane.is_empty());
        self.count_anew();
    }

    /// Counts what is kept, of shared areas one.
    fn count_anew(&mut self) {
        self.areas.retain(|_, area| Arc::strong_count(area) > 1);
        let mut counted = BTreeSet::new();
        (self.count, self.bytes) = (0, 0);
        for entry in self.lanes.values_mut().flatten() {
            entry.bytes = size_of::<Entry>();
            if counted.insert(Arc::as_ptr(&entry.task.area) as usize) {
                entry.bytes += entry.task.area.bytes_kept();
            }
            self.count += 1;
            self.bytes += entry.bytes;
        }
    }
}

/// Two tasks of which this is the same conflict with the same tasks: what they touch, and which
/// program that is.
fn what_it_does(task: &Footprint) -> (usize, Option<usize>) {
    let program = match &task.task {
        super::footprint::Task::Launch(facts) => Some(Arc::as_ptr(&facts.program) as usize),
        super::footprint::Task::Host(_) => None,
    };
    (Arc::as_ptr(&task.area) as usize, program)
}
