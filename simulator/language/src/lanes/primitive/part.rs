//! Register operations that may be in a pair ([`super::pair`]). Each has the scalar function that
//! its own loop and the loops of pairs are made of.

use std::marker::PhantomData;

use super::compare::{Compare, Setp, Test, Truth, Whole, Width};
use super::define::{Definition, body, lanes, scalar};
use super::{Integer, Logic, Primitive};
use crate::lanes::loops::{of_one, of_three, of_two};
use crate::lanes::scalar::comparison as relation;
use crate::lanes::scalar::integers::{Integer as _, shl_32, shl_64, shr_u32};
use crate::lanes::simd::{Code, Form};
use crate::lanes::{Body, Flags, Inputs, Operands, Outputs, Predicate, Slot, Value};

/// A register operation that may be part of a pair.
pub(super) trait Part {
    /// Its sources, and their banks.
    type From: Inputs;
    /// Its destination, or two.
    type To: Outputs;
    /// If set, its second operand is a constant below this, and no source: the loop has it as a
    /// number.
    const BELOW: Option<u32>;
    /// Its first two sources may be exchanged.
    const COMMUTES: bool;

    /// How the loop has it; `None` if the primitive is another one.
    fn form(primitive: Primitive) -> Option<Form>;
    /// Its sources one after the other. A last one is repeated in place of missing sources.
    fn sources(o: &Operands, form: Form) -> [Slot; 3];
    /// Its sources.
    fn from(sources: [Slot; 3]) -> <Self::From as Inputs>::Slots;
    /// Its destinations.
    fn to(o: &Operands) -> <Self::To as Outputs>::Slots;
    /// The computation, if the constant is this number.
    fn body<const FUSED: bool>(
        with: (Flags, Code<FUSED>),
        form: Form,
        constant: u32,
    ) -> impl Body<Self::From, Self::To>;
}

/// Parts by their primitives, each with the shape of its loop and the scalar function.
macro_rules! parts {
    ($($name:ident: $family:ident $how:tt = $shape:ident($($arg:ty),+) -> $d:ty, $f:expr;)*) => {
        $(
            pub(super) struct $name;

            impl $name {
                pub(super) const DEFINITION: Definition = lanes!($shape($($arg),+) -> $d, $f);
            }

            impl Part for $name {
                type To = <$d as Value>::Word;
                const COMMUTES: bool = parts!(@ commutes $how);
                const BELOW: Option<u32> = parts!(@ below $how);

                fn form(primitive: Primitive) -> Option<Form> {
                    let is_it = primitive == Primitive::$family($family::$name);
                    is_it.then_some(Form::new(Form::AS_IT_IS))
                }
                #[inline(always)]
                fn to(o: &Operands) -> Slot {
                    o.d
                }
                parts!(@ $shape($($arg),+) -> $d, $f);
            }
        )*
    };
    (@ commutes commutes) => { true };
    (@ commutes $other:tt) => { false };
    (@ below (below $limit:literal)) => { Some($limit) };
    (@ below $other:tt) => { None };
    (@ binary_uniform($a:ty, $b:ty) -> $d:ty, $f:expr) => {
        type From = (<$a as Value>::Word,);

        fn sources(o: &Operands, _: Form) -> [Slot; 3] {
            [o.a; 3]
        }
        #[inline(always)]
        fn from([a, ..]: [Slot; 3]) -> (Slot,) {
            (a,)
        }
        #[inline(always)]
        fn body<const FUSED: bool>(
            _: (Flags, Code<FUSED>),
            _: Form,
            constant: u32,
        ) -> impl Body<Self::From, Self::To> {
            // What it is below is said again, so that the loop need not look.
            let constant = Self::BELOW.map_or(constant, |limit| constant % limit);
            of_one::<$a, $d, _>(move |a| $f(a, <$b as Value>::of(constant)))
        }
    };
    (@ binary($a:ty, $b:ty) -> $d:ty, $f:expr) => {
        type From = (<$a as Value>::Word, <$b as Value>::Word);

        fn sources(o: &Operands, _: Form) -> [Slot; 3] {
            [o.a, o.b, o.b]
        }
        #[inline(always)]
        fn from([a, b, _]: [Slot; 3]) -> (Slot, Slot) {
            (a, b)
        }
        #[inline(always)]
        fn body<const FUSED: bool>(
            _: (Flags, Code<FUSED>),
            _: Form,
            _: u32,
        ) -> impl Body<Self::From, Self::To> {
            of_two::<$a, $b, $d, _>($f)
        }
    };
    (@ ternary($a:ty, $b:ty, $c:ty) -> $d:ty, $f:expr) => {
        type From = (<$a as Value>::Word, <$b as Value>::Word, <$c as Value>::Word);

        fn sources(o: &Operands, _: Form) -> [Slot; 3] {
            [o.a, o.b, o.c]
        }
        #[inline(always)]
        fn from([a, b, c]: [Slot; 3]) -> (Slot, Slot, Slot) {
            (a, b, c)
        }
        #[inline(always)]
        fn body<const FUSED: bool>(
            _: (Flags, Code<FUSED>),
            _: Form,
            _: u32,
        ) -> impl Body<Self::From, Self::To> {
            of_three::<$a, $b, $c, $d, _>($f)
        }
    };
}

