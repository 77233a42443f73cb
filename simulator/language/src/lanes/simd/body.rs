//! How an operation computes from the registers of a warp, and the loop that does so for all warps
//! of a gang.

use super::bank::{Bank, Place, read, register, write};
use super::gang::{Gang, Member};
use crate::lanes::{FULL, LANES, Mask, Slot, Word};

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

/// Sources. One of them may be a value that another operation has just put into a register of the
/// bank `B`.
pub(in crate::lanes) trait Chained<B: Bank>: Inputs {
    /// The places of the sources, except of source number `AT`, which is not read from its
    /// register.
    fn places_after<const AT: usize>(gang: &Gang<'_, '_>, slots: Self::Slots) -> Self::Places;
    /// The same, with that value as source number `AT`. If there is no source of that number, all
    /// are read.
    ///
    /// # Safety
    ///
    /// As for [`Inputs::read`], of the places of [`Chained::places_after`] for the same number.
    unsafe fn read_after<'a, const AT: usize>(
        places: Self::Places,
        member: &'a Member<'_>,
        value: &'a B::Lanes,
    ) -> Self::Lanes<'a>;
}

macro_rules! chained {
    ($($slot:ident $at:literal),*) => {
        impl<B: Bank> Chained<B> for ($(chained!(@ B $slot),)*) {
            #[inline(always)]
            fn places_after<const AT: usize>(
                gang: &Gang<'_, '_>,
                ($($slot,)*): Self::Slots,
            ) -> Self::Places {
                ($(if AT == $at { Place::NOT_READ } else { B::place(gang, $slot) },)*)
            }
            #[inline(always)]
            unsafe fn read_after<'a, const AT: usize>(
                ($($slot,)*): Self::Places,
                member: &'a Member<'_>,
                value: &'a B::Lanes,
            ) -> Self::Lanes<'a> {
                // SAFETY: the caller's promise.
                unsafe { ($(if AT == $at { value } else { read::<B>($slot, member) },)*) }
            }
        }
    };
    (@ $bank:ident $slot:ident) => { $bank };
}

chained!(a 0);
chained!(a 0, b 1);
chained!(a 0, b 1, c 2);

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
    /// Whether loops have a separate path for warps with all lanes active. They have none where it
    /// would take more registers than the processor has.
    #[doc(hidden)]
    const APART: bool;
    /// Puts values into registers of a warp with all lanes active.
    ///
    /// # Safety
    ///
    /// As for [`Outputs::write`].
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn write_whole(indices: Self::Indices, member: &Member<'_>, values: &Self::Lanes) {
        // SAFETY: the caller's promise.
        unsafe { Self::write(indices, member, values) }
    }
}

impl<D: Bank> Outputs for D {
    const APART: bool = true;
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
    #[inline(always)]
    unsafe fn write_whole(index: usize, member: &Member<'_>, values: &D::Lanes) {
        // SAFETY: the caller's promise.
        unsafe { *register::<D>(index, member) = *values }
    }
}

impl<D: Bank, P: Bank> Outputs for (D, P) {
    const APART: bool = false;
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

/// The computation of an operation from the sources of a warp.
///
/// Not a closure: the compiler would not have to inline that, and a lane loop has to be compiled
/// with the instructions of its tier.
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

/// A gang about to execute an operation. `FUSED`: the code around is compiled for processors with a
/// fused multiply-add.
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
        for member in self.0.members() {
            if member.mask == 0 {
                continue;
            }
            // SAFETY: places and indices were looked at in this gang.
            let values = body.lanes(unsafe { I::read(places, member) });
            // SAFETY: as above; what was read has been used up.
            unsafe { O::write(indices, member, &values) };
        }
    }

    /// `to = body(from)`, and then `then.to = then.body(then.from)`, in the active lanes of each
    /// warp. The value put into `to` is source number `AT` of the second one. The result is the
    /// same as one after the other for all of them: lanes and warps are independent.
    ///
    /// # Panics
    ///
    /// As for [`Loops::apply`].
    #[inline(always)]
    pub(in crate::lanes) fn apply_two<
        I: Inputs,
        B: Bank,
        J: Chained<B>,
        O: Outputs,
        const AT: usize,
    >(
        &mut self,
        (from, to, body): (I::Slots, Slot, impl Body<I, B>),
        (then_from, then_to, then_body): (J::Slots, O::Slots, impl Body<J, O>),
    ) {
        let (places, then_places) =
            (I::places(self.0, from), J::places_after::<AT>(self.0, then_from));
        let (index, indices) = (B::register(self.0, to.index()), O::indices(self.0, then_to));
        for member in self.0.members() {
            if member.mask == 0 {
                continue;
            }
            // SAFETY: places and indices were looked at in this gang; what was read has been used
            // up before something is written.
            unsafe {
                if O::APART && member.mask == FULL {
                    let value = body.lanes(I::read(places, member));
                    *register::<B>(index, member) = value;
                    let values = then_body.lanes(J::read_after::<AT>(then_places, member, &value));
                    O::write_whole(indices, member, &values);
                    continue;
                }
                let value = body.lanes(I::read(places, member));
                write::<B>(index, member, &value);
                let values = then_body.lanes(J::read_after::<AT>(then_places, member, &value));
                O::write(indices, member, &values);
            }
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
