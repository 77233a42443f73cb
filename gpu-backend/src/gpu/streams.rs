//! What a wait for the GPU reports about launches.

use warpsim::host::{DeviceError, Ended, Pointer};
use warpsim::report::{Outcome, Report};

use super::{Gpu, outcome};
use crate::error::GpuError;
use crate::ffi::HostMemory;

impl Gpu {
    /// What the end of waiting says of the launches that were waited for.
    pub(super) fn report(&mut self, ended: Result<(), GpuError>) -> Result<Report, DeviceError> {
        match ended {
            Ok(()) => {
                self.uploads.retain(|upload| !upload.is_over());
                Ok(outcome::completed())
            }
            Err(error) if outcome::is_fault(&error) => {
                self.is_lost = true;
                Ok(outcome::fault(&error))
            }
            Err(error) => Err(outcome::in_words(&error)),
        }
    }

    /// The page-locked memory that bytes lie in, and where in it.
    pub(super) fn page_locked(
        &self,
        pointer: Pointer,
        bytes: u64,
    ) -> Result<(&HostMemory, usize), DeviceError> {
        self.allocations.find(pointer, bytes)?;
        let outside = DeviceError::BadPointer { address: pointer.0, bytes };
        let (start, memory) =
            self.page_locked.range(..=pointer.0).next_back().ok_or(outside.clone())?;
        match self.allocations.start_of(pointer) == Some(*start) {
            true => Ok((memory, (pointer.0 - start) as usize)),
            false => Err(outside),
        }
    }

    /// Refuses bytes that lie neither in an allocation nor in a module's variable.
    pub(super) fn find(&self, pointer: Pointer, bytes: u64) -> Result<(), DeviceError> {
        if self.modules.iter().any(|module| module.holds(pointer, bytes)) {
            return Ok(());
        }
        self.allocations.find(pointer, bytes)
    }
}

/// The launches with how they ended: after a fault it is unknown which of them it was.
pub(super) fn with_report(mut ended: Vec<Ended>, report: &Report) -> Vec<Ended> {
    if report.outcome != Outcome::Completed {
        ended.iter_mut().for_each(|e| e.report = report.clone());
    }
    ended
}
