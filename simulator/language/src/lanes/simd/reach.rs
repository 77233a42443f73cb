//! From memory to registers and back: the elements at the addresses that lanes have in a register,
//! of one warp or of all warps of a gang, one after the other.
//!
//! For a whole warp one loop over the addresses looks at each half, as in blocks whose rows have 16
//! threads. If the addresses of a half are the same, or follow each other, it is a block copy.
//! Otherwise one loop checks that all of them are inside and aligned, and the elements are
//! gathered. The loops are compiled for each tier ([`crate::lanes::Tier`]). Nothing is done for a
//! warp with an address that is outside or misaligned, nor for the warps behind it: the caller then
//! looks lane by lane. A caller that must know this beforehand calls [`find`]. `halves` finds the
//! rows.

pub use super::address::Address;
use super::address::HALF;
use super::bank::{BIT, Place, read, register};
pub use super::element::Element;
use super::gang::{Gang, Member};
pub use super::halves::Half;
use super::halves::{Rooms, halves, moved, row};
use super::tier::{Tier, by_tier, for_tier};
use crate::lanes::{FULL, LANES, Slot, Word};

/// Which elements of memory the active lanes of warps access.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The register with an address for each lane.
    pub base: Slot,
    /// Added to it, modulo two to the width of the register: the result is an offset into the
    /// memory.
    pub shift: u64,
    /// Bytes of the whole access of a lane, which are a power of two: it is aligned to them, and
    /// inside.
    pub bytes: u32,
    /// The offset of the element within it.
    pub within: u32,
}

/// The largest memory that is reached: offsets have 31 bits.
pub(super) const MOST: usize = i32::MAX as usize;

/// The largest offset at which an access may begin; `None` where the memory has no room for one, or
/// is too large, or the element is no part of the access.
#[inline(always)]
fn room<E: Element>(memory: usize, reach: Reach) -> Option<u32> {
    let part = reach.within.checked_add(E::BYTES).is_some_and(|end| end <= reach.bytes);
    if !part || !reach.bytes.is_power_of_two() {
        return None;
    }
    let room = memory.checked_sub(reach.bytes as usize)?;
    u32::try_from(room).ok().filter(|room| *room as usize <= MOST)
}

/// The accesses of the active lanes of a warp, as offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The accesses of each half of a whole warp, if the lanes of each half access one element, or
    /// consecutive ones.
    pub halves: Option<[Half; 2]>,
    /// The lowest offset; meaningless if no lane is active.
    pub low: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Loads the elements of half a warp.
///
/// # Safety
///
/// [`halves`] has found them in this memory.
#[inline(always)]
unsafe fn load_half<E: Element, W: Word + From<E>>(
    memory: &[u8],
    half: Half,
    into: &mut [W; HALF],
) {
    // SAFETY: the caller's promise: as many elements as the half has are inside.
    unsafe {
        let place = memory.as_ptr().add(half.start);
        if half.is_row {
            let row = E::read_row(place);
            for lane in 0..HALF {
                into[lane] = W::from(row[lane]);
            }
        } else {
            *into = [W::from(E::read(place)); HALF];
        }
    }
}

/// Loads an element for each active lane of a warp. Whether it did.
///
/// # Safety
///
/// The places were found in a gang that the warp is in, which still is. `AVX2` is true only of a
/// processor that has AVX2.
#[inline(always)]
unsafe fn load_warp<A: Address, E: Element, W: Word + From<E>, const AVX2: bool>(
    member: &Member<'_>,
    reach: Reach,
    memory: &[u8],
    rooms: Rooms,
    (from, into): (Place<A>, usize),
) -> bool {
    let mask = member.mask();
    // SAFETY: the caller's promise. Nobody holds a reference into the registers when they are
    // written to.
    unsafe {
        if mask == FULL
            && let Some(found) = halves::<A, AVX2>(read(from, member), reach, rooms)
        {
            return load_halves::<E, W>(member, memory, found, into);
        }
        load_each::<A, E, W, AVX2>(member, reach, memory, (from, into))
    }
}

