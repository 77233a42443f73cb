//! Atomics on halves (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`): `.noftz`, as `add`, `min` and `max`
//! of registers without modifiers.

use half::{bf16, f16};

use super::halves::{self, Half, Pair, each_2};
use crate::lanes::Flags;
use crate::ptx::Type;

/// An operation on halves in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfOperation {
    /// `.add`, rounded to nearest even.
    Add,
    /// `.min`: a NaN loses, -0 is below +0.
    Min,
    /// `.max`: a NaN loses, -0 is below +0.
    Max,
}

/// The result of the operation on two values of a type of halves, alone or in pairs; `None` for
/// every other type.
///
/// ```
/// use warpsim_language::lanes::{HalfOperation, combine_halves};
/// use warpsim_language::ptx::Type;
///
/// let one_and_two = combine_halves(HalfOperation::Add, Type::F16x2, 0x4000_3c00, 0x0000_3c00);
/// assert_eq!(one_and_two, Some(0x4000_4000));
/// assert_eq!(combine_halves(HalfOperation::Add, Type::F32, 0, 0), None);
/// ```
pub fn combine_halves(operation: HalfOperation, ty: Type, a: u32, b: u32) -> Option<u32> {
    match ty {
        Type::F16 => Some(one::<f16>(operation, a, b)),
        Type::Bf16 => Some(one::<bf16>(operation, a, b)),
        Type::F16x2 => Some(two::<f16>(operation, a, b)),
        Type::Bf16x2 => Some(two::<bf16>(operation, a, b)),
        Type::B8
        | Type::B16
        | Type::B32
        | Type::B64
        | Type::B128
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::S8
        | Type::S16
        | Type::S32
        | Type::S64
        | Type::F32
        | Type::F64
        | Type::Pred
        | Type::Texref
        | Type::Samplerref
        | Type::Surfref => None,
    }
}

fn scalar<H: Half>(operation: HalfOperation) -> impl Fn(H, H) -> H {
    move |a, b| match operation {
        HalfOperation::Add => halves::add(Flags::NONE, a, b),
        HalfOperation::Min => halves::min(Flags::NONE, a, b),
        HalfOperation::Max => halves::max(Flags::NONE, a, b),
    }
}

fn one<H: Half>(operation: HalfOperation, a: u32, b: u32) -> u32 {
    scalar(operation)(H::of_bits(a as u16), H::of_bits(b as u16)).bits().into()
}

fn two<H: Half>(operation: HalfOperation, a: u32, b: u32) -> u32 {
    each_2(scalar::<H>(operation), Pair::of_bits(a), Pair::of_bits(b)).bits()
}
