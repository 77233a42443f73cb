//! Memory of the program that its threads may write while we read or write it: page-locked, managed
//! and registered memory.
//!
//! All of it goes through atomic accesses of the largest width that the address and the remaining
//! bytes allow, up to eight bytes. So this code never sees part of a word that a thread writes at
//! once, and a thread never sees part of a word written here. A byte that did not change is never
//! written, so a value that a thread puts there meanwhile is not lost.
//!
//! Accesses are relaxed: the calls of the API hold a lock and so make the order that a program may
//! rely on.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// The bytes of the next access outside whole words: a power of two that divides the address, and
/// not more than are left.
fn width(address: usize, left: usize) -> usize {
    [4, 2].into_iter().find(|width| address.is_multiple_of(*width) && left >= *width).unwrap_or(1)
}

/// The bytes before the first whole word of eight, of this many.
fn before_words(address: usize, bytes: usize) -> usize {
    (address.next_multiple_of(8) - address).min(bytes)
}

/// This many words of the program, from a multiple of eight on.
fn words<'a>(address: usize, count: usize) -> &'a [AtomicU64] {
    if count == 0 {
        return &[];
    }
    let from = std::ptr::with_exposed_provenance::<AtomicU64>(address);
    // SAFETY: whole words in memory that the program has shared with the device, and has until it
    // says otherwise. Nothing of ours refers to it otherwise; what the program's threads do there
    // goes on beside it.
    unsafe { std::slice::from_raw_parts(from, count) }
}

/// Copies bytes of the program.
pub(crate) fn load(address: usize, into: &mut [u8]) {
    let (head, rest) = into.split_at_mut(before_words(address, into.len()));
    load_pieces(address, head);
    let start = address + head.len();
    let (whole, tail) = rest.as_chunks_mut::<8>();
    load_pieces(start + 8 * whole.len(), tail);
    let there = words(start, whole.len());
    for (into, word) in whole.iter_mut().zip(there) {
        *into = word.load(Ordering::Relaxed).to_ne_bytes();
    }
}

/// The same of bytes that are no whole words.
fn load_pieces(address: usize, into: &mut [u8]) {
    let mut rest = into;
    let mut address = address;
    while !rest.is_empty() {
        // Not more than are left: `width` sees to it.
        let (now, later) = rest.split_at_mut(width(address, rest.len()));
        load_one(address, now);
        address += now.len();
        rest = later;
    }
}

/// Writes the bytes that differ from the old ones. There are as many old bytes as new ones.
pub(crate) fn merge(address: usize, old: &[u8], new: &[u8]) {
    let at = before_words(address, new.len().min(old.len()));
    let ((old_head, old), (new_head, new)) = (old.split_at(at), new.split_at(at));
    merge_pieces(address, old_head, new_head);
    let start = address + at;
    let ((old, old_tail), (new, new_tail)) = (old.as_chunks::<8>(), new.as_chunks::<8>());
    for ((word, old), new) in words(start, new.len()).iter().zip(old).zip(new) {
        if old != new {
            merge_word(word, *old, *new);
        }
    }
    merge_pieces(start + 8 * new.len(), old_tail, new_tail);
}

/// Writes the bytes of a word that differ.
fn merge_word(to: &AtomicU64, old: [u8; 8], new: [u8; 8]) {
    let (old, new) = (u64::from_ne_bytes(old), u64::from_ne_bytes(new));
    let mask = changed(old, new);
    if mask == u64::MAX {
        to.store(new, Ordering::Relaxed);
        return;
    }
    // It is never given up, and so never an error.
    let merged = |now: u64| Some(now & !mask | new & mask);
    let _ = to.fetch_update(Ordering::Relaxed, Ordering::Relaxed, merged);
}

/// The same of bytes that are no whole words.
fn merge_pieces(address: usize, old: &[u8], new: &[u8]) {
    let mut at = 0;
    while at < new.len() {
        let end = at + width(address + at, new.len() - at);
        if let (Some(old), Some(new)) = (old.get(at..end), new.get(at..end))
            && old != new
        {
            merge_one(address + at, old, new);
        }
        at = end;
    }
}

/// The first bytes of a list, as many as a number of this type has.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut number = [0; N];
    number.iter_mut().zip(bytes).for_each(|(into, byte)| *into = *byte);
    number
}

