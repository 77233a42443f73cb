//! Memory whose addresses are managed separately (CUDA driver API, "Virtual Memory Management"):
//! reserved ranges of addresses, memory without addresses, mappings between them, and access to the
//! mappings.
//!
//! A mapping without access is memory that is not there: a kernel that accesses it ends as on
//! hardware. So memory has addresses on the simulated device from the call that allows access until
//! it is unmapped or access is taken back.
//!
//! Deviations:
//! - One piece of memory has one mapping at a time. Another one is not supported, which is
//!   reported.
//! - Access is allowed for whole mappings, and all or nothing. Memory that may only be read can be
//!   written, too, which is reported.
//! - Other processes get no handles (`cuMemExportToShareableHandle`). A handle that could be
//!   exported can be made: libraries ask for that whether they export or not.
//! - Memory does not go with a context: it stays until it is released and unmapped.

use std::collections::BTreeMap;

use warpsim::host::{Backing, Pointer};

use crate::options::DEVICE_MEMORY_END;
use crate::spaces::memory::{Allocation, AllocationKind, Owner};
use crate::state::{Call, Kind, bug, refusal, tell_unsupported};
use crate::told::journal::Unsupported;
use crate::{Answer, CudaError, Handle};

/// Sizes and addresses of mappings are multiples of this, in bytes.
pub const GRANULARITY: u64 = 2 << 20;

/// Where addresses end that can be reserved: behind it other memory has its place.
const RESERVED_END: u64 = DEVICE_MEMORY_END - (1 << 43);

/// What addresses that are reserved are multiples of: a page of the host.
const PAGE: u64 = 4096;

/// The access to a mapping (`CUmemAccess_flags`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No access.
    Nothing,
    /// The device may read.
    Read,
    /// The device may read and write.
    ReadWrite,
}

impl Access {
    /// The access with this number of `cuda.h`.
    pub fn of_number(number: u64) -> Option<Access> {
        match number {
            0 => Some(Access::Nothing),
            1 => Some(Access::Read),
            3 => Some(Access::ReadWrite),
            _ => None,
        }
    }

    /// Its number in `cuda.h`.
    pub fn number(self) -> u64 {
        match self {
            Access::Nothing => 0,
            Access::Read => 1,
            Access::ReadWrite => 3,
        }
    }
}

/// Memory that `cuMemCreate` made.
#[derive(Debug)]
pub(crate) struct Physical {
    bytes: u64,
    /// How many handles the program has of it.
    handles: u64,
    /// What it holds, while it is not on the device.
    backing: Option<Backing>,
    mapped: Option<u64>,
    /// What other processes could get of it.
    shareable: u32,
}

/// A mapping.
#[derive(Clone, Copy, Debug)]
struct Mapping {
    bytes: u64,
    memory: Handle,
    access: Access,
}

/// All of that.
#[derive(Debug, Default)]
pub(crate) struct VirtualMemory {
    /// Bytes by first address.
    reserved: BTreeMap<u64, u64>,
    physical: BTreeMap<Handle, Physical>,
    mapped: BTreeMap<u64, Mapping>,
}

impl VirtualMemory {
    /// Bytes of memory that is there and not on the device.
    pub(crate) fn bytes_aside(&self) -> u64 {
        let aside = self.physical.values().filter(|memory| memory.backing.is_some());
        aside.map(|memory| memory.bytes).sum()
    }

