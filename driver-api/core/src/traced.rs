//! Launches that are traced for the page of the report; `chosen` says which.
//!
//! A copy of the device, as it was before the launch, carries out the launch once more: traced and
//! checked, under the schedule that showed the first finding. The launch itself is not touched. A
//! run is a pure function of its inputs, so both agree.
//!
//! Launches in the program's own memory are not traced.

use std::path::PathBuf;

use warpsim::check::{Checking, Schedules};
use warpsim::host::{Argument, Launch, ModuleHandle, Simulator};
use warpsim::report::Report;

use crate::chosen::Chosen;
use crate::host::LaunchToTrace;
use crate::state::{Call, bug};

/// A launch that may be traced.
#[derive(Debug)]
pub(crate) struct Untraced {
    /// What the name of the file begins with.
    to: PathBuf,
    /// The device before it.
    device: Simulator,
    module: ModuleHandle,
    /// The kernel, and the name of its module.
    kernel: (String, String),
    launch: Launch,
    arguments: Vec<Argument>,
    has_findings: bool,
    /// The schedule that shows the first finding, where it is another one.
    schedule: Option<String>,
}

impl Untraced {
    /// Takes note of what was found in the launch.
    pub(crate) fn found(&mut self, report: &Report) {
        self.has_findings = !report.findings.is_empty();
        self.schedule = report.findings.iter().find_map(|finding| finding.replay.clone());
    }
}

impl Call<'_> {
    /// The launch that comes, where a page is wanted.
    pub(crate) fn untraced(
        &mut self,
        chosen: Chosen,
        (module, kernel, of): (ModuleHandle, &str, &str),
        launch: &Launch,
        arguments: &[Argument],
    ) -> Option<Untraced> {
        let options = &self.state.options;
        let is_chosen = chosen.is_checked || chosen.is_counted || !(options.check || options.stats);
        let kernel = (kernel.to_owned(), of.to_owned());
        if !is_chosen || !self.state.traced.may_take(&kernel) {
            return None;
        }
        let to = options.page.clone()?;
        let (launch, arguments) = (*launch, arguments.to_vec());
        let (has_findings, schedule) = (false, None);
        let device = self.state.device.fork_to_run();
        Some(Untraced { to, device, module, kernel, launch, arguments, has_findings, schedule })
    }

    /// Traces a launch that was carried out, by its number in the process, unless enough are.
    pub(crate) fn trace(&mut self, untraced: Untraced, number: u64) {
        let Untraced { to, mut device, module, kernel, launch, arguments, has_findings, schedule } =
            untraced;
        if !self.state.traced.takes(&kernel, has_findings) {
            return;
        }
        let settings = device.settings_mut();
        settings.max_steps = self.state.options.max_kept_steps();
        let checking = settings.checking.take();
        settings.checking = checking.map(|_| Checking::default().with_schedules(Schedules::AsSet));
        match schedule.as_deref().map(str::parse).transpose() {
            Ok(Some(schedule)) => settings.schedule = schedule,
            Ok(None) => {}
            Err(error) => {
                bug(self, &format!("a finding names no schedule: {error}"));
                return;
            }
        }
        let buffers = self.buffers(&arguments);
        let (kernel, of) = (&*kernel.0, &*kernel.1);
        let (device, launch, arguments) = (&mut device, &launch, &*arguments);
        let launch =
            LaunchToTrace { device, module, kernel, of, launch, arguments, buffers, number };
        if let Err(error) = self.host.trace(launch, &to) {
            bug(self, &format!("a launch that was carried out cannot be traced: {error}"));
        }
    }
}
