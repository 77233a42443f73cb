//! Memory of the device (CUDA driver API, "Memory Management", "Unified Addressing").
//!
//! Memory that host and device share (managed, page-locked) has one address for both. The device
//! chooses it, and the host puts memory there. Memory that the program registers has another
//! address on the device than on the host. The attribute CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
//! says so.

use warpsim::host::{Device, DeviceError, Pointer, Stream};
use warpsim::observe::OperationId;

use crate::state::{Call, Kind, refusal};
use crate::told::journal::Leaked;
use crate::{Answer, CudaError, Handle};

/// Addresses that are tried for memory that host and device share, at most.
const TRIES: usize = 8;

/// What memory lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllocationKind {
    Device,
    Managed,
    Locked {
        flags: u32,
    },
    Registered {
        flags: u32,
    },
    /// A module's.
    Variable(Handle),
    /// A variable of a module that the host has, too (`__managed__`).
    ManagedVariable(Handle),
    /// Mapped where the program wants it, and not freed but unmapped.
    Mapped,
    /// A node of a graph allocated it.
    OfGraph,
    /// The texels of an array.
    Array,
    /// A word that a node of a graph decides by.
    Condition,
}

/// Whose memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Context(Handle),
    /// It stays until it is freed or unloaded.
    Device,
    Pool(Handle),
}

/// A piece of memory of the device.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) bytes: u64,
    pub(crate) kind: AllocationKind,
    pub(crate) owner: Owner,
    /// Where the host has it.
    pub(crate) host: Option<u64>,
    pub(crate) number: u64,
}

/// Memory that is gone for the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub(crate) address: u64,
    /// The operation that freed it, where launches are checked: it stays until the host has waited
    /// for that, so that what uses it too late is seen.
    by: Option<OperationId>,
}

/// The facts about an address (`cuPointerGetAttribute`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerFacts {
    /// The kind of memory there.
    pub kind: PointerKind,
    /// Where the piece of memory begins on the device.
    pub start: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The address on the device.
    pub device: u64,
    /// The address on the host, where it has one.
    pub host: Option<u64>,
    /// The context in which it was made.
    pub context: Option<Handle>,
    /// The pool that it came from.
    pub pool: Option<Handle>,
    /// A number that no other piece of memory has.
    pub number: u64,
}

/// The kind of memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerKind {
    /// Memory of the device.
    Device,
    /// Memory that moves between host and device.
    Managed,
    /// Page-locked memory of the host.
    Host,
}

