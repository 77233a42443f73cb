//! Launches that the device can start: judged once, when they are issued.
//!
//! From here on nothing about a launch can be refused. Each run of it, under whatever schedule,
//! takes the program, the shape and the arguments as they were judged.

use std::sync::Arc;

use super::arguments::{addresses, parameter_bytes};
use super::device::{Argument, ModuleHandle};
use super::error::DeviceError;
use super::limits::check_launch;
use super::simulator::Simulator;
use crate::argument::ArgumentPlace;
use crate::launch::Launch;
use crate::lower::Program;

/// A launch that the device can start.
#[derive(Clone, Debug)]
pub(super) struct Admitted {
    pub(super) module: ModuleHandle,
    /// The kernel, as it was called.
    pub(super) kernel: String,
    pub(super) launch: Launch,
    pub(super) program: Arc<Program>,
    /// The parameter bank.
    pub(super) parameters: Arc<[u8]>,
    /// The arguments that are addresses.
    pub(super) pointers: Arc<[(ArgumentPlace, u64)]>,
}

impl Simulator {
    /// Judges a launch.
    ///
    /// # Errors
    /// Why it cannot start: no such kernel, a shape that the device cannot run, arguments that do
    /// not fit.
    pub(super) fn admit(
        &mut self,
        (module, kernel): (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Admitted, DeviceError> {
        let program = self.program(module, kernel)?;
        check_launch(self.profile(), &program, launch)?;
        Ok(Admitted {
            module,
            kernel: kernel.to_owned(),
            launch: *launch,
            parameters: parameter_bytes(&program, kernel, arguments)?.into(),
            pointers: addresses(arguments).collect(),
            program,
        })
    }
}
