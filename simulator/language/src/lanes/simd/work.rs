//! Loops of other modules that are compiled for each tier.

use super::tier::{Tier, for_tier};

/// Something to compute that is compiled for each tier. AVX-512 runs the code of AVX2.
///
/// A called function is compiled with the instructions of the tier only if it is inlined.
pub trait Work {
    /// Its result.
    type Result;

    /// Does it. Let it be `#[inline(always)]`.
    fn run(self) -> Self::Result;
}

/// Does some work, compiled for the tier in use.
///
/// ```
/// use warpsim_language::lanes::{Work, in_tier};
///
/// struct Sum<'a>(&'a [u32]);
///
/// impl Work for Sum<'_> {
///     type Result = u32;
///
///     #[inline(always)]
///     fn run(self) -> u32 {
///         self.0.iter().fold(0, |sum, one| sum.wrapping_add(*one))
///     }
/// }
///
/// assert_eq!(in_tier(Sum(&[1, 2, 3])), 6);
/// ```
#[inline]
pub fn in_tier<W: Work>(work: W) -> W::Result {
    for_tier! { avx2;
        fn avx2<W: Work>(work: W) -> W::Result {
            work.run()
        }
    }
    match Tier::in_use() {
        // SAFETY: the tier in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 | Tier::Avx512 => unsafe { avx2(work) },
        #[cfg(not(target_arch = "x86_64"))]
        Tier::Avx2 | Tier::Avx512 => work.run(),
        Tier::Baseline => work.run(),
    }
}
