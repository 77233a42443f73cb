//! Comparisons into predicates and into words: `setp` and `set` (PTX ISA 9.7.6, and 9.7.7 for half
//! precision). Bit-exact.
//!
//! Comparisons of floats are false when an operand is NaN (`eq` to `ge`), or true (`equ` to
//! `geu`). A comparison may be combined with a predicate `c` by `.and`, `.or` or `.xor`; a second
//! predicate then has the complement of the comparison, combined in the same way.

use std::fmt;

use ::half::{bf16, f16};

use super::role::Role;
use crate::lanes::scalar::comparison::{self as holds, Comparable, Comparison};
use crate::lanes::scalar::halves::Pair as Both;
use crate::lanes::{Flags, LaneOperation, Mask, Operands, Registers, Value, test2, write_lanes};
use crate::ptx::Type;

/// A comparison, and what its truth is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Compare {
    /// What is compared, and how.
    pub test: Test,
    /// What it is written to.
    pub into: Truth,
    /// Whether it is combined with the predicate `c`.
    pub combined: bool,
}

/// What is compared, and how. Signed and unsigned values are equal alike, so equality has widths
/// and order has types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Test {
    /// Integers, for equality.
    Equality(Equality, Width),
    /// Integers, for order.
    Order(Order, Whole),
    /// Floating-point values.
    Real(Relation, Real),
    /// Pairs of halves: a comparison of the lower ones and one of the upper ones.
    Pair(Relation, Pair),
}

/// What the truth of a comparison is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Truth {
    /// `setp`: a predicate, and its complement to a second one; of a pair, one for each half.
    Predicates,
    /// `set`: the word for true in operand `e`, or 0; of a pair, its halves one by one.
    Word,
}

/// An enum of plain names with all of them and their PTX names.
macro_rules! names {
    ($(#[$about:meta])* $enum:ident { $($name:ident = $text:literal),* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "named like the modifiers")]
        pub enum $enum {
            $($name),*
        }

        impl $enum {
            /// All of them.
            pub const ALL: &'static [$enum] = &[$($enum::$name),*];

            /// As PTX writes it, without its dot.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$name => $text),*
                }
            }
        }
    };
}

names! {
    /// The comparisons of integers for equality.
    Equality { Eq = "eq", Ne = "ne" }
}

names! {
    /// The comparisons of integers for order.
    Order { Lt = "lt", Le = "le", Gt = "gt", Ge = "ge" }
}

names! {
    /// The comparisons of floating-point values.
    Relation {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Equ = "equ", Neu = "neu",
        Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num", Nan = "nan"
    }
}

names! {
    /// The widths of integers compared for equality.
    Width { B16 = "b16", B32 = "b32", B64 = "b64" }
}

names! {
    /// The integer types compared for order.
    Whole { U16 = "u16", S16 = "s16", U32 = "u32", S32 = "s32", U64 = "u64", S64 = "s64" }
}

names! {
    /// The floating-point types that are compared.
    Real { F16 = "f16", Bf16 = "bf16", F32 = "f32", F64 = "f64" }
}

names! {
    /// The pairs whose halves are compared.
    Pair { F16 = "f16x2", Bf16 = "bf16x2" }
}

impl Compare {
    /// All comparisons.
    pub fn all() -> impl Iterator<Item = Compare> {
        Test::all().flat_map(|test| {
            [Truth::Predicates, Truth::Word].into_iter().flat_map(move |into| {
                [false, true].into_iter().map(move |combined| Compare { test, into, combined })
            })
        })
    }

