//! Block barriers: who waits where, and who has passed by.

use warpsim_language::internal;

use super::plan::{Ahead, Plan};
use super::position::Warp;
use super::result::{Spot, Violation, Violations};
use crate::lanes::{FULL, LANES, Mask};
use crate::lower::Pc;
use crate::observe::{Arrival, Arrivals, BarrierEvent};

/// A block in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) number: u64,
    pub(super) warps: Vec<Warp>,
    /// A lane has been counted.
    pub(super) has_counted: bool,
    /// Barriers at which lanes wait.
    pub(super) open: Vec<Open>,
    /// Live lanes without which a barrier went on (`lockstep`).
    missed: Vec<Missed>,
    /// Memory for those who arrive at the next barrier.
    spare: Vec<Arrival>,
}

/// A barrier that is not complete.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) barrier: u8,
    pub(super) count: Option<u32>,
    pub(super) arrivals: Vec<Arrival>,
}

/// A lane that waited at a barrier, and how far it had come.
#[derive(Clone, Debug, PartialEq)]
struct Waiter {
    spot: Spot,
    progress: Vec<u32>,
    barrier: u8,
    count: Option<u32>,
}

/// Live lanes without which a barrier went on: what they do next decides.
#[derive(Clone, Debug, PartialEq)]
struct Missed {
    waiter: Waiter,
    warp: u32,
    lanes: Mask,
}

impl Block {
    pub(super) fn new(number: u64, threads: u32, counters: usize) -> Block {
        let warps = (0..threads.div_ceil(LANES as u32)).map(|warp| {
            let here = (threads - warp * LANES as u32).min(LANES as u32);
            Warp::new(FULL >> (LANES as u32 - here), counters)
        });
        Block { number, warps: warps.collect(), ..Block::default() }
    }

    /// Makes it another block of the same launch, which begins.
    pub(super) fn renew(&mut self, number: u64) {
        self.number = number;
        self.warps.iter_mut().for_each(Warp::renew);
        self.has_counted = false;
        self.open.clear();
        self.missed.clear();
    }

    /// The lanes that have arrived at a barrier that is not complete.
    fn arrived(&mut self, barrier: u8, count: Option<u32>) -> &mut Vec<Arrival> {
        let at = match self.open.iter().position(|open| open.barrier == barrier) {
            Some(at) => at,
            None => {
                let arrivals = std::mem::take(&mut self.spare);
                self.open.push(Open { barrier, count, arrivals });
                self.open.len() - 1
            }
        };
        &mut self.open[at].arrivals
    }

    /// Lanes of several warps have arrived at a barrier.
    pub(super) fn arrive_together(
        &mut self,
        plan: &Plan,
        those: &Arrivals<'_>,
        violations: &mut Violations,
    ) {
        if !self.missed.is_empty() {
            return those.all().for_each(|arrival| {
                self.arrive(plan, those.barrier, None, &arrival, violations);
            });
        }
        self.arrived(those.barrier, None).extend(those.all());
    }

    /// Lanes have arrived at a barrier.
    pub(super) fn arrive(
        &mut self,
        plan: &Plan,
        barrier: u8,
        count: Option<u32>,
        arrival: &Arrival,
        violations: &mut Violations,
    ) {
        self.resume(plan, arrival.warp, arrival.lanes, Some(arrival.pc), violations);
        self.arrived(barrier, count).push(arrival.clone());
    }

    /// A barrier lets its threads go.
    pub(super) fn complete(
        &mut self,
        plan: &Plan,
        event: &BarrierEvent<'_>,
        is_lockstep: bool,
        violations: &mut Violations,
    ) {
        if let Some(at) = self.open.iter().position(|open| open.barrier == event.barrier) {
            self.spare = self.open.remove(at).arrivals;
            self.spare.clear();
        }
        self.judge(plan, event, is_lockstep, violations);
    }

