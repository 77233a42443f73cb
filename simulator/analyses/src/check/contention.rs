//! Where threads of a program conflict: the operations that access a contested word.
//!
//! Two runs of one launch are watched, under one schedule. In the first, [`Contention`] finds the
//! words on which accesses of different threads conflict without an order by barriers of whole
//! blocks and warps. The [`Filter`] finds them, but it does not count two atomics as a conflict.
//! Here two atomics conflict when the program uses their result, or when they cannot be swapped. In
//! the second run, [`Contended`] notes the operations that access these words. It errs on one side
//! only: it may name operations that do not conflict, because they access such a word at another
//! time. If it has not seen everything, it gives no answer.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use warpsim_language::internal::InternalError;

use super::independence::atomics_commute;
use crate::lanes::lanes_of;
use crate::lower::{AccessKind, Operand, Operation, Pc, Program, Register, Role};
use crate::observe::{
    Access, Accesses, Analysis, BarrierEvent, Event, Interest, LaunchFacts, Observer, WarpEvent,
};
use crate::ptx::Space;
use crate::races::{Candidates, Filter};

/// Finds the words for which threads conflict.
#[derive(Debug, Default)]
pub struct Contention {
    filter: Filter,
    /// For each operation, whether it is an atomic that can be swapped with its like.
    silent: Vec<bool>,
}

impl Contention {
    /// One that has seen nothing.
    pub fn new() -> Contention {
        Contention::default()
    }

    /// The words, as a [`Contended`] that notes which operations access them. `None` if it has not
    /// seen everything.
    ///
    /// # Errors
    ///
    /// It met a bug in warpsim.
    pub fn into_contended(mut self) -> Result<Option<Contended>, InternalError> {
        if let Some(bug) = self.filter.bug() {
            return Err(bug);
        }
        let words = self.filter.take_candidates();
        let is_known = self.filter.has_seen_everything() && !words.is_cut_short();
        Ok(is_known.then(|| Contended { words, by: BTreeSet::new() }))
    }
}

/// For each operation, whether it is an atomic with an unnoticeable order among others: its result
/// is not used, and all atomics of the program may be swapped.
fn silent(program: &Program) -> Vec<bool> {
    let operands = program.operations.iter().flat_map(|operation| operation.operands());
    let read = operands.filter(|operand| matches!(operand.role, Role::Reads(_)));
    let read: HashSet<Register> = read.map(|operand| operand.register).collect();
    let commute = atomics_commute(program);
    let is_unused = |operand: &Operand| match operand.role {
        Role::Writes(_) => !read.contains(&operand.register),
        Role::Reads(_) => true,
    };
    let is_silent = |operation: &Operation| {
        operation.kind.atomic().is_some()
            && commute
            && operation.kind.operands().iter().all(is_unused)
    };
    program.operations.iter().map(is_silent).collect()
}

impl Observer for Contention {
    fn interest(&self) -> Interest {
        self.filter.interest()
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.silent = silent(&launch.program);
        self.filter.launch_begin(launch);
    }

    fn block_begin(&mut self, block: u64) {
        self.filter.block_begin(block);
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let kind = match access.kind {
            AccessKind::Atomic if self.silent.get(event.pc as usize) != Some(&true) => {
                AccessKind::Write
            }
            AccessKind::Read | AccessKind::Write | AccessKind::Atomic => access.kind,
        };
        self.filter.access(event, &Access { kind, ..*access });
    }

    fn accesses(&mut self, accesses: &Accesses<'_>) {
        match accesses.kind {
            AccessKind::Read | AccessKind::Write => self.filter.accesses(accesses),
            AccessKind::Atomic => accesses.each(|event, access| self.access(event, access)),
        }
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        self.filter.barrier(barrier);
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        self.filter.together(warp);
    }

    fn exit(&mut self, event: &Event<'_>) {
        self.filter.exit(event);
    }

    fn block_end(&mut self, block: u64) {
        self.filter.block_end(block);
    }
}

/// Notes which operations access words for which threads conflict.
#[derive(Debug)]
pub struct Contended {
    words: Arc<Candidates>,
    by: BTreeSet<Pc>,
}

impl Contended {
    /// Whether there are no such words: then no operation accesses one.
    pub fn is_without_conflicts(&self) -> bool {
        self.words.is_empty()
    }

    /// The operations.
    pub fn operations(self) -> BTreeSet<Pc> {
        self.by
    }
}

impl Observer for Contended {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if self.by.contains(&event.pc) {
            return;
        }
        let touches = |lane: usize| {
            let first = access.addresses[lane];
            let last = first.wrapping_add(u64::from(access.bytes).saturating_sub(1));
            (first / 4..=last / 4).any(|word| self.is_contended(access.space, event.block, word))
        };
        if lanes_of(access.mask).any(touches) {
            self.by.insert(event.pc);
        }
    }
}

impl Contended {
    fn is_contended(&self, space: Space, block: u64, word: u64) -> bool {
        self.words.contains(space, block, word)
    }
}
