//! Whether one schedule is enough.
//!
//! It is enough under two conditions. Threads synchronise by block barriers and `bar.warp.sync`
//! alone. Neither a thread's actions nor its addresses depend on values that it read from memory
//! that others may write. Then every schedule makes the same accesses, ordered in the same way, and
//! so finds the same. This looks at the operations of a program without running it. When it is not
//! sure it says no.
//!
//! Suppose that no access of a completed run conflicts with another one that barriers do not order.
//! Then the values that the run read from memory do not depend on the schedule either. Take the
//! first read that saw something else under another schedule: the write that it sees would be such
//! an access. That leaves atomics, which do not count as conflicts with each other. The values that
//! they return vary. The values that they leave do not, as long as all atomics of a program do one
//! thing that may be done in any order.

use std::collections::HashSet;

use crate::lower::{
    AccessKind, AtomicOperation, BarrierAction, Effect, Operand, Operation, Order, Origin, Pc,
    Program, Purpose, Register, Role, RuntimeFunction, Target,
};
use crate::ptx::{Space, Type};

/// The known facts about the values that a run has read from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// No access conflicts with another one that whole barriers do not order, except for atomics.
    AreOrdered,
    /// Nothing.
    MayVary,
}

/// Whether a program has the same effects and accesses under every schedule.
pub fn is_the_same_under_every_schedule(program: &Program, reads: Reads) -> bool {
    let reads = match reads {
        Reads::AreOrdered if atomics_commute(program) => Reads::AreOrdered,
        Reads::AreOrdered | Reads::MayVary => Reads::MayVary,
    };
    let question = Question { varies: &|_| reads == Reads::MayVary, may_synchronise: false };
    question.is_fixed(program)
}

/// Whether each thread executes the same operations and accesses the same memory under every
/// schedule. Only the named operations access memory that another thread may write or read in the
/// meantime. Computed values may vary.
///
/// Memory is sequentially consistent here, so fences and the order of an access mean nothing.
pub fn goes_the_same_way(program: &Program, conflicting: &dyn Fn(Pc) -> bool) -> bool {
    Question { varies: conflicting, may_synchronise: true }.is_fixed(program)
}

/// A question about a program.
#[derive(Clone, Copy)]
struct Question<'q> {
    /// Whether a read may see something else under another schedule.
    varies: &'q dyn Fn(Pc) -> bool,
    /// Fences, and accesses that order others, are no reason to say no.
    may_synchronise: bool,
}

/// What may depend on the schedule.
#[derive(Clone, Default, PartialEq)]
struct Varying {
    registers: HashSet<Register>,
    /// The values stored in global memory, in shared memory, and in a thread's own memory.
    memory: [bool; 3],
}

impl Varying {
    /// The kinds of memory that a target may lie in.
    fn kinds(target: &Target) -> &'static [usize] {
        match target.space {
            Some(Space::Global) => &[0],
            Some(Space::Shared) => &[1],
            Some(Space::Local | Space::Param) => &[2],
            Some(Space::Const | Space::Tex) => &[],
            None => &[0, 1, 2],
        }
    }

    fn is_stored_in(&self, target: &Target) -> bool {
        Varying::kinds(target).iter().any(|kind| self.memory[*kind])
    }
}

impl Question<'_> {
    fn is_fixed(self, program: &Program) -> bool {
        if program.functions.len() > 1 {
            return false;
        }
        let mut varying = Varying::default();
        loop {
            let before = varying.clone();
            for (operation, pc) in program.operations.iter().zip(0..) {
                self.spread(operation, pc, &mut varying);
            }
            if varying == before {
                break;
            }
        }
        program
            .operations
            .iter()
            .all(|operation| self.is_fixed_there(operation, &varying.registers))
    }
}

