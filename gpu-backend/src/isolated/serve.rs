//! The child: does what its parent asks for, one request after the other, until the parent ends.
//!
//! A thread of its own reads the requests, so that the end of the parent is seen while the device is
//! busy with a kernel that never ends: then the process has [`GRACE`] to end by itself, and is
//! aborted after it. (Nothing milder does: the driver's own handlers at exit wait for the kernel.)

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use warpsim::host::{Device, DeviceError};
use warpsim::ptx;

use super::frames::{self, Frame};
use super::messages::{Answer, Call, Request, VERSION};
use super::stand_in::{self, StandIn};
use super::transport::{self, Socket};
use super::wire::{decode, encode};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::jit::JitLevel;
use crate::probe::GpuFacts;

/// How long a child may go on when its parent has ended.
const GRACE: Duration = Duration::from_secs(1);

/// A device that can be served: a GPU, or what stands in for one.
pub(crate) trait Serves: Device {
    /// What is known of it.
    fn facts(&self) -> GpuFacts;

    /// How the modules that are loaded from now on are compiled.
    fn set_jit(&mut self, level: JitLevel);

    /// Frees everything and unloads all modules.
    ///
    /// # Errors
    /// What the driver says.
    fn clear(&mut self) -> Result<(), GpuError>;
}

impl Serves for Gpu {
    fn facts(&self) -> GpuFacts {
        Gpu::facts(self).clone()
    }

    fn set_jit(&mut self, level: JitLevel) {
        Gpu::set_jit(self, level);
    }

    fn clear(&mut self) -> Result<(), GpuError> {
        Gpu::clear(self)
    }
}

/// Serves the parent until it ends; gives the process's exit code.
pub(super) fn serve() -> i32 {
    let Ok(socket) = transport::inherited() else { return 2 };
    let Ok(reading) = socket.try_clone() else { return 2 };
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        read(&reading, &sender);
        drop(sender);
        thread::sleep(GRACE);
        std::process::abort();
    });
    match answer_all(&socket, &receiver) {
        Some(()) => 0,
        None => 2,
    }
}

/// Passes requests on until the parent ends, or sends what is none.
fn read(mut socket: &Socket, to: &SyncSender<io::Result<Frame>>) {
    while let Some(frame) = frames::receive(&mut socket).transpose() {
        let is_last = frame.is_err();
        if to.send(frame).is_err() || is_last {
            break;
        }
    }
}

/// Answers requests until there are no more; `None` when one makes no sense.
fn answer_all(mut socket: &Socket, requests: &Receiver<io::Result<Frame>>) -> Option<()> {
    let mut device = None;
    for frame in requests {
        let Frame { head, body } = frame.ok()?;
        let request = decode(&head).ok()?;
        let (answer, bytes) = match (request, device.as_mut()) {
            (Request::Open { version, ordinal }, None) => {
                (open(&version, ordinal, &mut device)?, Vec::new())
            }
            (request, Some(device)) => answer(device.as_mut(), request, &body),
            (_, None) => return None,
        };
        if frames::send(&mut socket, &encode(&answer), &bytes).is_err() {
            break;
        }
    }
    Some(())
}

/// Opens what is asked for; `None` when the parent is of another version.
fn open(version: &str, ordinal: u32, device: &mut Option<Box<dyn Serves>>) -> Option<Answer> {
    if version != VERSION {
        return None;
    }
    match choose(ordinal) {
        Ok(opened) => {
            let facts = opened.facts();
            *device = Some(opened);
            Some(Answer::Opened { facts })
        }
        Err(error) => Some(Answer::Failed { error }),
    }
}

/// The stand-in when one is asked for, else the GPU.
fn choose(ordinal: u32) -> Result<Box<dyn Serves>, GpuError> {
    match std::env::var(stand_in::VARIABLE) {
        Ok(text) => Ok(Box::new(StandIn::open(&text, ordinal)?)),
        Err(_) => Ok(Box::new(Gpu::open(ordinal)?)),
    }
}

