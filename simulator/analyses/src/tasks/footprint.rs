//! What a task touched, byte by byte, with the first thread at each.

use std::collections::BTreeMap;

use crate::lower::Pc;
use crate::observe::{HostAccess, HostAccessKind, LaunchFacts, Order};

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
    Free,
}

/// Whether an access is strong, with a scope that includes the threads of other launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Weak,
    Strong,
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

/// Bytes that two unordered tasks touch, of one pair of instructions or copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
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
    pub(super) fn new(task: Task, order: Order) -> Footprint {
        Footprint { task, order, pages: BTreeMap::new() }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let touched = self.pages.values().flat_map(BTreeMap::values);
        size_of::<Footprint>() + touched.map(Touched::bytes_kept).sum::<usize>()
    }

    /// Whether one of the two happens before the other.
    pub(super) fn is_ordered_with(&self, other: &Footprint) -> bool {
        self.order.is_after(other.order.operation()) || other.order.is_after(self.order.operation())
    }

    /// The number of the launch that it is.
    pub(super) fn launch(&self) -> Option<u64> {
        match &self.task {
            Task::Launch(facts) => Some(facts.number),
            Task::Host(_) => None,
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
                let found = self.with_host(host);
                found.into_iter().map(|(own, host, at, n)| conflict(own, host, at, n)).collect()
            }
            (Task::Host(host), Task::Launch(_)) => {
                let found = later.with_host(host);
                found.into_iter().map(|(own, host, at, n)| conflict(host, own, at, n)).collect()
            }
            (Task::Host(a), Task::Host(b)) => {
                let start = a.address.max(b.address);
                let end = a.address.saturating_add(a.bytes).min(b.address.saturating_add(b.bytes));
                let (one, other) = (host_end(a), host_end(b));
                let conflicts = start < end && conflict_with(one, other);
                conflicts.then(|| conflict(one, other, start, end - start)).into_iter().collect()
            }
        }
    }

    fn with_launch(&self, later: &Footprint) -> Vec<Conflict> {
        let mut found: BTreeMap<(Pc, Pc), Conflict> = BTreeMap::new();
        for (page, own) in &self.pages {
            let Some(others) = later.pages.get(page) else { continue };
            for ((pc, what, strength), touched) in own {
                for ((other_pc, other_what, other_strength), other) in others {
                    let end = |what, strength| End { what, strength, at: None };
                    let (one, two) = (end(*what, *strength), end(*other_what, *other_strength));
                    let common = touched.common(&other.bytes);
                    let Some(first) = common.first().filter(|_| conflict_with(one, two)) else {
                        continue;
                    };
                    let earlier = End { at: Some((*pc, touched.thread(*first))), ..one };
                    let later = End { at: Some((*other_pc, other.thread(*first))), ..two };
                    let new = conflict(earlier, later, page * PAGE + u64::from(*first), 0);
                    let known = found.entry((*pc, *other_pc)).or_insert(new);
                    known.count += common.len() as u64;
                }
            }
        }
        found.into_values().collect()
    }

    /// The ends of this launch and of a host access, the first byte, and how many.
    fn with_host(&self, host: &HostAccess) -> Vec<(End, End, u64, u64)> {
        let two = host_end(host);
        let mut found: BTreeMap<Pc, (End, End, u64, u64)> = BTreeMap::new();
        let last = host.address.saturating_add(host.bytes.saturating_sub(1)) / PAGE;
        for (page, own) in self.pages.range(host.address / PAGE..=last) {
            let mut bytes: Bytes = [0; PAGE as usize / 64];
            for (of, from, to) in pieces(host.address, host.bytes) {
                if of == *page {
                    set(&mut bytes, from, to);
                }
            }
            for ((pc, what, strength), touched) in own {
                let common = touched.common(&bytes);
                let Some(first) = common.first() else { continue };
                let at = Some((*pc, touched.thread(*first)));
                let one = End { what: *what, strength: *strength, at };
                if conflict_with(one, two) {
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

fn conflict(earlier: End, later: End, address: u64, count: u64) -> Conflict {
    Conflict { earlier, later, address, count }
}

fn host_end(access: &HostAccess) -> End {
    let what = match access.kind {
        HostAccessKind::Read | HostAccessKind::Load | HostAccessKind::CopyRead => Use::Read,
        HostAccessKind::Write | HostAccessKind::Store | HostAccessKind::CopyWrite => Use::Write,
        HostAccessKind::Free => Use::Free,
    };
    End { what, strength: Strength::Weak, at: None }
}

/// Whether two uses of one byte that nothing orders are a race.
fn conflict_with(one: End, two: End) -> bool {
    let both_read = one.what == Use::Read && two.what == Use::Read;
    let both_strong = one.strength == Strength::Strong && two.strength == Strength::Strong;
    !both_read && !both_strong
}
