//! The possible effects of a call on memory: one summary for each function of a module.
//!
//! A summary is the union over the function's instructions and, to a fixed point, over the
//! functions it calls. Calls of functions without a body, and calls through a register, may do
//! everything, as barriers may. A callee's `.local` accesses count, since a generic pointer may
//! lead to the caller's.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::passes::error::{PassError, until_stable};
use crate::passes::function::body::Body;
use crate::passes::function::effects::{self, Effect};
use crate::ptx::{Function, Instruction, Module, OperandKind, Space};

/// A set of state spaces among global, shared and local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::passes) struct Spaces(u8);

impl Spaces {
    /// None of them.
    pub(in crate::passes) const NONE: Spaces = Spaces(0);
    /// All of them: what a generic address may lead to.
    pub(in crate::passes) const ALL: Spaces = Spaces(7);

    /// The space that an access names; all for a generic one.
    pub(in crate::passes) fn named(space: Option<Space>) -> Spaces {
        match space {
            Some(Space::Global) => Spaces(1),
            Some(Space::Shared) => Spaces(2),
            Some(Space::Local) => Spaces(4),
            _ => Spaces::ALL,
        }
    }

    /// Whether the two have a space in common.
    pub(in crate::passes) fn meet(self, other: Spaces) -> bool {
        self.0 & other.0 != 0
    }

    fn with(self, other: Spaces) -> Spaces {
        Spaces(self.0 | other.0)
    }
}

/// What a function may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::passes) struct Summary {
    /// Spaces it may read.
    pub(in crate::passes) reads: Spaces,
    /// Spaces it may write.
    pub(in crate::passes) writes: Spaces,
    /// It may synchronise, end the thread, or do something unknown.
    pub(in crate::passes) ends: bool,
}

impl Summary {
    /// Touches no memory.
    pub(in crate::passes) const NOTHING: Summary =
        Summary { reads: Spaces::NONE, writes: Spaces::NONE, ends: false };
    /// May do anything.
    pub(in crate::passes) const EVERYTHING: Summary =
        Summary { reads: Spaces::ALL, writes: Spaces::ALL, ends: true };

    /// Spaces it may read or write.
    pub(in crate::passes) fn touches(&self) -> Spaces {
        self.reads.with(self.writes)
    }

    fn with(self, other: Summary) -> Summary {
        Summary {
            reads: self.reads.with(other.reads),
            writes: self.writes.with(other.writes),
            ends: self.ends || other.ends,
        }
    }
}

/// The summaries of a module's functions.
#[derive(Clone, Debug, Default)]
pub(in crate::passes) struct Summaries {
    by_name: HashMap<Arc<str>, Summary>,
}

impl Summaries {
    /// Summarises every function that has a body.
    ///
    /// # Errors
    /// Two have one name.
    pub(in crate::passes) fn new(module: &Module) -> Result<Summaries, PassError> {
        let functions = defined(module)?.into_iter();
        let nothing = HashSet::new();
        let mut bodies: Vec<(Arc<str>, Body<'_>)> = Vec::new();
        for function in functions {
            let name = Arc::clone(&function.name.text);
            bodies.extend(Body::new(module, function, &nothing)?.map(|body| (name, body)));
        }
        let mut summaries = Summaries::default();
        for (name, _) in &bodies {
            summaries.by_name.insert(name.clone(), Summary::NOTHING);
        }
        // Each round but the last adds to what a function reads, writes or ends.
        until_stable("summaries of functions", 7 * bodies.len(), || {
            let mut changed = false;
            for (name, body) in &bodies {
                let summary = summaries.summarise(body);
                changed |= summaries.by_name.insert(name.clone(), summary) != Some(summary);
            }
            Ok::<bool, PassError>(changed)
        })?;
        Ok(summaries)
    }

    /// What a `call` may do; None when its callee is not known.
    pub(in crate::passes) fn of_call(&self, inst: &Instruction) -> Option<Summary> {
        let callee = inst.operands.iter().find_map(|operand| match &operand.kind {
            OperandKind::Name(name) => Some(name),
            _ => None,
        })?;
        self.by_name.get(callee).copied()
    }

    fn summarise(&self, body: &Body<'_>) -> Summary {
        body.sites.iter().fold(Summary::NOTHING, |summary, site| {
            let effect = effects::effect(body, site, self);
            let unknown = matches!(effect, Effect::Everything);
            let own = effects::spaces_of(&effect, site.inst);
            if unknown { Summary::EVERYTHING } else { summary.with(own) }
        })
    }
}

/// The functions that have a body.
fn defined(module: &Module) -> Result<Vec<&Function>, PassError> {
    let mut names = HashSet::new();
    let mut found = Vec::new();
    for function in module.functions() {
        if function.body.is_none() {
            continue;
        }
        let name = &function.name;
        if !names.insert(&name.text) {
            let (name, span) = (name.text.clone(), name.span);
            return Err(PassError::DefinedTwice { name, span });
        }
        found.push(function);
    }
    Ok(found)
}
