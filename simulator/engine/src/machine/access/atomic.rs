//! Atomic operations (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`).
//!
//! The lanes of one instruction take turns in ascending order, each with all elements of its
//! vector. This is one of the orders that the ISA allows: there only each element is atomic.
//! [`crate::lower::Atomic::apply`] computes the new value.
//!
//! Only global memory allows vectors. The ISA does not say what happens where a generic address
//! leads elsewhere. An H200 leaves shared memory unchanged and goes on; here it is a fault.

use super::addresses::{Addresses, By, addresses_of, by_space, named_space};
use super::coalesced::{Place, line};
use super::general::take;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, Registers, Slot, Word, lanes_of, write_lanes};
use crate::lower::{Atomic, AtomicOperation, AtomicPiece};
use crate::machine::memory::copy::{self, Places};
use crate::machine::memory::{Deferred, MemoryFault, Values};
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::Stop;
use crate::machine::state::warp::Warp;
use crate::observe::AccessKind;
use crate::ptx::{Space, Type};

impl Execution<'_, '_> {
    /// Executes `atom` or `red`.
    #[inline(never)]
    pub(in crate::machine) fn atomic(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
    ) -> Result<(), Stop> {
        let target = &atomic.target;
        let frame = &warp.frames[usize::from(by.frame)];
        if let Some(mut line) = line(target, frame, by.active) {
            if let Some(place) = self.locate_line(frame, target, &mut line)
                && self.atomic_there(warp, atomic, by, (place, Places::Line(&line)))?
            {
                return Ok(());
            }
        } else {
            let mut offsets = addresses_of(target, frame);
            if let Some(place) = self.locate_each(frame, target, by.active, &mut offsets)
                && self.atomic_there(warp, atomic, by, (place, Places::Each(&offsets)))?
            {
                return Ok(());
            }
        }
        self.atomic_slowly(warp, atomic, by)
    }

    /// Executes a located atomic of single elements, where the memory is in one piece. Returns
    /// whether it is; if not, nothing has happened.
    fn atomic_there(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
        (place, offsets): (Place, Places<'_>),
    ) -> Result<bool, Stop> {
        let [AtomicPiece { destination, b, c }] = *atomic.pieces.as_slice() else {
            return Ok(false);
        };
        if self.atomic_memory(place).is_none() {
            return Ok(false);
        }
        self.report_located(warp, &atomic.target, by, (place, offsets), AccessKind::Atomic);
        let memory = self.atomic_memory(place);
        let memory = memory.ok_or_else(|| internal!("memory that was flat no longer is"))?;
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        let b = take(registers, b, atomic.wide);
        let c = c.map(|c| take(registers, c, atomic.wide));
        let old = perform(
            atomic,
            memory,
            (offsets, by.active),
            (|lane| b[lane], c.as_ref()),
            place.space,
        )?;
        if let Some(d) = destination {
            if atomic.wide {
                write_lanes(registers, d, by.active, &old);
            } else {
                write_lanes(registers, d, by.active, &old.map(|old| old as u32));
            }
        }
        Ok(true)
    }

    /// Memory in one piece in which atomics take effect at once.
    fn atomic_memory(&mut self, place: Place) -> Option<&mut [u8]> {
        match place.space {
            // Blocks that run ahead of their turn may put the atomic off.
            Space::Global if self.global.is_speculative() => None,
            Space::Global => self.global.pages_mut(place.allocation).flat_mut(),
            Space::Shared => self.common.shared.flat_mut(),
            Space::Local | Space::Const | Space::Param | Space::Tex => None,
        }
    }

    /// Executes an atomic lane by lane. The fast paths must give what this gives.
    #[inline(never)]
    pub(in crate::machine) fn atomic_slowly(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
    ) -> Result<(), Stop> {
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

    /// Defers an atomic until its block's turn, if no thread needs the old value now. Returns
    /// whether it did so.
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
            c: third(registers, *c, atomic.wide, lane),
        })
    }

    /// The fault of the first lane that changes a vector outside global memory.
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
        let c = third(registers, c, atomic.wide, lane);
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
            c[i] = third(registers, piece.c, atomic.wide, lane);
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

/// Performs an atomic of single elements for some lanes, from the lowest up, on memory of a space.
/// `b` is the operand of a lane. Returns the old values.
#[inline(always)]
pub(in crate::machine) fn perform(
    atomic: &Atomic,
    memory: &mut [u8],
    (offsets, active): (Places<'_>, Mask),
    (b, c): (impl Fn(usize) -> u64, Option<&Values>),
    space: Space,
) -> Result<Values, InternalError> {
    let mut old = [0; LANES];
    let flush = space == Space::Global;
    let integers = matches!(atomic.ty, Type::U32 | Type::S32 | Type::U64 | Type::S64);
    let done = if atomic.operation == AtomicOperation::Add && integers {
        let add = |lane: usize, there: u64| {
            old[lane] = there;
            there.wrapping_add(b(lane))
        };
        change(memory, offsets, active, atomic.target.width, add)
    } else {
        let c = match (c, atomic.operation) {
            (Some(c), _) => *c,
            (None, AtomicOperation::CompareAndSwap) => {
                return Err(internal!("a compare-and-swap without a new value"));
            }
            (
                None,
                AtomicOperation::Add
                | AtomicOperation::Min
                | AtomicOperation::Max
                | AtomicOperation::And
                | AtomicOperation::Or
                | AtomicOperation::Xor
                | AtomicOperation::Exchange
                | AtomicOperation::Increment
                | AtomicOperation::Decrement,
            ) => [0; LANES],
        };
        let apply = |lane: usize, there: u64| {
            old[lane] = there;
            atomic.operation.apply(atomic.ty, there, b(lane), c[lane], flush)
        };
        change(memory, offsets, active, atomic.target.width, apply)
    };
    done.ok_or_else(|| internal!("an atomic that was located leaves its memory"))?;
    Ok(old)
}

/// Changes the elements of some lanes.
#[inline(always)]
fn change(
    memory: &mut [u8],
    offsets: Places<'_>,
    mask: Mask,
    width: u32,
    change: impl FnMut(usize, u64) -> u64,
) -> Option<()> {
    match width {
        2 => copy::change::<u16>(memory, offsets, mask, change),
        4 => copy::change::<u32>(memory, offsets, mask, change),
        8 => copy::change::<u64>(memory, offsets, mask, change),
        _ => None,
    }
}

fn value(registers: &Registers, slot: Slot, wide: bool, lane: usize) -> u64 {
    if wide { registers.w64(slot)[lane] } else { registers.w32(slot)[lane].into() }
}

/// The third operand, which only `cas` uses.
fn third(registers: &Registers, slot: Option<Slot>, wide: bool, lane: usize) -> u64 {
    match slot {
        Some(slot) => value(registers, slot, wide, lane),
        None => 0,
    }
}

fn set(registers: &mut Registers, d: Slot, wide: bool, lane: usize, value: u64) {
    if wide {
        u64::write(registers, d)[lane] = value;
    } else {
        u32::write(registers, d)[lane] = value as u32;
    }
}
