//! What the two processes say to each other: one request, one answer.
//!
//! A message is a head, which is a [`Request`] or an [`Answer`], and a body, which is bulk data as it
//! is: the bytes of an upload, or of a download.

use warpsim::host::{
    Argument, DeviceError, Download, Ended, Event, Launch, LaunchHandle, ModuleHandle, Pointer,
    Stream, StreamKind,
};
use warpsim::report::Report;

use super::wire::{Malformed, Unread, Wire, wire_enum, wire_struct};
use crate::error::GpuError;
use crate::probe::GpuFacts;

/// What must be equal at both ends.
pub(super) const VERSION: &str = concat!("warpsim-gpu ", env!("CARGO_PKG_VERSION"), " wire 1");

/// A kernel with all that a launch needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) module: ModuleHandle,
    pub(super) kernel: String,
    pub(super) launch: Launch,
    pub(super) arguments: Vec<Argument>,
}

wire_struct!(Call { module, kernel, launch, arguments });

/// What the child is asked for: the methods of [`warpsim::host::Device`], and a few more.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// The first request: opens the GPU. Answered by [`Answer::Opened`].
    Open {
        version: String,
        ordinal: u32,
    },
    Clear,
    Allocate {
        bytes: u64,
    },
    Free {
        pointer: Pointer,
    },
    /// The body is what is uploaded.
    Upload {
        to: Pointer,
    },
    Define {
        start: Pointer,
        bytes: u64,
    },
    /// The answer's body is what was downloaded.
    Download {
        from: Pointer,
        bytes: usize,
    },
    /// The module as text, and the optimisation level that is asked of the driver.
    Load {
        name: String,
        text: String,
        jit: Option<u8>,
    },
    Variable {
        module: ModuleHandle,
        name: String,
    },
    Launch {
        call: Call,
    },
    Stream {
        kind: StreamKind,
    },
    Event,
    LaunchOn {
        stream: Stream,
        call: Call,
    },
    /// The body is what is uploaded.
    UploadAsync {
        stream: Stream,
        to: Pointer,
    },
    DownloadAsync {
        stream: Stream,
        from: Pointer,
        bytes: usize,
    },
    /// The answer's body is what was downloaded.
    Fetch {
        download: Download,
    },
    Record {
        event: Event,
        stream: Stream,
    },
    Wait {
        stream: Stream,
        event: Event,
    },
    Synchronise,
    SynchroniseStream {
        stream: Stream,
    },
    SynchroniseEvent {
        event: Event,
    },
}

impl Request {
    /// Whether it is about nothing that was there before, so that any child can answer.
    pub(super) fn begins_anew(&self) -> bool {
        matches!(
            self,
            Request::Allocate { .. }
                | Request::Load { .. }
                | Request::Stream { .. }
                | Request::Event
        )
    }
}

wire_enum!(Request {
    0 => Open { version, ordinal },
    1 => Clear,
    2 => Allocate { bytes },
    3 => Free { pointer },
    4 => Upload { to },
    5 => Define { start, bytes },
    6 => Download { from, bytes },
    7 => Load { name, text, jit },
    8 => Variable { module, name },
    9 => Launch { call },
    10 => Stream { kind },
    11 => Event,
    12 => LaunchOn { stream, call },
    13 => UploadAsync { stream, to },
    14 => DownloadAsync { stream, from, bytes },
    15 => Fetch { download },
    16 => Record { event, stream },
    17 => Wait { stream, event },
    18 => Synchronise,
    19 => SynchroniseStream { stream },
    20 => SynchroniseEvent { event },
});

/// What the child answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    Opened {
        facts: GpuFacts,
    },
    /// The GPU cannot be opened, or cleared.
    Failed {
        error: GpuError,
    },
    /// The device refuses.
    Refused {
        error: DeviceError,
    },
    /// warpsim does not take the module, or the kernel: only a stand-in says that.
    NotLowered {
        words: String,
    },
    Done,
    Pointer {
        pointer: Pointer,
    },
    Variable {
        pointer: Pointer,
        bytes: u64,
    },
    Module {
        module: ModuleHandle,
    },
    Stream {
        stream: Stream,
    },
    Event {
        event: Event,
    },
    Launch {
        launch: LaunchHandle,
    },
    Copy {
        download: Download,
    },
    Report {
        report: Report,
    },
    Ended {
        ended: Vec<Ended>,
    },
}

wire_enum!(Answer {
    0 => Opened { facts },
    1 => Failed { error },
    2 => Refused { error },
    3 => NotLowered { words },
    4 => Done,
    5 => Pointer { pointer },
    6 => Variable { pointer, bytes },
    7 => Module { module },
    8 => Stream { stream },
    9 => Event { event },
    10 => Launch { launch },
    11 => Copy { download },
    12 => Report { report },
    13 => Ended { ended },
});
