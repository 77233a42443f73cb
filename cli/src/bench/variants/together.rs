//! Oracles of what threads do together: atomics, shuffles, votes, barriers.

use super::{BLOCK, Thread};

/// What the next round's `x` is where it is a generator.
fn next(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// The `x` of each round.
fn drawn(thread: &Thread<'_>) -> Vec<u32> {
    let mut all = Vec::new();
    thread.rounds(|_, x, _| {
        *x = next(*x);
        all.push(*x);
    });
    all
}

pub(super) fn shatom(thread: &Thread<'_>) -> Vec<usize> {
    // The address is masked to the array: the number of the byte's word by its upper 8 bits.
    drawn(thread).iter().map(|x| (x >> 24) as usize).collect()
}

pub(super) fn glatom(thread: &Thread<'_>) -> Vec<usize> {
    drawn(thread).iter().map(|x| (x >> 12) as usize).collect()
}

/// Adds 1 to each of the words with these numbers, and gives the sum of what they held just before.
/// In another order of the threads each word goes through the same values, so that the sum is the
/// same.
pub(super) fn old_values(
    threads: &[Thread<'_>],
    words: fn(&Thread<'_>) -> Vec<usize>,
    memory: &mut [u32],
) -> u32 {
    let mut sum: u32 = 0;
    for at in threads.iter().flat_map(words) {
        sum = sum.wrapping_add(memory[at]);
        memory[at] = memory[at].wrapping_add(1);
    }
    sum
}

/// It uses no result.
pub(super) fn shred1(_thread: &Thread<'_>) -> u32 {
    0
}

pub(super) fn sum_of_rounds(thread: &Thread<'_>) -> u32 {
    thread.rounds(|i, _, acc| *acc = acc.wrapping_add(i))
}

/// The first warp of each block takes part, in every eighth round.
pub(super) fn inturn(thread: &Thread<'_>) -> u32 {
    let takes_part = thread.in_block < 32;
    thread.rounds(|i, _, acc| {
        if takes_part && i % 8 == 0 {
            *acc = acc.wrapping_add(i);
        }
    })
}

pub(super) fn glred_leaves(thread: &Thread<'_>, buffer: &mut [u32]) {
    let word = &mut buffer[thread.number as usize];
    *word = word.wrapping_add(thread.rounds);
}

/// `x` of each lane, as each variant begins, and no `acc` yet.
fn begin(warp: &[Thread<'_>]) -> (Vec<u32>, Vec<u32>) {
    let x = warp.iter().map(|t| t.number.wrapping_mul(2_654_435_761).wrapping_add(1));
    (x.collect(), vec![0; warp.len()])
}

pub(super) fn shfl(warp: &[Thread<'_>]) -> Vec<u32> {
    let (mut x, mut acc) = begin(warp);
    for _ in 0..warp[0].rounds {
        // The neighbour; then the lane 4 further, or the lane itself at the end.
        x = (0..x.len()).map(|lane| x[lane].wrapping_add(x[lane ^ 1])).collect();
        for lane in 0..x.len() {
            acc[lane] ^= x.get(lane + 4).unwrap_or(&x[lane]);
        }
        for (x, thread) in x.iter_mut().zip(warp) {
            *x = x.wrapping_add(thread.number);
        }
    }
    acc
}

pub(super) fn vote(warp: &[Thread<'_>]) -> Vec<u32> {
    let (mut x, mut acc) = begin(warp);
    for _ in 0..warp[0].rounds {
        let odd = x.iter().filter(|x| *x % 2 == 1).count() as u32;
        acc.iter_mut().for_each(|acc| *acc += odd);
        x.iter_mut().for_each(|x| *x = next(*x));
    }
    acc
}

pub(super) fn spec(thread: &Thread<'_>) -> u32 {
    let (block, lane) = (thread.number / BLOCK, thread.in_block % 32);
    thread.rounds.wrapping_mul(thread.in_block + block + lane)
}
