//! The addresses of a warp access as runs: neighbouring lanes access neighbouring words or pairs of
//! words, or all lanes the same ones. Most accesses are one or two runs, and a run is looked at as
//! a whole.

use super::line::LINE;
use crate::lanes::{LANES, Mask};

/// Lanes side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first lane.
    pub(super) lane: usize,
    /// How many.
    pub(super) lanes: usize,
    /// They all access the same.
    pub(super) is_broadcast: bool,
}

/// Lanes `from` to `from + N` as a run, when they are one.
#[inline(always)]
fn whole<const N: usize, const BYTES: u64>(addresses: &[u64; LANES], from: usize) -> Option<Run> {
    let lanes = &addresses[from..from + N];
    // One pass without branches for each kind.
    let differs = |step: u64| {
        let pairs = lanes.iter().zip(&lanes[1..]);
        pairs.fold(0, |all, (a, b)| all | (b.wrapping_sub(*a) ^ step)) != 0
    };
    match lanes[1].wrapping_sub(lanes[0]) {
        0 if !differs(0) => Some(Run { lane: from, lanes: N, is_broadcast: true }),
        step if step == BYTES && !differs(BYTES) => {
            Some(Run { lane: from, lanes: N, is_broadcast: false })
        }
        _ => None,
    }
}

/// The runs of an access by the lanes of `mask`, which access this many bytes each.
#[inline(always)]
pub(super) fn each_run<const BYTES: u64>(
    addresses: &[u64; LANES],
    mask: Mask,
    mut visit: impl FnMut(Run),
) {
    if mask == Mask::MAX {
        if let Some(all) = whole::<LANES, BYTES>(addresses, 0) {
            return visit(all);
        }
        if let Some(low) = whole::<16, BYTES>(addresses, 0)
            && let Some(high) = whole::<16, BYTES>(addresses, 16)
        {
            visit(low);
            return visit(high);
        }
    }
    match alone::<BYTES>(addresses, mask) {
        Some(run) => visit(run),
        None => runs::<BYTES>(addresses, mask).for_each(visit),
    }
}

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

/// Lanes side by side as a run of words side by side, when they are one and there are no others.
#[inline(always)]
fn alone<const BYTES: u64>(addresses: &[u64; LANES], mask: Mask) -> Option<Run> {
    let (lane, lanes) = (mask.trailing_zeros() as usize % LANES, mask.count_ones() as usize);
    if mask == 0 || (mask >> lane).trailing_ones() as usize != lanes {
        return None;
    }
    let mut expected = addresses[lane].wrapping_sub(BYTES * lane as u64);
    let mut differ = 0;
    for (address, bit) in addresses.iter().zip(BIT) {
        differ |= if mask & bit != 0 { address ^ expected } else { 0 };
        expected = expected.wrapping_add(BYTES);
    }
    (differ == 0).then_some(Run { lane, lanes, is_broadcast: false })
}

/// The parts of a run, of this many words a lane, that lie in one line each. Each comes with the
/// address of its first lane. `address` belongs to the first lane of the run.
#[inline(always)]
pub(super) fn each_line<const WORDS: usize>(
    run: Run,
    address: u64,
    mut visit: impl FnMut(Run, u64),
) {
    if run.is_broadcast {
        return visit(run, address);
    }
    let mut done = 0;
    while done < run.lanes {
        let at = address + (4 * WORDS * done) as u64;
        let room = (LINE - (at / 4) as usize % LINE) / WORDS;
        // At an odd word pairs lie in two lines.
        let lanes = room.max(1).min(run.lanes - done);
        visit(Run { lane: run.lane + done, lanes, is_broadcast: false }, at);
        done += lanes;
    }
}

/// The runs of any access.
fn runs<const BYTES: u64>(addresses: &[u64; LANES], mask: Mask) -> impl Iterator<Item = Run> {
    let (mut beside, mut same) = (0, 0);
    for lane in 0..LANES - 1 {
        let step = addresses[lane + 1].wrapping_sub(addresses[lane]);
        beside |= Mask::from(step == BYTES) << lane;
        same |= Mask::from(step == 0) << lane;
    }
    // Bit l: lanes l and l + 1 both take part.
    let pairs = mask & mask >> 1;
    let (beside, same) = (beside & pairs, same & pairs);
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        let ahead = (beside >> lane).trailing_ones() as usize;
        let equal = (same >> lane).trailing_ones() as usize;
        let lanes = 1 + ahead.max(equal);
        rest &= Mask::MAX.checked_shl((lane + lanes) as u32).unwrap_or(0);
        Some(Run { lane, lanes, is_broadcast: equal > 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_each_lane_once_and_say_what_it_accesses() {
        covers::<4>();
        covers::<8>();
        let coalesced = std::array::from_fn(|lane| 4 * lane as u64);
        let all = Run { lane: 0, lanes: 32, is_broadcast: false };
        assert_runs(&coalesced, &[all]);
        assert_runs(&[8; LANES], &[Run { is_broadcast: true, ..all }]);
        let halves = std::array::from_fn(|lane| if lane < 16 { 4096 } else { 4 * lane as u64 });
        let low = Run { lane: 0, lanes: 16, is_broadcast: true };
        assert_runs(&halves, &[low, Run { lane: 16, lanes: 16, is_broadcast: false }]);
    }

    fn covers<const BYTES: u64>() {
        use proptest::prelude::*;
        let address = (0..6u64).prop_map(|n| BYTES * n);
        let access = (proptest::array::uniform32(address), any::<Mask>());
        proptest!(|((addresses, mask) in access)| {
            let mut seen = 0;
            let mut all = Vec::new();
            each_run::<BYTES>(&addresses, mask, |run| all.push(run));
            for run in all {
                for i in 0..run.lanes {
                    let lane = run.lane + i;
                    prop_assert_eq!(seen >> lane & 1, 0);
                    seen |= 1 << lane;
                    let step = if run.is_broadcast { 0 } else { BYTES };
                    prop_assert_eq!(addresses[lane], addresses[run.lane] + step * i as u64);
                }
            }
            prop_assert_eq!(seen, mask);
        });
    }

    fn assert_runs(addresses: &[u64; LANES], expected: &[Run]) {
        let mut found = Vec::new();
        each_run::<4>(addresses, Mask::MAX, |run| found.push(run));
        assert_eq!(found, expected);
        assert_eq!(runs::<4>(addresses, Mask::MAX).collect::<Vec<_>>(), expected);
    }
}
