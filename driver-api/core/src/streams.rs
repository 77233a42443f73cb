//! Streams and events (CUDA driver API, "Stream Management", "Event Management").
//!
//! Handle 0 is the default stream, 1 and 2 are the legacy one and the thread's own. A query that
//! reports the end of all work counts as a wait, because the host knows then.

use std::time::Instant;

use warpsim::host::{Device, Event, Stream, StreamKind};

use crate::state::{Call, Kind, refusal};
use crate::{Answer, CudaError, Handle};

/// What handle 0 means to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultStream {
    /// The one stream that all threads share.
    Legacy,
    /// The thread's own (`_ptsz`, `_ptds`).
    PerThread,
}

/// The legacy default stream, as a handle.
const LEGACY: Handle = 1;

/// The thread's own, as a handle.
const PER_THREAD: Handle = 2;

/// The priorities of streams: the least urgent, and the most urgent.
const PRIORITIES: (i32, i32) = (0, -5);

#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamState {
    pub(crate) stream: Stream,
    pub(crate) context: Handle,
    flags: u32,
    priority: i32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct EventState {
    event: Event,
    pub(crate) context: Handle,
    has_time: bool,
    /// When it was recorded last.
    recorded: Option<Instant>,
}

impl StreamState {
    /// Whether it and the legacy stream wait for each other.
    pub(crate) fn is_blocking(&self) -> bool {
        self.flags == 0
    }
}

/// The flags of events: blocking waits, no times, other processes.
const EVENT_FLAGS: u32 = 7;
const NO_TIME: u32 = 2;

