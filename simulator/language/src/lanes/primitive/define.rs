//! How a family of primitives is written down: a name and a [`Definition`] for each, in one table.
//!
//! ```text
//! primitives! {
//!     /// Counting and reversing bits.
//!     pub enum Bits {
//!         PopcB32 = lanes!(unary(u32) -> u32, u32::count_ones);
//!         BrevB32 = lanes!(unary(u32) -> u32, u32::reverse_bits).moving();
//!     }
//! }
//! ```
//!
//! makes the enum with `ALL`, and the definition of each of its values. The scalar functions must
//! be total: they are also called for lanes that are not active, and those results are dropped.

use super::role::Role;
use crate::lanes::Tiered;

/// What a primitive is, beside its name.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Its operands, destinations first.
    pub(super) roles: &'static [Role],
    /// Whether it only moves bits: each bit of its result is a bit of a source, or a logic
    /// function of some.
    pub(super) moves: bool,
    /// Its lane loop.
    pub(super) run: Tiered,
    /// Whether AVX-512 makes the loop faster, so that it is compiled for it.
    wide: bool,
}

impl Definition {
    /// One that computes.
    pub(super) const fn new(roles: &'static [Role], run: Tiered) -> Definition {
        Definition { roles, moves: false, run, wide: false }
    }

    /// The same for one that AVX-512 makes faster (by a tenth or more, by `warpsim bench variants`).
    pub(super) const fn wide(self) -> Definition {
        Definition { wide: true, ..self }
    }

    /// The same with the loops that it needs: a third one only if AVX-512 makes it faster.
    pub(super) const fn settled(self) -> Definition {
        if self.wide { self } else { Definition { run: self.run.without_avx512(), ..self } }
    }

    /// The same of one that only moves bits.
    pub(super) const fn moving(self) -> Definition {
        Definition { moves: true, ..self }
    }
}

/// A family: an enum with a definition for each value. All definitions of a `wide` one are wide.
macro_rules! primitives {
    (
        $(#[$about:meta])*
        pub enum $family:ident wide {
            $($name:ident = $definition:expr;)*
        }
    ) => {
        primitives! {
            $(#[$about])*
            pub enum $family {
                $($name = $definition.wide();)*
            }
        }
    };
    (
        $(#[$about:meta])*
        pub enum $family:ident {
            $($name:ident = $definition:expr;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "named like the instructions they come from")]
        pub enum $family {
            $($name),*
        }

        impl $family {
            /// All of the family, in the order of the table.
            pub const ALL: &'static [$family] = &[$($family::$name),*];

            const TABLE: &'static [Definition] = &[$($definition.settled()),*];

            pub(in crate::lanes::primitive) const fn definition(self) -> Definition {
                $family::TABLE[self as usize]
            }
        }
    };
}

/// The loop of a common shape around a scalar function: `lanes!(binary(u32, u32) -> u32, f)`, or
/// `with_flags f` for a function whose first argument is the flags.
macro_rules! lanes {
    ($shape:ident($($arg:ty),+) -> $d:ty, with_flags $f:expr) => {
        lanes!(@ $shape($($arg),+) -> $d, flags, $f)
    };
    ($shape:ident($($arg:ty),+) -> $d:ty, $f:expr) => {
        lanes!(@ $shape($($arg),+) -> $d, no_flags, $f)
    };
    (@ unary($a:ty) -> $d:ty, $flags:ident, $f:expr) => {
        body!([D(<$d>), A(<$a>)], |r, o| {
            $crate::lanes::unary::<$a, $d, _>(r, o, scalar!($flags, o, $f, |a|))
        })
    };
    (@ binary($a:ty, $b:ty) -> $d:ty, $flags:ident, $f:expr) => {
        body!([D(<$d>), A(<$a>), B(<$b>)], |r, o| {
            $crate::lanes::binary::<$a, $b, $d, _>(r, o, scalar!($flags, o, $f, |a, b|))
        })
    };
    (@ binary_uniform($a:ty, $b:ty) -> $d:ty, $flags:ident, $f:expr) => {
        body!([D(<$d>), A(<$a>), B(<$b>)], |r, o| {
            $crate::lanes::binary_uniform::<$a, $b, $d, _>(r, o, scalar!($flags, o, $f, |a, b|))
        })
    };
    (@ ternary($a:ty, $b:ty, $c:ty) -> $d:ty, $flags:ident, $f:expr) => {
        body!([D(<$d>), A(<$a>), B(<$b>), C(<$c>)], |r, o| {
            $crate::lanes::ternary::<$a, $b, $c, $d, _>(r, o, scalar!($flags, o, $f, |a, b, c|))
        })
    };
    (@ quaternary($a:ty, $b:ty, $c:ty, $e:ty) -> $d:ty, $flags:ident, $f:expr) => {
        body!([D(<$d>), A(<$a>), B(<$b>), C(<$c>), E(<$e>)], |r, o| {
            $crate::lanes::quaternary::<$a, $b, $c, $e, $d, _>(
                r, o, scalar!($flags, o, $f, |a, b, c, e|))
        })
    };
}

/// The scalar function; one that asked for the flags gets them as its first argument.
macro_rules! scalar {
    (no_flags, $o:ident, $f:expr, |$($arg:ident),+|) => {
        $f
    };
    (flags, $o:ident, $f:expr, |$($arg:ident),+|) => {{
        let flags = $o.flags;
        move |$($arg),+| ($f)(flags, $($arg),+)
    }};
}

/// Operands spelled out, and any body over `(loops, operands)`, compiled for each tier. An operand
/// is a role with the Rust type that it is read as, `A(<u32>)`, with a PTX type, `A[Pred]`, or
/// without any: `DPair`.
macro_rules! body {
    (
        [$($role:ident $((<$ty:ty>))? $([$ptx:ident])?),*],
        |$r:ident, $o:ident| $body:expr
    ) => {{
        const ROLES: &[$crate::lanes::Role] = &[$(
            $crate::lanes::Role::$role
                $((<$ty as $crate::lanes::Value>::TYPE))?
                $(($crate::ptx::Type::$ptx))?
        ),*];
        Definition::new(ROLES, $crate::lanes::simd::tiered!([] [] |$r, $o| $body))
    }};
}

pub(super) use {body, lanes, primitives, scalar};
