//! A task, what it touches, and where two tasks conflict.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::area::{Area, PAGE};
use super::outline::Outline;
use crate::lower::Pc;
use crate::observe::{HostAccess, HostAccessKind, LaunchFacts, Order};
use crate::report::Hazard;

/// A task.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Launch(LaunchFacts),
    Host(HostAccess),
}

/// How memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Use {
    Read,
    Write,
    Both,
    Allocate,
    Free,
}

/// Whether an access is strong, and whom its scope includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Strength {
    /// Weak, or strong towards threads of the same launch alone.
    Weak,
    /// Strong, and the scope includes the threads of other launches.
    Device,
    /// Strong, and the scope includes the host.
    System,
}

/// A thread: block, warp, lane.
pub(super) type Thread = (u64, u32, u32);

/// One end of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) what: Use,
    pub(super) strength: Strength,
    /// The instruction and the first thread that touched the byte; `None` for a host access.
    pub(super) at: Option<(Pc, Thread)>,
}

/// The mistake if two uses of one byte are not in the order that they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// Both are accesses.
    Accesses(Hazard),
    /// One frees what the other uses.
    Free,
    /// One allocates what the other uses.
    Allocation,
    /// One allocates what the other frees.
    AllocationAndFree,
}

/// Bytes that two unordered tasks touch, of one pair of instructions or copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) mistake: Mistake,
    pub(super) earlier: End,
    pub(super) later: End,
    /// The first byte.
    pub(super) address: u64,
    /// How many bytes.
    pub(super) count: u64,
}

/// The kind of a task: two tasks of one kind conflict with the same tasks. Tasks that touch the
/// same memory share their area ([`super::kept`]), so the area's address identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Doing {
    area: usize,
    by: By,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// The address of the program that is run.
    Launch(usize),
    /// How the host touches it, and whether that is its own loads and stores.
    Host(Use, Strength, bool),
}

/// What a task touched.
#[derive(Clone, Debug)]
pub(super) struct Footprint {
    pub(super) task: Task,
    pub(super) order: Order,
    /// How strong the host's own accesses may be.
    by_host: Strength,
    /// Tasks that touch the same share it.
    pub(super) area: Arc<Area>,
}

impl Footprint {
    /// A launch that has touched nothing so far.
    pub(super) fn of_launch(facts: LaunchFacts) -> Footprint {
        let (order, by_host) = (facts.order.clone(), Strength::Weak);
        Footprint { task: Task::Launch(facts), order, by_host, area: Arc::default() }
    }

    /// An act of the host. `by_host`: how strong its own accesses may be; copies are weak.
    pub(super) fn of_host(access: &HostAccess, by_host: Strength) -> Footprint {
        let (order, task) = (access.order.clone(), Task::Host(access.clone()));
        let mut footprint = Footprint { task, order, by_host, area: Arc::default() };
        footprint.extend(access);
        footprint
    }

    /// The same act of the host touches more.
    pub(super) fn extend(&mut self, access: &HostAccess) {
        let end = access.address.saturating_add(access.bytes);
        Arc::make_mut(&mut self.area).extend((access.address, end));
    }

    /// A launch accesses memory: see [`Area::touch`].
    pub(super) fn touch(
        &mut self,
        pc: Pc,
        how: (Use, Strength),
        first: Thread,
        range: (u64, u64),
        each: u32,
    ) {
        Arc::make_mut(&mut self.area).touch(pc, how, first, range, each);
    }

    /// What it touches, in few words.
    pub(super) fn outline(&self) -> Outline {
        match &self.task {
            Task::Launch(_) => Outline::of_launch(&self.area),
            Task::Host(access) => Outline::of_host(&self.area, host_end(access, self.by_host)),
        }
    }

    /// What it does, once its area is shared.
    pub(super) fn doing(&self) -> Doing {
        let by = match &self.task {
            Task::Launch(facts) => By::Launch(Arc::as_ptr(&facts.program) as usize),
            Task::Host(access) => {
                let end = host_end(access, self.by_host);
                By::Host(end.what, end.strength, self.access_by_host().is_some())
            }
        };
        Doing { area: Arc::as_ptr(&self.area) as usize, by }
    }

    /// Whether it is the host's own access to memory, and how it accesses.
    pub(super) fn access_by_host(&self) -> Option<HostAccessKind> {
        match &self.task {
            Task::Launch(_) => None,
            Task::Host(access) => match access.kind {
                HostAccessKind::Load | HostAccessKind::Store => Some(access.kind),
                HostAccessKind::Read
                | HostAccessKind::Write
                | HostAccessKind::Free
                | HostAccessKind::Allocate
                | HostAccessKind::Release
                | HostAccessKind::CopyRead
                | HostAccessKind::CopyWrite => None,
            },
        }
    }

    /// Whether one of the two happens before the other.
    pub(super) fn is_ordered_with(&self, other: &Footprint) -> bool {
        self.order.is_after(other.order.operation()) || other.order.is_after(self.order.operation())
    }

    /// Whether it gives memory back.
    pub(super) fn is_free(&self) -> bool {
        match &self.task {
            Task::Launch(_) => false,
            Task::Host(access) => host_end(access, self.by_host).what == Use::Free,
        }
    }

    /// The number of the launch that it is.
    pub(super) fn launch(&self) -> Option<u64> {
        match &self.task {
            Task::Launch(facts) => Some(facts.number),
            Task::Host(_) => None,
        }
    }

