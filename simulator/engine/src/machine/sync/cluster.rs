//! The barrier of a cluster (PTX ISA 9.7.13.3), which is one block here: a thread arrives, and
//! waits later.
//!
//! A phase is complete when all threads that have not exited have arrived. A thread that waits
//! without having arrived waits for the phase in which it arrives, so it waits for ever. Observers
//! see the barrier as an mbarrier object at its own address, [`CLUSTER_OBJECT`].

use crate::internal;
use crate::lanes::{Mask, lanes_of};
use crate::lower::{ClusterBarrier, Pc};
use crate::machine::control::{Next, divergence};
use crate::machine::state::block::Block;
use crate::machine::state::cluster::{CLUSTER_BARRIER, CLUSTER_OBJECT, ClusterPhase};
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::State;
use crate::machine::state::profile::Model;
use crate::machine::state::stop::{Stop, Thread};
use crate::machine::state::warp::Warp;
use crate::observe::{MbarrierEvent, MbarrierStep, Observer};

impl Execution<'_, '_> {
    /// Executes `barrier.cluster`.
    #[inline(never)]
    pub(in crate::machine) fn cluster_barrier(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        barrier: ClusterBarrier,
    ) -> Result<Next, Stop> {
        let warps = self.environment.launch.threads_per_block().div_ceil(32) as usize;
        let phase = self.common.cluster.get_or_insert_with(|| Box::new(ClusterPhase::new(warps)));
        let number = warp.number as usize;
        let missing = || internal!("warp {number} arrives, which its block does not have");
        let (Some(arrived), Some(complete)) =
            (phase.arrived.get_mut(number), phase.complete.get_mut(number))
        else {
            return Err(missing().into());
        };
        let pc = warp.fragments[index].pc;
        match barrier {
            ClusterBarrier::Arrive { releases } => {
                *arrived |= active;
                self.common.look_at_barriers = true;
                self.tell_cluster(warp, active, pc, MbarrierEvent::Arrives { releases });
                Ok(Next::On)
            }
            ClusterBarrier::Wait => {
                let waits = active & !*complete;
                let lockstep = self.environment.model == Model::Lockstep;
                let passes = if lockstep && waits != 0 { 0 } else { active & *complete };
                *complete &= !passes;
                self.tell_cluster(warp, passes, pc, MbarrierEvent::Seen { acquires: true });
                if waits == 0 {
                    return Ok(Next::On);
                }
                let mut at = index;
                if waits != warp.fragments[index].mask && !lockstep {
                    at = divergence::split(warp, index, waits);
                    warp.fragments[index].pc += 1;
                }
                warp.fragments[at].state = State::Barrier(CLUSTER_BARRIER);
                self.common.look_at_barriers = true;
                Ok(Next::Set)
            }
        }
    }

    fn tell_cluster(&mut self, warp: &Warp, lanes: Mask, pc: Pc, what: MbarrierEvent) {
        for lane in lanes_of(lanes) {
            self.tell_mbarrier(self.thread(warp, 1 << lane, pc), CLUSTER_OBJECT, what);
        }
    }
}

/// Ends the phase of the cluster's barrier when all have arrived, and releases the threads that
/// wait for it. Returns whether it did so.
pub(in crate::machine) fn try_complete(
    block: &mut Block,
    mut observer: Option<&mut (dyn Observer + '_)>,
) -> bool {
    let Some(phase) = block.common.cluster.as_deref_mut() else { return false };
    let has_arrived = |(warp, arrived): (&Warp, &Mask)| warp.live & !arrived == 0;
    let all = block.warps.iter().zip(&phase.arrived).all(has_arrived);
    if !all || phase.arrived.iter().all(|arrived| *arrived == 0) {
        return false;
    }
    let linear = block.linear;
    let mut tell = |warp: u32, lane: u32, pc: Pc, what: MbarrierEvent| {
        if let Some(observer) = observer.as_deref_mut() {
            let Thread { block, warp, lane, pc } = Thread { block: linear, warp, lane, pc };
            let address = CLUSTER_OBJECT;
            observer.mbarrier(&MbarrierStep { block, warp, lane, pc, address, what });
        }
    };
    tell(0, 0, 0, MbarrierEvent::Completes);
    let masks = phase.arrived.iter_mut().zip(&mut phase.complete);
    for (warp, (arrived, complete)) in block.warps.iter_mut().zip(masks) {
        *complete |= std::mem::take(arrived);
        for fragment in &mut warp.fragments {
            if fragment.state == State::Barrier(CLUSTER_BARRIER) {
                for lane in lanes_of(fragment.mask & *complete) {
                    let seen = MbarrierEvent::Seen { acquires: true };
                    tell(warp.number, lane as u32, fragment.pc, seen);
                }
                *complete &= !fragment.mask;
                fragment.state = State::Ready;
                fragment.pc += 1;
            }
        }
    }
    true
}
