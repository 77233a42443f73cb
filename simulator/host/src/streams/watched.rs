//! A device that is watched, launches and copies alike.

use std::time::Duration;

use super::handles::{Download, Ended, Event, LaunchHandle, Stream, StreamKind};
use crate::machine::Watcher;
use crate::observe::Observer;
use crate::ptx::Module;
use crate::report::Report;
use crate::{
    Argument, Device, DeviceError, ImageHandle, Launch, ModuleHandle, Pointer, Sampler, Simulator,
    Texels,
};

/// A simulator whose launches, copies and frees an observer sees, across streams; made by
/// [`Simulator::watched`]. The observer sees an operation when it is carried out, which may be
/// later than its issue. [`crate::observe::Order`] tells which of them happen before which.
/// Synchronise before dropping it: operations still in flight then run unwatched.
pub struct Watched<'a> {
    simulator: &'a mut Simulator,
    observer: Option<&'a mut dyn Observer>,
}

impl Simulator {
    /// This device, watched: host code that is written for [`Device`] runs on it.
    ///
    /// ```
    /// use warpsim::host::{Device, Simulator, StreamKind};
    /// use warpsim::observe::{HostAccess, Observer};
    ///
    /// #[derive(Default)]
    /// struct Copies(Vec<HostAccess>);
    /// impl Observer for Copies {
    ///     fn host_access(&mut self, access: &HostAccess) {
    ///         self.0.push(access.clone());
    ///     }
    /// }
    ///
    /// let mut gpu = Simulator::default();
    /// let mut copies = Copies::default();
    /// let mut device = gpu.watched(&mut copies);
    /// let buffer = device.allocate(4)?;
    /// let (a, b) = (device.stream(StreamKind::Blocking)?, device.stream(StreamKind::Blocking)?);
    /// device.upload_async(a, buffer, &[1, 2, 3, 4])?;
    /// device.download_async(b, buffer, 4)?;
    /// device.synchronise()?;
    /// // Nothing makes stream b wait for stream a.
    /// let [write, read] = &copies.0[..] else { panic!("two copies") };
    /// assert!(!read.order.is_after(write.order.operation()));
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    pub fn watched<'a>(&'a mut self, observer: &'a mut dyn Observer) -> Watched<'a> {
        Watched::by(self, Some(observer))
    }
}

impl<'a> Watched<'a> {
    /// A device that this observer watches, or none.
    pub(crate) fn by(
        simulator: &'a mut Simulator,
        observer: Option<&'a mut dyn Observer>,
    ) -> Watched<'a> {
        Watched { simulator, observer }
    }

    /// The device.
    pub fn simulator(&self) -> &Simulator {
        self.simulator
    }

    /// [`Simulator::host_writes`], watched.
    ///
    /// # Errors
    /// As of [`Simulator::host_writes`].
    pub fn host_writes(&mut self, writes: &[(Pointer, &[u8])]) -> Result<(), DeviceError> {
        self.simulator.write_by_host(writes, self.observer.as_deref_mut())
    }

    /// The device, and who watches it.
    pub(super) fn parts(&mut self) -> (&mut Simulator, Watcher<'_, 'a>) {
        (self.simulator, self.observer.as_deref_mut())
    }
}

impl Device for Watched<'_> {
    fn name(&self) -> String {
        self.simulator.name()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.simulator.new_memory(bytes)
    }

    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.simulator.reserve_host(bytes)
    }

    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.simulator.write_by_host(&[(to, bytes)], self.observer.as_deref_mut())
    }

    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.simulator.read_by_host(from, into, self.observer.as_deref_mut())
    }

    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.simulator.issue_copy(stream, to, from, bytes, self.observer.as_deref_mut())
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.simulator.give_back(pointer, self.observer.as_deref_mut())
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.simulator.upload_and_wait(to, bytes, self.observer.as_deref_mut())
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        self.simulator.say_defined(start, bytes)
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.simulator.download_and_wait(from, into, self.observer.as_deref_mut())
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        self.simulator.load_module(module)
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
        let kernel = (module, kernel);
        self.simulator.launch_and_wait(kernel, launch, arguments, self.observer.as_deref_mut())
    }

    fn texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        self.simulator.new_texture(texels, sampler, bytes)
    }

    fn surface(&mut self, texels: &Texels, bytes: &[u8]) -> Result<ImageHandle, DeviceError> {
        self.simulator.new_surface(texels, bytes)
    }

    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        Ok(self.simulator.new_stream(kind))
    }

    fn event(&mut self) -> Result<Event, DeviceError> {
        Ok(self.simulator.new_event())
    }

    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        let kernel = (module, kernel);
        self.simulator.issue_launch(stream, kernel, launch, arguments, self.observer.as_deref_mut())
    }

    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.simulator.issue_upload(stream, to, bytes, self.observer.as_deref_mut())
    }

    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        self.simulator.issue_download(stream, from, bytes, self.observer.as_deref_mut())
    }

    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        self.simulator.queue.fetch(download)
    }

    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        self.simulator.record_event(event, stream)
    }

    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        self.simulator.wait_for_event(stream, event)
    }

    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        self.simulator.queue.spent_between(start.0, end.0).map(Duration::from_nanos)
    }

    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        self.simulator.wait_for_all(self.observer.as_deref_mut())
    }

    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        self.simulator.wait_for_stream(stream, self.observer.as_deref_mut())
    }

    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        self.simulator.host_waits_for_event(event, self.observer.as_deref_mut())
    }
}
