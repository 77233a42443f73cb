//! Asynchronous copies: the copies that a thread waits for together count as a separate thread. It
//! begins with the instruction, and its thread has joined it after the wait (PTX ISA 9.7.9.25
//! "Asynchronous copy").

use std::sync::Arc;

use super::blocks::Block;
use super::clock::Step;
use super::thread::{Thread, ThreadId};
use crate::lanes::lanes_of;
use crate::lower;
use crate::observe::{Completed, Event, Flight, Waited};
use crate::ptx::Space;

/// A copy that begins.
pub(super) struct Copier {
    /// The thread that it is.
    pub(super) thread: ThreadId,
    /// What it knows: what its owner knows, and all that this has done.
    pub(super) knows: Thread,
}

/// The copy that a thread begins.
pub(super) fn begun(block: &mut Block, owner: ThreadId, flight: Flight<'_>, step: Step) -> Copier {
    let Flight { number, completed } = flight;
    let thread = ThreadId::copies_of(owner, completed);
    let known = block.thread(owner);
    let mut knows = known.with_itself(owner, step);
    let copier = Thread { knows: Arc::clone(&knows), ..known.clone() };
    if thread.is_awaited_at_mbarrier() {
        Arc::make_mut(&mut knows).raise_copies(thread, step);
        block.will_arrive(owner, number, knows);
    }
    Copier { thread, knows: copier }
}

/// What the threads of a warp know when they have waited.
pub(super) fn waited_for(block: &mut Block, event: &Event<'_>, waited: &Waited<'_>) {
    for lane in lanes_of(waited.lanes) {
        let begun = block.begun_by(waited.through[lane]);
        let thread = ThreadId::new(event.block, event.warp, lane as u32);
        // What has written has read.
        let also = match waited.completed {
            Completed::Bulk => Some(Completed::BulkReads),
            Completed::Small | Completed::BulkReads | Completed::Mbarrier(_) => None,
        };
        for completed in [Some(waited.completed), also].into_iter().flatten() {
            if begun > 0 {
                let copies = ThreadId::copies_of(thread, completed);
                block.thread(thread).knows_copies(copies, begun);
            }
        }
    }
}

/// Whether the owner of copies has waited for what they did at a step.
pub(super) fn is_waited_for(block: Option<&mut Block>, copies: ThreadId, step: Step) -> bool {
    let owner = block.map(|block| block.thread(copies.owner()));
    owner.is_some_and(|owner| owner.knows.of(copies) >= step)
}

/// Whether an operation begins copies in bulk that read shared memory.
pub(super) fn reads_shared_in_bulk(operation: &lower::Operation) -> bool {
    let lower::Kind::Asynchronous(asynchronous) = &operation.kind else { return false };
    match &**asynchronous {
        lower::Asynchronous::Bulk(copy) => copy.from.space == Some(Space::Shared),
        lower::Asynchronous::Copy(_)
        | lower::Asynchronous::Store(_)
        | lower::Asynchronous::Commit(_)
        | lower::Asynchronous::Wait(..)
        | lower::Asynchronous::WaitForReads(_)
        | lower::Asynchronous::WaitAll => false,
    }
}
