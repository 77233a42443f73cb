//! Issuing operations and carrying them out.
//!
//! An operation that is wrong as such (no such kernel, memory that is not there) is refused when it
//! is issued. Operations run one at a time and each to its end, so kernels of different streams
//! never overlap here. A kernel that waits for one of another stream ends in a livelock or at the
//! limit of steps. It may do so on hardware, which need not run the two at the same time.

use super::handles::{Download, Ended, Event, LaunchHandle, Stream, StreamKind};
use super::queue::{Queued, Task};
use crate::checking::Request;
use crate::machine::Watcher;
use crate::observe::{HostAccess, HostAccessKind, Order};
use crate::report::Report;
use crate::{Argument, DeviceError, Launch, ModuleHandle, Pointer, Simulator};

impl Simulator {
    pub(crate) fn new_stream(&mut self, kind: StreamKind) -> Stream {
        Stream(self.queue.timelines.stream(kind == StreamKind::Blocking))
    }

    pub(crate) fn new_event(&mut self) -> Event {
        Event(self.queue.timelines.event())
    }

    pub(super) fn known(&self, stream: Stream) -> Result<usize, DeviceError> {
        let exists = stream.0 < self.queue.timelines.streams();
        if exists {
            Ok(stream.0)
        } else {
            Err(DeviceError::UnknownHandle { what: "stream".into() })
        }
    }

    fn known_event(&self, event: Event) -> Result<usize, DeviceError> {
        let exists = event.0 < self.queue.timelines.events();
        if exists { Ok(event.0) } else { Err(DeviceError::UnknownHandle { what: "event".into() }) }
    }

    /// Issues a launch to a stream.
    pub(crate) fn issue_launch(
        &mut self,
        stream: Stream,
        kernel: (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
        watcher: Watcher<'_, '_>,
    ) -> Result<LaunchHandle, DeviceError> {
        let stream = self.known(stream)?;
        let admitted = self.admit(kernel, launch, arguments)?;
        let operation = self.queue.issue(stream, Task::Launch(admitted));
        self.carry_out(watcher)?;
        Ok(LaunchHandle(operation.number))
    }

    /// The report of a launch that was carried out, for an onlooker that is not the host of the
    /// device. The host itself knows of an end only when it has waited. `None` if it was not
    /// carried out yet, or the host has received the report.
    ///
    /// ```
    /// use warpsim::host::{Argument, Device, Launch, Simulator, Stream};
    /// use warpsim::ptx;
    ///
    /// let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k() { ret; }";
    /// let module = ptx::parse("k.ptx", text)?;
    /// let mut gpu = Simulator::default();
    /// let module = gpu.load(&module)?;
    /// let launch = Launch::default();
    /// let issued = gpu.launch_on(Stream::DEFAULT, module, "k", &launch, &[])?;
    /// assert!(gpu.report(issued).is_some_and(|report| report.findings.is_empty()));
    /// gpu.synchronise()?;
    /// assert!(gpu.report(issued).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn report(&self, launch: LaunchHandle) -> Option<&Report> {
        self.queue.report(launch)
    }

    /// Launches in the default stream and waits for the end.
    pub(crate) fn launch_and_wait(
        &mut self,
        kernel: (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
        mut watcher: Watcher<'_, '_>,
    ) -> Result<Report, DeviceError> {
        let default = Stream::DEFAULT;
        let handle =
            self.issue_launch(default, kernel, launch, arguments, watcher.as_deref_mut())?;
        self.queue.timelines.synchronise_stream(default.0);
        self.carry_out(watcher)?;
        self.queue.forget_what_is_over();
        let ended = self.queue.take_report(handle);
        Ok(ended.ok_or(DeviceError::UnknownHandle { what: "launch".into() })?.report)
    }

    /// An action of the default stream for which the host waits, and that the caller carries out at
    /// once: everything that has to happen before has happened.
    pub(crate) fn act_and_wait(&mut self, watcher: Watcher<'_, '_>) -> Result<Order, DeviceError> {
        let order = self.queue.timelines.issue(Stream::DEFAULT.0);
        self.queue.timelines.synchronise_stream(Stream::DEFAULT.0);
        self.carry_out(watcher)?;
        self.queue.forget_what_is_over();
        Ok(order)
    }

    /// [`crate::Device::upload`], watched.
    pub(crate) fn upload_and_wait(
        &mut self,
        to: Pointer,
        bytes: &[u8],
        mut watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        self.find(to, bytes.len() as u64)?;
        let order = self.act_and_wait(watcher.as_deref_mut())?;
        self.poke(to, bytes)?;
        self.tell(HostAccessKind::Write, to, bytes.len(), order, watcher);
        Ok(())
    }

    /// [`crate::Device::download`], watched.
    pub(crate) fn download_and_wait(
        &mut self,
        from: Pointer,
        into: &mut [u8],
        mut watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        self.find(from, into.len() as u64)?;
        let order = self.act_and_wait(watcher.as_deref_mut())?;
        self.peek(from, into)?;
        self.tell(HostAccessKind::Read, from, into.len(), order, watcher);
        Ok(())
    }

    pub(crate) fn issue_upload(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
        watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        let stream = self.known(stream)?;
        self.find(to, bytes.len() as u64)?;
        self.queue.issue(stream, Task::Upload { to, bytes: bytes.into() });
        self.carry_out(watcher)
    }

    pub(crate) fn issue_download(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
        watcher: Watcher<'_, '_>,
    ) -> Result<Download, DeviceError> {
        let stream = self.known(stream)?;
        self.find(from, bytes as u64)?;
        let operation = self.queue.issue(stream, Task::Download { from, bytes });
        self.carry_out(watcher)?;
        Ok(Download(operation.number))
    }

    pub(crate) fn record_event(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        let (event, stream) = (self.known_event(event)?, self.known(stream)?);
        self.queue.timelines.record(event, stream);
        Ok(())
    }

    pub(crate) fn wait_for_event(
        &mut self,
        stream: Stream,
        event: Event,
    ) -> Result<(), DeviceError> {
        let (event, stream) = (self.known_event(event)?, self.known(stream)?);
        self.queue.timelines.wait(stream, event);
        Ok(())
    }

    /// A stream calls a function of the host: it takes a place in the stream, and its effects
    /// belong to the host.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn host_function(&mut self, stream: Stream) -> Result<Order, DeviceError> {
        let stream = self.known(stream)?;
        Ok(self.queue.timelines.issue(stream))
    }

