//! The child does what its parent asks for, one request after the other, until the parent ends.
//!
//! A separate thread reads the requests. So it sees the end of the parent while the device is busy
//! with a kernel that never ends. Then the process has [`GRACE`] to end alone, and is aborted after
//! it. (Nothing milder works: the driver's own handlers at exit wait for the kernel.)

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use warpsim::host::{Device, DeviceError};
use warpsim::ptx;

use super::frames::{self, Frame};
use super::messages::{Answer, Call, Opened, Opening, Request};
use super::stand_in::{self, StandIn};
use super::transport::{self, Socket};
use super::wire::{Strange, decode, decode_first, encode, encode_first, encode_version};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::jit::JitLevel;
use crate::probe::GpuFacts;

/// How long a child may go on when its parent has ended.
const GRACE: Duration = Duration::from_secs(1);

/// A device that can be served: a GPU, or a simulator in place of one.
pub(crate) trait Serves: Device {
    /// Facts about it.
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
    let reader = thread::Builder::new().spawn(move || {
        read(&reading, &sender);
        drop(sender);
        thread::sleep(GRACE);
        // On purpose: the parent has ended, and nothing milder ends a kernel.
        std::process::abort();
    });
    // Without it the end of the parent would go unnoticed.
    if reader.is_err() {
        return 2;
    }
    match answer_all(&socket, &receiver) {
        Some(()) => 0,
        None => 2,
    }
}

/// Passes requests on until the parent ends, or sends something that is no request.
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
    let mut requests = requests.iter();
    let Some(first) = requests.next() else { return Some(()) };
    let mut opened = match decode_first(&first.ok()?.head) {
        Ok(Opening { ordinal }) => choose(ordinal),
        // The parent learns which version this is, and asks no more.
        Err(Strange::OtherVersion(_)) => {
            frames::send(&mut socket, &encode_version().ok()?, &[]).ok()?;
            return None;
        }
        Err(Strange::Malformed) => return None,
    };
    let facts: Opened = opened.as_ref().map(|device| device.facts()).map_err(Clone::clone);
    frames::send(&mut socket, &encode_first(&facts).ok()?, &[]).ok()?;
    let Ok(device) = &mut opened else { return Some(()) };
    for frame in requests {
        let Frame { head, body } = frame.ok()?;
        let (answer, bytes) = answer(device.as_mut(), decode(&head).ok()?, &body);
        let head = encode(&answer).or_else(|_| encode(&unsayable())).ok()?;
        if frames::send(&mut socket, &head, &bytes).is_err() {
            break;
        }
    }
    Some(())
}

/// The answer in place of one that cannot be sent, which should never happen.
fn unsayable() -> Answer {
    let words = "the answer cannot be sent to another process: a bug of warpsim";
    Answer::Refused { error: DeviceError::Driver(words.to_owned()) }
}

/// The stand-in when one is asked for, else the GPU.
fn choose(ordinal: u32) -> Result<Box<dyn Serves>, GpuError> {
    match std::env::var(stand_in::VARIABLE) {
        Ok(text) => Ok(Box::new(StandIn::open(&text, ordinal)?)),
        Err(_) => Ok(Box::new(Gpu::open(ordinal)?)),
    }
}

/// Carries out a request.
fn answer(device: &mut dyn Serves, request: Request, body: &[u8]) -> (Answer, Vec<u8>) {
    done(device, request, body).unwrap_or_else(|error| (refused(error), Vec::new()))
}

