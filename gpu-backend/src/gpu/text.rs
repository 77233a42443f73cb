//! The text that a driver is given.

use warpsim::host::DeviceError;
use warpsim::ptx::{self, Module};

use crate::probe::GpuFacts;

/// A module's text for a GPU and its driver.
pub(super) fn text_for(module: &Module, facts: &GpuFacts) -> Result<String, DeviceError> {
    let _ = facts;
    Ok(ptx::print(module))
}
