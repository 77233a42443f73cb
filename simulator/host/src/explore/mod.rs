//! Many schedules of one launch: do they all lead to the same result?
//!
//! Every schedule starts from the same memory and is a complete run. Two runs have the same result
//! when they end the same way and, where every thread exited, leave the same bytes in all of global
//! memory. (The memory after a launch that stopped half-way depends on how far the other threads
//! were, which is no mistake of the program.) Shared memory ends with its block and is no part of
//! the result.
//!
//! The first schedule is `in-order`, and everything else is compared with it. When a result
//! differs, the schedule is made smaller, turn by turn, as long as the result still differs. The
//! rest shows where the order matters to the program ([`Difference`]).
//!
//! Memory is sequentially consistent here, as in every run: effects that only weaker orders of
//! memory show are not explored. Results do not depend on the number of host threads, nor on how
//! many machines share the schedules. Each machine does a part ([`explore_part`]), and the parts
//! together give the answer of one machine ([`explore_parts`]).

mod compare;
mod contents;
mod exhaustive;
mod pairs;
mod parts;
mod places;
mod results;
mod run;
mod sampled;
mod shrink;
#[cfg(test)]
mod tests;

pub use compare::{Cell, CellValue, Digest};
pub use parts::{Part, PartError, Start, Told, explore_part, explore_parts};

use std::collections::BTreeMap;

use results::Results;
use run::Runner;
use sampled::Sampled;

use crate::argument::ArgumentPlace;
use crate::element::ElementType;
use crate::ptx::Space;
use crate::report::{Code, Finding, Outcome, Report, Severity};
use crate::{Argument, DeviceError, Launch, ModuleHandle, Simulator, Threads};

/// What to launch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaunchRequest {
    /// The module.
    pub module: ModuleHandle,
    /// The kernel.
    pub kernel: String,
    /// The shape.
    pub launch: Launch,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The type of the cells of each argument's buffer, to show where results differ; `u32` if none
    /// is given.
    pub cell_types: BTreeMap<ArgumentPlace, ElementType>,
}

impl LaunchRequest {
    /// A launch whose buffers hold `u32`.
    pub fn new(
        module: ModuleHandle,
        kernel: &str,
        launch: Launch,
        arguments: &[Argument],
    ) -> LaunchRequest {
        let (kernel, arguments) = (kernel.to_owned(), arguments.to_vec());
        LaunchRequest { module, kernel, launch, arguments, cell_types: BTreeMap::new() }
    }

    /// The same with cells of these types: see [`LaunchRequest::cell_types`].
    pub fn with_cell_types(
        mut self,
        cell_types: BTreeMap<ArgumentPlace, ElementType>,
    ) -> LaunchRequest {
        self.cell_types = cell_types;
        self
    }
}

/// Which schedules to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// `in-order`, `adversarial` in both directions, then by turns seeded random schedules and PCT.
    Mixed,
    /// `in-order`, then seeded random schedules.
    Random,
    /// `in-order`, then PCT of this depth.
    Pct {
        /// How many ordered pairs of steps a mistake may need; at least 1.
        depth: u32,
    },
    /// All that are not equivalent, by dynamic partial-order reduction: see [`Unit`].
    Exhaustive(Unit),
}

/// The units whose order the exhaustive search varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Every single thread (under `lockstep`, every warp). Joint actions of lanes that happen to
    /// have converged (`activemask`) are not explored.
    Threads,
    /// Warps as wholes, whose lanes run as they do `in-order`.
    Warps,
}

/// How far to look.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exploration {
    /// Which schedules.
    pub strategy: Strategy,
    /// The most schedules.
    pub schedules: u64,
    /// The seed of the first random schedule; the later seeds count up from it.
    pub seed: u64,
    /// The most turns of a schedule of the exhaustive search; longer schedules are cut off.
    pub turns: u64,
    /// Warp instructions that may be spent on making a difference smaller.
    pub shrinking: u64,
    /// How many host threads run schedules side by side; an exhaustive search runs one after the
    /// other. The result is the same for any number.
    pub threads: Threads,
    /// Sampled schedules choose at each visible operation, not only where threads are known to
    /// conflict. It costs many times as much, but finds a result that needs many choices sooner.
    pub everywhere: bool,
}

impl Default for Exploration {
    fn default() -> Exploration {
        Exploration {
            strategy: Strategy::Mixed,
            schedules: 100,
            seed: 0,
            turns: 10_000,
            shrinking: 3_000_000,
            threads: Threads::all(),
            everywhere: false,
        }
    }
}

impl Exploration {
    /// The same with sampled schedules that choose at each visible operation.
    pub fn choosing_everywhere(mut self) -> Exploration {
        self.everywhere = true;
        self
    }

    /// The same with this strategy.
    pub fn with_strategy(mut self, strategy: Strategy) -> Exploration {
        self.strategy = strategy;
        self
    }

    /// The same with at most this many schedules.
    pub fn with_schedules(mut self, schedules: u64) -> Exploration {
        self.schedules = schedules;
        self
    }

    /// The same with this seed of the first random schedule.
    pub fn with_seed(mut self, seed: u64) -> Exploration {
        self.seed = seed;
        self
    }

    /// The same with at most this many turns of a schedule of the exhaustive search.
    pub fn with_turns(mut self, turns: u64) -> Exploration {
        self.turns = turns;
        self
    }

    /// The same on this many host threads.
    pub fn with_threads(mut self, threads: Threads) -> Exploration {
        self.threads = threads;
        self
    }

    /// The same with this many warp instructions for making a difference smaller.
    pub fn with_shrinking(mut self, shrinking: u64) -> Exploration {
        self.shrinking = shrinking;
        self
    }
}

