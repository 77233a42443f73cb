//! What a program is: texts, variants, a host driver and an oracle.

use std::fmt;

use warpsim::host::{Device, DeviceError, ModuleHandle};
use warpsim::ptx::{Module, SyntaxError};
use warpsim::report::{Outcome, Report};

/// A program that comes with warpsim: numbers in, numbers out.
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
    /// The variants, which all compute the same; the first is the one to begin with.
    pub variants: &'static [Variant],
    /// The lengths of input that it takes.
    pub length: Length,
    /// A story about it in words, where there is one to tell.
    pub story: Option<fn(Colour) -> Result<String, RunError>>,
    /// The host driver: module, kernel, input.
    pub(crate) driver: Driver,
    /// The same result on the CPU.
    pub(crate) oracle: fn(&[i32]) -> Vec<i32>,
}

/// A text and the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file's name, without folders.
    pub file: &'static str,
    /// What stands in it.
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
    fn(&mut dyn Device, ModuleHandle, &Variant, &[i32]) -> Result<Vec<i32>, RunError>;

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

/// A kernel that computes the program's result in its own way.
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
    /// That the lanes of a warp move together. Wrong under schedules that part them.
    WarpSynchronous,
    /// That lanes move together, and that the compiler makes every access that is written. Wrong on
    /// purpose under `register-cache`, and in [`Form::Optimised`].
    AsWritten,
}

impl Soundness {
    /// Whether the result is right when the lanes of a warp move together (the default schedule).
    pub fn is_right(self, form: Form, register_cached: bool) -> bool {
        self != Soundness::AsWritten || (form == Form::Naive && !register_cached)
    }

    /// What it takes, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Soundness::Synchronised => "always right",
            Soundness::WarpSynchronous => "right while the lanes move together",
            Soundness::AsWritten => "right only as written, lanes together",
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
    /// The device refused a call.
    Device(DeviceError),
    /// A launch did not come to its end.
    Stopped {
        /// The kernel.
        kernel: &'static str,
        /// What happened.
        report: Box<Report>,
    },
    /// The story of `volatile` could not be told for want of this; a defect of ours.
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

    /// Runs a variant of the program: loads the module, copies the input to the device, launches
    /// what there is to launch and copies the result back.
    ///
    /// # Errors
    /// When the input has the wrong length, the device refuses a call, or a launch does not
    /// complete.
    pub fn run(
        &self,
        device: &mut dyn Device,
        module: &Module,
        variant: &Variant,
        input: &[i32],
    ) -> Result<Vec<i32>, RunError> {
        if !self.length.allows(input.len()) {
            return Err(RunError::Length { found: input.len(), allowed: self.length });
        }
        let module = device.load(module)?;
        (self.driver)(device, module, variant, input)
    }

    /// The right result, computed on the CPU. Sums wrap, as the kernels' do.
    pub fn oracle(&self, input: &[i32]) -> Vec<i32> {
        (self.oracle)(input)
    }

    /// An input to show the program with: 1, 2, 3, ...
    pub fn example_input(&self) -> Vec<i32> {
        let length = match self.length {
            Length::Exactly(n) => n,
            Length::AtMost(n) => n.min(1000),
        };
        (1..).take(length).collect()
    }
}

/// An error unless the launch completed.
pub(crate) fn completed(kernel: &'static str, report: Report) -> Result<(), RunError> {
    match report.outcome {
        Outcome::Completed => Ok(()),
        _ => Err(RunError::Stopped { kernel, report: Box::new(report) }),
    }
}
