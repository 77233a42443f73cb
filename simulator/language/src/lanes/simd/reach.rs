//! From memory to registers and back: the elements at the addresses that the lanes of a warp have in a register.
//!
//! A loop over the addresses finds whether they follow each other, which is a block copy; else one loop looks whether
//! all of them are inside and aligned, and the elements are gathered. The loops are compiled for each tier
//! ([`crate::lanes::Tier`]). Nothing is done where an address is outside, or misaligned: the caller then looks lane by lane.

use super::gang::BIT;
use super::tier::Tier;
use crate::lanes::{FULL, LANES, Mask, Registers, Slot, Word};

/// Which elements of memory the lanes of a warp access.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The register with an address for each lane.
    pub base: Slot,
    /// Added to it, modulo two to the width of the register: the result is an offset into the memory.
    pub shift: u64,
    /// Bytes of the whole access of a lane, which are a power of two: it is aligned to them, and inside.
    pub bytes: u32,
    /// The offset of the element within it.
    pub within: u32,
    /// The lanes.
    pub mask: Mask,
}

/// An address in a register: 32 or 64 bits.
pub trait Address: Word {
    #[doc(hidden)]
    fn at(self, shift: u64) -> u64;
    /// The offset of each lane, 0 of a lane that is not active; `None` if one is larger than `room`, or no multiple of
    /// `bytes`.
    #[doc(hidden)]
    fn offsets<const WHOLE: bool>(
        base: &[Self; LANES],
        reach: Reach,
        room: u32,
    ) -> Option<[u32; LANES]>;
    /// Whether addresses are `step` apart.
    #[doc(hidden)]
    fn follow<const N: usize>(base: &[Self; N], step: u32) -> bool;
}

macro_rules! addresses {
    ($($word:ident)*) => {$(
        impl Address for $word {
            #[inline(always)]
            fn at(self, shift: u64) -> u64 {
                self.wrapping_add(shift as $word).into()
            }
            #[inline(always)]
            fn offsets<const WHOLE: bool>(
                base: &[$word; LANES],
                reach: Reach,
                room: u32,
            ) -> Option<[u32; LANES]> {
                let mut offsets = [0; LANES];
                // The highest bit tells a number below zero: of an offset, or of the room that is left behind it.
                let (mut any, mut beyond): ($word, $word) = (0, 0);
                for lane in 0..LANES {
                    let mut offset = base[lane].wrapping_add(reach.shift as $word);
                    if !WHOLE {
                        offset &= if reach.mask & BIT[lane] != 0 { $word::MAX } else { 0 };
                    }
                    any |= offset;
                    beyond |= offset | $word::from(room).wrapping_sub(offset);
                    offsets[lane] = offset as u32;
                }
                let aligned = any & $word::from(reach.bytes - 1) == 0;
                (aligned && beyond >> ($word::BITS - 1) == 0).then_some(offsets)
            }
            #[inline(always)]
            fn follow<const N: usize>(base: &[$word; N], step: u32) -> bool {
                let mut wrong = 0;
                for lane in 0..N - 1 {
                    wrong |= base[lane + 1].wrapping_sub(base[lane]) ^ $word::from(step);
                }
                wrong == 0
            }
        }
    )*};
}

addresses!(u32 u64);

/// An element of memory, little-endian.
pub trait Element: Copy + Default {
    /// Its size.
    const BYTES: u32;
    /// The low bits of a number.
    #[doc(hidden)]
    fn of(value: u64) -> Self;
    /// The elements at some offsets. `GATHER`: the processor has AVX2.
    ///
    /// # Safety
    ///
    /// There is an element at each offset, and `GATHER` is true only of a processor that has AVX2.
    #[doc(hidden)]
    unsafe fn gather<const GATHER: bool>(
        memory: *const u8,
        offsets: &[u32; LANES],
    ) -> [Self; LANES];
    /// # Safety
    ///
    /// There is an element at the place.
    #[doc(hidden)]
    unsafe fn read(place: *const u8) -> Self;
    /// # Safety
    ///
    /// There is an element at the place.
    #[doc(hidden)]
    unsafe fn write(self, place: *mut u8);
}

