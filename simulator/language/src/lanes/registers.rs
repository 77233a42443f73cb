//! The registers of one function activation of one warp, as structure of arrays.
//!
//! A register is a *slot*: `[u32; 32]` for registers of up to 32 bits, `[u64; 32]` for 64-bit ones,
//! and one `u32` lane mask for a predicate, bit i being lane i. Constants are broadcast slots in a
//! bank that all warps share. 8- and 16-bit registers live in 32-bit slots. Their upper bits are
//! never looked at, because every read truncates to the type it reads.

use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use super::{Dataflow, Lines, set_all};
use crate::ptx::Type;

/// Threads in a warp (PTX ISA 2.2.1, `WARP_SZ`).
pub const LANES: usize = 32;

/// A set of lanes: bit i is lane i.
pub type Mask = u32;

/// All lanes.
pub const FULL: Mask = u32::MAX;

/// The lanes of a mask, in ascending order.
///
/// ```
/// assert_eq!(warpsim::lanes::lanes_of(0b1010).collect::<Vec<_>>(), [1, 3]);
/// ```
pub fn lanes_of(mask: Mask) -> impl DoubleEndedIterator<Item = usize> + Clone {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// An index of a register or constant. Which bank it indexes (32-bit, 64-bit, predicate) follows
/// from the operation that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Slot(u32);

impl Slot {
    const CONSTANT: u32 = 1 << 31;

    /// The register with this index.
    pub fn register(index: usize) -> Slot {
        Slot(index as u32)
    }

    /// The constant with this index.
    pub fn constant(index: usize) -> Slot {
        Slot(index as u32 | Slot::CONSTANT)
    }

    /// The slot behind it: a register of 128 bits is two of 64, the lower half first.
    pub fn upper(self) -> Slot {
        Slot(self.0 + 1)
    }

    /// Whether it names a constant.
    pub fn is_constant(self) -> bool {
        self.0 & Slot::CONSTANT != 0
    }

    /// The index in its bank.
    pub fn index(self) -> usize {
        (self.0 & !Slot::CONSTANT) as usize
    }
}

/// The operands of a register operation: destinations, sources and the flags that its modifiers
/// set. Unused operands stay at slot 0 and are not looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    /// Destination.
    pub d: Slot,
    /// Second destination: `p|q`, or the carry flag written by `.cc`.
    pub d2: Slot,
    /// First source.
    pub a: Slot,
    /// Second source.
    pub b: Slot,
    /// Third source.
    pub c: Slot,
    /// Fourth source, or the carry flag read by `addc` and the like.
    pub e: Slot,
    /// Rounding, saturation and the like.
    pub flags: Flags,
    /// Which of them it has; not looked at when it is executed.
    pub flow: Dataflow,
}