/// Does what is asked for.
fn answer(device: &mut dyn Serves, request: Request, body: &[u8]) -> (Answer, Vec<u8>) {
    let done = match request {
        Request::Clear => {
            let cleared = device.clear();
            Ok(cleared.map_or_else(|error| Answer::Failed { error }, |()| Answer::Done))
        }
        Request::Download { from, bytes } => return with_bytes(download(device, from, bytes)),
        Request::Fetch { download } => return with_bytes(device.fetch(download)),
        Request::Load { name, text, jit } => load(device, &name, &text, jit),
        request => memory(device, request, body),
    };
    (done.unwrap_or_else(refused), Vec::new())
}

/// What is about memory and modules.
fn memory(device: &mut dyn Serves, request: Request, body: &[u8]) -> Result<Answer, DeviceError> {
    Ok(match request {
        Request::Allocate { bytes } => Answer::Pointer { pointer: device.allocate(bytes)? },
        Request::Free { pointer } => done(device.free(pointer)?),
        Request::Upload { to } => done(device.upload(to, body)?),
        Request::Define { start, bytes } => done(device.define(start, bytes)?),
        Request::Variable { module, name } => {
            let (pointer, bytes) = device.variable(module, &name)?;
            Answer::Variable { pointer, bytes }
        }
        Request::Launch { call: Call { module, kernel, launch, arguments } } => {
            Answer::Report { report: device.launch(module, &kernel, &launch, &arguments)? }
        }
        request => streams(device, request, body)?,
    })
}

/// What is about streams and events.
fn streams(device: &mut dyn Serves, request: Request, body: &[u8]) -> Result<Answer, DeviceError> {
    Ok(match request {
        Request::Stream { kind } => Answer::Stream { stream: device.stream(kind)? },
        Request::Event => Answer::Event { event: device.event()? },
        Request::LaunchOn { stream, call: Call { module, kernel, launch, arguments } } => {
            let launch = device.launch_on(stream, module, &kernel, &launch, &arguments)?;
            Answer::Launch { launch }
        }
        Request::UploadAsync { stream, to } => done(device.upload_async(stream, to, body)?),
        Request::DownloadAsync { stream, from, bytes } => {
            Answer::Copy { download: device.download_async(stream, from, bytes)? }
        }
        Request::Record { event, stream } => done(device.record(event, stream)?),
        Request::Wait { stream, event } => done(device.wait(stream, event)?),
        Request::Synchronise => Answer::Ended { ended: device.synchronise()? },
        Request::SynchroniseStream { stream } => {
            Answer::Ended { ended: device.synchronise_stream(stream)? }
        }
        Request::SynchroniseEvent { event } => {
            Answer::Ended { ended: device.synchronise_event(event)? }
        }
        _ => Answer::Refused { error: DeviceError::NotSupported { what: "opening twice" } },
    })
}

fn done((): ()) -> Answer {
    Answer::Done
}

fn refused(error: DeviceError) -> Answer {
    match error {
        DeviceError::Program(error) => Answer::NotLowered { words: error.to_string() },
        error => Answer::Refused { error },
    }
}

fn with_bytes(bytes: Result<Vec<u8>, DeviceError>) -> (Answer, Vec<u8>) {
    match bytes {
        Ok(bytes) => (Answer::Done, bytes),
        Err(error) => (refused(error), Vec::new()),
    }
}

fn download(
    device: &mut dyn Serves,
    from: warpsim::host::Pointer,
    bytes: usize,
) -> Result<Vec<u8>, DeviceError> {
    let mut buffer = Vec::new();
    let no_room = |_| DeviceError::Driver(format!("no room for the {bytes} bytes of a download"));
    buffer.try_reserve_exact(bytes).map_err(no_room)?;
    buffer.resize(bytes, 0);
    device.download(from, &mut buffer)?;
    Ok(buffer)
}

fn load(
    device: &mut dyn Serves,
    name: &str,
    text: &str,
    jit: Option<u8>,
) -> Result<Answer, DeviceError> {
    let module = ptx::parse(name, text).map_err(|error| DeviceError::Driver(error.to_string()))?;
    device.set_jit(JitLevel::from(jit));
    Ok(Answer::Module { module: device.load(&module)? })
}
