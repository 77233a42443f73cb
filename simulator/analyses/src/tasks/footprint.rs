//! What a task touched, byte by byte, with the first thread at each.

use std::collections::BTreeMap;

use crate::lower::Pc;
use crate::observe::{HostAccess, HostAccessKind, LaunchFacts, Order};
use crate::report::Hazard;

/// Bytes of a page: the unit of bookkeeping.
const PAGE: u64 = 4096;

/// A task.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Launch(LaunchFacts),
    Host(HostAccess),
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Read,
    Write,
    Both,
    Allocate,
    Free,
}

/// Whether an access is strong, and whom its scope includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// What is wrong where two uses of one byte are not in the order that they need.
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

/// What a task touched.
#[derive(Clone, Debug)]
pub(super) struct Footprint {
    pub(super) task: Task,
    pub(super) order: Order,
    /// How strong the host's own accesses may be.
    by_host: Strength,
    /// What the host touches: first bytes and ends, in order and without overlap.
    ranges: Vec<(u64, u64)>,
    pages: BTreeMap<u64, BTreeMap<(Pc, Use, Strength), Touched>>,
}

/// Bytes of a page that one instruction touched.
#[derive(Clone, Debug)]
struct Touched {
    bytes: Box<Bytes>,
    /// Who touched bytes that were not touched before, in order.
    first: Vec<Lanes>,
}

/// Lanes that follow each other, and the bytes of a page that they touched.
#[derive(Clone, Copy, Debug)]
struct Lanes {
    from: u16,
    to: u16,
    /// The lane that touched the first byte.
    first: Thread,
    /// Bytes of each.
    each: u32,
}

/// One bit for each byte of a page.
type Bytes = [u64; PAGE as usize / 64];

impl Footprint {
    /// A launch that has touched nothing so far.
    pub(super) fn of_launch(facts: LaunchFacts) -> Footprint {
        let (order, by_host) = (facts.order.clone(), Strength::Weak);
        let (ranges, pages) = (Vec::new(), BTreeMap::new());
        Footprint { task: Task::Launch(facts), order, by_host, ranges, pages }
    }

    /// An act of the host. `by_host`: how strong its own accesses may be; copies are weak.
    pub(super) fn of_host(access: &HostAccess, by_host: Strength) -> Footprint {
        let (order, task) = (access.order.clone(), Task::Host(access.clone()));
        let mut footprint =
            Footprint { task, order, by_host, ranges: Vec::new(), pages: BTreeMap::new() };
        footprint.extend(access);
        footprint
    }

    /// The same act of the host touches more.
    pub(super) fn extend(&mut self, access: &HostAccess) {
        let (start, end) = (access.address, access.address.saturating_add(access.bytes));
        match self.ranges.last_mut() {
            Some((_, last)) if *last == start => *last = end,
            Some((_, last)) if *last > start => {
                self.ranges.push((start, end));
                self.ranges.sort_unstable();
                self.ranges.dedup_by(|next, kept| {
                    let joins = next.0 <= kept.1;
                    if joins {
                        kept.1 = kept.1.max(next.1);
                    }
                    joins
                });
            }
            Some(_) | None => self.ranges.push((start, end)),
        }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let touched = self.pages.values().flat_map(BTreeMap::values);
        let ranges = self.ranges.capacity() * size_of::<(u64, u64)>();
        size_of::<Footprint>() + ranges + touched.map(Touched::bytes_kept).sum::<usize>()
    }

    /// Whether it is what the host itself does to memory, and how.
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

    /// An address from `from` on, at or before the first byte from there on that it touched and in the page of that;
    /// `None` where it touched none.
    pub(super) fn touches_from(&self, from: u64) -> Option<u64> {
        match &self.task {
            Task::Launch(_) => {
                let (page, _) = self.pages.range(from / PAGE..).next()?;
                Some(from.max(page * PAGE))
            }
            Task::Host(_) => {
                let at = self.ranges.partition_point(|(_, end)| *end <= from);
                self.ranges.get(at).map(|(first, _)| from.max(*first))
            }
        }
    }

