//! Comparisons into predicates and into words: `setp` and `set` (PTX ISA 9.7.6, and 9.7.7 for half
//! precision). Bit-exact.
//!
//! Comparisons of floats are false when an operand is NaN (`eq` to `ge`), or true (`equ` to
//! `geu`). A comparison may be combined with a predicate `c` by `.and`, `.or` or `.xor`; a second
//! predicate then has the complement of the comparison, combined in the same way.

use std::fmt;
use std::marker::PhantomData;

use ::half::{bf16, f16};

use super::role::Role;
use crate::lanes::loops::lanes_where;
use crate::lanes::scalar::comparison::{self as relation, Comparable, Comparison};
use crate::lanes::scalar::halves::Pair as Both;
use crate::lanes::simd::{BIT, rarely, tiered};
use crate::lanes::{Body, Flags, LANES, Mask, Operands, Predicate, Tiered, Value};
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
    pub(super) const fn run(self) -> Tiered {
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

    const fn equality<T: Comparable>(self, test: Equality) -> Tiered {
        match test {
            Equality::Eq => self.single::<T, relation::Eq>(),
            Equality::Ne => self.single::<T, relation::Ne>(),
        }
    }

    const fn order<T: Comparable>(self, test: Order) -> Tiered {
        match test {
            Order::Lt => self.single::<T, relation::Lt>(),
            Order::Le => self.single::<T, relation::Le>(),
            Order::Gt => self.single::<T, relation::Gt>(),
            Order::Ge => self.single::<T, relation::Ge>(),
        }
    }

    const fn relation<T: Comparable>(self, test: Relation) -> Tiered {
        match test {
            Relation::Eq => self.single::<T, relation::Eq>(),
            Relation::Ne => self.single::<T, relation::Ne>(),
            Relation::Lt => self.single::<T, relation::Lt>(),
            Relation::Le => self.single::<T, relation::Le>(),
            Relation::Gt => self.single::<T, relation::Gt>(),
            Relation::Ge => self.single::<T, relation::Ge>(),
            Relation::Equ => self.single::<T, relation::Equ>(),
            Relation::Neu => self.single::<T, relation::Neu>(),
            Relation::Ltu => self.single::<T, relation::Ltu>(),
            Relation::Leu => self.single::<T, relation::Leu>(),
            Relation::Gtu => self.single::<T, relation::Gtu>(),
            Relation::Geu => self.single::<T, relation::Geu>(),
            Relation::Num => self.single::<T, relation::Num>(),
            Relation::Nan => self.single::<T, relation::Nan>(),
        }
    }

    const fn pair<H: Comparable>(self, test: Relation) -> Tiered
    where
        Both<H>: Value<Word = u32>,
    {
        match test {
            Relation::Eq => self.double::<H, relation::Eq>(),
            Relation::Ne => self.double::<H, relation::Ne>(),
            Relation::Lt => self.double::<H, relation::Lt>(),
            Relation::Le => self.double::<H, relation::Le>(),
            Relation::Gt => self.double::<H, relation::Gt>(),
            Relation::Ge => self.double::<H, relation::Ge>(),
            Relation::Equ => self.double::<H, relation::Equ>(),
            Relation::Neu => self.double::<H, relation::Neu>(),
            Relation::Ltu => self.double::<H, relation::Ltu>(),
            Relation::Leu => self.double::<H, relation::Leu>(),
            Relation::Gtu => self.double::<H, relation::Gtu>(),
            Relation::Geu => self.double::<H, relation::Geu>(),
            Relation::Num => self.double::<H, relation::Num>(),
            Relation::Nan => self.double::<H, relation::Nan>(),
        }
    }

    const fn single<T: Comparable, C: Comparison>(self) -> Tiered {
        match (self.into, self.combined) {
            (Truth::Predicates, false) => setp::<T, C>(),
            (Truth::Predicates, true) => setp_combined::<T, C>(),
            (Truth::Word, false) => set::<T, C>(),
            (Truth::Word, true) => set_combined::<T, C>(),
        }
    }

    const fn double<H: Comparable, C: Comparison>(self) -> Tiered
    where
        Both<H>: Value<Word = u32>,
    {
        match (self.into, self.combined) {
            (Truth::Predicates, false) => setp_pair::<H, C>(),
            (Truth::Predicates, true) => setp_pair_combined::<H, C>(),
            (Truth::Word, false) => set_pair::<H, C>(),
            (Truth::Word, true) => set_pair_combined::<H, C>(),
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

/// The lanes where a comparison of a pair of operands holds.
#[inline(always)]
fn truth<T: Value, X: Comparable, C: Comparison>(
    flags: Flags,
    (a, b): (&[T::Word; LANES], &[T::Word; LANES]),
    part: impl Fn(T) -> X,
) -> Mask {
    let of = |words: &[T::Word; LANES], lane: usize| part(T::of(words[lane]));
    if X::FLUSHES && flags.has(Flags::FTZ) {
        lanes_where(|lane| C::holds(of(a, lane).flushed_key(), of(b, lane).flushed_key()))
    } else {
        lanes_where(|lane| C::holds(of(a, lane).key(), of(b, lane).key()))
    }
}

/// The same of whole operands.
#[inline(always)]
fn holds<T: Comparable, C: Comparison>(
    o: &Operands,
    operands: (&[T::Word; LANES], &[T::Word; LANES]),
) -> Mask {
    truth::<T, T, C>(o.flags, operands, |x| x)
}

/// The lanes where a comparison of the lower, and of the upper, halves holds.
#[inline(always)]
fn pairs_hold<H: Comparable, C: Comparison>(
    o: &Operands,
    operands: (&[u32; LANES], &[u32; LANES]),
) -> (Mask, Mask)
where
    Both<H>: Value<Word = u32>,
{
    let lower = truth::<Both<H>, H, C>(o.flags, operands, |pair| pair.0);
    let upper = truth::<Both<H>, H, C>(o.flags, operands, |pair| pair.1);
    (lower, upper)
}

/// What a comparison leaves in the lanes: combined with `c` as the modifiers say.
#[inline(always)]
fn combined(flags: Flags, c: Mask, comparison: Mask) -> Mask {
    let c = if flags.has(Flags::NOT_C) { !c } else { c };
    if flags.has(Flags::AND) {
        comparison & c
    } else if flags.has(Flags::OR) {
        comparison | c
    } else {
        comparison ^ c
    }
}

/// The word for true in the lanes of `truth`, 0 elsewhere.
#[inline(always)]
fn words(word: u32, truth: Mask) -> [u32; LANES] {
    std::array::from_fn(|lane| if truth & BIT[lane] != 0 { word } else { 0 })
}

/// The lower half of the word for true where the lower halves' truth is set, and its upper half.
#[inline(always)]
fn halves(word: u32, truth: (Mask, Mask)) -> [u32; LANES] {
    let (lower, upper) = (words(word & 0xffff, truth.0), words(word & 0xffff_0000, truth.1));
    std::array::from_fn(|lane| lower[lane] | upper[lane])
}

/// `setp` of `T` by the comparison `C`.
struct Setp<'o, T, C>(&'o Operands, PhantomData<(T, C)>);

/// `set` of `T` by the comparison `C`, with the word for true.
struct Set<'o, T, C>(&'o Operands, u32, PhantomData<(T, C)>);

/// All lanes of two operands.
type Two<'a, W> = (&'a [W; LANES], &'a [W; LANES]);

/// The same and a predicate.
type TwoAndMask<'a, W> = (&'a [W; LANES], &'a [W; LANES], &'a Mask);