/// A result, and the schedules that lead to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distinct {
    /// How the runs ended.
    pub outcome: Outcome,
    /// What stopped them.
    pub code: Option<Code>,
    /// The memory they left; `None` when not every thread exited.
    pub digest: Option<Digest>,
    /// How many of the schedules.
    pub count: u64,
    /// The first of them, as text that a schedule parses from.
    pub replay: String,
    /// The report of that schedule.
    pub report: Report,
    /// Of the first eight results that completed: what the first schedule left in some cells in
    /// which one of them differs from the first. These are the same cells for each, in the order of
    /// their addresses, and at most eight. They are chosen so that they distinguish results.
    pub cells: Vec<CellValue>,
}

/// Two schedules with different results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The schedule that everything is compared with.
    pub first: String,
    /// The schedule with the smallest departure from it that was found.
    pub second: String,
    /// The turns in which it does.
    pub turns: u64,
    /// The outcomes of the two.
    pub outcomes: [Outcome; 2],
    /// The first cells of global memory that differ, at most [`SHOWN`]; none unless both completed.
    pub cells: Vec<Cell>,
    /// How many cells differ.
    pub cells_in_all: u64,
}

impl Difference {
    /// The same as a warning, because the author may intend that a result depends on the schedule.
    pub fn finding(&self) -> Finding {
        let Difference { first, second, outcomes: [one, other], .. } = self;
        let explanation = match self.cells.first() {
            Some(cell) => format!(
                "two schedules leave different results: cell {} of {} is {:#x} under `{first}` and \
                 {:#x} under `{second}`",
                cell.index, cell.object, cell.values[0], cell.values[1],
            ),
            None => format!(
                "two schedules end differently: `{first}` with {one}, `{second}` with {other}"
            ),
        };
        let cell = self.cells.first();
        let mut finding = Finding::new(Severity::Warning, Code::ScheduleDependent, explanation);
        finding.space = cell.map(|_| Space::Global);
        finding.address = cell.map(|cell| cell.address);
        finding.object = cell.map(|cell| cell.object.clone());
        finding.argument = cell.and_then(|cell| cell.argument);
        finding.count = self.cells_in_all.max(1);
        finding.replay = Some(second.clone());
        finding
    }
}

/// The most cells of a [`Difference`].
pub const SHOWN: usize = 16;

/// The result of an exploration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explored {
    /// Schedules that ran to their end.
    pub schedules: u64,
    /// Schedules that were cut off: they ran far longer than the first one.
    pub cut: u64,
    /// Whether these were all schedules that could differ, within the bounds of the strategy.
    pub complete: bool,
    /// It was interrupted before all requested schedules had run ([`crate::Meter::interrupt`]).
    pub interrupted: bool,
    /// The results, in order of discovery; the first comes from `in-order`.
    pub outcomes: Vec<Distinct>,
    /// What stopped schedules, and the findings on them when the settings ask for checking
    /// ([`crate::Settings::checking`]). The difference comes last, as a finding. One a pair of
    /// source places, with the first schedule that showed it.
    pub findings: Vec<Finding>,
    /// Two schedules with different results, when there are any.
    pub difference: Option<Difference>,
}

/// Runs a launch under many schedules and compares the results. The memory of `gpu` stays as it is.
///
/// # Errors
/// When the launch cannot start.
///
/// ```
/// use warpsim::explore::{Exploration, LaunchRequest, Strategy, Unit, explore};
/// use warpsim::host::{Device, Launch, Simulator};
///
/// // Two threads add one to a cell, not atomically.
/// let text = "
///     .version 7.0 .target sm_70 .address_size 64
///     .visible .global .u32 cell;
///     .visible .entry count() {
///       .reg .u32 %v;
///       ld.global.u32 %v, [cell];
///       add.u32 %v, %v, 1;
///       st.global.u32 [cell], %v;
///       ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("count.ptx", text)?)?;
/// let request = LaunchRequest::new(module, "count", Launch::new(1, 2), &[]);
/// let strategy = Strategy::Exhaustive(Unit::Threads);
/// let all = explore(&mut gpu, &request, &Exploration::default().with_strategy(strategy))?;
/// assert!(all.complete);
/// let Some(difference) = all.difference else { return Err("it is a race".into()) };
/// assert_eq!(difference.cells[0].object, "`cell`");
/// assert_eq!(difference.cells[0].values, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explore(
    gpu: &mut Simulator,
    request: &LaunchRequest,
    exploration: &Exploration,
) -> Result<Explored, DeviceError> {
    let mut runner = Runner::new(gpu.fork(), request)?;
    let mut results = Results::told_to(gpu.settings().listener.clone());
    let complete = match exploration.strategy {
        Strategy::Exhaustive(unit) => {
            exhaustive::all(&mut runner, unit, exploration, &mut results)?
        }
        _ => {
            let sampled = Sampled::new(&mut runner, exploration)?;
            sampled.run(&mut runner, 0..exploration.schedules, |_, text, ending| {
                results.add(&ending, 1, text);
            })?;
            false
        }
    };
    told(&mut runner, results, exploration, complete)
}

/// What was found, with the smallest difference.
fn told(
    runner: &mut Runner<'_>,
    mut results: Results,
    exploration: &Exploration,
    complete: bool,
) -> Result<Explored, DeviceError> {
    let interrupted = runner.is_interrupted();
    runner.conclude();
    results.count_first();
    let difference = shrink::smallest(runner, &results.outcomes, exploration.shrinking)?;
    contents::fill(runner, &mut results.outcomes)?;
    let mut findings = results.merged.into_findings();
    findings.extend(difference.as_ref().map(Difference::finding));
    Ok(Explored {
        findings,
        schedules: results.schedules,
        cut: results.cut,
        complete: complete && !interrupted,
        interrupted,
        outcomes: results.outcomes,
        difference,
    })
}
