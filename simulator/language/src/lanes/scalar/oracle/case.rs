//! Compares register operations that run with their plainest form, on edges and random numbers.
//!
//! A case is a primitive with modifiers and a function from words to a word. The operands lie in
//! the registers that the primitive reads, so the test covers the lane loop that programs run.

use std::sync::Arc;

use crate::lanes::primitive::{
    Approximate, Convert, Float, Half, Integer, Logic, Mixed, Narrow, Packed, Primitive,
    RegisterOperation,
};
use crate::lanes::{
    Constants, FULL, Flags, LANES, Operands, Position, Registers, Slot, SlotCounts, Value, Width,
};

/// A function from the words of `a`, `b` and `c` to the word of `d`.
pub(super) type Plain = Box<dyn Fn([u64; 3]) -> u64>;

/// A word as a value.
pub(super) fn value<T: Value>(word: u64) -> T
where
    T::Word: Word,
{
    T::of(T::Word::cut(word))
}

/// A value as a word.
pub(super) fn word<T: Value>(value: T) -> u64
where
    T::Word: Word,
{
    value.word().wide()
}

/// The word of a slot, whichever width it has.
pub(super) trait Word {
    fn cut(word: u64) -> Self;
    fn wide(self) -> u64;
}

impl Word for u32 {
    fn cut(word: u64) -> u32 {
        word as u32
    }
    fn wide(self) -> u64 {
        self.into()
    }
}

impl Word for u64 {
    fn cut(word: u64) -> u64 {
        word
    }
    fn wide(self) -> u64 {
        self
    }
}

/// A primitive with modifiers, and what it computes in its plainest form.
pub(super) struct Case {
    pub(super) primitive: Primitive,
    pub(super) flags: Flags,
    pub(super) plain: Plain,
}

/// Numbers that look random.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let x = (self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^ x >> 29
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }

    /// Edges of a format of 16, 32 or 64 bits with this many bits of fraction: zero, the largest
    /// and the least numbers, infinity, NaN, ones and numbers between. Also the same a bit or two
    /// away.
    fn edge(&mut self, bits: u32, fraction: u32) -> u64 {
        let infinite = (1u64 << (bits - 1)) - (1 << fraction);
        let one = (infinite / 2) & !((1 << fraction) - 1);
        let all = [
            0,
            1,
            1 << fraction,
            (1 << fraction) - 1,
            one,
            one + (self.below(40) << fraction),
            one.wrapping_sub(self.below(40) << fraction),
            infinite - 1,
            infinite,
            infinite | 1 << (fraction - 1),
            infinite + 1,
            infinite | self.next() >> (64 - fraction),
            self.next() >> (64 - fraction),
            (self.next() & 0xff) << fraction,
            1 << (fraction - 1),
        ];
        let size = all[self.below(all.len() as u64) as usize];
        let size = match self.below(4) {
            0 => size.wrapping_add(self.below(5)).wrapping_sub(2),
            1 => size ^ 1 << self.below(fraction.into()),
            _ => size,
        };
        let field = u64::MAX >> (64 - bits);
        (size ^ self.below(2) << (bits - 1)) & field
    }

    /// An edge in each part of a word.
    fn edges(&mut self) -> u64 {
        match self.below(4) {
            0 => self.edge(64, 52),
            1 => self.edge(32, 23) | self.edge(32, 23) << 32,
            2 => (0..4).fold(0, |word, _| word << 16 | self.edge(16, 10)),
            _ => (0..4).fold(0, |word, _| word << 16 | self.edge(16, 7)),
        }
    }

    /// A number with an exponent near the exponent of 1, as f32 twice or as f64.
    fn middle(&mut self) -> u64 {
        if self.below(2) == 0 {
            let exponent = 1023 - 60 + self.below(120);
            self.next() & 0x800f_ffff_ffff_ffff | exponent << 52
        } else {
            let exponent = 127 - 26 + self.below(52);
            self.next() & 0x807f_ffff_807f_ffff | exponent << 23 | exponent << 55
        }
    }

    /// A word, often like another.
    pub(super) fn word(&mut self, other: u64) -> u64 {
        let word = match self.below(8) {
            0 | 1 => self.edges(),
            2 | 3 => self.middle(),
            4 => other ^ 0x8000_0000_8000_8000,
            5 => other.wrapping_add(self.below(9)).wrapping_sub(4) ^ self.below(2) << 31,
            _ => self.next(),
        };
        // Few bits make exact results and ties.
        match self.below(4) {
            0 => word & u64::MAX << self.below(52) & (u64::MAX << 32 | u64::MAX << self.below(24)),
            _ => word,
        }
    }
}

