//! Elements of memory: one, those in a row, and those at the offsets of lanes.

use super::address::HALF;
use crate::lanes::LANES;

/// An element of memory, little-endian.
pub trait Element: Copy + Default {
    /// Its size.
    const BYTES: u32;
    /// The low bits of a number.
    #[doc(hidden)]
    fn of(value: u64) -> Self;
    /// The elements at some offsets. `AVX2`: the processor has AVX2.
    ///
    /// # Safety
    ///
    /// There is an element at each offset, and `AVX2` is true only of a processor that has AVX2.
    #[doc(hidden)]
    unsafe fn gather<const AVX2: bool>(memory: *const u8, offsets: &[u32; LANES]) -> [Self; LANES];
    /// Elements that follow each other.
    ///
    /// # Safety
    ///
    /// There are as many at the place.
    #[doc(hidden)]
    unsafe fn read_row(place: *const u8) -> [Self; HALF];
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
            unsafe fn gather<const AVX2: bool>(
                memory: *const u8,
                offsets: &[u32; LANES],
            ) -> [$element; LANES] {
                $(
                    #[cfg(target_arch = "x86_64")]
                    if AVX2 {
                        // SAFETY: the caller's promise.
                        return unsafe { $gather(memory, offsets) };
                    }
                )?
                // SAFETY: the caller's promise.
                unsafe { read_each(memory, offsets) }
            }
            #[inline(always)]
            unsafe fn read_row(place: *const u8) -> [$element; HALF] {
                // SAFETY: the caller's promise.
                let row = unsafe { place.cast::<[[u8; ($element::BITS / 8) as usize]; HALF]>().read() };
                let mut elements = [0; HALF];
                for lane in 0..HALF {
                    elements[lane] = $element::from_le_bytes(row[lane]);
                }
                elements
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
