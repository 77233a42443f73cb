//! The clocks of the host, the streams and the events.
//!
//! Rules, each from the CUDA driver API's documentation:
//! - Operations of one stream happen in the order of issue, and after what the host did, or had
//!   waited for, before it issued them.
//! - An action in the (legacy) default stream happens after everything issued to blocking streams
//!   before it, and before everything issued to them later. Non-blocking streams take no part.
//! - An event covers the operations that its stream held when it was last recorded. A stream that
//!   waits for an event goes on after them. Recording the event again later changes nothing about
//!   it. Waiting for an event that was never recorded waits for nothing.
//! - The host that synchronises a stream, an event or the device goes on after what they held.
//!
//! Deviation: synchronising the default stream waits for its operations, and so for whatever they
//! waited for, but not for later work of blocking streams. The documentation does not promise that.
//! A program that relies on it gets a report that it lacks a synchronisation.

use std::collections::BTreeSet;

use crate::DeviceError;
use crate::observe::{Clock, OperationId, Order};

/// A stream: whether it and the default stream wait for each other, and what has happened when its
/// next operation begins, as far as the stream itself sees to it.
#[derive(Clone, Debug, Default)]
struct Line {
    is_blocking: bool,
    clock: Clock,
}

/// The clocks of a device.
#[derive(Clone, Debug)]
pub(crate) struct Timelines {
    host: Clock,
    /// By timeline, less one: the host has no line.
    streams: Vec<Line>,
    /// Blocking streams with operations issued since the default stream last waited for them all.
    ahead_of_default: BTreeSet<usize>,
    /// Streams with operations issued since the host last waited for all.
    ahead_of_host: BTreeSet<usize>,
    /// `None` for an event that was never recorded.
    events: Vec<Option<Clock>>,
    issued: u64,
}

impl Default for Timelines {
    fn default() -> Timelines {
        let default_stream = Line { is_blocking: false, clock: Clock::default() };
        Timelines {
            host: Clock::default(),
            streams: vec![default_stream],
            ahead_of_default: BTreeSet::new(),
            ahead_of_host: BTreeSet::new(),
            events: Vec::new(),
            issued: 0,
        }
    }
}

/// Where the default stream is among the streams.
const DEFAULT: usize = 0;

impl Timelines {
    /// A new stream's index among the streams.
    pub(crate) fn stream(&mut self, is_blocking: bool) -> usize {
        self.streams.push(Line { is_blocking, clock: Clock::default() });
        self.streams.len() - 1
    }

    /// A new event's index.
    pub(crate) fn event(&mut self) -> usize {
        self.events.push(None);
        self.events.len() - 1
    }

    /// How many operations there were.
    pub(crate) fn issued(&self) -> u64 {
        self.issued
    }

    /// How many streams there are, the default stream included.
    pub(crate) fn streams(&self) -> usize {
        self.streams.len()
    }

    /// How many events there are.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// What the host knows to have happened.
    pub(crate) fn host(&self) -> &Clock {
        &self.host
    }

    /// Something that the host does itself.
    pub(crate) fn by_host(&mut self) -> Order {
        let operation = self.next(OperationId::HOST);
        let order = Order::new(operation, self.host.clone());
        self.host.set(operation);
        order
    }

    /// The host issues an operation to a stream.
    pub(crate) fn issue(&mut self, stream: usize) -> Order {
        self.act(stream);
        let operation = self.next(stream as u32 + 1);
        let clock = &mut self.streams[stream].clock;
        let order = Order::new(operation, clock.clone());
        clock.set(operation);
        order
    }

    /// An event is recorded in a stream.
    pub(crate) fn record(&mut self, event: usize, stream: usize) {
        self.act(stream);
        self.events[event] = Some(self.streams[stream].clock.clone());
    }

    /// A stream waits for an event.
    pub(crate) fn wait(&mut self, stream: usize, event: usize) {
        self.act(stream);
        let Timelines { streams, events, .. } = self;
        if let Some(clock) = &events[event] {
            streams[stream].clock.join(clock);
        }
    }

    /// The clock of an event that the host has waited for.
    pub(crate) fn reached(&self, event: usize) -> Result<&Clock, DeviceError> {
        match self.events.get(event) {
            Some(Some(clock)) if self.host.has_all(clock) => Ok(clock),
            Some(Some(_)) => Err(DeviceError::EventPending),
            Some(None) => Err(DeviceError::UnknownHandle { what: "recorded event".into() }),
            None => Err(DeviceError::UnknownHandle { what: "event".into() }),
        }
    }

    /// The host waits for all streams.
    pub(crate) fn synchronise(&mut self) {
        for stream in std::mem::take(&mut self.ahead_of_host) {
            self.host.join(&self.streams[stream].clock);
        }
    }

    /// The host waits for a stream.
    pub(crate) fn synchronise_stream(&mut self, stream: usize) {
        self.host.join(&self.streams[stream].clock);
    }

    /// The host waits for an event.
    pub(crate) fn synchronise_event(&mut self, event: usize) {
        if let Some(clock) = &self.events[event] {
            self.host.join(clock);
        }
    }

    /// The operations that precede any action that is issued to a stream now.
    fn act(&mut self, stream: usize) {
        let mut clock = std::mem::take(&mut self.streams[stream].clock);
        clock.join(&self.host);
        if stream == DEFAULT {
            for ahead in std::mem::take(&mut self.ahead_of_default) {
                clock.join(&self.streams[ahead].clock);
            }
        } else if self.streams[stream].is_blocking {
            clock.join(&self.streams[DEFAULT].clock);
            self.ahead_of_default.insert(stream);
        }
        self.ahead_of_host.insert(stream);
        self.streams[stream].clock = clock;
    }

    fn next(&mut self, timeline: u32) -> OperationId {
        self.issued += 1;
        OperationId { number: self.issued, timeline }
    }
}
