//! The comparisons of `set` and `setp` (PTX ISA 9.7.6), for any ordered type.

use half::{bf16, f16};

use super::float::flush;
use super::halves::Half;
use crate::lanes::{Flags, Value};

/// A type that can be compared.
pub(crate) trait Comparable: Value {
    /// Whether `.ftz` changes anything.
    const FLUSHES: bool = false;
    /// Whether programs are full of comparisons of it.
    const COMMON: bool = false;
    /// A type of the host that has the value, in the same order.
    type Key: PartialOrd;
    /// The value.
    fn key(self) -> Self::Key;
    /// The value after `.ftz`; only floats have something to flush.
    #[inline(always)]
    fn flushed_key(self) -> Self::Key {
        self.key()
    }
}

macro_rules! of_the_host {
    ($($ty:ty: $common:literal),*) => {
        $(impl Comparable for $ty {
            const COMMON: bool = $common;
            type Key = $ty;
            #[inline(always)]
            fn key(self) -> $ty {
                self
            }
        })*
    };
}

of_the_host!(u16: false, i16: false, u32: true, i32: true, u64: true, i64: true, f64: true);

impl Comparable for f32 {
    const FLUSHES: bool = true;
    const COMMON: bool = true;
    type Key = f32;
    #[inline(always)]
    fn key(self) -> f32 {
        self
    }
    #[inline(always)]
    fn flushed_key(self) -> f32 {
        flush(self)
    }
}

impl Comparable for f16 {
    const FLUSHES: bool = true;
    type Key = f32;
    #[inline(always)]
    fn key(self) -> f32 {
        self.single()
    }
    #[inline(always)]
    fn flushed_key(self) -> f32 {
        self.flushed(Flags::FTZ).single()
    }
}

impl Comparable for bf16 {
    type Key = f32;
    #[inline(always)]
    fn key(self) -> f32 {
        self.single()
    }
}

/// A comparison operator, of those from which all others come: by exchanging the operands, or by
/// what does not hold.
pub(crate) trait Comparison {
    /// Whether it holds between two values.
    fn holds<T: PartialOrd>(a: T, b: T) -> bool;
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident = |$a:ident, $b:ident| $holds:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;
            impl Comparison for $name {
                #[inline(always)]
                #[allow(clippy::double_comparisons, reason = "these differ for unordered pairs")]
                fn holds<T: PartialOrd>($a: T, $b: T) -> bool {
                    $holds
                }
            }
        )*
    };
}

comparisons! {
    /// Equal.
    Eq = |a, b| a == b;
    /// Not equal, and ordered.
    Ne = |a, b| a < b || a > b;
    /// Less.
    Lt = |a, b| a < b;
    /// Less or equal.
    Le = |a, b| a <= b;
    /// Ordered: neither is NaN.
    Num = |a, b| a <= b || a > b;
}
