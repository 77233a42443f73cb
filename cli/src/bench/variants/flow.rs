//! Oracles of branches, calls and local memory.

use super::Thread;
use super::arithmetic::{mix, xorshift};

pub(super) fn pred(thread: &Thread<'_>) -> u32 {
    thread.rounds(|i, x, acc| {
        if *x % 2 == 1 {
            *x = x.wrapping_add(thread.number) ^ i;
        } else {
            *x >>= 1;
            *acc = acc.wrapping_add(*x);
        }
    })
}

pub(super) fn selp(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        *x = if *x % 2 == 1 { x.wrapping_add(thread.number) } else { *x >> 1 };
        *acc ^= *x;
    })
}

/// The two sides of `ifelse` and `uniform_if`.
fn side(halves: bool, number: u32, x: &mut u32, acc: &mut u32) {
    if halves {
        *x >>= 1;
        *acc = acc.wrapping_add(*x);
    } else {
        *x = x.wrapping_add(number);
        *acc ^= *x;
    }
}

pub(super) fn ifelse(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| side(*x % 2 == 1, thread.number, x, acc))
}

pub(super) fn uniform_if(thread: &Thread<'_>) -> u32 {
    thread.rounds(|i, x, acc| side(i % 2 == 1, thread.number, x, acc))
}

fn inner(thread: &Thread<'_>, rounds: u32) -> u32 {
    thread.rounds(|_, x, acc| {
        for _ in 0..rounds {
            *acc = acc.wrapping_add(*x);
            *x ^= *acc;
        }
    })
}

pub(super) fn inner4(thread: &Thread<'_>) -> u32 {
    inner(thread, 4)
}

pub(super) fn innerdiv(thread: &Thread<'_>) -> u32 {
    inner(thread, thread.in_block % 8 + 1)
}

pub(super) fn switch8(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        let case = *x % 8;
        *x = x.wrapping_add(thread.number);
        *acc = match case {
            0 => acc.wrapping_add(1),
            1 => *acc ^ *x,
            2 => acc.wrapping_sub(*x),
            3 => acc.wrapping_add(*x),
            4 => acc.wrapping_mul(*x),
            5 => *acc | *x,
            6 => *acc & *x,
            _ => (*acc).min(*x),
        };
    })
}

pub(super) fn call(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        *x = xorshift(*x);
        *acc = mix(*acc, *x);
    })
}

/// Every eighth round, each with as many calls as the thread's number in its warp, and one.
pub(super) fn callodd(thread: &Thread<'_>) -> u32 {
    thread.rounds(|i, x, acc| {
        let calls = if i % 8 == 0 { thread.in_block % 32 + 1 } else { 0 };
        for _ in 0..calls {
            *x = if *x % 2 == 1 { xorshift(*x) } else { (*x >> 1).wrapping_add(1_013_904_223) };
            *acc = mix(*acc, *x);
        }
    })
}

/// Local memory of 16 words, zero at first: the word that `which` names takes part in a round.
fn local(thread: &Thread<'_>, which: fn(u32, u32) -> u32) -> u32 {
    let mut array = [0_u32; 16];
    thread.rounds(|i, x, acc| {
        let word = &mut array[which(i, *x) as usize % 16];
        *word = word.wrapping_add(*x);
        *x = mix(*x, *word);
        *acc = acc.wrapping_add(*x);
    })
}

pub(super) fn localarr(thread: &Thread<'_>) -> u32 {
    local(thread, |_, x| x)
}

pub(super) fn localuni(thread: &Thread<'_>) -> u32 {
    local(thread, |i, _| i)
}
