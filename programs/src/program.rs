//! A program: texts, variants, a host driver and an oracle.

use std::fmt;
use std::ops::RangeInclusive;

use warpsim::check::Checking;
use warpsim::host::{Device, DeviceError, ModuleHandle, Simulator};
use warpsim::ptx::{Module, SyntaxError};
use warpsim::report::{Code, Outcome, Report};

use crate::numbers::Numbers;

/// A program that comes with warpsim: ints in, numbers out.
#[derive(Debug)]
pub struct Program {
    /// What `warpsim programs` calls it.
    pub name: &'static str,
    /// What it computes, in a line.
    pub summary: &'static str,
    /// The CUDA source, named as `.file` in the PTX names it.
    pub source: Text,
    /// The PTX of each form.
    pub ptx: &'static [(Form, Text)],
    /// The variants; the first is the one to begin with.
    pub variants: &'static [Variant],
    /// The lengths of input that it takes.
    pub length: Length,
    /// The ints that it takes.
    pub values: RangeInclusive<i32>,
    /// The inputs that it is shown, checked and recorded with.
    pub inputs: Inputs,
    /// How much a right result may differ from the oracle's. It is 0 if they must be equal.
    pub tolerance: f64,
    /// The output of running it.
    pub told: Told,
    /// The host driver: module, kernel, input.
    pub(crate) driver: Driver,
    /// What a variant should compute, found on the CPU.
    pub(crate) oracle: Oracle,
}

/// Every int: the values that most programs take.
pub(crate) const ANY: RangeInclusive<i32> = i32::MIN..=i32::MAX;

/// The inputs of a program.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// To show it with.
    pub example: fn() -> Vec<i32>,
    /// To check it with for races and the like, which takes far longer.
    pub checked: fn() -> Vec<i32>,
    /// To record it with on a GPU: SPECs of ints, as the command's options write them.
    pub recorded: &'static [&'static str],
}

impl Inputs {
    /// 1, 2, 3, ..., a thousand of them; recorded with random numbers, too.
    pub(crate) const COUNTING: Inputs = Inputs {
        example: thousand,
        checked: thousand,
        recorded: &["s32[1000]=iota:1", "s32[1000]=rand:71:-100000:100000"],
    };
}

fn thousand() -> Vec<i32> {
    (1..=1000).collect()
}

/// The output of running a program.
#[derive(Clone, Copy, Debug)]
pub enum Told {
    /// Each variant with its verdict.
    Verdicts,
    /// A story in words instead.
    Story(fn(Colour) -> Result<String, RunError>),
    /// The verdicts, and then the results of a separate function.
    Report(Reporting),
}

/// How a program reports on itself.
#[derive(Clone, Copy, Debug)]
pub struct Reporting {
    /// The sizes that `--n` may ask for; `None` when there is nothing to ask for.
    pub sizes: Option<(u64, u64)>,
    /// Whether there is something to sweep over.
    pub has_sweep: bool,
    /// Finds out on a device, and words it.
    pub report: fn(&mut dyn Device, &Asked) -> Result<String, RunError>,
}

/// What a report is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Whether to colour words.
    pub colour: Colour,
    /// The size of the problem; `None` for the program's own.
    pub n: Option<u64>,
    /// To run over all that can be swept over.
    pub sweep: bool,
}

/// A text and the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file's name, without folders.
    pub file: &'static str,
    /// Its contents.
    pub text: &'static str,
}

/// Whether to colour words that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// ANSI escape sequences.
    Ansi,
}

/// Host code: what it launches to turn an input into a result.
pub(crate) type Driver =
    fn(&mut dyn Device, ModuleHandle, &Variant, &[i32]) -> Result<Numbers, RunError>;

/// What a variant turns an input into, found on the CPU.
pub(crate) type Oracle = fn(&Variant, &[i32]) -> Numbers;

/// How the compiler that made the PTX was asked to treat the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// NVRTC `-Ofc=max`: nearly every memory access of the source is there.
    Naive,
    /// NVRTC's default: optimised. A variant that is [`Soundness::AsWritten`] is wrong in this
    /// form.
    Optimised,
}

impl Form {
    /// The name in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Form::Naive => "naive",
            Form::Optimised => "optimised",
        }
    }
}

/// A kernel that does the program's work in its own way.
#[derive(Debug)]
pub struct Variant {
    /// The name, for example `volatile`.
    pub name: &'static str,
    /// The `.entry` that makes the difference.
    pub kernel: &'static str,
    /// What it takes for the result to be right.
    pub soundness: Soundness,
    /// What to know about it, in a line.
    pub note: &'static str,
}

/// What it takes for a variant's result to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Soundness {
    /// Nothing: its barriers order what has to be ordered, and no compiler may move anything past
    /// them.
    Synchronised,
    /// That the lanes of a warp move together. Wrong under schedules that make them diverge.
    WarpSynchronous,
    /// That lanes move together, and that the compiler makes every access that is written. Wrong on
    /// purpose under `register-cache`, and in [`Form::Optimised`].
    AsWritten,
    /// That the lanes of a warp move together, as votes without a mask do. Wrong under schedules
    /// that make them diverge; no access to memory shows that, so that checking finds nothing, and
    /// only exploring schedules does.
    Unmasked,
    /// Wrong on purpose, though some schedule may make the result right. Checking it has a finding
    /// of one of these kinds.
    Faulty(&'static [Code]),
}

