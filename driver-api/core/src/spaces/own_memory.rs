//! Kernels that run in the program's own memory, at the program's own addresses: `ptx_run` of GPU
//! Ocelot. Emulators of whole devices load it, keep the device's memory in the process, and know no
//! contexts or allocations.
//!
//! Each run has a device for itself. Pages of the program lie in it at their own addresses, so
//! pointers in memory mean the same on both sides. Nothing says which pages a kernel needs. A run
//! begins with a few pages from each pointer on. If it leaves them for memory that the program has,
//! it begins again with more of them. At the end, the kernel's changes go back to the program.
//!
//! In which direction it can be wrong: the bounds of allocations are not known here. So a kernel
//! that leaves one for another is not found. Only the text of the last run is printed. Memory that
//! other threads of the program write meanwhile has old values.

use std::fmt;

use warpsim::host::{
    Argument, Backing, Device, DeviceError, Launch, ModuleHandle, Pointer, Simulator,
};
use warpsim::observe::Statistics;
use warpsim::report::{Code, Outcome, Report};

use crate::launches::Judgement;
use crate::state::{Call, State};
use crate::told::ledger::Note;

/// Bytes from a pointer on that a run begins with.
const FIRST: u64 = 64 << 10;

/// Pages are multiples of this.
const PAGE: u64 = 4096;

/// Where memory of the device begins: the first address that is not in the page of null.
const LOWEST: u64 = PAGE;

/// A run of the only kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnMemoryRun<'a> {
    /// The module, as text.
    pub source: &'a [u8],
    /// A word for each parameter: an address or a number.
    pub values: &'a [u64],
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub shared: u32,
}

/// Memory of the program that may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mapping {
    /// Where it begins, a multiple of 4096.
    pub first: u64,
    /// Where it ends, a multiple of 4096.
    pub end: u64,
    /// Whether it may be written, too.
    pub is_writable: bool,
}

/// Why a kernel did not run, or did not complete.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnMemoryError {
    /// The module cannot be read; the text says why.
    Module(String),
    /// The module has these kernels, but must have one.
    Kernels(Vec<String>),
    /// The kernel has another number of parameters.
    Values {
        /// Its name.
        kernel: String,
        /// How many it has.
        wanted: usize,
        /// How many were given.
        given: usize,
    },
    /// The program has memory at an address that generic addresses of a GPU use for something else.
    Address(u64),
    /// The device cannot start the kernel.
    Device(DeviceError),
    /// The kernel wrote memory that the program may only read.
    ReadOnly(u64),
    /// The kernel did not complete.
    Stopped {
        /// Its name.
        kernel: String,
        /// How it ended.
        outcome: Outcome,
        /// The text of the first finding.
        why: Option<String>,
    },
}

impl fmt::Display for OwnMemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OwnMemoryError::Module(why) => write!(f, "the module cannot be read: {why}"),
            OwnMemoryError::Kernels(kernels) if kernels.is_empty() => {
                f.write_str("the module has no kernel")
            }
            OwnMemoryError::Kernels(kernels) => {
                write!(f, "the module has several kernels: {}", kernels.join(", "))
            }
            OwnMemoryError::Values { kernel, wanted, given } => {
                write!(f, "`{kernel}` has {wanted} parameters, and {given} values are given")
            }
            OwnMemoryError::Address(address) => write!(
                f,
                "the program has memory at 0x{address:x}, where generic addresses mean other \
                 memory; run it again, so that the system chooses another address"
            ),
            OwnMemoryError::Device(error) => error.fmt(f),
            OwnMemoryError::ReadOnly(address) => {
                write!(f, "the kernel writes at 0x{address:x}, where the program may only read")
            }
            OwnMemoryError::Stopped { kernel, outcome, why: Some(why) } => {
                write!(f, "`{kernel}` ended with {}: {why}", outcome.name())
            }
            OwnMemoryError::Stopped { kernel, outcome, why: None } => {
                write!(f, "`{kernel}` ended with {}", outcome.name())
            }
        }
    }
}

