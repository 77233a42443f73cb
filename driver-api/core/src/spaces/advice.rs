//! A program's advice about managed memory (CUDA driver API, `cuMemAdvise`, `cuMemPrefetchAsync`,
//! `cuMemRangeGetAttribute`).
//!
//! Memory is where it is needed, so advice changes nothing. It is kept byte by byte to be asked
//! for.

use std::collections::{BTreeMap, BTreeSet};

use crate::spaces::memory::PointerKind;
use crate::state::Call;
use crate::{Answer, CudaError};

/// Where memory is (`CUmemLocation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The device.
    Device,
    /// The host; one of its nodes if one is named.
    Host(Option<i32>),
}

impl Place {
    /// `CU_DEVICE_CPU`, or an ordinal.
    ///
    /// # Errors
    /// There is no such device.
    pub fn of_device(device: i32) -> Answer<Place> {
        match device {
            -1 => Ok(Place::Host(None)),
            0 => Ok(Place::Device),
            _ => Err(CudaError::InvalidDevice),
        }
    }

    /// A location by its kind and its number.
    ///
    /// # Errors
    /// There is no such kind, or no such device.
    pub fn of_location(kind: u32, id: i32) -> Answer<Place> {
        match (kind, id) {
            (1, 0) => Ok(Place::Device),
            (1, _) => Err(CudaError::InvalidDevice),
            (2 | 4, _) => Ok(Place::Host(None)),
            (3, 0..) => Ok(Place::Host(Some(id))),
            (0 | 3.., _) => Err(CudaError::InvalidValue),
        }
    }

    /// `CU_DEVICE_CPU`, or the ordinal.
    pub fn device(self) -> i32 {
        match self {
            Place::Device => 0,
            Place::Host(_) => -1,
        }
    }

    /// Its kind and its number.
    pub fn location(self) -> (u32, i32) {
        match self {
            Place::Device => (1, 0),
            Place::Host(None) => (2, 0),
            Place::Host(Some(node)) => (3, node),
        }
    }
}

/// The facts about a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeFacts {
    /// Whether all of it is mostly read.
    pub is_read_mostly: bool,
    /// The preferred place of all of it.
    pub preferred: Option<Place>,
    /// The places with mappings of all of it.
    pub accessed_by: BTreeSet<Place>,
    /// The place that all of it was last fetched to.
    pub fetched: Option<Place>,
}

/// Bytes of a piece of memory, from each first one of a range on.
pub(crate) type Advised = BTreeMap<u64, RangeFacts>;

impl Call<'_> {
    /// Where managed memory begins that holds a range.
    fn managed(&self, address: u64, bytes: u64) -> Answer<u64> {
        self.context()?;
        let facts = self.pointer(address)?;
        let room = facts.bytes.checked_sub(facts.device - facts.start);
        let is_inside = room.is_some_and(|room| (1..=room).contains(&bytes));
        match facts.kind == PointerKind::Managed && is_inside {
            true => Ok(facts.start),
            false => Err(CudaError::InvalidValue),
        }
    }

    fn note_range(
        &mut self,
        address: u64,
        bytes: u64,
        change: impl Fn(&mut RangeFacts),
    ) -> Answer<()> {
        let base = self.managed(address, bytes)?;
        let all = self
            .state
            .advised
            .entry(base)
            .or_insert_with(|| Advised::from([(base, RangeFacts::default())]));
        // A range begins where this one does, and where it ends.
        for edge in [address, address + bytes] {
            let there = all.range(..=edge).next_back().map(|(_, facts)| facts.clone());
            all.insert(edge, there.unwrap_or_default());
        }
        all.range_mut(address..address + bytes).for_each(|(_, facts)| change(facts));
        Ok(())
    }

    /// `cuMemAdvise`, by the number of the advice.
    ///
    /// # Errors
    /// The range is not managed memory, or there is no such advice.
    pub fn advise(
        &mut self,
        (address, bytes): (u64, u64),
        advice: u32,
        place: impl FnOnce() -> Answer<Place>,
    ) -> Answer<()> {
        match advice {
            1 | 2 => self.note_range(address, bytes, |facts| facts.is_read_mostly = advice == 1),
            3 => {
                let place = place()?;
                self.note_range(address, bytes, |facts| facts.preferred = Some(place))
            }
            4 => self.note_range(address, bytes, |facts| facts.preferred = None),
            5 => {
                let place = place()?;
                self.note_range(address, bytes, |facts| {
                    facts.accessed_by.insert(place);
                })
            }
            6 => {
                let place = place()?;
                self.note_range(address, bytes, |facts| {
                    facts.accessed_by.remove(&place);
                })
            }
            0 | 7.. => Err(CudaError::InvalidValue),
        }
    }

    /// `cuMemPrefetchAsync`.
    ///
    /// # Errors
    /// The range is not managed memory.
    pub fn fetch(&mut self, address: u64, bytes: u64, place: Place) -> Answer<()> {
        self.note_range(address, bytes, |facts| facts.fetched = Some(place))
    }

    /// `cuMemRangeGetAttribute`: the facts that hold for all of a range.
    ///
    /// # Errors
    /// The range is not managed memory.
    pub fn range_facts(&self, address: u64, bytes: u64) -> Answer<RangeFacts> {
        let base = self.managed(address, bytes)?;
        let Some(all) = self.state.advised.get(&base) else { return Ok(RangeFacts::default()) };
        let first = all.range(..=address).next_back().map_or(base, |(first, _)| *first);
        let mut ranges = all.range(first..address + bytes).map(|(_, facts)| facts);
        let mut common = ranges.next().cloned().unwrap_or_default();
        for facts in ranges {
            common.is_read_mostly &= facts.is_read_mostly;
            common.preferred = common.preferred.filter(|at| Some(*at) == facts.preferred);
            common.accessed_by.retain(|at| facts.accessed_by.contains(at));
            common.fetched = common.fetched.filter(|at| Some(*at) == facts.fetched);
        }
        Ok(common)
    }
}
