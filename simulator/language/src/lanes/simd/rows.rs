//! Rows: all lanes of all warps of a gang access elements that follow each other, as a block mostly
//! does at its own part of an array. Then the accesses of each warp need not be listed, and all of
//! it is copied.

use super::address::{Address, HALF};
use super::bank::{Place, read, register};
use super::element::Element;
use super::gang::{Gang, Member};
use super::reach::Reach;
use super::tier::{Tier, by_tier, for_tier};
use crate::lanes::{FULL, LANES, Slot, Word};

/// Whether a warp is whole, and its lanes access elements that follow each other, from an offset
/// on.
///
/// # Safety
///
/// The register was looked at in a gang that the warp is in, which still is. `AVX2` is true only of
/// a processor that has it.
#[inline(always)]
unsafe fn is_row<A: Address, const AVX2: bool>(
    member: &Member<'_>,
    reach: Reach,
    from: Place<A>,
    start: u64,
) -> bool {
    // SAFETY: the caller's promise; nobody writes to registers.
    let base = unsafe { read(from, member) };
    member.mask() == FULL
        && base[0].at(reach.shift) == start
        // SAFETY: the caller's promise.
        && unsafe { A::is_row::<AVX2>(base, reach.bytes) }
}

#[inline(always)]
fn find_lanes<A: Address, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: usize,
) -> Option<usize> {
    let from = A::place(gang, reach.base);
    let (first, last) = (gang.members().first()?, gang.members().last()?);
    let of_warp = LANES * reach.bytes as usize;
    let bytes = of_warp * gang.members().len();
    // SAFETY: the register was looked at in this gang; nobody writes to registers.
    let [start, end] = unsafe { [read(from, first)[0], read(from, last)[LANES - 1]] }
        .map(|base| base.at(reach.shift));
    let is_inside = start <= memory.checked_sub(bytes)? as u64 && memory <= i32::MAX as usize;
    let is_aligned = start & u64::from(reach.bytes - 1) == 0;
    let is_known = matches!(reach.bytes, 1 | 2 | 4 | 8) && reach.within == 0;
    if !is_inside
        || !is_aligned
        || !is_known
        || end.wrapping_sub(start) != bytes as u64 - u64::from(reach.bytes)
    {
        return None;
    }
    let mut next = start;
    for member in gang.members() {
        // SAFETY: as above; the code of a tier runs where the processor has it.
        if !unsafe { is_row::<A, AVX2>(member, reach, from, next) } {
            return None;
        }
        next += of_warp as u64;
    }
    Some(start as usize)
}

/// How many bytes the elements of all lanes of a gang are, where a memory has them.
#[inline(always)]
fn room<E: Element>(gang: &Gang<'_, '_>, memory: usize) -> bool {
    gang.members().len() * LANES * E::BYTES as usize <= memory
}

#[inline(always)]
fn load_lanes<E: Element, W: Word + From<E>, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    memory: &[u8],
    into: Slot,
) -> bool {
    let into = W::register(gang, into.index());
    if !room::<E>(gang, memory.len()) {
        return false;
    }
    let mut place = memory.as_ptr();
    for member in gang.members() {
        // SAFETY: the register was looked at in this gang, and nobody holds a reference into it;
        // the memory has an element for each lane of each warp.
        unsafe {
            let register = &mut *register::<W>(into, member);
            for half in register.as_chunks_mut::<HALF>().0 {
                let row = E::read_row(place);
                for lane in 0..HALF {
                    half[lane] = W::from(row[lane]);
                }
                place = place.add(HALF * E::BYTES as usize);
            }
        }
    }
    true
}

#[inline(always)]
fn store_lanes<E: Element, W: Word + Into<u64>, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    memory: &mut [u8],
    from: Slot,
) -> bool {
    let from = W::place(gang, from);
    if !room::<E>(gang, memory.len()) {
        return false;
    }
    let mut place = memory.as_mut_ptr();
    for member in gang.members() {
        // SAFETY: the register was looked at in this gang, and nobody writes to registers; the
        // memory has an element for each lane of each warp.
        unsafe {
            for value in read(from, member) {
                E::of((*value).into()).write(place);
                place = place.add(E::BYTES as usize);
            }
        }
    }
    true
}

by_tier! {
    /// The offset of the first lane's element in a memory of this many bytes, where all lanes of
    /// all warps are active and access one element each, all inside and aligned, which follow each
    /// other from warp to warp.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn find_row[A: Address](gang: &Gang<'_, '_>, reach: Reach, memory: usize) -> Option<usize>
        = find_lanes[A]
}

by_tier! {
    /// Loads an element for each lane of all warps, whatever their masks are, extended with zeros.
    /// The memory begins with the element of the first lane. Returns whether it has so many
    /// elements.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn load_row[E: Element, W: Word + From<E>](
        gang: &mut Gang<'_, '_>, memory: &[u8], into: Slot
    ) -> bool = load_lanes[E, W]
}

