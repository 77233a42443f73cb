//! The registers of several warps that execute one operation together.
//!
//! Warps of a gang are in the same function, so they have as many registers, and the same
//! constants. The registers of an operation are looked up once for all of them ([`super::bank`]).
//! Then the warps have their turns, in order, each with its own mask ([`super::body`]).

use std::marker::PhantomData;

use super::bank::{Bank as _, Predicate, read, write};
use crate::lanes::{Constants, LANES, Mask, Registers, Slot, SlotCounts, Word};

/// A warp of a gang: where its registers lie, and which of its lanes are active.
#[derive(Debug)]
pub struct Member<'r> {
    pub(super) w32: Banks<[u32; LANES]>,
    pub(super) w64: Banks<[u64; LANES]>,
    pub(super) predicates: Banks<Mask>,
    counts: SlotCounts,
    constants: *const Constants,
    pub(super) mask: Mask,
    registers: *mut Registers,
    borrowed: PhantomData<&'r mut Registers>,
}

/// Where the registers of a bank lie, and where the constants do, which nobody writes to. Side by
/// side, so that a source is found without a branch: loops would be compiled twice over for each
/// branch in them.
pub(super) type Banks<T> = [*mut T; 2];

/// The places of both in [`Banks`].
pub(super) const REGISTERS: usize = 0;
pub(super) const CONSTANTS: usize = 1;

impl<'r> Member<'r> {
    /// A warp with these registers and active lanes.
    #[inline(always)]
    pub fn new(registers: &'r mut Registers, mask: Mask) -> Member<'r> {
        // SAFETY: it is borrowed for 'r.
        unsafe { Member::of(&raw mut *registers, mask) }
    }

    /// The same of registers that are borrowed for `'r`.
    ///
    /// # Safety
    ///
    /// They are, and nobody holds another reference to them, now or while the member is used.
    #[inline(always)]
    unsafe fn of(whole: *mut Registers, mask: Mask) -> Member<'r> {
        // SAFETY: the caller's promise.
        let registers = unsafe { &mut *whole };
        let constants: &Constants = &registers.constants;
        let of_constants = (
            constants.w32.as_ptr().cast_mut(),
            constants.w64.as_ptr().cast_mut(),
            constants.predicates.as_ptr().cast_mut(),
        );
        Member {
            constants: &raw const *constants,
            counts: SlotCounts {
                w32: registers.w32.len(),
                w64: registers.w64.len(),
                predicates: registers.predicates.len(),
            },
            w32: [registers.w32.as_mut_ptr(), of_constants.0],
            w64: [registers.w64.as_mut_ptr(), of_constants.1],
            predicates: [registers.predicates.as_mut_ptr(), of_constants.2],
            mask,
            registers: whole,
            borrowed: PhantomData,
        }
    }

    /// Its registers, to be looked at.
    #[inline(always)]
    pub fn registers(&self) -> &Registers {
        // SAFETY: the member borrows them for 'r, and nobody writes to them while it is borrowed:
        // that takes a gang of it which can be written to.
        unsafe { &*self.registers }
    }

    /// Its active lanes.
    #[inline(always)]
    pub fn mask(&self) -> Mask {
        self.mask
    }

    /// Makes other lanes the active ones.
    #[inline(always)]
    pub fn set_mask(&mut self, mask: Mask) {
        self.mask = mask;
    }
}

/// Warps that execute operations together.
///
/// Its members have equal numbers of registers, and the same constants.
#[derive(Debug)]
pub struct Gang<'g, 'r> {
    members: &'g mut [Member<'r>],
    pub(super) counts: SlotCounts,
    pub(super) constants: &'r Constants,
}

