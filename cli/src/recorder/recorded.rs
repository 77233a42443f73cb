//! A recording of a GPU, as a side of a comparison.
//!
//! A recording has the contents of a launch's buffers, in the words of its file. Before any
//! comparison, this module checks that these are the buffers of the launch. Otherwise a buffer that
//! only one side has would be compared with nothing, and pass.

use std::fmt;

use warpsim::host::{ArgumentPlace, Simulator};
use warpsim::report::Outcome;
use warpsim_gpu::recording::{Compiled, Ended, Left, Run};

use crate::compare::Known;
use crate::compare::objects::Object;
use crate::compare::sides::{self, Theirs};
use crate::failure::Failure;
use crate::launch::{Buffer, Prepared};
use crate::output::Output;

/// What a recording knows of a GPU.
pub(crate) struct FromRecording<'a> {
    run: &'a Run,
    launches: u32,
    launched: u32,
}

/// Why the recording is not of the launch to compare with it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Unfit {
    /// It has a buffer where the launch has none.
    NoSuchBuffer { param: ArgumentPlace },
    /// It has cells of another type, or more or fewer of them.
    OtherCells { param: ArgumentPlace, recorded: String, found: String },
    /// It does not say what a buffer of the launch held.
    NotRecorded { param: ArgumentPlace },
    /// It says nothing at all of what was there after a launch.
    NothingAfter { launch: u32 },
    /// It has digests only of what a launch before the last left, and that is not there to be
    /// digested when all launches have been made.
    DigestsBetween { param: ArgumentPlace, launch: u32 },
}

impl FromRecording<'_> {
    /// Of a run of this many launches, as they are prepared here.
    ///
    /// # Errors
    /// Its buffers differ from the buffers of the launches.
    pub(crate) fn of<'a>(
        run: &'a Run,
        ours: &Prepared<Simulator>,
        launches: u32,
    ) -> Result<FromRecording<'a>, Failure> {
        match unfit(run, &ours.buffers, launches) {
            None => Ok(FromRecording { run, launches, launched: 0 }),
            Some(unfit) => Err(Failure::usage_with_help(
                format!("the recording of `{}` does not fit its launch: {unfit}", ours.kernel),
                "record it again on a GPU: `warpsim record FILE --again REC.json`",
            )),
        }
    }

    fn is_last(&self) -> bool {
        self.launched == self.launches
    }
}

/// What does not fit, where anything does not.
fn unfit(run: &Run, buffers: &[Buffer], launches: u32) -> Option<Unfit> {
    let extra = run.buffers.iter().find_map(|left| unfit_buffer(left, buffers, launches));
    extra.or_else(|| missing(run, buffers, launches))
}

/// Why a buffer of the recording does not fit, if it does not.
fn unfit_buffer(left: &Left, buffers: &[Buffer], launches: u32) -> Option<Unfit> {
    let param = left.param;
    let Some(buffer) = buffers.iter().find(|buffer| buffer.parameter == param) else {
        return Some(Unfit::NoSuchBuffer { param });
    };
    let recorded = format!("{}[{}]", left.ty, left.len);
    let found = format!("{}[{}]", buffer.element, buffer.length);
    if recorded != found {
        return Some(Unfit::OtherCells { param, recorded, found });
    }
    let launch = left.launch.filter(|launch| *launch != launches)?;
    left.bytes().is_none().then_some(Unfit::DigestsBetween { param, launch })
}

/// What a run that completed does not say. One that was recorded by a command line has all buffers
/// after the last launch. Where each launch had its own level, its own host code made it and read
/// what it needed after each.
fn missing(run: &Run, buffers: &[Buffer], launches: u32) -> Option<Unfit> {
    if run.outcome != Ended::Completed || buffers.is_empty() {
        return None;
    }
    let is_after = |left: &Left, launch| left.launch.unwrap_or(launches) == launch;
    if let Compiled::InTurn(_) = run.compiled {
        let is_silent = |launch: &u32| !run.buffers.iter().any(|left| is_after(left, *launch));
        return (1..=launches).find(is_silent).map(|launch| Unfit::NothingAfter { launch });
    }
    let is_there = |param| run.buffers.iter().any(|l| l.param == param && is_after(l, launches));
    let mut params = buffers.iter().map(|buffer| buffer.parameter);
    params.find(|param| !is_there(*param)).map(|param| Unfit::NotRecorded { param })
}

