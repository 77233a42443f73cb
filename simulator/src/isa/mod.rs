//! The table of instructions (PTX ISA chapter 9): each opcode is defined once, here.
//!
//! An [`Opcode`] has a name, its section in the ISA, a line on what it does, and [`Form`]s: a pattern of
//! modifiers and what to do for it. From this table lowering checks modifiers and operands and
//! picks the operation, and `warpsim isa` and the book print what is supported. The table is split by family,
//! one file each.
//!
//! Most instructions are pure register operations: their row holds a scalar function, wrapped in
//! the lane loop of its shape. The others ([`Structural`]) touch memory, control flow or other
//! threads; their row names the routine of `lower` that translates them.

mod integer;
mod pattern;
mod row;

pub use pattern::{Matched, Pattern};
pub use row::{Action, Form, Opcode, Operand, Structural};

/// The families, in the order of the ISA's chapter 9.7.
const FAMILIES: &[&[Opcode]] = &[integer::OPCODES];

/// All opcodes, supported or not.
pub fn opcodes() -> impl Iterator<Item = &'static Opcode> {
    FAMILIES.iter().copied().flatten()
}

/// The opcode of this name.
///
/// ```
/// assert_eq!(warpsim::isa::opcode("add").map(|o| o.section), Some("9.7.1.1"));
/// ```
pub fn opcode(name: &str) -> Option<&'static Opcode> {
    use std::collections::HashMap;
    use std::sync::OnceLock;
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Opcode>> = OnceLock::new();
    BY_NAME.get_or_init(|| opcodes().map(|o| (o.name, o)).collect()).get(name).copied()
}
