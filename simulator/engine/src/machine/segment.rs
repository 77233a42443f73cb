//! Segments: register operations, and branches that all lanes of a fragment take alike, one after
//! the other, while nobody watches.
//!
//! Nothing but the registers of one activation and the place in the program changes in them, so they
//! are executed in a loop of their own, in which nothing else is looked at. Most instructions of most
//! kernels are executed here. Gives exactly what [`super::execute`] gives, one operation at a time.

use super::execute::Pause;
use crate::lanes::{Mask, Registers};
use crate::lower::{Kind, Operation, Pc};

/// What a fragment has executed since it began to run.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    /// Instructions it may execute.
    pub allotted: u64,
    /// The block's clock when it began.
    pub began: u64,
    /// Instructions that it has executed.
    pub instructions: u64,
    /// Instructions among them in which all lanes of the fragment took part.
    pub whole: u64,
    /// The lanes that took part in the others, summed up.
    pub lanes: u64,
    /// Branches among them that depend on a predicate, as far as all lanes took them alike.
    pub branches: u64,
}

/// Executes a segment for the lanes `mask`, from `pc` on, which becomes the place of the next
/// operation: one of another kind, unless there is a reason to pause. The rank of a basic block that
/// is `horizon` or more is such a reason: others of the warp may be there.
///
/// Not inlined: a loop this hot wants the processor's registers for itself.
#[inline(never)]
pub(super) fn run(
    operations: &[Operation],
    registers: &mut Registers,
    mask: Mask,
    horizon: u32,
    pc: &mut Pc,
    tally: &mut Tally,
) -> Option<Pause> {
    let Tally { allotted, mut instructions, mut whole, mut lanes, mut branches, .. } = *tally;
    let mut at = *pc;
    let mut operation = &operations[at as usize];
    let pause = loop {
        if instructions >= allotted && !operation.part {
            break Some(Pause::Spent);
        }
        let active = match operation.guard {
            None => mask,
            Some(guard) => mask & guard.lanes(registers),
        };
        let one = u64::from(!operation.part);
        if let Kind::Lanes(action) = &operation.kind {
            action.execute(registers, active);
            if active == mask {
                whole += one;
            } else {
                lanes += one * u64::from(active.count_ones());
            }
            at += 1;
        } else if let Kind::Branch { target, .. } = &operation.kind
            && (active == mask || active == 0)
        {
            // A guarded branch is executed by the lanes that do not take it, too.
            whole += one;
            branches += u64::from(operation.guard.is_some());
            at = if active == 0 { at + 1 } else { *target };
        } else {
            break None;
        }
        instructions += one;
        operation = &operations[at as usize];
        if operation.leader && operation.rank >= horizon {
            break Some(Pause::Look);
        }
    };
    *pc = at;
    *tally = Tally { instructions, whole, lanes, branches, ..*tally };
    pause
}
