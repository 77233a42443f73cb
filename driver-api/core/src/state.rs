//! The state of a process, and the calls that go to it.
//!
//! One lock guards all of it, so calls of several threads happen one after the other in some order,
//! as the API promises. A panic while the lock is held is a bug of warpsim. The state after it is
//! still a state, and calls go on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim::check::Schedules;
use warpsim::host::{Device, LaunchHandle, Simulator, Stream};

use crate::chosen::{Launched, Traced};
use crate::code::functions::Function;
use crate::code::linker::Linker;
use crate::code::modules::Module;
use crate::contexts::Context;
use crate::graphs::Graphs;
use crate::graphs::capturing::CaptureMode;
use crate::host::Host;
use crate::launch_attributes::Values;
use crate::launches::Issued;
use crate::mirror::Mirrors;
use crate::options::Options;
use crate::orders::Orders;
use crate::spaces::advice::Advised;
use crate::spaces::arrays::Arrays;
use crate::spaces::lives::Lives;
use crate::spaces::mapped::SharedPiece;
use crate::spaces::memory::{Allocation, Freed};
use crate::spaces::pools::Pool;
use crate::spaces::virtual_memory::VirtualMemory;
use crate::streams::{EventState, StreamState};
use crate::told::counted::Counted;
use crate::told::failures::{FailedCall, Failures};
use crate::told::journal::{Entry, Leaked, Unsupported};
use crate::told::ledger::{Done, Note};
use crate::{Answer, CudaError, Handle};

/// The version of the API: 13.0.
pub(crate) const VERSION: i32 = 13_000;

/// The driver's state for a process.
pub struct Driver {
    state: Mutex<State>,
    host: Box<dyn Host>,
    /// Calls that failed, where launches are checked.
    failures: Option<Mutex<Failures>>,
}

/// The driver's state for a thread.
#[derive(Debug, Default)]
pub struct Caller {
    /// The contexts that it made current, the last being so now.
    pub(crate) stack: Vec<Handle>,
    /// Its default stream in each context.
    pub(crate) streams: BTreeMap<Handle, Stream>,
    /// The number that distinguishes it from other threads, if it has one.
    pub(crate) number: Option<u64>,
    /// How captures meet its calls.
    pub(crate) capture_mode: CaptureMode,
    /// Why the call that is being made fails.
    pub(crate) reasons: Vec<String>,
}

impl Caller {
    /// Why the last call failed, in words. It forgets them.
    pub fn take_reasons(&mut self) -> Vec<String> {
        std::mem::take(&mut self.reasons)
    }
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) is_initialised: bool,
    pub(crate) device: Simulator,
    pub(crate) contexts: BTreeMap<Handle, Context>,
    /// Contexts that there were.
    pub(crate) gone: BTreeSet<Handle>,
    pub(crate) primary: Option<Handle>,
    pub(crate) primary_flags: u32,
    pub(crate) modules: BTreeMap<Handle, Module>,
    pub(crate) functions: BTreeMap<Handle, Function>,
    pub(crate) linkers: BTreeMap<Handle, Linker>,
    pub(crate) streams: BTreeMap<Handle, StreamState>,
    pub(crate) idle_streams: BTreeMap<bool, Vec<Stream>>,
    /// Attributes that were set, by the stream's number on the device.
    pub(crate) stream_attributes: BTreeMap<usize, Values>,
    pub(crate) events: BTreeMap<Handle, EventState>,
    pub(crate) idle_events: Vec<warpsim::host::Event>,
    /// By their first addresses on the device.
    pub(crate) allocations: BTreeMap<u64, Allocation>,
    /// What was advised of managed memory, by its first address.
    pub(crate) advised: BTreeMap<u64, Advised>,
    /// Memory of the program that is registered: its first address there, and on the device.
    pub(crate) registered: BTreeMap<u64, u64>,
    /// Memory that host and device share, by its first address on the device.
    pub(crate) shared: BTreeMap<u64, SharedPiece>,
    /// What the host has of memory of the device.
    pub(crate) mirrors: Mirrors,
    /// Where memory was allocated and freed.
    pub(crate) lives: Lives,
    /// Memory that was given back in a stream, and is still in use.
    pub(crate) to_free: Vec<Freed>,
    /// The same of memory of graphs.
    pub(crate) to_unmap: Vec<Freed>,
    /// What the program would have given back if a fault had not kept it from that: addresses and
    /// handles.
    pub(crate) given_back: BTreeSet<u64>,
    pub(crate) virtual_memory: VirtualMemory,
    pub(crate) arrays: Arrays,
    pub(crate) pools: BTreeMap<Handle, Pool>,
    pub(crate) default_pool: Option<Handle>,
    pub(crate) current_pool: Option<Handle>,
    /// Launches that nothing has waited for.
    pub(crate) issued: BTreeMap<LaunchHandle, Issued>,
    pub(crate) launches: u64,
    /// Launches of the kernel that a person wants to step through.
    pub(crate) debugged: u64,
    /// Launches that were traced for a page.
    pub(crate) traced: Traced,
    /// Launches that were given up under one of the schedules.
    pub(crate) unfinished: u64,
    pub(crate) launched: Launched,
    /// What watches the operations of a program with several streams, where they are checked.
    pub(crate) orders: Option<Orders>,
    /// Counts how kernels use the machine, if asked for.
    pub(crate) counted: Option<Counted>,
    pub(crate) graphs: Graphs,
    /// What kernels printed and was not shown.
    pub(crate) printed: String,
    /// The unsupported features that were reported.
    pub(crate) told: BTreeSet<String>,
    next: u64,
}