impl std::error::Error for OwnMemoryError {}

/// Memory of the program that a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    first: u64,
    end: u64,
}

/// What runs of one kernel have of the program's memory. Stretches neither overlap nor touch, and
/// ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stretches(Vec<Stretch>);

impl Stretches {
    /// Adds pages around an address, as far as the program has them. Returns whether there are more
    /// of them than before.
    fn add(&mut self, address: u64, before: u64, behind: u64, mappings: &[Mapping]) -> bool {
        let has_it = |mapping: &&Mapping| (mapping.first..mapping.end).contains(&address);
        let Some(mapping) = mappings.iter().find(has_it) else { return false };
        let page = address - address % PAGE;
        let first = page.saturating_sub(before).max(mapping.first);
        let end = page.saturating_add(behind).min(mapping.end);
        let old = self.clone();
        let mut all = std::mem::take(&mut self.0);
        all.push(Stretch { first, end });
        all.sort_unstable();
        for stretch in all {
            match self.0.last_mut() {
                Some(last) if stretch.first <= last.end => last.end = last.end.max(stretch.end),
                Some(_) | None => self.0.push(stretch),
            }
        }
        *self != old
    }

    /// Adds the pages that a run lacked. Returns whether there was something to add.
    fn add_lacking(&mut self, address: u64, mappings: &[Mapping]) -> bool {
        let has = self.0.iter().map(|stretch| stretch.end - stretch.first).sum::<u64>();
        let more = has.max(FIRST);
        // An access may begin within the last bytes that a run has, and go on behind them.
        self.add(address, more, more, mappings)
    }
}

/// What the program had in a stretch when a run began.
#[derive(Debug)]
struct Given {
    first: u64,
    bytes: Vec<u8>,
}

/// The address at which a run left the memory that it has.
fn lacking(report: &Report) -> Option<u64> {
    let left = report.findings.iter().find(|finding| finding.code == Code::OutOfBounds);
    left.and_then(|finding| finding.address).filter(|_| report.outcome == Outcome::Finding)
}

/// The values as a kernel's parameters are wide.
fn arguments(
    device: &mut Simulator,
    module: ModuleHandle,
    kernel: &str,
    values: &[u64],
) -> Result<Vec<Argument>, OwnMemoryError> {
    let program = device.program(module, kernel).map_err(OwnMemoryError::Device)?;
    let (wanted, given) = (program.parameters.len(), values.len());
    if wanted != given {
        return Err(OwnMemoryError::Values { kernel: kernel.to_owned(), wanted, given });
    }
    let pairs = program.parameters.iter().zip(values);
    let argument = |size: u32, value: &u64| {
        let bytes = value.to_le_bytes().into_iter().take(size as usize);
        Argument::Bytes(bytes.collect())
    };
    Ok(pairs.map(|(parameter, value)| argument(parameter.size, value)).collect())
}