/// The elements at some offsets, one by one.
///
/// # Safety
///
/// There is an element at each offset.
#[inline(always)]
unsafe fn read_each<E: Element>(memory: *const u8, offsets: &[u32; LANES]) -> [E; LANES] {
    let mut elements = [E::default(); LANES];
    for lane in 0..LANES {
        // SAFETY: the caller's promise.
        elements[lane] = unsafe { E::read(memory.add(offsets[lane] as usize)) };
    }
    elements
}

macro_rules! elements {
    ($($element:ident $(by $gather:ident)?;)*) => {$(
        impl Element for $element {
            const BYTES: u32 = $element::BITS / 8;
            #[inline(always)]
            fn of(value: u64) -> $element {
                value as $element
            }
            #[inline(always)]
            unsafe fn gather<const GATHER: bool>(
                memory: *const u8,
                offsets: &[u32; LANES],
            ) -> [$element; LANES] {
                $(
                    #[cfg(target_arch = "x86_64")]
                    if GATHER {
                        // SAFETY: the caller's promise.
                        return unsafe { $gather(memory, offsets) };
                    }
                )?
                // SAFETY: the caller's promise.
                unsafe { read_each(memory, offsets) }
            }
            #[inline(always)]
            unsafe fn read(place: *const u8) -> $element {
                // SAFETY: the caller's promise.
                $element::from_le_bytes(unsafe { place.cast::<[u8; ($element::BITS / 8) as usize]>().read() })
            }
            #[inline(always)]
            unsafe fn write(self, place: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { place.cast::<[u8; ($element::BITS / 8) as usize]>().write(self.to_le_bytes()) }
            }
        }
    )*};
}

elements! {
    u8;
    u16;
    u32 by gather32;
    u64 by gather64;
}

/// # Safety
///
/// There are four bytes at each offset, which is less than 2^31.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn gather32(memory: *const u8, offsets: &[u32; LANES]) -> [u32; LANES] {
    use std::arch::x86_64::{_mm256_i32gather_epi32, _mm256_loadu_si256, _mm256_storeu_si256};
    let mut elements = [0; LANES];
    for (from, to) in offsets.as_chunks::<8>().0.iter().zip(elements.as_chunks_mut::<8>().0) {
        // SAFETY: the chunks have eight words, and the caller promises the rest.
        unsafe {
            let offsets = _mm256_loadu_si256(from.as_ptr().cast());
            let words = _mm256_i32gather_epi32::<1>(memory.cast(), offsets);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), words);
        }
    }
    elements
}

/// # Safety
///
/// There are eight bytes at each offset, which is less than 2^31.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn gather64(memory: *const u8, offsets: &[u32; LANES]) -> [u64; LANES] {
    use std::arch::x86_64::{_mm_loadu_si128, _mm256_i32gather_epi64, _mm256_storeu_si256};
    let mut elements = [0; LANES];
    for (from, to) in offsets.as_chunks::<4>().0.iter().zip(elements.as_chunks_mut::<4>().0) {
        // SAFETY: the chunks have four numbers, and the caller promises the rest.
        unsafe {
            let offsets = _mm_loadu_si128(from.as_ptr().cast());
            let words = _mm256_i32gather_epi64::<1>(memory.cast(), offsets);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), words);
        }
    }
    elements
}

/// The largest offset at which an access may begin; `None` where the memory has no room for one, or is too large for
/// offsets of 31 bits, or the element is no part of the access.
#[inline(always)]
fn room<E: Element>(memory: &[u8], reach: Reach) -> Option<u32> {
    let part = reach.within.checked_add(E::BYTES).is_some_and(|end| end <= reach.bytes);
    if !part || !reach.bytes.is_power_of_two() {
        return None;
    }
    let room = memory.len().checked_sub(reach.bytes as usize)?;
    u32::try_from(room).ok().filter(|room| *room <= i32::MAX as u32)
}