impl Theirs for FromRecording<'_> {
    fn launch(&mut self, number: u32, _: &Output) -> Result<sides::Ended, Failure> {
        self.launched = number;
        // A recording has the outcome of the last launch that was made.
        let outcome = match self.run.outcome {
            Ended::Completed => Outcome::Completed,
            Ended::Fault if self.is_last() => Outcome::Fault,
            Ended::Hung if self.is_last() => Outcome::Hung,
            Ended::Fault | Ended::Hung => Outcome::Completed,
        };
        Ok(sides::Ended { outcome, words: self.run.words.clone() })
    }

    fn read(&mut self, object: &Object, offset: u64, into: &mut [u8]) -> Result<Known, Failure> {
        let is_now = |left: &Left| match left.launch {
            Some(number) => number == self.launched,
            None => self.is_last(),
        };
        let is_it = |left: &&Left| Some(left.param) == object.parameter && is_now(left);
        let left = self.run.buffers.iter().find(is_it);
        let bytes = left.and_then(Left::bytes);
        let piece = bytes.as_ref().and_then(|bytes| bytes.get(offset as usize..));
        match piece.and_then(|piece| piece.get(..into.len())) {
            Some(piece) => {
                into.copy_from_slice(piece);
                Ok(Known::Here)
            }
            None => Ok(Known::NotKept),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::NoSuchBuffer { param } => {
                write!(f, "it has a buffer of parameter {param}, and the launch has none there")
            }
            Unfit::OtherCells { param, recorded, found } => {
                write!(f, "the buffer of parameter {param} is {recorded} in it, and {found} here")
            }
            Unfit::NotRecorded { param } => {
                write!(f, "it does not say what the buffer of parameter {param} held")
            }
            Unfit::NothingAfter { launch } => {
                write!(f, "it does not say what any buffer held after launch {launch}")
            }
            Unfit::DigestsBetween { param, launch } => write!(
                f,
                "it has only digests of the buffer of parameter {param} after launch {launch}, which \
                 is not the last"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use warpsim::host::{Launch, Pointer};
    use warpsim_gpu::recording::{Submission, Work};

    use super::*;
    use warpsim::element::ElementType;

    /// A run of three launches with these buffers of bytes: parameter, launch and length.
    fn run(compiled: Compiled, buffers: &[(usize, Option<u32>, usize)]) -> Run {
        let left = |(param, launch, len): &(usize, Option<u32>, usize)| Left {
            launch: *launch,
            ..Left::of(*param, ElementType::U8, &vec![0; *len])
        };
        Run {
            work: Work::Launch(Submission {
                kernel: "k".to_owned(),
                launch: Launch::new(1, 1),
                args: Vec::new(),
                globals: Vec::new(),
                links: Vec::new(),
                launches: 3,
                passes: Vec::new(),
            }),
            compiled,
            racy: false,
            simulated: None,
            outcome: Ended::Completed,
            words: None,
            buffers: buffers.iter().map(left).collect(),
            made: None,
        }
    }

    /// Whether it fits a launch with buffers of bytes: parameter and length.
    fn fits(run: &Run, buffers: &[(usize, u64)]) -> Option<Unfit> {
        let buffer = |(parameter, length): &(usize, u64)| Buffer {
            parameter: (*parameter).into(),
            element: ElementType::U8,
            length: *length,
            shape: crate::spec::Shape::row(*length),
            pointer: Pointer(0),
        };
        unfit(run, &buffers.iter().map(buffer).collect::<Vec<Buffer>>(), 3)
    }

    fn at_level_0(buffers: &[(usize, Option<u32>, usize)]) -> Run {
        run(Compiled::At(vec![Some(0)]), buffers)
    }

    #[test]
    fn what_is_there_after_the_last_launch_fits_whether_it_says_so_or_not() {
        assert_eq!(fits(&at_level_0(&[(0, None, 4), (2, Some(3), 8)]), &[(0, 4), (2, 8)]), None);
        assert_eq!(fits(&at_level_0(&[]), &[]), None);
    }

    #[test]
    fn a_buffer_after_an_earlier_launch_alone_is_not_enough() {
        let found = fits(&at_level_0(&[(0, Some(2), 4)]), &[(0, 4)]);
        assert_eq!(found, Some(Unfit::NotRecorded { param: 0.into() }));
    }

    #[test]
    fn launches_at_levels_in_turn_need_something_after_each() {
        let in_turn = |buffers: &[_]| run(Compiled::InTurn(vec![0, 1, 2]), buffers);
        let buffers = [(0, 4), (1, 4)];
        let each = [(1, Some(1), 4), (1, Some(2), 4), (1, None, 4)];
        assert_eq!(fits(&in_turn(&each), &buffers), None);
        let found = fits(&in_turn(&[each[0], each[2]]), &buffers);
        assert_eq!(found, Some(Unfit::NothingAfter { launch: 2 }));
    }

    #[test]
    fn digests_are_compared_after_the_last_launch_only() {
        let large = 1 << 15;
        let digests = |launch| at_level_0(&[(0, launch, large), (0, Some(3), large)]);
        let last = at_level_0(&[(0, None, large)]);
        assert_eq!(fits(&last, &[(0, large as u64)]), None);
        let found = fits(&digests(Some(1)), &[(0, large as u64)]);
        assert_eq!(found, Some(Unfit::DigestsBetween { param: 0.into(), launch: 1 }));
    }

    #[test]
    fn what_hung_or_faulted_left_nothing_and_lacks_nothing() {
        let hung = Run { outcome: Ended::Hung, ..at_level_0(&[]) };
        assert_eq!(fits(&hung, &[(0, 4)]), None);
    }
}
