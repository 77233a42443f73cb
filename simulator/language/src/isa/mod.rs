//! The table of instructions (PTX ISA chapter 9): each form of each opcode is defined once, here.
//!
//! An [`Opcode`] has a name, its section in the ISA, a line on its effect, and [`Form`]s: a pattern
//! of modifiers and the action for it. From this table lowering checks modifiers and operands and
//! picks the operation. `warpsim isa` and the book print the supported forms. The table is split by
//! family, one file each, as the sections of the ISA's chapter 9.7 are.
//!
//! Most instructions are pure register operations: their row names the primitive that they compute
//! ([`crate::lanes::Primitive`]). The others ([`Structural`]) touch memory, control flow or other
//! threads; their row names the routine of `lower` that translates them.

mod arithmetic;
#[cfg(test)]
mod conformance;
mod declared;
mod early;
mod effect;
mod lookup;
mod nearest;
mod need;
mod operand_needs;
mod operations;
mod order;
mod pattern;
mod requirements;
mod row;
mod warnings;

pub use arithmetic::video::VideoInstruction;
pub use early::ImpliedModifiers;
pub use effect::{Destinations, Effect, effect};
pub use lookup::{
    FormEntry, Found, NoForm, forms, lookup, lookup_with, opcode, opcodes, opcodes_named,
};
pub use need::{Level, Need, first_version, targets};
pub use operations::mbarrier::MbarrierInstruction;
pub use operations::texture::ImageInstruction;
pub use operations::warp::WarpInstruction;
pub use pattern::{Matched, Pattern};
pub use requirements::{Cause, Needs, lowest, needs};
pub use row::{Action, Form, Opcode, Structural};
pub use warnings::{Warning, WarningKind, warnings};

/// The families, in the order of the ISA's chapter 9.7. (Static: an entry is known by its address,
/// which a constant may have several of.)
static FAMILIES: &[&[Opcode]] = &[
    arithmetic::integer::OPCODES,
    arithmetic::bits::OPCODES,
    arithmetic::dot::OPCODES,
    arithmetic::extended::OPCODES,
    arithmetic::float::OPCODES,
    arithmetic::float_approx::OPCODES,
    arithmetic::half::OPCODES,
    arithmetic::mixed::OPCODES,
    arithmetic::compare::OPCODES,
    arithmetic::logic::OPCODES,
    arithmetic::convert::OPCODES,
    operations::memory::OPCODES,
    operations::asynchronous::OPCODES,
    operations::control::OPCODES,
    operations::sync::OPCODES,
    operations::mbarrier::OPCODES,
    operations::atomic::OPCODES,
    operations::warp::OPCODES,
    operations::matrix::OPCODES,
    arithmetic::video::OPCODES,
    operations::texture::OPCODES,
    operations::unsupported::OPCODES,
];