    /// How many operations there were, which are numbered from 1.
    pub fn issued(&self) -> u64 {
        self.queue.timelines.issued()
    }

    /// The host waits for everything.
    pub(crate) fn wait_for_all(
        &mut self,
        watcher: Watcher<'_, '_>,
    ) -> Result<Vec<Ended>, DeviceError> {
        self.queue.timelines.synchronise();
        self.waited(watcher)
    }

    /// The host waits for a stream.
    pub(crate) fn wait_for_stream(
        &mut self,
        stream: Stream,
        watcher: Watcher<'_, '_>,
    ) -> Result<Vec<Ended>, DeviceError> {
        let stream = self.known(stream)?;
        self.queue.timelines.synchronise_stream(stream);
        self.waited(watcher)
    }

    /// The host waits for an event.
    pub(crate) fn host_waits_for_event(
        &mut self,
        event: Event,
        watcher: Watcher<'_, '_>,
    ) -> Result<Vec<Ended>, DeviceError> {
        let event = self.known_event(event)?;
        self.queue.timelines.synchronise_event(event);
        self.waited(watcher)
    }

    fn waited(&mut self, watcher: Watcher<'_, '_>) -> Result<Vec<Ended>, DeviceError> {
        self.carry_out(watcher)?;
        self.queue.forget_what_is_over();
        Ok(self.queue.take_ended())
    }

    /// [`crate::Device::free`], watched.
    pub(crate) fn give_back(
        &mut self,
        pointer: Pointer,
        watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        let bytes = self.freeable(pointer)?;
        if let Some((user, stream)) = self.queue.user_of(pointer.0, bytes) {
            return Err(DeviceError::StillInUse { address: pointer.0, user, stream });
        }
        let order = self.queue.timelines.by_host();
        self.release(pointer, bytes);
        self.page_locked.remove(&pointer.0);
        self.tell(HostAccessKind::Free, pointer, bytes as usize, order, watcher);
        Ok(())
    }

    /// Carries out what has to be.
    pub(super) fn carry_out(&mut self, mut watcher: Watcher<'_, '_>) -> Result<(), DeviceError> {
        while let Some(queued) = self.queue.next(self.settings().stream_order) {
            self.perform(queued, watcher.as_deref_mut())?;
        }
        Ok(())
    }

    fn perform(
        &mut self,
        Queued { order, task }: Queued,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        let operation = order.operation();
        match task {
            Task::Launch(admitted) => {
                let request = Request { admitted: &admitted, order: &order };
                let report = self.run(request, watcher)?;
                let launch = LaunchHandle(operation.number);
                self.queue.spent(operation, report.counts.warp_instructions);
                self.queue.ended(operation, Ended { launch, kernel: admitted.kernel, report });
            }
            Task::Upload { to, bytes } => {
                self.poke(to, &bytes)?;
                self.tell(HostAccessKind::Write, to, bytes.len(), order, watcher);
            }
            Task::Copy { to, from, bytes } => {
                let mut copy = vec![0; bytes as usize];
                self.peek(from, &mut copy)?;
                self.tell(
                    HostAccessKind::CopyRead,
                    from,
                    copy.len(),
                    order.clone(),
                    watcher.as_deref_mut(),
                );
                self.poke(to, &copy)?;
                self.tell(HostAccessKind::CopyWrite, to, copy.len(), order, watcher);
            }
            Task::Download { from, bytes } => {
                let mut copy = vec![0; bytes];
                self.peek(from, &mut copy)?;
                self.tell(HostAccessKind::Read, from, bytes, order, watcher);
                self.queue.downloaded(operation, copy);
            }
        }
        Ok(())
    }

    /// Tells who watches what host code does to global memory.
    pub(crate) fn tell(
        &mut self,
        kind: HostAccessKind,
        pointer: Pointer,
        bytes: usize,
        order: Order,
        watcher: Watcher<'_, '_>,
    ) {
        if self.is_constant(pointer) || bytes == 0 {
            return;
        }
        let access = HostAccess { kind, address: pointer.0, bytes: bytes as u64, order };
        let known = self.analyses.take();
        self.analyses = match &self.settings().checking {
            Some(checking) => {
                let mut analyses = checking.analyses.going_on(known);
                analyses.host_access(&access);
                Some(analyses)
            }
            None => known,
        };
        if let Some(observer) = watcher {
            observer.host_access(&access);
        }
    }
}
