//! Page-locked memory of the host, and copies between any two places (CUDA driver API, "Memory
//! Management", "Unified Addressing").
//!
//! The host and the device reach it at one address, and neither waits for the other. All later
//! copies see a write of the host. Here it lies in the memory of the device, and counts as such.

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

    /// Memory of the device that begins here is reached by the host from now on, as page-locked
    /// memory is: a managed variable.
    ///
    /// # Errors
    /// No memory begins there.
    pub fn reach_by_host(&mut self, start: Pointer) -> Result<(), DeviceError> {
        self.freeable(start)?;
        self.page_locked.insert(start.0);
        Ok(())
    }

    /// The host writes page-locked memory in several places at once: one act of the host.
    ///
    /// ```
    /// use warpsim::host::{Device, Simulator};
    ///
    /// let mut gpu = Simulator::default();
    /// let memory = gpu.allocate_host(8)?;
    /// gpu.host_writes(&[(memory, &[1]), (memory.offset(6), &[2, 3])])?;
    /// let mut bytes = [9; 8];
    /// gpu.host_read(memory, &mut bytes)?;
    /// assert_eq!(bytes, [1, 0, 0, 0, 0, 0, 2, 3]);
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// Bytes do not lie in page-locked memory; none is written.
    pub fn host_writes(&mut self, writes: &[(Pointer, &[u8])]) -> Result<(), DeviceError> {
        self.write_by_host(writes, None)
    }

    /// [`Simulator::host_writes`], watched.
    pub(crate) fn write_by_host(
        &mut self,
        writes: &[(Pointer, &[u8])],
        mut watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        for (to, bytes) in writes {
            self.check_page_locked(*to, bytes.len() as u64)?;
        }
        let order = self.queue.timelines.by_host();
        for (to, bytes) in writes {
            self.poke(*to, bytes)?;
            let watcher = watcher.as_deref_mut();
            self.tell(HostAccessKind::Store, *to, bytes.len(), order.clone(), watcher);
        }
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
