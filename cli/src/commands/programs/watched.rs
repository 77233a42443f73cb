//! A simulated device that keeps the findings of its launches, for host code that only looks at
//! whether they completed. It also looks for races between streams.

use std::time::Duration;

use warpsim::host::{
    Argument, Device, DeviceError, Download, Ended, Event, Launch, LaunchHandle, ModuleHandle,
    Pointer, Simulator, Stream, StreamKind,
};
use warpsim::observe::TaskRaces;
use warpsim::ptx::Module;
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
            // It counts the bytes, of which a note speaks; here things are counted that happened.
            finding.count = 1;
            self.found.push(finding);
        }
        self.found
    }

    /// The device, watched for races between streams.
    fn watched(&mut self) -> warpsim::host::Watched<'_> {
        self.simulator.watched(&mut self.races)
    }

    fn keep(&mut self, report: &Report) {
        self.found.extend(report.findings.iter().cloned());
    }

    fn keep_all(&mut self, ended: Vec<Ended>) -> Vec<Ended> {
        ended.iter().for_each(|ended| self.keep(&ended.report));
        ended
    }
}

impl Device for Watched {
    fn name(&self) -> String {
        self.simulator.name()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.watched().allocate(bytes)
    }

    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.watched().allocate_host(bytes)
    }

    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.watched().host_write(to, bytes)
    }

    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.watched().host_read(from, into)
    }

    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.watched().copy_async(stream, to, from, bytes)
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.watched().free(pointer)
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.watched().upload(to, bytes)
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        self.watched().define(start, bytes)
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.watched().download(from, into)
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        self.watched().load(module)
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
        let report = self.watched().launch(module, kernel, launch, arguments)?;
        self.keep(&report);
        Ok(report)
    }

    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        self.watched().stream(kind)
    }

    fn event(&mut self) -> Result<Event, DeviceError> {
        self.watched().event()
    }

    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        self.watched().launch_on(stream, module, kernel, launch, arguments)
    }

    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.watched().upload_async(stream, to, bytes)
    }

    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        self.watched().download_async(stream, from, bytes)
    }

    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        self.watched().fetch(download)
    }

    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        self.watched().record(event, stream)
    }

    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        self.watched().wait(stream, event)
    }

    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        self.watched().elapsed(start, end)
    }

    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        let ended = self.watched().synchronise()?;
        Ok(self.keep_all(ended))
    }

    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        let ended = self.watched().synchronise_stream(stream)?;
        Ok(self.keep_all(ended))
    }

    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        let ended = self.watched().synchronise_event(event)?;
        Ok(self.keep_all(ended))
    }
}
