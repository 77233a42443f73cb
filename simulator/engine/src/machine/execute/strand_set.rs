//! Sets of strands of a gang, such as the strands at a place.

use std::ops::Range;

use crate::machine::state::block::MOST;

/// Strands, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::machine) struct Set(u32);

// One bit for each.
const _: () = assert!(MOST == u32::BITS as usize);

impl Set {
    /// The empty set.
    pub(in crate::machine) const NONE: Set = Set(0);

    /// The first this many strands: at most [`MOST`].
    #[inline(always)]
    pub(in crate::machine) fn first(strands: usize) -> Set {
        match u32::try_from(strands) {
            Ok(strands) if strands < u32::BITS => Set((1 << strands) - 1),
            Ok(_) | Err(_) => Set(u32::MAX),
        }
    }

    /// The strands whose bits are set.
    #[inline]
    pub(in crate::machine) fn of(bits: u32) -> Set {
        Set(bits)
    }

    /// The strands of a range.
    #[inline]
    pub(in crate::machine) fn of_range(range: Range<usize>) -> Set {
        Set::first(range.end).without(Set::first(range.start))
    }

    /// Whether it is empty.
    #[inline]
    pub(in crate::machine) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a strand is in it.
    #[inline]
    pub(in crate::machine) fn has(self, strand: usize) -> bool {
        self.0 >> (strand % MOST) & 1 != 0
    }

    /// Puts a strand in, or takes it out.
    #[inline]
    pub(in crate::machine) fn set(&mut self, strand: usize, is_in: bool) {
        let at = strand % MOST;
        self.0 = self.0 & !(1 << at) | u32::from(is_in) << at;
    }

    /// The strands in this or the other.
    #[inline]
    pub(in crate::machine) fn with(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// The strands in this, and not in the other.
    #[inline]
    pub(in crate::machine) fn without(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    /// The strands in this and the other.
    #[inline]
    pub(in crate::machine) fn among(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }

    /// The number of strands.
    #[inline(always)]
    pub(in crate::machine) fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The first strand, and one past the last; `None` for the empty set.
    #[inline(always)]
    pub(in crate::machine) fn range(self) -> Option<Range<usize>> {
        let [before, behind] = [self.0.trailing_zeros(), self.0.leading_zeros()];
        (self.0 != 0).then_some(before as usize..MOST - behind as usize)
    }

    /// The first strand, and one past the last that follows it without a gap; `None` for the empty
    /// set.
    #[inline(always)]
    pub(in crate::machine) fn first_run(self) -> Option<Range<usize>> {
        let start = self.range()?.start;
        Some(start..start + (self.0 >> start).trailing_ones() as usize)
    }

    /// The strands, one after the other.
    #[inline(always)]
    pub(in crate::machine) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let at = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (at < MOST).then_some(at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_where_a_strand_is_missing() {
        for (bits, run) in [
            (0, None),
            (1, Some(0..1)),
            (0b1101100, Some(2..4)),
            (u32::MAX, Some(0..32)),
            (1 << 31, Some(31..32)),
        ] {
            assert_eq!(Set::of(bits).first_run(), run, "{bits:b}");
        }
    }

    #[test]
    fn a_set_has_who_was_put_in_and_not_taken_out() {
        let mut set = Set::NONE;
        assert_eq!((set.is_empty(), set.range(), set.iter().count()), (true, None, 0));
        for strand in [31, 4, 9, 5] {
            set.set(strand, true);
        }
        set.set(5, false);
        assert_eq!(set.iter().collect::<Vec<_>>(), [4, 9, 31]);
        assert_eq!((set.range(), set.has(9), set.has(5)), (Some(4..32), true, false));
        assert_eq!(set.without(Set::first(9)).range(), Some(9..32));
        assert_eq!(Set::first(2).with(set).iter().collect::<Vec<_>>(), [0, 1, 4, 9, 31]);
        assert_eq!(Set::first(32).iter().count(), 32);
        assert_eq!(Set::first(0), Set::NONE);
    }
}
