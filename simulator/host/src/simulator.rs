//! The simulator as a [`Device`]: memory, modules and launches on the CPU.

mod children;
mod launching;
mod mending;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::checking::Request;
use super::device::{Argument, Device, ModuleHandle, Pointer};
use super::error::DeviceError;
use super::images::{ImageHandle, Sampler, Texels};
use super::memory::constant_address;
use super::parameters::kernel_named;
use super::settings::Settings;
use super::stepper::Stepper;
use super::streams::{Download, Ended, Event, LaunchHandle, Queue, Stream, StreamKind};
use super::unwritten::UnwrittenMemory;
use crate::check::Analyses;
use crate::launch::Launch;
use crate::lower::{self, Layout, Placement, Program};
use crate::machine::{DeviceProfile, GlobalMemory, ImageObject, Images, Leftovers, Pages};
use crate::names;
use crate::observe::{Clock, Observer, OperationId};
use crate::ptx::{Module, Space};
use crate::report::Report;
pub(super) use launching::Finished;

/// A simulated GPU.
///
/// ```
/// use warpsim::host::{Argument, Device, Launch, Simulator};
///
/// let text = "
///     .version 7.0 .target sm_70 .address_size 64
///     .visible .entry twice(.param .u64 p) {
///       .reg .u64 %a, %o; .reg .u32 %t, %v;
///       ld.param.u64 %a, [p];
///       mov.u32 %t, %tid.x;
///       mul.wide.u32 %o, %t, 4;
///       add.u64 %a, %a, %o;
///       ld.global.u32 %v, [%a];
///       add.u32 %v, %v, %v;
///       st.global.u32 [%a], %v;
///       ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("twice.ptx", text)?)?;
/// let buffer = gpu.allocate(8)?;
/// gpu.upload(buffer, &[1, 0, 0, 0, 21, 0, 0, 0])?;
/// gpu.launch(module, "twice", &Launch::new(1, 2), &[Argument::Pointer(buffer)])?;
/// let mut out = [0; 8];
/// gpu.download(buffer, &mut out)?;
/// assert_eq!(out, [2, 0, 0, 0, 42, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Simulator {
    profile: DeviceProfile,
    settings: Settings,
    pub(super) global: GlobalMemory,
    pub(super) unwritten: UnwrittenMemory,
    /// Where page-locked memory begins.
    pub(super) page_locked: BTreeSet<u64>,
    /// The analyses that have watched the checked launches, and go on with the next.
    pub(super) analyses: Option<Analyses>,
    leftovers: Leftovers,
    /// `None` where one was unloaded.
    pub(super) modules: Vec<Option<Loaded>>,
    images: Arc<Images>,
    pub(super) launches: u64,
    pub(super) queue: Queue,
}

/// A loaded module.
#[derive(Debug)]
pub(super) struct Loaded {
    module: Arc<Module>,
    pub(super) layout: Arc<Layout>,
    placement: Arc<Placement>,
    pub(super) constants: Pages,
    programs: HashMap<String, Arc<Program>>,
}

impl Loaded {
    fn fork(&mut self) -> Loaded {
        Loaded {
            module: Arc::clone(&self.module),
            layout: Arc::clone(&self.layout),
            placement: Arc::clone(&self.placement),
            constants: self.constants.snapshot(),
            programs: self.programs.clone(),
        }
    }
}

impl Simulator {
    /// A device with this profile and the default settings.
    pub fn new(profile: DeviceProfile) -> Simulator {
        Simulator { profile, ..Simulator::default() }
    }

    /// The same with its memory from this address on, where an address of it cannot be one of the
    /// host's. It has no memory yet.
    ///
    /// ```
    /// use warpsim::host::{Device, DeviceProfile, Pointer, Simulator};
    ///
    /// let mut gpu = Simulator::new(DeviceProfile::h200()).with_memory_at(1 << 45);
    /// assert_eq!(gpu.allocate(1)?, Pointer(1 << 45));
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    #[must_use]
    pub fn with_memory_at(self, address: u64) -> Simulator {
        Simulator { global: GlobalMemory::beginning_at(address), ..self }
    }

