//! The primitives that lowering puts around an instruction: copies, widening, narrowing, packing.

use crate::lanes::Primitive;
use crate::lanes::primitive::{Convert, Integer, Logic, Move, Number};

/// A copy of 32 bits.
pub(in crate::lower) const COPY_32: Primitive =
    Primitive::Convert(Convert::new(Number::U32, Number::U32));

/// A copy of 64 bits.
pub(in crate::lower) const COPY_64: Primitive =
    Primitive::Convert(Convert::new(Number::U64, Number::U64));

/// A copy of a predicate.
pub(in crate::lower) const COPY_PREDICATE: Primitive = Primitive::Move(Move::MovPred);

/// The opposite of a predicate.
pub(in crate::lower) const NOT_PREDICATE: Primitive = Primitive::Logic(Logic::NotPred);

/// Zero-extends 32 bits to 64.
pub(in crate::lower) const WIDEN_UNSIGNED: Primitive =
    Primitive::Convert(Convert::new(Number::U64, Number::U32));

/// Sign-extends 32 bits to 64.
pub(in crate::lower) const WIDEN_SIGNED: Primitive =
    Primitive::Convert(Convert::new(Number::S64, Number::S32));

/// The low 32 bits.
pub(in crate::lower) const NARROW: Primitive =
    Primitive::Convert(Convert::new(Number::U32, Number::U64));

/// The high 32 bits.
pub(in crate::lower) const HIGH: Primitive = Primitive::Move(Move::UnpackHiB64);

/// The low 16 bits.
pub(in crate::lower) const LOW16: Primitive = Primitive::Move(Move::UnpackLoB32);

/// Bits 16 to 31.
pub(in crate::lower) const HIGH16: Primitive = Primitive::Move(Move::UnpackHiB32);

/// The low 8 bits.
pub(in crate::lower) const LOW8: Primitive = Primitive::Move(Move::UnpackLoB16);

/// Bits 8 to 15.
pub(in crate::lower) const HIGH8: Primitive = Primitive::Move(Move::UnpackHiB16);

/// `a` below `b`, 32 bits each.
pub(in crate::lower) const PACK32: Primitive = Primitive::Move(Move::PackB64);

/// `a` below `b`, 16 bits each.
pub(in crate::lower) const PACK16: Primitive = Primitive::Move(Move::PackB32);

/// `a` below `b`, 8 bits each.
pub(in crate::lower) const PACK8: Primitive = Primitive::Move(Move::PackB16);

/// Zero-extends 16 bits to 32.
pub(in crate::lower) const WIDEN16: Primitive =
    Primitive::Convert(Convert::new(Number::U32, Number::U16));

/// 16-bit addition.
pub(in crate::lower) const ADD16: Primitive = Primitive::Integer(Integer::AddU16);

/// 32-bit addition.
pub(in crate::lower) const ADD32: Primitive = Primitive::Integer(Integer::AddU32);

/// The low 32 bits of a product.
pub(in crate::lower) const MULTIPLY32: Primitive = Primitive::Integer(Integer::MulLoU32);

/// The low 64 bits of a product.
pub(in crate::lower) const MULTIPLY64: Primitive = Primitive::Integer(Integer::MulLoU64);

/// 64-bit addition.
pub(in crate::lower) const ADD64: Primitive = Primitive::Integer(Integer::AddU64);
