//! What host code does: buffers, copies, modules, launches.

mod arguments;
mod device;
mod error;
mod explain;
mod limits;
mod parameters;
mod profile;
mod settings;
mod simulator;

pub use device::{Argument, Device, Launch, ModuleHandle, Pointer};
pub use error::DeviceError;
pub use parameters::{Parameter, kernel_parameters, kernels};
pub use profile::{DeviceProfile, Model, SharedInit};
pub use settings::Settings;
pub use simulator::Simulator;

pub(crate) use explain::explain;
