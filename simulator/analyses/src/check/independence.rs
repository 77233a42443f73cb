//! Whether one schedule is enough.
//!
//! When threads synchronise by block barriers and `bar.warp.sync` alone, and neither what a thread
//! does nor where it accesses memory depends on values that it read from memory that others may
//! write, then every schedule makes the same accesses, ordered in the same way, and so finds the
//! same. This looks at the operations of a program without running it; whenever it is not sure it
//! says no.
//!
//! When no access of a run that came to its end conflicts with another one that barriers do not
//! order, then what it read from memory does not depend on the schedule either: of the first read
//! that saw something else under another schedule, the write that it sees would be such an access.
//! That leaves atomics, which are not held to conflict with each other. What they return varies;
//! what they leave does not, as long as all of a program do one thing that may be done in any order.

use std::collections::HashSet;

use crate::lower::{
    AccessKind, AtomicOperation, BarrierAction, Effect, Operand, Operation, Order, Origin, Program,
    Purpose, Register, Role, RuntimeFunction, Target,
};
use crate::ptx::Type;

/// What is known of the values that a run has read from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// No access conflicts with another one that whole barriers do not order, but for atomics.
    AreOrdered,
    /// Nothing.
    MayVary,
}

/// Whether a program does and accesses the same under every schedule.
pub fn is_the_same_under_every_schedule(program: &Program, reads: Reads) -> bool {
    if program.functions.len() > 1 {
        return false;
    }
    let reads = match reads {
        Reads::AreOrdered if atomics_commute(program) => Reads::AreOrdered,
        Reads::AreOrdered | Reads::MayVary => Reads::MayVary,
    };
    let mut varying: HashSet<Register> = HashSet::new();
    loop {
        let before = varying.len();
        program.operations.iter().for_each(|operation| spread(operation, reads, &mut varying));
        if varying.len() == before {
            break;
        }
    }
    program.operations.iter().all(|operation| is_fixed(operation, &varying))
}

/// Whether what the atomics of a program leave in memory does not depend on their order: all do the
/// same to whole numbers, and it is something that may be done in any order.
fn atomics_commute(program: &Program) -> bool {
    let atomics = program.operations.iter().filter_map(|operation| operation.kind.atomic());
    let mut atomics = atomics.map(|atomic| (atomic.operation, atomic.ty));
    let Some((first, ty)) = atomics.next() else { return true };
    let commutes = match first {
        AtomicOperation::Add => {
            matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64 | Type::B32 | Type::B64)
        }
        AtomicOperation::Min
        | AtomicOperation::Max
        | AtomicOperation::And
        | AtomicOperation::Or
        | AtomicOperation::Xor => true,
        AtomicOperation::Exchange
        | AtomicOperation::CompareAndSwap
        | AtomicOperation::Increment
        | AtomicOperation::Decrement => false,
    };
    commutes && atomics.all(|other| other == (first, ty))
}

/// Adds the registers that an operation fills with what may depend on the schedule.
fn spread(operation: &Operation, reads: Reads, varying: &mut HashSet<Register>) {
    let operands = operation.kind.operands();
    let guarded = is_guard_varying(operation, varying);
    let reads_varying = operands.iter().any(|o| is_read(o) && varying.contains(&o.register));
    let varies = |origin: Origin| match origin {
        Origin::Values | Origin::Address | Origin::Members => guarded || reads_varying,
        Origin::Memory => match operation.kind.effect() {
            Effect::Memory(AccessKind::Read, _) => {
                guarded || reads_varying || reads == Reads::MayVary
            }
            Effect::Memory(AccessKind::Write | AccessKind::Atomic, _)
            | Effect::Registers
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => true,
        },
        Origin::Schedule | Origin::Callee => true,
        Origin::Launch => guarded,
    };
    varying.extend(operands.iter().filter_map(|operand| match operand.role {
        Role::Writes(origin) => varies(origin).then_some(operand.register),
        Role::Reads(_) => None,
    }));
}

fn is_guard_varying(operation: &Operation, varying: &HashSet<Register>) -> bool {
    operation.guard.is_some_and(|guard| varying.contains(&Register::predicate(guard.predicate)))
}

fn is_read(operand: &Operand) -> bool {
    match operand.role {
        Role::Reads(_) => true,
        Role::Writes(_) => false,
    }
}

/// Whether what an operation does, and where, is the same under every schedule.
fn is_fixed(operation: &Operation, varying: &HashSet<Register>) -> bool {
    let decides = |operand: &Operand| match operand.role {
        Role::Reads(Purpose::Address | Purpose::Decision | Purpose::Members) => true,
        Role::Reads(Purpose::Value | Purpose::Asked | Purpose::Combined | Purpose::Compared) => {
            false
        }
        Role::Writes(_) => false,
    };
    let operands = operation.kind.operands();
    let moves = operands.iter().any(|o| decides(o) && varying.contains(&o.register));
    let guarded = is_guard_varying(operation, varying);
    match operation.kind.effect() {
        Effect::Registers | Effect::ProxyFence => true,
        Effect::Memory(_, target) => !guarded && !moves && !orders(target),
        Effect::Barrier(barrier) => {
            let is_whole = barrier.count.is_none() && barrier.action != BarrierAction::Arrive;
            !guarded && !moves && is_whole
        }
        Effect::Warp(operation) => !guarded && !moves && operation.mask.is_some(),
        Effect::Jump { .. } | Effect::Leave(_) => !guarded && !moves,
        Effect::Runtime(call) => match call.function {
            RuntimeFunction::Print => !guarded && !moves,
            // Which memory it is depends on who came before.
            RuntimeFunction::Allocate
            | RuntimeFunction::Free
            | RuntimeFunction::AssertionFailed => false,
        },
        Effect::Call(_)
        | Effect::Fence(_)
        | Effect::Asynchronous(_)
        | Effect::Cluster(_)
        | Effect::Mbarrier(_) => false,
    }
}

