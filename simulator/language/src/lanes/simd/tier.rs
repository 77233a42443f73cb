//! Tiers: what instructions the lane loops may use.
//!
//! A lane loop is plain Rust, compiled once for each tier. Which one runs is decided once: the best
//! that the processor has, or the one that the environment variable `WARPSIM_SIMD` names.

use std::fmt;
use std::sync::OnceLock;

use super::gang::Gang;
use crate::lanes::Operands;
use crate::preference::{PreferenceError, Reason, Variable};

/// Gives another macro the features that a tier asks for, and its other input.
macro_rules! features {
    (avx2 ($($then:tt)+) { $($rest:tt)* }) => {
        $crate::lanes::simd::features!(@ [] ($($then)+) { $($rest)* })
    };
    (avx512 ($($then:tt)+) { $($rest:tt)* }) => {
        $crate::lanes::simd::features!(
            @ ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd"] ($($then)+) { $($rest)* }
        )
    };
    (@ [$($more:tt)*] ($($then:tt)+) { $($rest:tt)* }) => {
        $($then)+!(["avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt" $($more)*] $($rest)*)
    };
}
pub(in crate::lanes) use features;

/// A function compiled with the features of a tier.
macro_rules! for_tier {
    ($tier:ident; $($item:tt)*) => {
        $crate::lanes::simd::features! { $tier ($crate::lanes::simd::with_features) { $($item)* } }
    };
}
pub(in crate::lanes) use for_tier;

/// The same with these features.
macro_rules! with_features {
    ([$($feature:tt)*] $($item:tt)*) => {
        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $feature)])*
        $($item)*
    };
}
pub(in crate::lanes) use with_features;

/// The instructions that lane loops are compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// The instructions that every processor of the architecture has.
    Baseline,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// x86-64 also with AVX-512 (F, BW, DQ, VL, CD). Only loops that it makes faster are compiled
    /// for it.
    Avx512,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Baseline => "baseline",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        })
    }
}

impl Tier {
    /// All of them, the slowest first.
    pub const ALL: [Tier; 3] = [Tier::Baseline, Tier::Avx2, Tier::Avx512];

    /// The best that this processor has.
    #[cfg(target_arch = "x86_64")]
    pub fn best() -> Tier {
        macro_rules! has {
            ([$($feature:tt)*]) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        if features!(avx512 (has) {}) {
            Tier::Avx512
        } else if features!(avx2 (has) {}) {
            Tier::Avx2
        } else {
            Tier::Baseline
        }
    }

    /// The best that this processor has.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn best() -> Tier {
        Tier::Baseline
    }

    /// The tiers that this processor has, the slowest first.
    ///
    /// ```
    /// use warpsim::lanes::Tier;
    ///
    /// assert_eq!(Tier::available().next(), Some(Tier::Baseline));
    /// assert_eq!(Tier::available().last(), Some(Tier::best()));
    /// ```
    pub fn available() -> impl Iterator<Item = Tier> {
        let best = Tier::best();
        Tier::ALL.into_iter().filter(move |tier| *tier <= best)
    }

    /// The tier that the environment variable `WARPSIM_SIMD` asks for: `baseline`, `avx2` or
    /// `avx512`; the best one if it asks for none.
    ///
    /// # Errors
    ///
    /// It names no tier, or one that this processor lacks.
    pub fn requested() -> Result<Tier, PreferenceError> {
        let best = Tier::best();
        let asked = Variable::Simd.asked(|name| Tier::named(name, best))?;
        Ok(asked.unwrap_or(best))
    }

    /// The tier of a name, of those up to the best one.
    fn named(name: &str, best: Tier) -> Result<Tier, Reason> {
        match Tier::ALL.into_iter().find(|tier| tier.to_string() == name) {
            Some(tier) if tier <= best => Ok(tier),
            Some(_) => Err(Reason::Lacking(best.to_string())),
            None => Err(Reason::NoneOf(Tier::ALL.iter().map(Tier::to_string).collect())),
        }
    }

    /// The tier that lane loops run with in this process: [`Tier::requested`], or the best one if
    /// that fails (a command asks first, and reports the failure).
    pub fn in_use() -> Tier {
        static TIER: OnceLock<Tier> = OnceLock::new();
        *TIER.get_or_init(|| Tier::requested().unwrap_or_else(|_| Tier::best()))
    }
}

