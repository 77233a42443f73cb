//! The language: PTX text, its syntax tree, the table of instructions, and passes over modules.
//!
//! - [`ptx`]: lexer, parser, syntax tree, printer. Knows nothing of execution.
//! - [`isa`]: each opcode, defined once: its forms, what they need, what they do to registers.
//! - [`lanes`]: the registers of a warp and the loops over its 32 lanes.
//! - [`passes`]: module in, module and remarks out.
//! - [`names`]: names as their sources have them.
//! - [`diagnostics`]: messages drawn into the text that they are about.
//! - [`element`]: the types of the numbers in buffers, and their values as bits and as text.
//! - [`graph`]: control flow as blocks, and who dominates whom.
//! - [`scope`]: which declaration a name of a function body means.
//! - [`preference`]: what environment variables ask for.
//! - [`mod@internal`]: broken invariants of warpsim itself.
//!
//! This crate must not know warps that wait, memory, schedules, observers or hosts.

pub mod diagnostics;
pub mod element;
pub mod graph;
pub mod internal;
pub mod isa;
pub mod lanes;
pub mod names;
pub mod passes;
pub mod preference;
pub mod ptx;
pub mod scope;
