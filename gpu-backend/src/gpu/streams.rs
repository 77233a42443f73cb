//! What waiting for the GPU tells of launches.

use warpsim::host::{DeviceError, Ended, Pointer};
use warpsim::report::{Outcome, Report};

use super::{Gpu, outcome};
use crate::error::GpuError;

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

    /// Refuses bytes that lie neither in an allocation nor in a module's variable.
    pub(super) fn find(&self, pointer: Pointer, bytes: u64) -> Result<(), DeviceError> {
        if self.modules.iter().any(|module| module.holds(pointer, bytes)) {
            return Ok(());
        }
        self.allocations.find(pointer, bytes)
    }
}

/// The launches with how they ended: after a fault nobody knows which of them it was.
pub(super) fn with_report(mut ended: Vec<Ended>, report: &Report) -> Vec<Ended> {
    if report.outcome != Outcome::Completed {
        ended.iter_mut().for_each(|e| e.report = report.clone());
    }
    ended
}