/// The settings that the modifiers of an instruction ask for, in addition to its type (PTX ISA
/// 9.7.3, 9.7.9.21 for the rounding of `cvt`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    /// No flags.
    pub const NONE: Flags = Flags(0);
    /// `.rn`, `.rni`
    pub const RN: Flags = Flags(1);
    /// `.rz`, `.rzi`
    pub const RZ: Flags = Flags(1 << 1);
    /// `.rm`, `.rmi`
    pub const RM: Flags = Flags(1 << 2);
    /// `.rp`, `.rpi`
    pub const RP: Flags = Flags(1 << 3);
    /// `.rna`
    pub const RNA: Flags = Flags(1 << 4);
    /// `.ftz`
    pub const FTZ: Flags = Flags(1 << 5);
    /// `.sat`
    pub const SAT: Flags = Flags(1 << 6);
    /// `.relu`
    pub const RELU: Flags = Flags(1 << 7);
    /// `.NaN`
    pub const NAN: Flags = Flags(1 << 8);
    /// `.xorsign`
    pub const XORSIGN: Flags = Flags(1 << 9);
    /// `.abs`
    pub const ABS: Flags = Flags(1 << 10);
    /// `.approx`, `.full`
    pub const APPROX: Flags = Flags(1 << 11);
    /// `.satfinite`
    pub const SATFINITE: Flags = Flags(1 << 12);
    /// An integer rounding: `.rni`, `.rzi`, `.rmi`, `.rpi` (with one of the above).
    pub const TO_INTEGER: Flags = Flags(1 << 13);
    /// `.shiftamt` of `bfind`, `.clamp` of `shf` and `bmsk`.
    pub const VARIANT: Flags = Flags(1 << 14);
    /// `.oob`
    pub const OOB: Flags = Flags(1 << 15);
    /// `.and` of `set` and `setp`.
    pub const AND: Flags = Flags(1 << 16);
    /// `.or` of `set` and `setp`.
    pub const OR: Flags = Flags(1 << 17);
    /// `.xor` of `set` and `setp`.
    pub const XOR: Flags = Flags(1 << 18);
    /// Not a modifier: the text negates the predicate source `c` (`!p`).
    pub const NOT_C: Flags = Flags(1 << 19);

    /// The flag of a modifier; nothing for modifiers that are no flags.
    pub fn of_modifier(modifier: &str) -> Flags {
        match modifier {
            "rn" => Flags::RN,
            "rz" => Flags::RZ,
            "rm" => Flags::RM,
            "rp" => Flags::RP,
            "rna" => Flags::RNA,
            "rni" => Flags::RN.with(Flags::TO_INTEGER),
            "rzi" => Flags::RZ.with(Flags::TO_INTEGER),
            "rmi" => Flags::RM.with(Flags::TO_INTEGER),
            "rpi" => Flags::RP.with(Flags::TO_INTEGER),
            "ftz" => Flags::FTZ,
            "sat" => Flags::SAT,
            "relu" => Flags::RELU,
            "NaN" => Flags::NAN,
            "xorsign" => Flags::XORSIGN,
            "abs" => Flags::ABS,
            "approx" | "full" => Flags::APPROX,
            "satfinite" => Flags::SATFINITE,
            "shiftamt" | "clamp" => Flags::VARIANT,
            "oob" => Flags::OOB,
            "and" => Flags::AND,
            "or" => Flags::OR,
            "xor" => Flags::XOR,
            _ => Flags(0),
        }
    }

    /// Both sets of flags.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// These flags without `other`.
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Whether all of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Nothing but, possibly, rounding to nearest even: what the host's own arithmetic does.
    pub const fn is_plain(self) -> bool {
        self.0 & !Flags::RN.0 == 0
    }
}

/// The broadcast constants of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    /// 32-bit constants, the same in all lanes.
    pub w32: Lines<[u32; LANES]>,
    /// 64-bit constants.
    pub w64: Lines<[u64; LANES]>,
    /// Constant predicates: 0 or [`FULL`].
    pub predicates: Vec<Mask>,
}

/// The registers of one activation.
#[derive(Clone, Debug, PartialEq)]
pub struct Registers {
    pub(crate) w32: Lines<[u32; LANES]>,
    pub(crate) w64: Lines<[u64; LANES]>,
    pub(crate) predicates: Vec<Mask>,
    pub(crate) constants: Arc<Constants>,
}

/// How many slots of each kind a function needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCounts {
    /// 32-bit slots.
    pub w32: usize,
    /// 64-bit slots.
    pub w64: usize,
    /// Predicate slots.
    pub predicates: usize,
}

impl Registers {
    /// Zeroed registers. (PTX leaves them undefined; warpsim chooses zero.)
    pub fn new(counts: SlotCounts, constants: Arc<Constants>) -> Registers {
        Registers {
            w32: Lines::of([0; LANES], counts.w32),
            w64: Lines::of([0; LANES], counts.w64),
            predicates: vec![0; counts.predicates],
            constants,
        }
    }

    /// Becomes registers of another activation, this many, with the same constants, in the memory
    /// that it has; there are values left in them until they are cleared.
    pub fn resize(&mut self, counts: SlotCounts) {
        self.w32.resize(counts.w32, [0; LANES]);
        self.w64.resize(counts.w64, [0; LANES]);
        self.predicates.resize(counts.predicates, 0);
    }

    /// Sets all of them to zero.
    #[inline]
    pub fn clear(&mut self) {
        set_all(&mut self.w32, [0; LANES]);
        set_all(&mut self.w64, [0; LANES]);
        set_all(&mut self.predicates, 0);
    }

    /// The constants that its slots may name.
    pub fn constants(&self) -> &Arc<Constants> {
        &self.constants
    }

