//! Which launches may run blocks ahead of their turn, and which atomics have an unused result.
//!
//! It errs towards running in order: it excludes the device's heap, textures and surfaces,
//! asynchronous copies, clusters, cooperative launches, and shared memory with the contents of the
//! last block.
//!
//! Eligible launches give the result of [`Machine::run`].
//! `any_number_of_threads_gives_what_one_gives` (`simulator/tests/suite/parallel.rs`) compares
//! them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::lower::{
    Beyond, Conduct, Function, Home, Kind, Program, Register, Role, RuntimeFunction, SpanAction,
};
use crate::machine::run::grid::Machine;
use crate::machine::state::profile::SharedInit;
use crate::schedule::Schedule;

impl Machine {
    /// Whether the launch, about to begin, can have blocks that run ahead of their turn.
    pub(super) fn can_run_apart(&self, schedule: &dyn Schedule) -> bool {
        let environment = self.environment();
        let depends_on_others = match self.shared_init {
            SharedInit::Zero | SharedInit::Poison | SharedInit::Random(_) => false,
            SharedInit::Leftover => environment.shared_bytes() > 0,
        };
        let has_begun = self.counts().warp_instructions > 0 || self.current.is_some();
        environment.launch.blocks() > 1
            && !environment.launch.cooperative
            && !depends_on_others
            && !has_begun
            && schedule.runs_block_after_block()
            && environment.program.operations.iter().all(|operation| is_noted(&operation.kind))
    }
}

/// Whether all effects of an operation beyond its block are noted.
fn is_noted(kind: &Kind) -> bool {
    match kind.conduct() {
        Conduct::Registers(_)
        | Conduct::Branch { .. }
        | Conduct::Own(_)
        | Conduct::Access(_)
        | Conduct::Barrier(_)
        | Conduct::Warp(_)
        | Conduct::Fence
        | Conduct::Leave
        | Conduct::Block => true,
        Conduct::Beyond(beyond) => match beyond {
            // A discard is reported as a write that does not happen.
            Beyond::Span(span) => match span.action {
                SpanAction::Clear => true,
                SpanAction::Discard => false,
            },
            Beyond::Runtime(call) => match call.function {
                RuntimeFunction::Print | RuntimeFunction::AssertionFailed => true,
                RuntimeFunction::Allocate | RuntimeFunction::Free => false,
            },
            Beyond::Image | Beyond::Asynchronous | Beyond::Cluster => false,
        },
    }
}

/// For each operation, whether it is an atomic with an unused result: it has no result, or no
/// operation of the function reads the register.
pub(super) fn unused(machine: &Machine) -> Arc<[bool]> {
    let program = &*machine.environment().program;
    let mut unused = vec![false; program.operations.len()];
    for function in &program.functions {
        unused_in(program, function, &mut unused);
    }
    unused.into()
}

fn unused_in(program: &Program, function: &Function, unused: &mut [bool]) {
    let range = function.entry as usize..function.end as usize;
    let operations = &program.operations[range.clone()];
    if !operations.iter().any(|operation| matches!(operation.kind, Kind::Atomic(_))) {
        return;
    }
    let operands = operations.iter().flat_map(|operation| operation.operands());
    let reads = operands.filter(|operand| matches!(operand.role, Role::Reads(_)));
    let read: FxHashSet<Register> = reads.map(|operand| operand.register).collect();
    let returned: FxHashSet<_> = function.returns.iter().filter_map(register).collect();
    for (pc, operation) in range.zip(operations) {
        let Kind::Atomic(atomic) = &operation.kind else { continue };
        let results = atomic.pieces.iter().filter_map(|piece| piece.destination);
        let mut registers = results.map(|slot| Register::data(slot, atomic.wide));
        unused[pc] = !registers.any(|result| read.contains(&result) || returned.contains(&result));
    }
}

/// The register in which a value is left.
fn register(home: &Home) -> Option<Register> {
    match home {
        Home::Param { .. } => None,
        Home::W32(slot, _) => Some(Register::data(*slot, false)),
        Home::W64(slot) => Some(Register::data(*slot, true)),
        Home::Predicate(slot) => Some(Register::predicate(*slot)),
    }
}