    /// The launch has ended: judges who still waits.
    pub(super) fn end(&mut self, plan: &Plan, violations: &mut Violations) {
        for Open { barrier, count, arrivals } in std::mem::take(&mut self.open) {
            let (block, arrivals) = (self.number, &*arrivals);
            let event = BarrierEvent { block, barrier, count, arrivals };
            self.judge(plan, &event, false, violations);
        }
    }

    fn judge(
        &mut self,
        plan: &Plan,
        event: &BarrierEvent<'_>,
        is_lockstep: bool,
        violations: &mut Violations,
    ) {
        if self.is_met_by_all_alike(plan, event) {
            return;
        }
        self.find_apart(event, violations);
        if event.count.is_none() {
            self.find_passing(plan, event, event.arrivals, is_lockstep, violations);
            self.find_left(plan, event, violations);
            return;
        }
        // With a count only lanes of one warp must come together.
        let mut warps: Vec<u32> = event.arrivals.iter().map(|a| a.warp).collect();
        warps.sort_unstable();
        warps.dedup();
        for warp in warps {
            let of_warp = event.arrivals.iter().filter(|a| a.warp == warp);
            let arrivals: Vec<Arrival> = of_warp.cloned().collect();
            self.find_passing(plan, event, &arrivals, is_lockstep, violations);
        }
    }

    /// Whether all threads of the block wait at one instruction, and each has come as far as the
    /// others: none has passed it by, or left.
    fn is_met_by_all_alike(&self, plan: &Plan, event: &BarrierEvent<'_>) -> bool {
        let (Some(first), Some(of_first)) = (event.arrivals.first(), self.warps.first()) else {
            return false;
        };
        let is_whole = |arrival: &Arrival| {
            let warp = self.warps.get(arrival.warp as usize);
            arrival.waits
                && arrival.pc == first.pc
                && warp.is_some_and(|warp| warp.exists == arrival.lanes && warp.exited == 0)
        };
        // Who waits does not arrive again.
        event.count.is_none()
            && event.arrivals.len() == self.warps.len()
            && event.arrivals.iter().all(is_whole)
            && (!self.has_counted
                || plan.ahead.get(&first.pc).into_iter().flatten().all(|ahead| {
                    let like = of_first.at(ahead.counter, 0);
                    self.warps.iter().all(|warp| warp.are_all(ahead.counter, like))
                }))
    }

    /// Threads at different instructions of one barrier.
    fn find_apart(&self, event: &BarrierEvent<'_>, violations: &mut Violations) {
        let Some(first) = event.arrivals.first() else { return };
        if event.arrivals.iter().all(|a| a.pc == first.pc) {
            return;
        }
        let apart = |a: &Arrival, b: &Arrival| {
            a.pc != b.pc && (event.count.is_none() || a.warp == b.warp && a.lanes & b.lanes == 0)
        };
        for (i, second) in event.arrivals.iter().enumerate() {
            let Some(first) = event.arrivals[..i].iter().find(|a| apart(a, second)) else {
                continue;
            };
            violations.add(Violation::Apart {
                first: self.spot(first),
                second: self.spot(second),
                barrier: event.barrier,
                count: event.count,
            });
        }
    }

    /// Lanes that have passed by a barrier, at each instruction at which others wait at it.
    fn find_passing(
        &mut self,
        plan: &Plan,
        event: &BarrierEvent<'_>,
        arrivals: &[Arrival],
        is_lockstep: bool,
        violations: &mut Violations,
    ) {
        let mut pcs: Vec<Pc> = arrivals.iter().filter(|a| a.waits).map(|a| a.pc).collect();
        pcs.sort_unstable();
        pcs.dedup();
        for pc in pcs {
            let ahead = plan.ahead.get(&pc).map_or(&[][..], Vec::as_slice);
            if ahead.is_empty() && !is_lockstep {
                continue;
            }
            let here = arrivals.iter().filter(|a| a.pc == pc && a.waits);
            let Some(waiter) = self.furthest_behind(ahead, event, here.clone()) else { continue };
            for arrival in here {
                self.note_passing(&waiter, ahead, arrival.warp, arrival.lanes, violations);
            }
            let whole_block = event.count.is_none();
            for warp in 0..self.warps.len() as u32 {
                let mut of_warp = arrivals.iter().filter(|a| a.warp == warp).peekable();
                if !whole_block && of_warp.peek().is_none() {
                    continue;
                }
                let arrived = of_warp.fold(0, |lanes, a| lanes | a.lanes);
                let missing = self.warps[warp as usize].exists & !arrived;
                if missing != 0 {
                    self.miss(&waiter, ahead, (warp, missing), is_lockstep, violations);
                }
            }
        }
    }

