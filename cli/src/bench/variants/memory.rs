//! Oracles of loads and stores.

use super::{ADDRESSED, BLOCK, Thread};

/// What constant memory holds: the kernel itself says nothing of it.
pub(super) const CONSTANTS: [u32; 64] = {
    let mut words = [0; 64];
    let mut at = 0;
    while at < words.len() {
        words[at] = 3 * at as u32 + 1;
        at += 1;
    }
    words
};

/// Words that a round goes further by; more threads than this are never launched.
const STRIDE: u32 = 65_536;

/// The word that a round begins at in most variants.
fn coalesced(thread: &Thread<'_>, i: u32) -> u32 {
    i.wrapping_mul(STRIDE).wrapping_add(thread.number)
}

/// The sum over the rounds of what `value` gives for the word with this number, modulo the length.
fn sum(
    thread: &Thread<'_>,
    word: impl Fn(u32) -> u32,
    value: impl Fn(&[u32], usize) -> u32,
) -> u32 {
    thread.rounds(|i, _, acc| {
        let at = word(i) as usize % ADDRESSED;
        *acc = acc.wrapping_add(value(thread.input, at));
    })
}

/// The word itself.
fn one(input: &[u32], at: usize) -> u32 {
    input[at]
}

/// A vector of words, summed.
fn vector(input: &[u32], at: usize, length: usize) -> u32 {
    input[at..at + length].iter().fold(0, |sum: u32, word| sum.wrapping_add(*word))
}

pub(super) fn ldcoal(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| coalesced(thread, i), one)
}

fn strided(thread: &Thread<'_>, words: u32) -> u32 {
    sum(thread, |i| (thread.number * words).wrapping_add(i), one)
}

pub(super) fn ldstr8(thread: &Thread<'_>) -> u32 {
    strided(thread, 8)
}

pub(super) fn ldstr32(thread: &Thread<'_>) -> u32 {
    strided(thread, 32)
}

pub(super) fn ldstr1k(thread: &Thread<'_>) -> u32 {
    strided(thread, 1024)
}

pub(super) fn ldgather(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        *x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *acc = acc.wrapping_add(thread.input[(*x >> 12) as usize]);
    })
}

pub(super) fn ldbcast(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| i, one)
}

pub(super) fn ldunal(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| coalesced(thread, i), |input, at| input[at + 5])
}

pub(super) fn ldv4(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| coalesced(thread, i) << 2, |input, at| vector(input, at, 4))
}

pub(super) fn ldv2(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| coalesced(thread, i) << 1, |input, at| vector(input, at, 2))
}

pub(super) fn ldu8(thread: &Thread<'_>) -> u32 {
    let byte = thread.number as usize % 4;
    let of = |input: &[u32], at: usize| u32::from(input[at].to_le_bytes()[byte]);
    sum(thread, |i| coalesced(thread, i) >> 2, of)
}

/// Only the low half of the loaded 64 bits is used.
pub(super) fn ldu64(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| coalesced(thread, i) << 1, one)
}

pub(super) fn stcoal(thread: &Thread<'_>) -> u32 {
    sum(thread, |i| coalesced(thread, i), |_, at| at as u32)
}

/// The words that a thread stores are its own, or other threads store the same there.
pub(super) fn stcoal_leaves(thread: &Thread<'_>, buffer: &mut [u32]) {
    for i in 0..thread.rounds {
        let at = coalesced(thread, i) as usize % ADDRESSED;
        buffer[at] = at as u32;
    }
}

/// Shared memory is zero at first.
pub(super) fn shld(_thread: &Thread<'_>) -> u32 {
    0
}

/// The sum of the addresses; the array begins at address 0 of shared memory, as the kernel's only
/// one.
pub(super) fn shst(thread: &Thread<'_>) -> u32 {
    const { assert!(BLOCK <= 1024) };
    thread.rounds(|i, _, acc| *acc = acc.wrapping_add((thread.in_block + i) % 1024 * 4))
}

/// A parameter is the number of rounds.
pub(super) fn ldparam(thread: &Thread<'_>) -> u32 {
    thread.rounds.wrapping_mul(thread.rounds)
}

pub(super) fn ldconst(thread: &Thread<'_>) -> u32 {
    thread.rounds(|i, _, acc| *acc = acc.wrapping_add(CONSTANTS[i as usize % CONSTANTS.len()]))
}