/// Loads the elements of both halves of a whole warp. Whether it did.
///
/// # Safety
///
/// The register was looked at in a gang that the warp is in, which still is. The halves are in this
/// memory.
#[inline(always)]
unsafe fn load_halves<E: Element, W: Word + From<E>>(
    member: &Member<'_>,
    memory: &[u8],
    found: [Half; 2],
    into: usize,
) -> bool {
    // SAFETY: the caller's promise. Nobody holds a reference into the registers.
    unsafe {
        let register = &mut *register::<W>(into, member);
        let [first, second] = register.as_chunks_mut().0 else { return false };
        load_half::<E, W>(memory, found[0], first);
        load_half::<E, W>(memory, found[1], second);
    }
    true
}

/// Loads an element for each active lane of a warp, from anywhere. Whether it did.
///
/// # Safety
///
/// As for [`load_warp`].
#[inline(always)]
unsafe fn load_each<A: Address, E: Element, W: Word + From<E>, const AVX2: bool>(
    member: &Member<'_>,
    reach: Reach,
    memory: &[u8],
    (from, into): (Place<A>, usize),
) -> bool {
    let mask = member.mask();
    // SAFETY: the caller's promise. Nobody holds a reference into the registers when they are
    // written to.
    unsafe {
        let Some(room) = room::<E>(memory.len(), reach) else { return false };
        let offsets = match mask {
            FULL => A::offsets::<true>(read(from, member), reach, mask, room),
            _ => A::offsets::<false>(read(from, member), reach, mask, room),
        };
        let Some(offsets) = offsets else { return false };
        // Each offset is at most `room`, so the access is inside, and the element within the
        // access.
        let elements = E::gather::<AVX2>(memory.as_ptr().add(reach.within as usize), &offsets);
        let mut values = [W::default(); LANES];
        for lane in 0..LANES {
            values[lane] = W::from(elements[lane]);
        }
        let register = &mut *register::<W>(into, member);
        W::put(register, &values, mask);
    }
    true
}

/// Loads an element for each lane of the first warps of a gang that are whole, and whose lanes
/// access elements that follow each other. How many there are. By itself, since this loop has
/// little to keep in the processor's registers.
///
/// # Safety
///
/// The registers were looked at in this gang. `AVX2` is true only of a processor that has it.
#[inline(always)]
unsafe fn load_rows<A: Address, E: Element, W: Word + From<E>, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: &[u8],
    rooms: Rooms,
    (from, into): (Place<A>, usize),
) -> usize {
    let mut rows = 0;
    for member in gang.members() {
        // SAFETY: the caller's promise. Nobody holds a reference into the registers when they are
        // written to.
        unsafe {
            if member.mask() != FULL {
                break;
            }
            let Some(start) = row::<A, AVX2>(read(from, member), reach, rooms) else { break };
            let rows = [start, start + HALF * E::BYTES as usize];
            let rows = rows.map(|start| Half { start, is_row: true });
            if !load_halves::<E, W>(member, memory, rows, into) {
                break;
            }
        }
        rows += 1;
    }
    rows
}

#[inline(always)]
fn load_lanes<A: Address, E: Element, W: Word + From<E>, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: &[u8],
    into: Slot,
) -> bool {
    let places = (A::place(gang, reach.base), W::register(gang, into.index()));
    let rooms = Rooms::of::<E>(memory.len(), reach);
    // SAFETY: the places were found in this gang; the code of a tier is run where the processor has
    // it.
    let rows = unsafe { load_rows::<A, E, W, AVX2>(gang, reach, memory, rooms, places) };
    // No iterator with a closure: that would not have to be compiled with the instructions of the
    // tier.
    for member in &gang.members()[rows..] {
        // SAFETY: the places were found in this gang; the code of a tier with gathers is run where
        // the processor has them.
        if member.mask() != 0
            && !unsafe { load_warp::<A, E, W, AVX2>(member, reach, memory, rooms, places) }
        {
            return false;
        }
    }
    true
}

#[inline(always)]
fn load_known<A: Address, E: Element, W: Word + From<E>, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: &[u8],
    into: Slot,
    (found, offset): (&[Found], usize),
) -> bool {
    let places = (A::place(gang, reach.base), W::register(gang, into.index()));
    let rooms = Rooms::of::<E>(memory.len(), reach);
    for (member, found) in gang.members().iter().zip(found) {
        if member.mask() == 0 {
            continue;
        }
        let halves = match found.halves {
            Some(halves) if member.mask() == FULL => moved(halves, offset, rooms),
            Some(_) | None => None,
        };
        // SAFETY: the register was looked at in this gang, and the halves are inside, which is all
        // that memory has to be safe; the places were found in this gang, and the code of a tier
        // runs where the processor has it.
        let done = unsafe {
            match halves {
                Some(halves) => load_halves::<E, W>(member, memory, halves, places.1),
                None => load_each::<A, E, W, AVX2>(member, reach, memory, places),
            }
        };
        if !done {
            return false;
        }
    }
    true
}