impl Call<'_> {
    /// The stream that a handle means.
    ///
    /// # Errors
    /// There is none.
    pub fn stream(&mut self, handle: Handle, default: DefaultStream) -> Answer<Stream> {
        let context = self.context()?;
        match (handle, default) {
            (LEGACY, _) | (0, DefaultStream::Legacy) => Ok(Stream::DEFAULT),
            (PER_THREAD, _) | (0, DefaultStream::PerThread) => {
                if let Some(stream) = self.caller.streams.get(&context) {
                    return Ok(*stream);
                }
                let stream = self.state.device.stream(StreamKind::Blocking);
                let stream = stream.map_err(|error| refusal(self, &error))?;
                self.caller.streams.insert(context, stream);
                Ok(stream)
            }
            (handle, _) => Ok(self.known_stream(handle)?.stream),
        }
    }

    fn known_stream(&self, handle: Handle) -> Answer<StreamState> {
        let context = self.context()?;
        let stream = self.state.streams.get(&handle).filter(|s| s.context == context);
        stream.copied().ok_or(CudaError::InvalidHandle)
    }

    fn is_special(handle: Handle) -> bool {
        matches!(handle, 0 | LEGACY | PER_THREAD)
    }

    /// `cuStreamCreateWithPriority`. A priority beyond the range becomes the nearest in it.
    ///
    /// # Errors
    /// Unknown flags.
    pub fn create_stream(&mut self, flags: u32, priority: i32) -> Answer<Handle> {
        let context = self.context()?;
        let is_blocking = match flags {
            0 => true,
            1 => false,
            2.. => return Err(CudaError::InvalidValue),
        };
        let kind = if is_blocking { StreamKind::Blocking } else { StreamKind::NonBlocking };
        let idle = self.state.idle_streams.entry(is_blocking).or_default().pop();
        let stream = match idle {
            Some(stream) => stream,
            None => {
                let stream = self.state.device.stream(kind);
                stream.map_err(|error| refusal(self, &error))?
            }
        };
        let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
        let handle = self.state.handle(Kind::Stream);
        self.state.streams.insert(handle, StreamState { stream, context, flags, priority });
        Ok(handle)
    }

    /// `cuStreamDestroy`.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn destroy_stream(&mut self, handle: Handle) -> Answer<()> {
        self.context()?;
        let state = self.state.streams.remove(&handle).ok_or(CudaError::InvalidHandle)?;
        self.forget_captured(state.stream);
        self.state.stream_attributes.remove(&state.stream.number());
        // Earlier work in a stream orders later work. So a stream is used again only if the order
        // is not checked.
        if !self.state.options.check {
            self.state.idle_streams.entry(state.flags == 0).or_default().push(state.stream);
        }
        Ok(())
    }

    /// `cuStreamGetFlags`.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn stream_flags(&self, handle: Handle) -> Answer<u32> {
        match Call::is_special(handle) {
            true => self.context().map(|_| 0),
            false => Ok(self.known_stream(handle)?.flags),
        }
    }

    /// `cuStreamGetPriority`.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn stream_priority(&self, handle: Handle) -> Answer<i32> {
        match Call::is_special(handle) {
            true => self.context().map(|_| 0),
            false => Ok(self.known_stream(handle)?.priority),
        }
    }

    /// Sets what `cuStreamGetPriority` gives.
    ///
    /// # Errors
    /// There is no such stream, or it is one that the program did not make.
    pub(crate) fn set_stream_priority(&mut self, handle: Handle, priority: i32) -> Answer<()> {
        self.known_stream(handle)?;
        let state = self.state.streams.get_mut(&handle).ok_or(CudaError::InvalidHandle)?;
        state.priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
        Ok(())
    }

    /// `cuStreamGetCtx`.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn stream_context(&self, handle: Handle) -> Answer<Handle> {
        match Call::is_special(handle) {
            true => self.context(),
            false => Ok(self.known_stream(handle)?.context),
        }
    }

    /// `cuStreamGetId`: the number of the stream on the device.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn stream_number(&mut self, handle: Handle, default: DefaultStream) -> Answer<u64> {
        Ok(self.stream(handle, default)?.number() as u64)
    }

    /// `cuCtxGetStreamPriorityRange`: the least urgent, and the most urgent.
    ///
    /// # Errors
    /// No context is current.
    pub fn priorities(&self) -> Answer<(i32, i32)> {
        self.context().map(|_| PRIORITIES)
    }

    /// `cuStreamSynchronize`, and `cuStreamQuery`, which answers that all is done.
    ///
    /// # Errors
    /// The error of a launch, or there is no such stream.
    pub fn synchronise_stream(&mut self, handle: Handle, default: DefaultStream) -> Answer<()> {
        let context = self.context()?;
        let stream = self.stream(handle, default)?;
        self.refuse_captured(stream)?;
        self.look_at_host()?;
        self.wait_for_stream(stream, context)?;
        self.flush();
        Ok(())
    }

    /// The host waits for a stream, and for the one that the thread shares with it.
    pub(crate) fn wait_for_stream(&mut self, stream: Stream, context: Handle) -> Answer<()> {
        let ended = self.state.device.synchronise_stream(stream);
        let ended = ended.map_err(|error| refusal(self, &error))?;
        self.collect(ended);
        self.flush();
        self.waited(context)
    }

    /// `cuEventCreate`.
    ///
    /// # Errors
    /// Unknown flags.
    pub fn create_event(&mut self, flags: u32) -> Answer<Handle> {
        let context = self.context()?;
        if flags & !EVENT_FLAGS != 0 {
            return Err(CudaError::InvalidValue);
        }
        let event = match self.state.idle_events.pop() {
            Some(event) => event,
            None => {
                let event = self.state.device.event();
                event.map_err(|error| refusal(self, &error))?
            }
        };
        let has_time = flags & NO_TIME == 0;
        let handle = self.state.handle(Kind::Event);
        let state = EventState { event, context, has_time, recorded: None };
        self.state.events.insert(handle, state);
        Ok(handle)
    }

    /// `cuEventDestroy`.
    ///
    /// # Errors
    /// There is no such event.
    pub fn destroy_event(&mut self, handle: Handle) -> Answer<()> {
        self.context()?;
        let event = self.state.events.remove(&handle).ok_or(CudaError::InvalidHandle)?;
        self.state.graphs.captures.forget_event(handle);
        // A recorded event would keep its old meaning until it is recorded again.
        if event.recorded.is_none() {
            self.state.idle_events.push(event.event);
        }
        Ok(())
    }

    fn known_event(&self, handle: Handle) -> Answer<EventState> {
        self.context()?;
        self.state.events.get(&handle).copied().ok_or(CudaError::InvalidHandle)
    }

    /// `cuEventRecord`.
    ///
    /// # Errors
    /// There is no such event or stream, or they are of different contexts.
    pub fn record_event(
        &mut self,
        handle: Handle,
        stream: Handle,
        default: DefaultStream,
    ) -> Answer<()> {
        let state = self.known_event(handle)?;
        let context = self.context()?;
        let stream = self.stream(stream, default)?;
        if state.context != context {
            return Err(CudaError::InvalidHandle);
        }
        match self.capture_record(handle, stream)? {
            true => Ok(()),
            false => self.record_in(handle, stream),
        }
    }

    /// Records an event in a stream of the device.
    pub(crate) fn record_in(&mut self, handle: Handle, stream: Stream) -> Answer<()> {
        let state = self.known_event(handle)?;
        let recorded = self.state.device.record(state.event, stream);
        recorded.map_err(|error| refusal(self, &error))?;
        if let Some(state) = self.state.events.get_mut(&handle) {
            state.recorded = Some(Instant::now());
        }
        Ok(())
    }

    /// An event is done now, and not when it was recorded, because it was recorded behind functions
    /// of the program.
    pub fn passed(&mut self, handle: Handle) {
        if let Some(recorded) =
            self.state.events.get_mut(&handle).and_then(|state| state.recorded.as_mut())
        {
            *recorded = Instant::now();
        }
    }

    /// `cuStreamWaitEvent`.
    ///
    /// # Errors
    /// There is no such event or stream.
    pub fn wait_for_event(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        event: Handle,
    ) -> Answer<()> {
        self.known_event(event)?;
        let stream = self.stream(stream, default)?;
        match self.capture_wait(stream, event)? {
            true => Ok(()),
            false => self.wait_in(stream, event),
        }
    }

    /// A stream of the device waits for an event.
    pub(crate) fn wait_in(&mut self, stream: Stream, event: Handle) -> Answer<()> {
        let state = self.known_event(event)?;
        if state.recorded.is_none() {
            return Ok(());
        }
        let waited = self.state.device.wait(stream, state.event);
        waited.map_err(|error| refusal(self, &error))
    }

    /// `cuEventSynchronize`, and `cuEventQuery`, which answers that all is done.
    ///
    /// # Errors
    /// The error of a launch, or there is no such event.
    pub fn synchronise_event(&mut self, handle: Handle) -> Answer<()> {
        let state = self.known_event(handle)?;
        let context = self.context()?;
        self.refuse_captured_event(handle)?;
        self.look_at_host()?;
        if state.recorded.is_some() {
            let ended = self.state.device.synchronise_event(state.event);
            let ended = ended.map_err(|error| refusal(self, &error))?;
            self.collect(ended);
            self.flush();
        }
        self.waited(context)
    }

    /// `cuEventElapsedTime`, in milliseconds.
    ///
    /// # Errors
    /// One was not recorded, or has no time.
    pub fn elapsed(&self, start: Handle, end: Handle) -> Answer<f32> {
        let (start, end) = (self.known_event(start)?, self.known_event(end)?);
        match (start.recorded, end.recorded) {
            (Some(from), Some(to)) if start.has_time && end.has_time => {
                let forward = to.saturating_duration_since(from).as_secs_f64();
                let back = from.saturating_duration_since(to).as_secs_f64();
                Ok(((forward - back) * 1e3) as f32)
            }
            (Some(_) | None, Some(_) | None) => Err(CudaError::InvalidHandle),
        }
    }
}
