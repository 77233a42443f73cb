//! Passes: a module in, a module and remarks out.
//!
//! A pass rewrites PTX into PTX, so whatever runs the original (the simulator, a GPU) runs the
//! result too. It reports its changes as [`Remark`]s beside the result. Instructions keep their
//! [`InstId`](crate::ptx::InstId). An instruction that a pass adds takes a fresh id, and the span
//! of the access that it replaces.
//!
//! There is one pass so far, [`register_cache()`]. It does what an optimising compiler may do to
//! one thread's memory accesses when it may assume that no other thread looks. Its analyses are the
//! files beside it, in this order:
//!
//! | file | question |
//! |---|---|
//! | `body` | which registers, variables and labels do a function's names mean? |
//! | `cfg` | which instruction can follow which? |
//! | `effects`, `summaries` | what does an instruction, or a call, do to memory? |
//! | `values`, `numbering` | which registers hold equal values, as linear forms? |
//! | `alias` | can two accesses touch the same byte? |
//! | `forwarding` | which loads find their value in a register? |
//! | `dead_stores` | which stores are overwritten before anything may read them? |
//! | `sinking` | how far down can the store that remains go? |
//! | `keeping`, `rewrite`, `remark` | the new text, and why |
//! | `origins` | which variable is an address made from? |
//! | `policy` | which rules are on, and, in tests, which is broken |
//!
//! `synchronised` adds barriers at given places; it is no pass that a user can name.

mod alias;
mod analysis;
mod dead_stores;
mod error;
mod forwarding;
mod function;
mod keeping;
mod numbering;
mod origins;
mod policy;
mod register_cache;
mod remark;
mod rewrite;
mod sinking;
mod synchronised;
#[cfg(test)]
mod tests;
mod values;

use crate::ptx::Module;

pub use error::PassError;
pub use origins::{Origin, origins};
pub use register_cache::register_cache;
pub use remark::{Change, Holder, Lag, Remark};
pub use synchronised::{Side, Synchronisation, synchronised};

/// What a pass hands back.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// The module after the pass. Unchanged instructions keep their ids.
    pub module: Module,
    /// What was changed, in the order of the original text.
    pub remarks: Vec<Remark>,
}

/// A pass. It leaves alone everything that it does not understand.
///
/// # Errors
/// The module defines a function twice.
pub type Pass = fn(&Module) -> Result<Rewritten, PassError>;

/// The names of all passes, for [`by_name`].
pub const NAMES: &[&str] = &["register-cache"];

/// Finds a pass by its name on the command line.
///
/// ```
/// assert!(warpsim::passes::by_name("register-cache").is_some());
/// assert!(warpsim::passes::by_name("no-such-pass").is_none());
/// ```
pub fn by_name(name: &str) -> Option<Pass> {
    match name {
        "register-cache" => Some(register_cache),
        _ => None,
    }
}