/// The registers 1 to 3 of each bank with the words of the lanes, and register 0 for results.
fn registers(words: &[[u64; 3]; LANES]) -> Registers {
    let counts = SlotCounts { w32: 4, w64: 4, predicates: 1 };
    let mut registers = Registers::new(counts, Arc::new(Constants::default()));
    for (slot, operand) in (1..4).zip(0..3) {
        registers.w32[slot] = words.map(|words| words[operand] as u32);
        registers.w64[slot] = words.map(|words| words[operand]);
    }
    registers
}

impl Case {
    fn operation(&self) -> RegisterOperation {
        let [d, a, b, c] = std::array::from_fn(Slot::register);
        let operands = Operands { d, a, b, c, flags: self.flags, ..Operands::default() };
        RegisterOperation::new(self.primitive, operands)
    }

    /// Holds the results of all lanes to the plain ones.
    fn hold(&self, operation: &RegisterOperation, words: &[[u64; 3]; LANES]) {
        let mut registers = registers(words);
        operation.execute(&mut registers, FULL);
        let wide = self.primitive.dataflow().width(Position::D) == Some(Width::Bytes(8));
        for (lane, words) in words.iter().enumerate() {
            let given =
                if wide { registers.w64[0][lane] } else { u64::from(registers.w32[0][lane]) };
            let plain = (self.plain)(*words);
            let Case { primitive, flags, .. } = self;
            assert_eq!(given, plain, "{primitive} {flags:?} of {words:x?}: {given:x} {plain:x}");
        }
    }
}

/// Holds each case to its plain form on this many warps of random words.
pub(super) fn on_random_words(cases: &[Case], warps: u64) {
    for (seed, case) in cases.iter().enumerate() {
        let (mut random, operation) = (Random(seed as u64), case.operation());
        for _ in 0..warps {
            let words = std::array::from_fn(|_| {
                let a = random.next();
                let a = random.word(a);
                let b = random.word(a);
                [a, b, random.word(if a & 1 == 0 { a } else { b })]
            });
            case.hold(&operation, &words);
        }
    }
}

/// Holds cases of one operand to their plain form on this many different words of 32 bits: on each
/// where there are 2^32.
pub(super) fn on_words(cases: &[Case], count: u64) {
    // An odd factor, so that none comes twice.
    let nth = |i: u64| u64::from((i as u32).wrapping_mul(2_654_435_761));
    for case in cases {
        let operation = case.operation();
        for first in (0..count).step_by(LANES) {
            case.hold(&operation, &std::array::from_fn(|lane| [nth(first + lane as u64), 0, 0]));
        }
    }
}

/// Holds cases of one operand to their plain form on each word of 16 bits, and with another above
/// it.
pub(super) fn on_halves(cases: &[Case]) {
    for case in cases {
        let operation = case.operation();
        for first in (0..1 << 16).step_by(LANES) {
            let words = std::array::from_fn(|lane| {
                let half = first + lane as u64;
                [half | (half ^ 0x5a5a) << 16, 0, 0]
            });
            case.hold(&operation, &words);
        }
    }
}

/// How many warps of random words a case gets.
pub(super) fn warps() -> u64 {
    warpsim_effort::cases(300, 60_000)
}

pub(super) const DIRECTIONS: [Flags; 5] = [Flags::NONE, Flags::RN, Flags::RZ, Flags::RM, Flags::RP];

/// All that a modifier of each list makes together.
pub(super) fn combined(lists: &[&[Flags]]) -> Vec<Flags> {
    lists.iter().fold(vec![Flags::NONE], |all, list| {
        all.iter().flat_map(|flags| list.iter().map(|more| flags.with(*more))).collect()
    })
}

/// A case for each set of modifiers.
pub(super) fn with(
    flags: &[Flags],
    primitive: Primitive,
    plain: impl Fn(Flags) -> Plain,
) -> impl Iterator<Item = Case> {
    flags.iter().map(move |flags| Case { primitive, flags: *flags, plain: plain(*flags) })
}

macro_rules! into_primitive {
    ($($family:ident),*) => {
        $(impl From<$family> for Primitive {
            fn from(primitive: $family) -> Primitive {
                Primitive::$family(primitive)
            }
        })*
    };
}

into_primitive!(Approximate, Convert, Float, Half, Integer, Logic, Mixed, Narrow, Packed);
