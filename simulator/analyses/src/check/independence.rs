//! Whether one schedule is enough.
//!
//! When threads synchronise by block barriers and `bar.warp.sync` alone, and neither what a thread
//! does nor where it accesses memory depends on values that it read from memory that others may
//! write, then every schedule makes the same accesses, ordered in the same way, and so finds the
//! same. This looks at the operations of a program without running it; whenever it is not sure it
//! says no. It may say no too often (a graph that nobody writes decides where threads go), which
//! costs time and nothing else.

use std::collections::HashSet;

use crate::lower::{
    BarrierAction, Effect, Operand, Operation, Order, Origin, Program, Purpose, Register, Role,
    Target,
};

/// Whether a program does and accesses the same under every schedule.
pub fn is_the_same_under_every_schedule(program: &Program) -> bool {
    if program.functions.len() > 1 {
        return false;
    }
    let mut varying: HashSet<Register> = HashSet::new();
    loop {
        let before = varying.len();
        program.operations.iter().for_each(|operation| spread(operation, &mut varying));
        if varying.len() == before {
            break;
        }
    }
    program.operations.iter().all(|operation| is_fixed(operation, &varying))
}

/// Adds the registers that an operation fills with what may depend on the schedule.
fn spread(operation: &Operation, varying: &mut HashSet<Register>) {
    let operands = operation.kind.operands();
    let guarded = is_guard_varying(operation, varying);
    let reads_varying = operands.iter().any(|o| is_read(o) && varying.contains(&o.register));
    let varies = |origin: Origin| match origin {
        Origin::Values | Origin::Address | Origin::Members => guarded || reads_varying,
        Origin::Memory | Origin::Schedule | Origin::Callee => true,
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
        Effect::Registers => true,
        Effect::Memory(_, target) => !guarded && !moves && !orders(target),
        Effect::Barrier(barrier) => {
            let is_whole = barrier.count.is_none() && barrier.action != BarrierAction::Arrive;
            !guarded && !moves && is_whole
        }
        Effect::Warp(operation) => !guarded && !moves && operation.mask.is_some(),
        Effect::Jump { .. } | Effect::Leave(_) => !guarded && !moves,
        Effect::Call(_) | Effect::Fence(_) => false,
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
        is_the_same_under_every_schedule(&program)
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
