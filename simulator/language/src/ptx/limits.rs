//! Texts that the parser refuses to read, although PTX would allow them.
//!
//! The limits are far above what compilers write, and far below what would exhaust the stack or the
//! memory.

/// The most variables (registers, mostly) of one function, and of module scope: 2^20.
pub const REGISTERS: u32 = 1 << 20;

/// The most bytes of one variable, all its elements together: 2^40.
pub const VARIABLE_BYTES: u64 = 1 << 40;

/// The deepest nesting of blocks, braces, brackets, parentheses and unary operators together.
pub const DEPTH: u32 = 128;
