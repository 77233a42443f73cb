//! Memory whose addresses are managed separately, as host code handles it (CUDA driver API,
//! "Virtual Memory Management"). Host code reserves addresses, puts memory there and takes it away
//! again.

use super::device::Pointer;
use super::error::DeviceError;
use super::simulator::Simulator;
use crate::machine::Pages;

/// Memory without an address.
///
/// ```
/// use warpsim::host::{Backing, Device, Simulator};
///
/// let mut gpu = Simulator::default();
/// let start = gpu.reserve(1 << 21, 1 << 21, None).unwrap();
/// gpu.map(start, Backing::new(1 << 20))?;
/// gpu.upload(start, &[7])?;
/// assert!(gpu.upload(start.offset(1 << 20), &[7]).is_err());
/// let memory = gpu.unmap(start)?;
/// assert!(gpu.download(start, &mut [0]).is_err());
/// gpu.map(start.offset(1 << 20), memory)?;
/// let mut byte = [0];
/// gpu.download(start.offset(1 << 20), &mut byte)?;
/// assert_eq!(byte, [7]);
/// # Ok::<(), warpsim::host::DeviceError>(())
/// ```
#[derive(Debug)]
pub struct Backing {
    pages: Pages,
    /// It never had an address, so it was never written.
    is_fresh: bool,
}

impl Backing {
    /// This many bytes, all unwritten.
    pub fn new(bytes: u64) -> Backing {
        Backing { pages: Pages::new(bytes), is_fresh: true }
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.pages.bytes()
    }
}

impl Simulator {
    /// Reserves addresses, so that no other memory gets them (`cuMemAddressReserve`): this many
    /// bytes from a multiple of `alignment` on. With `at` they begin there, if everything with an
    /// address lies below. `None` if that is impossible.
    pub fn reserve(&mut self, bytes: u64, alignment: u64, at: Option<Pointer>) -> Option<Pointer> {
        self.global.reserve(bytes, alignment, at.map(|at| at.0)).map(Pointer)
    }

    /// Puts memory at an address, a multiple of 4096 (`cuMemMap`, and `cuMemSetAccess`). After an
    /// error the memory is gone.
    ///
    /// # Errors
    /// Other memory is there, or was and has been freed, or generic addresses there mean another
    /// state space.
    pub fn map(&mut self, at: Pointer, memory: Backing) -> Result<(), DeviceError> {
        let (bytes, is_fresh) = (memory.bytes(), memory.is_fresh);
        if !self.global.map(at.0, memory.pages) {
            return Err(DeviceError::BadPointer { address: at.0, bytes });
        }
        if is_fresh {
            self.unwritten.allocated(at.0, bytes, self.launches);
        }
        Ok(())
    }

    /// Takes away the memory that was put at an address (`cuMemUnmap`), with its contents. The
    /// record of its unwritten bytes is lost.
    ///
    /// # Errors
    /// Nothing was put there, or nobody has waited for an operation that may still use it.
    pub fn unmap(&mut self, at: Pointer) -> Result<Backing, DeviceError> {
        let bytes = self.freeable(at)?;
        if let Some((user, stream)) = self.queue.user_of(at.0, bytes) {
            return Err(DeviceError::StillInUse { address: at.0, user, stream });
        }
        let pages =
            self.global.unmap(at.0).ok_or(DeviceError::BadPointer { address: at.0, bytes })?;
        self.unwritten.written(at.0, bytes);
        Ok(Backing { pages, is_fresh: false })
    }
}