/// The kinds of handles, which make them differ in their upper bits: one of the wrong kind is never
/// found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Context = 1,
    Module,
    Function,
    Stream,
    Event,
    Pool,
    Linker,
    Graph,
    Node,
    Instance,
    Memory,
    Object,
    Array,
}

/// One call of the API.
pub struct Call<'a> {
    pub(crate) state: MutexGuard<'a, State>,
    pub(crate) host: &'a dyn Host,
    pub(crate) caller: &'a mut Caller,
}

impl Driver {
    /// A driver that was not initialised.
    pub fn new(options: Options, host: Box<dyn Host>) -> Driver {
        let device = options.device();
        let orders = options.check.then(Orders::default);
        let failures = options.check.then(Mutex::default);
        let counted = options.stats.then(Counted::default);
        let state = State {
            options,
            is_initialised: false,
            device,
            contexts: BTreeMap::new(),
            gone: BTreeSet::new(),
            primary: None,
            primary_flags: 0,
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            linkers: BTreeMap::new(),
            streams: BTreeMap::new(),
            idle_streams: BTreeMap::new(),
            stream_attributes: BTreeMap::new(),
            events: BTreeMap::new(),
            idle_events: Vec::new(),
            allocations: BTreeMap::new(),
            advised: BTreeMap::new(),
            registered: BTreeMap::new(),
            shared: BTreeMap::new(),
            mirrors: Mirrors::default(),
            lives: Lives::default(),
            to_free: Vec::new(),
            to_unmap: Vec::new(),
            given_back: BTreeSet::new(),
            virtual_memory: VirtualMemory::default(),
            arrays: Arrays::default(),
            pools: BTreeMap::new(),
            default_pool: None,
            current_pool: None,
            issued: BTreeMap::new(),
            launches: 0,
            debugged: 0,
            traced: Traced::default(),
            unfinished: 0,
            launched: Launched::default(),
            orders,
            counted,
            graphs: Graphs::default(),
            printed: String::new(),
            told: BTreeSet::new(),
            next: 0,
        };
        Driver { state: Mutex::new(state), host, failures }
    }

    /// `cuInit`.
    ///
    /// # Errors
    /// A flag is set: there are no flags.
    pub fn initialise(&self, flags: u32) -> Answer<()> {
        if flags != 0 {
            return Err(CudaError::InvalidValue);
        }
        self.lock().is_initialised = true;
        Ok(())
    }

    /// Begins a call.
    ///
    /// # Errors
    /// The driver was not initialised.
    pub fn enter<'a>(&'a self, caller: &'a mut Caller) -> Answer<Call<'a>> {
        let state = self.lock();
        match state.is_initialised {
            true => Ok(Call { state, host: &*self.host, caller }),
            false => Err(CudaError::NotInitialized),
        }
    }

    /// The process around the driver.
    pub fn host(&self) -> &dyn Host {
        &*self.host
    }

    /// Whether launches are checked.
    pub fn is_checked(&self) -> bool {
        self.failures.is_some()
    }

    fn failures(&self) -> Option<MutexGuard<'_, Failures>> {
        let failures = self.failures.as_ref()?;
        Some(failures.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records a failed call whose result the program was not seen to read.
    pub fn failed(&self, call: FailedCall) {
        if let Some(mut failures) = self.failures() {
            failures.failed(call);
        }
    }

    /// Records that a thread, by its number, asked for its last error and was given one.
    pub fn asked(&self, thread: u64) {
        if let Some(mut failures) = self.failures() {
            failures.asked(thread);
        }
    }

    /// Records that the program asked for the name or the words of an error, by its number.
    pub fn asked_about(&self, number: u32) {
        if let Some(mut failures) = self.failures() {
            failures.asked_about(number);
        }
    }

    /// Ends the process: waits for everything, and reports the results. If another thread is in a
    /// call, which may never end, it reports only that. `is_waiting` says that a thread waits in a
    /// call without the driver.
    pub fn finish(&self, is_waiting: bool) {
        let failed = self.failures().map(|mut failures| failures.take(self.host.process()));
        failed.unwrap_or_default().iter().for_each(|entry| self.host.record(&entry.line()));
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => {
                return self.host.note(Note::Ended { in_call: true });
            }
        };
        if !state.is_initialised {
            return self.host.note(Note::Ended { in_call: is_waiting });
        }
        let mut caller = Caller::default();
        let mut call = Call { state, host: &*self.host, caller: &mut caller };
        // An error here is reported as a bug.
        let _ = call.look_at_host();
        match call.state.device.synchronise() {
            Ok(ended) => call.collect(ended),
            // Nothing that the program does can cause this error, so it is reported as a bug.
            Err(error) => {
                refusal(&mut call, &error);
            }
        }
        call.flush();
        let process = self.host.process();
        let rest = call.state.counted.as_mut().map(|counted| counted.rest(process));
        rest.unwrap_or_default().iter().for_each(|entry| self.host.record(&entry.line()));
        let leaked = call.leaked();
        self.host.note(Note::Done(Done { leaked, ..call.state.done() }));
        self.host.note(Note::Ended { in_call: is_waiting });
    }

