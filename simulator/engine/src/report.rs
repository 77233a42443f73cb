//! The result of a run: outcomes, findings and counts, as data.
//!
//! An outcome has a kind, which is independent of its text: a defect of the program, a reached
//! limit, an event that stops the hardware. Programs that warpsim does not support give an
//! `host::DeviceError`, which never looks like the program's fault.

mod code;
mod told;

use std::fmt;

pub use code::{Code, OwnCode, Rank, UnknownCode};
pub use warpsim_language::diagnostics::Severity;

use crate::argument::ArgumentPlace;
pub use crate::ptx::SourcePosition;
use crate::ptx::Space;
pub use told::Told;
pub use warpsim_language::passes::{Side, Synchronisation};

/// One thread at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Site {
    /// The instruction's opcode with modifiers: `ld.shared.u32`.
    pub operation: String,
    /// `%tid`.
    pub thread: [u32; 3],
    /// `%ctaid`.
    pub block: [u32; 3],
    /// The warp's number in its block.
    pub warp: u32,
    /// The lane, 0 to 31.
    pub lane: u32,
    /// The line of the PTX text, from 1.
    pub ptx_line: u32,
    /// The file of that text, if modules are linked and it is not the first.
    pub ptx_file: Option<String>,
    /// The line of the source it was compiled from, if the PTX names it.
    pub source: Option<SourcePosition>,
}

/// How two conflicting accesses depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Hazard {
    /// A read after a write: a true dependence.
    ReadAfterWrite,
    /// A write after a read: an anti-dependence.
    WriteAfterRead,
    /// A write after a write: an output dependence.
    WriteAfterWrite,
}

impl Hazard {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Hazard::ReadAfterWrite => "RAW",
            Hazard::WriteAfterRead => "WAR",
            Hazard::WriteAfterWrite => "WAW",
        }
    }
}

/// The weakest synchronisation that orders all pairs of accesses of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mend {
    /// A synchronisation of the warp: `__syncwarp()`.
    Warp,
    /// A barrier of the block: `__syncthreads()`.
    Block,
    /// The two are of different blocks, which no barrier orders.
    Grid,
}

/// Synchronisation that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Remedy {
    /// The synchronisation to add.
    pub what: Synchronisation,
    /// The lines of the source beside it, if known.
    pub source: Vec<(SourcePosition, Side)>,
    /// The lines of the PTX text beside it: one for each copy that a compiler made of the place.
    pub ptx: Vec<(u32, Side)>,
}

impl Remedy {
    /// Synchronisation to be added at these places.
    pub fn new(
        what: Synchronisation,
        source: Vec<(SourcePosition, Side)>,
        ptx: Vec<(u32, Side)>,
    ) -> Remedy {
        Remedy { what, source, ptx }
    }
}

/// A defect that a run showed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The kind.
    pub code: Code,
    /// For a race: how the accesses depend on each other.
    pub hazard: Option<Hazard>,
    /// The state space of the memory concerned.
    pub space: Option<Space>,
    /// The address in that space.
    pub address: Option<u64>,
    /// The variable or allocation concerned, by the user's name: `data`, `argument 1 (pout)`.
    pub object: Option<String>,
    /// The kernel argument that the memory came from.
    pub argument: Option<ArgumentPlace>,
    /// The threads and instructions concerned, the latest first.
    pub sites: Vec<Site>,
    /// How often it happened.
    pub count: u64,
    /// The error, in a sentence.
    pub explanation: String,
    /// Further facts, a line each.
    pub notes: Vec<String>,
    /// The existing synchronisation and the missing link, step by step, if requested.
    pub chain: Vec<String>,
    /// For a race: the operations that synchronise, in their order. The first list has the
    /// operations of the earlier access's thread behind that access. The second has the operations
    /// of the later access's thread before that access.
    pub synchronisations: [Vec<Site>; 2],
    /// For a race: the operations that synchronise of a third thread, whose later ones happen after
    /// the earlier access, up to the later access. Empty where there is no such thread.
    pub third: Vec<Site>,
    /// The advice.
    pub help: Option<String>,
    /// For a race: the synchronisation that would order it.
    pub mend: Option<Mend>,
    /// The added synchronisation and its place, when the run was judged again without this finding.
    pub remedy: Option<Remedy>,
    /// The schedule under which it shows, as text; `None` for the requested one.
    pub replay: Option<String>,
}

