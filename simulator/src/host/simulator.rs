//! The simulator as a [`Device`]: memory, modules and launches on the CPU.

use std::collections::HashMap;
use std::sync::Arc;

use super::arguments::{addresses, parameter_bank};
use super::checking::Request;
use super::device::{Argument, Device, Launch, ModuleHandle, Pointer};
use super::error::DeviceError;
use super::explain::explain;
use super::limits::check_launch;
use super::settings::Settings;
use super::stepper::Stepper;
use super::streams::Timelines;
use super::unwritten::UnwrittenMemory;
use crate::lower::{self, Layout, Placement, Program, window};
use crate::machine::DeviceProfile;
use crate::machine::{Environment, GlobalMemory, Leftovers, Machine, Pages, Watcher};
use crate::observe::{LaunchFacts, Observer};
use crate::ptx::{Module, Space};
use crate::report::{Counts, Finding, Outcome, Report};

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
    global: GlobalMemory,
    unwritten: UnwrittenMemory,
    leftovers: Leftovers,
    modules: Vec<Loaded>,
    launches: u64,
    timelines: Timelines,
}

/// A launch that is over.
pub(super) struct Finished {
    pub outcome: Outcome,
    pub counts: Counts,
    /// What stopped it.
    pub findings: Vec<Finding>,
    pub program: Arc<Program>,
    /// The arguments that are addresses.
    pub pointers: Vec<(usize, u64)>,
}

impl Finished {
    fn report(self) -> Report {
        let Finished { outcome, counts, findings, .. } = self;
        Report { outcome, counts, findings, checked: None }
    }
}

/// A loaded module.
#[derive(Debug)]
struct Loaded {
    module: Arc<Module>,
    layout: Arc<Layout>,
    placement: Arc<Placement>,
    constants: Pages,
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

/// Bytes of constant memory by which modules are told apart on the host side.
const CONSTANT_BANK: u64 = 1 << 16;

impl Simulator {
    /// A device with this profile and the default settings.
    pub fn new(profile: DeviceProfile) -> Simulator {
        Simulator { profile, ..Simulator::default() }
    }

