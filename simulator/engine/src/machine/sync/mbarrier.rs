//! Operations on mbarrier objects (PTX ISA 9.7.13.15), lane by lane.
//! [`crate::machine::state::mbarrier_object`] defines the object.
//!
//! `try_wait` never blocks: it answers like `test_wait`, and the loop around it waits. Threads that
//! only ask, for ever, are found by [`crate::machine::progress::poll_loop`]. A question about an
//! object carries out the asynchronous operations that complete at it, at the latest possible
//! moment.
//!
//! Deviation: cases that the ISA leaves undefined are faults here: more arrivals than are pending,
//! a missing object, too many transactions, an arrival without completion that completes. Hardware
//! may go on with any state.

use crate::lanes::{LANES, Mask, lanes_of, write_lanes};
use crate::lower::{
    Mbarrier, MbarrierAction, MbarrierArrive, MbarrierPhase, Order, Semantics, Target,
};
use crate::machine::access::addresses::{Addresses, By, addresses_of, by_space, named_space};
use crate::machine::state::execution::Execution;
use crate::machine::state::in_flight::{Pending, What};
use crate::machine::state::mbarrier_object::{MbarrierMisuse, MbarrierObject};
use crate::machine::state::stop::{FaultKind, Stop, Thread};
use crate::machine::state::warp::Warp;
use crate::observe::{AccessKind, MbarrierEvent, MbarrierStep};
use crate::ptx::Space;

/// Bytes of an object.
const BYTES: u32 = 8;

impl Execution<'_, '_> {
    /// Executes an operation on an mbarrier object.
    #[inline(never)]
    pub(in crate::machine) fn mbarrier(
        &mut self,
        warp: &mut Warp,
        operation: &Mbarrier,
        by: By,
    ) -> Result<(), Stop> {
        let found = self.of_shared(warp, &operation.target, by)?;
        let kind = match operation.action {
            MbarrierAction::Init { .. } | MbarrierAction::Invalidate => AccessKind::Write,
            MbarrierAction::Test { .. } => AccessKind::Read,
            MbarrierAction::ExpectTx { .. }
            | MbarrierAction::CompleteTx { .. }
            | MbarrierAction::Arrive(_)
            | MbarrierAction::ArriveWithCopies { .. } => AccessKind::Atomic,
        };
        // The phase orders memory, not the access.
        let Semantics { order, scope } = operation.target.semantics;
        let order = if order == Order::Weak { Order::Weak } else { Order::Relaxed };
        let target = Target { semantics: Semantics { order, scope }, ..operation.target };
        self.admit(warp, &target, by, Space::Shared, &found, kind)?;
        match &operation.action {
            MbarrierAction::Test { d, phase } => self.test(warp, operation, by, &found, *d, *phase),
            MbarrierAction::Arrive(arrive) => self.arrive(warp, operation, by, &found, arrive),
            MbarrierAction::Init { .. }
            | MbarrierAction::Invalidate
            | MbarrierAction::ExpectTx { .. }
            | MbarrierAction::CompleteTx { .. }
            | MbarrierAction::ArriveWithCopies { .. } => lanes_of(by.active)
                .try_for_each(|lane| self.change(warp, &operation.action, by, lane, found[lane])),
        }
    }

    /// The addresses of a target in shared memory; the target may give generic ones.
    pub(in crate::machine) fn of_shared(
        &self,
        warp: &Warp,
        target: &Target,
        by: By,
    ) -> Result<Addresses, Stop> {
        let found = addresses_of(target, &warp.frames[usize::from(by.frame)]);
        match named_space(target) {
            Some(_) => Ok(found),
            None => self.in_shared(warp, target, &found, by),
        }
    }

    /// Converts generic addresses, which must lie in shared memory, to addresses of shared memory.
    fn in_shared(
        &self,
        warp: &Warp,
        target: &Target,
        found: &Addresses,
        by: By,
    ) -> Result<Addresses, Stop> {
        let mut out = *found;
        for (space, lanes, addresses) in by_space(target, found, by.active) {
            if space != Space::Shared {
                let lane = lanes.trailing_zeros() as usize % LANES;
                let misuse = MbarrierMisuse::NotShared(found[lane]);
                return Err(self.fault(warp, lanes, by.pc, FaultKind::Mbarrier(misuse)));
            }
            lanes_of(lanes).for_each(|lane| out[lane] = addresses[lane]);
        }
        Ok(out)
    }

    /// Applies a lane's change to an object; the lane gets no result.
    fn change(
        &mut self,
        warp: &Warp,
        action: &MbarrierAction,
        by: By,
        lane: usize,
        address: u64,
    ) -> Result<(), Stop> {
        let at = self.thread(warp, 1 << lane, by.pc);
        let registers = &warp.frames[usize::from(by.frame)].registers;
        match *action {
            MbarrierAction::Init { count } => {
                let object = MbarrierObject::new(registers.w32(count)[lane]);
                let object = object.map_err(|misuse| refused(at, misuse))?;
                self.common.shared.write(address, BYTES, object.bits());
                self.tell_mbarrier(at, address, MbarrierEvent::Begins);
                Ok(())
            }
            MbarrierAction::Invalidate => {
                self.mbarrier_object(at, address)?;
                self.common.shared.write(address, BYTES, 0);
                Ok(())
            }
            MbarrierAction::ExpectTx { bytes } => {
                let bytes = registers.w32(bytes)[lane].into();
                self.changed(at, address, |object| object.expect(bytes).map(|()| false))
            }
            MbarrierAction::CompleteTx { bytes } => {
                let bytes = registers.w32(bytes)[lane].into();
                self.changed(at, address, |object| object.complete(bytes))
            }
            MbarrierAction::ArriveWithCopies { counted } => {
                if counted {
                    self.changed(at, address, |object| object.add_arrival().map(|()| false))?;
                }
                self.mbarrier_object(at, address)?;
                let since = self.common.clock;
                let flight = self.common.in_flight.get_or_insert_default();
                let number = flight.begin();
                let owner = (at.warp, at.lane);
                flight.add(Pending {
                    number,
                    owner,
                    pc: by.pc,
                    since,
                    what: What::Arrive(address),
                });
                self.tell_mbarrier(at, address, MbarrierEvent::WillArrive { number });
                Ok(())
            }
            MbarrierAction::Arrive(_) | MbarrierAction::Test { .. } => Ok(()),
        }
    }

