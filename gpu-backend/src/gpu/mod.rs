//! A GPU in this process, as a [`Device`] (CUDA driver API).
//!
//! It refuses the same requests as the simulator, before it asks the driver: unknown kernels,
//! arguments that do not fit, bytes outside of allocations, streams that were never made. Hardware
//! makes these differences:
//! - fresh memory holds its old contents, and shared memory what the block before left;
//! - an access outside of memory is a fault only where the hardware notices, and then names no
//!   thread;
//! - a fault ruins the context: the launch's outcome is
//!   [`Outcome::Fault`](warpsim::report::Outcome::Fault), and every later request to this device is
//!   [`DeviceError::Lost`]. The wait for a launch that never ends lasts for ever.
//!   [`crate::Isolated`] puts a process around that;
//! - a fault of a launch in another stream is reported by the first wait, as a fault of the launch
//!   that is waited for;
//! - the texels of textures and surfaces lie in arrays of the driver's own layout. A download first
//!   updates the memory that represents them, and an upload to that memory updates the texels.
//!   Copies in streams from and to it are refused;
//! - nothing is counted: [`Report::counts`] are zeros.

mod images;
mod memory;
mod module;
mod outcome;
mod streams;
mod text;

pub(crate) use text::{lacking, newest_version};

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use warpsim::host::{
    Argument, Device, DeviceError, Download, Ended, Event, ImageHandle, Launch, LaunchHandle,
    ModuleHandle, Pointer, Sampler, Stream, StreamKind, StreamLedger, Texels,
};
use warpsim::ptx::Module;
use warpsim::report::Report;

use crate::error::GpuError;
use crate::ffi::{
    self, Attribute, HostMemory, Pinned, RawContext, RawDevice, RawEvent, RawImage, RawStream,
};
use crate::jit::JitLevel;
use crate::probe::{self, GpuFacts};
use memory::Allocations;
use module::{Limits, Loaded};

/// A GPU that this process drives. One thread uses it. When it is dropped, what was issued is
/// waited for, and what was allocated and loaded is given back.
///
/// ```
/// use warpsim::host::{Argument, Device, Launch};
/// use warpsim_gpu::Gpu;
///
/// let text = ".version 7.0 .target sm_70 .address_size 64
///     .visible .entry lanes(.param .u64 out) {
///       .reg .u64 %p, %o; .reg .u32 %t;
///       ld.param.u64 %p, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;
///       st.global.u32 [%p], %t; ret;
///     }";
/// match Gpu::open(0) {
///     Ok(mut gpu) => {
///         let module = gpu.load(&warpsim::ptx::parse("lanes.ptx", text)?)?;
///         let out = gpu.allocate(128)?;
///         gpu.launch(module, "lanes", &Launch::new(1, 32), &[Argument::Pointer(out)])?;
///         let mut bytes = [0; 128];
///         gpu.download(out, &mut bytes)?;
///         assert_eq!(bytes[124..], 31_u32.to_le_bytes());
///     }
///     Err(error) => println!("{error}"), // no NVIDIA driver found (libcuda)
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Gpu {
    facts: GpuFacts,
    context: RawContext,
    limits: Limits,
    jit: JitLevel,
    allocations: Allocations,
    modules: Vec<Loaded>,
    ledger: StreamLedger,
    streams: Vec<Rc<RawStream>>,
    events: Vec<RawEvent>,
    copies: BTreeMap<u64, Pinned>,
    /// Page-locked bytes on their way to the device.
    uploads: Vec<Pinned>,
    /// Page-locked memory of host code, by where it begins.
    page_locked: BTreeMap<u64, HostMemory>,
    /// Textures and surfaces, by where the memory of their texels begins.
    images: BTreeMap<u64, RawImage>,
    /// A launch faulted, and the context is gone.
    is_lost: bool,
}

impl Gpu {
    /// Opens the GPU with this number, from 0.
    ///
    /// # Errors
    /// There is no driver, no such GPU, or what the driver says.
    pub fn open(ordinal: u32) -> Result<Gpu, GpuError> {
        let gpus = probe::gpus()?;
        let count = gpus.len() as u32;
        let facts = gpus.into_iter().nth(ordinal as usize);
        let facts = facts.ok_or(GpuError::NoGpu { ordinal, count })?;
        let device = RawDevice::get(ordinal)?;
        let context = device.context()?;
        context.enter()?;
        let limits = Limits {
            threads_per_block: device.attribute(Attribute::ThreadsPerBlock)?,
            shared_per_block: facts.shared_per_block,
        };
        Ok(Gpu {
            facts,
            context,
            limits,
            jit: JitLevel::Default,
            allocations: Allocations::default(),
            modules: Vec::new(),
            ledger: StreamLedger::default(),
            streams: vec![Rc::new(RawStream::default_stream())],
            events: Vec::new(),
            copies: BTreeMap::new(),
            uploads: Vec::new(),
            page_locked: BTreeMap::new(),
            images: BTreeMap::new(),
            is_lost: false,
        })
    }

