//! A simulated device that keeps the findings of its launches, for host code that only looks at
//! whether they completed. It also looks for races between streams.

use warpsim::host::{Device, DeviceError, ModuleHandle, Pointer, Relay, Simulator};
use warpsim::observe::TaskRaces;
use warpsim::report::{Finding, Report};

/// A simulator, and what was found in its launches and between them.
#[derive(Debug)]
pub(super) struct Watched {
    simulator: Simulator,
    races: TaskRaces,
    found: Vec<Finding>,
}

impl Watched {
    pub(super) fn new(simulator: Simulator) -> Watched {
        Watched { simulator, races: TaskRaces::default(), found: Vec::new() }
    }

    /// What was found: in each launch, and then between launches and copies of different streams.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        for mut finding in self.races.take_findings() {
            // Its count is of bytes, which a note mentions. Here the count is of events.
            finding.count = 1;
            self.found.push(finding);
        }
        self.found
    }
}

impl Relay for Watched {
    fn title(&self) -> String {
        self.simulator.name()
    }

    fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        self.simulator.variable(module, name)
    }

    fn hand_on<R>(
        &mut self,
        ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        ask(&mut self.simulator.watched(&mut self.races))
    }

    fn ended(&mut self, report: Report) -> Report {
        self.found.extend(report.findings.iter().cloned());
        report
    }
}
