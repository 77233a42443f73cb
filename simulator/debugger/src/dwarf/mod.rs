//! The debug information of a module: the variables of the source, their types, and where they are.
//!
//! Compilers write it into PTX as DWARF in `.section`s (PTX ISA 11.5.3), when they are asked to:
//! `nvcc -G`, `clang -g`, numba with `debug=True`. It is read at the first request for a variable,
//! so modules load as fast as without it. Sections that are not well-formed give one error, and the
//! debugger goes on without variables.
//!
//! Where it can be wrong: a label means its line of the PTX. Instructions on one line with a label
//! between them have one place.

mod build;
mod expression;
mod known;
mod model;
mod read;
mod sections;
#[cfg(test)]
mod tests;

pub(crate) use expression::{Spot, evaluate};
pub(crate) use known::Known;
pub(crate) use model::{
    DebugInfo, Encoding, Locations, Member, Qualifier, Scope, ScopeKind, Ty, TypeId, Variable,
};
pub(crate) use sections::code_address;
