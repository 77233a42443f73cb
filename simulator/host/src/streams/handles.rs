//! What host code holds of streams, events and operations in flight.

use crate::report::Report;

/// A stream of a device: a queue of operations, which happen in the order of issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stream(pub(crate) usize);

impl Stream {
    /// The default stream, with CUDA's legacy behaviour. Its operations happen after all earlier
    /// operations of blocking streams, and before all later ones.
    pub const DEFAULT: Stream = Stream(0);

    /// A handle for the stream with this number, 0 being the default stream; for implementations of
    /// [`super::super::Device`].
    pub fn new(number: usize) -> Stream {
        Stream(number)
    }

    /// The number it was made from.
    pub fn number(self) -> usize {
        self.0
    }
}

/// Whether a stream and the default stream wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StreamKind {
    /// They do (`CU_STREAM_DEFAULT`).
    #[default]
    Blocking,
    /// They do not (`CU_STREAM_NON_BLOCKING`).
    NonBlocking,
}

/// An event: recorded in a stream, it covers all operations issued to the stream before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event(pub(crate) usize);

impl Event {
    /// A handle for the event with this number; for implementations of [`super::super::Device`].
    pub fn new(number: usize) -> Event {
        Event(number)
    }

    /// The number it was made from.
    pub fn number(self) -> usize {
        self.0
    }
}

/// A launch that was issued to a stream; [`Ended`] says how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LaunchHandle(pub(crate) u64);

impl LaunchHandle {
    /// A handle for the launch with this number; for implementations of [`super::super::Device`].
    pub fn new(number: u64) -> LaunchHandle {
        LaunchHandle(number)
    }

    /// The number it was made from.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A copy from the device that was issued to a stream. Its bytes can be fetched once, when the host
/// has waited for the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Download(pub(crate) u64);

impl Download {
    /// A handle for the copy with this number; for implementations of [`super::super::Device`].
    pub fn new(number: u64) -> Download {
        Download(number)
    }

    /// The number it was made from.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A launch that the host has waited for.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ended {
    /// Which.
    pub launch: LaunchHandle,
    /// The kernel's name.
    pub kernel: String,
    /// Its report.
    pub report: Report,
}

/// The order in which the simulator carries out operations that streams and events leave unordered.
/// Hardware may choose either. They are opposites, so that a program that lacks a synchronisation
/// goes wrong under one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StreamOrder {
    /// Each operation when it is issued.
    #[default]
    AsIssued,
    /// As late as possible, and the one issued last first: nothing happens before the host waits
    /// for something.
    Reversed,
}