/// Where the first of elements lies that follow each other in all lanes.
#[inline(always)]
fn block<A: Address, E: Element>(
    base: &[A; LANES],
    reach: Reach,
    memory: &[u8],
) -> Option<std::ops::Range<usize>> {
    let step = base[1].at(0).wrapping_sub(base[0].at(0));
    if reach.bytes != E::BYTES || step != E::BYTES.into() || reach.mask != FULL {
        return None;
    }
    let start = usize::try_from(base[0].at(reach.shift)).ok()?;
    let end = start.checked_add(E::BYTES as usize * LANES)?;
    let inside = end <= memory.len() && start & (E::BYTES as usize - 1) == 0;
    // Of addresses that begin and end inside none has wrapped around.
    let whole = base[LANES - 1].at(reach.shift) == (end - E::BYTES as usize) as u64;
    (inside && whole && A::follow(base, E::BYTES)).then_some(start..end)
}

/// Lanes of half a warp.
const HALF: usize = LANES / 2;

/// The elements of half a warp.
#[derive(Clone, Copy)]
enum Half {
    /// One for all, at an offset.
    One(usize),
    /// They follow each other, from an offset on.
    Row(usize),
}

/// What each half of a warp loads, where that is one element or elements that follow each other: so are the addresses in
/// blocks whose rows have 16 threads.
#[inline(always)]
fn halves<A: Address, E: Element>(
    base: &[A; LANES],
    reach: Reach,
    memory: &[u8],
) -> Option<[Half; 2]> {
    let (halves, _) = base.as_chunks::<HALF>();
    let [first, second] = halves else { return None };
    if reach.bytes != E::BYTES || reach.mask != FULL {
        return None;
    }
    let half = |base: &[A; HALF]| {
        let step = base[1].at(0).wrapping_sub(base[0].at(0));
        let start = usize::try_from(base[0].at(reach.shift)).ok()?;
        let row = step == E::BYTES.into();
        let bytes = E::BYTES as usize * if row { HALF } else { 1 };
        let end = start.checked_add(bytes)?;
        let inside = end <= memory.len() && start & (E::BYTES as usize - 1) == 0;
        let last = base[HALF - 1].at(reach.shift) == (end - E::BYTES as usize) as u64;
        if !inside || !last || step != 0 && !row || !A::follow(base, step as u32) {
            return None;
        }
        Some(if row { Half::Row(start) } else { Half::One(start) })
    };
    Some([half(first)?, half(second)?])
}

/// The elements of half a warp, which [`halves`] has found; `None` if they are not there.
#[inline(always)]
fn load_half<E: Element, W: Word + From<E>>(
    memory: &[u8],
    half: Half,
    into: &mut [W; HALF],
) -> Option<()> {
    let size = E::BYTES as usize;
    match half {
        Half::One(start) => {
            let element = memory.get(start..)?.get(..size)?;
            // SAFETY: it has the bytes of an element.
            *into = [W::from(unsafe { E::read(element.as_ptr()) }); HALF];
        }
        Half::Row(start) => {
            let row = memory.get(start..)?.get(..size * HALF)?;
            for (value, element) in into.iter_mut().zip(row.chunks(size)) {
                // SAFETY: each chunk is an element.
                *value = W::from(unsafe { E::read(element.as_ptr()) });
            }
        }
    }
    Some(())
}

#[inline(always)]
fn load_lanes<A: Address, E: Element, W: Word + From<E>, const GATHER: bool>(
    registers: &mut Registers,
    reach: Reach,
    memory: &[u8],
    into: Slot,
) -> bool {
    let base = A::read(registers, reach.base);
    if let Some(range) = block::<A, E>(base, reach, memory) {
        let mut values = [W::default(); LANES];
        for (value, element) in values.iter_mut().zip(memory[range].chunks(E::BYTES as usize)) {
            // SAFETY: each chunk is an element.
            *value = W::from(unsafe { E::read(element.as_ptr()) });
        }
        *W::write(registers, into) = values;
        return true;
    }
    if let Some(found) = halves::<A, E>(base, reach, memory) {
        let mut values = [W::default(); LANES];
        let mut done = Some(());
        for (half, values) in found.into_iter().zip(values.as_chunks_mut::<HALF>().0) {
            done = done.and(load_half::<E, W>(memory, half, values));
        }
        if done.is_some() {
            *W::write(registers, into) = values;
            return true;
        }
    }
    let Some(room) = room::<E>(memory, reach) else { return false };
    let offsets = match reach.mask {
        FULL => A::offsets::<true>(base, reach, room),
        _ => A::offsets::<false>(base, reach, room),
    };
    let Some(offsets) = offsets else { return false };
    // SAFETY: each offset is at most `room`, so the access is inside, and the element within the access.
    let elements =
        unsafe { E::gather::<GATHER>(memory.as_ptr().add(reach.within as usize), &offsets) };
    let register = W::write(registers, into);
    let mut values = [W::default(); LANES];
    for lane in 0..LANES {
        values[lane] = W::from(elements[lane]);
    }
    *register = if reach.mask == FULL { values } else { W::blend(register, &values, reach.mask) };
    true
}