/// Whether what the atomics of a program leave in memory does not depend on their order: all do the
/// same to whole numbers, and it is something that may be done in any order.
pub(super) fn atomics_commute(program: &Program) -> bool {
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

impl Question<'_> {
    /// Adds the registers and memory that an operation fills with values that may depend on the
    /// schedule.
    fn spread(self, operation: &Operation, pc: Pc, varying: &mut Varying) {
        let operands = operation.kind.operands();
        let guarded = is_guard_varying(operation, &varying.registers);
        let reads_varying =
            operands.iter().any(|o| is_read(o) && varying.registers.contains(&o.register));
        let varies = |origin: Origin| match origin {
            Origin::Values | Origin::Address | Origin::Members => guarded || reads_varying,
            Origin::Memory => match operation.kind.effect().access() {
                Some((AccessKind::Read, target)) => {
                    guarded || reads_varying || (self.varies)(pc) || varying.is_stored_in(target)
                }
                Some((AccessKind::Write | AccessKind::Atomic, _)) | None => true,
            },
            Origin::Schedule | Origin::Callee => true,
            Origin::Launch | Origin::Thread => guarded,
        };
        let filled = operands.iter().filter_map(|operand| match operand.role {
            Role::Writes(origin) => varies(origin).then_some(operand.register),
            Role::Reads(_) => None,
        });
        let filled: Vec<Register> = filled.collect();
        varying.registers.extend(filled);
        // Any thread may read a stored value again.
        match operation.kind.effect().access() {
            Some((AccessKind::Write | AccessKind::Atomic, target)) => {
                if guarded || reads_varying {
                    Varying::kinds(target).iter().for_each(|kind| varying.memory[*kind] = true);
                }
            }
            Some((AccessKind::Read, _)) | None => {}
        }
    }
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

impl Question<'_> {
    /// Whether the effect of an operation, and its place, are the same under every schedule.
    fn is_fixed_there(self, operation: &Operation, varying: &HashSet<Register>) -> bool {
        let decides = |operand: &Operand| match operand.role {
            Role::Reads(Purpose::Address | Purpose::Decision | Purpose::Members) => true,
            Role::Reads(
                Purpose::Value | Purpose::Asked | Purpose::Combined | Purpose::Compared,
            ) => false,
            Role::Writes(_) => false,
        };
        let operands = operation.kind.operands();
        let moves = operands.iter().any(|o| decides(o) && varying.contains(&o.register));
        let guarded = is_guard_varying(operation, varying);
        match operation.kind.effect() {
            Effect::Registers | Effect::ProxyFence => true,
            Effect::Memory(_, target) => {
                let orders = orders(target) && !self.may_synchronise;
                !guarded && !moves && !orders
            }
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
            Effect::Fence(_) => self.may_synchronise,
            Effect::Call(_)
            | Effect::Asynchronous(_)
            | Effect::Cluster(_)
            | Effect::Mbarrier(_) => false,
        }
    }
}

/// Whether an access alone synchronises.
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
        // The result of an atomic still varies. So does the memory left by atomics that do not
        // commute.
        assert!(!ordered(
            "atom.global.add.u32 %r2, [%a1], 1; setp.eq.u32 %q1, %r2, 0; @%q1 bar.sync 0;"
        ));
        assert!(!ordered("@%q0 red.global.add.f32 [%a0], 1.0;"));
        assert!(!ordered("red.global.add.u32 [%a0], 1; @%q0 red.global.max.u32 [%a0], 1;"));
        assert!(!ordered("atom.global.exch.b32 %r2, [%a0], 1; @%q0 st.global.u32 [%a1], 1;"));
        assert!(!ordered("fence.acq_rel.gpu;"));
    }

    #[test]
    fn what_an_atomic_returned_may_come_back_from_memory() {
        let ticket = "atom.global.add.u32 %r1, [%a0], 1; st.shared.u32 [s], %r1; bar.sync 0;";
        let again = "ld.shared.u32 %r2, [s]; setp.eq.u32 %q1, %r2, 0;";
        let then = "@%q1 st.global.u32 [%a1], 1;";
        assert!(!is_fixed_with(&format!("{ticket} {again} {then}"), Reads::AreOrdered));
        assert!(is_fixed_with(&format!("{ticket} {again}"), Reads::AreOrdered));
        let other = "ld.global.u32 %r2, [%a1]; setp.eq.u32 %q1, %r2, 0;";
        assert!(is_fixed_with(&format!("{ticket} {other} {then}"), Reads::AreOrdered));
    }

    #[test]
    fn only_conflicting_reads_vary_where_they_are_named() {
        let way = |body: &str, line: u32| {
            let text = format!(
                ".version 7.8 .target sm_80 .address_size 64 .entry k(.param .u64 p) {{
                   .reg .u64 %a; .reg .u32 %r<4>; .reg .pred %q; ld.param.u64 %a, [p];
                   {body} ret; }}"
            );
            let module = crate::ptx::parse("k.ptx", &text).expect("valid");
            let program = crate::lower::lower(&module, "k", &Placement::default()).expect("lowers");
            goes_the_same_way(&program, &|pc| program.places[pc as usize].line == line)
        };
        let branch = "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%a+4];
            setp.eq.u32 %q, %r1, 0; @%q st.global.u32 [%a+8], 1;";
        assert!(!way(branch, 3));
        assert!(way(branch, 4));
        assert!(way("fence.acq_rel.gpu; st.release.gpu.global.u32 [%a], 1;", 0));
        let through_memory = "ld.global.u32 %r1, [%a];\nst.global.u32 [%a+4], %r1;
            ld.global.u32 %r2, [%a+4]; setp.eq.u32 %q, %r2, 0; @%q bar.sync 0;";
        assert!(!way(through_memory, 3));
        assert!(way(through_memory, 0));
        assert!(!way("bar.sync 1, 32;", 0));
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
