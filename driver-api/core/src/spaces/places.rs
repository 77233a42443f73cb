//! The memory at an address of a copy: the device's, or the program's own (CUDA driver API,
//! "Unified Addressing").

use warpsim::host::Pointer;

use crate::options::{DEVICE_MEMORY, DEVICE_MEMORY_END};
use crate::state::Call;
use crate::{Answer, CudaError};

/// Where some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the device, all of them in one piece of memory. This includes memory that host and device
    /// share.
    Device(Pointer),
    /// In the program's own memory.
    Host(u64),
}

impl Place {
    /// This many bytes further on.
    pub(crate) fn offset(self, bytes: u64) -> Place {
        match self {
            Place::Device(pointer) => Place::Device(pointer.offset(bytes)),
            Place::Host(address) => Place::Host(address + bytes),
        }
    }
}

impl Call<'_> {
    /// Where this many bytes are, by their address alone.
    ///
    /// # Errors
    /// They run over the end of a piece of memory, or are where nothing of the device is.
    pub(crate) fn place(&self, address: u64, bytes: u64) -> Answer<Place> {
        // A slice of the host cannot be larger, and callers make slices of this range.
        let end = address.checked_add(bytes).filter(|_| isize::try_from(bytes).is_ok());
        let end = end.ok_or(CudaError::InvalidValue)?;
        if let Some((base, allocation)) = self.around(address) {
            let inside = match address.wrapping_sub(base) < allocation.bytes {
                true => address - base,
                false => address - allocation.host.ok_or(CudaError::InvalidValue)?,
            };
            let fits = bytes <= self.reach(base + inside, base, allocation);
            return match fits {
                true => Ok(Place::Device(Pointer(base + inside))),
                false => Err(CudaError::InvalidValue),
            };
        }
        let is_of_device = address < DEVICE_MEMORY_END && end > DEVICE_MEMORY;
        // A variable that the program did not ask for. A kernel may have given its address.
        let is_variable =
            is_of_device && self.state.device.global().find_ref(address, bytes).is_ok();
        match (address, is_of_device, is_variable) {
            (0, _, _) => Err(CudaError::InvalidValue),
            (_, true, true) => Ok(Place::Device(Pointer(address))),
            (_, true, false) => Err(CudaError::InvalidValue),
            (_, false, _) => Ok(Place::Host(address)),
        }
    }

    /// The same of an address that must be of the device.
    pub(crate) fn device_place(&self, address: u64, bytes: u64) -> Answer<Pointer> {
        match self.place(address, bytes)? {
            Place::Device(pointer) => Ok(pointer),
            Place::Host(_) => Err(CudaError::InvalidValue),
        }
    }

    /// The same of an address that must be one of the host: the program's own, or shared.
    pub(crate) fn host_place(&self, address: u64, bytes: u64) -> Answer<Place> {
        let place = self.place(address, bytes)?;
        let is_shared = self.around(address).is_some_and(|(_, a)| a.host.is_some());
        match place {
            Place::Device(_) if !is_shared => Err(CudaError::InvalidValue),
            Place::Device(_) | Place::Host(_) => Ok(place),
        }
    }
}
