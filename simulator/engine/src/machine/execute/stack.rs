//! `alloca`, `stacksave` and `stackrestore` (PTX ISA 9.7.17): the stack of an activation.
//!
//! Freed memory is out of bounds until it is allocated again.

use crate::lanes::{Registers, Slot, Word, lanes_of};
use crate::lower::StackOperation;
use crate::machine::access::addresses::By;
use crate::machine::state::environment::LOCAL_LIMIT;
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::{FaultKind, StackOverflow, Stop};
use crate::machine::state::warp::Warp;

impl Execution<'_, '_> {
    /// Executes an operation on the stack.
    #[inline(never)]
    pub(in crate::machine) fn stack(
        &mut self,
        warp: &mut Warp,
        operation: StackOperation,
        by: By,
    ) -> Result<(), Stop> {
        for lane in lanes_of(by.active) {
            let frame = &mut warp.frames[usize::from(by.frame)];
            let top = frame.top(lane);
            match operation {
                StackOperation::Allocate { d, size, align, wide } => {
                    let start = u64::from(top).next_multiple_of(align.into());
                    let end = start.saturating_add(frame.registers.w64(size)[lane]);
                    if end > LOCAL_LIMIT.into() {
                        let what = StackOverflow::LocalMemory.into();
                        return Err(self.fault(warp, 1 << lane, by.pc, what));
                    }
                    frame.set_top(lane, end as u32);
                    set(&mut frame.registers, d, wide, lane, start);
                }
                StackOperation::Save { d, wide } => {
                    set(&mut frame.registers, d, wide, lane, top.into());
                }
                StackOperation::Restore { a } => {
                    let to = frame.registers.w64(a)[lane];
                    if to < frame.local_top.into() || to > top.into() {
                        let what = FaultKind::BadStackPointer(to);
                        return Err(self.fault(warp, 1 << lane, by.pc, what));
                    }
                    frame.set_top(lane, to as u32);
                }
            }
        }
        Ok(())
    }
}

fn set(registers: &mut Registers, d: Slot, wide: bool, lane: usize, value: u64) {
    if wide {
        u64::write(registers, d)[lane] = value;
    } else {
        u32::write(registers, d)[lane] = value as u32;
    }
}
