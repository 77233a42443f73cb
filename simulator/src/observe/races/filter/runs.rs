//! The addresses of a warp access as runs: lanes side by side that access words side by side, or
//! all the same word. Most accesses are one or two runs, and a run is looked at as a whole.

use crate::lanes::{LANES, Mask};

/// Lanes side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first lane.
    pub(super) lane: usize,
    /// How many.
    pub(super) lanes: usize,
    /// They all access the same word.
    pub(super) is_broadcast: bool,
}

/// The runs of an access by the lanes of `mask`, which access 4 bytes each.
pub(super) fn runs(addresses: &[u64; LANES], mask: Mask) -> impl Iterator<Item = Run> {
    let (mut beside, mut same) = (0, 0);
    for lane in 0..LANES - 1 {
        let step = addresses[lane + 1].wrapping_sub(addresses[lane]);
        beside |= Mask::from(step == 4) << lane;
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
        use proptest::prelude::*;
        let address = (0..6u64).prop_map(|n| 4 * n);
        let access = (proptest::array::uniform32(address), any::<Mask>());
        proptest!(|((addresses, mask) in access)| {
            let mut seen = 0;
            for run in runs(&addresses, mask) {
                for i in 0..run.lanes {
                    let lane = run.lane + i;
                    prop_assert_eq!(seen >> lane & 1, 0);
                    seen |= 1 << lane;
                    let step = if run.is_broadcast { 0 } else { 4 };
                    prop_assert_eq!(addresses[lane], addresses[run.lane] + step * i as u64);
                }
            }
            prop_assert_eq!(seen, mask);
        });
        let coalesced = std::array::from_fn(|lane| 4 * lane as u64);
        let all = Run { lane: 0, lanes: 32, is_broadcast: false };
        prop_assert_eq_runs(&coalesced, &[all]);
        prop_assert_eq_runs(&[8; LANES], &[Run { is_broadcast: true, ..all }]);
    }

    fn prop_assert_eq_runs(addresses: &[u64; LANES], expected: &[Run]) {
        assert_eq!(runs(addresses, Mask::MAX).collect::<Vec<_>>(), expected);
    }
}