    /// Unloads a module (`cuModuleUnload`): its variables are freed, and its kernels cannot be
    /// launched any more.
    ///
    /// ```
    /// use warpsim::host::{Device, DeviceError, Launch, Simulator};
    ///
    /// let text = ".version 7.0 .target sm_70 .address_size 64 .global .u32 g; .entry k() { ret; }";
    /// let mut gpu = Simulator::default();
    /// let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
    /// gpu.unload(module)?;
    /// assert_eq!(gpu.launch(module, "k", &Launch::new(1, 1), &[]), Err(DeviceError::UnknownModule));
    /// assert_eq!((gpu.global().live_bytes(), gpu.unload(module)), (0, Err(DeviceError::UnknownModule)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// There is no such module any more, or nobody has waited for an operation that may still use a
    /// variable.
    pub fn unload(&mut self, module: ModuleHandle) -> Result<(), DeviceError> {
        let mut variables: Vec<u64> =
            self.loaded(module)?.placement.globals.values().copied().collect();
        // One name may be another's.
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|address| self.freeable(Pointer(*address)).is_ok());
        for address in &variables {
            let bytes = self.freeable(Pointer(*address))?;
            if let Some((user, stream)) = self.queue.user_of(*address, bytes) {
                return Err(DeviceError::StillInUse { address: *address, user, stream });
            }
        }
        for address in variables {
            self.give_back(Pointer(address), None)?;
        }
        if let Some(place) = self.modules.get_mut(module.0) {
            *place = None;
        }
        Ok(())
    }

    /// A module that is loaded.
    pub(super) fn loaded(&self, module: ModuleHandle) -> Result<&Loaded, DeviceError> {
        let loaded = self.modules.get(module.0).and_then(Option::as_ref);
        loaded.ok_or(DeviceError::UnknownModule)
    }

    /// Gives threads so many bytes of stack from now on (`cudaLimitStackSize`), at most
    /// [`DeviceProfile::MOST`]'s.
    pub fn set_stack(&mut self, bytes: u32) {
        self.profile.stack = bytes.min(DeviceProfile::MOST.stack);
    }

    /// The device profile.
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// Whether the host has waited for an operation ([`Simulator::waited_for`]).
    pub fn is_waited_for(&self, operation: OperationId) -> bool {
        self.queue.timelines.host().has(operation)
    }

    /// The operations that the host has waited for: all that is issued from now on happens after
    /// them.
    pub fn waited_for(&self) -> &Clock {
        self.queue.timelines.host()
    }

    /// How launches are run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How launches are run, to change it.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Global memory as it is now.
    pub fn global(&self) -> &GlobalMemory {
        &self.global
    }

    /// Takes global memory out, for comparing it later; the device is left with none.
    pub(crate) fn take_memory(&mut self) -> GlobalMemory {
        std::mem::take(&mut self.global)
    }

    /// A device in the same state: same memory, modules, settings. The two share memory pages until
    /// one writes, so a fork costs no more than the page tables; handles and pointers of one are
    /// those of the other.
    ///
    /// ```
    /// use warpsim::host::{Device, Simulator};
    ///
    /// let mut gpu = Simulator::default();
    /// let cell = gpu.allocate(1)?;
    /// let mut other = gpu.fork();
    /// other.upload(cell, &[7])?;
    /// let mut byte = [9];
    /// gpu.download(cell, &mut byte)?;
    /// assert_eq!(byte, [0]);
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    pub fn fork(&mut self) -> Simulator {
        Simulator {
            profile: self.profile.clone(),
            settings: self.settings.clone(),
            global: self.global.snapshot(),
            unwritten: self.unwritten.clone(),
            page_locked: self.page_locked.clone(),
            analyses: self.analyses.clone(),
            leftovers: self.leftovers.iter_mut().map(|(sm, left)| (*sm, left.snapshot())).collect(),
            modules: self.modules.iter_mut().map(|m| m.as_mut().map(Loaded::fork)).collect(),
            images: Arc::clone(&self.images),
            launches: self.launches,
            queue: self.queue.clone(),
        }
    }

    /// A fork that runs one launch alone: nothing waits in its streams.
    pub(super) fn fork_to_run(&mut self) -> Simulator {
        let queue = std::mem::take(&mut self.queue);
        let fork = self.fork();
        self.queue = queue;
        fork
    }

    /// The lowered kernel, made on first use. It may be called as it is in its source: see
    /// [`kernel_named`].
    ///
    /// # Errors
    /// An unknown kernel, invalid PTX, or PTX that is not supported.
    pub fn program(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
    ) -> Result<Arc<Program>, DeviceError> {
        let loaded = self.modules.get_mut(module.0).and_then(Option::as_mut);
        let loaded = loaded.ok_or(DeviceError::UnknownModule)?;
        if let Some(program) = loaded.programs.get(kernel) {
            return Ok(Arc::clone(program));
        }
        let kernel = kernel_named(&loaded.module, kernel)?;
        if let Some(program) = loaded.programs.get(kernel) {
            return Ok(Arc::clone(program));
        }
        let program = lower::lower(&loaded.module, kernel, &loaded.placement)
            .map_err(DeviceError::Program)?;
        let program = Arc::new(program);
        loaded.programs.insert(kernel.to_owned(), Arc::clone(&program));
        Ok(program)
    }

    /// Like [`Device::launch`], watched by an observer of yours, beside the analyses when the
    /// settings have the launch checked. It is told of the launch itself and not of its repetitions
    /// under other schedules; an [`Analysis`](crate::observe::Analysis) of yours takes part in
    /// those, too.
    ///
    /// # Errors
    /// When the launch cannot start.
    pub fn launch_observed(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
        observer: &mut dyn Observer,
    ) -> Result<Report, DeviceError> {
        self.launch_and_wait((module, kernel), launch, arguments, Some(observer))
    }

    /// Begins a launch to be stepped through. When the stepper goes out of scope, memory is left as
    /// far as it got.
    ///
    /// # Errors
    /// When the launch cannot start.
    pub fn stepper(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Stepper<'_>, DeviceError> {
        let admitted = self.admit((module, kernel), launch, arguments)?;
        let order = self.act_and_wait(None)?;
        let machine = self.begin(Request { admitted: &admitted, order: &order })?;
        let schedule = self.settings.schedule.clone();
        Ok(Stepper::new(self, module, machine, schedule, admitted.pointers))
    }

    /// Puts texels into memory.
    fn image(&mut self, texels: &Texels, bytes: &[u8]) -> Result<Pointer, DeviceError> {
        texels.check(bytes)?;
        let base = self.allocate(texels.bytes())?;
        self.upload(base, bytes)?;
        Ok(base)
    }

    /// Makes a texture of texels that lie in memory already (`cuTexObjectCreate`), row after row
    /// without gaps. It has the memory as it is when a kernel looks.
    ///
    /// # Errors
    /// They do not lie in one allocation.
    pub fn texture_at(
        &mut self,
        texels: &Texels,
        at: Pointer,
        sampler: Sampler,
    ) -> Result<u64, DeviceError> {
        self.find(at, texels.bytes())?;
        Ok(self.add_image(ImageObject::Texture(texels.at(at), sampler)).handle)
    }

    /// The same of texels of two directions with so many bytes from row to row
    /// (`cudaResourceTypePitch2D`).
    ///
    /// ```
    /// use warpsim::element::ElementType;
    /// use warpsim::host::{Argument, Device, Launch, Sampler, Simulator, Texels};
    ///
    /// let text = ".version 7.0 .target sm_70 .address_size 64
    ///     .visible .entry look(.param .u64 t, .param .u64 out) {
    ///       .reg .b64 %t, %o; .reg .b32 %x, %y, %v<4>;
    ///       ld.param.u64 %t, [t]; ld.param.u64 %o, [out]; mov.u32 %x, 1; mov.u32 %y, 2;
    ///       tex.2d.v4.u32.s32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}]; st.global.u32 [%o], %v0; ret;
    ///     }";
    /// let mut gpu = Simulator::default();
    /// let module = gpu.load(&warpsim::ptx::parse("look.ptx", text)?)?;
    /// let (rows, out) = (gpu.allocate(64 * 2 + 3)?, gpu.allocate(4)?);
    /// gpu.upload(rows.offset(64 * 2 + 1), &[77])?;
    /// let texels = Texels::new(ElementType::U8, 1, &[3, 3])?;
    /// assert!(gpu.texture_in_rows(&texels, rows, 65, Sampler::default()).is_err());
    /// let texture = gpu.texture_in_rows(&texels, rows, 64, Sampler::default())?;
    /// gpu.launch(module, "look", &Launch::new(1, 1), &[Argument::U64(texture), Argument::Pointer(out)])?;
    /// let mut texel = [0; 4];
    /// gpu.download(out, &mut texel)?;
    /// assert_eq!(texel, [77, 0, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// They do not lie in one allocation, or are no rows: of another number of directions, with
    /// layers or levels, or longer than what lies between them.
    pub fn texture_in_rows(
        &mut self,
        texels: &Texels,
        at: Pointer,
        pitch: u64,
        sampler: Sampler,
    ) -> Result<u64, DeviceError> {
        let mut image = texels.at(at);
        let row = u64::from(image.extent[0]) * image.texel_bytes();
        let is_plain = image.dimensions == 2 && image.slices == 1 && image.levels == 1;
        let bytes = u64::from(image.extent[1] - 1).checked_mul(pitch);
        let bytes = bytes.and_then(|bytes| bytes.checked_add(row));
        match bytes.filter(|_| is_plain && texels.layers().is_none() && row <= pitch) {
            Some(bytes) => self.find(at, bytes)?,
            None => {
                let why = "rows have two directions, and are no longer than what lies between them";
                return Err(DeviceError::BadTexels { why: why.to_owned() });
            }
        }
        image.pitch = Some(pitch);
        Ok(self.add_image(ImageObject::Texture(image, sampler)).handle)
    }

    /// The same of a surface (`cuSurfObjectCreate`).
    ///
    /// # Errors
    /// As of [`Simulator::texture_at`].
    pub fn surface_at(&mut self, texels: &Texels, at: Pointer) -> Result<u64, DeviceError> {
        self.find(at, texels.bytes())?;
        Ok(self.add_image(ImageObject::Surface(texels.at(at))).handle)
    }

    /// Takes a texture or a surface away (`cuTexObjectDestroy`); the memory stays. Whether there
    /// was one.
    ///
    /// ```
    /// use warpsim::element::ElementType;
    /// use warpsim::host::{Device, Sampler, Simulator, Texels};
    ///
    /// let mut gpu = Simulator::default();
    /// let memory = gpu.allocate(64)?;
    /// let texels = Texels::linear(ElementType::F32, 1, 16)?;
    /// let texture = gpu.texture_at(&texels, memory, Sampler::default())?;
    /// assert!(gpu.surface_at(&texels, memory.offset(4)).is_err());
    /// assert!(gpu.forget_image(texture) && !gpu.forget_image(texture));
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    pub fn forget_image(&mut self, handle: u64) -> bool {
        Arc::make_mut(&mut self.images).remove(handle)
    }

    fn add_image(&mut self, object: ImageObject) -> ImageHandle {
        let texels = Pointer(object.image().base);
        ImageHandle { handle: Arc::make_mut(&mut self.images).add(object), texels }
    }
}

