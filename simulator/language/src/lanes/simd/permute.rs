//! The values that lanes get from other lanes of their warp.
//!
//! A register is memory with a word for each lane, so the reads of its lanes are gathered where the
//! processor can.

use super::bank::{BIT, Bank as _, Place, read, register};
use super::element::Element as _;
use super::gang::{Gang, Member};
use super::tier::{Tier, by_tier, for_tier};
use crate::lanes::{FULL, LANES, Slot};

/// # Safety
///
/// The registers were looked at in a gang that the warp is in, which still is. `AVX2` is true only
/// of a processor that has it.
#[inline(always)]
unsafe fn permute_warp<const AVX2: bool>(
    member: &Member<'_>,
    (from, into): (Place<u32>, usize),
    offsets: &[u32; LANES],
) {
    let mask = member.mask();
    // SAFETY: the caller's promise, and each offset belongs to a lane. Nobody holds a reference
    // into the registers when they are written to.
    unsafe {
        let given = (&raw const *read(from, member)).cast();
        let mut got = u32::gather::<AVX2>(given, offsets);
        if mask != FULL {
            for lane in 0..LANES {
                let is_active = mask & BIT[offsets[lane] as usize / size_of::<u32>()] != 0;
                got[lane] = if is_active { got[lane] } else { 0 };
            }
        }
        u32::put(&mut *register::<u32>(into, member), &got, mask);
    }
}

#[inline(always)]
fn permute_lanes<const AVX2: bool>(
    gang: &mut Gang<'_, '_>,
    from: Slot,
    into: Slot,
    sources: &[u8; LANES],
) {
    let places = (u32::place(gang, from), u32::register(gang, into.index()));
    let offsets = sources.map(|lane| u32::from(lane) % LANES as u32 * size_of::<u32>() as u32);
    for member in gang.members() {
        // SAFETY: the places were found in this gang; the code of a tier runs where the processor
        // has it.
        unsafe { permute_warp::<AVX2>(member, places, &offsets) };
    }
}

by_tier! {
    /// Gives each active lane of each warp what the lane that `sources` names for it has in a
    /// 32-bit register of the same warp: 0 if that lane is not active. Only the low five bits of a
    /// lane's number count. All is read before anything is written.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use warpsim_language::lanes::{
    ///     Constants, FULL, Gang, Member, Registers, Slot, SlotCounts, permute, write_lanes,
    /// };
    ///
    /// let counts = SlotCounts { w32: 2, ..SlotCounts::default() };
    /// let mut registers = Registers::new(counts, Arc::new(Constants::default()));
    /// let (numbers, reversed) = (Slot::register(0), Slot::register(1));
    /// write_lanes::<u32>(&mut registers, numbers, FULL, &std::array::from_fn(|lane| lane as u32));
    /// let mut members = [Member::new(&mut registers, FULL)];
    /// let mut gang = Gang::new(&mut members).unwrap();
    /// permute(&mut gang, numbers, reversed, &std::array::from_fn(|lane| 31 - lane as u8));
    /// assert_eq!(registers.w32(reversed)[..3], [31, 30, 29]);
    /// ```
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn permute[](
        gang: &mut Gang<'_, '_>, from: Slot, into: Slot, sources: &[u8; LANES]
    ) -> () = permute_lanes[]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::lanes::{Constants, Mask, Registers, SlotCounts, write_lanes};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn each_active_lane_gets_what_its_source_has_and_nothing_of_others(
            given in proptest::collection::vec(any::<[u32; LANES]>(), 1..5),
            masks in any::<[Mask; 5]>(),
            whole in any::<[bool; 5]>(),
            sources in any::<[u8; LANES]>(),
            in_place in any::<bool>(),
        ) {
            let (from, other) = (Slot::register(0), Slot::register(1));
            let into = if in_place { from } else { other };
            let constants = Arc::new(Constants::default());
            let mut all: Vec<Registers> = given
                .iter()
                .map(|given| {
                    let counts = SlotCounts { w32: 2, ..SlotCounts::default() };
                    let mut registers = Registers::new(counts, Arc::clone(&constants));
                    write_lanes(&mut registers, from, FULL, given);
                    write_lanes(&mut registers, other, FULL, &[7_u32; LANES]);
                    registers
                })
                .collect();
            let masks: Vec<Mask> =
                masks.iter().zip(whole).map(|(mask, whole)| if whole { FULL } else { *mask }).collect();
            let mut members: Vec<Member<'_>> =
                all.iter_mut().zip(&masks).map(|(all, mask)| Member::new(all, *mask)).collect();
            let mut gang = Gang::new(&mut members).expect("alike");
            permute(&mut gang, from, into, &sources);
            for ((registers, given), mask) in all.iter().zip(&given).zip(&masks) {
                for lane in 0..LANES {
                    let source = usize::from(sources[lane] & 31);
                    let before = if in_place { given[lane] } else { 7 };
                    let expected = match (mask >> lane & 1, mask >> source & 1) {
                        (0, _) => before,
                        (_, 0) => 0,
                        (_, _) => given[source],
                    };
                    prop_assert_eq!(registers.w32(into)[lane], expected, "lane {}", lane);
                }
            }
        }
    }
}
