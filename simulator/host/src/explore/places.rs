//! Where it matters who goes first: the lines of a program at which threads conflict, under any
//! schedule.
//!
//! The run in order is watched. Suppose that every thread goes the same way and accesses the same
//! memory under every schedule. Then the words for which threads conflict are the same in all of
//! them: the order by barriers and `bar.warp.sync` does not depend on the schedule either. So the
//! lines that access these words in the run in order are all there are. Each thread goes the same
//! way when no branch, guard or address depends on a value read there ([`goes_the_same_way`]). Any
//! other read sees what it saw in order. The write that it sees is ordered before it. All others to
//! that word come before that write or after the read.
//!
//! Where it is not sure, it names no lines, and schedules choose everywhere:
//!
//! - when the run in order does not reach its end, as the stop of one thread may keep another from
//!   its later actions;
//! - for programs that go another way under another schedule, as those with locks and polled flags
//!   do, or that have several functions;
//! - for asynchronous copies, clusters, mbarriers, textures and the device's heap;
//! - where the time is read, or shared memory holds what another block left;
//! - with so many words that some were not looked at.

use std::collections::BTreeSet;

use super::run::Runner;
use crate::DeviceError;
use crate::check::{Contention, goes_the_same_way};
use crate::lower::{Kind, Operation, Origin, Pc, Program, Role};
use crate::machine::SharedInit;
use crate::report::Outcome;
use crate::schedule::{InOrder, Places};

/// The places, or `None` for everywhere.
pub(super) fn of(runner: &mut Runner<'_>) -> Result<Option<Places>, DeviceError> {
    let never = |_: Pc| false;
    let program = runner.program();
    let may_be_known = runner.first.key.outcome == Outcome::Completed
        && !is_left_over(runner.shared_init())
        && program.operations.iter().all(is_understood)
        && goes_the_same_way(program, &never);
    if !may_be_known {
        return Ok(None);
    }
    let mut contention = Contention::new();
    runner.run(&InOrder::new(), Some(&mut contention))?;
    let Some(mut contended) = contention.into_contended()? else { return Ok(None) };
    if !contended.is_without_conflicts() {
        runner.run(&InOrder::new(), Some(&mut contended))?;
    }
    let operations = contended.operations();
    let program = runner.program();
    let is_known = goes_the_same_way(program, &|pc| operations.contains(&pc));
    Ok(is_known.then(|| Places::new(lines(program, &operations))))
}

fn lines(program: &Program, operations: &BTreeSet<Pc>) -> impl Iterator<Item = u32> {
    operations.iter().map(|pc| program.places[*pc as usize].line)
}

fn is_left_over(init: SharedInit) -> bool {
    match init {
        SharedInit::Zero | SharedInit::Poison | SharedInit::Random(_) => false,
        SharedInit::Leftover => true,
    }
}

/// Whether all that others can notice of an operation is in the accesses that are watched.
fn is_understood(operation: &Operation) -> bool {
    let asks_the_time = operation.kind.operands().iter().any(|operand| match operand.role {
        Role::Writes(origin) => match origin {
            Origin::Schedule => true,
            Origin::Values
            | Origin::Address
            | Origin::Members
            | Origin::Memory
            | Origin::Launch
            | Origin::Thread
            | Origin::Callee => false,
        },
        Role::Reads(_) => false,
    });
    let is_image = matches!(operation.kind, Kind::Image(_));
    let is_watched = operation.kind.is_done_at_once() && !is_image;
    is_watched && !asks_the_time
}
