//! The change of the register-caching pass to one access, and its wording.

use std::fmt;
use std::sync::Arc;

use crate::ptx::{InstId, Source, Span};

/// One changed access.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The function that contains it.
    pub function: Arc<str>,
    /// The access as it was in the original module.
    pub inst: InstId,
    /// Its place in the original text.
    pub span: Span,
    /// Its opcode and modifiers: `ld.shared.u32`.
    pub access: String,
    /// What was done to it.
    pub change: Change,
    /// Where the value is kept instead.
    pub holder: Holder,
    /// The access that put the value there: for a store, itself. An original id, which need not
    /// have survived.
    pub produced_by: InstId,
    /// The place of that access.
    pub produced_at: Span,
    /// The copy that replaces a load. None when the value was in the load's own register already,
    /// and for stores.
    pub replacement: Option<InstId>,
    /// The instructions of the new module between which memory and register may differ. None when
    /// nothing of the function follows.
    pub lag: Option<Lag>,
}

/// What was done to an access.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A load takes the value that a store put there.
    Forwarded,
    /// A load takes the value that an earlier load read there.
    Reused,
    /// A store does not happen: these overwrite its bytes before anything may read them.
    Overwritten(Vec<(InstId, Span)>),
    /// A store happens later, beside this instruction.
    Sunk {
        /// The instruction it was moved to.
        beside: InstId,
        /// Its place in the original text.
        beside_at: Span,
        /// The store was put before it; otherwise behind it.
        before: bool,
    },
}

/// Where a value is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Holder {
    /// In a register.
    Register(Arc<str>),
    /// Nowhere: it is this constant.
    Constant(String),
}

/// An interval of the new module in which memory lags behind a register.
#[derive(Clone, Debug, PartialEq)]
pub struct Lag {
    /// The first instruction before which the access would have happened.
    pub from: InstId,
    /// The instructions that end it, one on each way on: for a load, where it stood; for a store
    /// that is overwritten, where the overwriting stores are or were; for a store that was sunk,
    /// itself.
    pub until: Vec<InstId>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::Register(name) => f.write_str(name),
            Holder::Constant(text) => f.write_str(text),
        }
    }
}

impl Remark {
    /// The reason in words, with lines of the PTX text that the original module was parsed from.
    pub fn message(&self, source: &Source) -> String {
        self.worded(&|_, span| source.line(span.start).to_string())
    }

    /// The reason in words. `line` words the line of an original instruction, for example the line
    /// of the CUDA source behind it.
    pub fn worded(&self, line: &dyn Fn(InstId, Span) -> String) -> String {
        let here = line(self.inst, self.span);
        let produced = line(self.produced_by, self.produced_at);
        let holder = &self.holder;
        match &self.change {
            Change::Forwarded => format!(
                "the load at line {here} reads {holder}, cached at line {produced}: no load happens"
            ),
            Change::Reused => format!(
                "the load at line {here} reads {holder}, loaded at line {produced}: no load happens"
            ),
            Change::Overwritten(by) => {
                let mut lines: Vec<String> = by.iter().map(|(inst, at)| line(*inst, *at)).collect();
                lines.dedup();
                let kept = match holder {
                    Holder::Register(name) => format!("at line {here} stays in {name}"),
                    Holder::Constant(text) => format!("of {text} at line {here} stays out"),
                };
                format!(
                    "the store {kept}: line {} overwrites it before anything may read it, \
                     no store happens",
                    lines.join(" or ")
                )
            }
            Change::Sunk { beside, beside_at, before } => {
                let waits = match holder {
                    Holder::Register(name) => format!("at line {here} waits in {name}"),
                    Holder::Constant(text) => format!("of {text} at line {here} waits"),
                };
                let side = if *before { "before" } else { "after" };
                let there = line(*beside, *beside_at);
                format!("the store {waits}: it happens just {side} line {there}")
            }
        }
    }
}