parts! {
    AddU32: Integer commutes = binary(u32, u32) -> u32, u32::wrapping_add;
    AddU64: Integer commutes = binary(u64, u64) -> u64, u64::wrapping_add;
    SubU32: Integer ordered = binary(u32, u32) -> u32, u32::wrapping_sub;
    MulLoU32: Integer commutes = binary(u32, u32) -> u32, u32::wrapping_mul;
    MulWideU32: Integer commutes = binary(u32, u32) -> u64, u32::wide_product;
    MulWideS32: Integer commutes = binary(i32, i32) -> i64, i32::wide_product;
    MadLoU32: Integer commutes = ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
        a.wrapping_mul(b).wrapping_add(c)
    };
    AndB32: Logic commutes = binary(u32, u32) -> u32, |a, b| a & b;
    OrB32: Logic commutes = binary(u32, u32) -> u32, |a, b| a | b;
    XorB32: Logic commutes = binary(u32, u32) -> u32, |a, b| a ^ b;
    ShlB32: Logic (below 32) = binary_uniform(u32, u32) -> u32, shl_32;
    ShlB64: Logic (below 64) = binary_uniform(u64, u32) -> u64, shl_64;
    ShrU32: Logic (below 32) = binary_uniform(u32, u32) -> u32, shr_u32;
}

/// `setp` by comparisons of a type that come from one loop.
macro_rules! setps {
    ($($name:ident: $test:ident $of:ident $ty:ident = $value:ty, $relation:ident;)*) => {
        $(
            pub(super) struct $name;

            impl Part for $name {
                type From = (<$value as Value>::Word, <$value as Value>::Word);
                type To = (Predicate, Predicate);
                const BELOW: Option<u32> = None;
                const COMMUTES: bool = false;

                fn form(primitive: Primitive) -> Option<Form> {
                    let Primitive::Compare(Compare {
                        test: Test::$test(test, $of::$ty),
                        into: Truth::Predicates,
                        combined: false,
                    }) = primitive
                    else {
                        return None;
                    };
                    Some(Form::new(test.form()))
                }
                fn sources(o: &Operands, form: Form) -> [Slot; 3] {
                    let (a, b) = form.ordered(o.a, o.b);
                    [a, b, b]
                }
                #[inline(always)]
                fn from([a, b, _]: [Slot; 3]) -> (Slot, Slot) {
                    (a, b)
                }
                #[inline(always)]
                fn to(o: &Operands) -> (Slot, Slot) {
                    (o.d, o.d2)
                }
                #[inline(always)]
                fn body<const FUSED: bool>(
                    with: (Flags, Code<FUSED>),
                    form: Form,
                    _: u32,
                ) -> impl Body<Self::From, Self::To> {
                    Setp(with, form, PhantomData::<($value, relation::$relation)>)
                }
            }
        )*
    };
}

setps! {
    SetpEqB32: Equality Width B32 = u32, Eq;
    SetpLtU32: Order Whole U32 = u32, Lt;
    SetpLtS32: Order Whole S32 = i32, Lt;
}