    /// The operands of a comparison into predicates.
    pub(super) const fn roles(self) -> &'static [Role] {
        macro_rules! with {
            ($ty:ident) => {
                match (self.into, self.combined) {
                    (Truth::Predicates, false) => {
                        &[Role::DPair, Role::A(Type::$ty), Role::B(Type::$ty)]
                    }
                    (Truth::Predicates, true) => {
                        &[Role::DPair, Role::A(Type::$ty), Role::B(Type::$ty), Role::MaybeNotC]
                    }
                    (Truth::Word, false) => &[
                        Role::D(Type::U32),
                        Role::A(Type::$ty),
                        Role::B(Type::$ty),
                        Role::True(u32::MAX),
                    ],
                    (Truth::Word, true) => &[
                        Role::D(Type::U32),
                        Role::A(Type::$ty),
                        Role::B(Type::$ty),
                        Role::MaybeNotC,
                        Role::True(u32::MAX),
                    ],
                }
            };
        }
        match self.test {
            Test::Equality(_, Width::B16) | Test::Order(_, Whole::U16) => with!(U16),
            Test::Equality(_, Width::B32) | Test::Order(_, Whole::U32) => with!(U32),
            Test::Equality(_, Width::B64) | Test::Order(_, Whole::U64) => with!(U64),
            Test::Order(_, Whole::S16) => with!(S16),
            Test::Order(_, Whole::S32) => with!(S32),
            Test::Order(_, Whole::S64) => with!(S64),
            Test::Real(_, Real::F16) => with!(F16),
            Test::Real(_, Real::Bf16) => with!(Bf16),
            Test::Real(_, Real::F32) => with!(F32),
            Test::Real(_, Real::F64) => with!(F64),
            Test::Pair(_, Pair::F16) => with!(F16x2),
            Test::Pair(_, Pair::Bf16) => with!(Bf16x2),
        }
    }

    /// The lane loop.
    pub(super) const fn run(self) -> LaneOperation {
        match self.test {
            Test::Equality(test, Width::B16) => self.equality::<u16>(test),
            Test::Equality(test, Width::B32) => self.equality::<u32>(test),
            Test::Equality(test, Width::B64) => self.equality::<u64>(test),
            Test::Order(test, Whole::U16) => self.order::<u16>(test),
            Test::Order(test, Whole::S16) => self.order::<i16>(test),
            Test::Order(test, Whole::U32) => self.order::<u32>(test),
            Test::Order(test, Whole::S32) => self.order::<i32>(test),
            Test::Order(test, Whole::U64) => self.order::<u64>(test),
            Test::Order(test, Whole::S64) => self.order::<i64>(test),
            Test::Real(test, Real::F16) => self.relation::<f16>(test),
            Test::Real(test, Real::Bf16) => self.relation::<bf16>(test),
            Test::Real(test, Real::F32) => self.relation::<f32>(test),
            Test::Real(test, Real::F64) => self.relation::<f64>(test),
            Test::Pair(test, Pair::F16) => self.pair::<f16>(test),
            Test::Pair(test, Pair::Bf16) => self.pair::<bf16>(test),
        }
    }

    const fn equality<T: Comparable>(self, test: Equality) -> LaneOperation {
        match test {
            Equality::Eq => self.single::<T, holds::Eq>(),
            Equality::Ne => self.single::<T, holds::Ne>(),
        }
    }

    const fn order<T: Comparable>(self, test: Order) -> LaneOperation {
        match test {
            Order::Lt => self.single::<T, holds::Lt>(),
            Order::Le => self.single::<T, holds::Le>(),
            Order::Gt => self.single::<T, holds::Gt>(),
            Order::Ge => self.single::<T, holds::Ge>(),
        }
    }

    const fn relation<T: Comparable>(self, test: Relation) -> LaneOperation {
        match test {
            Relation::Eq => self.single::<T, holds::Eq>(),
            Relation::Ne => self.single::<T, holds::Ne>(),
            Relation::Lt => self.single::<T, holds::Lt>(),
            Relation::Le => self.single::<T, holds::Le>(),
            Relation::Gt => self.single::<T, holds::Gt>(),
            Relation::Ge => self.single::<T, holds::Ge>(),
            Relation::Equ => self.single::<T, holds::Equ>(),
            Relation::Neu => self.single::<T, holds::Neu>(),
            Relation::Ltu => self.single::<T, holds::Ltu>(),
            Relation::Leu => self.single::<T, holds::Leu>(),
            Relation::Gtu => self.single::<T, holds::Gtu>(),
            Relation::Geu => self.single::<T, holds::Geu>(),
            Relation::Num => self.single::<T, holds::Num>(),
            Relation::Nan => self.single::<T, holds::Nan>(),
        }
    }

    const fn pair<H: Comparable>(self, test: Relation) -> LaneOperation
    where
        Both<H>: Value,
    {
        match test {
            Relation::Eq => self.double::<H, holds::Eq>(),
            Relation::Ne => self.double::<H, holds::Ne>(),
            Relation::Lt => self.double::<H, holds::Lt>(),
            Relation::Le => self.double::<H, holds::Le>(),
            Relation::Gt => self.double::<H, holds::Gt>(),
            Relation::Ge => self.double::<H, holds::Ge>(),
            Relation::Equ => self.double::<H, holds::Equ>(),
            Relation::Neu => self.double::<H, holds::Neu>(),
            Relation::Ltu => self.double::<H, holds::Ltu>(),
            Relation::Leu => self.double::<H, holds::Leu>(),
            Relation::Gtu => self.double::<H, holds::Gtu>(),
            Relation::Geu => self.double::<H, holds::Geu>(),
            Relation::Num => self.double::<H, holds::Num>(),
            Relation::Nan => self.double::<H, holds::Nan>(),
        }
    }

    const fn single<T: Comparable, C: Comparison>(self) -> LaneOperation {
        match (self.into, self.combined) {
            (Truth::Predicates, false) => setp::<T, C>,
            (Truth::Predicates, true) => setp_combined::<T, C>,
            (Truth::Word, false) => set::<T, C>,
            (Truth::Word, true) => set_combined::<T, C>,
        }
    }

    const fn double<H: Comparable, C: Comparison>(self) -> LaneOperation
    where
        Both<H>: Value,
    {
        match (self.into, self.combined) {
            (Truth::Predicates, false) => setp_pair::<H, C>,
            (Truth::Predicates, true) => setp_pair_combined::<H, C>,
            (Truth::Word, false) => set_pair::<H, C>,
            (Truth::Word, true) => set_pair_combined::<H, C>,
        }
    }
}

