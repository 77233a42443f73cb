//! Block barriers (PTX ISA 9.7.13.1, `bar` and `barrier`).
//!
//! A warp arrives at a barrier when all its lanes that have not exited are there. For an `.aligned`
//! barrier, as from `__syncthreads`, they must be at one instruction. Under `lockstep` a warp
//! arrives as a whole, with whichever lanes are active. A barrier without a count waits for all
//! warps that have not exited. With a count it counts 32 for each warp that arrives, and exits do
//! not count.
//!
//! Deviation: hardware lets a barrier pass in some cases where lanes of one warp wait at different
//! instructions of it. Here they wait for ever, which is reported as a deadlock.

use crate::internal;
use crate::lanes::{LANES, Mask, write_lanes};
use crate::lower::{Barrier, BarrierAction, Kind, Program};
use crate::machine::control::{Next, divergence};
use crate::machine::state::barrier::{BARRIERS, Slot};
use crate::machine::state::block::Block;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::State;
use crate::machine::state::profile::Model;
use crate::machine::state::stop::{FaultKind, Stop};
use crate::machine::state::warp::Warp;
use crate::observe::{Arrival, BarrierEvent, Observer};

/// Releases the threads at a barrier if all that it waits for have arrived, and reports it to the
/// observer. Returns whether it did so.
pub(in crate::machine) fn try_complete(
    block: &mut Block,
    id: u8,
    program: &Program,
    model: Model,
    observer: Option<&mut (dyn Observer + '_)>,
) -> Result<bool, Stop> {
    let slot = &block.common.barriers.slots[usize::from(id) % BARRIERS];
    if slot.arrivals.is_empty() || slot.is_early(block.live_warps()) {
        return Ok(false);
    }
    let arrived = |w: &&Warp| slot.has_arrived(w.number, w.live, model);
    let complete = match slot.count {
        None => block.warps.iter().filter(|w| w.live != 0).all(|w| arrived(&w)),
        Some(count) => block.warps.iter().filter(arrived).count() as u32 * 32 >= count,
    };
    if complete {
        let slot = block.common.barriers.clear(id);
        if let Some(observer) = observer {
            let (linear, count, arrivals) = (block.linear, slot.count, &slot.arrivals);
            observer.barrier(&BarrierEvent { block: linear, barrier: id, count, arrivals });
        }
        release(block, id, &slot, program)?;
        block.common.barriers.reuse(id, slot);
    }
    Ok(complete)
}

/// Gives the waiting lanes their results and lets them go on.
fn release(block: &mut Block, id: u8, slot: &Slot, program: &Program) -> Result<(), Stop> {
    let total = |f: fn(Mask, Mask) -> u32| -> u32 {
        slot.arrivals.iter().map(|a| f(a.predicate, a.lanes)).sum()
    };
    let true_lanes = total(|p, lanes| (p & lanes).count_ones());
    let false_lanes = total(|p, lanes| (!p & lanes).count_ones());
    for arrival in slot.arrivals.iter().filter(|a| a.waits) {
        let warp = block.warps.get_mut(arrival.warp as usize);
        let warp =
            warp.ok_or_else(|| internal!("warp {} arrived and is not there", arrival.warp))?;
        let Kind::Barrier(barrier) = &program.operations[arrival.pc as usize].kind else {
            return Err(internal!("lanes arrived at {}, where no barrier is", arrival.pc).into());
        };
        let here = warp
            .fragments
            .iter_mut()
            .filter(|f| f.state == State::Barrier(id) && f.pc == arrival.pc)
            .filter(|f| f.mask & arrival.lanes != 0);
        for fragment in here {
            let registers = &mut warp.frames[usize::from(fragment.frame)].registers;
            let mask = fragment.mask & arrival.lanes;
            let all = |condition: bool| if condition { Mask::MAX } else { 0 };
            match barrier.action {
                BarrierAction::Sync | BarrierAction::Arrive => {}
                BarrierAction::Popc { d, .. } => {
                    write_lanes(registers, d, mask, &[true_lanes; LANES]);
                }
                BarrierAction::And { d, .. } => {
                    registers.set_predicate(d, mask, all(false_lanes == 0));
                }
                BarrierAction::Or { d, .. } => {
                    registers.set_predicate(d, mask, all(true_lanes != 0));
                }
            }
            fragment.state = State::Ready;
            fragment.pc = arrival.pc + 1;
        }
    }
    Ok(())
}

impl Execution<'_, '_> {
    #[inline(never)]
    pub(in crate::machine) fn arrive_at_barrier(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        barrier: &Barrier,
    ) -> Result<Next, Stop> {
        let fragment = &warp.fragments[index];
        let pc = fragment.pc;
        let registers = &warp.frames[usize::from(fragment.frame)].registers;
        let first = active.trailing_zeros() as usize % LANES;
        // The operands are the same in all threads of a barrier; otherwise PTX leaves the result
        // undefined.
        let id = registers.w32(barrier.id)[first];
        let count = barrier.count.map(|slot| registers.w32(slot)[first]);
        if id >= BARRIERS as u32 {
            return Err(self.fault(warp, active, pc, FaultKind::BadBarrier(id)));
        }
        if let Some(count) = count
            && (count == 0 || count % 32 != 0)
        {
            return Err(self.fault(warp, active, pc, FaultKind::BadBarrierCount(count)));
        }
        let predicate = match barrier.action {
            BarrierAction::Sync | BarrierAction::Arrive => 0,
            BarrierAction::Popc { p, .. }
            | BarrierAction::And { p, .. }
            | BarrierAction::Or { p, .. } => p.lanes(registers),
        };
        let waits = barrier.action != BarrierAction::Arrive;
        let arrival = Arrival {
            warp: warp.number,
            lanes: active,
            pc,
            waits,
            aligned: barrier.aligned,
            predicate,
        };
        self.tell_synchronisation(warp, &warp.fragments[index], active, |observer, event| {
            observer.arrive(event, id as u8, count, &arrival);
        });
        self.common.barriers.arrive(id as u8, count, arrival);
        self.common.look_at_barriers = true;
        if !waits {
            return Ok(Next::On);
        }
        let mut at = index;
        if active != fragment.mask && self.environment.model == Model::Independent {
            at = divergence::split(warp, index, active);
            warp.fragments[index].pc += 1;
        }
        warp.fragments[at].state = State::Barrier(id as u8);
        Ok(Next::Set)
    }
}