impl Call<'_> {
    /// Runs a kernel in the program's memory, and waits for it.
    ///
    /// # Errors
    /// [`OwnMemoryError`].
    pub fn run_in_own_memory(
        &mut self,
        run: &OwnMemoryRun<'_>,
        mappings: &[Mapping],
    ) -> Result<(), OwnMemoryError> {
        let ended = self.run_to_its_end(run, mappings);
        // Else the launch would count as one that never ended.
        self.host.note(Note::Done(self.state.done()));
        ended
    }

    fn run_to_its_end(
        &mut self,
        run: &OwnMemoryRun<'_>,
        mappings: &[Mapping],
    ) -> Result<(), OwnMemoryError> {
        let number = self.state.launches + 1;
        let name = format!("module {number}");
        let module = self.module(run.source, &name);
        let module = module.map_err(|error| OwnMemoryError::Module(error.log))?;
        let kernels = warpsim::lower::kernels(&module);
        let [kernel] = kernels[..] else {
            return Err(OwnMemoryError::Kernels(kernels.into_iter().map(str::to_owned).collect()));
        };
        let launch =
            Launch { grid: run.grid, block: run.block, shared: run.shared, cooperative: false };
        let State { launched, options, .. } = &mut *self.state;
        let chosen = launched.next(kernel, options);
        let checking =
            chosen.is_checked.then(|| launched.checking((kernel, &name), &launch, options));
        self.host.note(Note::Begins { launch: number, kernel });
        let mut stretches = Stretches::default();
        for value in run.values {
            stretches.add(*value, 0, FIRST, mappings);
        }
        let (mut device, given, report) = loop {
            let (mut device, given) = self.own_memory_device(&stretches)?;
            device.settings_mut().checking.clone_from(&checking);
            let handle = device.load(&module).map_err(OwnMemoryError::Device)?;
            let arguments = arguments(&mut device, handle, kernel, run.values)?;
            // A run that lacks memory is none that counts.
            let counts = self.state.counted.as_mut().filter(|_| chosen.is_counted);
            let report = match counts.map(|counts| counts.of(kernel, &name)) {
                Some(counts) => {
                    *counts = Statistics::default();
                    device.launch_observed(handle, kernel, &launch, &arguments, counts)
                }
                None => device.launch(handle, kernel, &launch, &arguments),
            };
            let report = report.map_err(OwnMemoryError::Device)?;
            // Each time there is more of what the program has, which has an end.
            let lacks = lacking(&report);
            if !lacks.is_some_and(|address| stretches.add_lacking(address, mappings)) {
                break (device, given, report);
            }
        };
        self.state.launches = number;
        let State { launched, options, .. } = &mut *self.state;
        launched.done(chosen, options);
        self.host.print(&report.printed.text);
        let judgement = Judgement::from(&report);
        self.record_launch(judgement, (number, kernel.to_owned(), name), chosen);
        self.give_back_own_memory(&mut device, &given, mappings)?;
        match report.outcome {
            Outcome::Completed => Ok(()),
            outcome => Err(OwnMemoryError::Stopped {
                kernel: kernel.to_owned(),
                outcome,
                why: report.findings.first().map(|finding| finding.explanation.clone()),
            }),
        }
    }

    /// A device that has these stretches of the program's memory, and what they hold.
    fn own_memory_device(
        &self,
        stretches: &Stretches,
    ) -> Result<(Simulator, Vec<Given>), OwnMemoryError> {
        let mut device = self.state.options.device().with_memory_at(LOWEST);
        let mut given = Vec::new();
        for Stretch { first, end } in stretches.0.iter().copied() {
            let at = Pointer(first);
            let mapped = device.map(at, Backing::new(end - first));
            mapped.map_err(|_| OwnMemoryError::Address(first))?;
            let mut bytes = vec![0; (end - first) as usize];
            self.host.load(first, &mut bytes);
            device.upload(at, &bytes).map_err(OwnMemoryError::Device)?;
            given.push(Given { first, bytes });
        }
        Ok((device, given))
    }

    /// Writes a kernel's changes to the program. Bytes that it did not change may be others by now:
    /// this library allocates in the same memory.
    fn give_back_own_memory(
        &self,
        device: &mut Simulator,
        given: &[Given],
        mappings: &[Mapping],
    ) -> Result<(), OwnMemoryError> {
        for Given { first, bytes } in given {
            let mut new = vec![0; bytes.len()];
            device.download(Pointer(*first), &mut new).map_err(OwnMemoryError::Device)?;
            let pages = bytes.chunks(PAGE as usize).zip(new.chunks(PAGE as usize));
            for ((old, new), at) in pages.zip((*first..).step_by(PAGE as usize)) {
                if old == new {
                    continue;
                }
                let has_it = |mapping: &&Mapping| (mapping.first..mapping.end).contains(&at);
                if !mappings.iter().find(has_it).is_some_and(|mapping| mapping.is_writable) {
                    return Err(OwnMemoryError::ReadOnly(at));
                }
                self.host.merge(at, old, new);
            }
        }
        Ok(())
    }
}
