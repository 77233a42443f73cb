//! Asynchronous copies that have begun and not taken effect (PTX ISA 9.7.9.25), as data.
//!
//! A copy takes effect in one step, at a moment from its begin to the end of the wait for it. The
//! schedule chooses one of two moments: at once, or as late as possible. The late moment is when
//! its thread has waited for it, or when the block ends. So that no thread waits for ever for a
//! copy, a late copy also takes effect when the machine's state repeats, and after
//! [`LONGEST_DELAY`] instructions of the block. The copy reads at that moment, too.
//!
//! Deviation: a copy is not torn, and late copies of one thread take effect in the order in which
//! they began. So some outcomes that hardware may show are missing, but no forbidden outcome is
//! shown.

use std::collections::{BTreeMap, VecDeque};

use super::stop::Stop;
use crate::internal;
use crate::internal::InternalError;
use crate::lower::{AtomicOperation, Grouped, Pc};
use crate::machine::memory::{GlobalMemory, Pages};
use crate::observe::Copied;
use crate::ptx::{Space, Type};

/// Instructions of the block after which a copy takes effect even if no thread has waited for it.
pub(in crate::machine) const LONGEST_DELAY: u64 = 1 << 18;

/// The most copies of a block under way. Beyond it the oldest take effect first.
const MOST: usize = 1 << 16;

/// A thread of a block: warp and lane.
pub(in crate::machine) type Owner = (u32, u32);

/// The copies of a block that have begun.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InFlight {
    /// The number of instructions so far that began copies. It is also the number of the copies.
    begun: u64,
    /// The copies that have not taken effect, in the order in which they began.
    pending: VecDeque<Pending>,
    /// Whether it is still undecided when the last ones take effect.
    is_undecided: bool,
    groups: BTreeMap<(Owner, Grouped), Groups>,
    /// The mbarrier objects that threads wait for. For each thread: the object that it asked last
    /// and the instruction, if the answer was negative.
    asked: BTreeMap<Owner, (u64, Pc)>,
}

/// The groups of a thread.
#[derive(Clone, Debug, Default, PartialEq)]
struct Groups {
    /// The number of its last copy.
    last: u64,
    /// For each group that may be under way: the number of its last copy. For an empty group it is
    /// the number of the copy before.
    committed: VecDeque<u64>,
}

/// An operation that has begun and has not taken effect.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::machine) struct Pending {
    pub number: u64,
    pub owner: Owner,
    /// The instruction that began it.
    pub pc: Pc,
    /// The block's clock when it began.
    pub since: u64,
    pub what: What,
}

/// The effect of an operation.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::machine) enum What {
    /// A copy.
    Copy(Copy),
    /// An arrival at the mbarrier object at an address, after all earlier copies of its thread in
    /// groups.
    Arrive(u64),
}

/// A copy that has begun.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::machine) struct Copy {
    pub to: (Space, u64),
    pub from: (Space, u64),
    /// Bytes that it writes.
    pub bytes: u64,
    /// The first of them, which it reads; the others become zeros.
    pub read: u64,
    /// The value to write, if registers held it: then nothing is read. The first bytes are the
    /// lowest.
    pub value: Option<u128>,
    /// The receiver of the completion.
    pub completes: Completes,
    /// The reduction of each element of a type with the present value, instead of an overwrite.
    pub reduction: Option<(AtomicOperation, Type)>,
}

/// The receiver of a copy's completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) enum Completes {
    /// The group of its thread.
    Group(Grouped),
    /// The mbarrier object at an address.
    Mbarrier(u64),
}

impl InFlight {
    /// The number of the copies that the next instruction begins.
    pub(in crate::machine) fn begin(&mut self) -> u64 {
        self.begun += 1;
        self.is_undecided = true;
        self.begun
    }

    /// Adds an operation that begins.
    pub(in crate::machine) fn add(&mut self, pending: Pending) {
        if let Some(grouped) = pending.grouped() {
            self.groups.entry((pending.owner, grouped)).or_default().last = pending.number;
        }
        self.pending.push_back(pending);
    }

