//! Video instructions (PTX ISA 9.7.18). Bit-exact; the rules are in `lanes/scalar/video.rs`.
//!
//! There is a primitive for each operation, whatever the size of its elements. What modifiers,
//! selectors and signs say comes beside the operands: a constant of 64 bits as source `e`, which
//! [`Setting::word`] makes.

use super::define::{Definition, body, primitives};
pub use crate::lanes::scalar::video::{Comparison, Elements, Second, Setting};
use crate::lanes::scalar::video::{
    average, by_elements, compared, multiply_and_add, shifted_left, shifted_right,
};
use crate::lanes::{Loops, Operands, ternary};

/// The loop over the lanes of all of them: the setting is the same in each.
#[inline(always)]
fn video<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    result: impl Fn(&Setting, [u32; 3]) -> u32,
) {
    let setting = Setting::of(loops.uniform::<u64>(o.e));
    ternary::<u32, u32, u32, u32, _>(loops, o, |a, b, c| result(&setting, [a, b, c]));
}

macro_rules! video {
    ($result:expr) => {
        body!([D(<u32>), A(<u32>), B(<u32>), C(<u32>), E(<u64>)], |r, o| {
            video(r, o, $result)
        })
    };
}

/// One whose results are computed from one element of each operand.
macro_rules! each {
    ($operation:expr) => {
        video!(|setting, operands| by_elements(setting, operands, $operation))
    };
}

primitives! {
    /// Video instructions: on bytes, halves and words picked out of registers.
    pub enum Video rare {
        VaddB32 = each!(|_, a, b| a + b);
        VsubB32 = each!(|_, a, b| a - b);
        VabsdiffB32 = each!(|_, a, b| (a - b).abs());
        VminB32 = each!(|_, a, b| a.min(b));
        VmaxB32 = each!(|_, a, b| a.max(b));
        VavrgB32 = each!(|_, a, b| average(a, b));
        VshlB32 = each!(shifted_left);
        VshrB32 = each!(shifted_right);
        VsetB32 = each!(compared);
        VmadB32 = video!(multiply_and_add);
    }
}