impl Device for Simulator {
    fn name(&self) -> String {
        format!("warpsim {} ({})", env!("CARGO_PKG_VERSION"), self.profile.name)
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let available = self.profile.global_memory.saturating_sub(self.global.live_bytes());
        if bytes > available {
            return Err(DeviceError::OutOfMemory { requested: bytes, available });
        }
        let base = self.global.allocate(bytes, None);
        self.unwritten.allocated(base, bytes, self.launches);
        Ok(Pointer(base))
    }

    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        self.reserve_host(bytes)
    }

    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.write_by_host(&[(to, bytes)], None)
    }

    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.read_by_host(from, into, None)
    }

    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.issue_copy(stream, to, from, bytes, None)
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.give_back(pointer, None)
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.upload_and_wait(to, bytes, None)
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        if bytes > 0 {
            self.find(start, bytes)?;
        }
        self.unwritten.written(start.0, bytes);
        Ok(())
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.download_and_wait(from, into, None)
    }

    fn texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        let base = self.image(texels, bytes)?;
        Ok(self.add_image(ImageObject::Texture(texels.at(base), sampler)))
    }

    fn surface(&mut self, texels: &Texels, bytes: &[u8]) -> Result<ImageHandle, DeviceError> {
        let base = self.image(texels, bytes)?;
        Ok(self.add_image(ImageObject::Surface(texels.at(base))))
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        let layout = lower::place(module).map_err(DeviceError::Program)?;
        let mut placement = layout.placement(|variable| {
            let pointer = self.allocate(variable.size)?;
            self.global.rename(pointer.0, &variable.name);
            // Variables are zero unless they are initialised (PTX ISA 5.4.4).
            self.unwritten.written(pointer.0, variable.size);
            Ok::<u64, DeviceError>(pointer.0)
        })?;
        placement.reserved_shared = self.profile.reserved_shared;
        placement.device_launches = self.settings.device_launches;
        let mut constants = Pages::new(layout.constant_bytes);
        for variable in &layout.variables {
            let bytes = variable.bytes(&placement).map_err(DeviceError::Program)?;
            if variable.space == Space::Const {
                constants.write_bytes(variable.offset, &bytes);
            } else if let Some(address) = placement.globals.get(&variable.name) {
                self.poke(Pointer(*address), &bytes)?;
            }
        }
        self.modules.push(Some(Loaded {
            module: Arc::new(module.clone()),
            layout: Arc::new(layout),
            placement: Arc::new(placement),
            constants,
            programs: HashMap::new(),
        }));
        Ok(ModuleHandle(self.modules.len() - 1))
    }

    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        let loaded = self.loaded(module)?;
        let variables = &loaded.layout.variables;
        let called = names::called(name, variables.iter().map(|v| &*v.name));
        let variable = match called.as_slice() {
            [only] => variables.iter().find(|v| *v.name == **only),
            _ => None,
        };
        let Some(variable) = variable else {
            let available = variables.iter().map(|v| v.name.to_string()).collect();
            return Err(DeviceError::UnknownVariable { name: name.to_owned(), available });
        };
        let address = match loaded.placement.globals.get(&variable.name) {
            Some(address) => *address,
            None => constant_address(module.0, variable.offset),
        };
        Ok((Pointer(address), variable.size))
    }

    fn launch(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Report, DeviceError> {
        self.launch_and_wait((module, kernel), launch, arguments, None)
    }

    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        Ok(self.new_stream(kind))
    }

    fn event(&mut self) -> Result<Event, DeviceError> {
        Ok(self.new_event())
    }

    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        self.issue_launch(stream, (module, kernel), launch, arguments, None)
    }

    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.issue_upload(stream, to, bytes, None)
    }

    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        self.issue_download(stream, from, bytes, None)
    }

    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        self.queue.fetch(download)
    }

    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        self.record_event(event, stream)
    }

    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        self.wait_for_event(stream, event)
    }

    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        self.queue.spent_between(start.0, end.0).map(Duration::from_nanos)
    }

    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        self.wait_for_all(None)
    }

    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        self.wait_for_stream(stream, None)
    }

    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        self.host_waits_for_event(event, None)
    }
}