    /// Forms a group of the copies of a thread that are in no group yet.
    pub(in crate::machine) fn commit(&mut self, owner: Owner, grouped: Grouped) {
        let groups = self.groups.entry((owner, grouped)).or_default();
        groups.committed.push_back(groups.last);
        if groups.committed.len() > crate::lower::MOST_GROUPS as usize {
            groups.committed.pop_front();
        }
    }

    /// A thread waits until at most this many of its groups are under way. Returns the number up to
    /// which its copies are complete; 0 for none.
    pub(in crate::machine) fn wait(&mut self, owner: Owner, grouped: Grouped, left: u32) -> u64 {
        let Some(groups) = self.groups.get_mut(&(owner, grouped)) else { return 0 };
        let complete = groups.committed.len().saturating_sub(left as usize);
        groups.committed.drain(..complete).next_back().unwrap_or(0)
    }

    /// The same for reads only: the groups do not become complete.
    pub(in crate::machine) fn wait_for_reads(&self, owner: Owner, left: u32) -> u64 {
        let groups = self.groups.get(&(owner, Grouped::Bulk));
        groups.map_or(0, |groups| {
            let read = groups.committed.len().saturating_sub(left as usize);
            read.checked_sub(1).and_then(|last| groups.committed.get(last)).copied().unwrap_or(0)
        })
    }

    /// A thread waits for all its copies except those in bulk.
    pub(in crate::machine) fn wait_for_all(&mut self, owner: Owner) -> u64 {
        self.commit(owner, Grouped::Small);
        self.wait(owner, Grouped::Small, 0)
    }

    /// Whether some copies have yet to take effect.
    pub(in crate::machine) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether it is still undecided when the last copies take effect. The question clears the
    /// flag.
    pub(in crate::machine) fn take_undecided(&mut self) -> bool {
        std::mem::take(&mut self.is_undecided)
    }

    /// Takes out the copies of the last instruction that began some.
    pub(in crate::machine) fn take_last(&mut self) -> Vec<Pending> {
        let last = self.begun;
        self.take(|pending| pending.number == last)
    }

    /// Takes out the copies of a thread up to a number.
    pub(in crate::machine) fn take_of(
        &mut self,
        owner: Owner,
        grouped: Grouped,
        through: u64,
    ) -> Vec<Pending> {
        self.take(|pending| {
            let is_of = pending.owner == owner && pending.grouped() == Some(grouped);
            is_of && pending.number <= through
        })
    }

    /// Takes out the operations that complete at the mbarrier object at an address.
    pub(in crate::machine) fn take_of_mbarrier(&mut self, address: u64) -> Vec<Pending> {
        self.take(|pending| match &pending.what {
            What::Copy(copy) => copy.completes == Completes::Mbarrier(address),
            What::Arrive(at) => *at == address,
        })
    }

    /// A thread has asked whether a phase of an mbarrier object is complete. `waits_at`: the object
    /// and the instruction, if the phase is not complete.
    pub(in crate::machine) fn note_asked(&mut self, owner: Owner, waits_at: Option<(u64, Pc)>) {
        match waits_at {
            Some(asked) => self.asked.insert(owner, asked),
            None => self.asked.remove(&owner),
        };
    }

    /// The mbarrier object that a thread asked last, and the instruction, if the answer was
    /// negative.
    pub(in crate::machine) fn waits_at(&self, owner: Owner) -> Option<(u64, Pc)> {
        self.asked.get(&owner).copied()
    }

    /// Takes out all copies.
    pub(in crate::machine) fn take_all(&mut self) -> Vec<Pending> {
        self.pending.drain(..).collect()
    }

    /// Takes out the copies that have been under way for too long, or are too many.
    pub(in crate::machine) fn take_overdue(&mut self, clock: u64) -> Vec<Pending> {
        let is_overdue = |pending: &&Pending| pending.since + LONGEST_DELAY < clock;
        let overdue = self.pending.iter().take_while(is_overdue).count();
        let too_many = self.pending.len().saturating_sub(MOST);
        self.pending.drain(..overdue.max(too_many)).collect()
    }

