//! A simulated device that keeps what its launches came to, for host code that only looks at
//! whether they completed.

use warpsim::host::{Argument, Device, DeviceError, Launch, ModuleHandle, Pointer, Simulator};
use warpsim::ptx::Module;
use warpsim::report::Report;

/// A simulator and the reports of its launches.
#[derive(Debug)]
pub(super) struct Watched {
    simulator: Simulator,
    /// What each launch came to.
    pub(super) reports: Vec<Report>,
}

impl Watched {
    pub(super) fn new(simulator: Simulator) -> Watched {
        Watched { simulator, reports: Vec::new() }
    }
}

impl Device for Watched {
    fn name(&self) -> String {
        self.simulator.name()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.simulator.allocate(bytes)
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.simulator.free(pointer)
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.simulator.upload(to, bytes)
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        self.simulator.define(start, bytes)
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.simulator.download(from, into)
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        self.simulator.load(module)
    }

    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        self.simulator.variable(module, name)
    }

    fn launch(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Report, DeviceError> {
        let report = self.simulator.launch(module, kernel, launch, arguments)?;
        self.reports.push(report.clone());
        Ok(report)
    }
}
