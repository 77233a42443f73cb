//! Asynchronous copies that have been begun (PTX ISA 9.7.9.25.3): what is under way, as data.
//!
//! A copy takes effect, in one step, at some moment from its begin to the end of the wait for it. When is the schedule's
//! choice, of two: at once, or as late as may be. As late as may be is when its thread has waited for it, when the block ends, or, so
//! that nobody waits for ever for what a copy brings, when the state of the machine repeats and after [`PATIENCE`]
//! instructions of the block. What it reads it reads in that moment, too.
//!
//! Deviation: a copy is not torn, and copies of one thread that are late take effect in the order in which they were
//! begun. So of the outcomes that hardware may show some are not shown; none is shown that it may not show.

use std::collections::{BTreeMap, VecDeque};

use super::memory::{GlobalMemory, Pages};
use super::stop::Stop;
use crate::internal;
use crate::observe::Copied;
use crate::ptx::Space;

/// Instructions of its block after which a copy takes effect even if nobody has waited for it.
pub(super) const PATIENCE: u64 = 1 << 18;

/// Copies of a block that may be under way. More take effect, the oldest first.
const MOST: usize = 1 << 16;

/// A thread of a block: warp and lane.
pub(super) type Owner = (u32, u32);

/// The copies of a block that have been begun.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InFlight {
    /// The instructions so far that began copies. Their number is the number of their copies.
    begun: u64,
    /// The copies that have not taken effect, in the order in which they were begun.
    pending: VecDeque<Copy>,
    /// Whether somebody has yet to say when the last ones take effect.
    is_undecided: bool,
    groups: BTreeMap<Owner, Groups>,
}

/// The groups of a thread.
#[derive(Clone, Debug, Default, PartialEq)]
struct Groups {
    /// The number of its last copy.
    last: u64,
    /// For each group that may be under way the number of its last copy, or that of the one before
    /// when it is empty.
    committed: VecDeque<u64>,
}

/// A copy that has been begun.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copy {
    pub number: u64,
    pub owner: Owner,
    pub to: (Space, u64),
    pub from: (Space, u64),
    /// Bytes that are written.
    pub bytes: u64,
    /// The first of them that are read; the others become zeros.
    pub read: u64,
    /// The block's clock when it was begun.
    pub since: u64,
}

impl InFlight {
    /// The number of the copies that are begun next by one instruction.
    pub(super) fn begin(&mut self) -> u64 {
        self.begun += 1;
        self.is_undecided = true;
        self.begun
    }

    /// Adds a copy of those that are being begun.
    pub(super) fn add(&mut self, copy: Copy) {
        self.groups.entry(copy.owner).or_default().last = copy.number;
        self.pending.push_back(copy);
    }

    /// The copies of a thread that are in no group yet become one.
    pub(super) fn commit(&mut self, owner: Owner) {
        let groups = self.groups.entry(owner).or_default();
        groups.committed.push_back(groups.last);
        if groups.committed.len() > crate::lower::MOST_GROUPS as usize {
            groups.committed.pop_front();
        }
    }

    /// A thread waits until no more than so many of its groups may be under way: the number up to
    /// which its copies are complete; 0 for none.
    pub(super) fn wait(&mut self, owner: Owner, left: u32) -> u64 {
        let Some(groups) = self.groups.get_mut(&owner) else { return 0 };
        let complete = groups.committed.len().saturating_sub(left as usize);
        groups.committed.drain(..complete).next_back().unwrap_or(0)
    }

    /// A thread waits for all its copies.
    pub(super) fn wait_for_all(&mut self, owner: Owner) -> u64 {
        self.commit(owner);
        self.wait(owner, 0)
    }

    /// Whether some copies have yet to take effect.
    pub(super) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether somebody has yet to say when the last copies take effect; asked once.
    pub(super) fn take_undecided(&mut self) -> bool {
        std::mem::take(&mut self.is_undecided)
    }