impl<T: Comparable, C: Comparison> Body<(T::Word, T::Word), (Predicate, Predicate)>
    for Setp<'_, T, C>
{
    #[inline(always)]
    fn lanes(&self, from: Two<'_, T::Word>) -> (Mask, Mask) {
        let truth = holds::<T, C>(self.0, from);
        (truth, !truth)
    }
}

impl<T: Comparable, C: Comparison> Body<(T::Word, T::Word, Predicate), (Predicate, Predicate)>
    for Setp<'_, T, C>
{
    #[inline(always)]
    fn lanes(&self, (a, b, c): TwoAndMask<'_, T::Word>) -> (Mask, Mask) {
        let truth = holds::<T, C>(self.0, (a, b));
        (combined(self.0.flags, *c, truth), combined(self.0.flags, *c, !truth))
    }
}

impl<T: Comparable, C: Comparison> Body<(T::Word, T::Word), u32> for Set<'_, T, C> {
    #[inline(always)]
    fn lanes(&self, from: Two<'_, T::Word>) -> [u32; LANES] {
        words(self.1, holds::<T, C>(self.0, from))
    }
}

impl<T: Comparable, C: Comparison> Body<(T::Word, T::Word, Predicate), u32> for Set<'_, T, C> {
    #[inline(always)]
    fn lanes(&self, (a, b, c): TwoAndMask<'_, T::Word>) -> [u32; LANES] {
        words(self.1, combined(self.0.flags, *c, holds::<T, C>(self.0, (a, b))))
    }
}

/// `setp` and `set` of pairs of `H`.
struct OfPairs<B>(B);

impl<H: Comparable, C: Comparison> Body<(u32, u32), (Predicate, Predicate)>
    for OfPairs<Setp<'_, H, C>>
where
    Both<H>: Value<Word = u32>,
{
    #[inline(always)]
    fn lanes(&self, from: Two<'_, u32>) -> (Mask, Mask) {
        pairs_hold::<H, C>(self.0.0, from)
    }
}

