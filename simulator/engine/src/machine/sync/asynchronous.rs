//! Begins asynchronous copies, and waits for them (PTX ISA 9.7.9.25).
//! [`crate::machine::state::in_flight`] keeps the copies under way.
//!
//! A copy is checked when it begins. Hardware may fault some time later; here the fault is at the
//! instruction. A lane that reads nothing may have any source address. A number of bytes to read
//! that exceeds the size of the copy counts as that size; the ISA says nothing about that. When a
//! thread has waited for the reads of bulk copies (`.read`), these copies have written, too;
//! hardware may write later.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{AsyncCopy, AsyncStore, Asynchronous, Base, BulkCopy, Grouped, Target};
use crate::machine::access::addresses::{Addresses, By, addresses_of};
use crate::machine::memory::MemoryFault;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::Fragment;
use crate::machine::state::in_flight::{Completes, Copy, InFlight, Owner, Pending, What};
use crate::machine::state::stop::{FaultKind, Stop, Thread};
use crate::machine::state::warp::{Warp, group_by};
use crate::observe::{Access, AccessKind, Completed, Flight, MbarrierEvent, Waited};
use crate::ptx::Space;

/// The size and the addresses of a copy in bulk are multiples of this.
const BULK: u32 = 16;

impl Execution<'_, '_> {
    /// Executes an operation on asynchronous copies.
    #[inline(never)]
    pub(in crate::machine) fn asynchronous(
        &mut self,
        warp: &mut Warp,
        operation: &Asynchronous,
        by: By,
    ) -> Result<(), Stop> {
        let number = warp.number;
        let owner = |lane: usize| (number, lane as u32);
        match operation {
            Asynchronous::Copy(copy) => self.begin_copies(warp, copy, by),
            Asynchronous::Bulk(copy) => self.begin_in_bulk(warp, copy, by),
            Asynchronous::Store(store) => self.begin_stores(warp, store, by),
            Asynchronous::Commit(grouped) => {
                let flight = self.common.in_flight.get_or_insert_default();
                lanes_of(by.active).for_each(|lane| flight.commit(owner(lane), *grouped));
                Ok(())
            }
            Asynchronous::Wait(grouped, left) => {
                let completed = match grouped {
                    Grouped::Small => Completed::Small,
                    Grouped::Bulk => Completed::Bulk,
                };
                self.wait_for_copies(warp, by, (*grouped, completed), |flight, owner| {
                    flight.wait(owner, *grouped, *left)
                })
            }
            Asynchronous::WaitForReads(left) => {
                let reads = (Grouped::Bulk, Completed::BulkReads);
                self.wait_for_copies(warp, by, reads, |flight, owner| {
                    flight.wait_for_reads(owner, *left)
                })
            }
            Asynchronous::WaitAll => {
                let small = (Grouped::Small, Completed::Small);
                self.wait_for_copies(warp, by, small, |flight, owner| flight.wait_for_all(owner))
            }
        }
    }

    fn begin_copies(&mut self, warp: &Warp, copy: &AsyncCopy, by: By) -> Result<(), Stop> {
        let frame = &warp.frames[usize::from(by.frame)];
        let (to, from) = (addresses_of(&copy.to, frame), addresses_of(&copy.from, frame));
        let bytes = copy.to.width * copy.to.elements;
        let ignored = copy.ignore.map_or(0, |ignore| ignore.lanes(&frame.registers));
        let sizes = copy.read.map(|slot| *frame.registers.w32(slot));
        let read: [u32; LANES] = std::array::from_fn(|lane| match sizes {
            _ if ignored >> lane & 1 == 1 => 0,
            Some(sizes) => sizes[lane].min(bytes),
            None => bytes,
        });
        let (to_space, from_space) = (Space::Shared, Space::Global);
        self.check_copied(warp, by, by.active, to_space, &to, bytes, bytes)?;
        let groups = group_by(by.active, |lane| read[lane]);
        for (read, lanes) in groups.iter().filter(|(read, _)| *read > 0) {
            self.check_copied(warp, by, *lanes, from_space, &from, *read, bytes)?;
        }
        let since = self.common.clock;
        let flight = self.common.in_flight.get_or_insert_default();
        let number = flight.begin();
        for lane in lanes_of(by.active) {
            let (to, from) = ((to_space, to[lane]), (from_space, from[lane]));
            let (bytes, read) = (u64::from(bytes), u64::from(read[lane]));
            let completes = Completes::Group(Grouped::Small);
            let copy = Copy { to, from, bytes, read, value: None, completes, reduction: None };
            let what = What::Copy(copy);
            let owner = (warp.number, lane as u32);
            flight.add(Pending { number, owner, pc: by.pc, since, what });
        }
        let flight = Flight { number, completed: Completed::Small };
        for (read, lanes) in groups.iter().filter(|(read, _)| *read > 0) {
            let whole = if read % 4 == 0 { 4 } else { 1 };
            let what = (AccessKind::Read, from_space, *read, whole);
            self.tell_copied(warp, by, *lanes, &copy.from, &from, what, flight);
        }
        let what = (AccessKind::Write, to_space, bytes, 4);
        self.tell_copied(warp, by, by.active, &copy.to, &to, what, flight);
        Ok(())
    }