    /// Lanes that have left the kernel at a branch behind which others wait.
    fn find_left(&self, plan: &Plan, event: &BarrierEvent<'_>, violations: &mut Violations) {
        let Some(arrival) = event.arrivals.iter().find(|a| a.waits) else { return };
        let waiting = self.spot(arrival);
        for (warp, number) in self.warps.iter().zip(0..) {
            let left = warp.exited & warp.exists;
            self.note_left(plan, (waiting, event.barrier), (number, left), violations);
        }
    }

    /// Notes the lanes of a warp that have left the kernel at a branch behind which others wait.
    fn note_left(
        &self,
        plan: &Plan,
        (waiting, barrier): (Spot, u8),
        (number, mut left): (u32, Mask),
        violations: &mut Violations,
    ) {
        if left == 0 {
            return;
        }
        let warp = self.warps.get(number as usize);
        let missing = || internal!("warp {number} left a block that has it not");
        let Some(warp) = violations.bug.known(warp, missing) else { return };
        for (counter, guard) in plan.guards.get(&waiting.pc).into_iter().flatten() {
            let here = left & warp.came(*counter);
            if here == 0 {
                continue;
            }
            left &= !here;
            let lane = here.trailing_zeros() % LANES as u32;
            violations.add(Violation::LeftBarrier {
                waiting,
                left: Spot { block: self.number, warp: number, lane, pc: guard.branch },
                lanes: here,
                barrier,
                is_inside: guard.is_inside,
            });
        }
    }

    /// Lanes leave the kernel. A barrier may have gone on without them (`lockstep`), and they have
    /// reached no barrier since.
    pub(super) fn leave(
        &mut self,
        plan: &Plan,
        warp: u32,
        lanes: Mask,
        violations: &mut Violations,
    ) {
        for missed in self.missed.iter().filter(|m| m.warp == warp && m.waiter.count.is_none()) {
            let waiter = (missed.waiter.spot, missed.waiter.barrier);
            self.note_left(plan, waiter, (warp, missed.lanes & lanes), violations);
        }
    }

    /// Lanes did not reach a barrier that has gone on, or never will.
    fn miss(
        &mut self,
        waiter: &Waiter,
        ahead: &[Ahead],
        (warp, missing): (u32, Mask),
        is_lockstep: bool,
        violations: &mut Violations,
    ) {
        let passed = self.note_passing(waiter, ahead, warp, missing, violations);
        let lanes = missing & !passed & !self.warps[warp as usize].exited;
        let missed = Missed { waiter: waiter.clone(), warp, lanes };
        if is_lockstep && lanes != 0 && !self.missed.contains(&missed) {
            self.missed.push(missed);
        }
    }