    /// The known facts about the GPU.
    pub fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    /// How the modules that are loaded from now on are compiled.
    pub fn set_jit(&mut self, level: JitLevel) {
        self.jit = level;
    }

    /// Frees everything that was allocated and unloads all modules; handles of both become invalid.
    ///
    /// # Errors
    /// What the driver says.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        self.context.enter()?;
        ffi::synchronise()?;
        self.uploads.clear();
        self.copies.clear();
        self.events.clear();
        self.streams.truncate(1);
        self.modules.clear();
        self.images.clear();
        self.ledger = StreamLedger::default();
        let page_locked = std::mem::take(&mut self.page_locked);
        for (start, _) in std::mem::take(&mut self.allocations) {
            if !page_locked.contains_key(&start) {
                ffi::free(start)?;
            }
        }
        Ok(())
    }

    /// Refuses everything once the context is gone; else makes it this thread's, which another
    /// GPU's may be.
    fn alive(&self) -> Result<(), DeviceError> {
        match self.is_lost {
            true => Err(DeviceError::Lost),
            false => self.context.enter().map_err(|e| outcome::in_words(&e)),
        }
    }

    fn module(&self, handle: ModuleHandle) -> Result<&Loaded, DeviceError> {
        self.modules.get(handle.number()).ok_or(DeviceError::UnknownModule)
    }

    fn raw_stream(&self, stream: Stream) -> Result<&Rc<RawStream>, DeviceError> {
        self.streams
            .get(stream.number())
            .ok_or(DeviceError::UnknownHandle { what: "stream".into() })
    }

    fn raw_event(&self, event: Event) -> Result<&RawEvent, DeviceError> {
        self.events.get(event.number()).ok_or(DeviceError::UnknownHandle { what: "event".into() })
    }

    /// The error of a call that waits for launches, in words. If the context is gone after it, that
    /// is remembered.
    fn refused(&mut self, error: &GpuError) -> DeviceError {
        self.is_lost |= outcome::is_fault(error);
        outcome::in_words(error)
    }

    /// Issues a launch, checked.
    fn issue(
        &mut self,
        stream: Stream,
        (module, kernel): (ModuleHandle, &str),
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let raw = Rc::clone(self.raw_stream(stream)?);
        let loaded = self.module(module)?;
        let mut packed = loaded.packed(kernel, arguments)?;
        self.limits.check(launch)?;
        let function = loaded.function(kernel).map_err(|e| outcome::in_words(&e))?;
        self.limits.check_kernel(&function, launch)?;
        let issued = function
            .allow_shared(launch.shared)
            .and_then(|()| function.launch(launch, &raw, &mut packed));
        issued.map_err(|error| match outcome::is_impossible_launch(&error) {
            true => DeviceError::ImpossibleLaunch { reason: error.to_string() },
            false => self.refused(&error),
        })
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if !self.is_lost {
            // There is no caller to receive an error, and the end of the process frees the rest.
            let _ = self.clear();
        }
    }
}