    /// Each lane begins a copy in bulk.
    fn begin_in_bulk(&mut self, warp: &mut Warp, copy: &BulkCopy, by: By) -> Result<(), Stop> {
        let frame = &warp.frames[usize::from(by.frame)];
        let (to, from) = (addresses_of(&copy.to, frame), addresses_of(&copy.from, frame));
        let bytes = *frame.registers.w32(copy.bytes);
        let objects = copy.mbarrier.as_ref().map(|object| addresses_of(object, frame));
        let uneven = lanes_of(by.active).find(|lane| !bytes[*lane].is_multiple_of(BULK));
        if let Some(lane) = uneven {
            let what = FaultKind::BulkSize(bytes[lane]);
            return Err(self.fault(warp, 1 << lane, by.pc, what));
        }
        let (Some(to_space), Some(from_space)) = (copy.to.space, copy.from.space) else {
            return Err(internal!("a copy in bulk between no spaces").into());
        };
        let groups = group_by(by.active, |lane| bytes[lane]);
        for (bytes, lanes) in groups.iter().filter(|(bytes, _)| *bytes > 0) {
            self.check_copied(warp, by, *lanes, to_space, &to, *bytes, BULK)?;
            self.check_copied(warp, by, *lanes, from_space, &from, *bytes, BULK)?;
        }
        if let (Some(target), Some(objects)) = (&copy.mbarrier, &objects) {
            self.admit(warp, target, by, Space::Shared, objects, AccessKind::Atomic)?;
        }
        let since = self.common.clock;
        let flight = self.common.in_flight.get_or_insert_default();
        let number = flight.begin();
        for lane in lanes_of(by.active) {
            let completes = match &objects {
                Some(objects) => Completes::Mbarrier(objects[lane]),
                None => Completes::Group(Grouped::Bulk),
            };
            let (to, from) = ((to_space, to[lane]), (from_space, from[lane]));
            let (bytes, reduction) = (u64::from(bytes[lane]), copy.reduction);
            let copy = Copy { to, from, bytes, read: bytes, value: None, completes, reduction };
            let (owner, what) = ((warp.number, lane as u32), What::Copy(copy));
            flight.add(Pending { number, owner, pc: by.pc, since, what });
        }
        let (reads, writes) = match &objects {
            Some(objects) => (Completed::Mbarrier(objects), Completed::Mbarrier(objects)),
            None => (Completed::BulkReads, Completed::Bulk),
        };
        let kind = if copy.reduction.is_some() { AccessKind::Atomic } else { AccessKind::Write };
        let width = match copy.reduction {
            None => 4,
            Some((_, ty)) => {
                ty.bytes().ok_or_else(|| internal!("a reduction of {}", ty.keyword()))?
            }
        };
        for (bytes, lanes) in groups.iter().filter(|(bytes, _)| *bytes > 0) {
            let read = (AccessKind::Read, from_space, *bytes, 4);
            let flight = Flight { number, completed: reads };
            self.tell_copied(warp, by, *lanes, &copy.from, &from, read, flight);
            let written = (kind, to_space, *bytes, width);
            let flight = Flight { number, completed: writes };
            self.tell_copied(warp, by, *lanes, &copy.to, &to, written, flight);
        }
        Ok(())
    }

    /// Each lane begins a store of its registers' values.
    fn begin_stores(&mut self, warp: &mut Warp, store: &AsyncStore, by: By) -> Result<(), Stop> {
        let to = self.of_shared(warp, &store.to, by)?;
        let objects = self.of_shared(warp, &store.mbarrier, by)?;
        let bytes = store.to.width * store.to.elements;
        self.check_copied(warp, by, by.active, Space::Shared, &to, bytes, bytes)?;
        self.admit(warp, &store.mbarrier, by, Space::Shared, &objects, AccessKind::Atomic)?;
        let frame = &warp.frames[usize::from(by.frame)];
        let held = |slot, lane: usize| match store.to.width {
            8 => Ok(u128::from(frame.registers.w64(slot)[lane])),
            4 => Ok(u128::from(frame.registers.w32(slot)[lane])),
            width => Err(internal!("a store of elements of {width} bytes goes on by itself")),
        };
        let since = self.common.clock;
        let flight = self.common.in_flight.get_or_insert_default();
        let number = flight.begin();
        for lane in lanes_of(by.active) {
            let last_first = store.values.iter().rev();
            let value = last_first.copied().try_fold(0, |all, slot| {
                Ok::<u128, InternalError>(all << (8 * store.to.width) | held(slot, lane)?)
            })?;
            let what = What::Copy(Copy {
                to: (Space::Shared, to[lane]),
                from: (Space::Shared, to[lane]),
                bytes: bytes.into(),
                read: 0,
                value: Some(value),
                completes: Completes::Mbarrier(objects[lane]),
                reduction: store.reduction,
            });
            let owner = (warp.number, lane as u32);
            flight.add(Pending { number, owner, pc: by.pc, since, what });
        }
        let kind = if store.reduction.is_some() { AccessKind::Atomic } else { AccessKind::Write };
        let flight = Flight { number, completed: Completed::Mbarrier(&objects) };
        let what = (kind, Space::Shared, bytes, store.to.width);
        self.tell_copied(warp, by, by.active, &store.to, &to, what, flight);
        Ok(())
    }

