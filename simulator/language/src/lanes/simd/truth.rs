//! The results of comparisons, combined and written: `setp` and `set` in all their forms (PTX ISA
//! 9.7.6, 9.7.7).
//!
//! There are hundreds of comparisons, and the use of their results is the same for all of them. So
//! it is compiled once, and not for each comparison and tier. A lane loop finds out where the
//! comparison holds. This combines it with a predicate and writes predicates or words.

use super::bank::{BIT, Bank as _, Place, Predicate, read, write};
use super::body::Outputs;
use super::gang::{Gang, Member};
use crate::lanes::{Flags, LANES, Mask, Operands, Slot};

/// How a comparison follows from the comparison of a loop, and where its truth goes, as bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::lanes) struct Form(u8);

impl Form {
    /// The comparison of the loop, into predicates.
    pub(in crate::lanes) const AS_IT_IS: u8 = 0;
    /// Of the operands in the other order.
    pub(in crate::lanes) const SWAPPED: u8 = 1;
    /// It holds where the comparison of the loop does not.
    pub(in crate::lanes) const NEGATED: u8 = 2;
    /// Both.
    pub(in crate::lanes) const NOT_SWAPPED: u8 = Form::SWAPPED | Form::NEGATED;
    /// It is written as a word, not to predicates.
    pub(in crate::lanes) const WORD: u8 = 4;
    /// It is combined with the predicate `c`.
    pub(in crate::lanes) const COMBINED: u8 = 8;

    /// Of these bits.
    pub(in crate::lanes) const fn new(bits: u8) -> Form {
        Form(bits)
    }

    #[inline(always)]
    fn has(self, bits: u8) -> bool {
        self.0 & bits != 0
    }

    /// The operands in the order in which the loop compares them.
    #[inline(always)]
    pub(in crate::lanes) fn ordered(self, a: Slot, b: Slot) -> (Slot, Slot) {
        if self.has(Form::SWAPPED) { (b, a) } else { (a, b) }
    }

    /// Where the comparison holds, from where the comparison of the loop does.
    #[inline(always)]
    pub(in crate::lanes) fn settled(self, truth: Mask) -> Mask {
        truth ^ if self.has(Form::NEGATED) { Mask::MAX } else { 0 }
    }
}

/// Where the truth of a comparison goes.
#[derive(Clone, Copy, Debug)]
pub(in crate::lanes) struct Outcome {
    pub(in crate::lanes) operands: Operands,
    pub(in crate::lanes) form: Form,
    /// Whether the halves of pairs are compared.
    pub(in crate::lanes) of_pairs: bool,
}

/// The destinations of a comparison. What a lane loop gives is where it holds, of pairs for the
/// lower and for the upper halves.
#[derive(Debug)]
pub(in crate::lanes) struct Truths;

/// The same, looked up in a gang.
#[derive(Clone, Copy, Debug)]
pub(in crate::lanes) struct Destinations {
    outcome: Outcome,
    /// The predicate that it is combined with.
    c: Option<Place<Predicate>>,
    into: Into,
}

/// Where it is written, by index.
#[derive(Clone, Copy, Debug)]
enum Into {
    /// Two predicates.
    Predicates(usize, usize),
    /// A register, with the word for true.
    Word(usize, u32),
}

impl Outputs for Truths {
    const APART: bool = false;
    type Slots = Outcome;
    type Lanes = [Mask; 2];
    type Indices = Destinations;

    #[inline(never)]
    fn indices(gang: &Gang<'_, '_>, outcome: Outcome) -> Destinations {
        let Outcome { operands: o, form, .. } = outcome;
        let c = form.has(Form::COMBINED).then(|| Predicate::place(gang, o.c));
        let into = if form.has(Form::WORD) {
            Into::Word(u32::register(gang, o.d.index()), gang.uniform::<u32>(o.e))
        } else {
            let [d, d2] = [o.d, o.d2].map(|slot| Predicate::register(gang, slot.index()));
            Into::Predicates(d, d2)
        };
        Destinations { outcome, c, into }
    }

