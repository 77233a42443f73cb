//! The simulator as a [`Device`]: memory, modules and launches on the CPU.

mod children;
mod device;
mod launching;
mod mending;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::checking::Request;
use super::device::{Argument, ModuleHandle, Pointer};
use super::error::DeviceError;
use super::images::{ImageHandle, Sampler, Texels};
use super::parameters::kernel_named;
use super::settings::Settings;
use super::stepper::Stepper;
use super::streams::Queue;
use super::unwritten::UnwrittenMemory;
use crate::check::Analyses;
use crate::launch::Launch;
use crate::lower::{self, Layout, Placement, Program};
use crate::machine::{DeviceProfile, GlobalMemory, ImageObject, Images, Leftovers, Pages};
use crate::observe::{Clock, Observer, OperationId};
use crate::ptx::Module;
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

    /// The same with its memory from this address on, so that its addresses are never addresses of
    /// the host. It has no memory yet.
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

    /// Unloads a module (`cuModuleUnload`): its variables are freed, and its kernels can no longer
    /// be launched.
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
    /// The module is gone, or nobody has waited for an operation that may still use a variable.
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

    /// Gives threads this many bytes of stack from now on (`cudaLimitStackSize`), at most
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

    /// The operations that the host has waited for: everything issued from now on happens after
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
    /// one writes, so a fork costs no more than the page tables. Handles and pointers of one are
    /// valid for the other.
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

    /// A fork that runs one launch alone: nothing waits in its streams. It costs the same whatever
    /// was issued and not waited for.
    pub fn fork_to_run(&mut self) -> Simulator {
        let queue = std::mem::take(&mut self.queue);
        let fork = self.fork();
        self.queue = queue;
        fork
    }

    /// The lowered kernel, made on first use. Its name may be the one in its source: see
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

    /// Like [`Device::launch`](crate::Device::launch), with an observer of yours. The analyses run
    /// beside it when the settings have the launch checked. It sees the launch itself, but not its
    /// repetitions under other schedules. An [`Analysis`](crate::observe::Analysis) of yours takes
    /// part in those, too.
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

    /// Begins a launch to be stepped through. When the stepper goes out of scope, memory keeps the
    /// state of that moment.
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

    /// The same of texels of two directions with this many bytes from row to row
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

    /// Takes a texture or a surface away (`cuTexObjectDestroy`); the memory stays. Returns whether
    /// there was one.
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
