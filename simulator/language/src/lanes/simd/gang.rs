//! The registers of several warps that execute one operation together, and the one loop over them.
//!
//! Warps of a gang are in the same function, so they have as many registers, and the same constants. What an
//! operation reads and writes is looked up once for all of them; then the warps have their turns, in order, each
//! with its own mask.

use std::marker::PhantomData;

use crate::lanes::{Constants, FULL, LANES, Mask, Registers, Slot, SlotCounts, Word};

/// A warp of a gang: where its registers lie, and which of its lanes are active.
#[derive(Debug)]
pub struct Member<'r> {
    w32: Banks<[u32; LANES]>,
    w64: Banks<[u64; LANES]>,
    predicates: Banks<Mask>,
    counts: SlotCounts,
    constants: *const Constants,
    mask: Mask,
    registers: PhantomData<&'r mut Registers>,
}

/// Where the registers of a bank lie, and where the constants do, which nobody writes to. Side by side, so that a
/// source is found without a branch: loops would be compiled twice over for each branch in them.
type Banks<T> = [*mut T; 2];

/// The places of both in [`Banks`].
const REGISTERS: usize = 0;
const CONSTANTS: usize = 1;

impl<'r> Member<'r> {
    /// A warp with these registers and active lanes.
    #[inline(always)]
    pub fn new(registers: &'r mut Registers, mask: Mask) -> Member<'r> {
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
            registers: PhantomData,
        }
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
/// Its members have as many registers each, and the same constants.
#[derive(Debug)]
pub struct Gang<'g, 'r> {
    members: &'g mut [Member<'r>],
    counts: SlotCounts,
    constants: &'r Constants,
}

impl<'g, 'r> Gang<'g, 'r> {
    /// These warps as one; `None` when there is none, or they are not alike.
    #[inline(always)]
    pub fn new(members: &'g mut [Member<'r>]) -> Option<Gang<'g, 'r>> {
        let (first, rest) = members.split_first()?;
        let (counts, constants) = (first.counts, first.constants);
        let alike = |member: &Member<'_>| member.counts == counts && member.constants == constants;
        if !rest.iter().all(alike) {
            return None;
        }
        // SAFETY: the registers that the member borrows for 'r hold a reference to the constants, which nobody can
        // take away from them meanwhile.
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

    /// Some of its warps; `None` where it has not so many, or it would be none.
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

    /// What a warp has in a slot, and its active lanes; `None` where the gang has not so many warps.
    ///
    /// # Panics
    ///
    /// There is no such register or constant, which is a bug of warpsim.
    #[inline(always)]
    pub fn of_warp<W: Word>(&self, warp: usize, slot: Slot) -> Option<(&[W; LANES], Mask)> {
        let place = W::place(self, slot);
        let member = self.members.get(warp)?;
        // SAFETY: the place was found in this gang, which is borrowed as long as the reference lives.
        Some((unsafe { read::<W>(place, member) }, member.mask))
    }

    /// What the lowest active lane has in a slot, of the first warp that has an active lane.
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

/// A bank of registers.
pub trait Bank: Sized + 'static {
    /// What a slot of it holds.
    type Lanes: Copy + 'static;

    #[doc(hidden)]
    fn count(counts: &SlotCounts) -> usize;
    #[doc(hidden)]
    fn constants(constants: &Constants) -> usize;
    #[doc(hidden)]
    fn bases<'m>(member: &'m Member<'_>) -> &'m [*mut Self::Lanes; 2];
    /// `new` in the lanes of a mask, `old` in the others.
    fn blend(old: &Self::Lanes, new: &Self::Lanes, mask: Mask) -> Self::Lanes;

    #[doc(hidden)]
    #[inline(always)]
    fn place(gang: &Gang<'_, '_>, slot: Slot) -> Place<Self> {
        let bank = if slot.is_constant() { CONSTANTS } else { REGISTERS };
        let counts = [Self::count(&gang.counts), Self::constants(gang.constants)];
        let (index, count) = (slot.index(), counts[bank]);
        let index = if index < count { index } else { missing(index, count) };
        Place { bank, index, lanes: PhantomData }
    }

    #[doc(hidden)]
    #[inline(always)]
    fn register(gang: &Gang<'_, '_>, index: usize) -> usize {
        let count = Self::count(&gang.counts);
        if index < count { index } else { missing(index, count) }
    }
}

/// Ends for a register or a constant that the gang has not. Out of the lane loops, of which each would have the message.
#[cold]
#[inline(never)]
fn missing(index: usize, count: usize) -> usize {
    assert!(index < count, "no register {index}: there are {count}");
    index
}

/// The predicates, as lane masks.
#[derive(Clone, Copy, Debug)]
pub struct Predicate;

impl Bank for Predicate {
    type Lanes = Mask;

