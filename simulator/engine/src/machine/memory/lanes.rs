//! Warp-wide element accesses to [`Pages`], one lane after the other. The fast paths of
//! [`super::copy`] must give what these give, and hand over to these where they do not apply.
//!
//! When lanes of one store write to the same cell, the lowest lane wins, as on the measured
//! hardware (PTX leaves the winner open).

use super::pages::Pages;
use crate::lanes::{LANES, Mask, lanes_of};

/// One element for each lane, zero-extended.
pub type Values = [u64; LANES];

/// Reads an element of `width` bytes for each lane of `mask`; other lanes hold zero.
/// The offsets must be aligned to the width and inside the memory.
pub fn gather(pages: &Pages, offsets: &[u64; LANES], mask: Mask, width: u32) -> Values {
    let mut out = [0; LANES];
    lanes_of(mask).for_each(|lane| out[lane] = pages.read(offsets[lane], width));
    out
}

/// Writes an element of `width` bytes for each lane of `mask`.
pub fn scatter(pages: &mut Pages, offsets: &[u64; LANES], mask: Mask, width: u32, values: &Values) {
    lanes_of(mask).rev().for_each(|lane| pages.write(offsets[lane], width, values[lane]));
}