    /// Each piece of memory: its handle, and its bytes.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Handle, u64)> {
        self.physical.iter().map(|(handle, memory)| (*handle, memory.bytes))
    }

    /// How many reservations, pieces of memory and mappings there are.
    #[cfg(test)]
    pub(crate) fn live(&self) -> [usize; 3] {
        [self.reserved.len(), self.physical.len(), self.mapped.len()]
    }

    /// Gives all of it back.
    #[cfg(test)]
    pub(crate) fn clear(call: &mut Call<'_>) -> Answer<()> {
        let VirtualMemory { reserved, physical, mapped } = &call.state.virtual_memory;
        let mapped: Vec<_> =
            mapped.iter().map(|(start, mapping)| (*start, mapping.bytes)).collect();
        let (reserved, memory) = (reserved.clone(), physical.keys().copied().collect::<Vec<_>>());
        mapped.into_iter().try_for_each(|(start, bytes)| call.unmap_memory(start, bytes))?;
        memory.into_iter().for_each(|handle| while call.release_memory(handle).is_ok() {});
        reserved.into_iter().try_for_each(|(start, bytes)| call.free_addresses(start, bytes))
    }

    /// The mappings that make up a range, whole and without gaps.
    fn whole(&self, start: u64, bytes: u64) -> Answer<Vec<(u64, Mapping)>> {
        let end = start.checked_add(bytes).ok_or(CudaError::InvalidValue)?;
        let mut at = start;
        let mut all = Vec::new();
        while at < end {
            let mapping = self.mapped.get(&at).ok_or(CudaError::InvalidValue)?;
            all.push((at, *mapping));
            at += mapping.bytes;
        }
        if at == end && bytes > 0 { Ok(all) } else { Err(CudaError::InvalidValue) }
    }

    /// The mapping around an address.
    fn around(&self, address: u64) -> Answer<(u64, Mapping)> {
        let below = self.mapped.range(..=address).next_back();
        let holds = below.filter(|(start, mapping)| address - **start < mapping.bytes);
        holds.map(|(start, mapping)| (*start, *mapping)).ok_or(CudaError::InvalidValue)
    }

    /// Memory that the program has a handle for.
    fn known(&mut self, handle: Handle) -> Answer<&mut Physical> {
        let memory = self.physical.get_mut(&handle).filter(|memory| memory.handles > 0);
        memory.ok_or(CudaError::InvalidValue)
    }

    /// Removes memory that nothing refers to.
    fn forget_unused(&mut self, handle: Handle) {
        let is_unused = |memory: &Physical| memory.handles == 0 && memory.mapped.is_none();
        if self.physical.get(&handle).is_some_and(is_unused) {
            self.physical.remove(&handle);
        }
    }
}

fn is_granular(number: u64) -> bool {
    number.is_multiple_of(GRANULARITY)
}

