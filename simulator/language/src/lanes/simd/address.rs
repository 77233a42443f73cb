//! Addresses in registers, of all lanes of a warp: the offsets that they come to, and whether they follow each other.

use super::bank::BIT;
use super::reach::Reach;
use crate::lanes::{LANES, Mask, Word};

/// Lanes of half a warp.
pub(super) const HALF: usize = LANES / 2;

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
        mask: Mask,
        room: u32,
    ) -> Option<[u32; LANES]>;
    /// Whether the addresses of each half are all the same, or, in a row, elements of so many bytes apart.
    ///
    /// # Safety
    ///
    /// `AVX2` is true only of a processor that has it.
    #[doc(hidden)]
    unsafe fn follow<const AVX2: bool>(
        halves: [&[Self; HALF]; 2],
        are_rows: [bool; 2],
        bytes: u32,
    ) -> bool;
}

/// How far elements in a row lie behind the first, by the logarithm of their size: looked up, where it would be a
/// multiplication for each lane.
macro_rules! behind {
    ($word:ident) => {{
        let mut all = [[[0; HALF]; 2]; 4];
        let mut size = 0;
        while size < all.len() {
            let mut lane = 0;
            while lane < HALF {
                all[size][1][lane] = (lane << size) as $word;
                lane += 1;
            }
            size += 1;
        }
        all
    }};
}

macro_rules! addresses {
    ($($word:ident by $avx2:ident;)*) => {$(
        impl Address for $word {
            #[inline(always)]
            fn at(self, shift: u64) -> u64 {
                self.wrapping_add(shift as $word).into()
            }
            #[inline(always)]
            fn offsets<const WHOLE: bool>(
                base: &[$word; LANES],
                reach: Reach,
                mask: Mask,
                room: u32,
            ) -> Option<[u32; LANES]> {
                let mut offsets = [0; LANES];
                // The highest bit tells a number below zero: of an offset, or of the room that is left behind it.
                let (mut any, mut beyond): ($word, $word) = (0, 0);
                for lane in 0..LANES {
                    let mut offset = base[lane].wrapping_add(reach.shift as $word);
                    if !WHOLE {
                        offset &= if mask & BIT[lane] != 0 { $word::MAX } else { 0 };
                    }
                    any |= offset;
                    beyond |= offset | $word::from(room).wrapping_sub(offset);
                    offsets[lane] = offset as u32;
                }
                let aligned = any & $word::from(reach.bytes - 1) == 0;
                (aligned && beyond >> ($word::BITS - 1) == 0).then_some(offsets)
            }
            #[inline(always)]
            unsafe fn follow<const AVX2: bool>(
                halves: [&[$word; HALF]; 2],
                are_rows: [bool; 2],
                bytes: u32,
            ) -> bool {
                static BEHIND: [[[$word; HALF]; 2]; 4] = behind!($word);
                let behind = &BEHIND[bytes.trailing_zeros() as usize % 4];
                let behind = are_rows.map(|is_row| &behind[usize::from(is_row)]);
                #[cfg(target_arch = "x86_64")]
                if AVX2 {
                    // SAFETY: the caller's promise.
                    return unsafe { $avx2(halves, behind) };
                }
                let mut wrong = 0;
                for (half, behind) in halves.into_iter().zip(behind) {
                    for lane in 0..HALF {
                        wrong |= half[0].wrapping_add(behind[lane]) ^ half[lane];
                    }
                }
                wrong == 0
            }
        }
    )*};
}

addresses! {
    u32 by follow32;
    u64 by follow64;
}

/// Defines a function that tells whether numbers lie so far behind the first one of theirs, each in its half. The compiler
/// would test them one by one, since it finds out that this is what is asked.
macro_rules! follow {
    ($name:ident, $word:ident, $splat:ident($bits:ident), $add:ident) => {
        /// # Safety
        ///
        /// The processor has AVX2.
        #[cfg(target_arch = "x86_64")]
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn $name(halves: [&[$word; HALF]; 2], behind: [&[$word; HALF]; 2]) -> bool {
            use std::arch::x86_64::{
                _mm256_loadu_si256, _mm256_or_si256, _mm256_setzero_si256, _mm256_testz_si256,
                _mm256_xor_si256, $add, $splat,
            };
            const WORDS: usize = (256 / $word::BITS) as usize;
            let mut wrong = _mm256_setzero_si256();
            for (half, behind) in halves.into_iter().zip(behind) {
                let first = $splat(half[0] as $bits);
                let behind = behind.as_chunks::<WORDS>().0;
                for (found, behind) in half.as_chunks::<WORDS>().0.iter().zip(behind) {
                    // SAFETY: both are 32 bytes of any content.
                    let [found, behind] = [found, behind]
                        .map(|words| unsafe { _mm256_loadu_si256(words.as_ptr().cast()) });
                    let off = _mm256_xor_si256($add(first, behind), found);
                    wrong = _mm256_or_si256(wrong, off);
                }
            }
            _mm256_testz_si256(wrong, wrong) == 1
        }
    };
}

follow!(follow32, u32, _mm256_set1_epi32(i32), _mm256_add_epi32);
follow!(follow64, u64, _mm256_set1_epi64x(i64), _mm256_add_epi64);