impl Call<'_> {
    /// What the program allocated and has not given back: neither what a module brought nor what
    /// pools keep for later.
    pub(crate) fn leaked(&self) -> Leaked {
        let mut leaked = Leaked::default();
        for (base, allocation) in &self.state.allocations {
            let is_kept = match allocation.kind {
                AllocationKind::Device
                | AllocationKind::Managed
                | AllocationKind::Locked { .. }
                | AllocationKind::OfGraph
                | AllocationKind::Array => true,
                // Mapped memory counts as the memory that it is made of.
                AllocationKind::Registered { .. }
                | AllocationKind::Variable(_)
                | AllocationKind::ManagedVariable(_)
                | AllocationKind::Mapped
                | AllocationKind::Condition => false,
            };
            if is_kept && !self.state.given_back.contains(base) {
                leaked.pieces += 1;
                leaked.bytes += allocation.bytes;
            }
        }
        let pieces = self.state.virtual_memory.pieces();
        for (_, bytes) in pieces.filter(|(handle, _)| !self.state.given_back.contains(handle)) {
            leaked.pieces += 1;
            leaked.bytes += bytes;
        }
        leaked
    }

    /// The program gives memory back: a piece that begins at this address, or has this handle.
    /// After a fault, the error that stays may keep the call from doing so. The program has still
    /// done its part, and nothing is leaked.
    pub fn gives_back(&mut self, what: u64) {
        match self.context() {
            Ok(_) | Err(CudaError::InvalidContext | CudaError::ContextIsDestroyed) => {}
            Err(_) => {
                self.state.given_back.insert(what);
            }
        }
    }

    /// `cuMemAlloc`, `cuMemAllocAsync`.
    ///
    /// # Errors
    /// No bytes, too many, or no context.
    pub fn allocate(&mut self, bytes: u64) -> Answer<u64> {
        let context = self.context()?;
        self.refuse_unsafe()?;
        self.allocate_for(bytes, Owner::Context(context))
    }

    pub(crate) fn allocate_for(&mut self, bytes: u64, owner: Owner) -> Answer<u64> {
        if bytes == 0 {
            return Err(CudaError::InvalidValue);
        }
        if bytes > self.unused_memory() {
            self.free_unwaited();
        }
        if bytes > self.unused_memory() {
            return Err(CudaError::OutOfMemory);
        }
        let pointer = self.state.device.allocate(bytes);
        let base = pointer.map_err(|error| refusal(self, &error))?.0;
        let number = self.state.handle(Kind::Pool);
        let kind = AllocationKind::Device;
        self.state.allocations.insert(base, Allocation { bytes, kind, owner, host: None, number });
        self.is_allocated(base, bytes);
        Ok(base)
    }

    /// `cuMemAllocPitch`: gives the address, and the bytes of a row.
    ///
    /// # Errors
    /// An extent has no bytes, or the element size is not valid.
    pub fn allocate_pitch(&mut self, width: u64, height: u64, element: u32) -> Answer<(u64, u64)> {
        const PITCH: u64 = 512;
        if !matches!(element, 4 | 8 | 16) || width == 0 || height == 0 {
            return Err(CudaError::InvalidValue);
        }
        let pitch = width.checked_next_multiple_of(PITCH).ok_or(CudaError::InvalidValue)?;
        let bytes = pitch.checked_mul(height).ok_or(CudaError::OutOfMemory)?;
        Ok((self.allocate(bytes)?, pitch))
    }

    /// `cuMemAllocManaged`.
    ///
    /// # Errors
    /// No bytes, too many, or unknown flags.
    pub fn allocate_managed(&mut self, bytes: u64, flags: u32) -> Answer<u64> {
        if !matches!(flags, 1 | 2) {
            return Err(CudaError::InvalidValue);
        }
        self.allocate_shared(bytes, AllocationKind::Managed)
    }

    /// `cuMemHostAlloc`, `cuMemAllocHost`.
    ///
    /// # Errors
    /// No bytes, too many, or unknown flags.
    pub fn allocate_locked(&mut self, bytes: u64, flags: u32) -> Answer<u64> {
        if flags > 7 {
            return Err(CudaError::InvalidValue);
        }
        self.allocate_shared(bytes, AllocationKind::Locked { flags })
    }

    /// Memory at one address for host and device.
    fn allocate_shared(&mut self, bytes: u64, kind: AllocationKind) -> Answer<u64> {
        let context = self.context()?;
        let size = usize::try_from(bytes).map_err(|_| CudaError::OutOfMemory)?;
        if size == 0 {
            return Err(CudaError::InvalidValue);
        }
        for _ in 0..TRIES {
            let pointer = self.state.device.allocate_host(bytes);
            let pointer = pointer.map_err(|error| refusal(self, &error))?;
            if self.host.map(pointer.0, size) {
                let defined = self.state.device.define(pointer, bytes);
                defined.map_err(|error| refusal(self, &error))?;
                let number = self.state.handle(Kind::Pool);
                let owner = Owner::Context(context);
                let host = Some(pointer.0);
                let allocation = Allocation { bytes, kind, owner, host, number };
                self.state.allocations.insert(pointer.0, allocation);
                self.state.share(pointer.0, pointer.0, bytes)?;
                self.is_allocated(pointer.0, bytes);
                return Ok(pointer.0);
            }
            let freed = self.state.device.free(pointer);
            freed.map_err(|error| refusal(self, &error))?;
        }
        Err(CudaError::OutOfMemory)
    }

    /// `cuMemHostRegister`.
    ///
    /// # Errors
    /// No bytes, or some are registered already.
    pub fn register(&mut self, host: u64, bytes: u64, flags: u32) -> Answer<()> {
        let context = self.context()?;
        let end = host.checked_add(bytes).ok_or(CudaError::InvalidValue)?;
        if host == 0 || bytes == 0 {
            return Err(CudaError::InvalidValue);
        }
        let before = self.state.registered.range(..end).next_back();
        let ends = before.and_then(|(first, base)| {
            self.state.allocations.get(base).map(|allocation| first + allocation.bytes)
        });
        if ends.is_some_and(|other| other > host) {
            return Err(CudaError::HostMemoryAlreadyRegistered);
        }
        let pointer = self.state.device.allocate_host(bytes);
        let pointer = pointer.map_err(|error| refusal(self, &error))?;
        let defined = self.state.device.define(pointer, bytes);
        defined.map_err(|error| refusal(self, &error))?;
        let number = self.state.handle(Kind::Pool);
        let kind = AllocationKind::Registered { flags };
        let owner = Owner::Context(context);
        let allocation = Allocation { bytes, kind, owner, host: Some(host), number };
        self.state.allocations.insert(pointer.0, allocation);
        self.state.registered.insert(host, pointer.0);
        self.state.share(pointer.0, host, bytes)?;
        Ok(())
    }

    /// `cuMemHostUnregister`.
    ///
    /// # Errors
    /// It is not registered.
    pub fn unregister(&mut self, host: u64) -> Answer<()> {
        self.context()?;
        let base = self.state.registered.get(&host).copied();
        let base = base.ok_or(CudaError::HostMemoryNotRegistered)?;
        self.remove_allocation(base)
    }

    /// `cuMemFree`. For memory from a pool or of a graph it waits for nothing (CUDA programming
    /// guide, "Stream-Ordered Memory Allocator"). For other memory it waits for the work that uses
    /// it.
    ///
    /// # Errors
    /// Nothing that can be freed this way begins there.
    pub fn free(&mut self, address: u64) -> Answer<()> {
        self.gives_back(address);
        self.context()?;
        if address == 0 {
            return Ok(());
        }
        self.refuse_unsafe()?;
        let of_streams = self.state.options.check;
        match self.state.allocations.get(&address).map(|known| (known.kind, known.owner)) {
            Some((AllocationKind::Device, Owner::Pool(_)) | (AllocationKind::OfGraph, _))
                if of_streams =>
            {
                self.free_later(address, None)
            }
            Some((
                AllocationKind::Device | AllocationKind::Managed | AllocationKind::OfGraph,
                Owner::Context(_) | Owner::Device | Owner::Pool(_),
            )) => self.remove_allocation(address),
            Some(_) | None => Err(self.not_freed_so(address)),
        }
    }

    fn not_freed_so(&mut self, address: u64) -> CudaError {
        self.because_it_is_not_freed_so(address);
        CudaError::InvalidValue
    }

    /// `cuMemFreeHost`.
    ///
    /// # Errors
    /// No page-locked memory begins there.
    pub fn free_locked(&mut self, address: u64) -> Answer<()> {
        self.gives_back(address);
        self.context()?;
        match self.state.allocations.get(&address).map(|allocation| allocation.kind) {
            Some(AllocationKind::Locked { .. }) => self.remove_allocation(address),
            Some(_) | None => Err(self.not_freed_so(address)),
        }
    }

    /// Gives memory back. Where something may still use it, that is waited for, as drivers do.
    pub(crate) fn remove_allocation(&mut self, base: u64) -> Answer<()> {
        self.look_at_piece(base)?;
        let allocation = self.state.allocations.remove(&base).ok_or(CudaError::InvalidValue)?;
        self.state.advised.remove(&base);
        if let (AllocationKind::Registered { .. }, Some(host)) = (allocation.kind, allocation.host)
        {
            self.state.registered.remove(&host);
        }
        if let AllocationKind::Variable(_) | AllocationKind::ManagedVariable(_) = allocation.kind {
            // It goes with its module.
            self.state.allocations.insert(base, allocation);
            return Ok(());
        }
        self.state.unshare(base);
        self.mirror_ends(base);
        self.is_freed(base);
        if allocation.kind == AllocationKind::OfGraph {
            if !self.unmap_of_graph(base) {
                self.wait_for_all();
                self.unmap_of_graph(base);
            }
            return Ok(());
        }
        let freed = match self.state.device.free(Pointer(base)) {
            Err(DeviceError::StillInUse { .. }) => {
                self.wait_for_all();
                self.state.device.free(Pointer(base))
            }
            other => other,
        };
        if let (AllocationKind::Managed | AllocationKind::Locked { .. }, Some(host)) =
            (allocation.kind, allocation.host)
        {
            // It was mapped with that many bytes.
            self.host.unmap(host, allocation.bytes as usize);
        }
        freed.map_err(|error| refusal(self, &error))
    }

    /// `cuMemFreeAsync`: it is gone for the program at once, and given back when nothing uses it.
    /// Without a stream the host frees it, and waits for nothing.
    ///
    /// # Errors
    /// Nothing begins there that can be freed so.
    pub(crate) fn free_later(&mut self, address: u64, stream: Option<Stream>) -> Answer<()> {
        let kind = self.state.allocations.get(&address).map(|allocation| allocation.kind);
        let is_of_graph = match kind {
            Some(AllocationKind::Device) => false,
            Some(AllocationKind::OfGraph) => true,
            Some(_) | None => return Err(self.not_freed_so(address)),
        };
        let by = self.freed_on(stream, address)?;
        let freed = Freed { address, by };
        match is_of_graph {
            true => self.state.to_unmap.push(freed),
            false => self.state.to_free.push(freed),
        }
        self.state.allocations.remove(&address);
        self.mirror_ends(address);
        self.is_freed(address);
        if by.is_none() {
            self.free_what_is_over();
        }
        self.collect_races();
        Ok(())
    }

    /// Gives back the memory that was freed and is no longer in use.
    pub(crate) fn free_what_is_over(&mut self) {
        let is_over = |call: &Call<'_>, freed: &Freed| {
            freed.by.is_none_or(|operation| call.state.device.is_waited_for(operation))
        };
        let waiting = std::mem::take(&mut self.state.to_unmap);
        for freed in waiting {
            if !is_over(self, &freed) || !self.unmap_of_graph(freed.address) {
                self.state.to_unmap.push(freed);
            }
        }
        let waiting = std::mem::take(&mut self.state.to_free);
        for freed in waiting {
            if !is_over(self, &freed) {
                self.state.to_free.push(freed);
                continue;
            }
            match self.state.device.free(Pointer(freed.address)) {
                Ok(()) => self.forget_lifetime(freed.address),
                Err(DeviceError::StillInUse { .. }) => self.state.to_free.push(freed),
                Err(error) => {
                    let _ = refusal(self, &error);
                }
            }
        }
    }

    /// Gives back freed memory at once: an allocator that is short of memory takes what was freed
    /// before it, in the order of the stream. A later use finds that it was freed.
    fn free_unwaited(&mut self) {
        for freed in std::mem::take(&mut self.state.to_free) {
            match self.state.device.free_unwaited(Pointer(freed.address)) {
                Ok(()) => self.forget_lifetime(freed.address),
                Err(error) => {
                    let _ = refusal(self, &error);
                }
            }
        }
    }

    /// `cuMemGetInfo`: free bytes, and all bytes.
    ///
    /// # Errors
    /// No context is current.
    pub fn memory_info(&mut self) -> Answer<(u64, u64)> {
        self.context()?;
        self.free_what_is_over();
        Ok((self.unused_memory(), self.state.device.profile().global_memory))
    }

    /// Bytes that nothing has.
    pub(crate) fn unused_memory(&self) -> u64 {
        let used =
            self.state.device.global().live_bytes() + self.state.virtual_memory.bytes_aside();
        self.state.device.profile().global_memory.saturating_sub(used)
    }

    /// The facts about an address of the device, or of memory that it shares.
    ///
    /// # Errors
    /// It is no such address.
    pub fn pointer(&self, address: u64) -> Answer<PointerFacts> {
        let (start, allocation) = self.around(address).ok_or(CudaError::InvalidValue)?;
        let device = match allocation.host {
            Some(host) if address.wrapping_sub(start) >= allocation.bytes => {
                start + (address - host)
            }
            Some(_) | None => address,
        };
        Ok(PointerFacts {
            kind: match allocation.kind {
                AllocationKind::Device
                | AllocationKind::Variable(_)
                | AllocationKind::Mapped
                | AllocationKind::OfGraph
                | AllocationKind::Array
                | AllocationKind::Condition => PointerKind::Device,
                AllocationKind::Managed | AllocationKind::ManagedVariable(_) => {
                    PointerKind::Managed
                }
                AllocationKind::Locked { .. } | AllocationKind::Registered { .. } => {
                    PointerKind::Host
                }
            },
            start,
            bytes: allocation.bytes,
            device,
            host: allocation.host.map(|host| host + (device - start)),
            context: match allocation.owner {
                Owner::Context(context) => Some(context),
                Owner::Device | Owner::Pool(_) => self.state.primary,
            },
            pool: match allocation.owner {
                Owner::Pool(pool) => Some(pool),
                Owner::Device | Owner::Context(_) => None,
            },
            number: allocation.number,
        })
    }

    /// The memory around an address of the device, or around one of the host that is registered.
    pub(crate) fn around(&self, address: u64) -> Option<(u64, &Allocation)> {
        let holds = |first: u64, bytes: u64| address.wrapping_sub(first) < bytes;
        let below = self.state.allocations.range(..=address).next_back();
        let on_device = below.filter(|(base, a)| holds(**base, a.bytes)).map(|(b, a)| (*b, a));
        on_device.or_else(|| {
            let (host, base) = self.state.registered.range(..=address).next_back()?;
            let allocation = self.state.allocations.get(base)?;
            holds(*host, allocation.bytes).then_some((*base, allocation))
        })
    }

    /// `cuMemHostGetFlags`.
    ///
    /// # Errors
    /// It is no page-locked memory.
    pub fn locked_flags(&self, address: u64) -> Answer<u32> {
        self.context()?;
        match self.around(address).map(|(_, allocation)| allocation.kind) {
            Some(AllocationKind::Locked { flags } | AllocationKind::Registered { flags }) => {
                Ok(flags)
            }
            Some(_) | None => Err(CudaError::InvalidValue),
        }
    }
}
