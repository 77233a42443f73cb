//! The ends of turns that warps of a gang take one after the other: an access to memory, an arrival
//! at a block barrier, an exit.
//!
//! This equals `take_turn` of [`crate::machine::run::turn`].
//! `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) compares them.

use super::Strand;
use crate::lanes::Mask;
use crate::lower::{Access, Atomic, Barrier, Conduct, Load, Operation, Pc, Store};
use crate::machine::access::addresses::By;
use crate::machine::control::Next;
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::{SLICE, width_of};
use crate::machine::state::warp::Warp;

/// The operation that ends a turn.
#[derive(Clone, Copy)]
enum Turn<'o> {
    /// An access to memory.
    Load(&'o Load),
    Store(&'o Store),
    Atomic(&'o Atomic),
    /// An arrival of all present lanes at a block barrier.
    Arrival(&'o Barrier),
    /// The end of all present lanes; in a function only if it is the kernel.
    Exit,
    /// Any other operation, which is executed in its own turn.
    Other,
}

/// The kind of an operation at which warps have stopped, if no observer asks for it.
fn turn_of(operation: &Operation) -> Turn<'_> {
    let (visible, unguarded) = (operation.visible, operation.guard.is_none());
    match operation.kind.conduct() {
        Conduct::Access(Access::Load(load)) if visible => Turn::Load(load),
        Conduct::Access(Access::Store(store)) if visible => Turn::Store(store),
        Conduct::Access(Access::Atomic(atomic)) if visible => Turn::Atomic(atomic),
        Conduct::Barrier(barrier) if unguarded => Turn::Arrival(barrier),
        Conduct::Leave if unguarded => Turn::Exit,
        Conduct::Registers(_)
        | Conduct::Branch { .. }
        | Conduct::Own(_)
        | Conduct::Access(_)
        | Conduct::Barrier(_)
        | Conduct::Leave
        | Conduct::Warp(_)
        | Conduct::Fence
        | Conduct::Block
        | Conduct::Beyond(_) => Turn::Other,
    }
}

/// Whether an operation is an access to memory that ends a turn, if no observer asks for it.
pub(in crate::machine) fn is_access(operation: &Operation) -> bool {
    match turn_of(operation) {
        Turn::Load(_) | Turn::Store(_) | Turn::Atomic(_) => true,
        Turn::Arrival(_) | Turn::Exit | Turn::Other => false,
    }
}

impl<'a> Execution<'a, '_> {
    /// Whether an operation is an access to memory that ends a turn, and only its access is
    /// reported.
    pub(in crate::machine) fn is_access(&self, pc: Pc) -> bool {
        !self.tells_of(pc) && is_access(&self.environment.program.operations[pc as usize])
    }

    /// The operation at which warps have stopped, and its kind.
    fn turn_at(&self, pc: Pc) -> (&'a Operation, Turn<'a>) {
        let operation = &self.environment.program.operations[pc as usize];
        (operation, if self.tells_of(pc) { Turn::Other } else { turn_of(operation) })
    }

    /// Gives strands their turns, as long as these are accesses, arrivals and exits. Returns how
    /// many had one, and whether the effects of the last one must be examined.
    pub(in crate::machine) fn take_turns(
        &mut self,
        warps: &mut [Warp],
        strands: &mut [Strand],
    ) -> Result<(usize, bool), Stop> {
        let all = strands.len();
        let Some(first) = strands.first() else { return Ok((0, false)) };
        let mut pc = first.pc;
        let (mut operation, mut turn) = self.turn_at(pc);
        for (before, strand) in strands.iter_mut().enumerate() {
            if strand.tally.instructions >= SLICE {
                return Ok((before, false));
            }
            // Usually all are at one place.
            if strand.pc != pc {
                pc = strand.pc;
                (operation, turn) = self.turn_at(pc);
            }
            let warp = &mut warps[strand.warp];
            let whole = warp.fragments.len() == 1;
            match turn {
                Turn::Load(load) => {
                    if let Some(by) = self.begin_access(warp, strand, operation) {
                        self.load(warp, load, by)?;
                    }
                    self.end_access(warp, strand)?;
                }
                Turn::Store(store) => {
                    if let Some(by) = self.begin_access(warp, strand, operation) {
                        self.store(warp, store, by)?;
                    }
                    self.end_access(warp, strand)?;
                }
                Turn::Atomic(atomic) => {
                    if let Some(by) = self.begin_access(warp, strand, operation) {
                        self.atomic(warp, atomic, by)?;
                    }
                    self.end_access(warp, strand)?;
                }
                Turn::Arrival(barrier) if whole => {
                    self.arrive_in_turn(warp, strand, barrier)?;
                    // The first arrivals have no further effect, and the next strand can move.
                    let live = warps.len() - self.common.ended_warps;
                    if before + 1 == all || !self.common.barriers.are_early(live) {
                        return Ok((before + 1, true));
                    }
                }
                Turn::Exit if whole && warp.frames[usize::from(strand.frame)].caller.is_none() => {
                    self.exit_in_turn(warp, strand);
                    // The end of a warp has no further effect if no thread waits for it, and the
                    // next strand can move.
                    let waited = self.common.barriers.in_use().next().is_some();
                    if before + 1 == all || waited || self.common.cluster.is_some() {
                        return Ok((before + 1, true));
                    }
                }
                Turn::Arrival(_) | Turn::Exit | Turn::Other => return Ok((before, false)),
            }
        }
        Ok((all, false))
    }

    /// Counts an access of a strand, and its instructions before. Returns who accesses; `None` if
    /// no lane does.
    #[inline]
    fn begin_access(
        &mut self,
        warp: &Warp,
        strand: &mut Strand,
        operation: &Operation,
    ) -> Option<By> {
        let frame = strand.frame;
        let active = match operation.guard {
            None => strand.mask,
            Some(guard) => strand.mask & guard.lanes(&warp.frames[usize::from(frame)].registers),
        };
        self.count_turn(strand, u64::from(!operation.part), active);
        (active != 0).then_some(By { frame, active, pc: strand.pc })
    }

    /// Counts the instructions of a strand, including the operation that ends its turn.
    #[inline]
    fn count_turn(&mut self, strand: &mut Strand, one: u64, active: Mask) {
        let mut tally = std::mem::take(&mut strand.tally);
        tally.instructions += one;
        tally.lanes += one * u64::from(width_of(active));
        self.count(tally);
    }

    /// Ends a turn after an access.
    #[inline]
    fn end_access(&mut self, warp: &mut Warp, strand: &Strand) -> Result<(), Stop> {
        warp.fragments[strand.chosen.index].pc = strand.pc + 1;
        warp.local_loop.forget();
        if warp.fragments.len() > 1 || warp.live != warp.exists {
            self.settle(warp)?;
        }
        Ok(())
    }

    /// Ends the turn of a strand with its arrival at a barrier of the block.
    fn arrive_in_turn(
        &mut self,
        warp: &mut Warp,
        strand: &mut Strand,
        barrier: &Barrier,
    ) -> Result<(), Stop> {
        self.count_turn(strand, 1, strand.mask);
        match self.arrive_at_barrier(warp, 0, strand.mask, barrier)? {
            Next::On => warp.fragments[0].pc = strand.pc + 1,
            Next::Set => {}
        }
        warp.local_loop.forget();
        if warp.live != warp.exists {
            self.settle(warp)?;
        }
        strand.waits = warp.ready(false) == 0;
        Ok(())
    }

    /// Ends the turn of a strand with its exit.
    fn exit_in_turn(&mut self, warp: &mut Warp, strand: &mut Strand) {
        self.count_turn(strand, 1, strand.mask);
        self.exit(warp, 0, strand.mask);
        warp.local_loop.forget();
        strand.waits = true;
    }
}