#[inline(always)]
fn store_lanes<A: Address, E: Element, W: Word + Into<u64>, const GATHER: bool>(
    registers: &Registers,
    reach: Reach,
    memory: &mut [u8],
    from: Slot,
) -> bool {
    let (base, values) = (A::read(registers, reach.base), W::read(registers, from));
    if let Some(range) = block::<A, E>(base, reach, memory) {
        for (value, element) in values.iter().zip(memory[range].chunks_mut(E::BYTES as usize)) {
            // SAFETY: each chunk is an element.
            unsafe { E::of((*value).into()).write(element.as_mut_ptr()) };
        }
        return true;
    }
    let Some(room) = room::<E>(memory, reach) else { return false };
    let offsets = match reach.mask {
        FULL => A::offsets::<true>(base, reach, room),
        _ => A::offsets::<false>(base, reach, room),
    };
    let Some(offsets) = offsets else { return false };
    let memory = memory.as_mut_ptr();
    let mut rest = reach.mask;
    // Of lanes with one address the lowest is the last.
    while rest != 0 {
        let lane = (LANES - 1 - rest.leading_zeros() as usize) % LANES;
        rest &= !BIT[lane];
        // SAFETY: each offset is at most `room`, so the access is inside, and the element within the access.
        unsafe {
            let place = memory.add((offsets[lane] + reach.within) as usize);
            E::of(values[lane].into()).write(place);
        }
    }
    true
}

/// A function that runs a body compiled for the tier in use.
macro_rules! by_tier {
    (
        $(#[$doc:meta])*
        fn $name:ident[$($generics:tt)*]($($arg:ident: $ty:ty),*) -> $result:ty
            = $body:ident[$($names:ident),*]
    ) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<$($generics)*>($($arg: $ty),*) -> $result {
            // Inlined it would burden the way to the other tiers.
            #[inline(never)]
            fn baseline<$($generics)*>($($arg: $ty),*) -> $result {
                $body::<$($names,)* false>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2<$($generics)*>($($arg: $ty),*) -> $result {
                $body::<$($names,)* true>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
            fn avx512<$($generics)*>($($arg: $ty),*) -> $result {
                $body::<$($names,)* true>($($arg),*)
            }
            match Tier::in_use() {
                // SAFETY: the tier in use is one that the processor has.
                #[cfg(target_arch = "x86_64")]
                Tier::Avx2 => unsafe { avx2::<$($names),*>($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Tier::Avx512 => unsafe { avx512::<$($names),*>($($arg),*) },
                #[cfg(not(target_arch = "x86_64"))]
                Tier::Avx2 | Tier::Avx512 => baseline::<$($names),*>($($arg),*),
                Tier::Baseline => baseline::<$($names),*>($($arg),*),
            }
        }
    };
}

by_tier! {
    /// Loads an element for each lane of the reach, extended with zeros. Whether it did: not where an address is
    /// outside of the memory or misaligned, or the memory is larger than 2 GiB.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn load[A: Address, E: Element, W: Word + From<E>](
        registers: &mut Registers, reach: Reach, memory: &[u8], into: Slot
    ) -> bool = load_lanes[A, E, W]
}

by_tier! {
    /// Stores the low bits of a register for each lane of the reach; of lanes with one address the lowest wins. Whether
    /// it did, as for [`load`].
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    fn store[A: Address, E: Element, W: Word + Into<u64>](
        registers: &Registers, reach: Reach, memory: &mut [u8], from: Slot
    ) -> bool = store_lanes[A, E, W]
}