    fn arrive(
        &mut self,
        warp: &mut Warp,
        operation: &Mbarrier,
        by: By,
        found: &Addresses,
        arrive: &MbarrierArrive,
    ) -> Result<(), Stop> {
        let releases = operation.target.semantics.order == Order::Release;
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let count = arrive.count.map(|slot| *registers.w32(slot));
        let expected = arrive.expected.map(|slot| *registers.w32(slot));
        let mut states = [0; LANES];
        for lane in lanes_of(by.active) {
            let (at, address) = (self.thread(warp, 1 << lane, by.pc), found[lane]);
            let before = self.mbarrier_object(at, address)?;
            states[lane] = before.state();
            self.tell_mbarrier(at, address, MbarrierEvent::Arrives { releases });
            let count = count.map_or(1, |count| count[lane]);
            self.changed(at, address, |object| {
                if let Some(expected) = &expected {
                    object.expect(expected[lane].into())?;
                }
                let is_complete = object.arrive(count, arrive.drops)?;
                if is_complete && arrive.completes_nothing {
                    return Err(MbarrierMisuse::Completes);
                }
                Ok(is_complete)
            })?;
        }
        if let Some(d) = arrive.d {
            let registers = &mut warp.frames[usize::from(by.frame)].registers;
            write_lanes(registers, d, by.active, &states);
        }
        Ok(())
    }

    fn test(
        &mut self,
        warp: &mut Warp,
        operation: &Mbarrier,
        by: By,
        found: &Addresses,
        d: crate::lanes::Slot,
        phase: MbarrierPhase,
    ) -> Result<(), Stop> {
        let acquires = operation.target.semantics.order == Order::Acquire;
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let states = match phase {
            MbarrierPhase::State(slot) => *registers.w64(slot),
            MbarrierPhase::Parity(slot) => registers.w32(slot).map(u64::from),
        };
        let mut complete: Mask = 0;
        for lane in lanes_of(by.active) {
            let (at, address) = (self.thread(warp, 1 << lane, by.pc), found[lane]);
            self.perform_those_of(address)?;
            let object = self.mbarrier_object(at, address)?;
            let has_completed = object.has_completed(states[lane]);
            if has_completed {
                complete |= 1 << lane;
                self.tell_mbarrier(at, address, MbarrierEvent::Seen { acquires });
            }
            let flight = self.common.in_flight.get_or_insert_default();
            let waits_at = (!has_completed).then_some((address, by.pc));
            flight.note_asked((at.warp, at.lane), waits_at);
        }
        if complete == 0 {
            warp.poll_loop.told_no(by.active);
        }
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        registers.set_predicate(d, by.active, complete);
        Ok(())
    }

    /// Carries out the asynchronous operations that complete at an object.
    fn perform_those_of(&mut self, address: u64) -> Result<(), Stop> {
        let Some(flight) = self.common.in_flight.as_deref_mut() else { return Ok(()) };
        if !flight.is_pending() {
            return Ok(());
        }
        let performed = flight.take_of_mbarrier(address);
        self.perform(&performed)
    }

    /// The object at an address.
    fn mbarrier_object(&self, at: Thread, address: u64) -> Result<MbarrierObject, Stop> {
        MbarrierObject::of_bits(self.common.shared.read(address, BYTES))
            .ok_or_else(|| refused(at, MbarrierMisuse::Missing(address)))
    }

    /// Changes an object; `change` returns whether its phase is complete.
    pub(in crate::machine) fn changed(
        &mut self,
        at: Thread,
        address: u64,
        change: impl FnOnce(&mut MbarrierObject) -> Result<bool, MbarrierMisuse>,
    ) -> Result<(), Stop> {
        let mut object = self.mbarrier_object(at, address)?;
        let is_complete = change(&mut object).map_err(|misuse| refused(at, misuse))?;
        self.common.shared.write(address, BYTES, object.bits());
        if is_complete {
            self.tell_mbarrier(at, address, MbarrierEvent::Completes);
        }
        Ok(())
    }

    pub(in crate::machine) fn tell_mbarrier(
        &mut self,
        at: Thread,
        address: u64,
        what: MbarrierEvent,
    ) {
        if self.interest.synchronisation
            && let Some(observer) = self.observer.as_deref_mut()
        {
            let Thread { block, warp, lane, pc } = at;
            observer.mbarrier(&MbarrierStep { block, warp, lane, pc, address, what });
        }
    }
}

fn refused(at: Thread, misuse: MbarrierMisuse) -> Stop {
    Stop::Fault { at, what: FaultKind::Mbarrier(misuse) }
}
