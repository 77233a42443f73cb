//! Atomic operations (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`).
//!
//! Lanes of one instruction take their turns in ascending order, each with all elements of its
//! vector: one of the orders that the ISA allows, which has the elements alone be atomic. What is
//! done to a value says [`crate::lower::Atomic::apply`].
//!
//! Vectors are of global memory alone. Where a generic address leads elsewhere the ISA does not say what happens: an H200
//! leaves shared memory as it was and goes on; here it is a fault.

use super::access::{Addresses, By, addresses_of, by_space, named_space};
use super::memory::{Deferred, MemoryFault};
use super::stage::Stage;
use super::stop::Stop;
use super::warp::Warp;
use crate::internal::InternalError;
use crate::lanes::{Registers, Slot, Word, lanes_of};
use crate::lower::{Atomic, AtomicPiece};
use crate::observe::AccessKind;
use crate::ptx::Space;

impl Stage<'_, '_> {
    /// Executes `atom` or `red`.
    #[inline(never)]
    pub(super) fn atomic(&mut self, warp: &mut Warp, atomic: &Atomic, by: By) -> Result<(), Stop> {
        let found = addresses_of(&atomic.target, &warp.frames[usize::from(by.frame)]);
        match named_space(&atomic.target) {
            Some(space) => self.atomic_in(warp, atomic, by, space, &found),
            None => by_space(&atomic.target, &found, by.active).try_for_each(
                |(space, active, found)| {
                    self.atomic_in(warp, atomic, By { active, ..by }, space, &found)
                },
            ),
        }
    }

    fn atomic_in(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        if atomic.target.elements > 1 && space != Space::Global {
            return Err(self.refused_vector(warp, atomic, by, space, found));
        }
        let flush = space == Space::Global;
        if space == Space::Global && self.global.is_speculative() {
            self.check(warp, &atomic.target, by, space, found, AccessKind::Atomic)?;
            if self.defer(warp, atomic, by, found) {
                return Ok(());
            }
        }
        self.admit(warp, &atomic.target, by, space, found, AccessKind::Atomic)?;
        for lane in lanes_of(by.active) {
            let at = (lane, found[lane]);
            match atomic.pieces.as_slice() {
                [only] => self.change_one(warp, atomic, *only, by, (space, flush), at)?,
                _ => self.change_several(warp, atomic, by, (space, flush), at)?,
            }
        }
        Ok(())
    }

    /// Puts an atomic off to when its block's turn comes, where nobody needs to know now what was there. Whether it did.
    fn defer(&mut self, warp: &Warp, atomic: &Atomic, by: By, found: &Addresses) -> bool {
        let [AtomicPiece { b, c, .. }] = atomic.pieces.as_slice() else { return false };
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let bytes = atomic.target.width;
        self.global.defer(by.pc, found, by.active, bytes, |lane| Deferred {
            address: found[lane],
            bytes,
            operation: atomic.operation,
            ty: atomic.ty,
            b: value(registers, *b, atomic.wide, lane),
            c: c.map(|c| value(registers, c, atomic.wide, lane)).unwrap_or_default(),
        })
    }

    /// What the first of the lanes comes to that change a vector elsewhere than in global memory.
    #[cold]
    fn refused_vector(
        &self,
        warp: &Warp,
        atomic: &Atomic,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Stop {
        let lane = by.active.trailing_zeros() as usize;
        Stop::Memory {
            at: self.thread(warp, 1 << lane, by.pc),
            space,
            address: found[lane],
            bytes: atomic.target.width * atomic.target.elements,
            fault: MemoryFault::VectorAtomic,
        }
    }

    /// One lane changes one element.
    fn change_one(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        AtomicPiece { destination, b, c }: AtomicPiece,
        by: By,
        (space, flush): (Space, bool),
        (lane, address): (usize, u64),
    ) -> Result<(), InternalError> {
        let width = atomic.target.width;
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let b = value(registers, b, atomic.wide, lane);
        let c = c.map(|c| value(registers, c, atomic.wide, lane)).unwrap_or_default();
        let old = self.read_lane(warp, space, (lane, address), width)?;
        let new = atomic.operation.apply(atomic.ty, old, b, c, flush);
        self.write_lane(warp, space, (lane, address), width, new)?;
        if let Some(d) = destination {
            let registers = &mut warp.frames[usize::from(by.frame)].registers;
            set(registers, d, atomic.wide, lane, old);
        }
        Ok(())
    }

    /// One lane changes the elements of a vector, or an element of 16 bytes.
    fn change_several(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
        (space, flush): (Space, bool),
        (lane, address): (usize, u64),
    ) -> Result<(), InternalError> {
        let width = atomic.target.piece();
        let at = |piece: usize| (lane, address + piece as u64 * u64::from(width));
        let [mut old, mut b, mut c] = [[0; Atomic::PIECES]; 3];
        for (i, piece) in atomic.pieces.iter().enumerate() {
            old[i] = self.read_lane(warp, space, at(i), width)?;
            let registers = &warp.frames[usize::from(by.frame)].registers;
            b[i] = value(registers, piece.b, atomic.wide, lane);
            c[i] = piece.c.map(|c| value(registers, c, atomic.wide, lane)).unwrap_or_default();
        }
        let new = atomic.apply(&old, &b, &c, flush);
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        for (piece, old) in atomic.pieces.iter().zip(old) {
            if let Some(d) = piece.destination {
                set(registers, d, atomic.wide, lane, old);
            }
        }
        for (i, new) in new.into_iter().enumerate().take(atomic.pieces.len()) {
            self.write_lane(warp, space, at(i), width, new)?;
        }
        Ok(())
    }
}

fn value(registers: &Registers, slot: Slot, wide: bool, lane: usize) -> u64 {
    if wide { registers.w64(slot)[lane] } else { registers.w32(slot)[lane].into() }
}

fn set(registers: &mut Registers, d: Slot, wide: bool, lane: usize, value: u64) {
    if wide {
        u64::write(registers, d)[lane] = value;
    } else {
        u32::write(registers, d)[lane] = value as u32;
    }
}
