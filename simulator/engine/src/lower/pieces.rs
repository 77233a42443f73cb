//! Lane loops of the small operations that lowering puts around an instruction: copies, widening,
//! narrowing, packing.

use crate::lanes::{Dataflow, LaneOperation, Position, binary, unary};

/// A small operation, and what it reads and writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The lane loop.
    pub(super) run: LaneOperation,
    /// Its operands.
    pub(super) flow: Dataflow,
}

impl Piece {
    /// An operation on sources of so many bytes that only moves bits; `None` is a predicate.
    const fn moves(sources: &[Option<u32>], d: Option<u32>, run: LaneOperation) -> Piece {
        let Piece { run, flow } = Piece::computes(sources, d, run);
        Piece { run, flow: flow.moving() }
    }

    /// An operation that computes.
    const fn computes(sources: &[Option<u32>], d: Option<u32>, run: LaneOperation) -> Piece {
        let flow = Dataflow::NONE.with(Position::D, d).with(Position::A, sources[0]);
        match sources {
            [_, b, ..] => Piece { run, flow: flow.with(Position::B, *b) },
            _ => Piece { run, flow },
        }
    }
}

/// A copy of 32 bits.
pub(super) const COPY_32: Piece = Piece::moves(&[Some(4)], Some(4), |r, o, m| {
    unary::<u32, u32>(r, o, m, |a| a);
});

/// A copy of 64 bits.
pub(super) const COPY_64: Piece = Piece::moves(&[Some(8)], Some(8), |r, o, m| {
    unary::<u64, u64>(r, o, m, |a| a);
});

/// A copy of a predicate.
pub(super) const COPY_PREDICATE: Piece = Piece::moves(&[None], None, |r, o, m| {
    let value = r.predicate(o.a);
    r.set_predicate(o.d, m, value);
});

/// The opposite of a predicate.
pub(super) const NOT_PREDICATE: Piece = Piece::moves(&[None], None, |r, o, m| {
    let value = !r.predicate(o.a);
    r.set_predicate(o.d, m, value);
});

/// Zero-extends 32 bits to 64.
pub(super) const WIDEN_UNSIGNED: Piece = Piece::moves(&[Some(4)], Some(8), |r, o, m| {
    unary::<u32, u64>(r, o, m, u64::from);
});

/// Sign-extends 32 bits to 64.
pub(super) const WIDEN_SIGNED: Piece = Piece::moves(&[Some(4)], Some(8), |r, o, m| {
    unary::<i32, i64>(r, o, m, i64::from);
});

/// The low 32 bits.
pub(super) const NARROW: Piece = Piece::moves(&[Some(8)], Some(4), |r, o, m| {
    unary::<u64, u32>(r, o, m, |a| a as u32);
});

/// The high 32 bits.
pub(super) const HIGH: Piece = Piece::moves(&[Some(8)], Some(4), |r, o, m| {
    unary::<u64, u32>(r, o, m, |a| (a >> 32) as u32);
});

/// The low 16 bits.
pub(super) const LOW16: Piece = Piece::moves(&[Some(4)], Some(4), |r, o, m| {
    unary::<u32, u32>(r, o, m, |a| a & 0xffff);
});

/// Bits 16 to 31.
pub(super) const HIGH16: Piece = Piece::moves(&[Some(4)], Some(4), |r, o, m| {
    unary::<u32, u32>(r, o, m, |a| a >> 16);
});

/// The low 8 bits.
pub(super) const LOW8: Piece = Piece::moves(&[Some(4)], Some(4), |r, o, m| {
    unary::<u32, u32>(r, o, m, |a| a & 0xff);
});

/// Bits 8 to 15.
pub(super) const HIGH8: Piece = Piece::moves(&[Some(4)], Some(4), |r, o, m| {
    unary::<u32, u32>(r, o, m, |a| a >> 8 & 0xff);
});

/// `a` below `b`, 32 bits each.
pub(super) const PACK32: Piece = Piece::moves(&[Some(4), Some(4)], Some(8), |r, o, m| {
    binary::<u32, u32, u64>(r, o, m, |a, b| u64::from(a) | u64::from(b) << 32);
});

/// `a` below `b`, 16 bits each.
pub(super) const PACK16: Piece = Piece::moves(&[Some(2), Some(2)], Some(4), |r, o, m| {
    binary::<u16, u16, u32>(r, o, m, |a, b| u32::from(a) | u32::from(b) << 16);
});

/// `a` below `b`, 8 bits each.
pub(super) const PACK8: Piece = Piece::moves(&[Some(1), Some(1)], Some(4), |r, o, m| {
    binary::<u8, u8, u32>(r, o, m, |a, b| u32::from(a) | u32::from(b) << 8);
});

/// 64-bit addition.
pub(super) const ADD64: Piece = Piece::computes(&[Some(8), Some(8)], Some(8), |r, o, m| {
    binary::<u64, u64, u64>(r, o, m, u64::wrapping_add);
});