/// A lane loop of one tier, with its operands: called only where the processor has the tier.
type LaneLoop<O> = unsafe fn(&mut Gang<'_, '_>, &O);

/// A lane loop, compiled for each tier.
#[derive(Clone, Copy, Debug)]
pub struct Tiered<O = Operands>([LaneLoop<O>; 3]);

impl<O: Copy> Tiered<O> {
    /// The loops for the tiers, in their order. Made by [`tiered!`] alone, so that a loop uses only
    /// the features of its tier.
    pub(in crate::lanes) const fn new(loops: [LaneLoop<O>; 3]) -> Tiered<O> {
        Tiered(loops)
    }

    /// The loops that this build has. With debug assertions AVX-512 uses the loops of AVX2. The two
    /// differ only in the compiler's choice of instructions, and a third set of loops takes minutes
    /// of a build.
    pub(in crate::lanes) const fn of_build(self) -> Tiered<O> {
        if cfg!(debug_assertions) { self.without_avx512() } else { self }
    }

    /// The same with the loop of AVX2 for AVX-512 too. This is for operations that are rare, or
    /// that AVX-512 makes no faster.
    pub(in crate::lanes) const fn without_avx512(self) -> Tiered<O> {
        let [baseline, avx2, _] = self.0;
        Tiered([baseline, avx2, avx2])
    }

    /// The same with a loop that x86-64 processors without AVX2 run. Elsewhere the first tier is
    /// the only one, and keeps its loop.
    pub(in crate::lanes) const fn with_baseline(self, one: fn(&mut Gang<'_, '_>, &O)) -> Tiered<O> {
        let [baseline, avx2, avx512] = self.0;
        let baseline = if cfg!(target_arch = "x86_64") { one } else { baseline };
        Tiered([baseline, avx2, avx512])
    }

    /// The loop of a tier, or the best that the processor has instead.
    pub(in crate::lanes) fn of(self, tier: Tier) -> Chosen<O> {
        Chosen(self.0[tier.min(Tier::best()) as usize])
    }
}

/// The lane loop of a tier that the processor has.
#[derive(Clone, Copy, Debug)]
pub(in crate::lanes) struct Chosen<O = Operands>(LaneLoop<O>);

impl<O> Chosen<O> {
    /// Runs it.
    #[inline(always)]
    pub(in crate::lanes) fn run(&self, gang: &mut Gang<'_, '_>, operands: &O) {
        // SAFETY: `Tiered::of` gives loops of tiers that the processor has, and they ask for
        // nothing else.
        unsafe { (self.0)(gang, operands) }
    }
}

/// Gives another macro, once for each tier: its features, whether it is wide, and two names for
/// what it compiles there. Then its other input.
macro_rules! each_tier {
    ($then:ident { $($rest:tt)* }) => {
        $crate::lanes::simd::$then!([] false baseline baseline_of $($rest)*);
        #[cfg(target_arch = "x86_64")]
        $crate::lanes::simd::features! {
            avx2 ($crate::lanes::simd::$then) { true avx2 avx2_of $($rest)* }
        }
        #[cfg(target_arch = "x86_64")]
        $crate::lanes::simd::features! {
            avx512 ($crate::lanes::simd::$then) { true avx512 avx512_of $($rest)* }
        }
        #[cfg(not(target_arch = "x86_64"))]
        use {baseline as avx2, baseline as avx512};
    };
}
pub(in crate::lanes) use each_tier;

