//! The banks of registers: where a slot lies in each warp of a gang, and how it is read and
//! written.

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence};

use super::gang::{Banks, CONSTANTS, Gang, Member, REGISTERS};
use crate::lanes::{Constants, FULL, LANES, Mask, Slot, SlotCounts};

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
    /// Puts `new` into the lanes of a mask.
    fn put(register: &mut Self::Lanes, new: &Self::Lanes, mask: Mask);

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

/// Panics for a register or a constant that the gang lacks. It is outside of the lane loops:
/// otherwise each of them would have the message.
#[cold]
#[inline(never)]
fn missing(index: usize, count: usize) -> usize {
    // No error can come back from here: each lane loop reads what lies at the index right away, and
    // behind the registers lies other memory. Lowering makes no such slot.
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
    #[inline(always)]
    fn put(register: &mut Mask, new: &Mask, mask: Mask) {
        *register = Predicate::blend(register, new, mask);
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

/// Words that are copied at once.
const PIECE: usize = 4;

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
            /// The other lanes are written too, with what they had: stores under conditions would
            /// be branches, and these are blends.
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
            /// The fences take no instruction. They keep the stores of both ways separate, because
            /// a shared store would move all values to where the blended ones are; and they keep a
            /// blend from becoming a masked store, which takes some processors tens of cycles.
            #[inline(always)]
            fn put(register: &mut [$word; LANES], new: &[$word; LANES], mask: Mask) {
                if mask == FULL {
                    let pieces = register.as_chunks_mut::<PIECE>().0.iter_mut();
                    pieces.zip(new.as_chunks::<PIECE>().0).for_each(|(piece, new)| *piece = *new);
                } else {
                    let blended = <$word as Bank>::blend(register, new, mask);
                    compiler_fence(Ordering::SeqCst);
                    *register = blended;
                    compiler_fence(Ordering::SeqCst);
                }
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

impl<B: Bank> Place<B> {
    /// For a source that is not read.
    pub(super) const NOT_READ: Place<B> = Place { bank: REGISTERS, index: 0, lanes: PhantomData };
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
    // SAFETY: registers and constants were counted when the place was found, and members have as
    // many each; constants live as long as the registers. Nobody writes while the reference is
    // alive.
    unsafe { &*B::bases(member).get_unchecked(place.bank).add(place.index) }
}

/// A register of a warp, to write to.
///
/// # Safety
///
/// The index was looked at in a gang that the warp is in, which still is. It is written to while
/// nobody holds a reference into the registers.
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
    B::put(register, values, member.mask);
}
