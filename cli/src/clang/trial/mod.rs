//! A compiler is tried before it is trusted: it compiles kernels with known results, and these run
//! on the simulator.
//!
//! The kernels (`kernels.cu`) are small and race-free. They are compiled as programs are, optimised
//! and not, and launched under the schedules that checking uses. `expected` computes the right
//! results independently. A compiler fails if a word differs, if a launch does not complete, or if
//! checking finds anything. The source is clean, so its PTX must be.
//!
//! A compiler that passes may still be wrong elsewhere. If one fails, it is wrong, or the simulator
//! or these headers are. Each mistake names the kernel that showed it, so that a person can examine
//! it.

mod cases;
mod expected;
mod kept;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};
use warpsim::check::Checking;
use warpsim::diagnostics::Severity;
use warpsim::host::{Argument, Device as _, DeviceError, Launch, ModuleHandle, Simulator};
use warpsim::ptx::{self, Module};
use warpsim::report::Outcome;

use self::cases::{CASES, Case};
use self::kept::Identity;
use super::{Clang, Device};
use crate::failure::Failure;

/// The kernels.
const KERNELS: &str = include_str!("kernels.cu");

/// After this many warp instructions a launch is given up: the longest of the kernels takes some
/// ten thousand.
const MOST_STEPS: u64 = 2_000_000;

/// Something that a compiler does wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mistake {
    /// What, in words.
    pub(crate) wrong: String,
    /// The kernel of the trial that shows it.
    pub(crate) kernel: String,
    /// How it was compiled: `-O2`.
    pub(crate) level: String,
    /// What came out.
    pub(crate) evidence: String,
}

/// The result of a compiler's trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Every kernel is right.
    Passes,
    /// Some are not.
    Fails(Vec<Mistake>),
    /// It does not compile them, or to what cannot run here: why.
    Unusable(String),
}

/// Why a trial has no result.
#[derive(Debug)]
enum Stopped {
    /// The compiler, or what it wrote: a verdict.
    Unusable(String),
    /// Something else: no verdict.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// The verdict on a compiler: the kept one of the same compiler, or the result of a trial now.
///
/// # Errors
/// Files of the trial cannot be written.
pub(super) fn verdict(compiler: &Path) -> Result<Verdict, Failure> {
    let identity = Identity::of(compiler);
    if let Some(mistakes) = identity.as_ref().and_then(kept::read) {
        return Ok(judged(mistakes));
    }
    match tried(compiler) {
        Ok(mistakes) => {
            if let Some(identity) = &identity {
                kept::write(identity, &mistakes);
            }
            Ok(judged(mistakes))
        }
        // It is not kept: what it lacks may be installed by the next time.
        Err(Stopped::Unusable(why)) => Ok(Verdict::Unusable(why)),
        Err(Stopped::Failed(failure)) => Err(failure),
    }
}

fn judged(mistakes: Vec<Mistake>) -> Verdict {
    match mistakes.is_empty() {
        true => Verdict::Passes,
        false => Verdict::Fails(mistakes),
    }
}

/// Compiles the kernels at both levels, side by side, and runs them. Returns the mistakes.
fn tried(compiler: &Path) -> Result<Vec<Mistake>, Stopped> {
    let folder = super::folder()?;
    let file = folder.path().join("kernels.cu");
    fs::write(&file, KERNELS).map_err(|error| super::failed(&file, &error))?;
    let level = |name: &str, is_naive: bool| -> Result<Vec<Mistake>, Stopped> {
        let folder = folder.path().join(name);
        let clang = Clang::at(compiler, &folder, &[], &[])?;
        let device = Device { architecture: None, is_naive };
        let ptx = match clang.device(&file, device, None) {
            Ok(ptx) => ptx,
            Err(Failure::Usage { message, .. }) => return Err(Stopped::Unusable(message)),
            Err(other) => return Err(Stopped::Failed(other)),
        };
        let module = ptx::parse(name, &ptx).map_err(|error| unusable(&error))?;
        judge(&module, if is_naive { "-O0" } else { "-O2" })
    };
    thread::scope(|scope| {
        let naive = scope.spawn(|| level("naive", true));
        let optimised = level("optimised", false);
        let naive = naive.join().map_err(|_| {
            Failure::from(warpsim::internal!("the trial of a compiler has ended in a panic"))
        })?;
        Ok([optimised?, naive?].concat())
    })
}

fn unusable(error: &dyn std::fmt::Display) -> Stopped {
    Stopped::Unusable(format!("its output cannot run here: {error}"))
}

/// Launches all kernels of a module.
fn judge(module: &Module, level: &str) -> Result<Vec<Mistake>, Stopped> {
    let mut gpu = Simulator::default();
    gpu.settings_mut().max_steps = MOST_STEPS;
    gpu.settings_mut().checking = Some(Checking::default());
    let loaded = gpu.load(module).map_err(stopped)?;
    let mut mistakes = Vec::new();
    for case in CASES {
        let input = case.input.words();
        let out = launched(&mut gpu, loaded, case, &input).map_err(stopped)?;
        let evidence = match out {
            Ran::Wrongly(how) => Some(how),
            Ran::To(words) => difference(&words, &(case.right)(&input)),
        };
        mistakes.extend(evidence.map(|evidence| Mistake {
            wrong: case.wrong.to_owned(),
            kernel: case.kernel.to_owned(),
            level: level.to_owned(),
            evidence,
        }));
    }
    Ok(mistakes)
}

fn stopped(error: DeviceError) -> Stopped {
    match Failure::from(error) {
        bug @ Failure::Bug { .. } => Stopped::Failed(bug),
        other => unusable(&other),
    }
}

/// The result of a launch.
enum Ran {
    /// The contents of `out`.
    To(Vec<u32>),
    /// It did not complete, or checking found something.
    Wrongly(String),
}

fn launched(
    gpu: &mut Simulator,
    module: ModuleHandle,
    case: &Case,
    input: &[u32],
) -> Result<Ran, DeviceError> {
    let bytes =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let size = |words: usize| words as u64 * 4;
    let (from, to) = (gpu.allocate(size(input.len()))?, gpu.allocate(size(case.words))?);
    gpu.upload(from, &bytes(input))?;
    gpu.upload(to, &bytes(&vec![0; case.words]))?;
    let launch = Launch::new(case.grid, case.block);
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let report = gpu.launch(module, case.kernel, &launch, &arguments)?;
    let mut told = report.findings.iter().filter(|finding| match finding.severity {
        Severity::Error | Severity::Warning => true,
        Severity::Note => false,
    });
    if let Some(finding) = told.next() {
        return Ok(Ran::Wrongly(format!("{}: {}", finding.code.name(), finding.explanation)));
    }
    if report.outcome != Outcome::Completed {
        return Ok(Ran::Wrongly(format!("it ends as {}", report.outcome.name())));
    }
    let mut out = vec![0; case.words * 4];
    gpu.download(to, &mut out)?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    Ok(Ran::To(out.chunks_exact(4).map(word).collect()))
}

/// The first word that is wrong, in words.
fn difference(out: &[u32], right: &[u32]) -> Option<String> {
    let wrong = out.iter().zip(right).position(|(out, right)| out != right)?;
    Some(format!("out[{wrong}] is {:#x}, {:#x} is right", out[wrong], right[wrong]))
}
