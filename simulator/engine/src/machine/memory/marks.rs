//! Which words of a memory have been read, written and reduced, page by page.
//!
//! They are kept for the global memory of blocks that run ahead of their turn
//! ([`super::speculative`]). Marks are exact for words of 4 bytes. A partly written word counts as
//! read, too, so that the whole word can be committed. There can be too many marks, never too few:
//! each access is noted before it is carried out.

use std::ops::Range;

use super::pages::PAGE_BYTES;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::observe::AccessKind;

/// Words of a page.
const WORDS: usize = PAGE_BYTES / 4;

/// Words of marks for the words of a page.
const MARKS: usize = WORDS / u64::BITS as usize;

/// One bit for each word of a page.
pub(super) type Marks = [u64; MARKS];

/// The marks of a memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Marked {
    /// For each page: one more than its place in `touched`; 0 for an untouched page.
    places: Vec<u32>,
    touched: Vec<Touched>,
}

/// A page that has been read or written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Touched {
    /// Its number.
    pub(super) page: usize,
    /// The words whose value from before was used.
    pub(super) read: Marks,
    /// The words that were written.
    pub(super) written: Marks,
    /// The words with deferred reductions.
    pub(super) reduced: Marks,
}

/// What an access does to the words that it touches.
#[derive(Clone, Copy, Debug)]
struct Use {
    reads: bool,
    writes: bool,
}

impl Use {
    /// The effect of a kind of access on words that it touches partly or wholly.
    fn of(kind: AccessKind, is_part: bool) -> Use {
        match kind {
            AccessKind::Read => Use { reads: true, writes: false },
            AccessKind::Write => Use { reads: is_part, writes: true },
            AccessKind::Atomic => Use { reads: true, writes: true },
        }
    }
}

impl Marked {
    /// The marks of an untouched memory of this many bytes.
    pub(super) fn new(bytes: u64) -> Marked {
        let pages = bytes.div_ceil(PAGE_BYTES as u64) as usize;
        Marked { places: vec![0; pages], touched: Vec::new() }
    }

    /// The pages that were touched.
    pub(super) fn into_touched(self) -> Vec<Touched> {
        self.touched
    }

    /// Notes an access of lanes that all lie in one page of the memory, each aligned to its
    /// `bytes`. Returns whether one of the words has deferred reductions.
    pub(super) fn note(
        &mut self,
        kind: AccessKind,
        page: usize,
        addresses: &[u64; LANES],
        mask: Mask,
        bytes: u32,
    ) -> Result<bool, InternalError> {
        let touched = touch(&mut self.places, &mut self.touched, page)?;
        Ok(touched.note(Use::of(kind, bytes < 4), addresses, mask, bytes))
    }

    /// Notes accesses to all bytes of a range, which begins and ends with a word. Returns whether
    /// one of the words has deferred reductions.
    pub(super) fn note_run(
        &mut self,
        kind: AccessKind,
        bytes: Range<u64>,
    ) -> Result<bool, InternalError> {
        let what = Use::of(kind, false);
        let (mut word, end) = (bytes.start / 4, bytes.end / 4);
        let mut reduced = 0;
        while word < end {
            // At most one word of marks.
            let next = end.min((word / 64 + 1) * 64);
            let bits = u64::MAX >> (64 - (next - word)) << (word % 64);
            let (page, at) = (word as usize / WORDS, word as usize / 64);
            let touched = touch(&mut self.places, &mut self.touched, page)?;
            reduced |= touched.mark(what, at, bits);
            word = next;
        }
        Ok(reduced != 0)
    }

    /// Notes that reductions of the words are deferred.
    pub(super) fn reduce(
        &mut self,
        page: usize,
        addresses: &[u64; LANES],
        mask: Mask,
        bytes: u32,
    ) -> Result<(), InternalError> {
        let touched = touch(&mut self.places, &mut self.touched, page)?;
        for lane in lanes_of(mask) {
            let (at, bits) = spot(addresses[lane], bytes);
            touched.reduced[at] |= bits;
        }
        Ok(())
    }
}

/// The entry of a page, created where it is missing.
#[inline]
fn touch<'a>(
    places: &mut [u32],
    touched: &'a mut Vec<Touched>,
    page: usize,
) -> Result<&'a mut Touched, InternalError> {
    let pages = places.len();
    let beyond = || internal!("page {page} of a memory of {pages} is noted");
    let place = places.get_mut(page).ok_or_else(beyond)?;
    if *place == 0 {
        let none = [0; MARKS];
        touched.push(Touched { page, read: none, written: none, reduced: none });
        *place = touched.len() as u32;
    }
    touched.get_mut(*place as usize - 1).ok_or_else(beyond)
}

/// The marks of an element, as a place in one word of marks. No aligned element is larger than the
/// 64 words of one word of marks.
#[inline(always)]
pub(super) fn spot(address: u64, bytes: u32) -> (usize, u64) {
    let word = (address / 4) as usize % WORDS;
    let run = u64::MAX >> (u64::BITS - bytes.div_ceil(4).clamp(1, u64::BITS));
    (word / 64, run << (word % 64))
}

impl Touched {
    #[inline(always)]
    fn mark(&mut self, what: Use, at: usize, bits: u64) -> u64 {
        let at = at % MARKS;
        if what.reads {
            self.read[at] |= bits & !self.written[at];
        }
        if what.writes {
            self.written[at] |= bits;
        }
        self.reduced[at] & bits
    }