impl<'g, 'r> Gang<'g, 'r> {
    /// These warps as one gang; `None` if there are none, or they are not alike.
    #[inline(always)]
    pub fn new(members: &'g mut [Member<'r>]) -> Option<Gang<'g, 'r>> {
        let (first, rest) = members.split_first()?;
        let (counts, constants) = (first.counts, first.constants);
        let alike = |member: &Member<'_>| member.counts == counts && member.constants == constants;
        if !rest.iter().all(alike) {
            return None;
        }
        // SAFETY: the registers that the member borrows for 'r hold a reference to the constants,
        // which nobody can take away from them meanwhile.
        let constants = unsafe { &*constants };
        Some(Gang { members, counts, constants })
    }

    /// One warp.
    #[inline(always)]
    pub fn of_one(member: &'g mut Member<'r>) -> Gang<'g, 'r> {
        // SAFETY: as in `new`.
        let constants = unsafe { &*member.constants };
        Gang { counts: member.counts, constants, members: std::slice::from_mut(member) }
    }

    /// Some of its warps; `None` if it has fewer, or the part would be empty.
    #[inline(always)]
    pub fn part(&mut self, range: std::ops::Range<usize>) -> Option<Gang<'_, 'r>> {
        let members = self.members.get_mut(range).filter(|members| !members.is_empty())?;
        Some(Gang { members, counts: self.counts, constants: self.constants })
    }

    /// All of its warps, for a while.
    #[inline(always)]
    pub fn whole(&mut self) -> Gang<'_, 'r> {
        Gang { members: self.members, counts: self.counts, constants: self.constants }
    }

    /// Its warps.
    #[inline(always)]
    pub fn members(&self) -> &[Member<'r>] {
        self.members
    }

    /// Its warps, to set their masks.
    #[inline(always)]
    pub fn members_mut(&mut self) -> &mut [Member<'r>] {
        self.members
    }

    /// The contents of a slot in a warp, and its active lanes; `None` if the gang has no such warp.
    ///
    /// # Panics
    ///
    /// There is no such register or constant, which is a bug of warpsim.
    #[inline(always)]
    pub fn of_warp<W: Word>(&self, warp: usize, slot: Slot) -> Option<(&[W; LANES], Mask)> {
        let place = W::place(self, slot);
        let member = self.members.get(warp)?;
        // SAFETY: the place was found in this gang, which is borrowed as long as the reference
        // lives.
        Some((unsafe { read::<W>(place, member) }, member.mask))
    }

    /// The contents of a slot in each warp, in order.
    ///
    /// # Panics
    ///
    /// There is no such register or constant, which is a bug of warpsim.
    #[inline(always)]
    pub fn words<W: Word>(&self, slot: Slot) -> impl Iterator<Item = &[W; LANES]> {
        let place = W::place(self, slot);
        // SAFETY: `place` has looked, and the gang is borrowed as long as the references live.
        self.members.iter().map(move |member| unsafe { read::<W>(place, member) })
    }

    /// Lends the registers of a warp, with its active lanes; `None` if the gang has no such warp.
    ///
    /// # Panics
    ///
    /// They become the registers of another function, which is a bug of warpsim.
    pub fn lend<T>(
        &mut self,
        warp: usize,
        to: impl FnOnce(&mut Registers, Mask) -> T,
    ) -> Option<T> {
        let member = self.members.get_mut(warp)?;
        // SAFETY: the registers are borrowed for 'r, and nothing else refers to them while the gang
        // is borrowed here.
        let done = to(unsafe { &mut *member.registers }, member.mask);
        // They may lie elsewhere now.
        // SAFETY: as above.
        *member = unsafe { Member::of(member.registers, member.mask) };
        let same = member.counts == self.counts && std::ptr::eq(member.constants, self.constants);
        if !same {
            exchanged();
        }
        Some(done)
    }

    /// Puts values into a register of each warp, one after the other, in its active lanes; warps
    /// without values keep their registers.
    ///
    /// # Panics
    ///
    /// There is no such register, which is a bug of warpsim.
    #[inline(always)]
    pub fn write<'v, W: Word>(
        &mut self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v [W; LANES]>,
    ) {
        let index = W::register(self, slot.index());
        for (member, values) in self.members.iter_mut().zip(values) {
            // SAFETY: `register` has looked, and the gang is borrowed here.
            unsafe { write::<W>(index, member, values) };
        }
    }

    /// The value of a slot in the lowest active lane of the first warp with an active lane.
    ///
    /// # Panics
    ///
    /// There is no such register or constant, which is a bug of warpsim.
    #[inline(always)]
    pub fn first_active<W: Word>(&self, slot: Slot) -> Option<W> {
        let place = W::place(self, slot);
        let member = self.members.iter().find(|member| member.mask != 0)?;
        let lane = member.mask.trailing_zeros() as usize % LANES;
        // SAFETY: the place was found in this gang.
        Some(unsafe { read::<W>(place, member)[lane] })
    }

    /// The first lane of a slot that holds the same in all of them.
    #[inline(always)]
    pub(super) fn uniform<W: Word>(&self, slot: Slot) -> W {
        let place = W::place(self, slot);
        // SAFETY: the place was found in this gang, which has a first member.
        unsafe { read::<W>(place, &self.members[0])[0] }
    }

    /// The lanes of each warp, in order, for which a predicate holds.
    #[inline(always)]
    pub fn held(&self, slot: Slot) -> impl Iterator<Item = Mask> {
        let place = Predicate::place(self, slot);
        // SAFETY: `place` has looked.
        self.members.iter().map(move |member| unsafe { *read::<Predicate>(place, member) })
    }

    /// Each warp, in order, and its lanes for which a predicate holds.
    #[inline(always)]
    pub fn predicates(&mut self, slot: Slot) -> impl Iterator<Item = (&mut Member<'r>, Mask)> {
        let place = Predicate::place(self, slot);
        self.members.iter_mut().map(move |member| {
            // SAFETY: `place` has looked.
            let lanes = unsafe { *read::<Predicate>(place, member) };
            (member, lanes)
        })
    }
}

/// Panics for lent registers that became the registers of another function.
#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "what is said of the members of a gang would not hold")]
fn exchanged() -> ! {
    // The gang cannot be given back as it is: its members would be read with the counts of other
    // registers. No borrower calls a function or returns from one.
    panic!("registers of a gang were exchanged")
}
