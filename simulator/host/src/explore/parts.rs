//! One exploration in parts that different machines may do.
//!
//! The schedules are numbered, and a number's schedule depends on the launch and the exploration
//! alone. A part runs the schedules of a range. For the merge it keeps the runs that gave something
//! new: a result that it had not seen, or a finding at another place or more often. A run with
//! nothing new after some of the runs before it has nothing new after all of them. So the kept
//! runs, in the order of their numbers, give the same result as all runs. The number of runs with
//! each result is counted.
//!
//! Each machine that needs the run in order, its length and the smallest difference does them anew.
//! The merge checks that all machines got the same ([`Start`]).

use std::fmt;
use std::ops::Range;

use super::results::Results;
use super::run::{Ending, Key, Runner};
use super::sampled::Sampled;
use super::{Digest, Exploration, Explored, LaunchRequest, Strategy, told};
use crate::report::{Code, Outcome, Report};
use crate::{DeviceError, Simulator};

/// The start of the runs of an exploration, and the run that they are compared with. They must be
/// the same for all parts of one exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Start {
    /// The memory before the launch.
    pub memory: Digest,
    /// How the run in order ended.
    pub outcome: Outcome,
    /// The memory that it left; `None` when not every thread exited.
    pub left: Option<Digest>,
    /// Its length in turns, which PCT draws from.
    pub turns: u64,
    /// The same in turns of single threads.
    pub single_turns: u64,
}

/// A run that said something new.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Told {
    /// The number of its schedule.
    pub number: u64,
    /// How many runs of the part had its result, if it was the first of them; else 0.
    pub count: u64,
    /// What stopped it.
    pub code: Option<Code>,
    /// The memory it left; `None` when not every thread exited.
    pub digest: Option<Digest>,
    /// Its report.
    pub report: Report,
}

/// A part of an exploration.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Part {
    /// The numbers of its schedules.
    pub numbers: Range<u64>,
    /// Where they start from.
    pub start: Start,
    /// How many were cut off.
    pub cut: u64,
    /// The runs that gave something new, in the order of their numbers.
    pub told: Vec<Told>,
}

/// Why there is no part, or parts do not make a whole.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PartError {
    /// The launch cannot start.
    Device(DeviceError),
    /// The exhaustive search finds each schedule from the one before: it has no parts.
    Exhaustive,
    /// The parts leave schedules out or have some twice.
    Numbers {
        /// The number that should have come next.
        wanted: u64,
        /// The one that came.
        found: u64,
    },
    /// A part starts from something else than this launch.
    OtherStart {
        /// The numbers of its schedules.
        numbers: Range<u64>,
        /// Where it starts from.
        found: Box<Start>,
        /// Where the launch starts from.
        wanted: Box<Start>,
    },
    /// A part says of itself what cannot be.
    Broken {
        /// The numbers of its schedules.
        numbers: Range<u64>,
        /// Why it is broken.
        what: &'static str,
    },
    /// It was interrupted before all its schedules had run ([`crate::Meter::interrupt`]).
    Interrupted,
}

impl From<DeviceError> for PartError {
    fn from(error: DeviceError) -> PartError {
        PartError::Device(error)
    }
}

impl std::error::Error for PartError {}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |numbers: &Range<u64>| {
            format!("the part of the schedules from number {} up to {}", numbers.start, numbers.end)
        };
        match self {
            PartError::Device(error) => write!(f, "{error}"),
            PartError::Interrupted => {
                f.write_str("it was interrupted before all its schedules had run")
            }
            PartError::Exhaustive => f.write_str(
                "an exhaustive search has no parts: it finds each schedule from the one before",
            ),
            PartError::Numbers { wanted, found } => {
                write!(f, "a part begins or ends at schedule number {found} instead of {wanted}")
            }
            PartError::OtherStart { numbers, found, wanted } => {
                let what = found.difference(wanted);
                write!(f, "{} belongs to another launch: {what}", named(numbers))
            }
            PartError::Broken { numbers, what } => {
                write!(f, "{} is not a valid part: {what}", named(numbers))
            }
        }
    }
}

impl Start {
    fn of(runner: &Runner<'_>, sampled: &Sampled) -> Start {
        Start {
            memory: runner.memory(),
            outcome: runner.first.key.outcome,
            left: runner.first.key.digest,
            turns: sampled.length.turns(),
            single_turns: sampled.length.single_turns(),
        }
    }

    /// In what it is not what it should be, in words.
    fn difference(&self, wanted: &Start) -> &'static str {
        match self.memory == wanted.memory {
            true => "the in-order run has another result",
            false => "the memory before it is different",
        }
    }
}

fn prepared<'r>(
    gpu: &mut Simulator,
    request: &'r LaunchRequest,
    exploration: &Exploration,
) -> Result<(Runner<'r>, Sampled, Start), PartError> {
    if let Strategy::Exhaustive(_) = exploration.strategy {
        return Err(PartError::Exhaustive);
    }
    let mut runner = Runner::new(gpu.fork(), request)?;
    let sampled = Sampled::new(&mut runner, exploration)?;
    let start = Start::of(&runner, &sampled);
    Ok((runner, sampled, start))
}