/// Stores the elements of half a warp.
///
/// # Safety
///
/// [`halves`] has found them in this memory.
#[inline(always)]
unsafe fn store_half<E: Element, W: Word + Into<u64>>(
    memory: &mut [u8],
    half: Half,
    values: &[W; HALF],
) {
    // SAFETY: the caller's promise: as many elements as the half has are inside.
    unsafe {
        let place = memory.as_mut_ptr().add(half.start);
        if half.is_row {
            let mut elements = [E::default(); HALF];
            for (element, value) in elements.iter_mut().zip(values) {
                *element = E::of((*value).into());
            }
            for (lane, element) in elements.into_iter().enumerate() {
                element.write(place.add(lane * E::BYTES as usize));
            }
        } else {
            E::of(values[0].into()).write(place);
        }
    }
}

/// Stores an element of each active lane of a warp. Whether it did.
///
/// # Safety
///
/// As for [`load_warp`].
#[inline(always)]
unsafe fn store_warp<A: Address, E: Element, W: Word + Into<u64>, const AVX2: bool>(
    member: &Member<'_>,
    reach: Reach,
    memory: &mut [u8],
    rooms: Rooms,
    (base, from): (Place<A>, Place<W>),
) -> bool {
    let mask = member.mask();
    // SAFETY: the caller's promise; nobody writes to registers.
    let (base, values) = unsafe { (read(base, member), read(from, member)) };
    if mask == FULL
        // SAFETY: the caller's promise.
        && let Some(found) = unsafe { halves::<A, AVX2>(base, reach, rooms) }
    {
        let [first, second] = values.as_chunks().0 else { return false };
        // SAFETY: the halves were found in this memory. Of lanes with one address the lowest is the
        // last.
        unsafe {
            store_half::<E, W>(memory, found[1], second);
            store_half::<E, W>(memory, found[0], first);
        }
        return true;
    }
    let Some(room) = room::<E>(memory.len(), reach) else { return false };
    let offsets = match mask {
        FULL => A::offsets::<true>(base, reach, mask, room),
        _ => A::offsets::<false>(base, reach, mask, room),
    };
    let Some(offsets) = offsets else { return false };
    let memory = memory.as_mut_ptr();
    let mut rest = mask;
    while rest != 0 {
        let lane = (LANES - 1 - rest.leading_zeros() as usize) % LANES;
        rest &= !BIT[lane];
        // SAFETY: each offset is at most `room`, so the access is inside, and the element within
        // the access.
        unsafe {
            let place = memory.add((offsets[lane] + reach.within) as usize);
            E::of(values[lane].into()).write(place);
        }
    }
    true
}

#[inline(always)]
fn store_lanes<A: Address, E: Element, W: Word + Into<u64>, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: &mut [u8],
    from: Slot,
) -> bool {
    let places = (A::place(gang, reach.base), W::place(gang, from));
    let rooms = Rooms::of::<E>(memory.len(), reach);
    for member in gang.members() {
        // SAFETY: the places were found in this gang.
        if member.mask() != 0
            && !unsafe { store_warp::<A, E, W, AVX2>(member, reach, memory, rooms, places) }
        {
            return false;
        }
    }
    true
}