    /// The device profile.
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// How launches are run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How launches are run, to change it.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Copies bytes of global or constant memory as they are now, without waiting for anything and
    /// without being told to anybody who watches: for tools and tests, not for host code.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    pub fn peek(&self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        if let Some((module, offset)) = self.constant_bank(from, into.len())? {
            self.modules[module].constants.read_bytes(offset, into);
            return Ok(());
        }
        let bad = DeviceError::BadPointer { address: from.0, bytes: into.len() as u64 };
        let allocation = self.global.find_ref(from.0, into.len() as u64).map_err(|_| bad)?;
        allocation.pages.read_bytes(from.0 - allocation.base, into);
        Ok(())
    }

    /// Global memory as it is now.
    pub fn global(&self) -> &GlobalMemory {
        &self.global
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
            settings: self.settings.copy(),
            global: self.global.snapshot(),
            unwritten: self.unwritten.clone(),
            leftovers: self.leftovers.iter_mut().map(|(sm, left)| (*sm, left.snapshot())).collect(),
            modules: self.modules.iter_mut().map(Loaded::fork).collect(),
            launches: self.launches,
            timelines: self.timelines.clone(),
        }
    }

    /// The lowered kernel, made on first use.
    ///
    /// # Errors
    /// An unknown kernel, invalid PTX, or PTX that is not supported.
    pub fn program(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
    ) -> Result<Arc<Program>, DeviceError> {
        let loaded = self.modules.get_mut(module.0).ok_or(DeviceError::UnknownModule)?;
        if let Some(program) = loaded.programs.get(kernel) {
            return Ok(Arc::clone(program));
        }
        let available = lower::kernels(&loaded.module);
        if !available.contains(&kernel) {
            let available = available.into_iter().map(str::to_owned).collect();
            return Err(DeviceError::UnknownKernel { name: kernel.to_owned(), available });
        }
        let program = lower::lower(&loaded.module, kernel, &loaded.placement)
            .map_err(DeviceError::Program)?;
        let program = Arc::new(program);
        loaded.programs.insert(kernel.to_owned(), Arc::clone(&program));
        Ok(program)
    }

    /// Like [`Device::launch`], watched.
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
        let request = Request { module, kernel, launch, arguments };
        self.run_once(request, Some(observer)).map(Finished::report)
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
        let machine = self.begin(module, kernel, launch, arguments)?;
        let schedule = self.settings.schedule.copy();
        let pointers = addresses(arguments).collect();
        Ok(Stepper::new(self, machine, schedule, pointers))
    }

    fn begin(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Machine, DeviceError> {
        let program = self.program(module, kernel)?;
        check_launch(&self.profile, &program, launch)?;
        let parameters = parameter_bank(&program, kernel, arguments)?;
        let loaded = self.modules.get_mut(module.0).ok_or(DeviceError::UnknownModule)?;
        self.launches += 1;
        let order = self.timelines.issue(0);
        self.timelines.synchronise_stream(0);
        let environment = Environment {
            program,
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.shared,
            parameters,
            constants: loaded.constants.snapshot(),
            model: self.settings.model,
            profile: self.profile.clone(),
            launch: self.launches,
            order,
        };
        Ok(Machine::new(
            Arc::new(environment),
            self.settings.shared_init,
            self.settings.max_steps,
            std::mem::take(&mut self.global),
            std::mem::take(&mut self.leftovers),
        ))
    }

    /// Runs a launch under the schedule of the settings.
    pub(super) fn run_once(
        &mut self,
        request: Request<'_>,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<Finished, DeviceError> {
        let Request { module, kernel, launch, arguments } = request;
        let mut machine = self.begin(module, kernel, launch, arguments)?;
        let mut schedule = self.settings.schedule.copy();
        if let Some(observer) = watcher.as_deref_mut() {
            let unwritten = self.unwritten.ranges().into();
            let facts = LaunchFacts { unwritten, ..machine.environment().facts() };
            observer.launch_begin(&facts);
            machine.attend(observer.interest());
        }
        let stop = machine.run(schedule.as_mut(), watcher.as_deref_mut()).err();
        if let Some(observer) = watcher {
            observer.launch_end();
        }
        let pointers: Vec<(usize, u64)> = addresses(arguments).collect();
        let counts = machine.counts();
        let program = Arc::clone(&machine.environment().program);
        let (outcome, findings) = match stop {
            None => (Outcome::Completed, Vec::new()),
            Some(stop) => {
                let (outcome, finding) = explain(&stop, machine.environment(), &pointers);
                (outcome, vec![finding])
            }
        };
        self.take_back(machine);
        Ok(Finished { outcome, counts, findings, program, pointers })
    }

    /// Takes memory back from a launch that is over.
    pub(super) fn take_back(&mut self, machine: Machine) {
        (self.global, self.leftovers) = machine.into_memory();
    }

    fn constants(&self, pointer: Pointer) -> Option<(usize, u64)> {
        let offset = pointer.0.checked_sub(window::CONST).filter(|o| *o < window::SIZE)?;
        Some(((offset / CONSTANT_BANK) as usize, offset % CONSTANT_BANK))
    }

    /// The bytes of constant memory that host code addresses, when it does.
    fn constant_bank(
        &self,
        pointer: Pointer,
        bytes: usize,
    ) -> Result<Option<(usize, u64)>, DeviceError> {
        let Some((module, offset)) = self.constants(pointer) else { return Ok(None) };
        let size = self.modules.get(module).map_or(0, |m| m.layout.constant_bytes);
        match offset.checked_add(bytes as u64) {
            Some(end) if end <= size => Ok(Some((module, offset))),
            _ => Err(DeviceError::BadPointer { address: pointer.0, bytes: bytes as u64 }),
        }
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

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        if self.global.free(pointer.0) {
            let bytes = self.global.allocations().iter().find(|a| a.base == pointer.0);
            self.unwritten.written(pointer.0, bytes.map_or(0, |a| a.bytes));
            Ok(())
        } else {
            Err(DeviceError::BadPointer { address: pointer.0, bytes: 0 })
        }
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        if let Some((module, offset)) = self.constant_bank(to, bytes.len())? {
            self.modules[module].constants.write_bytes(offset, bytes);
            return Ok(());
        }
        let bad = DeviceError::BadPointer { address: to.0, bytes: bytes.len() as u64 };
        let allocation = self.global.find(to.0, bytes.len() as u64).map_err(|_| bad)?;
        allocation.pages.write_bytes(to.0 - allocation.base, bytes);
        self.unwritten.written(to.0, bytes.len() as u64);
        Ok(())
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        let bad = |_| DeviceError::BadPointer { address: start.0, bytes };
        if bytes > 0 {
            self.global.find_ref(start.0, bytes).map_err(bad)?;
        }
        self.unwritten.written(start.0, bytes);
        Ok(())
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.peek(from, into)
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        let layout = lower::place(module).map_err(DeviceError::Program)?;
        let placement = layout.placement(|variable| {
            let pointer = self.allocate(variable.size)?;
            self.global.rename(pointer.0, &variable.name);
            Ok::<u64, DeviceError>(pointer.0)
        })?;
        let mut constants = Pages::new(layout.constant_bytes);
        for variable in &layout.variables {
            let bytes = variable.bytes(&placement).map_err(DeviceError::Program)?;
            if variable.space == Space::Const {
                constants.write_bytes(variable.offset, &bytes);
            } else if let Some(address) = placement.globals.get(&variable.name) {
                self.upload(Pointer(*address), &bytes)?;
            }
        }
        self.modules.push(Loaded {
            module: Arc::new(module.clone()),
            layout: Arc::new(layout),
            placement: Arc::new(placement),
            constants,
            programs: HashMap::new(),
        });
        Ok(ModuleHandle(self.modules.len() - 1))
    }

    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        let loaded = self.modules.get(module.0).ok_or(DeviceError::UnknownModule)?;
        let found = loaded.layout.variables.iter().find(|v| &*v.name == name);
        let Some(variable) = found else {
            let available = loaded.layout.variables.iter().map(|v| v.name.to_string()).collect();
            return Err(DeviceError::UnknownVariable { name: name.to_owned(), available });
        };
        let address = match loaded.placement.globals.get(name) {
            Some(address) => *address,
            None => window::CONST + module.0 as u64 * CONSTANT_BANK + variable.offset,
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
        let request = Request { module, kernel, launch, arguments };
        match self.settings.checking {
            Some(checking) => self.run_checked(request, checking),
            None => self.run_once(request, None).map(Finished::report),
        }
    }
}