    #[inline(always)]
    fn count(counts: &SlotCounts) -> usize {
        counts.predicates
    }
    #[inline(always)]
    fn constants(constants: &Constants) -> usize {
        constants.predicates.len()
    }
    #[inline(always)]
    fn bases<'m>(member: &'m Member<'_>) -> &'m Banks<Mask> {
        &member.predicates
    }
    #[inline(always)]
    fn blend(old: &Mask, new: &Mask, mask: Mask) -> Mask {
        old & !mask | new & mask
    }
}

/// The bit of each lane in a mask: testing it, unlike shifting the mask, vectorises.
pub(in crate::lanes) const BIT: [Mask; LANES] = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

macro_rules! words {
    ($($word:ident, $bank:ident;)*) => {
        $(impl Bank for $word {
            type Lanes = [$word; LANES];

            #[inline(always)]
            fn count(counts: &SlotCounts) -> usize {
                counts.$bank
            }
            #[inline(always)]
            fn constants(constants: &Constants) -> usize {
                constants.$bank.len()
            }
            #[inline(always)]
            fn bases<'m>(member: &'m Member<'_>) -> &'m Banks<[$word; LANES]> {
                &member.$bank
            }
            /// The other lanes are written too, with what they had: stores under conditions would be branches,
            /// and these are blends.
            #[inline(always)]
            fn blend(old: &[$word; LANES], new: &[$word; LANES], mask: Mask) -> [$word; LANES] {
                let mut out = [0; LANES];
                for lane in 0..LANES {
                    // Said in bits, or it would become a choice between addresses, lane by lane.
                    let keep: $word = if mask & BIT[lane] != 0 { 0 } else { $word::MAX };
                    out[lane] = new[lane] & !keep | old[lane] & keep;
                }
                out
            }
        })*
    };
}

words! {
    u32, w32;
    u64, w64;
}

/// Where a source lies: in each warp's registers, or among the constants.
#[doc(hidden)]
#[derive(Debug)]
pub struct Place<B: Bank> {
    /// In [`Banks`].
    bank: usize,
    index: usize,
    lanes: PhantomData<B>,
}

impl<B: Bank> Clone for Place<B> {
    fn clone(&self) -> Place<B> {
        *self
    }
}

impl<B: Bank> Copy for Place<B> {}

/// A source of a warp.
///
/// # Safety
///
/// The place was found in a gang that the warp is in, which still is.
#[inline(always)]
pub(super) unsafe fn read<'a, B: Bank>(place: Place<B>, member: &'a Member<'_>) -> &'a B::Lanes {
    // SAFETY: registers and constants were counted when the place was found, and members have as many each;
    // constants live as long as the registers. Nobody writes while the reference is alive.
    unsafe { &*B::bases(member).get_unchecked(place.bank).add(place.index) }
}

/// A register of a warp, to write to.
///
/// # Safety
///
/// The index was looked at in a gang that the warp is in, which still is. It is written to while nobody holds a
/// reference into the registers.
#[inline(always)]
pub(super) unsafe fn register<B: Bank>(index: usize, member: &Member<'_>) -> *mut B::Lanes {
    // SAFETY: registers were counted when the index was looked at.
    unsafe { B::bases(member)[REGISTERS].add(index) }
}

/// Puts values into a register of a warp, in its active lanes.
///
/// # Safety
///
/// As for [`read`], and nobody holds a reference into the registers.
#[inline(always)]
pub(super) unsafe fn write<B: Bank>(index: usize, member: &Member<'_>, values: &B::Lanes) {
    // SAFETY: the caller's promise.
    let register = unsafe { &mut *register::<B>(index, member) };
    *register = if member.mask == FULL { *values } else { B::blend(register, values, member.mask) };
}

/// The sources of an operation, each in a bank.
pub trait Inputs {
    /// Their slots.
    type Slots: Copy;
    /// What a warp has in them.
    type Lanes<'a>;
    #[doc(hidden)]
    type Places: Copy;
    #[doc(hidden)]
    fn places(gang: &Gang<'_, '_>, slots: Self::Slots) -> Self::Places;
    /// # Safety
    ///
    /// The places were found in a gang that the warp is in, which still is.
    #[doc(hidden)]
    unsafe fn read<'a>(places: Self::Places, member: &'a Member<'_>) -> Self::Lanes<'a>;
}

macro_rules! inputs {
    ($($bank:ident $slot:ident),*) => {
        impl<$($bank: Bank),*> Inputs for ($($bank,)*) {
            type Slots = ($(inputs!(@ Slot $bank),)*);
            type Lanes<'a> = ($(&'a $bank::Lanes,)*);
            type Places = ($(Place<$bank>,)*);

            #[inline(always)]
            fn places(gang: &Gang<'_, '_>, ($($slot,)*): Self::Slots) -> Self::Places {
                ($($bank::place(gang, $slot),)*)
            }
            #[inline(always)]
            unsafe fn read<'a>(($($slot,)*): Self::Places, member: &'a Member<'_>) -> Self::Lanes<'a> {
                // SAFETY: the caller's promise.
                unsafe { ($(read::<$bank>($slot, member),)*) }
            }
        }
    };
    (@ $slot:ident $bank:ident) => { $slot };
}