impl Test {
    fn all() -> impl Iterator<Item = Test> {
        fn product<A: Copy, B: Copy>(
            first: &'static [A],
            second: &'static [B],
            make: fn(A, B) -> Test,
        ) -> impl Iterator<Item = Test> {
            second.iter().flat_map(move |b| first.iter().map(move |a| make(*a, *b)))
        }
        product(Equality::ALL, Width::ALL, Test::Equality)
            .chain(product(Order::ALL, Whole::ALL, Test::Order))
            .chain(product(Relation::ALL, Real::ALL, Test::Real))
            .chain(product(Relation::ALL, Pair::ALL, Test::Pair))
    }
}

/// `setp.lt.s32`; `setp.lt.bool.s32` of one that is combined with a predicate.
impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opcode = match self.into {
            Truth::Predicates => "setp",
            Truth::Word => "set",
        };
        let (test, ty) = match self.test {
            Test::Equality(test, ty) => (test.name(), ty.name()),
            Test::Order(test, ty) => (test.name(), ty.name()),
            Test::Real(test, ty) => (test.name(), ty.name()),
            Test::Pair(test, ty) => (test.name(), ty.name()),
        };
        write!(f, "{opcode}.{test}{}.{ty}", if self.combined { ".bool" } else { "" })
    }
}

/// The lanes where a comparison holds. One function for each type and comparison, which `set` and
/// `setp` share.
#[inline(never)]
fn truth<T: Comparable, C: Comparison>(registers: &Registers, o: &Operands) -> Mask {
    if o.flags.has(Flags::FTZ) {
        test2::<T, T>(registers, o, |a, b| C::holds(a.flushed_key(), b.flushed_key()))
    } else {
        test2::<T, T>(registers, o, |a, b| C::holds(a.key(), b.key()))
    }
}