/// The lane loop of a tier: see [`tiered!`].
macro_rules! tiered_loop {
    (
        [$($feature:tt)*] $wide:literal $name:ident $_of:ident
        [$($generics:tt)*] [$($bound:tt)*] |$r:ident, $o:ident: $operands:ty| $body:expr
    ) => {
        $(#[target_feature(enable = $feature)])*
        fn $name<$($generics)*>(gang: &mut $crate::lanes::Gang<'_, '_>, $o: &$operands) $($bound)* {
            let $r = &mut $crate::lanes::Loops::<$wide>::new(gang);
            $body
        }
    };
}
pub(in crate::lanes) use tiered_loop;

/// A [`Tiered`] of a body over `(loops, operands)`, of another type if one is given; type
/// parameters, if there are any, with their bounds and then without them.
macro_rules! tiered {
    (
        [$($generics:tt)*] [$($names:ident),*] $(where [$($bound:tt)*])?
        |$r:ident, $o:ident| $body:expr
    ) => {
        $crate::lanes::simd::tiered!(
            [$($generics)*] [$($names),*] $(where [$($bound)*])?
            |$r, $o: $crate::lanes::Operands| $body
        )
    };
    (
        [$($generics:tt)*] [$($names:ident),*] $(where [$($bound:tt)*])?
        |$r:ident, $o:ident: $operands:ty| $body:expr
    ) => {{
        $crate::lanes::simd::each_tier! { tiered_loop {
            [$($generics)*] [$(where $($bound)*)?] |$r, $o: $operands| $body
        } }
        $crate::lanes::Tiered::new([
            baseline::<$($names),*>,
            avx2::<$($names),*>,
            avx512::<$($names),*>,
        ])
        .of_build()
    }};
}
pub(in crate::lanes) use tiered;

/// The lane loop of a tier, and the function that gives it its value: see [`shared!`].
macro_rules! shared_loop {
    (
        [$($feature:tt)*] $wide:literal $name:ident $of:ident
        [$($generics:tt)*] [$($names:ident),*] [$($bound:tt)*]
        [$($own:tt)*] $given:ident: $kind:ty = $value:expr; |$r:ident, $o:ident| $body:expr
    ) => {
        #[inline(never)]
        $(#[target_feature(enable = $feature)])*
        fn $of<$($generics)*>(
            gang: &mut $crate::lanes::Gang<'_, '_>,
            $o: &$crate::lanes::Operands,
            $given: $kind,
        ) $($bound)* {
            let $r = &mut $crate::lanes::Loops::<$wide>::new(gang);
            $body
        }
        $(#[target_feature(enable = $feature)])*
        fn $name<$($generics)*, $($own)*>(
            gang: &mut $crate::lanes::Gang<'_, '_>,
            $o: &$crate::lanes::Operands,
        ) $($bound)* {
            $of::<$($names),*>(gang, $o, $value);
        }
    };
}
pub(in crate::lanes) use shared_loop;

/// The same for a body that several loops share. It is compiled once for each tier, and each loop
/// gives it its own value. First come the type parameters of the body, as in [`tiered!`]. Then come
/// the parameters that the value depends on, with their bounds and their arguments; then the value.
macro_rules! shared {
    (
        [$($generics:tt)*] [$($names:ident),*] $(where [$($bound:tt)*])?
        of [$($own:tt)*] [$($argument:tt),*] $given:ident: $kind:ty = $value:expr;
        |$r:ident, $o:ident| $body:expr
    ) => {{
        $crate::lanes::simd::each_tier! { shared_loop {
            [$($generics)*] [$($names),*] [$(where $($bound)*)?]
            [$($own)*] $given: $kind = $value; |$r, $o| $body
        } }
        $crate::lanes::Tiered::new([
            baseline::<$($names),*, $($argument),*>,
            avx2::<$($names),*, $($argument),*>,
            avx512::<$($names),*, $($argument),*>,
        ])
        .of_build()
    }};
}
pub(in crate::lanes) use shared;

/// A function that runs a body compiled for the tier in use. AVX-512 makes these no faster, so it
/// runs the code of AVX2.
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
            for_tier! { avx2;
                fn avx2<$($generics)*>($($arg: $ty),*) -> $result {
                    $body::<$($names,)* true>($($arg),*)
                }
            }
            match Tier::in_use() {
                // SAFETY: the tier in use is one that the processor has.
                #[cfg(target_arch = "x86_64")]
                Tier::Avx2 | Tier::Avx512 => unsafe { avx2::<$($names),*>($($arg),*) },
                #[cfg(not(target_arch = "x86_64"))]
                Tier::Avx2 | Tier::Avx512 => baseline::<$($names),*>($($arg),*),
                Tier::Baseline => baseline::<$($names),*>($($arg),*),
            }
        }
    };
}

pub(in crate::lanes) use by_tier;