    /// Takes out operations, and the copies that must complete before them.
    fn take(&mut self, is_meant: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        // Threads that poll call this all the time, mostly in vain.
        if !self.pending.iter().any(&is_meant) {
            return Vec::new();
        }
        let mut before: BTreeMap<Owner, u64> = BTreeMap::new();
        for pending in self.pending.iter().filter(|pending| is_meant(pending)) {
            if let What::Arrive(_) = pending.what {
                before.insert(pending.owner, pending.number);
            }
        }
        let is_before = |pending: &Pending| {
            let arrives = before.get(&pending.owner);
            pending.grouped() == Some(Grouped::Small)
                && arrives.is_some_and(|number| pending.number < *number)
        };
        let is_meant = |pending: &Pending| is_meant(pending) || is_before(pending);
        let (taken, left) = self.pending.drain(..).partition(is_meant);
        self.pending = left;
        Vec::from(taken)
    }
}

impl Pending {
    /// The kind of group of a copy that belongs to a group of its thread.
    fn grouped(&self) -> Option<Grouped> {
        match &self.what {
            What::Copy(Copy { completes: Completes::Group(grouped), .. }) => Some(*grouped),
            What::Copy(_) | What::Arrive(_) => None,
        }
    }
}

impl Copy {
    /// Carries out the copy.
    pub(in crate::machine) fn perform(
        &self,
        global: &mut GlobalMemory,
        shared: &mut Pages,
    ) -> Result<(), Stop> {
        let mut few = [0; 16];
        let mut many = Vec::new();
        let bytes: &mut [u8] = match few.get_mut(..self.bytes as usize) {
            Some(few) => few,
            None => {
                many.resize(self.bytes as usize, 0);
                &mut many
            }
        };
        let read = self.read.min(self.bytes);
        let gone = || internal!("a copy to or from memory that is not there");
        if let Some(value) = self.value {
            let value = value.to_le_bytes();
            let held = value.get(..bytes.len());
            bytes
                .copy_from_slice(held.ok_or_else(|| internal!("a store of {} bytes", self.bytes))?);
        }
        // Not more than the bytes that there are: `read` is the smaller number.
        let source = &mut bytes[..read as usize];
        match self.from {
            _ if read == 0 => {}
            (Space::Shared, address) => shared.read_bytes(address, source),
            (Space::Global, address) => {
                let found = global.find_ref(address, read).map_err(|_| gone())?;
                found.pages.read_bytes(address - found.base, source);
            }
            (space, _) => return Err(internal!("a copy from .{}", space.keyword()).into()),
        }
        match self.to {
            (Space::Shared, address) => self.leave(shared, address, bytes)?,
            (Space::Global, address) => {
                let found = global.find(address, self.bytes).map_err(|_| gone())?;
                self.leave(&mut found.pages, address - found.base, bytes)?;
            }
            (space, _) => return Err(internal!("a copy to .{}", space.keyword()).into()),
        }
        Ok(())
    }

    /// Writes bytes to memory, or their reduction with the present ones. Subnormal floats keep
    /// their value in global memory, too, unlike in atomics, as on an H200.
    fn leave(&self, pages: &mut Pages, offset: u64, bytes: &[u8]) -> Result<(), InternalError> {
        let Some((operation, ty)) = self.reduction else {
            pages.write_bytes(offset, bytes);
            return Ok(());
        };
        let width = ty.bytes().filter(|bytes| (1..=8).contains(bytes));
        let width = width.ok_or_else(|| internal!("a reduction of {}", ty.keyword()))?;
        for (at, element) in (offset..).step_by(width as usize).zip(bytes.chunks(width as usize)) {
            let mut value = [0; 8];
            value[..element.len()].copy_from_slice(element);
            let (old, b) = (pages.read(at, width), u64::from_le_bytes(value));
            pages.write(at, width, operation.apply(ty, old, b, 0, false));
        }
        Ok(())
    }

