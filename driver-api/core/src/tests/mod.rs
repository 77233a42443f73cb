//! Programs written against the core: what they may do, and random ones with bad arguments.

mod arrays;
mod behaviour;
mod children;
mod conditions;
mod debugged;
mod graph_memory;
mod graphs;
mod library;
mod lifetimes;
mod mapped;
mod mirror;
mod orders;
mod over;
mod own_memory;
mod random;
mod stack;
mod threads;
mod told;
mod traced;
mod virtual_memory;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::{
    Caller, Debugged, DebuggedLaunch, DefaultStream, Done, Driver, Handle, Host, LaunchRequest,
    LaunchToTrace, Moment, Note, Options, Site,
};
use warpsim::host::{Device as _, DeviceError};

/// Where the program's own memory begins, and its bytes.
const OWN: u64 = 0x10_0000;
const OWN_BYTES: usize = 1 << 14;

/// What the process was asked for.
#[derive(Debug, Default)]
struct Memory {
    /// Pieces of memory of the host, by their first addresses.
    pieces: BTreeMap<u64, Vec<u8>>,
    /// What threads of the program write when the device has just looked at the memory there:
    /// address, bytes.
    meanwhile: Vec<(u64, Vec<u8>)>,
    printed: String,
    told: Vec<String>,
    recorded: Vec<String>,
    /// What was done so far, and what was said of the end.
    done: Done,
    running: Option<u64>,
    /// How often somebody asked what time it is: the time.
    moments: u64,
    ended: Option<bool>,
}

impl Memory {
    fn piece(&mut self, address: u64, bytes: usize) -> &mut [u8] {
        let (base, piece) = self.pieces.range_mut(..=address).next_back().expect("memory");
        let at = (address - base) as usize;
        piece.get_mut(at..at + bytes).expect("the core asked for memory that the program has not")
    }
}

/// A process without a process around it.
#[derive(Clone, Debug)]
struct Fake(Arc<Mutex<Memory>>);

impl Default for Fake {
    fn default() -> Fake {
        let pieces = BTreeMap::from([(OWN, vec![0; OWN_BYTES])]);
        Fake(Arc::new(Mutex::new(Memory { pieces, ..Memory::default() })))
    }
}

impl Host for Fake {
    fn debug(&self, mut launch: DebuggedLaunch<'_>, asked: &Debugged) {
        launch.stepper.finish();
        let outcome = launch.stepper.outcome().map(|(outcome, _)| outcome.to_string());
        let buffers = launch.buffers.len();
        let text = format!("{} {} {outcome:?} {buffers}", asked.kernel, launch.number);
        self.0.lock().unwrap().told.push(text);
    }

    fn trace(&self, launch: LaunchToTrace<'_>, to: &Path) -> Result<(), DeviceError> {
        let LaunchToTrace { device, module, kernel, launch: shape, arguments, .. } = launch;
        let report = device.launch(module, kernel, shape, arguments)?;
        let (number, outcome) = (launch.number, report.outcome);
        let found = report.findings.len();
        let schedule = &device.settings().schedule;
        let text = format!("{} {number} {kernel} {outcome} {found} {schedule}", to.display());
        self.0.lock().unwrap().told.push(text);
        Ok(())
    }

    fn site(&self) -> Option<Box<dyn Site>> {
        None
    }

    fn read(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&[u8])) {
        with(self.0.lock().unwrap().piece(address, bytes));
    }

    fn write(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&mut [u8])) {
        with(self.0.lock().unwrap().piece(address, bytes));
    }

    fn load(&self, address: u64, into: &mut [u8]) {
        let mut memory = self.0.lock().unwrap();
        into.copy_from_slice(memory.piece(address, into.len()));
        let is_looked_at = |to: u64| (address..address + into.len() as u64).contains(&to);
        let written: Vec<_> =
            memory.meanwhile.extract_if(.., |(to, _)| is_looked_at(*to)).collect();
        for (to, bytes) in written {
            memory.piece(to, bytes.len()).copy_from_slice(&bytes);
        }
    }

    fn merge(&self, address: u64, old: &[u8], new: &[u8]) {
        let mut memory = self.0.lock().unwrap();
        let there = memory.piece(address, new.len());
        for ((there, old), new) in there.iter_mut().zip(old).zip(new).filter(|((_, o), n)| o != n) {
            assert_ne!(old, new);
            *there = *new;
        }
    }

    fn map(&self, address: u64, bytes: usize) -> bool {
        let fits = bytes <= 1 << 20;
        if fits {
            self.0.lock().unwrap().pieces.insert(address, vec![0; bytes]);
        }
        fits
    }

    fn unmap(&self, address: u64, bytes: usize) {
        let removed = self.0.lock().unwrap().pieces.remove(&address);
        assert_eq!(removed.map(|piece| piece.len()), Some(bytes));
    }

    fn print(&self, text: &str) {
        self.0.lock().unwrap().printed += text;
    }

    fn tell(&self, message: &str) {
        self.0.lock().unwrap().told.push(message.to_owned());
    }

    fn record(&self, line: &str) {
        self.0.lock().unwrap().recorded.push(line.to_owned());
    }

    fn note(&self, note: Note<'_>) {
        let mut memory = self.0.lock().unwrap();
        match note {
            Note::Begins { launch, .. } => memory.running = Some(launch),
            Note::Done(done) => (memory.done, memory.running) = (done, None),
            Note::Ended { in_call } => memory.ended = Some(in_call),
        }
    }

    fn process(&self) -> u32 {
        1
    }

    fn now(&self) -> Moment {
        let mut memory = self.0.lock().unwrap();
        memory.moments += 1;
        Moment { thread: 1, nanoseconds: memory.moments }
    }
}

/// Kernels: `twice` doubles words, `spin` never ends, `wild` writes where nothing is, `fail` traps,
/// `masked` comes without being in its member mask, `big` has a struct.
const KERNELS: &str = ".version 7.0 .target sm_80 .address_size 64
    .visible .global .align 4 .u32 counter = 41;
    .visible .entry twice(.param .u64 p) {
      .reg .u64 %a, %o; .reg .u32 %t, %v;
      ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
      ld.global.u32 %v, [%a]; add.u32 %v, %v, %v; st.global.u32 [%a], %v; ret;
    }
    .visible .entry spin() { L: bra L; }
    .visible .entry wild(.param .u64 p) {
      .reg .u64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 1; ret;
    }
    .visible .entry fail() { trap; }
    .visible .entry masked() { .reg .b32 %r; redux.sync.add.u32 %r, 1, 2; ret; }
    .visible .entry big(.param .align 8 .b8 s[24]) {
      .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [s+8]; ld.param.u32 %v, [s+16];
      st.global.u32 [%a], %v; ret;
    }";

/// A driver that was initialised, its surroundings, and a thread with the primary context.
fn driver(options: Options) -> (Driver, Fake, Caller) {
    let fake = Fake::default();
    let driver = Driver::new(options, Box::new(fake.clone()));
    driver.initialise(0).unwrap();
    let mut caller = Caller::default();
    let mut call = driver.enter(&mut caller).unwrap();
    let context = call.retain_primary();
    call.set_current_context(Some(context)).unwrap();
    drop(call);
    (driver, fake, caller)
}

/// A launch of one block.
fn request(function: Handle, threads: u32, parameters: &[u8]) -> LaunchRequest {
    LaunchRequest {
        function,
        grid: [1; 3],
        block: [threads, 1, 1],
        shared: 0,
        cooperative: false,
        parameters: parameters.to_vec(),
    }
}

/// The stream that a program means that names none.
const LEGACY: DefaultStream = DefaultStream::Legacy;