    /// An address from `from` on, at or before the first byte from there on that it touched and in
    /// the page of that; `None` where it touched none.
    pub(super) fn touches_from(&self, from: u64) -> Option<u64> {
        match &self.task {
            Task::Launch(_) => {
                let (page, _) = self.area.pages.range(from / PAGE..).next()?;
                Some(from.max(page * PAGE))
            }
            Task::Host(_) => {
                let at = self.area.ranges.partition_point(|(_, end)| *end <= from);
                self.area.ranges.get(at).map(|(first, _)| from.max(*first))
            }
        }
    }

    /// Where this task and a later one that is not ordered with it conflict.
    pub(super) fn conflicts(&self, later: &Footprint) -> Vec<Conflict> {
        match (&self.task, &later.task) {
            (Task::Launch(_), Task::Launch(_)) => self.with_launch(later),
            (Task::Launch(_), Task::Host(host)) => {
                let found = self.with_host(later, host_end(host, later.by_host)).into_iter();
                found.filter_map(|(own, host, at, n)| conflict(own, host, at, n)).collect()
            }
            (Task::Host(host), Task::Launch(_)) => {
                let found = later.with_host(self, host_end(host, self.by_host)).into_iter();
                found.filter_map(|(own, host, at, n)| conflict(host, own, at, n)).collect()
            }
            (Task::Host(a), Task::Host(b)) => {
                let (one, other) = (host_end(a, self.by_host), host_end(b, later.by_host));
                let common = self.area.common_ranges(&later.area);
                let found = common.and_then(|(start, count)| conflict(one, other, start, count));
                found.into_iter().collect()
            }
        }
    }

    fn with_launch(&self, later: &Footprint) -> Vec<Conflict> {
        let mut found: BTreeMap<(Pc, Pc), Conflict> = BTreeMap::new();
        for (page, own) in &self.area.pages {
            let Some(others) = later.area.pages.get(page) else { continue };
            for ((pc, what, strength), touched) in own {
                for ((other_pc, other_what, other_strength), other) in others {
                    let common = touched.common(&other.bytes);
                    let Some(first) = common.first() else { continue };
                    let end = |what, strength, at| End { what, strength, at: Some(at) };
                    let (one, two) = (touched.thread(*first), other.thread(*first));
                    let earlier = end(*what, *strength, (*pc, one));
                    let later = end(*other_what, *other_strength, (*other_pc, two));
                    let at = page * PAGE + u64::from(*first);
                    let Some(new) = conflict(earlier, later, at, 0) else { continue };
                    let known = found.entry((*pc, *other_pc)).or_insert(new);
                    known.count += common.len() as u64;
                }
            }
        }
        found.into_values().collect()
    }

    /// The ends of this launch and of an act of the host, the first byte, and how many.
    fn with_host(&self, host: &Footprint, two: End) -> Vec<(End, End, u64, u64)> {
        let mut found: BTreeMap<Pc, (End, End, u64, u64)> = BTreeMap::new();
        let (Some((first, _)), Some((_, end))) =
            (host.area.ranges.first(), host.area.ranges.last())
        else {
            return Vec::new();
        };
        for (page, own) in self.area.pages.range(first / PAGE..=end.saturating_sub(1) / PAGE) {
            let bytes = host.area.bytes_in(*page);
            for ((pc, what, strength), touched) in own {
                let common = touched.common(&bytes);
                let Some(first) = common.first() else { continue };
                let at = Some((*pc, touched.thread(*first)));
                let one = End { what: *what, strength: *strength, at };
                if mistake(one, two).is_some() {
                    let new = (one, two, page * PAGE + u64::from(*first), 0);
                    found.entry(*pc).or_insert(new).3 += common.len() as u64;
                }
            }
        }
        found.into_values().collect()
    }
}

/// The conflict of two uses that nothing orders, or that are in the wrong order; `None` where they
/// may be so.
fn conflict(earlier: End, later: End, address: u64, count: u64) -> Option<Conflict> {
    let mistake = mistake(earlier, later)?;
    Some(Conflict { mistake, earlier, later, address, count })
}

fn host_end(access: &HostAccess, by_host: Strength) -> End {
    let (what, strength) = match access.kind {
        HostAccessKind::Read | HostAccessKind::CopyRead => (Use::Read, Strength::Weak),
        HostAccessKind::Write | HostAccessKind::CopyWrite => (Use::Write, Strength::Weak),
        HostAccessKind::Allocate => (Use::Allocate, Strength::Weak),
        HostAccessKind::Free | HostAccessKind::Release => (Use::Free, Strength::Weak),
        HostAccessKind::Load => (Use::Read, by_host),
        HostAccessKind::Store => (Use::Write, by_host),
    };
    End { what, strength, at: None }
}

/// The mistake in two uses of one byte that nothing orders; `None` for two reads, and for two that
/// are strong. An end without a thread is the host's.
fn mistake(earlier: End, later: End) -> Option<Mistake> {
    use Use as U;
    let least = match (earlier.at, later.at) {
        (Some(_), Some(_)) => Strength::Device,
        (Some(_) | None, Some(_) | None) => Strength::System,
    };
    let are_strong = earlier.strength.min(later.strength) >= least;
    let hazard = match (earlier.what, later.what) {
        (U::Allocate, U::Free) | (U::Free, U::Allocate) => return Some(Mistake::AllocationAndFree),
        (U::Allocate, _) | (_, U::Allocate) => return Some(Mistake::Allocation),
        (U::Free, _) | (_, U::Free) => return Some(Mistake::Free),
        (U::Read, U::Read) => return None,
        (U::Write | U::Both, U::Write | U::Both) => Hazard::WriteAfterWrite,
        (U::Write | U::Both, U::Read) => Hazard::ReadAfterWrite,
        (U::Read, U::Write | U::Both) => Hazard::WriteAfterRead,
    };
    (!are_strong).then_some(Mistake::Accesses(hazard))
}