    #[inline(never)]
    unsafe fn write(to: Destinations, member: &Member<'_>, truth: &[Mask; 2]) {
        let Outcome { operands: Operands { flags, .. }, form, of_pairs } = to.outcome;
        let [first, second] = truth.map(|truth| form.settled(truth));
        // `set` of a word writes both halves of it, `setp` of one value the complement to its
        // second predicate.
        let second = match to.into {
            Into::Predicates(..) if !of_pairs => !second,
            Into::Predicates(..) | Into::Word(..) => second,
        };
        let [first, second] = match to.c {
            // SAFETY: the caller's promise: the place was found in this gang.
            Some(place) => {
                let c = unsafe { *read::<Predicate>(place, member) };
                [first, second].map(|truth| combined(flags, c, truth))
            }
            None => [first, second],
        };
        // SAFETY: the caller's promise: the indices were looked at in this gang.
        unsafe {
            match to.into {
                Into::Predicates(d, d2) => {
                    write::<Predicate>(d, member, &first);
                    write::<Predicate>(d2, member, &second);
                }
                Into::Word(d, word) => {
                    write::<u32>(d, member, &halves(word, first, second));
                }
            }
        }
    }
}

/// What a comparison leaves in the lanes: combined with `c` as the modifiers say.
#[inline(always)]
pub(in crate::lanes) fn combined(flags: Flags, c: Mask, comparison: Mask) -> Mask {
    let c = if flags.has(Flags::NOT_C) { !c } else { c };
    if flags.has(Flags::AND) {
        comparison & c
    } else if flags.has(Flags::OR) {
        comparison | c
    } else {
        comparison ^ c
    }
}

/// The lower half of the word for true in the lanes of one mask, and its upper half in the lanes of
/// another.
fn halves(word: u32, lower: Mask, upper: Mask) -> [u32; LANES] {
    let (low, high) = (word & 0xffff, word & 0xffff_0000);
    std::array::from_fn(|lane| {
        let low = if lower & BIT[lane] != 0 { low } else { 0 };
        let high = if upper & BIT[lane] != 0 { high } else { 0 };
        low | high
    })
}

/// The lanes in which words are all ones, of words that are that or 0. The sign bits of several are
/// read at once.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn mask(words: &[u32; LANES]) -> Mask {
    use std::arch::x86_64::{__m128, _mm_movemask_ps};
    let mut mask = 0;
    for (at, four) in words.as_chunks::<4>().0.iter().enumerate() {
        // SAFETY: both are 16 bytes of any content; every processor of the architecture has SSE.
        let bits = unsafe { _mm_movemask_ps(std::mem::transmute::<[u32; 4], __m128>(*four)) };
        mask |= (bits as Mask) << (4 * at);
    }
    mask
}

/// The same with AVX2.
///
/// # Safety
///
/// The processor has it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn mask_with_avx2(words: &[u32; LANES]) -> Mask {
    use std::arch::x86_64::{
        __m256i, _mm256_movemask_epi8, _mm256_packs_epi16, _mm256_packs_epi32,
        _mm256_permutevar8x32_epi32, _mm256_setr_epi32,
    };
    // SAFETY: both are 128 bytes of any content; the caller's promise.
    unsafe {
        let [a, b, c, d] = std::mem::transmute::<[u32; LANES], [__m256i; 4]>(*words);
        // A byte of each lane. Packing works half by half: four lanes of each come first, then the
        // other four.
        let bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        let in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        _mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, in_order)) as Mask
    }
}

/// The lanes in which words are all ones, of words that are that or 0.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn mask(words: &[u32; LANES]) -> Mask {
    std::array::from_fn::<Mask, LANES, _>(|lane| words[lane] & BIT[lane])
        .iter()
        .fold(0, |mask, bit| mask | bit)
}

/// The same: no tier of this architecture has AVX2.
///
/// # Safety
///
/// None needed.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) unsafe fn mask_with_avx2(words: &[u32; LANES]) -> Mask {
    mask(words)
}
