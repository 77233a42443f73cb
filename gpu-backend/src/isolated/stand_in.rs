//! A simulator in place of a GPU, so that everything above a GPU can be tested where there is none.
//!
//! The environment variable `WARPSIM_GPU_STAND_IN` selects it: `simulator`, or `simulator:` and
//! words with commas between them.
//!
//! | word | effect |
//! |---|---|
//! | `schedule=TEXT` | the schedule, in its printed form |
//! | `steps=N` | a launch that takes more steps never ends |
//! | `leftover` | shared memory holds what the block before left; it does anyway |
//! | `busy` | before each launch another process leaves something in the shared memory of the first third of the multiprocessors |
//! | `hang` | no launch ever ends |
//! | `abort` | the process aborts at a launch, as a driver may |
//! | `no-linking` | the linker refuses every module of several files |
//! | `off-by-one` | the first cell that is downloaded after a launch is one more than it should be |
//!
//! It behaves as hardware does where the simulator knows better. A deadlock or an endless loop
//! never answers. Every other bad end is a fault, in words, and loses everything. The
//! register-caching pass replaces the driver's compiler, at levels from 1 on and by default.

use std::borrow::Cow;
use std::thread;
use std::time::Duration;

use warpsim::host::{
    Argument, Device, DeviceError, Launch, ModuleHandle, Pointer, Relay, SharedInit, Simulator,
};
use warpsim::passes::register_cache;
use warpsim::ptx::{self, Module};
use warpsim::report::{Code, Counts, Finding, Outcome, Report, Severity};

use super::serve::Serves;
use crate::error::GpuError;
use crate::jit::JitLevel;
use crate::probe::GpuFacts;

/// The environment variable that asks for it.
pub(super) const VARIABLE: &str = "WARPSIM_GPU_STAND_IN";

/// Its value to act as if there were no GPU, even on a machine that has one.
pub(super) const NONE: &str = "none";

/// Its name.
const NAME: &str = "simulator (standing in for a GPU)";

/// What it does wrong on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Planted {
    #[default]
    Nothing,
    Hang,
    Abort,
    OffByOne,
    NoLinking,
    Busy,
}

/// The kernel that another process launches, if the stand-in is `busy`.
const SOMEBODY_ELSE: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry somebody()
{
  .reg .u32 %r<4>; .shared .align 4 .b8 s[4096];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;
  ret;
}
";

/// The simulator, and how it imitates hardware.
#[derive(Debug)]
pub(super) struct StandIn {
    text: String,
    simulator: Simulator,
    facts: GpuFacts,
    jit: JitLevel,
    planted: Planted,
    /// A launch has faulted: nothing works any more.
    is_lost: bool,
    /// A launch has ended, and nothing was downloaded since.
    is_fresh: bool,
}

impl StandIn {
    /// What the variable's text asks for.
    ///
    /// # Errors
    /// When the text cannot be read, or the number is not 0.
    pub(super) fn open(text: &str, ordinal: u32) -> Result<StandIn, GpuError> {
        if ordinal > 0 {
            return Err(GpuError::NoGpu { ordinal, count: 1 });
        }
        let (simulator, planted) = configured(text)?;
        let profile = simulator.profile();
        let facts = GpuFacts {
            ordinal,
            name: NAME.to_owned(),
            capability: (9, 0),
            multiprocessors: profile.multiprocessors,
            shared_per_block: profile.shared_per_block,
            memory: profile.global_memory,
            cuda: (13, 0),
            driver: None,
        };
        let jit = JitLevel::default();
        let text = text.to_owned();
        Ok(StandIn { text, simulator, facts, jit, planted, is_lost: false, is_fresh: false })
    }

    fn check(&self) -> Result<(), DeviceError> {
        if self.is_lost { Err(DeviceError::Lost) } else { Ok(()) }
    }
}

