//! Every result of trying a property other than success, and its words.
//!
//! A [`Failure`] reads the same with `{}` and `{:?}`. A test that returns it, or unwraps it, shows
//! the words and not the fields.

use std::fmt;

use super::case::Case;
use super::judge::{Difference, Wrong};
use super::words;
use crate::drawing::element::ElementType;
use crate::host::DeviceError;
use crate::schedule::ScheduleError;

/// Why a property does not hold, or could not be tried.
#[derive(Clone)]
#[non_exhaustive]
pub enum Failure {
    /// A launch for which it does not hold.
    Counterexample(Box<Counterexample>),
    /// The test itself is wrong.
    Mistake(Mistake),
}

/// A launch for which a property does not hold, made as small as it got.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counterexample {
    /// The property's name.
    pub property: &'static str,
    /// What it says of a kernel.
    pub claim: &'static str,
    /// The kernel.
    pub kernel: String,
    /// The PTX file, as messages name it.
    pub file: String,
    /// The launch and the data.
    pub case: Case,
    /// The schedule, as it prints.
    pub schedule: String,
    /// What was wrong.
    pub wrong: Wrong,
    /// The launch and the data as they were drawn.
    pub first: Case,
    /// What the drawing started from.
    pub seed: u64,
    /// Which of the cases it was, from 0.
    pub number: u32,
    /// How many smaller cases were tried.
    pub tries: u32,
    /// A test, in Rust, that fails for the same reason.
    pub test: String,
    /// The `warpsim` command that shows the same, where there is one.
    pub command: Option<String>,
}

/// A test that asks for something that cannot be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mistake {
    /// The file could not be read.
    File {
        /// Its path.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// The text is not PTX; the place, drawn.
    Ptx(String),
    /// The device refuses the launch.
    Device(DeviceError),
    /// A schedule that is none.
    Schedule(ScheduleError),
    /// There is nothing to draw from.
    EmptyRange {
        /// The value to draw.
        of: String,
    },
    /// Shards do not come together, or are none; why.
    Shards(String),
    /// There is no case, or no schedule.
    NothingToTry,
    /// The strategy gave no case.
    CannotDraw {
        /// What it says.
        reason: String,
    },
    /// A buffer that is far too long.
    TooLong {
        /// The argument.
        argument: usize,
        /// Its cells.
        cells: u64,
        /// The most cells.
        most: u64,
    },
    /// The grid must cover a buffer, but its length follows the launch, or the argument is no
    /// buffer.
    CoverDependsOnLaunch {
        /// The argument.
        argument: usize,
    },
    /// Something follows the argument, which is no count: no whole number that is drawn or follows
    /// the launch, or one below zero.
    NoCount {
        /// The argument.
        argument: usize,
    },
    /// The argument is no buffer, or comes after the one that speaks of it.
    NoBuffer {
        /// The argument.
        argument: usize,
    },
    /// The argument is no number.
    NoScalar {
        /// The argument.
        argument: usize,
    },
    /// Numbers of another type were asked for.
    OtherType {
        /// What it is.
        expected: ElementType,
        /// What was asked for.
        found: ElementType,
    },
    /// The oracle gives another number of cells.
    OtherLength {
        /// The argument.
        argument: usize,
        /// The cells of the buffer.
        length: usize,
        /// What the oracle gives.
        said: usize,
    },
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Failure {
        Failure::Mistake(mistake)
    }
}

impl From<DeviceError> for Mistake {
    fn from(error: DeviceError) -> Mistake {
        Mistake::Device(error)
    }
}

impl From<ScheduleError> for Mistake {
    fn from(error: ScheduleError) -> Mistake {
        Mistake::Schedule(error)
    }
}

impl std::error::Error for Failure {}

impl std::error::Error for Mistake {}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Counterexample(counterexample) => write!(f, "{counterexample}"),
            Failure::Mistake(mistake) => write!(f, "the property could not be tried: {mistake}"),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::File { path, reason } => write!(f, "{path}: {reason}"),
            Mistake::Ptx(drawn) => write!(f, "the text is not PTX\n{drawn}"),
            Mistake::Device(error) => write!(f, "{error}"),
            Mistake::Schedule(error) => write!(f, "{error}"),
            Mistake::EmptyRange { of } => {
                write!(f, "there is no value to draw for {of}: is the range reversed?")
            }
            Mistake::Shards(why) => f.write_str(why),
            Mistake::NothingToTry => f.write_str("there is no case, or no schedule, to try"),
            Mistake::CannotDraw { reason } => write!(f, "no case could be drawn: {reason}"),
            Mistake::TooLong { argument, cells, most } => {
                write!(f, "argument {argument} has {cells} cells, the most is {most}")
            }
            Mistake::CoverDependsOnLaunch { argument } => write!(
                f,
                "the blocks must cover argument {argument}, so it must be a buffer whose length \
                 does not follow the launch: give it `.lengths(..)`"
            ),
            Mistake::NoCount { argument } => write!(
                f,
                "argument {argument} must say how many there are: it must be a whole number, drawn \
                 from 0 on, such as `scalar::<u32>().between(1..=40)`"
            ),
            Mistake::NoBuffer { argument } => write!(
                f,
                "argument {argument} is not a buffer, or comes after the argument that refers to it"
            ),
            Mistake::NoScalar { argument } => write!(f, "argument {argument} is not a number"),
            Mistake::OtherType { expected, found } => {
                write!(f, "the numbers are {}, not {}", expected.rust_name(), found.rust_name())
            }
            Mistake::OtherLength { argument, length, said } => write!(
                f,
                "the oracle gives {said} cells for argument {argument}, which has {length}"
            ),
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counterexample { property, claim, kernel, .. } = self;
        writeln!(f, "`{property}` does not hold for kernel `{kernel}`: {claim}\n")?;
        self.what(f)?;
        writeln!(f, "\nThe smallest case that was found:\n{}", self.case)?;
        writeln!(f, "  schedule: {}", self.schedule)?;
        let (number, seed, tries) = (self.number, self.seed, self.tries);
        let plural = if tries == 1 { "" } else { "s" };
        writeln!(f, "  drawn as case {number} of seed {seed}; {tries} smaller one{plural} tried")?;
        if let Some(command) = &self.command {
            writeln!(f, "\nOn the command line:\n  {command}")?;
        }
        write!(f, "\nAs a test:\n\n{}", self.test)
    }
}

impl Counterexample {
    fn what(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wrong {
            Wrong::Found(findings) => words::findings(f, findings, &self.file),
            Wrong::Stopped { outcome, findings } => {
                writeln!(f, "A run did not end by the exit of every thread: {outcome}.")?;
                words::findings(f, findings, &self.file)
            }
            Wrong::Differs(difference) => {
                let Difference { first, argument, cell, values: [one, other], count } = difference;
                writeln!(f, "Two schedules lead to different results.")?;
                writeln!(f, "  argument {argument}, cell {cell}:")?;
                writeln!(f, "    {one}  after {first}")?;
                writeln!(f, "    {other}  after {}", self.schedule)?;
                words::more_cells(f, *count, "differ")
            }
            Wrong::Mismatch(mismatch) => {
                writeln!(f, "The result is not what the oracle says.")?;
                writeln!(f, "  argument {}, cell {}:", mismatch.argument, mismatch.cell)?;
                writeln!(f, "    {}  expected{}", mismatch.expected, words::within(mismatch))?;
                writeln!(f, "    {}  found", mismatch.found)?;
                words::more_cells(f, mismatch.count, "are not as expected")
            }
        }
    }
}
