//! Page-locked memory of the host, and copies between any two places (CUDA driver API, "Memory
//! Management", "Unified Addressing").
//!
//! The host and the device reach it at one address, and neither waits for the other: what the host
//! writes is there for all copies that are still to happen. Here it lies in the memory of the device,
//! and counts as such.

use super::handles::Stream;
use super::queue::Task;
use crate::machine::Watcher;
use crate::observe::HostAccessKind;
use crate::{Device, DeviceError, Pointer, Simulator};

impl Simulator {
    /// [`Device::allocate_host`].
    pub(crate) fn reserve_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let pointer = self.allocate(bytes)?;
        self.page_locked.insert(pointer.0);
        Ok(pointer)
    }

    /// [`Device::host_write`], watched.
    pub(crate) fn write_by_host(
        &mut self,
        to: Pointer,
        bytes: &[u8],
        watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        self.check_page_locked(to, bytes.len() as u64)?;
        let order = self.queue.timelines.by_host();
        self.poke(to, bytes)?;
        self.tell(HostAccessKind::Store, to, bytes.len(), order, watcher);
        Ok(())
    }

    /// [`Device::host_read`], watched.
    pub(crate) fn read_by_host(
        &mut self,
        from: Pointer,
        into: &mut [u8],
        watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        self.check_page_locked(from, into.len() as u64)?;
        let order = self.queue.timelines.by_host();
        self.peek(from, into)?;
        self.tell(HostAccessKind::Load, from, into.len(), order, watcher);
        Ok(())
    }

    /// [`Device::copy_async`], watched.
    pub(crate) fn issue_copy(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
        watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        let stream = self.known(stream)?;
        self.find(to, bytes)?;
        self.find(from, bytes)?;
        self.queue.issue(stream, Task::Copy { to, from, bytes });
        self.carry_out(watcher)
    }

    /// Refuses bytes that do not lie in page-locked memory.
    fn check_page_locked(&self, pointer: Pointer, bytes: u64) -> Result<(), DeviceError> {
        self.find(pointer, bytes)?;
        let base = self.global.find_ref(pointer.0, bytes).map(|allocation| allocation.base);
        match base {
            Ok(base) if self.page_locked.contains(&base) => Ok(()),
            Ok(_) | Err(_) => Err(DeviceError::BadPointer { address: pointer.0, bytes }),
        }
    }
}