/// All bits of the bytes in which two words differ.
fn changed(old: u64, new: u64) -> u64 {
    let mut bits = old ^ new;
    for by in [4, 2, 1] {
        bits |= bits >> by;
    }
    (bits & 0x0101_0101_0101_0101).wrapping_mul(0xff)
}

macro_rules! one {
    ($load:ident, $merge:ident, $atomic:ty, $number:ty) => {
        fn $load(address: usize, into: &mut [u8]) {
            let from = std::ptr::with_exposed_provenance_mut::<$number>(address);
            // SAFETY: a multiple of the number's size, in memory that the program has shared with
            // the device, and has until it says otherwise. Nothing of ours refers to it; what the
            // program's threads do there goes on beside it.
            let value = unsafe { <$atomic>::from_ptr(from) }.load(Ordering::Relaxed);
            // As many: `load_one` calls the function of the number that has this size.
            into.copy_from_slice(&value.to_ne_bytes());
        }

        fn $merge(address: usize, old: &[u8], new: &[u8]) {
            let (old, new) =
                (<$number>::from_ne_bytes(first(old)), <$number>::from_ne_bytes(first(new)));
            let mask = changed(old.into(), new.into()) as $number;
            let to = std::ptr::with_exposed_provenance_mut::<$number>(address);
            // SAFETY: as of a load.
            let to = unsafe { <$atomic>::from_ptr(to) };
            if mask == <$number>::MAX {
                to.store(new, Ordering::Relaxed);
                return;
            }
            let merged = |now: $number| Some(now & !mask | new & mask);
            // It is never given up, and so never an error.
            let _ = to.fetch_update(Ordering::Relaxed, Ordering::Relaxed, merged);
        }
    };
}

one!(load_8, merge_8, AtomicU8, u8);
one!(load_16, merge_16, AtomicU16, u16);
one!(load_32, merge_32, AtomicU32, u32);

fn load_one(address: usize, into: &mut [u8]) {
    match into.len() {
        4 => load_32(address, into),
        2 => load_16(address, into),
        _ => load_8(address, into),
    }
}

fn merge_one(address: usize, old: &[u8], new: &[u8]) {
    match new.len() {
        4 => merge_32(address, old, new),
        2 => merge_16(address, old, new),
        _ => merge_8(address, old, new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_that_differ_are_written_and_no_others() {
        // For every alignment: the right bytes are computed one at a time.
        for start in 0..9 {
            for bytes in 0..24 {
                let old: Vec<u8> = (0..bytes).map(|at| at as u8).collect();
                let differs =
                    |at: usize| at.is_multiple_of(3) || at % 7 == 2 || (8..16).contains(&at);
                let new: Vec<u8> =
                    (0..bytes).map(|at| at as u8 ^ if differs(at) { 0x80 } else { 0 }).collect();
                // The program has written all bytes meanwhile.
                let mut memory = [0xee_u8; 40];
                let address = (&raw mut memory).expose_provenance() + start;
                merge(address, &old, &new);
                let wanted = (0..40_usize).map(|at| match at.checked_sub(start) {
                    Some(at) if at < bytes && differs(at) => new[at],
                    Some(_) | None => 0xee,
                });
                assert!(memory.iter().copied().eq(wanted), "{start} {bytes} {memory:?}");
                let mut read = vec![0; bytes];
                load(address, &mut read);
                assert_eq!(read, memory[start..start + bytes]);
            }
        }
    }

    #[test]
    fn words_that_a_thread_writes_meanwhile_are_neither_lost_nor_torn() {
        const ROUNDS: u64 = 20_000;
        // The upper half of each word is the device's, the lower half the thread's.
        let words: Vec<AtomicU64> = (0..8).map(|_| AtomicU64::new(0)).collect();
        let address = words.as_ptr().expose_provenance();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    for word in &words {
                        let halves = |now: u64| Some(now & !0xffff_ffff | round);
                        word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, halves).unwrap();
                    }
                }
            });
            let mut seen = [0; 64];
            for round in 0..ROUNDS {
                let (old, new) = ((round << 32).to_ne_bytes(), ((round + 1) << 32).to_ne_bytes());
                merge(address, &old.repeat(8), &new.repeat(8));
                load(address, &mut seen);
                for word in seen.chunks(8) {
                    let word = u64::from_ne_bytes(first(word));
                    assert_eq!(word >> 32, round + 1);
                    assert!(word & 0xffff_ffff <= ROUNDS);
                }
            }
        });
        assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == ROUNDS << 32 | ROUNDS));
    }
}