    #[inline]
    fn note(&mut self, what: Use, addresses: &[u64; LANES], mask: Mask, bytes: u32) -> bool {
        let mut reduced = 0;
        for (half, first) in addresses.as_chunks::<HALF>().0.iter().zip([0, HALF]) {
            let lanes = mask >> first & ROW;
            match row(half) {
                Some((first, words)) if lanes == ROW && bytes == 4 => {
                    // In at most two words of marks.
                    let (at, place) = ((first / 256) as usize % MARKS, first / 4 % 64);
                    reduced |= self.mark(what, at, words << place);
                    if place > 64 - HALF as u64 {
                        reduced |= self.mark(what, at + 1, words >> (64 - place));
                    }
                }
                Some(_) | None => {
                    for lane in lanes_of(lanes) {
                        let (at, bits) = spot(half[lane % HALF], bytes);
                        reduced |= self.mark(what, at, bits);
                    }
                }
            }
        }
        reduced != 0
    }
}

/// Lanes of half a warp.
const HALF: usize = LANES / 2;

/// All lanes of half a warp.
const ROW: Mask = Mask::MAX >> HALF;

/// The first word that half a warp accesses, and the marks from there on. The lanes access one
/// word, or each lane's word follows the previous lane's; otherwise `None`.
#[inline]
fn row(addresses: &[u64; HALF]) -> Option<(u64, u64)> {
    let first = addresses[0];
    let step = addresses[1].wrapping_sub(first);
    let words = match step {
        0 => 1,
        4 => u64::from(ROW),
        _ => return None,
    };
    let mut difference = 0;
    let mut expected = first;
    for address in addresses {
        difference |= address ^ expected;
        expected = expected.wrapping_add(step);
    }
    (difference == 0).then_some((first, words))
}

const _: () = assert!(PAGE_BYTES == 256 * MARKS);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn two_pages() -> Marked {
        Marked::new(2 * PAGE_BYTES as u64)
    }

    #[test]
    fn what_was_written_before_is_not_read_from_below_and_a_part_of_a_word_is() {
        let mut marked = two_pages();
        let at = [4096 + 12; LANES];
        marked.note(AccessKind::Write, 1, &at, 1, 4).unwrap();
        marked.note(AccessKind::Read, 1, &at, 1, 4).unwrap();
        marked.note(AccessKind::Write, 1, &[4096 + 17; LANES], 1, 1).unwrap();
        marked.note(AccessKind::Read, 1, &[4096 + 32; LANES], 1, 16).unwrap();
        marked.note(AccessKind::Atomic, 1, &[4096 + 64; LANES], 1, 8).unwrap();
        let touched = &marked.touched[0];
        assert_eq!(touched.read[0], 1 << 4 | 0b1111 << 8 | 0b11 << 16);
        assert_eq!(touched.written[0], 1 << 3 | 1 << 4 | 0b11 << 16);
    }

    #[test]
    fn a_run_is_noted_as_its_words_are_also_across_the_end_of_a_page() {
        for (from, to) in [(0, 1), (3, 67), (60, 200), (1000, 1100), (1023, 1025), (5, 5)] {
            let (mut run, mut each) = (two_pages(), two_pages());
            for kind in [AccessKind::Read, AccessKind::Write, AccessKind::Atomic] {
                run.note_run(kind, from * 4..to * 4).unwrap();
                for word in from..to {
                    each.note(kind, word as usize / WORDS, &[4 * word; LANES], 1, 4).unwrap();
                }
            }
            assert_eq!(run.touched, each.touched, "{from} to {to}");
            let written = run.touched.iter().flat_map(|t| t.written).map(u64::count_ones);
            assert_eq!(u64::from(written.sum::<u32>()), to - from);
        }
        let mut marked = two_pages();
        marked.reduce(0, &[4 * 70; LANES], 1, 4).unwrap();
        assert!(!marked.note_run(AccessKind::Read, 0..4 * 70).unwrap());
        assert!(marked.note_run(AccessKind::Read, 4 * 65..4 * 71).unwrap());
        assert!(marked.note_run(AccessKind::Read, 4 * 2047..4 * 2049).is_err());
    }

    #[test]
    fn a_page_beyond_the_end_is_a_bug_of_ours() {
        let mut marked = two_pages();
        assert!(marked.note(AccessKind::Read, 2, &[8192; LANES], 1, 4).is_err());
        assert!(marked.reduce(2, &[8192; LANES], 1, 4).is_err());
    }

    proptest! {
        /// Compares the short cut for halves of a warp (one word, or consecutive words) with one
        /// lane at a time.
        #[test]
        fn words_in_a_row_are_marked_as_lane_by_lane(
            first in prop::array::uniform2(0_u64..=1024 - 32),
            step in prop::array::uniform2(0_u64..3),
            mask in prop_oneof![Just(Mask::MAX), Just(0xffff), any::<Mask>()],
        ) {
            let addresses: [u64; LANES] = std::array::from_fn(|lane| {
                let word = first[lane / HALF] + step[lane / HALF] * (lane % HALF) as u64;
                4096 * 5 + 4 * word
            });
            let (mut all, mut each) = (two_pages(), two_pages());
            for kind in [AccessKind::Read, AccessKind::Write] {
                all.note(kind, 1, &addresses, mask, 4).unwrap();
                each.note(kind, 1, &addresses, 0, 4).unwrap();
                lanes_of(mask).for_each(|lane| {
                    each.note(kind, 1, &addresses, 1 << lane, 4).unwrap();
                });
            }
            prop_assert_eq!(&all.touched[0], &each.touched[0]);
            let mut words: Vec<u64> = lanes_of(mask).map(|lane| addresses[lane]).collect();
            words.sort_unstable();
            words.dedup();
            let bits: u32 = all.touched[0].written.iter().map(|w| w.count_ones()).sum();
            prop_assert_eq!(bits as usize, words.len());
        }
    }
}
