//! The uses of undefined values, and the words for each.

use crate::ptx::Space;

/// What an undefined value is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// It is computed with.
    Arithmetic,
    /// As an address, or the target of a call.
    Address,
    /// To decide where a thread goes, or whether it does something.
    Predicate,
    /// It is stored to global memory.
    GlobalStore,
    /// As the operand of an atomic operation.
    Atomic,
    /// An atomic operation reads it from memory.
    AtomicMemory,
    /// `redux` or `match` looks at it.
    Exchange,
    /// As a member mask, a lane, a barrier's number or count.
    Synchronisation,
}

impl Use {
    /// What was wrong, in a sentence.
    pub(super) fn explanation(self, space: Space) -> String {
        let memory = match space {
            Space::Shared => "shared",
            Space::Local => "local",
            _ => "global",
        };
        let what = match self {
            Use::Arithmetic => "computed with",
            Use::Address => "used as an address",
            Use::Predicate => "used to decide where a thread goes",
            Use::GlobalStore => "stored to global memory",
            Use::Atomic => "used by an atomic operation",
            Use::AtomicMemory => {
                return format!(
                    "an atomic operation changes a value of {memory} memory that was never written"
                );
            }
            Use::Exchange => "exchanged between the lanes of a warp",
            Use::Synchronisation => "used to say which threads take part",
        };
        format!("a value of {memory} memory that was never written is {what}")
    }
}

/// What to do about it.
pub(super) fn help(space: Space) -> &'static str {
    match space {
        Space::Shared => {
            "shared memory holds nothing when a block starts: write every element before it is \
             read, with a barrier between the two"
        }
        Space::Local => {
            "local variables hold nothing when their function is entered: initialise them"
        }
        _ => {
            "memory from cudaMalloc holds nothing: copy to it, clear it with cudaMemset, or let a \
             kernel write it first"
        }
    }
}

/// How the value mattered, after a computation used it.
pub(super) fn consequence(what: Use, operation: &str, line: u32) -> String {
    let how = match what {
        Use::Address => "the result is used as an address",
        Use::Predicate => "the result decides where a thread goes",
        Use::GlobalStore => "the result is stored to global memory",
        Use::Atomic => "the result is used by an atomic operation",
        Use::Exchange => "the result is exchanged between lanes",
        Use::Synchronisation => "the result says which threads take part",
        Use::Arithmetic | Use::AtomicMemory => "the result is used",
    };
    format!("{how}: `{operation}`, PTX line {line}")
}

/// Why a computation with an undefined value is worth no more than a note.
pub(super) const NO_CONSEQUENCE: &str = "it had no effect in this run: no address, branch, atomic \
                                         or store to global memory depends on the result";
