//! The bytes that a task touches, so compact that a few instructions compare two tasks.
//!
//! An outline says where two tasks *may* conflict. Most tasks that nothing orders touch other
//! memory, or the same memory by strong accesses alone. They are not compared byte by byte.

use super::area::{Area, PAGE};
use super::footprint::{End, Strength, Use};

/// The range of the bytes, and the words and pages that they lie in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outline {
    first: u64,
    end: u64,
    /// It is something that host code does.
    is_by_host: bool,
    words: Marks,
    pages: Marks,
}

/// A bit for each place, by the last six bits of its number, and for each kind of access.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    weak_reads: u64,
    reads: u64,
    weak_writes: u64,
    writes: u64,
}

/// Bytes of a word.
const WORD: u64 = 4;

impl Outline {
    /// The outline of what a launch touches.
    pub(super) fn of_launch(area: &Area) -> Outline {
        let mut outline = Outline::default();
        let page_at = |page: Option<(&u64, _)>| page.map_or(0, |(page, _)| *page);
        outline.first = page_at(area.pages.first_key_value()).saturating_mul(PAGE);
        outline.end = page_at(area.pages.last_key_value()).saturating_add(1).saturating_mul(PAGE);
        for (page, instructions) in &area.pages {
            for ((_, what, strength), touched) in instructions {
                let is_weak = *strength == Strength::Weak;
                outline.pages.add(1 << (page % 64), *what, is_weak);
                outline.words.add(words_of(touched.bytes.as_slice()), *what, is_weak);
            }
        }
        outline
    }

    /// The outline of what host code touches, and how.
    pub(super) fn of_host(area: &Area, end: End) -> Outline {
        let mut outline = Outline { is_by_host: true, ..Outline::default() };
        outline.first = area.ranges.first().map_or(0, |(first, _)| *first);
        outline.end = area.ranges.last().map_or(0, |(_, end)| *end);
        let is_weak = end.strength == Strength::Weak;
        for (first, range_end) in &area.ranges {
            outline.words.add(numbers(*first / WORD, range_end.div_ceil(WORD)), end.what, is_weak);
            outline.pages.add(numbers(*first / PAGE, range_end.div_ceil(PAGE)), end.what, is_weak);
        }
        outline
    }

    /// Whether two tasks that nothing orders may conflict; where not, they do not.
    pub(super) fn may_conflict(&self, other: &Outline) -> bool {
        // An access that is strong for another launch may not be strong for the host.
        let counts_strength = !self.is_by_host && !other.is_by_host;
        self.first < other.end
            && other.first < self.end
            && self.words.may_conflict(&other.words, counts_strength)
            && self.pages.may_conflict(&other.pages, counts_strength)
    }
}

impl Marks {
    fn add(&mut self, places: u64, what: Use, is_weak: bool) {
        let (reads, writes) = match what {
            Use::Read => (places, 0),
            Use::Write | Use::Allocate | Use::Free => (0, places),
            Use::Both => (places, places),
        };
        self.reads |= reads;
        self.writes |= writes;
        if is_weak {
            self.weak_reads |= reads;
            self.weak_writes |= writes;
        }
    }

    /// One of the two writes at a place that the other touches, too, and, where strength counts,
    /// one of them is weak there.
    fn may_conflict(&self, other: &Marks, counts_strength: bool) -> bool {
        let (own, others) = (self.reads | self.writes, other.reads | other.writes);
        let places = match counts_strength {
            false => self.writes & others | own & other.writes,
            true => {
                self.weak_writes & others
                    | own & other.weak_writes
                    | self.weak_reads & other.writes
                    | self.writes & other.weak_reads
            }
        };
        places != 0
    }
}

/// The bits of this many numbers that follow each other.
fn numbers(first: u64, end: u64) -> u64 {
    match end.saturating_sub(first) {
        0 => 0,
        count @ 1..64 => (u64::MAX >> (64 - count)).rotate_left((first % 64) as u32),
        64.. => u64::MAX,
    }
}

/// The words of a page with a touched byte; each bit is a byte.
fn words_of(bytes: &[u64]) -> u64 {
    let mut words = 0;
    for (at, bytes) in bytes.iter().enumerate().filter(|(_, bytes)| **bytes != 0) {
        // Four bytes of the bits are a word.
        for word in (0..16).filter(|word| bytes >> (4 * word) & 0xf != 0) {
            words |= 1u64 << ((16 * at as u64 + word) % 64);
        }
        if words == u64::MAX {
            break;
        }
    }
    words
}