inputs!(A a);
inputs!(A a, B b);
inputs!(A a, B b, C c);
inputs!(A a, B b, C c, E e);

/// The destinations of an operation: a bank, or two.
pub trait Outputs {
    /// Their slots.
    type Slots: Copy;
    /// What goes into them.
    type Lanes;
    #[doc(hidden)]
    type Indices: Copy;
    #[doc(hidden)]
    fn indices(gang: &Gang<'_, '_>, slots: Self::Slots) -> Self::Indices;
    /// # Safety
    ///
    /// The indices were looked at in a gang that the warp is in, which still is.
    #[doc(hidden)]
    unsafe fn write(indices: Self::Indices, member: &Member<'_>, values: &Self::Lanes);
}

impl<D: Bank> Outputs for D {
    type Slots = Slot;
    type Lanes = D::Lanes;
    type Indices = usize;

    #[inline(always)]
    fn indices(gang: &Gang<'_, '_>, slot: Slot) -> usize {
        D::register(gang, slot.index())
    }
    #[inline(always)]
    unsafe fn write(index: usize, member: &Member<'_>, values: &D::Lanes) {
        // SAFETY: the caller's promise.
        unsafe { write::<D>(index, member, values) }
    }
}

impl<D: Bank, P: Bank> Outputs for (D, P) {
    type Slots = (Slot, Slot);
    type Lanes = (D::Lanes, P::Lanes);
    type Indices = (usize, usize);

    #[inline(always)]
    fn indices(gang: &Gang<'_, '_>, slots: (Slot, Slot)) -> (usize, usize) {
        (D::register(gang, slots.0.index()), P::register(gang, slots.1.index()))
    }
    #[inline(always)]
    unsafe fn write(indices: (usize, usize), member: &Member<'_>, values: &Self::Lanes) {
        // SAFETY: the caller's promise.
        unsafe {
            write::<D>(indices.0, member, &values.0);
            write::<P>(indices.1, member, &values.1);
        }
    }
}

/// What an operation computes from the sources of a warp.
///
/// Not a closure: the compiler would not have to inline that, and a lane loop has to be compiled with the instructions
/// of its tier.
pub trait Body<I: Inputs, O: Outputs> {
    /// All lanes of the results.
    fn lanes(&self, from: I::Lanes<'_>) -> O::Lanes;
}

/// The code of a tier, as something that only such code has.
#[derive(Clone, Copy, Debug)]
pub(in crate::lanes) struct Code<const FUSED: bool>(());

impl<const FUSED: bool> Code<FUSED> {
    /// The lanes in which words are all ones, of words that are that or 0.
    #[inline(always)]
    pub(in crate::lanes) fn mask_of(self, words: &[u32; LANES]) -> Mask {
        if FUSED {
            // SAFETY: this is the code of a tier with AVX2, so it runs on processors that have it.
            unsafe { super::truth::mask_with_avx2(words) }
        } else {
            super::truth::mask(words)
        }
    }
}

/// A gang about to execute an operation. `FUSED`: the code around is compiled for processors with a fused
/// multiply-add.
#[derive(Debug)]
pub struct Loops<'d, 'g, 'r, const FUSED: bool>(&'d mut Gang<'g, 'r>);

impl<'d, 'g, 'r, const FUSED: bool> Loops<'d, 'g, 'r, FUSED> {
    /// For the code of one tier.
    #[inline(always)]
    pub(in crate::lanes) fn new(gang: &'d mut Gang<'g, 'r>) -> Loops<'d, 'g, 'r, FUSED> {
        Loops(gang)
    }

    /// That it is the code of this tier.
    #[inline(always)]
    pub(in crate::lanes) fn code(&self) -> Code<FUSED> {
        Code(())
    }

    /// `to = body(from)` in the active lanes of each warp.
    ///
    /// The body computes all lanes of a warp, the inactive ones too: their results are dropped.
    ///
    /// # Panics
    ///
    /// The function has no such register or constant, which is a bug of warpsim.
    #[inline(always)]
    #[expect(clippy::needless_pass_by_value, reason = "a body is made for the one call")]
    pub fn apply<I: Inputs, O: Outputs>(
        &mut self,
        from: I::Slots,
        to: O::Slots,
        body: impl Body<I, O>,
    ) {
        let places = I::places(self.0, from);
        let indices = O::indices(self.0, to);
        for member in &*self.0.members {
            if member.mask == 0 {
                continue;
            }
            // SAFETY: places and indices were looked at in this gang.
            let values = body.lanes(unsafe { I::read(places, member) });
            // SAFETY: as above; what was read has been used up.
            unsafe { O::write(indices, member, &values) };
        }
    }

    /// The first lane of a constant, which holds the same in all of them.
    ///
    /// # Panics
    ///
    /// There is no such constant or register, which is a bug of warpsim.
    #[inline(always)]
    pub fn uniform<W: Word>(&self, slot: Slot) -> W {
        self.0.uniform(slot)
    }
}
