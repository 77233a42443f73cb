//! Whether one schedule is enough.
//!
//! When threads synchronise by block barriers and `bar.warp.sync` alone, and neither what a thread
//! does nor where it accesses memory depends on values that it read from memory that others may
//! write, then every schedule makes the same accesses, ordered in the same way, and so finds the
//! same. This looks at the operations of a program without running it; whenever it is not sure it
//! says no. It may say no too often (a graph that nobody writes decides where threads go), which
//! costs time and nothing else.

use std::collections::HashSet;

use crate::lanes::{Operands, Position, Slot, Width};
use crate::lower::{
    BarrierAction, Base, Kind, Operation, Order, Program, SpecialRegister, Target, WarpAction,
    WarpOperation,
};
use crate::ptx::Space;

/// Which kind of register a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bank {
    W32,
    W64,
    Predicate,
}

type Register = (Bank, Slot);

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

fn data(slot: Slot, wide: bool) -> Register {
    (if wide { Bank::W64 } else { Bank::W32 }, slot)
}

/// Adds the registers that an operation fills with what may depend on the schedule.
fn spread(operation: &Operation, varying: &mut HashSet<Register>) {
    let guarded =
        operation.guard.is_some_and(|g| varying.contains(&(Bank::Predicate, g.predicate)));
    match &operation.kind {
        Kind::Lanes(lanes) => {
            let operands = lanes.operands();
            let reads = [Position::A, Position::B, Position::C, Position::E];
            let reads = reads.into_iter().filter_map(|p| register(operands, p));
            if guarded || reads.into_iter().any(|r| varying.contains(&r)) {
                varying.extend(
                    [Position::D, Position::D2].into_iter().filter_map(|p| register(operands, p)),
                );
            }
        }
        Kind::Load(load) if !is_constant(&load.target) => {
            varying.extend(load.destinations.iter().flatten().map(|d| data(*d, load.wide)));
        }
        Kind::Atomic(atomic) => varying.extend(atomic.destination.map(|d| data(d, atomic.wide))),
        Kind::Special32(d, special) | Kind::Special64(d, special) if is_time(*special) => {
            varying.insert(data(*d, matches!(operation.kind, Kind::Special64(..))));
        }
        Kind::ActiveMask(d) => {
            varying.insert((Bank::W32, *d));
        }
        Kind::Barrier(barrier) => match barrier.action {
            BarrierAction::Popc { d, p } if varying.contains(&(Bank::Predicate, p.predicate)) => {
                varying.insert((Bank::W32, d));
            }
            BarrierAction::And { d, p } | BarrierAction::Or { d, p }
                if varying.contains(&(Bank::Predicate, p.predicate)) =>
            {
                varying.insert((Bank::Predicate, d));
            }
            _ => {}
        },
        Kind::Warp(operation) => spread_in_warp(operation, varying),
        _ => {}
    }
}

fn spread_in_warp(operation: &WarpOperation, varying: &mut HashSet<Register>) {
    let has = |varying: &HashSet<Register>, r: Register| varying.contains(&r);
    match &operation.action {
        WarpAction::Shuffle { d, a, .. } | WarpAction::Redux { d, a, .. } => {
            if has(varying, (Bank::W32, *a)) {
                varying.insert((Bank::W32, *d));
            }
        }
        WarpAction::Vote { d, p, .. } => {
            if has(varying, (Bank::Predicate, p.predicate)) {
                varying.extend([(Bank::W32, *d), (Bank::Predicate, *d)]);
            }
        }
        WarpAction::Match { wide, d, p, a, .. } => {
            if has(varying, data(*a, *wide)) {
                varying.insert((Bank::W32, *d));
                varying.extend(p.map(|p| (Bank::Predicate, p)));
            }
        }
        WarpAction::Sync | WarpAction::Elect { .. } => {}
    }
}

/// Whether what an operation does, and where, is the same under every schedule.
fn is_fixed(operation: &Operation, varying: &HashSet<Register>) -> bool {
    let has = |r: Register| varying.contains(&r);
    let guard = operation.guard.is_some_and(|g| has((Bank::Predicate, g.predicate)));
    match &operation.kind {
        Kind::Lanes(..) | Kind::Nothing | Kind::Breakpoint => true,
        _ if guard => false,
        Kind::Load(load) => is_fixed_place(&load.target, varying),
        Kind::Store(store) => is_fixed_place(&store.target, varying),
        Kind::Atomic(atomic) => is_fixed_place(&atomic.target, varying),
        Kind::BranchIndexed { index, .. } => !has((Bank::W32, *index)),
        Kind::Call(_) | Kind::Fence(_) => false,
        Kind::Barrier(barrier) => {
            barrier.count.is_none()
                && barrier.action != BarrierAction::Arrive
                && !has((Bank::W32, barrier.id))
        }
        Kind::Warp(operation) => {
            let Some(mask) = operation.mask else { return false };
            let lanes = match &operation.action {
                WarpAction::Shuffle { b, c, .. } => has((Bank::W32, *b)) || has((Bank::W32, *c)),
                _ => false,
            };
            !lanes && !has((Bank::W32, mask))
        }
        _ => true,
    }
}

/// An access without synchronisation of its own, at an address that no schedule changes.
fn is_fixed_place(target: &Target, varying: &HashSet<Register>) -> bool {
    let orders = matches!(
        target.semantics.order,
        Order::Acquire | Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent
    );
    let moves = match target.base {
        Base::W32(slot) => varying.contains(&(Bank::W32, slot)),
        Base::W64(slot) => varying.contains(&(Bank::W64, slot)),
        Base::Absolute | Base::Frame | Base::FrameParam => false,
    };
    !orders && !moves
}

/// Memory that nobody writes during the launch.
fn is_constant(target: &Target) -> bool {
    matches!(target.space, Some(Space::Param | Space::Const)) && target.base != Base::FrameParam
}

fn is_time(special: SpecialRegister) -> bool {
    matches!(
        special,
        SpecialRegister::Clock
            | SpecialRegister::ClockHi
            | SpecialRegister::Globaltimer
            | SpecialRegister::GlobaltimerHi
    )
}

fn register(operands: &Operands, position: Position) -> Option<Register> {
    let slot = match position {
        Position::D => operands.d,
        Position::D2 => operands.d2,
        Position::A => operands.a,
        Position::B => operands.b,
        Position::C => operands.c,
        Position::E => operands.e,
    };
    let bank = match operands.flow.width(position)? {
        Width::Predicate => Bank::Predicate,
        Width::Bytes(8) => Bank::W64,
        Width::Bytes(_) => Bank::W32,
    };
    Some((bank, slot))
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
