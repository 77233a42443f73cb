//! Warp-wide element accesses to [`Pages`]: all lanes of a mask at once.
//!
//! When all lanes stay in one page, which is the usual case, the page is looked up once. When lanes
//! of one store hit the same cell the lowest lane wins, as on the hardware we measured (PTX leaves
//! the winner open).

use super::pages::{PAGE_BYTES, Pages, element, set_element};
use crate::lanes::{LANES, Mask, lanes_of};

/// One element for each lane, zero-extended.
pub type Values = [u64; LANES];

/// Whether all active offsets lie in one page, and which.
#[inline(always)]
fn common_page(offsets: &[u64; LANES], mask: Mask) -> Option<usize> {
    let first = offsets[mask.trailing_zeros() as usize % LANES];
    let mut difference = 0;
    for (lane, offset) in offsets.iter().enumerate() {
        let active = u64::from(mask >> lane & 1);
        difference |= (offset ^ first) & active.wrapping_neg();
    }
    (difference < PAGE_BYTES as u64).then_some((first / PAGE_BYTES as u64) as usize)
}

/// The first active address and the bits that any active one has, when all active ones lie in one
/// page and are multiples of `bytes`, a power of two.
#[inline(always)]
pub fn one_page(addresses: &[u64; LANES], mask: Mask, bytes: u32) -> Option<(u64, u64)> {
    let first = addresses[mask.trailing_zeros() as usize % LANES];
    let (mut difference, mut any) = (0, 0);
    if mask == Mask::MAX {
        for address in addresses {
            difference |= address ^ first;
            any |= address;
        }
    } else {
        for (lane, address) in addresses.iter().enumerate() {
            let keep = u64::from(mask >> lane & 1).wrapping_neg();
            difference |= (address ^ first) & keep;
            any |= address & keep;
        }
    }
    let aligned = any & u64::from(bytes - 1) == 0;
    (difference < PAGE_BYTES as u64 && aligned).then_some((first, any))
}

/// The highest place in its page of an active address.
#[inline]
pub fn highest_in_page(addresses: &[u64; LANES], mask: Mask) -> u32 {
    let place = |address: u64| (address % PAGE_BYTES as u64) as i32;
    let mut highest = 0;
    for (lane, address) in addresses.iter().enumerate() {
        let keep = ((mask >> lane & 1) as i32).wrapping_neg();
        highest = highest.max(place(*address) & keep);
    }
    highest as u32
}

/// Reads an element of `width` bytes for each lane of `mask`; other lanes hold anything.
/// The offsets must be aligned to the width and inside the memory.
#[inline]
pub fn gather(pages: &Pages, offsets: &[u64; LANES], mask: Mask, width: u32) -> Values {
    let mut out = [0; LANES];
    if let Some(page) = common_page(offsets, mask) {
        let words = pages.page(page);
        match width {
            4 => (0..LANES).for_each(|lane| out[lane] = element(words, offsets[lane], 4)),
            8 => (0..LANES).for_each(|lane| out[lane] = element(words, offsets[lane], 8)),
            _ => (0..LANES).for_each(|lane| out[lane] = element(words, offsets[lane], width)),
        }
    } else {
        lanes_of(mask).for_each(|lane| out[lane] = pages.read(offsets[lane], width));
    }
    out
}

/// Writes an element of `width` bytes for each lane of `mask`.
#[inline]
pub fn scatter(pages: &mut Pages, offsets: &[u64; LANES], mask: Mask, width: u32, values: &Values) {
    let common = common_page(offsets, mask).and_then(|page| pages.page_mut(page));
    if let Some(words) = common {
        let mut rest = mask;
        while rest != 0 {
            let lane = (LANES - 1) - rest.leading_zeros() as usize;
            set_element(words, offsets[lane], width, values[lane]);
            rest ^= 1 << lane;
        }
    } else {
        lanes_of(mask).rev().for_each(|lane| pages.write(offsets[lane], width, values[lane]));
    }
}