    /// Notes an access of lanes that follow each other, from the first one on, of `each` bytes each.
    pub(super) fn touch(
        &mut self,
        pc: Pc,
        (what, strength): (Use, Strength),
        (block, warp, lane): Thread,
        (address, bytes): (u64, u64),
        each: u32,
    ) {
        for (page, from, to) in pieces(address, bytes) {
            let touched = self.pages.entry(page).or_default().entry((pc, what, strength));
            // No lane's bytes are of two pages: they lie at a multiple of their number.
            let before = (page * PAGE + u64::from(from)).saturating_sub(address) / u64::from(each);
            let first = (block, warp, lane + before as u32);
            touched.or_insert_with(Touched::new).add(Lanes { from, to, first, each });
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
                let common = self.common_with(later);
                let found = common.and_then(|(start, count)| conflict(one, other, start, count));
                found.into_iter().collect()
            }
        }
    }

    /// The first byte that two acts of the host touch, and how many there are.
    fn common_with(&self, other: &Footprint) -> Option<(u64, u64)> {
        let (mut first, mut count) = (None, 0);
        let (mut own, mut others) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some((a, a_end)), Some((b, b_end))) = (own.peek(), others.peek()) {
            let (start, end) = (*a.max(b), *a_end.min(b_end));
            if start < end {
                first = first.or(Some(start));
                count += end - start;
            }
            if a_end <= b_end {
                own.next()
            } else {
                others.next()
            };
        }
        first.map(|first| (first, count))
    }

    /// The bytes of a page that an act of the host touches.
    fn bytes_in(&self, page: u64) -> Bytes {
        let mut bytes: Bytes = [0; PAGE as usize / 64];
        let (start, end) = (page * PAGE, (page + 1).saturating_mul(PAGE));
        let from = self.ranges.partition_point(|(_, range_end)| *range_end <= start);
        let ranges = self.ranges.iter().skip(from).take_while(|(first, _)| *first < end);
        for (first, range_end) in ranges {
            let (from, to) = (*first.max(&start) - start, *range_end.min(&end) - start);
            set(&mut bytes, from as u16, to as u16);
        }
        bytes
    }

    fn with_launch(&self, later: &Footprint) -> Vec<Conflict> {
        let mut found: BTreeMap<(Pc, Pc), Conflict> = BTreeMap::new();
        for (page, own) in &self.pages {
            let Some(others) = later.pages.get(page) else { continue };
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
        let (Some((first, _)), Some((_, end))) = (host.ranges.first(), host.ranges.last()) else {
            return Vec::new();
        };
        for (page, own) in self.pages.range(first / PAGE..=end.saturating_sub(1) / PAGE) {
            let bytes = host.bytes_in(*page);
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

impl Touched {
    fn new() -> Touched {
        Touched { bytes: Box::new([0; PAGE as usize / 64]), first: Vec::new() }
    }

    fn bytes_kept(&self) -> usize {
        size_of::<Touched>() + size_of::<Bytes>() + self.first.capacity() * size_of::<Lanes>()
    }

    fn add(&mut self, lanes: Lanes) {
        if set(&mut self.bytes, lanes.from, lanes.to) {
            self.first.push(lanes);
        }
    }

    /// The bytes that are in both, in order.
    fn common(&self, other: &Bytes) -> Vec<u16> {
        let words = self.bytes.iter().zip(other).enumerate();
        let bits = |(word, (a, b)): (usize, (&u64, &u64))| {
            let both = a & b;
            (0..64u16)
                .filter(move |bit| both >> bit & 1 == 1)
                .map(move |bit| word as u16 * 64 + bit)
        };
        words.flat_map(bits).collect()
    }

    /// The first thread that touched a byte.
    fn thread(&self, byte: u16) -> Thread {
        let found = self.first.iter().find(|lanes| (lanes.from..lanes.to).contains(&byte));
        found.map_or((0, 0, 0), |lanes| {
            let (block, warp, lane) = lanes.first;
            (block, warp, lane + u32::from(byte - lanes.from) / lanes.each)
        })
    }
}

/// Sets the bits of some bytes; whether one of them was not set.
fn set(bytes: &mut Bytes, from: u16, to: u16) -> bool {
    let mut is_new = false;
    let words = usize::from(from / 64)..usize::from(to).div_ceil(64);
    for (word, base) in bytes[words].iter_mut().zip((u64::from(from / 64) * 64..).step_by(64)) {
        let low = u64::from(from).saturating_sub(base);
        let high = (u64::from(to) - base).min(64);
        let bits = (u64::MAX >> (64 - (high - low))) << low;
        is_new |= *word & bits != bits;
        *word |= bits;
    }
    is_new
}

/// A range, page by page: the page, the first byte in it, and the end.
fn pieces(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u16, u16)> {
    let end = address.saturating_add(bytes);
    (address / PAGE..end.div_ceil(PAGE)).map(move |page| {
        let base = page * PAGE;
        let from = address.max(base) - base;
        (page, from as u16, (end - base).min(PAGE) as u16)
    })
}

/// The conflict of two uses that nothing orders, or that are in the wrong order; `None` where they may be so.
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

/// What is wrong with two uses of one byte that nothing orders; `None` for two reads, and for two that are strong. An end
/// without a thread is the host's.
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