impl Finding {
    /// A finding with the usual severity of its kind, and only a sentence.
    pub fn of(code: Code, explanation: String) -> Finding {
        Finding::new(code.severity(), code, explanation)
    }

    /// A finding with only its kind and a sentence.
    pub fn new(severity: Severity, code: Code, explanation: String) -> Finding {
        Finding {
            severity,
            code,
            hazard: None,
            space: None,
            address: None,
            object: None,
            argument: None,
            sites: Vec::new(),
            count: 1,
            explanation,
            notes: Vec::new(),
            chain: Vec::new(),
            synchronisations: [Vec::new(), Vec::new()],
            third: Vec::new(),
            help: None,
            mend: None,
            remedy: None,
            replay: None,
        }
    }
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome {
    /// Every thread exited.
    Completed,
    /// A finding stopped it: the hardware would have stopped, or the result would mean nothing.
    Finding,
    /// Threads wait for each other for ever.
    Deadlock,
    /// Threads spin for ever.
    Livelock,
    /// The limit of steps was reached.
    Limit,
    /// The hardware would report a fault other than a memory error.
    Fault,
    /// A thread executed `trap`.
    Trap,
    /// A GPU did not end within its time, and was stopped from outside.
    Hung,
}

impl Outcome {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Finding => "finding",
            Outcome::Deadlock => "deadlock",
            Outcome::Livelock => "livelock",
            Outcome::Limit => "limit",
            Outcome::Fault => "fault",
            Outcome::Trap => "trap",
            Outcome::Hung => "hung",
        }
    }

    /// Whether a GPU would go on for ever, as far as known. A GPU that did so was stopped from
    /// outside.
    pub fn is_endless(self) -> bool {
        match self {
            Outcome::Deadlock | Outcome::Livelock | Outcome::Limit | Outcome::Hung => true,
            Outcome::Completed | Outcome::Finding | Outcome::Fault | Outcome::Trap => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The counts of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Instructions executed by warps, or parts of warps.
    pub warp_instructions: u64,
    /// The same, multiplied by the lanes that took part.
    pub lane_instructions: u64,
    /// Conditional branches executed by warps.
    pub branches: u64,
    /// Conditional branches at which the lanes went different ways.
    pub divergent_branches: u64,
    /// Block barriers completed.
    pub barriers: u64,
}

/// The result of a launch.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// The counts.
    pub counts: Counts,
    /// The findings; without checks, the one that stopped it.
    pub findings: Vec<Finding>,
    /// How it was checked; `None` without checks.
    pub checked: Option<Checked>,
    /// The printed output. A GPU's driver prints to standard output, so this is empty there.
    pub printed: PrintedText,
    /// Launches that it asked for, in their order. They follow it, and have not been carried out.
    pub launches: Vec<DeviceLaunch>,
}

/// A launch that a kernel asked for (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeviceLaunch {
    /// The kernel, by its name in the module of the asking kernel; `None` if the given address is
    /// no kernel's.
    pub kernel: Option<String>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// It begins when the asking grid, and all other launches that it asked for, are over.
    pub is_tail: bool,
    /// Memory of parameters, which begins with the kernel's.
    pub parameters: Vec<u8>,
}

/// What a launch printed with `printf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrintedText {
    /// The text, in the order of the schedule.
    pub text: String,
    /// Calls whose text is lost: the buffer has 1 MiB, and the oldest make room.
    pub lost: u64,
}

impl Report {
    /// The result of a launch with these counts, without findings and checks.
    pub fn new(outcome: Outcome, counts: Counts) -> Report {
        let printed = PrintedText::default();
        let (findings, launches) = (Vec::new(), Vec::new());
        Report { outcome, counts, findings, checked: None, printed, launches }
    }

    /// The same with these findings.
    pub fn with_findings(mut self, findings: Vec<Finding>) -> Report {
        self.findings = findings;
        self
    }
}

/// How a launch was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Checked {
    /// The schedules under which it ran, as text.
    pub schedules: Vec<String>,
    /// The program does and accesses the same under every schedule, so that one is enough. It
    /// synchronises only by barriers and warp syncs. No control flow and no address depends on a
    /// read of memory that other threads may write. The first run ended, or reached a deadlock.
    pub every_schedule: bool,
    /// The schedules among them under which it was abandoned before its end, because it took far
    /// more steps than under the first.
    pub unfinished: Vec<String>,
}
