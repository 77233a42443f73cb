//! Register operations as named values.
//!
//! A [`Primitive`] is the computation of an instruction from registers into registers, in each lane
//! separately. It has a name, operands with roles and types, and a lane loop that executes it for a
//! warp. Two instructions that mean the same share one. Some modifiers of an instruction are the
//! same for every type of it (rounding, `.ftz`, `.sat`, ...). They are no part of the primitive but
//! [`crate::lanes::Flags`] beside its operands.
//!
//! The families are enums, each with a table in its file. Comparisons and conversions, with one for
//! each pair of types, are spelled by their parts. The table of instructions ([`crate::isa`]) names
//! primitives. Lowering makes [`RegisterOperation`]s of them, which the machine executes.

mod approximate;
mod bits;
pub mod compare;
mod convert;
mod define;
mod extended;
mod float;
mod half;
mod integer;
mod logic;
mod mixed;
mod narrow;
mod operation;
mod pair;
mod part;
mod role;
pub mod video;

use std::fmt;

pub use approximate::Approximate;
pub use bits::Bits;
pub use compare::Compare;
pub use convert::{Convert, Number, Packed};
pub use define::Definition;
pub use extended::Extended;
pub use float::Float;
pub use half::Half;
pub use integer::Integer;
pub use logic::{Logic, Move};
pub use mixed::Mixed;
pub use narrow::Narrow;
pub use operation::RegisterOperation;
pub use pair::Pair;
pub use role::Role;
pub use video::Video;

use super::{Dataflow, Tiered};

/// The families of primitives: an enum of them, and what each asks of its family.
macro_rules! families {
    (tables { $($(#[$about:meta])* $table:ident),* $(,)? }) => {
        /// A named register operation.
        ///
        /// ```
        /// use warpsim::lanes::Primitive;
        /// use warpsim::lanes::primitive::Integer;
        ///
        /// let add = Primitive::Integer(Integer::AddU32);
        /// assert_eq!(add.to_string(), "add.u32");
        /// assert_eq!(add.roles().len(), 3);
        /// assert!(Primitive::all().any(|primitive| primitive == add));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Primitive {
            $($(#[$about])* $table($table),)*
            /// Comparisons into predicates and words.
            Compare(Compare),
            /// Conversions between two types.
            Convert(Convert),
        }

        impl Primitive {
            /// Every primitive, family by family.
            pub fn all() -> impl Iterator<Item = Primitive> {
                let tables = std::iter::empty();
                $(let tables = tables.chain($table::ALL.iter().copied().map(Primitive::$table));)*
                let compare = Compare::all().map(Primitive::Compare);
                tables.chain(compare).chain(Convert::all().map(Primitive::Convert))
            }

            const fn definition(self) -> Definition {
                match self {
                    $(Primitive::$table(primitive) => primitive.definition(),)*
                    Primitive::Compare(compare) => Definition::new(compare.roles(), compare.run()),
                    Primitive::Convert(convert) => convert.definition(),
                }
            }
        }

        /// `add.u32`: its name, as the instruction that it comes from.
        impl fmt::Display for Primitive {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Primitive::$table(primitive) => dotted(f, &format!("{primitive:?}")),)*
                    Primitive::Compare(compare) => compare.fmt(f),
                    Primitive::Convert(convert) => convert.fmt(f),
                }
            }
        }
    };
}

families! {
    tables {
        /// Integer arithmetic.
        Integer,
        /// Bit counting, searching, bit fields, and packed dot products.
        Bits,
        /// Arithmetic with the carry flag.
        Extended,
        /// Floating-point arithmetic of f32 and f64.
        Float,
        /// The approximate functions of f32 and f64.
        Approximate,
        /// Half-precision arithmetic.
        Half,
        /// Arithmetic of f32 pairs, and of f32 with halves.
        Mixed,
        /// Logic, shifts, byte permutation and selection.
        Logic,
        /// The parts of `mov`.
        Move,
        /// Conversions into the parts of a register.
        Packed,
        /// Conversions to and from floats of at most 8 bits, and stochastic rounding.
        Narrow,
        /// Video instructions.
        Video,
    }
}

impl Primitive {
    /// Its operands, destinations first.
    pub const fn roles(self) -> &'static [Role] {
        self.definition().roles
    }

    /// The lane loop that executes it, for each tier.
    pub const fn run(self) -> Tiered {
        self.definition().run
    }

    /// What it reads and writes, and whether it only moves bits.
    pub fn dataflow(self) -> Dataflow {
        let Definition { roles, moves, .. } = self.definition();
        role::dataflow(roles, moves)
    }
}

/// `MulHiU16` as `mul.hi.u16`.
fn dotted(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    use fmt::Write;
    name.char_indices().try_for_each(|(at, letter)| {
        if at > 0 && letter.is_ascii_uppercase() {
            f.write_char('.')?;
        }
        f.write_char(letter.to_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests;
