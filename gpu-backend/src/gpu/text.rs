//! The text that a driver is given.

use warpsim::host::DeviceError;
use warpsim::ptx::{self, Module};

use crate::probe::GpuFacts;

/// A module's text for a GPU and its driver: the one it was parsed from, if it is still that, so
/// that the lines in the driver's messages are the user's; else printed.
pub(super) fn text_for(module: &Module, facts: &GpuFacts) -> Result<String, DeviceError> {
    let _ = facts;
    let printed = ptx::print(module);
    let source = &module.source;
    let as_written = ptx::parse(source.name(), source.text()).map(|m| ptx::print(&m));
    match as_written {
        Ok(text) if text == printed => Ok(source.text().to_owned()),
        _ => Ok(printed),
    }
}
