//! One operation beyond arithmetic, for at least one active lane of a fragment.
//!
//! The table from kinds of operations to the functions that carry them out.

use super::special::Special;
use crate::lanes::{LANES, Mask, Slot, lanes_of, write_lanes};
use crate::lower::{Kind, Operation, SpecialRegister};
use crate::machine::access::addresses::{By, space_of};
use crate::machine::access::uniform::{Same, write_same};
use crate::machine::control::{Next, divergence};
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::Stop;
use crate::machine::state::warp::Warp;
use crate::ptx::Space;

impl Execution<'_, '_> {
    /// Executes one operation beyond arithmetic, for at least one active lane.
    ///
    /// The called functions are not inlined, or a load would pay for the stack frame of a matrix.
    pub(super) fn act(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        operation: &Operation,
        kind: &Kind,
    ) -> Result<Next, Stop> {
        let fragment = &warp.fragments[index];
        let by = By { frame: fragment.frame, active, pc: fragment.pc };
        match kind {
            Kind::Load(load) => self.load(warp, load, by)?,
            Kind::Store(store) => self.store(warp, store, by)?,
            Kind::Atomic(atomic) => self.atomic(warp, atomic, by)?,
            Kind::Span(span) => self.span(warp, span, by)?,
            Kind::Stack(operation) => self.stack(warp, **operation, by)?,
            Kind::Image(operation) => self.image(warp, operation, by)?,
            Kind::Barrier(barrier) => return self.arrive_at_barrier(warp, index, active, barrier),
            Kind::ClusterBarrier(barrier) => {
                return self.cluster_barrier(warp, index, active, *barrier);
            }
            Kind::Warp(operation) => {
                // A warp operation reports itself and sets its own program counters, whether it has
                // run or waits.
                self.arrive_at_warp_operation(warp, index, active, operation)?;
                return Ok(Next::Set);
            }
            Kind::Branch { target, reconverge } => {
                self.counts.branches += u64::from(operation.guard.is_some());
                let model = self.environment.model;
                let parted = divergence::branch(warp, index, active, *target, *reconverge, model);
                self.counts.divergent_branches += u64::from(parted);
                return Ok(Next::Set);
            }
            Kind::BranchIndexed(branch) => {
                self.branch_indexed(warp, index, active, branch)?;
                return Ok(Next::Set);
            }
            Kind::Call(call) => {
                self.call(warp, index, active, call)?;
                return Ok(Next::Set);
            }
            Kind::Return => {
                self.return_or_exit(warp, index, active)?;
                return Ok(Next::Set);
            }
            Kind::Exit => {
                self.exit(warp, index, active);
                return Ok(Next::Set);
            }
            Kind::Runtime(call) => self.call_runtime(warp, index, call, by)?,
            Kind::Trap => return Err(Stop::Trap(self.thread(warp, active, by.pc))),
            Kind::Fence(semantics) => {
                self.tell_synchronisation(warp, fragment, active, |observer, event| {
                    observer.fence(event, *semantics);
                });
            }
            Kind::ProxyFence => {
                self.tell_synchronisation(warp, fragment, active, |observer, event| {
                    observer.proxy_fence(event);
                })
            }
            Kind::Lanes(lanes) => {
                lanes.execute(&mut warp.frames[usize::from(by.frame)].registers, active);
            }
            Kind::Asynchronous(operation) => self.asynchronous(warp, operation, by)?,
            Kind::Mbarrier(operation) => self.mbarrier(warp, operation, by)?,
            Kind::Special32(d, register) => self.read_special(warp, by, *d, *register, false),
            Kind::Special64(d, register) => self.read_special(warp, by, *d, *register, true),
            Kind::LocalAddress32(d, offset) => local_address(warp, by, *d, *offset, false),
            Kind::LocalAddress64(d, offset) => local_address(warp, by, *d, *offset, true),
            Kind::IsSpace { d, a, space } => is_space(warp, by, *d, *a, *space),
            Kind::ActiveMask(d) => {
                let registers = &mut warp.frames[usize::from(by.frame)].registers;
                write_lanes(registers, *d, active, &[active; LANES]);
            }
            Kind::Breakpoint | Kind::Nothing => {}
        }
        Ok(Next::On)
    }

    /// Reads a special register into a slot.
    #[inline(never)]
    pub(in crate::machine) fn read_special(
        &self,
        warp: &mut Warp,
        by: By,
        d: Slot,
        register: SpecialRegister,
        wide: bool,
    ) {
        let special = self.special(register);
        let active = by.active;
        match (special, wide) {
            (Special::Same(value), _) => write_same(warp, by, &Same { d, wide, value }),
            (Special::Thread(i), false) => {
                let Warp { thread, frames, .. } = warp;
                let registers = &mut frames[usize::from(by.frame)].registers;
                write_lanes(registers, d, active, &thread[i]);
            }
            (Special::Thread(_) | Special::Lane(_) | Special::Warp, _) => {
                let values = special.of(warp);
                let registers = &mut warp.frames[usize::from(by.frame)].registers;
                if wide {
                    write_lanes(registers, d, active, &values);
                } else {
                    write_lanes(registers, d, active, &values.map(|v| v as u32));
                }
            }
        }
    }
}

/// The address of a place in the local memory of the activation, in all active lanes.
pub(in crate::machine) fn local_address(warp: &mut Warp, by: By, d: Slot, offset: u32, wide: bool) {
    let frame = &mut warp.frames[usize::from(by.frame)];
    if wide {
        let address = u64::from(frame.local_base) + u64::from(offset);
        write_lanes(&mut frame.registers, d, by.active, &[address; LANES]);
    } else {
        let address = frame.local_base.wrapping_add(offset);
        write_lanes(&mut frame.registers, d, by.active, &[address; LANES]);
    }
}

/// `isspacep`. Kernel parameters are also part of global memory (PTX ISA 9.7.9.19).
#[inline(never)]
pub(in crate::machine) fn is_space(warp: &mut Warp, by: By, d: Slot, a: Slot, space: Space) {
    let registers = &mut warp.frames[usize::from(by.frame)].registers;
    let addresses = *registers.w64(a);
    let lies = |lane: &usize| {
        let found = space_of(addresses[*lane]);
        found == space || space == Space::Global && found == Space::Param
    };
    let inside = lanes_of(by.active).filter(lies);
    let inside = inside.fold(0, |mask, lane| mask | 1 << lane);
    registers.set_predicate(d, by.active, inside);
}