/// The simulator that the variable's text asks for.
fn configured(text: &str) -> Result<(Simulator, Planted), GpuError> {
    let unclear =
        |what: &str| GpuError::Worker { what: format!("does not understand {VARIABLE}: {what}") };
    let (name, words) = text.split_once(':').unwrap_or((text, ""));
    if name != "simulator" {
        return Err(unclear(&format!("`{name}` is not `simulator`")));
    }
    let mut simulator = Simulator::default();
    let mut planted = Planted::default();
    let settings = simulator.settings_mut();
    settings.shared_init = SharedInit::Leftover;
    for word in words.split(',').filter(|word| !word.is_empty()) {
        match word.split_once('=').unwrap_or((word, "")) {
            ("schedule", schedule) => {
                settings.schedule =
                    schedule.parse().map_err(|error| unclear(&format!("`{word}`: {error}")))?;
            }
            ("steps", steps) => {
                settings.max_steps =
                    steps.parse().map_err(|_| unclear(&format!("`{word}` is no number")))?;
            }
            ("leftover", "") => settings.shared_init = SharedInit::Leftover,
            ("hang", "") => planted = Planted::Hang,
            ("abort", "") => planted = Planted::Abort,
            ("off-by-one", "") => planted = Planted::OffByOne,
            ("no-linking", "") => planted = Planted::NoLinking,
            ("busy", "") => planted = Planted::Busy,
            _ => return Err(unclear(&format!("`{word}` is no word of it"))),
        }
    }
    Ok((simulator, planted))
}

/// What hardware does with threads that never end; the parent ends the process.
fn never_answer() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// A report with nothing in it.
fn done() -> Report {
    Report::new(Outcome::Completed, Counts::default())
}

/// What a driver reports about a launch that went wrong: hardly anything.
fn fault(report: &Report) -> Report {
    let what = report.findings.first().map_or(report.outcome.name(), |f| f.code.name());
    let words = format!("the launch failed: {what}");
    let findings = vec![Finding::new(Severity::Error, Code::Fault, words)];
    Report::new(Outcome::Fault, Counts::default()).with_findings(findings)
}

impl Serves for StandIn {
    fn facts(&self) -> GpuFacts {
        self.facts.clone()
    }

    fn set_jit(&mut self, level: JitLevel) {
        self.jit = level;
    }

    fn clear(&mut self) -> Result<(), GpuError> {
        if !self.is_lost {
            (self.simulator, self.planted) = configured(&self.text)?;
            self.is_fresh = false;
        }
        Ok(())
    }
}

impl Relay for StandIn {
    fn title(&self) -> String {
        NAME.to_owned()
    }

    fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        self.check()?;
        self.simulator.variable(module, name)
    }

    fn hand_on<R>(
        &mut self,
        ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        self.check()?;
        ask(&mut self.simulator)
    }

    fn in_place_of<'m>(&self, module: &'m Module) -> Result<Cow<'m, Module>, DeviceError> {
        self.check()?;
        if let (Planted::NoLinking, Some(files)) = (self.planted, ptx::linked_files(module)) {
            let error = GpuError::NotLinked {
                files: files.into_iter().map(|(name, _)| name.to_owned()).collect(),
                refused: None,
                code: 0,
                words: "no linking was asked for".to_owned(),
            };
            return Err(DeviceError::Driver(error.to_string()));
        }
        match self.jit {
            JitLevel::Level(0) => Ok(Cow::Borrowed(module)),
            _ => Ok(Cow::Owned(register_cache(module)?.module)),
        }
    }

    /// Runs the other process's kernel, if the stand-in is `busy`.
    fn before_launch(&mut self, _: &str, _: &Launch, _: &[Argument]) -> Result<(), DeviceError> {
        self.check()?;
        if self.planted != Planted::Busy {
            return Ok(());
        }
        let module = ptx::parse("somebody.ptx", SOMEBODY_ELSE);
        let module = module.map_err(|error| DeviceError::Driver(error.to_string()))?;
        let module = self.simulator.load(&module)?;
        let launch = Launch::new(self.facts.multiprocessors.div_ceil(3), 1024);
        self.simulator.launch(module, "somebody", &launch, &[]).map(drop)
    }

    /// The report as from hardware; does not return where hardware would not.
    fn ended(&mut self, report: Report) -> Report {
        match (self.planted, report.outcome) {
            // On purpose: this fault was planted.
            (Planted::Abort, _) => std::process::abort(),
            (Planted::Hang, _) | (_, Outcome::Deadlock | Outcome::Livelock | Outcome::Limit) => {
                never_answer()
            }
            (_, Outcome::Completed) => {
                self.is_fresh = true;
                done().with_findings(report.findings)
            }
            _ => {
                self.is_lost = true;
                fault(&report)
            }
        }
    }

    /// Plants the difference that was asked for.
    fn downloaded(&mut self, bytes: &mut [u8]) {
        if !std::mem::take(&mut self.is_fresh) || self.planted != Planted::OffByOne {
            return;
        }
        if let Some(cell) = bytes.first_chunk_mut::<4>() {
            *cell = u32::from_le_bytes(*cell).wrapping_add(1).to_le_bytes();
        } else if let Some(cell) = bytes.first_mut() {
            *cell = cell.wrapping_add(1);
        }
    }
}
