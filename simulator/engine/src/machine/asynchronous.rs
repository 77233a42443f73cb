//! Beginning asynchronous copies, and waiting for them (PTX ISA 9.7.9.25.3); what is under way is
//! kept by [`super::in_flight`].
//!
//! A copy is checked when it is begun: where hardware faults some time later, the fault is here at the
//! instruction. A lane that reads nothing may have any source address. More bytes to read than the
//! copy has, of which the ISA says nothing, are as many as it has.

use super::access::{Addresses, By, addresses_of};
use super::execute::group_by;
use super::in_flight::{Copy, Owner};
use super::memory::MemoryFault;
use super::stage::Stage;
use super::stop::Stop;
use super::warp::Warp;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{AsyncCopy, Asynchronous, Base, Target};
use crate::observe::{Access, AccessKind, Flight, Waited};
use crate::ptx::Space;

impl Stage<'_, '_> {
    /// Executes an operation on asynchronous copies.
    pub(super) fn asynchronous(
        &mut self,
        warp: &Warp,
        operation: &Asynchronous,
        by: By,
    ) -> Result<(), Stop> {
        let owner = |lane: usize| (warp.number, lane as u32);
        match operation {
            Asynchronous::Copy(copy) => self.begin_copies(warp, copy, by),
            Asynchronous::Commit => {
                let flight = self.common.in_flight.get_or_insert_default();
                lanes_of(by.active).for_each(|lane| flight.commit(owner(lane)));
                Ok(())
            }
            Asynchronous::Wait(left) => {
                self.wait_for_copies(warp, by, |flight, owner| flight.wait(owner, *left))
            }
            Asynchronous::WaitAll => {
                self.wait_for_copies(warp, by, |flight, owner| flight.wait_for_all(owner))
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
            let (owner, bytes) = ((warp.number, lane as u32), u64::from(bytes));
            let read = u64::from(read[lane]);
            flight.add(Copy { number, owner, to, from, bytes, read, since });
        }
        for (read, lanes) in groups.iter().filter(|(read, _)| *read > 0) {
            let whole = if read % 4 == 0 { 4 } else { 1 };
            let what = (AccessKind::Read, from_space, *read, whole);
            self.tell_copied(warp, by, *lanes, &copy.from, &from, what, number);
        }
        let what = (AccessKind::Write, to_space, bytes, 4);
        self.tell_copied(warp, by, by.active, &copy.to, &to, what, number);
        Ok(())
    }

    /// Refuses what a copy of each lane may not touch.
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
        number: u64,
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
            flight: Some(Flight { number }),
        };
        self.tell_access(warp, by.frame, by.pc, &access);
    }

    /// Lanes wait for copies of theirs; `complete` says up to which.
    fn wait_for_copies(
        &mut self,
        warp: &Warp,
        by: By,
        complete: impl Fn(&mut super::InFlight, Owner) -> u64,
    ) -> Result<(), Stop> {
        let Some(flight) = self.common.in_flight.as_deref_mut() else { return Ok(()) };
        let mut through = [0; LANES];
        let mut performed = Vec::new();
        for lane in lanes_of(by.active) {
            let owner = (warp.number, lane as u32);
            through[lane] = complete(flight, owner);
            if flight.is_pending() {
                performed.extend(flight.take_of(owner, through[lane]));
            }
        }
        self.perform_copies(&performed)?;
        let fragment = super::Fragment::new(by.active, by.pc, by.frame);
        self.tell_synchronisation(warp, &fragment, by.active, |observer, event| {
            observer.waited(event, &Waited { lanes: by.active, through: &through });
        });
        Ok(())
    }

    /// Copies take effect.
    pub(super) fn perform_copies(&mut self, copies: &[Copy]) -> Result<(), Stop> {
        for copy in copies {
            copy.perform(self.global, &mut self.common.shared)?;
            if self.interest.accesses
                && let Some(observer) = self.observer.as_deref_mut()
            {
                observer.copied(&copy.told(self.block));
            }
        }
        Ok(())
    }
}
