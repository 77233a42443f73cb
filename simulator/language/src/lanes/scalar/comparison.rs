//! The comparisons of `set` and `setp` (PTX ISA 9.7.6), for any ordered type.

use half::{bf16, f16};

use super::float::flush;
use super::halves::Half;
use crate::lanes::{Flags, Value};

/// A type that can be compared.
pub(crate) trait Comparable: Value + PartialOrd {
    /// `.ftz`; only floats have something to flush.
    #[inline(always)]
    fn flushed(self) -> Self {
        self
    }
}

impl Comparable for u16 {}
impl Comparable for i16 {}
impl Comparable for u32 {}
impl Comparable for i32 {}
impl Comparable for u64 {}
impl Comparable for i64 {}
impl Comparable for f64 {}
impl Comparable for bf16 {}

impl Comparable for f32 {
    #[inline(always)]
    fn flushed(self) -> f32 {
        flush(self)
    }
}

impl Comparable for f16 {
    #[inline(always)]
    fn flushed(self) -> f16 {
        Half::flushed(self, Flags::FTZ)
    }
}

/// A comparison operator.
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
                #[allow(
                    clippy::neg_cmp_op_on_partial_ord,
                    clippy::double_comparisons,
                    reason = "these differ for unordered pairs"
                )]
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
    /// Greater.
    Gt = |a, b| a > b;
    /// Greater or equal.
    Ge = |a, b| a >= b;
    /// Equal or unordered.
    Equ = |a, b| !(a < b || a > b);
    /// Not equal, or unordered.
    Neu = |a, b| a != b;
    /// Less or unordered.
    Ltu = |a, b| !(a >= b);
    /// Less, equal or unordered.
    Leu = |a, b| !(a > b);
    /// Greater or unordered.
    Gtu = |a, b| !(a <= b);
    /// Greater, equal or unordered.
    Geu = |a, b| !(a < b);
    /// Ordered: neither is NaN.
    Num = |a, b| a <= b || a > b;
    /// Unordered: one is NaN.
    Nan = |a, b| !(a <= b || a > b);
}
