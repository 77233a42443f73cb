//! Addresses in registers, of all lanes of a warp: their offsets, and whether they follow each
//! other.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _mm256_add_epi32, _mm256_add_epi64, _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_testz_si256, _mm256_xor_si256,
};

use super::bank::BIT;
use super::reach::Reach;
use crate::lanes::{LANES, Mask, Word};

/// Lanes of half a warp.
pub(super) const HALF: usize = LANES / 2;

/// An address in a register: 32 or 64 bits.
pub trait Address: Word {
    #[doc(hidden)]
    fn at(self, shift: u64) -> u64;
    /// The offset of each lane, 0 of a lane that is not active; `None` if one is larger than
    /// `room`, or no multiple of `bytes`.
    #[doc(hidden)]
    fn offsets<const WHOLE: bool>(
        base: &[Self; LANES],
        reach: Reach,
        mask: Mask,
        room: u32,
    ) -> Option<[u32; LANES]>;
    /// Whether the addresses of each half are all the same, or those of consecutive elements of
    /// this many bytes.
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
    /// Whether the addresses of a warp increase by this many bytes from lane to lane.
    ///
    /// # Safety
    ///
    /// `AVX2` is true only of a processor that has it.
    #[doc(hidden)]
    unsafe fn is_row<const AVX2: bool>(lanes: &[Self; LANES], bytes: u32) -> bool;
}

/// How far elements in a row lie behind the first, by the logarithm of their size: looked up, where
/// it would be a multiplication for each lane.
macro_rules! behind {
    ($word:ident) => {{
        let mut all = [[[0; LANES]; 2]; 4];
        let mut size = 0;
        while size < all.len() {
            let mut lane = 0;
            while lane < LANES {
                all[size][1][lane] = (lane << size) as $word;
                lane += 1;
            }
            size += 1;
        }
        all
    }};
}

/// The bits in which some numbers differ from numbers at given distances behind the first: a
/// vector. It calls the instructions by name. Otherwise the compiler would recognise the comparison
/// and test the numbers one by one. The instructions are in functions without the feature, which
/// are compiled into the functions of a tier. A function with the feature would now and then be
/// called instead.
#[cfg(target_arch = "x86_64")]
macro_rules! off {
    ($word:ident, $splat:ident($bits:ident), $add:ident, $lanes:expr, $behind:expr) => {{
        const WORDS: usize = (256 / $word::BITS) as usize;
        let (lanes, behind) = ($lanes.as_chunks::<WORDS>().0, $behind.as_chunks::<WORDS>().0);
        let first = $splat($lanes[0] as $bits);
        let mut wrong = _mm256_setzero_si256();
        for (found, behind) in lanes.iter().zip(behind) {
            let [found, behind] =
                [found, behind].map(|words| _mm256_loadu_si256(words.as_ptr().cast()));
            wrong = _mm256_or_si256(wrong, _mm256_xor_si256($add(first, behind), found));
        }
        wrong
    }};
}

macro_rules! addresses {
    ($($word:ident by $splat:ident($bits:ident), $add:ident, $behind:ident;)*) => {$(
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
                // The highest bit tells a number below zero: of an offset, or of the room that is
                // left behind it.
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
                let behind = &$behind[bytes.trailing_zeros() as usize % 4];
                let behind = are_rows.map(|is_row| &behind[usize::from(is_row)].as_chunks::<HALF>().0[0]);
                #[cfg(target_arch = "x86_64")]
                if AVX2 {
                    // SAFETY: the processor has AVX2, by the caller's promise; this reads 32 bytes
                    // of any content.
                    return unsafe {
                        let wrong = _mm256_or_si256(
                            off!($word, $splat($bits), $add, halves[0], behind[0]),
                            off!($word, $splat($bits), $add, halves[1], behind[1]),
                        );
                        _mm256_testz_si256(wrong, wrong) == 1
                    };
                }
                let mut wrong = 0;
                for (half, behind) in halves.into_iter().zip(behind) {
                    for lane in 0..HALF {
                        wrong |= half[0].wrapping_add(behind[lane]) ^ half[lane];
                    }
                }
                wrong == 0
            }
            #[inline(always)]
            unsafe fn is_row<const AVX2: bool>(lanes: &[$word; LANES], bytes: u32) -> bool {
                let behind = &$behind[bytes.trailing_zeros() as usize % 4][1];
                #[cfg(target_arch = "x86_64")]
                if AVX2 {
                    // SAFETY: as above.
                    return unsafe {
                        let wrong = off!($word, $splat($bits), $add, lanes, behind);
                        _mm256_testz_si256(wrong, wrong) == 1
                    };
                }
                let mut wrong = 0;
                for lane in 0..LANES {
                    wrong |= lanes[0].wrapping_add(behind[lane]) ^ lanes[lane];
                }
                wrong == 0
            }
        }

        static $behind: [[[$word; LANES]; 2]; 4] = behind!($word);
    )*};
}

addresses! {
    u32 by _mm256_set1_epi32(i32), _mm256_add_epi32, BEHIND32;
    u64 by _mm256_set1_epi64x(i64), _mm256_add_epi64, BEHIND64;
}