/// The answer, and the bytes with it.
fn done(
    device: &mut dyn Serves,
    request: Request,
    body: &[u8],
) -> Result<(Answer, Vec<u8>), DeviceError> {
    use Request as R;
    let just = |(): ()| Answer::Done;
    let answer = match request {
        R::Clear => match device.clear() {
            Ok(()) => Answer::Done,
            Err(error) => Answer::Failed { error },
        },
        R::Allocate { bytes } => Answer::Pointer { pointer: device.allocate(bytes)? },
        R::AllocateHost { bytes } => Answer::Pointer { pointer: device.allocate_host(bytes)? },
        R::HostWrite { to } => just(device.host_write(to, body)?),
        R::HostRead { from, bytes } => {
            let mut buffer = room(bytes)?;
            device.host_read(from, &mut buffer)?;
            return Ok((Answer::Done, buffer));
        }
        R::CopyAsync { stream, to, from, bytes } => {
            just(device.copy_async(stream, to, from, bytes)?)
        }
        R::Free { pointer } => just(device.free(pointer)?),
        R::Upload { to } => just(device.upload(to, body)?),
        R::Define { start, bytes } => just(device.define(start, bytes)?),
        R::Download { from, bytes } => {
            return Ok((Answer::Done, download(device, from, bytes)?));
        }
        R::Load { texts, jit } => load(device, &texts, jit)?,
        R::Variable { module, name } => {
            let (pointer, bytes) = device.variable(module, &name)?;
            Answer::Variable { pointer, bytes }
        }
        R::Launch { call: Call { module, kernel, launch, arguments } } => {
            Answer::Report { report: device.launch(module, &kernel, &launch, &arguments)? }
        }
        R::Texture { texels, sampler } => {
            Answer::Image { image: device.texture(&texels, sampler, body)? }
        }
        R::Surface { texels } => Answer::Image { image: device.surface(&texels, body)? },
        R::Stream { kind } => Answer::Stream { stream: device.stream(kind)? },
        R::Event => Answer::Event { event: device.event()? },
        R::LaunchOn { stream, call: Call { module, kernel, launch, arguments } } => {
            let launch = device.launch_on(stream, module, &kernel, &launch, &arguments)?;
            Answer::Launch { launch }
        }
        R::UploadAsync { stream, to } => just(device.upload_async(stream, to, body)?),
        R::DownloadAsync { stream, from, bytes } => {
            Answer::Copy { download: device.download_async(stream, from, bytes)? }
        }
        R::Fetch { download } => return Ok((Answer::Done, device.fetch(download)?)),
        R::Record { event, stream } => just(device.record(event, stream)?),
        R::Wait { stream, event } => just(device.wait(stream, event)?),
        R::Elapsed { start, end } => Answer::Elapsed { time: device.elapsed(start, end)? },
        R::Synchronise => Answer::Ended { ended: device.synchronise()? },
        R::SynchroniseStream { stream } => {
            Answer::Ended { ended: device.synchronise_stream(stream)? }
        }
        R::SynchroniseEvent { event } => Answer::Ended { ended: device.synchronise_event(event)? },
    };
    Ok((answer, Vec::new()))
}

fn refused(error: DeviceError) -> Answer {
    match error {
        DeviceError::Program(error) => Answer::NotLowered { words: error.to_string() },
        DeviceError::Pass(error) => {
            Answer::Refused { error: DeviceError::Driver(error.to_string()) }
        }
        error => Answer::Refused { error },
    }
}

fn download(
    device: &mut dyn Serves,
    from: warpsim::host::Pointer,
    bytes: usize,
) -> Result<Vec<u8>, DeviceError> {
    let mut buffer = room(bytes)?;
    device.download(from, &mut buffer)?;
    Ok(buffer)
}

/// Room for bytes on their way to the parent.
fn room(bytes: usize) -> Result<Vec<u8>, DeviceError> {
    let mut buffer = Vec::new();
    let no_room = |_| DeviceError::Driver(format!("no room for the {bytes} bytes of a download"));
    buffer.try_reserve_exact(bytes).map_err(no_room)?;
    buffer.resize(bytes, 0);
    Ok(buffer)
}

fn load(
    device: &mut dyn Serves,
    texts: &[(String, String)],
    jit: Option<u8>,
) -> Result<Answer, DeviceError> {
    let module = match texts {
        [(name, text)] => ptx::parse(name, text).map_err(|error| error.to_string()),
        texts => {
            let files: Vec<(&str, &[u8])> =
                texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
            ptx::link(&files).map_err(|error| error.to_string())
        }
    };
    let module = module.map_err(DeviceError::Driver)?;
    device.set_jit(JitLevel::from(jit));
    Ok(Answer::Module { module: device.load(&module)? })
}
