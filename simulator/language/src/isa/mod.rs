//! The table of instructions (PTX ISA chapter 9): each form of each opcode is defined once, here.
//!
//! An [`Opcode`] has a name, its section in the ISA, a line on what it does, and [`Form`]s: a
//! pattern of modifiers and what to do for it. From this table lowering checks modifiers and
//! operands and picks the operation, and `warpsim isa` and the book print what is supported. The
//! table is split by family, one file each, as the sections of the ISA's chapter 9.7 are.
//!
//! Most instructions are pure register operations: their row names the primitive that they compute
//! ([`crate::lanes::Primitive`]). The others ([`Structural`]) touch memory, control flow or other
//! threads; their row names the routine of `lower` that translates them.

mod asynchronous;
mod atomic;
mod bits;
mod compare;
#[cfg(test)]
mod conformance;
mod control;
mod convert;
mod convert_narrow;
mod declared;
mod dot;
mod early;
mod effect;
mod extended;
mod float;
mod float_approx;
mod half;
mod integer;
mod logic;
mod lookup;
mod matrix;
mod mbarrier;
mod memory;
mod mixed;
mod nearest;
mod need;
mod operand_needs;
mod order;
mod pattern;
mod requirements;
mod row;
mod sync;
mod texture;
mod unsupported;
mod video;
mod warnings;
mod warp;

pub use early::ImpliedModifiers;
pub use effect::{Destinations, Effect, effect};
pub use lookup::{
    FormEntry, Found, NoForm, forms, lookup, lookup_with, opcode, opcodes, opcodes_named,
};
pub use mbarrier::MbarrierInstruction;
pub use need::{Level, Need, first_version, targets};
pub use pattern::{Matched, Pattern};
pub use requirements::{Cause, Needs, lowest, needs};
pub use row::{Action, Form, Opcode, Structural};
pub use texture::ImageInstruction;
pub use video::VideoInstruction;
pub use warnings::{Warning, WarningKind, warnings};
pub use warp::WarpInstruction;

/// The families, in the order of the ISA's chapter 9.7. (Static: an entry is known by its address,
/// which a constant may have several of.)
static FAMILIES: &[&[Opcode]] = &[
    integer::OPCODES,
    bits::OPCODES,
    dot::OPCODES,
    extended::OPCODES,
    float::OPCODES,
    float_approx::OPCODES,
    half::OPCODES,
    mixed::OPCODES,
    compare::OPCODES,
    logic::OPCODES,
    convert::OPCODES,
    memory::OPCODES,
    asynchronous::OPCODES,
    control::OPCODES,
    sync::OPCODES,
    mbarrier::OPCODES,
    atomic::OPCODES,
    warp::OPCODES,
    matrix::OPCODES,
    video::OPCODES,
    texture::OPCODES,
    unsupported::OPCODES,
];
