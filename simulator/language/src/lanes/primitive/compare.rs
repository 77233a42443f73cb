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
use crate::lanes::simd::{Code, Form, Outcome, Truths, combined, shared};
use crate::lanes::{Body, Flags, LANES, Mask, Predicate, Tiered, Value};
use crate::ptx::Type;

/// A comparison, and the destination of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Compare {
    /// The operands' type, and the comparison.
    pub test: Test,
    /// The destination of the result.
    pub into: Truth,
    /// Whether it is combined with the predicate `c`.
    pub combined: bool,
}

/// The operands' type, and the comparison. Signed and unsigned values are equal alike, so equality
/// has widths and order has types.
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

/// The destination of the result of a comparison.
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

/// A comparison of floats by one of five: of the operands as they are or in the other order, or of
/// what does not hold.
macro_rules! by_relation {
    ($test:expr, $self:ident.$of:ident::<$ty:ty>) => {
        by_relation!(@ $test, $self, $of, $ty,
            Eq = Eq AS_IT_IS, Neu = Eq NEGATED, Ne = Ne AS_IT_IS, Equ = Ne NEGATED,
            Lt = Lt AS_IT_IS, Geu = Lt NEGATED, Gt = Lt SWAPPED, Leu = Lt NOT_SWAPPED,
            Le = Le AS_IT_IS, Gtu = Le NEGATED, Ge = Le SWAPPED, Ltu = Le NOT_SWAPPED,
            Num = Num AS_IT_IS, Nan = Num NEGATED)
    };
    (@ $test:expr, $self:ident, $of:ident, $ty:ty, $($name:ident = $by:ident $how:ident),*) => {
        match $test {
            $(Relation::$name => $self.$of::<$ty, relation::$by, { Form::$how }>(),)*
        }
    };
}

impl Equality {
    /// How it comes from equality.
    pub(super) const fn form(self) -> u8 {
        match self {
            Equality::Eq => Form::AS_IT_IS,
            Equality::Ne => Form::NEGATED,
        }
    }
}

impl Order {
    /// How it comes from `lt`.
    pub(super) const fn form(self) -> u8 {
        match self {
            Order::Lt => Form::AS_IT_IS,
            Order::Le => Form::NOT_SWAPPED,
            Order::Gt => Form::SWAPPED,
            Order::Ge => Form::NEGATED,
        }
    }
}

/// How many comparisons there are: each into predicates or words, combined or not.
const COUNT: usize = (PAIRS + Relation::ALL.len() * Pair::ALL.len()) * 4;

/// The lane loops, by [`Compare::index`]. A constant, so that no loop is compiled that is in no
/// place of it.
const LOOPS: &[Tiered; COUNT] = &{
    let mut loops = [Compare::at(0).made(); COUNT];
    let mut index = 1;
    while index < COUNT {
        loops[index] = Compare::at(index).made();
        index += 1;
    }
    loops
};

impl Compare {
    /// The comparison of an index, in the order of [`Compare::all`].
    const fn at(index: usize) -> Compare {
        let into = [Truth::Predicates, Truth::Word][index / 2 % 2];
        Compare { test: Test::at(index / 4), into, combined: index % 2 == 1 }
    }

    const fn index(self) -> usize {
        self.test.index() * 4 + self.into as usize * 2 + self.combined as usize
    }

    /// All comparisons.
    pub fn all() -> impl Iterator<Item = Compare> {
        (0..COUNT).map(Compare::at)
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
        LOOPS[self.index()]
    }

    const fn made(self) -> Tiered {
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
            Equality::Eq => self.single::<T, relation::Eq, { Equality::Eq.form() }>(),
            Equality::Ne => self.single::<T, relation::Eq, { Equality::Ne.form() }>(),
        }
    }

    const fn order<T: Comparable>(self, test: Order) -> Tiered {
        match test {
            Order::Lt => self.single::<T, relation::Lt, { Order::Lt.form() }>(),
            Order::Le => self.single::<T, relation::Lt, { Order::Le.form() }>(),
            Order::Gt => self.single::<T, relation::Lt, { Order::Gt.form() }>(),
            Order::Ge => self.single::<T, relation::Lt, { Order::Ge.form() }>(),
        }
    }

    const fn relation<T: Comparable>(self, test: Relation) -> Tiered {
        by_relation!(test, self.single::<T>)
    }

    const fn pair<H: Comparable>(self, test: Relation) -> Tiered
    where
        Both<H>: Value<Word = u32>,
    {
        by_relation!(test, self.double::<H>)
    }

    const fn single<T: Comparable, C: Comparison, const HOW: u8>(self) -> Tiered {
        match (self.into, self.combined) {
            (Truth::Predicates, false) if T::COMMON => setp::<T, C, HOW>(),
            (Truth::Predicates, false) => outcome::<T, C, HOW, { Form::AS_IT_IS }>(),
            (Truth::Predicates, true) if T::COMMON => setp_combined::<T, C, HOW>(),
            (Truth::Predicates, true) => outcome::<T, C, HOW, { Form::COMBINED }>(),
            (Truth::Word, false) => outcome::<T, C, HOW, { Form::WORD }>(),
            (Truth::Word, true) => outcome::<T, C, HOW, { Form::WORD | Form::COMBINED }>(),
        }
    }

    const fn double<H: Comparable, C: Comparison, const HOW: u8>(self) -> Tiered
    where
        Both<H>: Value<Word = u32>,
    {
        match (self.into, self.combined) {
            (Truth::Predicates, false) => outcome_of_pair::<H, C, HOW, { Form::AS_IT_IS }>(),
            (Truth::Predicates, true) => outcome_of_pair::<H, C, HOW, { Form::COMBINED }>(),
            (Truth::Word, false) => outcome_of_pair::<H, C, HOW, { Form::WORD }>(),
            (Truth::Word, true) => outcome_of_pair::<H, C, HOW, { Form::WORD | Form::COMBINED }>(),
        }
    }
}