    /// The thread that has come the least far among the threads that wait at an instruction.
    fn furthest_behind<'a>(
        &self,
        ahead: &[Ahead],
        event: &BarrierEvent<'_>,
        arrivals: impl Iterator<Item = &'a Arrival>,
    ) -> Option<Waiter> {
        let mut least: Option<Waiter> = None;
        for arrival in arrivals {
            let warp = &self.warps[arrival.warp as usize];
            if let Some(least) = &least
                && warp.all_like(ahead, arrival.lanes, &least.progress)
            {
                continue;
            }
            for lane in crate::lanes::lanes_of(arrival.lanes) {
                let progress = warp.progress(ahead, lane);
                if least.as_ref().is_none_or(|least| progress < least.progress) {
                    let spot = Spot { lane: lane as u32, ..self.spot(arrival) };
                    let (barrier, count) = (event.barrier, event.count);
                    least = Some(Waiter { spot, progress, barrier, count });
                }
                if warp.all_like(ahead, arrival.lanes, &warp.progress(ahead, lane)) {
                    break;
                }
            }
        }
        least
    }

    /// Notes which of some lanes have passed by a waiter, and returns them.
    fn note_passing(
        &self,
        waiter: &Waiter,
        ahead: &[Ahead],
        warp: u32,
        lanes: Mask,
        violations: &mut Violations,
    ) -> Mask {
        let passed = self.warps[warp as usize].passed(ahead, lanes, &waiter.progress);
        let Some((place, lanes)) = passed else { return 0 };
        let lane = lanes.trailing_zeros() % LANES as u32;
        violations.add(Violation::PassedBarrier {
            waiting: waiter.spot,
            passing: Spot { block: self.number, warp, lane, pc: ahead[place].place },
            lanes,
            barrier: waiter.barrier,
            count: waiter.count,
            branches: ahead[place].branches.clone(),
        });
        lanes
    }

    /// Lanes have reached a meeting place, or the barrier `at`. If a barrier went on without them,
    /// they may have passed it by.
    pub(super) fn resume(
        &mut self,
        plan: &Plan,
        warp: u32,
        lanes: Mask,
        at: Option<Pc>,
        violations: &mut Violations,
    ) {
        if self.missed.is_empty() {
            return;
        }
        let mut missed = std::mem::take(&mut self.missed);
        for missed in missed.iter_mut().filter(|m| m.warp == warp) {
            let here = missed.lanes & lanes;
            let Some(ahead) = plan.ahead.get(&missed.waiter.spot.pc) else { continue };
            let passed = self.note_passing(&missed.waiter, ahead, warp, here, violations);
            missed.lanes &= !passed;
            let Some(pc) = at.filter(|_| here != 0) else { continue };
            missed.lanes &= !here;
            let lane = here.trailing_zeros() % LANES as u32;
            if pc != missed.waiter.spot.pc && passed == 0 {
                violations.add(Violation::Apart {
                    first: missed.waiter.spot,
                    second: Spot { block: self.number, warp, lane, pc },
                    barrier: missed.waiter.barrier,
                    count: missed.waiter.count,
                });
            }
        }
        missed.retain(|m| m.lanes & !self.warps[m.warp as usize].exited != 0);
        self.missed = missed;
    }

    fn spot(&self, arrival: &Arrival) -> Spot {
        let lane = arrival.lanes.trailing_zeros() % LANES as u32;
        Spot { block: self.number, warp: arrival.warp, lane, pc: arrival.pc }
    }
}

#[cfg(test)]
mod tests {
    use super::super::position::Wait;
    use super::*;

    #[test]
    fn a_block_in_the_place_of_another_one_knows_nothing_of_it() {
        let mut block = Block::new(3, 40, 2);
        let plan = Plan { resets: vec![Vec::new(); 2], ..Plan::default() };
        let counts = [super::super::plan::Count { counter: 1, guarded: false }];
        block.warps[1].count(&plan, &counts, 0xff, 0xff);
        block.has_counted = true;
        block.warps[0].exited = 7;
        block.warps[0].waits.push(Wait { lanes: 1, pc: 0, mask: 3 });
        let mut violations = Violations::default();
        let arrival =
            Arrival { warp: 0, lanes: 8, pc: 0, waits: true, aligned: true, predicate: 0 };
        block.arrive(&plan, 0, None, &arrival, &mut violations);
        block.renew(4);
        assert_eq!(format!("{block:?}"), format!("{:?}", Block::new(4, 40, 2)));
    }
}