impl Device for Gpu {
    fn name(&self) -> String {
        self.facts.name.clone()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.alive()?;
        // The driver has no allocation of zero bytes.
        let wanted = usize::try_from(bytes.max(1)).unwrap_or(usize::MAX);
        match ffi::allocate(wanted) {
            Ok(start) => {
                self.allocations.insert(start, bytes);
                Ok(Pointer(start))
            }
            Err(error) if outcome::is_out_of_memory(&error) => Err(DeviceError::OutOfMemory {
                requested: bytes,
                available: ffi::free_memory().unwrap_or(0),
            }),
            Err(error) => Err(self.refused(&error)),
        }
    }

    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.alive()?;
        let wanted = usize::try_from(bytes).unwrap_or(usize::MAX);
        let memory = HostMemory::new(wanted).map_err(|e| self.refused(&e))?;
        let start = memory.address();
        self.allocations.insert(start, bytes);
        self.page_locked.insert(start, memory);
        Ok(Pointer(start))
    }

    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.alive()?;
        let (memory, offset) = self.page_locked(to, bytes.len() as u64)?;
        memory.write(offset, bytes);
        Ok(())
    }

    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.alive()?;
        let (memory, offset) = self.page_locked(from, into.len() as u64)?;
        memory.read(offset, into);
        Ok(())
    }

    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.alive()?;
        self.find(to, bytes)?;
        self.find(from, bytes)?;
        self.check_plain(to)?;
        self.check_plain(from)?;
        let raw = Rc::clone(self.raw_stream(stream)?);
        if bytes > 0 {
            ffi::copy(&raw, to.0, from.0, bytes as usize).map_err(|e| self.refused(&e))?;
        }
        self.ledger.copy(stream, to, from, bytes)
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.alive()?;
        let bytes = self.allocations.freeable(pointer)?;
        self.ledger.check_unused(pointer, bytes)?;
        self.images.remove(&pointer.0);
        match self.page_locked.remove(&pointer.0) {
            Some(memory) => drop(memory),
            None => ffi::free(pointer.0).map_err(|e| self.refused(&e))?,
        }
        self.allocations.freed(pointer);
        Ok(())
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.alive()?;
        self.find(to, bytes.len() as u64)?;
        if !bytes.is_empty() {
            // Bytes that are not written now stay as kernels left them.
            self.read_image(to)?;
            ffi::upload(to.0, bytes).map_err(|e| self.refused(&e))?;
            self.write_image(to)?;
        }
        self.ledger.acted_and_waited();
        Ok(())
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.alive()?;
        self.find(from, into.len() as u64)?;
        if !into.is_empty() {
            self.read_image(from)?;
            ffi::download(from.0, into).map_err(|e| self.refused(&e))?;
        }
        self.ledger.acted_and_waited();
        Ok(())
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        self.alive()?;
        let texts = text::texts_for(module, &self.facts);
        let loaded = Loaded::new(module, &texts, self.jit)
            .map_err(|e| self.refused(&text::explained(e, module, &self.facts)))?;
        self.modules.push(loaded);
        Ok(ModuleHandle::new(self.modules.len() - 1))
    }

    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        self.alive()?;
        self.module(module)?.variable(name)
    }

    fn launch(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Report, DeviceError> {
        self.alive()?;
        let default = Stream::DEFAULT;
        self.issue(default, (module, kernel), launch, arguments)?;
        let entered = self.ledger.launch(default, kernel, arguments)?;
        let ended = self.raw_stream(default)?.synchronise();
        let report = self.report(ended)?;
        self.ledger.waited_for(entered);
        Ok(report)
    }

    fn texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        self.image(texels, bytes, || RawImage::texture(texels, &sampler))
    }

    fn surface(&mut self, texels: &Texels, bytes: &[u8]) -> Result<ImageHandle, DeviceError> {
        self.image(texels, bytes, || RawImage::surface(texels))
    }

    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        self.alive()?;
        let raw = RawStream::new(kind == StreamKind::NonBlocking);
        let raw = raw.map_err(|e| self.refused(&e))?;
        self.streams.push(Rc::new(raw));
        Ok(self.ledger.stream(kind))
    }

    fn event(&mut self) -> Result<Event, DeviceError> {
        self.alive()?;
        let raw = RawEvent::timed().map_err(|e| self.refused(&e))?;
        self.events.push(raw);
        Ok(self.ledger.event())
    }

    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        self.alive()?;
        self.issue(stream, (module, kernel), launch, arguments)?;
        self.ledger.launch(stream, kernel, arguments)
    }

    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.alive()?;
        self.find(to, bytes.len() as u64)?;
        self.check_plain(to)?;
        let raw = Rc::clone(self.raw_stream(stream)?);
        let pinned = Pinned::upload(&raw, to.0, bytes).map_err(|e| self.refused(&e))?;
        self.uploads.push(pinned);
        self.ledger.upload(stream, to, bytes)
    }

    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        self.alive()?;
        self.find(from, bytes as u64)?;
        self.check_plain(from)?;
        let raw = Rc::clone(self.raw_stream(stream)?);
        let pinned = Pinned::download(&raw, from.0, bytes).map_err(|e| self.refused(&e))?;
        let download = self.ledger.download(stream, from, bytes)?;
        self.copies.insert(download.number(), pinned);
        Ok(download)
    }

    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        self.alive()?;
        self.ledger.fetch(download)?;
        let pinned = self.copies.remove(&download.number());
        let pinned = pinned.ok_or(DeviceError::UnknownHandle { what: "copy".into() })?;
        pinned.into_bytes().map_err(|e| self.refused(&e))
    }

    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        self.alive()?;
        let raw = Rc::clone(self.raw_stream(stream)?);
        self.raw_event(event)?.record(&raw).map_err(|e| outcome::in_words(&e))?;
        self.ledger.record(event, stream)
    }

    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        self.alive()?;
        let raw = Rc::clone(self.raw_stream(stream)?);
        raw.wait(self.raw_event(event)?).map_err(|e| outcome::in_words(&e))?;
        self.ledger.wait(stream, event)
    }

    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        self.alive()?;
        self.ledger.check_reached(start)?;
        self.ledger.check_reached(end)?;
        let milliseconds = self.raw_event(end)?.since(self.raw_event(start)?);
        let milliseconds = milliseconds.map_err(|e| self.refused(&e))?;
        // A driver gives no time below 0 and none that is no number; either would be no time.
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }

    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        self.alive()?;
        let ended = ffi::synchronise();
        let report = self.report(ended)?;
        let known = self.ledger.synchronised();
        Ok(streams::with_report(known, &report))
    }

    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        self.alive()?;
        let ended = self.raw_stream(stream)?.synchronise();
        let report = self.report(ended)?;
        let known = self.ledger.synchronised_stream(stream)?;
        Ok(streams::with_report(known, &report))
    }

    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        self.alive()?;
        let ended = self.raw_event(event)?.synchronise();
        let report = self.report(ended)?;
        let known = self.ledger.synchronised_event(event)?;
        Ok(streams::with_report(known, &report))
    }
}
