//! Video instructions (PTX ISA 9.7.18). Bit-exact; the rules are in `lanes/scalar/video.rs`.
//!
//! There is a primitive for each operation, whatever the size of its elements. Modifiers, selectors
//! and signs come beside the operands: a constant of 64 bits as source `e`, which [`Setting::word`]
//! makes.

use super::define::{Definition, body, primitives};
pub use crate::lanes::scalar::video::{Comparison, Elements, Second, Setting};
use crate::lanes::scalar::video::{
    average, by_elements, compared, multiply_and_add, shifted_left, shifted_right,
};
use crate::lanes::{Body, LANES, ternary};

/// A video instruction: what it is set to, the same in all lanes, and what it computes of them.
struct Video32<F>(Setting, F);

/// All lanes of three operands.
type Three<'a> = (&'a [u32; LANES], &'a [u32; LANES], &'a [u32; LANES]);

impl<F: Fn(Setting, i64, i64) -> i64> Body<(u32, u32, u32), u32> for Video32<F> {
    #[inline(always)]
    fn lanes(&self, operands: Three<'_>) -> [u32; LANES] {
        by_elements(&self.0, operands, &self.1)
    }
}

/// One whose results are computed from one element of each operand.
macro_rules! each {
    ($operation:expr) => {
        body!([D(<u32>), A(<u32>), B(<u32>), C(<u32>), E(<u64>)], |r, o| {
            let body = Video32(Setting::of(r.uniform::<u64>(o.e)), $operation);
            r.apply::<(u32, u32, u32), u32>((o.a, o.b, o.c), o.d, body)
        })
    };
}

primitives! {
    /// Video instructions: on bytes, halves and words picked out of registers.
    pub enum Video {
        VaddB32 = each!(|_, a: i64, b: i64| a + b);
        VsubB32 = each!(|_, a: i64, b: i64| a - b);
        VabsdiffB32 = each!(|_, a: i64, b: i64| (a - b).abs());
        VminB32 = each!(|_, a: i64, b| a.min(b));
        VmaxB32 = each!(|_, a: i64, b| a.max(b));
        VavrgB32 = each!(|_, a, b| average(a, b));
        VshlB32 = each!(shifted_left);
        VshrB32 = each!(shifted_right);
        VsetB32 = each!(compared);
        VmadB32 = body!([D(<u32>), A(<u32>), B(<u32>), C(<u32>), E(<u64>)], |r, o| {
            let setting = Setting::of(r.uniform::<u64>(o.e));
            ternary::<u32, u32, u32, u32, _>(r, o, |a, b, c| multiply_and_add(&setting, [a, b, c]))
        });
    }
}