    /// Takes out the copies that were begun by the last instruction that began some.
    pub(super) fn take_last(&mut self) -> Vec<Copy> {
        let last = self.begun;
        self.take(|copy| copy.number == last)
    }

    /// Takes out the copies of a thread up to a number.
    pub(super) fn take_of(&mut self, owner: Owner, through: u64) -> Vec<Copy> {
        self.take(|copy| copy.owner == owner && copy.number <= through)
    }

    /// Takes out all copies.
    pub(super) fn take_all(&mut self) -> Vec<Copy> {
        self.pending.drain(..).collect()
    }

    /// Takes out the copies that have been under way for too long, or are too many.
    pub(super) fn take_overdue(&mut self, clock: u64) -> Vec<Copy> {
        let overdue = self.pending.iter().take_while(|copy| copy.since + PATIENCE < clock).count();
        let too_many = self.pending.len().saturating_sub(MOST);
        self.pending.drain(..overdue.max(too_many)).collect()
    }

    fn take(&mut self, is_meant: impl Fn(&Copy) -> bool) -> Vec<Copy> {
        let (taken, left) = self.pending.drain(..).partition(is_meant);
        self.pending = left;
        Vec::from(taken)
    }
}

impl Copy {
    /// It takes effect.
    pub(super) fn perform(
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
            (Space::Shared, address) => shared.write_bytes(address, bytes),
            (Space::Global, address) => {
                let found = global.find(address, self.bytes).map_err(|_| gone())?;
                found.pages.write_bytes(address - found.base, bytes);
            }
            (space, _) => return Err(internal!("a copy to .{}", space.keyword()).into()),
        }
        Ok(())
    }

    /// What observers are told of it.
    pub(super) fn told(&self, block: u64) -> Copied {
        let &Copy { to, from, bytes, read, owner: (warp, lane), .. } = self;
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
        flight.add(Copy { number, owner, to, from, bytes: 4, read: 4, since: 0 });
        number
    }

    #[test]
    fn a_wait_completes_all_groups_but_the_latest_so_many() {
        let mut flight = InFlight::default();
        let first = begin(&mut flight, ME);
        flight.commit(ME);
        let second = begin(&mut flight, ME);
        begin(&mut flight, (0, 4));
        flight.commit(ME);
        assert_eq!(flight.wait(ME, 2), 0);
        assert_eq!(flight.wait(ME, 1), first);
        assert_eq!(flight.wait(ME, 1), 0);
        assert_eq!(flight.wait(ME, 0), second);
        assert_eq!(flight.take_of(ME, second).len(), 2);
        assert_eq!(flight.take_all().len(), 1);
    }

    #[test]
    fn an_empty_group_counts_and_what_is_in_no_group_is_not_waited_for() {
        let mut flight = InFlight::default();
        let first = begin(&mut flight, ME);
        flight.commit(ME);
        flight.commit(ME);
        let open = begin(&mut flight, ME);
        assert_eq!(flight.wait(ME, 1), first);
        assert_eq!(flight.wait(ME, 0), first);
        assert_eq!(flight.wait_for_all(ME), open);
    }

    #[test]
    fn what_is_not_read_becomes_zeros() {
        let (mut global, mut shared) = (GlobalMemory::default(), Pages::new(32));
        let base = global.allocate(16, None);
        let found = global.find(base, 16).unwrap();
        found.pages.write_bytes(0, &[7; 16]);
        shared.write_bytes(0, &[9; 32]);
        let (to, from) = ((Space::Shared, 8), (Space::Global, base));
        let copy = Copy { number: 1, owner: ME, to, from, bytes: 8, read: 3, since: 0 };
        copy.perform(&mut global, &mut shared).unwrap();
        let mut found = [0; 20];
        shared.read_bytes(0, &mut found);
        assert_eq!(found[..8], [9; 8]);
        assert_eq!(found[8..16], [7, 7, 7, 0, 0, 0, 0, 0]);
        assert_eq!(found[16..], [9; 4]);
    }
}