    /// Tells once that something unsupported was asked for, and records it.
    pub fn tell_unsupported(&self, what: &str, kind: Unsupported) {
        tell_unsupported(&mut self.lock(), &*self.host, what, kind);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells once, and records.
pub(crate) fn tell_unsupported(state: &mut State, host: &dyn Host, what: &str, kind: Unsupported) {
    if state.told.insert(what.to_owned()) {
        host.tell(&format!("warpsim does not support {what}"));
        let entry = Entry::Unsupported { process: host.process(), what: what.to_owned(), kind };
        host.record(&entry.line());
    }
}

impl State {
    /// What the process has done so far, what it leaks aside.
    pub(crate) fn done(&self) -> Done {
        Done {
            launches: self.launches,
            unchecked: self.launched.unchecked,
            unfinished: self.unfinished,
            in_turn: self.launched.in_turn,
            counted: self.launched.counted,
            forgotten: self.orders.as_ref().map_or(0, Orders::forgotten),
            leaked: Leaked::default(),
        }
    }

    /// Whether the last launch was checked under two schedules alone.
    pub(crate) fn is_in_turn(&self) -> bool {
        let checking = self.device.settings().checking.as_ref();
        checking.is_some_and(|checking| matches!(checking.schedules, Schedules::InTurn(_)))
    }

    /// A new handle.
    pub(crate) fn handle(&mut self, kind: Kind) -> Handle {
        self.next += 1;
        // Far from zero and from the small numbers that mean special streams; a multiple of 16 as
        // addresses are.
        (1 << 46) | ((kind as u64) << 40) | (self.next << 4)
    }
}

impl Call<'_> {
    /// Shows what kernels printed.
    pub(crate) fn flush(&mut self) {
        let printed = std::mem::take(&mut self.state.printed);
        if !printed.is_empty() {
            self.host.print(&printed);
        }
    }
}

/// An error of the device as the API says it.
pub(crate) fn refusal(call: &mut Call<'_>, error: &warpsim::host::DeviceError) -> CudaError {
    use warpsim::host::DeviceError as D;
    match error {
        D::Program(lower) if lower.is_internal() => bug(call, &error.to_string()),
        D::Program(lower) if lower.is_unsupported() => {
            let kind = Unsupported::Launches;
            tell_unsupported(&mut call.state, call.host, &error.to_string(), kind);
            CudaError::NotSupported
        }
        // A driver says it when the module is loaded, in its log.
        D::Program(_) => {
            call.host.tell(&format!("warpsim: {error}"));
            CudaError::InvalidPtx
        }
        D::UnknownKernel { .. } | D::UnknownVariable { .. } => CudaError::NotFound,
        D::OutOfMemory { .. } => CudaError::OutOfMemory,
        D::ImpossibleLaunch { .. }
        | D::ArgumentCount { .. }
        | D::ArgumentType { .. }
        | D::BadPointer { .. }
        | D::Freed { .. }
        | D::BadTexels { .. } => CudaError::InvalidValue,
        D::UnknownHandle { .. } | D::UnknownModule => CudaError::InvalidHandle,
        D::NotSynchronised { .. } | D::EventPending => CudaError::NotReady,
        D::NotSupported { what } => {
            tell_unsupported(&mut call.state, call.host, what, Unsupported::Call);
            CudaError::NotSupported
        }
        // What a simulator never says.
        D::StillInUse { .. } | D::Driver(_) | D::Lost | D::Pass(_) | D::Internal(_) => {
            bug(call, &error.to_string())
        }
        // The façade's errors may become more.
        _ => bug(call, &error.to_string()),
    }
}

/// A bug in warpsim, which is reported and recorded.
pub(crate) fn bug(call: &Call<'_>, what: &str) -> CudaError {
    call.host.tell(&format!("this is a bug in warpsim: {what}; the program is not to blame"));
    call.host.record(&Entry::Bug { process: call.host.process(), what: what.to_owned() }.line());
    CudaError::Unknown
}
