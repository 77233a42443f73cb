//! The bytes that a task touches, with the first thread at each.

use std::collections::BTreeMap;

use super::footprint::{Strength, Thread, Use};
use crate::lower::Pc;

/// Bytes of a page: the unit of bookkeeping.
pub(super) const PAGE: u64 = 4096;

/// One bit for each byte of a page.
pub(super) type Bytes = [u64; PAGE as usize / 64];

/// The memory that host code, or the instructions of a launch, touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Area {
    /// What the host touches: first bytes and ends, in order and without overlap.
    pub(super) ranges: Vec<(u64, u64)>,
    /// What instructions touch, by pages.
    pub(super) pages: BTreeMap<u64, BTreeMap<(Pc, Use, Strength), Touched>>,
}

/// Bytes of a page that one instruction touched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Touched {
    pub(super) bytes: Box<Bytes>,
    /// Who touched bytes that were not touched before, in order.
    first: Vec<Lanes>,
}

/// Lanes that follow each other, and the bytes of a page that they touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Lanes {
    from: u16,
    to: u16,
    /// The lane that touched the first byte.
    first: Thread,
    /// Bytes of each.
    each: u32,
}

impl Area {
    /// The host touches a range more.
    pub(super) fn extend(&mut self, (start, end): (u64, u64)) {
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

    /// Notes an access of lanes that follow each other, from the first one on, of `each` bytes
    /// each.
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

    /// About how many bytes it takes.
    pub(super) fn bytes_kept(&self) -> usize {
        let touched = self.pages.values().flat_map(BTreeMap::values);
        let ranges = self.ranges.capacity() * size_of::<(u64, u64)>();
        size_of::<Area>() + ranges + touched.map(Touched::bytes_kept).sum::<usize>()
    }

    /// The pages that it touches, if there are so many at most.
    pub(super) fn few_pages(&self, most: usize) -> Option<Vec<u64>> {
        let of_ranges =
            self.ranges.iter().flat_map(|(first, end)| *first / PAGE..end.div_ceil(PAGE));
        let mut pages: Vec<u64> = Vec::new();
        for page in self.pages.keys().copied().chain(of_ranges) {
            // Ranges are in order, and two of them may be of one page.
            if pages.last() == Some(&page) {
                continue;
            }
            if pages.len() == most {
                return None;
            }
            pages.push(page);
        }
        Some(pages)
    }

    /// The first byte that host code touches in both, and how many there are.
    pub(super) fn common_ranges(&self, other: &Area) -> Option<(u64, u64)> {
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

    /// The bytes of a page that host code touches.
    pub(super) fn bytes_in(&self, page: u64) -> Bytes {
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
    pub(super) fn common(&self, other: &Bytes) -> Vec<u16> {
        let words = self.bytes.iter().zip(other).enumerate();
        let bits = |(word, (a, b)): (usize, (&u64, &u64))| {
            let both = a & b;
            (0..64u16)
                .filter(move |bit| both >> bit & 1 == 1)
                .map(move |bit| word as u16 * 64 + bit)
        };
        words.filter(|(_, (a, b))| *a & *b != 0).flat_map(bits).collect()
    }

    /// The first thread that touched a byte.
    pub(super) fn thread(&self, byte: u16) -> Thread {
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