    /// Refuses copies to or from memory that a lane may not access.
    #[expect(clippy::too_many_arguments, reason = "an access, spelled out")]
    fn check_copied(
        &self,
        warp: &Warp,
        by: By,
        lanes: Mask,
        space: Space,
        found: &Addresses,
        bytes: u32,
        alignment: u32,
    ) -> Result<(), Stop> {
        let refused = |lane: usize| {
            if !found[lane].is_multiple_of(alignment.into()) {
                return Some(MemoryFault::Misaligned { alignment });
            }
            self.outside(warp, by, space, (lane, found[lane]), bytes, Base::Absolute)
        };
        let bad = lanes_of(lanes).find_map(|lane| Some((lane, refused(lane)?)));
        match bad {
            Some((lane, fault)) => {
                let at = self.thread(warp, 1 << lane, by.pc);
                Err(Stop::Memory { at, space, address: found[lane], bytes, fault })
            }
            None => Ok(()),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "an access, spelled out")]
    fn tell_copied(
        &mut self,
        warp: &Warp,
        by: By,
        mask: Mask,
        target: &Target,
        addresses: &Addresses,
        (kind, space, bytes, width): (AccessKind, Space, u32, u32),
        flight: Flight<'_>,
    ) {
        if !self.tells_accesses() {
            return;
        }
        let access = Access {
            kind,
            space,
            mask,
            addresses,
            bytes,
            width,
            semantics: target.semantics,
            non_coherent: false,
            flight: Some(flight),
        };
        self.tell_access(warp, by.frame, by.pc, &access);
    }

    /// Lanes wait for their copies; `complete` gives the last one.
    fn wait_for_copies(
        &mut self,
        warp: &Warp,
        by: By,
        (grouped, completed): (Grouped, Completed<'_>),
        complete: impl Fn(&mut InFlight, Owner) -> u64,
    ) -> Result<(), Stop> {
        let Some(flight) = self.common.in_flight.as_deref_mut() else { return Ok(()) };
        let mut through = [0; LANES];
        let mut performed = Vec::new();
        for lane in lanes_of(by.active) {
            let owner = (warp.number, lane as u32);
            through[lane] = complete(flight, owner);
            if flight.is_pending() {
                performed.extend(flight.take_of(owner, grouped, through[lane]));
            }
        }
        self.perform(&performed)?;
        let fragment = Fragment::new(by.active, by.pc, by.frame);
        self.tell_synchronisation(warp, &fragment, by.active, |observer, event| {
            observer.waited(event, &Waited { lanes: by.active, through: &through, completed });
        });
        Ok(())
    }

    /// Carries out operations.
    pub(in crate::machine) fn perform(&mut self, operations: &[Pending]) -> Result<(), Stop> {
        self.common.acts += operations.len() as u64;
        operations.iter().try_for_each(|pending| self.perform_one(pending))
    }

    fn perform_one(&mut self, pending: &Pending) -> Result<(), Stop> {
        let &Pending { number, owner: (warp, lane), pc, .. } = pending;
        let at = Thread { block: self.block, warp, lane, pc };
        match &pending.what {
            What::Copy(copy) => {
                copy.perform(self.global, &mut self.common.shared)?;
                if self.interest.accesses
                    && let Some(observer) = self.observer.as_deref_mut()
                {
                    observer.copied(&copy.told(self.block, pending.owner));
                }
                match copy.completes {
                    Completes::Group(_) => Ok(()),
                    Completes::Mbarrier(address) => {
                        self.tell_mbarrier(at, address, MbarrierEvent::HasArrived { number });
                        let bytes = copy.bytes as i64;
                        self.changed(at, address, |object| object.complete(bytes))
                    }
                }
            }
            What::Arrive(address) => {
                self.tell_mbarrier(at, *address, MbarrierEvent::HasArrived { number });
                self.changed(at, *address, |object| object.arrive(1, false))
            }
        }
    }
}