/// The lanes where a comparison of the lower, and of the upper, halves holds.
#[inline(never)]
fn truth_of_pairs<H: Comparable, C: Comparison>(registers: &Registers, o: &Operands) -> (Mask, Mask)
where
    Both<H>: Value,
{
    let flush = |x: H| if o.flags.has(Flags::FTZ) { x.flushed_key() } else { x.key() };
    let lower = |a: Both<H>, b: Both<H>| C::holds(flush(a.0), flush(b.0));
    let upper = |a: Both<H>, b: Both<H>| C::holds(flush(a.1), flush(b.1));
    (test2(registers, o, lower), test2(registers, o, upper))
}

/// What a comparison leaves in the lanes: combined with `c` as the modifiers say.
fn combined(registers: &Registers, o: &Operands, comparison: Mask) -> Mask {
    let c = registers.predicate(o.c);
    let c = if o.flags.has(Flags::NOT_C) { !c } else { c };
    if o.flags.has(Flags::AND) {
        comparison & c
    } else if o.flags.has(Flags::OR) {
        comparison | c
    } else {
        comparison ^ c
    }
}

fn setp<T: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask) {
    let truth = truth::<T, C>(r, o);
    r.set_predicate(o.d, m, truth);
    r.set_predicate(o.d2, m, !truth);
}

fn setp_combined<T: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask) {
    let truth = truth::<T, C>(r, o);
    let (d, d2) = (combined(r, o, truth), combined(r, o, !truth));
    r.set_predicate(o.d, m, d);
    r.set_predicate(o.d2, m, d2);
}

fn set<T: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask) {
    let truth = truth::<T, C>(r, o);
    write_words(r, o, m, truth);
}

fn set_combined<T: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask) {
    let truth = combined(r, o, truth::<T, C>(r, o));
    write_words(r, o, m, truth);
}

/// The word for true in the lanes of `truth`, 0 elsewhere.
fn write_words(registers: &mut Registers, o: &Operands, mask: Mask, truth: Mask) {
    let word = registers.w32(o.e)[0];
    let words = std::array::from_fn(|lane| if truth >> lane & 1 == 1 { word } else { 0 });
    write_lanes(registers, o.d, mask, &words);
}

fn setp_pair<H: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask)
where
    Both<H>: Value,
{
    let truth = truth_of_pairs::<H, C>(r, o);
    r.set_predicate(o.d, m, truth.0);
    r.set_predicate(o.d2, m, truth.1);
}

fn setp_pair_combined<H: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask)
where
    Both<H>: Value,
{
    let truth = truth_of_pairs::<H, C>(r, o);
    let (d, d2) = (combined(r, o, truth.0), combined(r, o, truth.1));
    r.set_predicate(o.d, m, d);
    r.set_predicate(o.d2, m, d2);
}

fn set_pair<H: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask)
where
    Both<H>: Value,
{
    let truth = truth_of_pairs::<H, C>(r, o);
    write_halves(r, o, m, truth);
}

fn set_pair_combined<H: Comparable, C: Comparison>(r: &mut Registers, o: &Operands, m: Mask)
where
    Both<H>: Value,
{
    let truth = truth_of_pairs::<H, C>(r, o);
    let truth = (combined(r, o, truth.0), combined(r, o, truth.1));
    write_halves(r, o, m, truth);
}

/// The lower half of the word for true where the lower halves' truth is set, and its upper half.
fn write_halves(registers: &mut Registers, o: &Operands, mask: Mask, truth: (Mask, Mask)) {
    let word = registers.w32(o.e)[0];
    let words = std::array::from_fn(|lane| {
        let (lower, upper) = (truth.0 >> lane & 1, truth.1 >> lane & 1);
        let halves = (lower | upper << 16) * 0xffff;
        word & halves
    });
    write_lanes(registers, o.d, mask, &words);
}