    /// The report to observers.
    pub(in crate::machine) fn told(&self, block: u64, (warp, lane): Owner) -> Copied {
        let &Copy { to, from, bytes, read, .. } = self;
        Copied { block, warp, lane, to, from, bytes, read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Owner = (0, 3);

    fn begin(flight: &mut InFlight, owner: Owner) -> u64 {
        let number = flight.begin();
        let (to, from) = ((Space::Shared, 0), (Space::Global, 0));
        let completes = Completes::Group(Grouped::Small);
        let copy = Copy { to, from, bytes: 4, read: 4, completes, reduction: None, value: None };
        flight.add(Pending { number, owner, pc: 0, since: 0, what: What::Copy(copy) });
        number
    }

    #[test]
    fn a_wait_completes_all_groups_but_the_latest_so_many() {
        let mut flight = InFlight::default();
        let first = begin(&mut flight, ME);
        flight.commit(ME, Grouped::Small);
        let second = begin(&mut flight, ME);
        begin(&mut flight, (0, 4));
        flight.commit(ME, Grouped::Small);
        assert_eq!(flight.wait(ME, Grouped::Small, 2), 0);
        assert_eq!(flight.wait(ME, Grouped::Small, 1), first);
        assert_eq!(flight.wait(ME, Grouped::Small, 1), 0);
        assert_eq!(flight.wait(ME, Grouped::Small, 0), second);
        assert_eq!(flight.take_of(ME, Grouped::Small, second).len(), 2);
        assert_eq!(flight.take_all().len(), 1);
    }

    #[test]
    fn an_empty_group_counts_and_what_is_in_no_group_is_not_waited_for() {
        let mut flight = InFlight::default();
        let first = begin(&mut flight, ME);
        flight.commit(ME, Grouped::Small);
        flight.commit(ME, Grouped::Small);
        let open = begin(&mut flight, ME);
        assert_eq!(flight.wait(ME, Grouped::Small, 1), first);
        assert_eq!(flight.wait(ME, Grouped::Small, 0), first);
        assert_eq!(flight.wait_for_all(ME), open);
    }

    #[test]
    fn an_arrival_waits_for_the_copies_of_its_thread_that_were_begun_before() {
        let mut flight = InFlight::default();
        begin(&mut flight, ME);
        let other = begin(&mut flight, (0, 4));
        let number = flight.begin();
        flight.add(Pending { number, owner: ME, pc: 0, since: 0, what: What::Arrive(64) });
        begin(&mut flight, ME);
        assert!(flight.take_of_mbarrier(72).is_empty());
        let taken = flight.take_of_mbarrier(64);
        assert_eq!(taken.iter().map(|pending| pending.number).collect::<Vec<_>>(), [1, number]);
        assert_eq!(flight.take_all().first().map(|pending| pending.number), Some(other));
    }

    #[test]
    fn what_is_not_read_becomes_zeros() {
        let (mut global, mut shared) = (GlobalMemory::default(), Pages::new(32));
        let base = global.allocate(16, None);
        let found = global.find(base, 16).unwrap();
        found.pages.write_bytes(0, &[7; 16]);
        shared.write_bytes(0, &[9; 32]);
        let (to, from) = ((Space::Shared, 8), (Space::Global, base));
        let completes = Completes::Group(Grouped::Small);
        let copy = Copy { to, from, bytes: 8, read: 3, completes, reduction: None, value: None };
        copy.perform(&mut global, &mut shared).unwrap();
        let mut found = [0; 20];
        shared.read_bytes(0, &mut found);
        assert_eq!(found[..8], [9; 8]);
        assert_eq!(found[8..16], [7, 7, 7, 0, 0, 0, 0, 0]);
        assert_eq!(found[16..], [9; 4]);
    }

    #[test]
    fn a_reduction_combines_what_is_there_with_what_is_read() {
        let (mut global, mut shared) = (GlobalMemory::default(), Pages::new(32));
        shared.write_bytes(0, &[5, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0]);
        let (to, from) = ((Space::Shared, 0), (Space::Shared, 8));
        let completes = Completes::Group(Grouped::Bulk);
        let reduction = Some((AtomicOperation::Max, Type::U32));
        let copy = Copy { to, from, bytes: 8, read: 8, completes, reduction, value: None };
        copy.perform(&mut global, &mut shared).unwrap();
        assert_eq!((shared.read(0, 4), shared.read(4, 4)), (7, 9));
    }

    #[test]
    fn copies_in_bulk_have_groups_of_their_own_and_reading_them_completes_none() {
        let mut flight = InFlight::default();
        let small = begin(&mut flight, ME);
        flight.commit(ME, Grouped::Bulk);
        assert_eq!(flight.wait(ME, Grouped::Bulk, 0), 0);
        flight.commit(ME, Grouped::Small);
        assert_eq!(flight.wait_for_reads(ME, 0), 0);
        assert_eq!(flight.wait(ME, Grouped::Small, 0), small);
    }
}