/// Finds what a warp with an active lane accesses, in a memory of this many bytes. `None` where an
/// access is outside or misaligned.
///
/// # Safety
///
/// As for [`load_warp`].
#[inline(always)]
unsafe fn find_warp<A: Address, const AVX2: bool>(
    member: &Member<'_>,
    reach: Reach,
    (rooms, room): (Rooms, u32),
    base: Place<A>,
) -> Option<Found> {
    let mask = member.mask();
    // SAFETY: the caller's promise; nobody writes to registers.
    let base = unsafe { read(base, member) };
    if mask == FULL
        // SAFETY: the caller's promise.
        && let Some(halves) = unsafe { halves::<A, AVX2>(base, reach, rooms) }
    {
        let [a, b] = halves.map(|half| {
            let elements = if half.is_row { HALF } else { 1 };
            (half.start, half.start + elements * reach.bytes as usize)
        });
        return Some(Found { halves: Some(halves), low: a.0.min(b.0), end: a.1.max(b.1) });
    }
    let offsets = match mask {
        FULL => A::offsets::<true>(base, reach, mask, room),
        _ => A::offsets::<false>(base, reach, mask, room),
    }?;
    let (mut low, mut high) = (u32::MAX, 0);
    for lane in 0..LANES {
        let inactive = if mask & BIT[lane] != 0 { 0 } else { u32::MAX };
        low = low.min(offsets[lane] | inactive);
        high = high.max(offsets[lane]);
    }
    Some(Found { halves: None, low: low as usize, end: high as usize + reach.bytes as usize })
}

#[inline(always)]
fn find_lanes<A: Address, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: usize,
    found: &mut [Found],
) -> bool {
    let whole = Reach { within: 0, ..reach };
    let Some(room) = room::<u8>(memory, whole) else { return false };
    let place = A::place(gang, reach.base);
    let rooms = (Rooms::of_accesses(memory, reach.bytes), room);
    for (member, found) in gang.members().iter().zip(found) {
        *found = Found::default();
        if member.mask() != 0 {
            // SAFETY: the place was found in this gang; the code of a tier runs where the processor
            // has it.
            match unsafe { find_warp::<A, AVX2>(member, whole, rooms, place) } {
                Some(here) => *found = here,
                None => return false,
            }
        }
    }
    true
}

#[inline(always)]
fn offsets_of<A: Address, const AVX2: bool>(
    gang: &Gang<'_, '_>,
    reach: Reach,
    memory: usize,
    into: &mut [[u32; LANES]],
) -> bool {
    let whole = Reach { within: 0, ..reach };
    let Some(room) = room::<u8>(memory, whole) else { return false };
    let place = A::place(gang, reach.base);
    for (member, into) in gang.members().iter().zip(into) {
        // SAFETY: the place was found in this gang; nobody writes to registers.
        let base = unsafe { read(place, member) };
        match A::offsets::<false>(base, whole, member.mask(), room) {
            Some(offsets) => *into = offsets,
            None => return false,
        }
    }
    true
}

by_tier! {
    /// Finds what the active lanes of each warp access in a memory of this many bytes, for as many
    /// warps as there is room for in `found`. Whether [`load`] and [`store`] would do it for all of
    /// them.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn find[A: Address](
        gang: &Gang<'_, '_>, reach: Reach, memory: usize, found: &mut [Found]
    ) -> bool = find_lanes[A]
}

by_tier! {
    /// The offset of the access of each lane, and 0 of those that are not active, for as many warps
    /// as there is room for in `into`. Whether all are inside of a memory of this many bytes, and
    /// aligned.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn offsets[A: Address](
        gang: &Gang<'_, '_>, reach: Reach, memory: usize, into: &mut [[u32; LANES]]
    ) -> bool = offsets_of[A]
}

by_tier! {
    /// Loads an element for each active lane, extended with zeros. Returns whether it did. It does
    /// not for a warp with an address outside of the memory or a misaligned one, nor for later
    /// warps. Neither does it if the memory is larger than 2 GiB.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn load[A: Address, E: Element, W: Word + From<E>](
        gang: &mut Gang<'_, '_>, reach: Reach, memory: &[u8], into: Slot
    ) -> bool = load_lanes[A, E, W]
}

by_tier! {
    /// The same where [`find`] has found, for as many warps, what each accesses; of the memory that
    /// it was asked about, this begins behind an offset.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn load_found[A: Address, E: Element, W: Word + From<E>](
        gang: &mut Gang<'_, '_>, reach: Reach, memory: &[u8], into: Slot, found: (&[Found], usize)
    ) -> bool = load_known[A, E, W]
}

by_tier! {
    /// Stores the low bits of a register for each active lane, of one warp after the other; of
    /// lanes with one address the lowest wins. Whether it did, as for [`load`].
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn store[A: Address, E: Element, W: Word + Into<u64>](
        gang: &mut Gang<'_, '_>, reach: Reach, memory: &mut [u8], from: Slot
    ) -> bool = store_lanes[A, E, W]
}