/// Runs the schedules with these numbers of an exploration, those from 0 up to
/// [`Exploration::schedules`] being all. The memory of `gpu` stays as it is.
///
/// # Errors
/// When the launch cannot start, and for an exhaustive search.
pub fn explore_part(
    gpu: &mut Simulator,
    request: &LaunchRequest,
    exploration: &Exploration,
    numbers: Range<u64>,
) -> Result<Part, PartError> {
    let (mut runner, sampled, start) = prepared(gpu, request, exploration)?;
    let mut results = Results::default();
    let mut told: Vec<Told> = Vec::new();
    sampled.run(&mut runner, numbers.clone(), |number, text, ending| {
        if results.add(&ending, 1, text) {
            let Ending { key: Key { code, digest, .. }, report } = ending;
            told.push(Told { number, count: 0, code, digest, report });
        }
    })?;
    if runner.is_interrupted() {
        return Err(PartError::Interrupted);
    }
    for told in &mut told {
        // Each result is counted where it was seen first.
        let count = results.take_count(&told.key());
        told.count = count;
    }
    Ok(Part { numbers, start, cut: results.cut, told })
}

/// The result of an exploration whose schedules ran in parts, in any order. It equals the result of
/// [`super::explore`] bit for bit. The run in order and the smallest difference are done here.
///
/// # Errors
/// When the launch cannot start, for an exhaustive search, and when the parts do not belong to this
/// exploration, each schedule once.
///
/// ```
/// use warpsim::explore::{Exploration, LaunchRequest, explore, explore_part, explore_parts};
/// use warpsim::host::{Device, Launch, Simulator};
///
/// // Two threads add one to a cell, not atomically.
/// let text = "
///     .version 7.0 .target sm_70 .address_size 64
///     .visible .global .u32 cell;
///     .visible .entry count() {
///       .reg .u32 %v;
///       ld.global.u32 %v, [cell]; add.u32 %v, %v, 1; st.global.u32 [cell], %v; ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("count.ptx", text)?)?;
/// let request = LaunchRequest::new(module, "count", Launch::new(1, 2), &[]);
/// let exploration = Exploration::default().with_schedules(50);
/// let first = explore_part(&mut gpu, &request, &exploration, 0..20)?;
/// let rest = explore_part(&mut gpu, &request, &exploration, 20..50)?;
/// let together = explore_parts(&mut gpu, &request, &exploration, vec![rest, first])?;
/// assert_eq!(together, explore(&mut gpu, &request, &exploration)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explore_parts(
    gpu: &mut Simulator,
    request: &LaunchRequest,
    exploration: &Exploration,
    mut parts: Vec<Part>,
) -> Result<Explored, PartError> {
    let (mut runner, sampled, start) = prepared(gpu, request, exploration)?;
    parts.sort_by_key(|part| (part.numbers.start, part.numbers.end));
    let mut results = Results::default();
    let mut next = 0;
    for part in parts {
        if part.numbers.start != next {
            return Err(PartError::Numbers { wanted: next, found: part.numbers.start });
        }
        if part.start != start {
            let (found, wanted) = (Box::new(part.start), Box::new(start));
            return Err(PartError::OtherStart { numbers: part.numbers, found, wanted });
        }
        next = part.numbers.end;
        add(&mut results, &sampled, part)?;
    }
    match next == exploration.schedules {
        true => Ok(told(&mut runner, results, exploration, false)?),
        false => Err(PartError::Numbers { wanted: exploration.schedules, found: next }),
    }
}

/// Adds what a part found to what those before it did.
fn add(results: &mut Results, sampled: &Sampled, part: Part) -> Result<(), PartError> {
    let Part { numbers, cut, told, .. } = part;
    let broken = |what| PartError::Broken { numbers: numbers.clone(), what };
    let mut counted = Some(cut);
    let mut next = numbers.start;
    for told in told {
        if !(next..numbers.end).contains(&told.number) {
            return Err(broken("the numbers of its runs do not ascend within its own"));
        }
        next = told.number + 1;
        counted = counted.and_then(|counted| counted.checked_add(told.count));
        let (key, count) = (told.key(), told.count);
        let ending = Ending { key, report: told.report };
        if count == 0 && results.is_new(&ending) {
            return Err(broken("a result that no run had"));
        }
        let text = sampled.schedule(told.number).to_string();
        results.add(&ending, count, &text);
    }
    if counted != numbers.end.checked_sub(numbers.start) {
        return Err(broken("its runs are not as many as its schedules"));
    }
    results.cut += cut;
    Ok(())
}

impl Told {
    fn key(&self) -> Key {
        Key { outcome: self.report.outcome, code: self.code, digest: self.digest }
    }
}