by_tier! {
    /// The same for a store of the low bits of a register.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn store_row[E: Element, W: Word + Into<u64>](
        gang: &mut Gang<'_, '_>, memory: &mut [u8], from: Slot
    ) -> bool = store_lanes[E, W]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::lanes::{Constants, Mask, Registers, SlotCounts, write_lanes};

    const MEMORY: usize = 1 << 12;

    /// A lane of a warp whose address is another one, by so much; or a mask of its warp.
    #[derive(Clone, Copy, Debug)]
    enum Odd {
        Address { warp: usize, lane: usize, by: u64 },
        Mask { warp: usize, mask: Mask },
    }

    fn odd() -> impl Strategy<Value = Odd> {
        let by = prop_oneof![Just(4_u64), Just(4_u64.wrapping_neg()), Just(1 << 40), any::<u64>()];
        prop_oneof![
            (0..4_usize, 0..LANES, by).prop_map(|(warp, lane, by)| Odd::Address { warp, lane, by }),
            (0..4_usize, any::<Mask>()).prop_map(|(warp, mask)| Odd::Mask { warp, mask }),
        ]
    }

    fn registers(constants: &Arc<Constants>) -> Registers {
        let counts = SlotCounts { w32: 1, w64: 2, predicates: 0 };
        Registers::new(counts, Arc::clone(constants))
    }

    /// The expected result for these addresses: the offset of the first lane's element.
    fn expected(
        addresses: &[[u64; LANES]],
        masks: &[Mask],
        shift: u64,
        bytes: u64,
    ) -> Option<usize> {
        let offsets: Vec<u64> =
            addresses.iter().flatten().map(|address| address.wrapping_add(shift)).collect();
        let follow = offsets.windows(2).all(|two| two[1] == two[0].wrapping_add(bytes));
        let inside = offsets.iter().all(|offset| *offset <= MEMORY as u64 - bytes);
        let whole = masks.iter().all(|mask| *mask == FULL);
        (follow && inside && whole && offsets[0].is_multiple_of(bytes))
            .then_some(offsets[0] as usize)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_row_is_found_where_all_lanes_follow_each_other_and_copied_as_it_is(
            warps in 1..5_usize,
            start in prop_oneof![0..9_u64, 0..1200_u64],
            (bytes, off) in (prop_oneof![Just(4_u64), Just(8)], prop_oneof![9 => Just(0_u64), 1 => 1..8_u64]),
            shift in prop_oneof![Just(0_u64), any::<u64>()],
            odd in proptest::option::of(odd()),
        ) {
            let first = (bytes * start + off).wrapping_sub(shift);
            let mut addresses: Vec<[u64; LANES]> = (0..warps)
                .map(|warp| std::array::from_fn(|lane| {
                    first.wrapping_add(bytes * (LANES * warp + lane) as u64)
                }))
                .collect();
            let mut masks = vec![FULL; warps];
            match odd {
                Some(Odd::Address { warp, lane, by }) if warp < warps => {
                    addresses[warp][lane] = addresses[warp][lane].wrapping_add(by);
                }
                Some(Odd::Mask { warp, mask }) if warp < warps => masks[warp] = mask,
                Some(Odd::Address { .. } | Odd::Mask { .. }) | None => {}
            }
            let (base, value) = (Slot::register(0), Slot::register(1));
            let constants = Arc::new(Constants::default());
            let mut all: Vec<Registers> = addresses
                .iter()
                .map(|addresses| {
                    let mut registers = registers(&constants);
                    write_lanes(&mut registers, base, FULL, addresses);
                    registers
                })
                .collect();
            let mut members: Vec<Member<'_>> =
                all.iter_mut().zip(&masks).map(|(all, mask)| Member::new(all, *mask)).collect();
            let mut gang = Gang::new(&mut members).expect("alike");
            let reach = Reach { base, shift, bytes: bytes as u32, within: 0 };
            let found = find_row::<u64>(&gang, reach, MEMORY);
            prop_assert_eq!(found, expected(&addresses, &masks, shift, bytes));
            let Some(start) = found else { return Ok(()) };
            let memory: Vec<u8> = (0..MEMORY).map(|byte| (byte * 37 / 8) as u8).collect();
            let count = LANES * warps;
            let mut copy = vec![0; MEMORY];
            let end = start + count * bytes as usize;
            if bytes == 4 {
                let into = Slot::register(0);
                prop_assert!(!load_row::<u32, u32>(&mut gang, &memory[end - 4 * count + 1..end], into));
                prop_assert!(load_row::<u32, u32>(&mut gang, &memory[start..], into));
                prop_assert!(!store_row::<u32, u32>(&mut gang, &mut copy[..4 * count - 1], into));
                prop_assert!(store_row::<u32, u32>(&mut gang, &mut copy[start..], into));
            } else {
                prop_assert!(load_row::<u64, u64>(&mut gang, &memory[start..], value));
                prop_assert!(store_row::<u64, u64>(&mut gang, &mut copy[start..], value));
            }
            for (byte, copied) in copy.iter().enumerate() {
                let is_there = (start..end).contains(&byte);
                prop_assert_eq!(*copied, if is_there { memory[byte] } else { 0 });
            }
        }
    }
}
