//! What the host knows about operations that a real device carries out.

use super::handles::{Download, Ended, Event, LaunchHandle, Stream, StreamKind};
use super::queue::{Queue, Use};
use crate::report::{Counts, Outcome, Report};
use crate::{Argument, DeviceError, Pointer};

/// The books of a device that carries out operations itself. They list the operations issued to
/// each stream, and the host's waits since then. The simulator keeps the same books, so both refuse
/// the same calls: reading a copy before anything waited for it, freeing memory that may still be
/// in use.
#[derive(Clone, Debug, Default)]
pub struct StreamLedger {
    queue: Queue,
}

impl StreamLedger {
    /// Enters a new stream.
    pub fn stream(&mut self, kind: StreamKind) -> Stream {
        Stream(self.queue.timelines.stream(kind == StreamKind::Blocking))
    }

    /// Enters a new event.
    pub fn event(&mut self) -> Event {
        Event(self.queue.timelines.event())
    }

    /// Refuses a stream that was never made.
    ///
    /// # Errors
    /// [`DeviceError::UnknownHandle`].
    pub fn check_stream(&self, stream: Stream) -> Result<(), DeviceError> {
        let exists = stream.0 < self.queue.timelines.streams();
        if exists { Ok(()) } else { Err(DeviceError::UnknownHandle { what: "stream".into() }) }
    }

    /// Refuses an event that was never made.
    ///
    /// # Errors
    /// [`DeviceError::UnknownHandle`].
    pub fn check_event(&self, event: Event) -> Result<(), DeviceError> {
        let exists = event.0 < self.queue.timelines.events();
        if exists { Ok(()) } else { Err(DeviceError::UnknownHandle { what: "event".into() }) }
    }

    /// Refuses an event that was never recorded, or that the host has not waited for.
    ///
    /// # Errors
    /// [`DeviceError::UnknownHandle`], [`DeviceError::EventPending`].
    pub fn check_reached(&self, event: Event) -> Result<(), DeviceError> {
        self.queue.timelines.reached(event.0).map(|_| ())
    }

    /// Enters a launch.
    ///
    /// # Errors
    /// There is no such stream; the same goes for all that follow.
    pub fn launch(
        &mut self,
        stream: Stream,
        kernel: &str,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        let number = self.enter(stream, Use::launch_with(kernel, arguments))?;
        let (launch, report) = (LaunchHandle(number.number), completed());
        self.queue.ended(number, Ended { launch, kernel: kernel.to_owned(), report });
        Ok(launch)
    }

    /// Enters a copy to the device.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn upload(&mut self, stream: Stream, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.enter(stream, Use::upload(to, bytes.len())).map(|_| ())
    }

    /// Enters a copy between any two places.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn copy(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.enter(stream, Use::copy(to, from, bytes)).map(|_| ())
    }

    /// Enters a copy from the device.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn download(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        let operation = self.enter(stream, Use::download(from, bytes))?;
        self.queue.downloaded(operation, Vec::new());
        Ok(Download(operation.number))
    }

    fn enter(
        &mut self,
        stream: Stream,
        uses: Use,
    ) -> Result<crate::observe::OperationId, DeviceError> {
        self.check_stream(stream)?;
        Ok(self.queue.enter(stream.0, uses).operation())
    }

    /// Enters that an event was recorded.
    ///
    /// # Errors
    /// There is no such event or stream.
    pub fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        self.check_event(event)?;
        self.check_stream(stream)?;
        self.queue.timelines.record(event.0, stream.0);
        Ok(())
    }

    /// Enters that a stream waits for an event.
    ///
    /// # Errors
    /// There is no such event or stream.
    pub fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        self.check_event(event)?;
        self.check_stream(stream)?;
        self.queue.timelines.wait(stream.0, event.0);
        Ok(())
    }

    /// The host has waited for a launch of the default stream, and reports it itself.
    pub fn waited_for(&mut self, launch: LaunchHandle) {
        self.queue.timelines.synchronise_stream(Stream::DEFAULT.0);
        self.queue.forget_what_is_over();
        let _ = self.queue.take_report(launch);
    }

    /// The host has done something in the default stream and waited for it: a copy.
    pub fn acted_and_waited(&mut self) {
        let _ = self.queue.timelines.issue(Stream::DEFAULT.0);
        self.queue.timelines.synchronise_stream(Stream::DEFAULT.0);
        self.queue.forget_what_is_over();
    }

    /// The host has waited for everything. Like the two functions that follow, it returns the
    /// launches whose end the host now knows, in order of issue, as completed.
    pub fn synchronised(&mut self) -> Vec<Ended> {
        self.queue.timelines.synchronise();
        self.known()
    }

    /// The host has waited for a stream.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn synchronised_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        self.check_stream(stream)?;
        self.queue.timelines.synchronise_stream(stream.0);
        Ok(self.known())
    }

    /// The host has waited for an event.
    ///
    /// # Errors
    /// There is no such event.
    pub fn synchronised_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        self.check_event(event)?;
        self.queue.timelines.synchronise_event(event.0);
        Ok(self.known())
    }

    fn known(&mut self) -> Vec<Ended> {
        self.queue.forget_what_is_over();
        self.queue.take_ended()
    }

    /// Takes note that the bytes of a copy are fetched.
    ///
    /// # Errors
    /// Nothing has waited for it, or they were fetched before.
    pub fn fetch(&mut self, download: Download) -> Result<(), DeviceError> {
        self.queue.fetch(download).map(|_| ())
    }

    /// Refuses to free memory that something may still use, for all that the host knows.
    ///
    /// # Errors
    /// [`DeviceError::StillInUse`].
    pub fn check_unused(&self, pointer: Pointer, bytes: u64) -> Result<(), DeviceError> {
        match self.queue.user_of(pointer.0, bytes) {
            None => Ok(()),
            Some((user, stream)) => {
                Err(DeviceError::StillInUse { address: pointer.0, user, stream })
            }
        }
    }
}

/// The report of a launch when only its end is known.
fn completed() -> Report {
    Report::new(Outcome::Completed, Counts::default())
}