impl<H: Comparable, C: Comparison> Body<(u32, u32, Predicate), (Predicate, Predicate)>
    for OfPairs<Setp<'_, H, C>>
where
    Both<H>: Value<Word = u32>,
{
    #[inline(always)]
    fn lanes(&self, (a, b, c): TwoAndMask<'_, u32>) -> (Mask, Mask) {
        let flags = self.0.0.flags;
        let truth = pairs_hold::<H, C>(self.0.0, (a, b));
        (combined(flags, *c, truth.0), combined(flags, *c, truth.1))
    }
}

impl<H: Comparable, C: Comparison> Body<(u32, u32), u32> for OfPairs<Set<'_, H, C>>
where
    Both<H>: Value<Word = u32>,
{
    #[inline(always)]
    fn lanes(&self, from: Two<'_, u32>) -> [u32; LANES] {
        halves(self.0.1, pairs_hold::<H, C>(self.0.0, from))
    }
}

impl<H: Comparable, C: Comparison> Body<(u32, u32, Predicate), u32> for OfPairs<Set<'_, H, C>>
where
    Both<H>: Value<Word = u32>,
{
    #[inline(always)]
    fn lanes(&self, (a, b, c): TwoAndMask<'_, u32>) -> [u32; LANES] {
        let flags = self.0.0.flags;
        let truth = pairs_hold::<H, C>(self.0.0, (a, b));
        halves(self.0.1, (combined(flags, *c, truth.0), combined(flags, *c, truth.1)))
    }
}

const fn setp<T: Comparable, C: Comparison>() -> Tiered {
    tiered!([T: Comparable, C: Comparison] [T, C] |r, o| {
        let body = Setp(o, PhantomData::<(T, C)>);
        r.apply::<(T::Word, T::Word), (Predicate, Predicate)>((o.a, o.b), (o.d, o.d2), body);
    })
}

const fn setp_combined<T: Comparable, C: Comparison>() -> Tiered {
    tiered!([T: Comparable, C: Comparison] [T, C] |r, o| {
        let body = Setp(o, PhantomData::<(T, C)>);
        r.apply::<(T::Word, T::Word, Predicate), (Predicate, Predicate)>((o.a, o.b, o.c), (o.d, o.d2), body);
    })
}

const fn set<T: Comparable, C: Comparison>() -> Tiered {
    rarely!([T: Comparable, C: Comparison] [T, C] |r, o| {
        let body = Set(o, r.uniform::<u32>(o.e), PhantomData::<(T, C)>);
        r.apply::<(T::Word, T::Word), u32>((o.a, o.b), o.d, body);
    })
}

const fn set_combined<T: Comparable, C: Comparison>() -> Tiered {
    rarely!([T: Comparable, C: Comparison] [T, C] |r, o| {
        let body = Set(o, r.uniform::<u32>(o.e), PhantomData::<(T, C)>);
        r.apply::<(T::Word, T::Word, Predicate), u32>((o.a, o.b, o.c), o.d, body);
    })
}

const fn setp_pair<H: Comparable, C: Comparison>() -> Tiered
where
    Both<H>: Value<Word = u32>,
{
    rarely!([H: Comparable, C: Comparison] [H, C] where [Both<H>: Value<Word = u32>] |r, o| {
        let body = OfPairs(Setp(o, PhantomData::<(H, C)>));
        r.apply::<(u32, u32), (Predicate, Predicate)>((o.a, o.b), (o.d, o.d2), body);
    })
}

const fn setp_pair_combined<H: Comparable, C: Comparison>() -> Tiered
where
    Both<H>: Value<Word = u32>,
{
    rarely!([H: Comparable, C: Comparison] [H, C] where [Both<H>: Value<Word = u32>] |r, o| {
        let body = OfPairs(Setp(o, PhantomData::<(H, C)>));
        r.apply::<(u32, u32, Predicate), (Predicate, Predicate)>((o.a, o.b, o.c), (o.d, o.d2), body);
    })
}

const fn set_pair<H: Comparable, C: Comparison>() -> Tiered
where
    Both<H>: Value<Word = u32>,
{
    rarely!([H: Comparable, C: Comparison] [H, C] where [Both<H>: Value<Word = u32>] |r, o| {
        let body = OfPairs(Set(o, r.uniform::<u32>(o.e), PhantomData::<(H, C)>));
        r.apply::<(u32, u32), u32>((o.a, o.b), o.d, body);
    })
}

const fn set_pair_combined<H: Comparable, C: Comparison>() -> Tiered
where
    Both<H>: Value<Word = u32>,
{
    rarely!([H: Comparable, C: Comparison] [H, C] where [Both<H>: Value<Word = u32>] |r, o| {
        let body = OfPairs(Set(o, r.uniform::<u32>(o.e), PhantomData::<(H, C)>));
        r.apply::<(u32, u32, Predicate), u32>((o.a, o.b, o.c), o.d, body);
    })
}
