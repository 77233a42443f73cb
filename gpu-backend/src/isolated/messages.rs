//! The messages of the two processes: one request, one answer. The first are an [`Opening`] and its
//! result, all others [`Request`]s and [`Answer`]s.
//!
//! A message has a head, which is a [`Request`] or an [`Answer`], and a body of raw data: the bytes
//! of an upload, or of a download.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use warpsim::host::{
    Argument, DeviceError, Download, Ended, Event, ImageHandle, Launch, LaunchHandle, ModuleHandle,
    Pointer, Sampler, Stream, StreamKind, Texels,
};
use warpsim::report::Report;

use crate::error::GpuError;
use crate::probe::GpuFacts;

/// The first request: which GPU to open.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Opening {
    pub(super) ordinal: u32,
}

/// The first answer: facts about the GPU, or why it cannot be opened.
pub(super) type Opened = Result<GpuFacts, GpuError>;

/// A kernel with all that a launch needs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Call {
    pub(super) module: ModuleHandle,
    pub(super) kernel: String,
    pub(super) launch: Launch,
    pub(super) arguments: Vec<Argument>,
}

/// What the child is asked for: the methods of [`warpsim::host::Device`], and a few more.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) enum Request {
    Clear,
    Allocate {
        bytes: u64,
    },
    AllocateHost {
        bytes: u64,
    },
    /// The body has the bytes that the host writes.
    HostWrite {
        to: Pointer,
    },
    /// The answer's body has the bytes that the host reads.
    HostRead {
        from: Pointer,
        bytes: usize,
    },
    CopyAsync {
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    },
    Free {
        pointer: Pointer,
    },
    /// The body has the bytes to upload.
    Upload {
        to: Pointer,
    },
    Define {
        start: Pointer,
        bytes: u64,
    },
    /// The answer's body has the downloaded bytes.
    Download {
        from: Pointer,
        bytes: usize,
    },
    /// The module as text, or the texts that it is linked of, each with its name, and the
    /// optimisation level that is asked of the driver.
    Load {
        texts: Vec<(String, String)>,
        jit: Option<u8>,
    },
    Variable {
        module: ModuleHandle,
        name: String,
    },
    Launch {
        call: Call,
    },
    /// The body has the contents of the texels.
    Texture {
        texels: Texels,
        sampler: Sampler,
    },
    /// The body has the contents of the texels.
    Surface {
        texels: Texels,
    },
    Stream {
        kind: StreamKind,
    },
    Event,
    LaunchOn {
        stream: Stream,
        call: Call,
    },
    /// The body has the bytes to upload.
    UploadAsync {
        stream: Stream,
        to: Pointer,
    },
    DownloadAsync {
        stream: Stream,
        from: Pointer,
        bytes: usize,
    },
    /// The answer's body has the downloaded bytes.
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
    Elapsed {
        start: Event,
        end: Event,
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
                | Request::AllocateHost { .. }
                | Request::Load { .. }
                | Request::Texture { .. }
                | Request::Surface { .. }
                | Request::Stream { .. }
                | Request::Event
        )
    }
}

/// What the child answers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) enum Answer {
    /// The GPU cannot be cleared.
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
    Image {
        image: ImageHandle,
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
    Elapsed {
        time: Duration,
    },
}