impl Soundness {
    /// Whether the result is right when the lanes of a warp move together (the default schedule);
    /// `None` for what promises nothing.
    pub fn is_right(self, form: Form, register_cached: bool) -> Option<bool> {
        match self {
            Soundness::Synchronised | Soundness::WarpSynchronous | Soundness::Unmasked => {
                Some(true)
            }
            Soundness::AsWritten => Some(form == Form::Naive && !register_cached),
            Soundness::Faulty(_) => None,
        }
    }

    /// What it takes, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Soundness::Synchronised => "always right",
            Soundness::WarpSynchronous | Soundness::Unmasked => {
                "right while the lanes move together"
            }
            Soundness::AsWritten => "right only as written, lanes together",
            Soundness::Faulty(_) => "wrong on purpose",
        }
    }
}

/// The lengths of input that a program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Just this many numbers.
    Exactly(usize),
    /// Any number of numbers up to this.
    AtMost(usize),
}

impl Length {
    /// Whether an input may be this long.
    pub fn allows(self, length: usize) -> bool {
        match self {
            Length::Exactly(n) => length == n,
            Length::AtMost(n) => length <= n,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Exactly(n) => write!(f, "exactly {n} numbers"),
            Length::AtMost(n) => write!(f, "at most {n} numbers"),
        }
    }
}

/// Why a program gave no result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunError {
    /// The program has no PTX of this form.
    NoSuchForm(Form),
    /// The PTX could not be parsed; a defect of ours.
    Parse(SyntaxError),
    /// The input has a length that the program does not take.
    Length {
        /// The numbers given.
        found: usize,
        /// The lengths it takes.
        allowed: Length,
    },
    /// An int of the input is none that the program takes.
    Value {
        /// The int given.
        found: i32,
        /// The ints that it takes.
        allowed: RangeInclusive<i32>,
    },
    /// The device refused a call.
    Device(DeviceError),
    /// A launch did not finish.
    Stopped {
        /// The kernel.
        kernel: &'static str,
        /// What happened.
        report: Box<Report>,
    },
    /// A story or a report lacks this. It is a defect of warpsim.
    NothingToTell(&'static str),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NoSuchForm(form) => write!(f, "there is no {} form", form.name()),
            RunError::Parse(error) => write!(f, "{error}"),
            RunError::Length { found, allowed } => {
                write!(f, "the program takes {allowed}, and got {found}")
            }
            RunError::Value { found, allowed } => {
                let (least, most) = allowed.clone().into_inner();
                write!(f, "the program takes numbers from {least} to {most}, and got {found}")
            }
            RunError::Device(error) => write!(f, "{error}"),
            RunError::Stopped { kernel, report } => {
                write!(f, "kernel `{kernel}` ended with `{}`", report.outcome)?;
                match report.findings.first() {
                    Some(finding) => write!(f, ": {}", finding.explanation),
                    None => Ok(()),
                }
            }
            RunError::NothingToTell(what) => write!(f, "the runs do not show {what}"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<DeviceError> for RunError {
    fn from(error: DeviceError) -> RunError {
        RunError::Device(error)
    }
}

impl Program {
    /// The variant of this name.
    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// The PTX text of a form.
    pub fn text(&self, form: Form) -> Option<Text> {
        self.ptx.iter().find(|(f, _)| *f == form).map(|(_, text)| *text)
    }

    /// The PTX of a form, parsed; a pass may be applied to it before [`Program::run`].
    ///
    /// # Errors
    /// When there is no such form.
    pub fn module(&self, form: Form) -> Result<Module, RunError> {
        let ptx = self.text(form).ok_or(RunError::NoSuchForm(form))?;
        warpsim::ptx::parse(ptx.file, ptx.text).map_err(RunError::Parse)
    }

    /// A simulator that checks what it runs, and a form of the program in it.
    ///
    /// # Errors
    /// When there is no such form, or the simulator refuses it.
    pub(crate) fn checked(&self, form: Form) -> Result<(Simulator, ModuleHandle), RunError> {
        let mut simulator = Simulator::default();
        simulator.settings_mut().checking = Some(Checking::default());
        let module = simulator.load(&self.module(form)?)?;
        Ok((simulator, module))
    }

    /// Runs a variant of the program: loads the module, copies the input to the device, launches
    /// what there is to launch and copies the result back.
    ///
    /// # Errors
    /// When the program does not take the input, the device refuses a call, or a launch does not
    /// complete.
    pub fn run(
        &self,
        device: &mut dyn Device,
        module: &Module,
        variant: &Variant,
        input: &[i32],
    ) -> Result<Numbers, RunError> {
        if !self.length.allows(input.len()) {
            return Err(RunError::Length { found: input.len(), allowed: self.length });
        }
        if let Some(&found) = input.iter().find(|int| !self.values.contains(int)) {
            return Err(RunError::Value { found, allowed: self.values.clone() });
        }
        let module = device.load(module)?;
        (self.driver)(device, module, variant, input)
    }

    /// What a variant should compute, found on the CPU. Sums wrap, as the kernels' do.
    pub fn oracle(&self, variant: &Variant, input: &[i32]) -> Numbers {
        (self.oracle)(variant, input)
    }

    /// Whether a result is as expected.
    pub fn is_right(&self, found: &Numbers, expected: &Numbers) -> bool {
        found.is_within(expected, self.tolerance)
    }

    /// An input to show the program with.
    pub fn example_input(&self) -> Vec<i32> {
        (self.inputs.example)()
    }
}

/// An error unless the launch completed.
pub(crate) fn completed(kernel: &'static str, report: Report) -> Result<(), RunError> {
    match report.outcome {
        Outcome::Completed => Ok(()),
        _ => Err(RunError::Stopped { kernel, report: Box::new(report) }),
    }
}
