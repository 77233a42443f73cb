//! The launch that a person steps through.
//!
//! The person has a copy of the device, as it is when the launch begins. The launch itself is
//! carried out afterwards, as it would be without the debugger. It has the effects, checks and
//! findings of any run. A run is a pure function of its inputs, so both agree.
//!
//! Launches of graphs and of kernels themselves are not stopped.

use warpsim::host::{Argument, ArgumentPlace, Launch, ModuleHandle, Pointer};
use warpsim::names;

use crate::Answer;
use crate::host::DebuggedLaunch;
use crate::state::{Call, refusal};

impl Call<'_> {
    /// Has a person step through a launch, if it is the one that was asked for.
    ///
    /// # Errors
    /// The launch cannot start.
    pub(crate) fn debug(
        &mut self,
        (module, kernel): (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
    ) -> Answer<()> {
        let Some(asked) = self.state.options.debug.clone() else { return Ok(()) };
        if names::called(&asked.kernel, [kernel]).is_empty() {
            return Ok(());
        }
        self.state.debugged += 1;
        if self.state.debugged != asked.launch {
            return Ok(());
        }
        let buffers = self.buffers(arguments);
        let mut device = self.state.device.fork();
        device.settings_mut().checking = None;
        device.settings_mut().max_steps = self.state.options.max_kept_steps();
        let stepped = device.stepper(module, kernel, launch, arguments).map(|stepper| {
            let launch = DebuggedLaunch { stepper, buffers, number: asked.launch, kernel };
            self.host.debug(launch, &asked);
        });
        stepped.map_err(|error| refusal(self, &error))
    }

    /// The arguments that point to allocations, with the bytes up to their ends.
    pub(crate) fn buffers(&self, arguments: &[Argument]) -> Vec<(ArgumentPlace, Pointer, u64)> {
        let buffer = |(place, argument): (usize, &Argument)| {
            let address = match argument {
                Argument::Pointer(Pointer(address)) => *address,
                Argument::Bytes(bytes) => u64::from_le_bytes(bytes.as_slice().try_into().ok()?),
                _ => return None,
            };
            let (base, allocation) = self.state.allocations.range(..=address).next_back()?;
            let left = base.checked_add(allocation.bytes)?.checked_sub(address)?;
            (left > 0).then(|| (ArgumentPlace::from(place), Pointer(address), left))
        };
        arguments.iter().enumerate().filter_map(buffer).collect()
    }
}