impl Call<'_> {
    /// An error that stays is the answer to these calls, too, which otherwise need no context.
    fn refuse_after_fault(&self) -> Answer<()> {
        match self.context() {
            Ok(_) | Err(CudaError::InvalidContext | CudaError::ContextIsDestroyed) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// `cuMemAddressReserve`. The range begins at the address that is asked for, or elsewhere, as
    /// the API allows.
    ///
    /// # Errors
    /// The size is no multiple of a page, the alignment is no power of two, or there is no such
    /// range of addresses.
    pub fn reserve_addresses(&mut self, bytes: u64, alignment: u64, at: u64) -> Answer<u64> {
        self.refuse_after_fault()?;
        let is_aligned = bytes.is_multiple_of(PAGE) && at.is_multiple_of(PAGE);
        if bytes == 0 || !is_aligned || !(alignment == 0 || alignment.is_power_of_two()) {
            return Err(CudaError::InvalidValue);
        }
        let alignment = alignment.max(GRANULARITY);
        let is_within = at != 0 && at.checked_add(bytes).is_some_and(|end| end <= RESERVED_END);
        let wanted = is_within.then_some(Pointer(at));
        let device = &mut self.state.device;
        let found = wanted.and_then(|at| device.reserve(bytes, alignment, Some(at)));
        let start = match found {
            Some(start) => start.0,
            None => self.reserve_some(bytes, alignment)?,
        };
        self.state.virtual_memory.reserved.insert(start, bytes);
        Ok(start)
    }

    /// Addresses that nothing else will have.
    ///
    /// # Errors
    /// There are not that many.
    pub(crate) fn reserve_some(&mut self, bytes: u64, alignment: u64) -> Answer<u64> {
        let room = self.state.device.global().next_base();
        let end = room.checked_next_multiple_of(alignment).and_then(|at| at.checked_add(bytes));
        let fits = end.is_some_and(|end| end <= RESERVED_END);
        let reserved = fits.then(|| self.state.device.reserve(bytes, alignment, None)).flatten();
        reserved.map(|start| start.0).ok_or(CudaError::OutOfMemory)
    }

    /// `cuMemAddressFree`.
    ///
    /// # Errors
    /// It is no reservation of that many bytes, or something is mapped into it.
    pub fn free_addresses(&mut self, start: u64, bytes: u64) -> Answer<()> {
        self.refuse_after_fault()?;
        let memory = &mut self.state.virtual_memory;
        let is_one = memory.reserved.get(&start) == Some(&bytes);
        if !is_one || memory.mapped.range(start..start + bytes).next().is_some() {
            return Err(CudaError::InvalidValue);
        }
        memory.reserved.remove(&start);
        Ok(())
    }

    /// `cuMemCreate`, for device memory.
    ///
    /// # Errors
    /// The size is no multiple of the granularity, or more than there is.
    pub fn create_memory(&mut self, bytes: u64, shareable: u32) -> Answer<Handle> {
        self.refuse_after_fault()?;
        if bytes == 0 || !is_granular(bytes) {
            return Err(CudaError::InvalidValue);
        }
        if bytes > self.unused_memory() {
            return Err(CudaError::OutOfMemory);
        }
        let handle = self.state.handle(Kind::Memory);
        let backing = Some(Backing::new(bytes));
        let memory = Physical { bytes, handles: 1, backing, mapped: None, shareable };
        self.state.virtual_memory.physical.insert(handle, memory);
        Ok(handle)
    }

    /// `cuMemRelease`: memory that is mapped stays until it is unmapped.
    ///
    /// # Errors
    /// There is no such memory, or all of its handles are released.
    pub fn release_memory(&mut self, handle: Handle) -> Answer<()> {
        self.gives_back(handle);
        self.refuse_after_fault()?;
        self.state.virtual_memory.known(handle)?.handles -= 1;
        self.state.virtual_memory.forget_unused(handle);
        Ok(())
    }

    /// `cuMemRetainAllocationHandle`: the memory that is mapped around an address. It must be
    /// released once more.
    ///
    /// # Errors
    /// Nothing is mapped there.
    pub fn retain_memory(&mut self, address: u64) -> Answer<Handle> {
        self.refuse_after_fault()?;
        let (_, mapping) = self.state.virtual_memory.around(address)?;
        let memory = self.state.virtual_memory.physical.get_mut(&mapping.memory);
        memory.ok_or(CudaError::InvalidValue)?.handles += 1;
        Ok(mapping.memory)
    }

    /// `cuMemGetAllocationPropertiesFromHandle`: the requested handle types for other processes.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn shareable(&mut self, handle: Handle) -> Answer<u32> {
        Ok(self.state.virtual_memory.known(handle)?.shareable)
    }

    /// `cuMemMap`. It has no access yet.
    ///
    /// # Errors
    /// The range is not within one reservation, or something is mapped there. There is no such
    /// memory, or not that much of it, or it is mapped elsewhere, which is not supported.
    pub fn map_memory(
        &mut self,
        start: u64,
        bytes: u64,
        offset: u64,
        handle: Handle,
    ) -> Answer<()> {
        self.refuse_after_fault()?;
        let end = start.checked_add(bytes).ok_or(CudaError::InvalidValue)?;
        let of_device = self.state.virtual_memory.known(handle)?;
        // An offset must be zero, as the API says.
        let fits = offset == 0 && bytes > 0 && bytes <= of_device.bytes;
        let (is_whole, is_mapped) = (bytes == of_device.bytes, of_device.mapped.is_some());
        if !fits || !is_granular(bytes) || !is_granular(start) {
            return Err(CudaError::InvalidValue);
        }
        let memory = &self.state.virtual_memory;
        let reserved = memory.reserved.range(..=start).next_back();
        let is_reserved = reserved.is_some_and(|(first, reserved)| end - first <= *reserved);
        let below = memory.mapped.range(..end).next_back();
        let is_taken = below.is_some_and(|(first, mapping)| first + mapping.bytes > start);
        if !is_reserved || is_taken {
            return Err(CudaError::InvalidValue);
        }
        let what = match (is_mapped, is_whole) {
            (true, _) => Some("memory that is mapped at two places at once (cuMemMap)"),
            (false, false) => Some("mappings of a part of a piece of memory (cuMemMap)"),
            (false, true) => None,
        };
        if let Some(what) = what {
            tell_unsupported(&mut self.state, self.host, what, Unsupported::Call);
            return Err(CudaError::NotSupported);
        }
        let mapping = Mapping { bytes, memory: handle, access: Access::Nothing };
        self.state.virtual_memory.mapped.insert(start, mapping);
        self.state.virtual_memory.known(handle)?.mapped = Some(start);
        Ok(())
    }

    /// `cuMemUnmap`, of one mapping or of several side by side.
    ///
    /// # Errors
    /// The range does not consist of whole mappings.
    pub fn unmap_memory(&mut self, start: u64, bytes: u64) -> Answer<()> {
        self.refuse_after_fault()?;
        for (at, mapping) in self.state.virtual_memory.whole(start, bytes)? {
            self.give_access(at, mapping, Access::Nothing)?;
            self.state.virtual_memory.mapped.remove(&at);
            if let Some(memory) = self.state.virtual_memory.physical.get_mut(&mapping.memory) {
                memory.mapped = None;
            }
            self.state.virtual_memory.forget_unused(mapping.memory);
        }
        Ok(())
    }

    /// `cuMemSetAccess`, for the device.
    ///
    /// # Errors
    /// The range does not consist of whole mappings.
    pub fn set_access(&mut self, start: u64, bytes: u64, access: Access) -> Answer<()> {
        self.refuse_after_fault()?;
        let mappings = self.state.virtual_memory.whole(start, bytes)?;
        if access == Access::Read {
            let what = "memory that can only be read (cuMemSetAccess): writes to it go through";
            tell_unsupported(&mut self.state, self.host, what, Unsupported::Call);
        }
        mappings.into_iter().try_for_each(|(at, mapping)| self.give_access(at, mapping, access))
    }

    /// `cuMemGetAccess`.
    ///
    /// # Errors
    /// Nothing is mapped there.
    pub fn access(&self, address: u64) -> Answer<Access> {
        self.refuse_after_fault()?;
        Ok(self.state.virtual_memory.around(address)?.1.access)
    }

    /// Puts the memory of a mapping onto the device, or takes it away.
    fn give_access(&mut self, at: u64, mapping: Mapping, access: Access) -> Answer<()> {
        let (was_there, is_there) = (mapping.access != Access::Nothing, access != Access::Nothing);
        match (was_there, is_there) {
            (false, true) => self.put_on_device(at, mapping)?,
            (true, false) => self.take_from_device(at, mapping)?,
            (true, true) | (false, false) => {}
        }
        if let Some(mapping) = self.state.virtual_memory.mapped.get_mut(&at) {
            mapping.access = access;
        }
        Ok(())
    }

    fn put_on_device(&mut self, at: u64, mapping: Mapping) -> Answer<()> {
        let memory = self.state.virtual_memory.physical.get_mut(&mapping.memory);
        let Some(backing) = memory.and_then(|memory| memory.backing.take()) else {
            return Err(bug(self, "memory is mapped and has nothing to hold its bytes"));
        };
        self.state.device.map(Pointer(at), backing).map_err(|error| refusal(self, &error))?;
        let number = self.state.handle(Kind::Pool);
        let (bytes, kind) = (mapping.bytes, AllocationKind::Mapped);
        let allocation = Allocation { bytes, kind, owner: Owner::Device, host: None, number };
        self.state.allocations.insert(at, allocation);
        Ok(())
    }

    /// Waits first for everything that may still use it.
    fn take_from_device(&mut self, at: u64, mapping: Mapping) -> Answer<()> {
        self.wait_for_all();
        // The memory goes on living, and may be mapped elsewhere.
        self.mirror_in();
        self.mirror_ends(at);
        let backing = self.state.device.unmap(Pointer(at));
        let backing = backing.map_err(|error| refusal(self, &error))?;
        self.state.allocations.remove(&at);
        if let Some(memory) = self.state.virtual_memory.physical.get_mut(&mapping.memory) {
            memory.backing = Some(backing);
        }
        Ok(())
    }

    /// How many bytes there are from an address of a piece of memory to its end, and to the end of
    /// all mappings behind it that may be accessed, too, where it is one.
    pub(crate) fn reach(&self, address: u64, base: u64, allocation: &Allocation) -> u64 {
        let mut end = base + allocation.bytes;
        if allocation.kind == AllocationKind::Mapped {
            while let Some(next) = self.state.allocations.get(&end)
                && next.kind == AllocationKind::Mapped
            {
                end += next.bytes;
            }
        }
        end - address
    }

    /// How many bytes from an address on lie in one piece of memory, of so many that are there.
    pub(crate) fn in_one_piece(&self, address: u64, bytes: u64) -> u64 {
        match self.around(address) {
            Some((base, allocation)) if allocation.kind == AllocationKind::Mapped => {
                bytes.min(base + allocation.bytes - address)
            }
            Some(_) | None => bytes,
        }
    }
}