    /// Feeds the values of the lanes in `mask` to a hasher. Equal registers of these lanes give
    /// equal hashes.
    pub fn hash_lanes(&self, mask: Mask, hasher: &mut impl Hasher) {
        for lane in lanes_of(mask) {
            self.w32.iter().for_each(|word| word[lane].hash(hasher));
            self.w64.iter().for_each(|word| word[lane].hash(hasher));
        }
        self.predicates.iter().for_each(|p| (p & mask).hash(hasher));
    }

    /// A predicate as a lane mask.
    #[inline]
    pub fn predicate(&self, slot: Slot) -> Mask {
        if slot.is_constant() {
            self.constants.predicates[slot.index()]
        } else {
            self.predicates[slot.index()]
        }
    }

    /// Sets a predicate in the lanes of `mask`.
    #[inline]
    pub fn set_predicate(&mut self, slot: Slot, mask: Mask, value: Mask) {
        let old = &mut self.predicates[slot.index()];
        *old = *old & !mask | value & mask;
    }

    /// All lanes of a 32-bit slot.
    #[inline]
    pub fn w32(&self, slot: Slot) -> &[u32; LANES] {
        if slot.is_constant() { &self.constants.w32[slot.index()] } else { &self.w32[slot.index()] }
    }

    /// All lanes of a 64-bit slot.
    #[inline]
    pub fn w64(&self, slot: Slot) -> &[u64; LANES] {
        if slot.is_constant() { &self.constants.w64[slot.index()] } else { &self.w64[slot.index()] }
    }
}

/// The word of a slot: `u32` or `u64`.
pub trait Word: Copy + Default + PartialEq + super::simd::Bank<Lanes = [Self; LANES]> {
    /// All lanes of a slot of this width.
    fn read(registers: &Registers, slot: Slot) -> &[Self; LANES];
    /// The lanes of a register of this width, to write to.
    fn write(registers: &mut Registers, slot: Slot) -> &mut [Self; LANES];
}

impl Word for u32 {
    #[inline]
    fn read(registers: &Registers, slot: Slot) -> &[u32; LANES] {
        registers.w32(slot)
    }
    #[inline]
    fn write(registers: &mut Registers, slot: Slot) -> &mut [u32; LANES] {
        &mut registers.w32[slot.index()]
    }
}

impl Word for u64 {
    #[inline]
    fn read(registers: &Registers, slot: Slot) -> &[u64; LANES] {
        registers.w64(slot)
    }
    #[inline]
    fn write(registers: &mut Registers, slot: Slot) -> &mut [u64; LANES] {
        &mut registers.w64[slot.index()]
    }
}

/// A Rust type that a slot can hold, with its PTX type.
pub trait Value: Copy + 'static {
    /// The word of the slot it lives in.
    type Word: Word;
    /// The PTX type; decides what immediates and registers are accepted.
    const TYPE: Type;
    /// Reads it out of a word, dropping bits above its width.
    fn of(word: Self::Word) -> Self;
    /// The word: zero-extended when unsigned, sign-extended when signed.
    fn word(self) -> Self::Word;
}

macro_rules! values {
    ($($ty:ty, $ptx:ident, $word:ty, $of:expr, $to:expr;)*) => {
        $(impl Value for $ty {
            type Word = $word;
            const TYPE: Type = Type::$ptx;
            #[inline(always)]
            fn of(word: $word) -> $ty { ($of)(word) }
            #[inline(always)]
            fn word(self) -> $word { ($to)(self) }
        })*
    };
}

values! {
    u8, U8, u32, |w| w as u8, |v| v as u32;
    i8, S8, u32, |w| w as i8, |v| v as i32 as u32;
    u16, U16, u32, |w| w as u16, |v| v as u32;
    i16, S16, u32, |w| w as i16, |v| v as i32 as u32;
    u32, U32, u32, |w| w, |v| v;
    i32, S32, u32, |w| w as i32, |v| v as u32;
    u64, U64, u64, |w| w, |v| v;
    i64, S64, u64, |w| w as i64, |v| v as u64;
    f32, F32, u32, f32::from_bits, f32::to_bits;
    f64, F64, u64, f64::from_bits, f64::to_bits;
    half::f16, F16, u32, |w| half::f16::from_bits(w as u16), |v: half::f16| v.to_bits() as u32;
    half::bf16, Bf16, u32, |w| half::bf16::from_bits(w as u16), |v: half::bf16| v.to_bits() as u32;
}
