//! The host's side: buffers, copies, modules, launches, streams and events.

mod admitted;
mod advise;
mod arguments;
mod checking;
mod device;
mod error;
pub mod explore;
mod findings;
mod image_text;
mod images;
mod launcher;
mod limits;
mod mapped;
mod memory;
mod parameters;
mod settings;
mod simulator;
mod stepper;
mod streams;
mod taped;
mod threads;
mod unwritten;

pub use advise::Advice;
pub use arguments::packed_arguments;
pub use device::relay::Relay;
pub use device::{Argument, Device, ModuleHandle, Pointer};
pub use error::DeviceError;
pub use findings::listener::Listener;
pub use image_text::{ImageText, ImageTextError, ImageWord};
pub use images::{AddressMode, ImageHandle, Sampler, Texels, TexelsLevel};
pub use launcher::Launcher;
pub use limits::{check_shape, check_shared};
pub use mapped::Backing;
pub use parameters::{Parameter, kernel_named, kernel_parameters, variable_named};
pub use settings::Settings;
pub use simulator::Simulator;
pub use stepper::{Activation, Arrival, LocalVariable, RegisterValue, Stepper, Variable};
pub use streams::{
    Action, Download, Ended, Event, LaunchHandle, Stream, StreamKind, StreamLedger, StreamOrder,
    Watched,
};

pub use threads::Threads;

pub use crate::argument::{ArgumentPlace, NoArgumentPlace};
pub use crate::check::{Analyses, Checking, Schedules};
pub use crate::launch::{Extent, ExtentError, Launch};
pub use crate::lower::kernels;
pub use crate::machine::{
    DeviceProfile, MbarrierObject, Meter, Model, SharedInit, State as FragmentState,
};

use warpsim_analyses::{check, observe};
use warpsim_engine::{argument, launch, lower, machine, report, schedule};
use warpsim_language::{element, internal, lanes, names, passes, preference, ptx};