/// Whether an access synchronises by itself.
fn orders(target: &Target) -> bool {
    match target.semantics.order {
        Order::Acquire | Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent => {
            true
        }
        Order::Weak | Order::Volatile | Order::Mmio | Order::Relaxed => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::Placement;

    fn fixed(body: &str) -> bool {
        is_fixed_with(body, Reads::MayVary)
    }

    fn is_fixed_with(body: &str, reads: Reads) -> bool {
        let text = format!(
            ".version 7.8 .target sm_80 .address_size 64
             .visible .entry k(.param .u64 p) {{
               .reg .u64 %a<4>; .reg .u32 %r<8>; .reg .pred %q<4>; .shared .u32 s[64];
               ld.param.u64 %a0, [p];
               mov.u32 %r0, %tid.x;
               mul.wide.u32 %a1, %r0, 4;
               add.u64 %a1, %a0, %a1;
               {body}
               ret;
             }}"
        );
        let module = crate::ptx::parse("k.ptx", &text).expect("valid");
        let program = crate::lower::lower(&module, "k", &Placement::default()).expect("lowers");
        is_the_same_under_every_schedule(&program, reads)
    }

    #[test]
    fn what_follows_from_the_threads_number_alone_is_fixed() {
        assert!(fixed("ld.global.u32 %r1, [%a1]; add.u32 %r1, %r1, 1; st.global.u32 [%a1], %r1;"));
        assert!(fixed("setp.lt.u32 %q0, %r0, 7; @%q0 st.shared.u32 [s], %r0; bar.sync 0;"));
        assert!(fixed("red.global.add.u32 [%a0], %r0; bar.warp.sync -1;"));
        assert!(fixed("shfl.sync.idx.b32 %r1, %r0, 3, 31, -1; st.global.u32 [%a0], %r1;"));
    }

    #[test]
    fn a_value_from_memory_that_decides_something_is_not() {
        let load = "ld.global.u32 %r1, [%a1];";
        for (then, what) in [
            ("mul.wide.u32 %a2, %r1, 4; add.u64 %a2, %a0, %a2; st.global.u32 [%a2], 1;", "address"),
            ("setp.eq.u32 %q0, %r1, 0; @%q0 bra over; st.global.u32 [%a0], 1; over:", "branch"),
            ("setp.eq.u32 %q0, %r1, 0; @%q0 st.global.u32 [%a0], 1;", "guard"),
            ("bar.warp.sync %r1;", "mask"),
            (
                "cvt.u64.u32 %a2, %r1; isspacep.shared %q0, %a2; @%q0 st.global.u32 [%a0], 1;",
                "address that is asked about",
            ),
            ("setp.eq.u32 %q0, %r1, 0; vote.sync.any.pred %q1, %q0, -1; @%q1 bar.sync 0;", "vote"),
            ("shfl.sync.idx.b32 %r2, %r0, %r1, 31, -1;", "lane"),
            (
                "setp.eq.u32 %q0, %r1, 0; @%q0 mov.u32 %r2, 1; setp.eq.u32 %q1, %r2, 1; @%q1 bar.sync 0;",
                "guarded move",
            ),
        ] {
            assert!(!fixed(&format!("{load} {then}")), "{what}");
        }
    }

    #[test]
    fn what_is_read_in_order_may_decide_something() {
        let load = "ld.global.u32 %r1, [%a1]; setp.eq.u32 %q0, %r1, 0;";
        let then = "mul.wide.u32 %a2, %r1, 4; add.u64 %a2, %a0, %a2;";
        let ordered = |body: &str| is_fixed_with(&format!("{load} {body}"), Reads::AreOrdered);
        assert!(ordered("@%q0 st.global.u32 [%a0], 1;"));
        assert!(ordered(&format!("{then} red.global.add.u32 [%a2], 1;")));
        // What an atomic returns still varies, as does what is left by those that do not commute.
        assert!(!ordered(
            "atom.global.add.u32 %r2, [%a1], 1; setp.eq.u32 %q1, %r2, 0; @%q1 bar.sync 0;"
        ));
        assert!(!ordered("@%q0 red.global.add.f32 [%a0], 1.0;"));
        assert!(!ordered("red.global.add.u32 [%a0], 1; @%q0 red.global.max.u32 [%a0], 1;"));
        assert!(!ordered("atom.global.exch.b32 %r2, [%a0], 1; @%q0 st.global.u32 [%a1], 1;"));
        assert!(!ordered("fence.acq_rel.gpu;"));
    }

    #[test]
    fn other_synchronisation_than_whole_barriers_is_not() {
        for what in [
            "fence.acq_rel.gpu;",
            "st.release.gpu.global.u32 [%a0], 1;",
            "bar.sync 1, 32;",
            "bar.arrive 1, 64;",
            "activemask.b32 %r1; setp.eq.u32 %q0, %r1, 1; @%q0 bar.sync 0;",
            "atom.global.add.u32 %r1, [%a0], 1; setp.eq.u32 %q0, %r1, 1; @%q0 st.global.u32 [%a1], 1;",
        ] {
            assert!(!fixed(what), "{what}");
        }
    }
}