/// The first index of the comparisons for order, of floats, and of pairs.
const ORDERS: usize = Equality::ALL.len() * Width::ALL.len();
const REALS: usize = ORDERS + Order::ALL.len() * Whole::ALL.len();
const PAIRS: usize = REALS + Relation::ALL.len() * Real::ALL.len();

impl Test {
    /// The tests by type, and the tests of a type by relation.
    const fn at(index: usize) -> Test {
        if index < ORDERS {
            let (of, ty) = (index % Equality::ALL.len(), index / Equality::ALL.len());
            Test::Equality(Equality::ALL[of], Width::ALL[ty])
        } else if index < REALS {
            let index = index - ORDERS;
            let (of, ty) = (index % Order::ALL.len(), index / Order::ALL.len());
            Test::Order(Order::ALL[of], Whole::ALL[ty])
        } else if index < PAIRS {
            let index = index - REALS;
            let (of, ty) = (index % Relation::ALL.len(), index / Relation::ALL.len());
            Test::Real(Relation::ALL[of], Real::ALL[ty])
        } else {
            let index = index - PAIRS;
            let (of, ty) = (index % Relation::ALL.len(), index / Relation::ALL.len());
            Test::Pair(Relation::ALL[of], Pair::ALL[ty])
        }
    }

    const fn index(self) -> usize {
        match self {
            Test::Equality(of, ty) => of as usize + ty as usize * Equality::ALL.len(),
            Test::Order(of, ty) => ORDERS + of as usize + ty as usize * Order::ALL.len(),
            Test::Real(of, ty) => REALS + of as usize + ty as usize * Relation::ALL.len(),
            Test::Pair(of, ty) => PAIRS + of as usize + ty as usize * Relation::ALL.len(),
        }
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
fn truth<T: Value, X: Comparable, C: Comparison, const FUSED: bool>(
    (flags, code): (Flags, Code<FUSED>),
    (a, b): (&[T::Word; LANES], &[T::Word; LANES]),
    part: impl Fn(T) -> X,
) -> Mask {
    let of = |words: &[T::Word; LANES], lane: usize| part(T::of(words[lane]));
    if X::FLUSHES && flags.has(Flags::FTZ) {
        lanes_where(code, |lane| C::holds(of(a, lane).flushed_key(), of(b, lane).flushed_key()))
    } else {
        lanes_where(code, |lane| C::holds(of(a, lane).key(), of(b, lane).key()))
    }
}

/// The same of whole operands.
#[inline(always)]
fn holds<T: Comparable, C: Comparison, const FUSED: bool>(
    with: (Flags, Code<FUSED>),
    operands: (&[T::Word; LANES], &[T::Word; LANES]),
) -> Mask {
    truth::<T, T, C, FUSED>(with, operands, |x| x)
}

/// The lanes where a comparison of the lower, and of the upper, halves holds.
#[inline(always)]
fn pairs_hold<H: Comparable, C: Comparison, const FUSED: bool>(
    with: (Flags, Code<FUSED>),
    operands: (&[u32; LANES], &[u32; LANES]),
) -> [Mask; 2]
where
    Both<H>: Value<Word = u32>,
{
    let lower = truth::<Both<H>, H, C, FUSED>(with, operands, |pair| pair.0);
    let upper = truth::<Both<H>, H, C, FUSED>(with, operands, |pair| pair.1);
    [lower, upper]
}

/// `setp` of common types.
pub(super) struct Setp<T, C, const FUSED: bool>(
    pub(super) (Flags, Code<FUSED>),
    pub(super) Form,
    pub(super) PhantomData<(T, C)>,
);

/// Any other comparison of `T`.
struct Single<T, C, const FUSED: bool>((Flags, Code<FUSED>), PhantomData<(T, C)>);

/// A comparison of pairs of `H`.
struct Double<H, C, const FUSED: bool>((Flags, Code<FUSED>), PhantomData<(H, C)>);

/// All lanes of two operands, and a predicate.
type TwoAndMask<'a, W> = (&'a [W; LANES], &'a [W; LANES], &'a Mask);

impl<T: Comparable, C: Comparison, const FUSED: bool>
    Body<(T::Word, T::Word, Predicate), (Predicate, Predicate)> for Setp<T, C, FUSED>
{
    #[inline(always)]
    fn lanes(&self, (a, b, c): TwoAndMask<'_, T::Word>) -> (Mask, Mask) {
        let flags = self.0.0;
        let truth = self.1.settled(holds::<T, C, FUSED>(self.0, (a, b)));
        (combined(flags, *c, truth), combined(flags, *c, !truth))
    }
}

/// All lanes of two operands.
type Two<'a, W> = (&'a [W; LANES], &'a [W; LANES]);

impl<T: Comparable, C: Comparison, const FUSED: bool>
    Body<(T::Word, T::Word), (Predicate, Predicate)> for Setp<T, C, FUSED>
{
    #[inline(always)]
    fn lanes(&self, from: Two<'_, T::Word>) -> (Mask, Mask) {
        let truth = self.1.settled(holds::<T, C, FUSED>(self.0, from));
        (truth, !truth)
    }
}

impl<T: Comparable, C: Comparison, const FUSED: bool> Body<(T::Word, T::Word), Truths>
    for Single<T, C, FUSED>
{
    #[inline(always)]
    fn lanes(&self, from: Two<'_, T::Word>) -> [Mask; 2] {
        let truth = holds::<T, C, FUSED>(self.0, from);
        [truth, truth]
    }
}

impl<H: Comparable, C: Comparison, const FUSED: bool> Body<(u32, u32), Truths>
    for Double<H, C, FUSED>
where
    Both<H>: Value<Word = u32>,
{
    #[inline(always)]
    fn lanes(&self, from: Two<'_, u32>) -> [Mask; 2] {
        pairs_hold::<H, C, FUSED>(self.0, from)
    }
}

const fn setp<T: Comparable, C: Comparison, const HOW: u8>() -> Tiered {
    shared!([T: Comparable, C: Comparison] [T, C] of [const HOW: u8, const INTO: u8] [HOW, { Form::AS_IT_IS }] form: Form = Form::new(HOW | INTO);
            |r, o| {
        let body = Setp((o.flags, r.code()), form, PhantomData::<(T, C)>);
        let from = form.ordered(o.a, o.b);
        r.apply::<(T::Word, T::Word), (Predicate, Predicate)>(from, (o.d, o.d2), body);
    })
    .without_avx512()
}

const fn setp_combined<T: Comparable, C: Comparison, const HOW: u8>() -> Tiered {
    shared!([T: Comparable, C: Comparison] [T, C]
            of [const HOW: u8] [HOW] form: Form = Form::new(HOW);
            |r, o| {
        let body = Setp((o.flags, r.code()), form, PhantomData::<(T, C)>);
        let (a, b) = form.ordered(o.a, o.b);
        r.apply::<(T::Word, T::Word, Predicate), (Predicate, Predicate)>((a, b, o.c), (o.d, o.d2), body);
    })
    .without_avx512()
}

const fn outcome<T: Comparable, C: Comparison, const HOW: u8, const INTO: u8>() -> Tiered {
    shared!([T: Comparable, C: Comparison] [T, C] of [const HOW: u8, const INTO: u8] [HOW, INTO] form: Form = Form::new(HOW | INTO);
            |r, o| {
        let body = Single((o.flags, r.code()), PhantomData::<(T, C)>);
        let to = Outcome { operands: *o, form, of_pairs: false };
        r.apply::<(T::Word, T::Word), Truths>(form.ordered(o.a, o.b), to, body);
    })
    .without_avx512()
}

const fn outcome_of_pair<H: Comparable, C: Comparison, const HOW: u8, const INTO: u8>() -> Tiered
where
    Both<H>: Value<Word = u32>,
{
    shared!([H: Comparable, C: Comparison] [H, C] where [Both<H>: Value<Word = u32>]
            of [const HOW: u8, const INTO: u8] [HOW, INTO] form: Form = Form::new(HOW | INTO);
            |r, o| {
        let body = Double((o.flags, r.code()), PhantomData::<(H, C)>);
        let to = Outcome { operands: *o, form, of_pairs: true };
        r.apply::<(u32, u32), Truths>(form.ordered(o.a, o.b), to, body);
    })
    .without_avx512()
}
