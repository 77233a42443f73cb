//! What host code does: buffers, copies, modules, launches.

mod device;
mod error;
mod parameters;
mod profile;

pub use device::{Argument, Device, Launch, ModuleHandle, Pointer};
pub use error::DeviceError;
pub use parameters::{Parameter, kernel_parameters, kernels};
pub use profile::{DeviceProfile, Model, SharedInit};
