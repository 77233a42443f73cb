//! Lists of registers that begin at lines of the processor's cache.

use std::ops::{Deref, DerefMut};

/// Bytes of a line, and of the widest vectors.
const LINE: usize = 64;

/// A list whose entries each begin at a multiple of 64 bytes, as the list itself does. A vector
/// that is loaded or stored there lies in one line of the processor's cache. Where memory is
/// aligned only for words, the vector may lie in two lines, which takes twice as long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines<T>(Vec<Line<T>>);

/// What begins a line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
struct Line<T>(T);

impl<T: Copy> Lines<T> {
    /// An entry takes whole lines, so that it has nothing behind it.
    const HAS_NO_GAP: () = assert!(size_of::<T>().is_multiple_of(LINE) && size_of::<T>() != 0);

    /// This many copies of an entry.
    pub fn of(entry: T, count: usize) -> Lines<T> {
        Lines(vec![Line(entry); count])
    }

    /// Changes the number of entries to this; new entries are copies of this one.
    pub fn resize(&mut self, count: usize, entry: T) {
        self.0.resize(count, Line(entry));
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        self.0.push(Line(entry));
    }
}

/// Puts copies of an entry into a list, everywhere.
///
/// ```
/// let mut list = [3, 4];
/// warpsim_language::lanes::set_all(&mut list, 0);
/// assert_eq!(list, [0, 0]);
/// ```
#[inline]
pub fn set_all<T: Copy>(list: &mut [T], entry: T) {
    // Not into an empty one: `memset` of nothing at the place that it has, which is no memory, was
    // measured to take hundreds of cycles, perhaps because some of its forms store there under a
    // mask that is empty.
    if !list.is_empty() {
        list.fill(entry);
    }
}

impl<T: Copy> FromIterator<T> for Lines<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Lines<T> {
        Lines(entries.into_iter().map(Line).collect())
    }
}

impl<T: Copy> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        let () = Lines::<T>::HAS_NO_GAP;
        // SAFETY: a line is its entry and has nothing behind it, so lines are entries one after the
        // other.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len()) }
    }
}

impl<T: Copy> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        let () = Lines::<T>::HAS_NO_GAP;
        // SAFETY: as above; they are borrowed as these are.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;

    #[test]
    fn each_entry_begins_a_line_and_is_what_was_put_there() {
        let mut words = Lines::of([7_u32; LANES], 3);
        let mut doubles = Lines::<[u64; LANES]>::default();
        (0..5).for_each(|n| doubles.push([n; LANES]));
        words[1][31] = 9;
        assert_eq!((words.len(), words[0], words[1][30], words[1][31]), (3, [7; LANES], 7, 9));
        assert_eq!(doubles.iter().map(|d| d[0]).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        for count in [40, 0, 3] {
            words.resize(count, [1; LANES]);
            words.iter_mut().for_each(|word| word[5] = 77);
            set_all(&mut words, [9; LANES]);
            assert!(words.len() == count && words.iter().all(|word| *word == [9; LANES]));
        }
        words.resize(40, [1; LANES]);
        let places = words.iter().map(|word| word.as_ptr() as usize);
        let places = places.chain(doubles.iter().map(|double| double.as_ptr() as usize));
        assert!(places.into_iter().all(|place| place.is_multiple_of(LINE)));
    }
}
