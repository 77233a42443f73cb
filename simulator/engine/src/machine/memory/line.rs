//! Addresses of a warp access that lie on a line: one address for all, one after the other, or at a
//! fixed distance.
//!
//! One loop over the register finds the line; the compiler vectorises it. The line is exact:
//! addresses that wrap around are on no line.

use crate::lanes::{LANES, Mask};

/// The largest distance between two neighbours that is searched: 31 of them do not overflow.
const MOST_STRIDE: u64 = 1 << 32;

/// The bit of each lane: testing it vectorises, unlike shifting a mask.
const BIT: [Mask; LANES] = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Addresses of the active lanes of a warp, on a line. Lane l has the address `first + stride * (l
/// - lane)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::machine) struct Line {
    /// The lowest active lane.
    pub(in crate::machine) lane: usize,
    /// The highest.
    pub(in crate::machine) last: usize,
    /// The address of the lowest active lane.
    pub(in crate::machine) first: u64,
    /// The distance from one lane to the next, active or not; 0 where only one is active.
    pub(in crate::machine) stride: i64,
}

impl Line {
    /// One address for all.
    pub(in crate::machine) fn uniform(address: u64, mask: Mask) -> Line {
        let (lane, last) = ends(mask);
        Line { lane, last, first: address, stride: 0 }
    }

    /// The lowest and the highest address; `None` where they wrap around.
    #[inline]
    pub(in crate::machine) fn ends(&self) -> Option<(u64, u64)> {
        let whole = self.stride * (self.last - self.lane) as i64;
        let last = self.first.checked_add_signed(whole)?;
        Some(if whole < 0 { (last, self.first) } else { (self.first, last) })
    }

    /// The address of a lane.
    #[inline]
    pub(in crate::machine) fn at(&self, lane: usize) -> u64 {
        let distance = self.stride.wrapping_mul(lane as i64 - self.lane as i64);
        self.first.wrapping_add_signed(distance)
    }

    /// Whether all its addresses are multiples of a power of two.
    #[inline]
    pub(in crate::machine) fn is_aligned(&self, bytes: u32) -> bool {
        (self.first | self.stride as u64) & u64::from(bytes - 1) == 0
    }

    /// The line of the values of 64-bit registers, plus `offset`.
    #[inline]
    pub(in crate::machine) fn of64(base: &[u64; LANES], offset: u64, mask: Mask) -> Option<Line> {
        let (lane, last) = ends(mask);
        let first = base[lane];
        let mut wrong = 0;
        let stride;
        if mask == Mask::MAX {
            stride = base[1].wrapping_sub(first);
            let mut expected = first;
            for address in base {
                wrong |= address ^ expected;
                expected = expected.wrapping_add(stride);
            }
        } else {
            let (next, steps) = second(mask, lane);
            let distance = base[next].wrapping_sub(first) as i64;
            stride = whole_steps(distance, steps)? as u64;
            let mut expected = first.wrapping_sub(stride.wrapping_mul(lane as u64));
            for (address, bit) in base.iter().zip(&BIT) {
                let keep = if mask & bit != 0 { u64::MAX } else { 0 };
                wrong |= (address ^ expected) & keep;
                expected = expected.wrapping_add(stride);
            }
        }
        let stride = stride as i64;
        (wrong == 0 && stride.unsigned_abs() <= MOST_STRIDE).then(|| Line {
            lane,
            last,
            first: first.wrapping_add(offset),
            stride,
        })
    }

    /// The line of the values of 32-bit registers, plus `offset`, modulo 2^32.
    #[inline]
    pub(in crate::machine) fn of32(base: &[u32; LANES], offset: u32, mask: Mask) -> Option<Line> {
        let (lane, last) = ends(mask);
        let first = base[lane];
        let mut wrong = 0;
        let stride;
        if mask == Mask::MAX {
            stride = base[1].wrapping_sub(first);
            let mut expected = first;
            for address in base {
                wrong |= address ^ expected;
                expected = expected.wrapping_add(stride);
            }
        } else {
            let (next, steps) = second(mask, lane);
            let distance = base[next].wrapping_sub(first) as i32;
            stride = whole_steps(distance.into(), steps)? as u32;
            let mut expected = first.wrapping_sub(stride.wrapping_mul(lane as u32));
            for (address, bit) in base.iter().zip(&BIT) {
                let keep = if mask & bit != 0 { u32::MAX } else { 0 };
                wrong |= (address ^ expected) & keep;
                expected = expected.wrapping_add(stride);
            }
        }
        let line = Line {
            lane,
            last,
            first: first.wrapping_add(offset).into(),
            stride: i64::from(stride as i32),
        };
        let inside = || line.ends().is_some_and(|(_, high)| high <= u32::MAX.into());
        (wrong == 0 && inside()).then_some(line)
    }
}

/// The lowest and the highest lane of a mask that is not empty.
#[inline]
fn ends(mask: Mask) -> (usize, usize) {
    let last = LANES as u32 - 1 - (mask | 1).leading_zeros();
    (mask.trailing_zeros() as usize % LANES, last as usize)
}

/// The second lane of a mask, and its distance from the first. Without a second lane: the first,
/// and one.
#[inline]
fn second(mask: Mask, first: usize) -> (usize, i64) {
    match mask & mask.wrapping_sub(1) {
        0 => (first, 1),
        rest => {
            let next = rest.trailing_zeros() as usize % LANES;
            (next, (next - first) as i64)
        }
    }
}

/// A distance divided into this many equal steps.
#[inline]
fn whole_steps(distance: i64, steps: i64) -> Option<i64> {
    match steps {
        1 => Some(distance),
        steps => (distance % steps == 0).then(|| distance / steps),
    }
}
