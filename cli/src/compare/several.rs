//! A kernel may have several legal results: does the simulator reach theirs under another schedule?
//!
//! The launch is explored from the memory before it. First, whole results are compared: under one
//! schedule all of memory must equal theirs. If no schedule gives that, they are compared cell by
//! cell. Each cell that differs has their value under some schedule, but no single schedule tried
//! has all of them together. That is weaker, and the report says so. If exhaustive search is asked
//! for, a small launch is searched after that. If that search is complete, only a whole result
//! counts.

use std::collections::HashMap;

use warpsim::explore::{Exploration, Explored, LaunchRequest, Strategy, Unit, explore};
use warpsim::host::{Device as _, Simulator};
use warpsim::report::Outcome;
use warpsim::schedule::ScheduleError;

use super::cells::cells;
use super::launches::{Held, OnBoth};
use super::outcomes::Kind;
use crate::failure::Failure;
use crate::launch::refused;
use crate::output::Output;

/// Threads of a launch that is small.
const SMALL_THREADS: u64 = 64;
/// Warp instructions of one that is.
const SMALL_STEPS: u64 = 2_000;
/// Cells that are looked at one by one, at most.
const MOST_CELLS: usize = 1 << 16;

/// Whether theirs is a result that the simulator reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Yes, under this schedule.
    Whole {
        /// As text that replays it.
        schedule: String,
    },
    /// Each cell that differs, alone.
    CellByCell,
    /// No schedule that was tried reaches it.
    No,
}

/// The results of other schedules.
#[derive(Clone, Debug)]
pub(crate) struct Several {
    /// How many ran.
    pub(crate) schedules: u64,
    /// Whether these are all that can differ.
    pub(crate) complete: bool,
    /// How many different results they have.
    pub(crate) results: usize,
    pub(crate) reached: Reached,
}

impl Several {
    /// Whether theirs is among the results.
    pub(crate) fn is_reached(&self) -> bool {
        self.reached != Reached::No
    }

    /// Whether one of them is theirs in every cell.
    fn is_whole(&self) -> bool {
        matches!(self.reached, Reached::Whole { .. })
    }
}

/// Explores a launch, and looks for theirs among its results. When it is one, the simulator goes on
/// from there. `None` when no schedules were requested.
pub(super) fn search(
    launch: &mut OnBoth<'_>,
    theirs: Outcome,
    held: &[Held],
    output: &Output,
) -> Result<Option<Several>, Failure> {
    if launch.how.schedules == 0 {
        return Ok(None);
    }
    let wanted = Wanted { kind: Kind::of(theirs), objects: held };
    // One result is looked for, in which many choices may come together.
    let sampled = Exploration::default()
        .choosing_everywhere()
        .with_strategy(Strategy::Mixed)
        .with_schedules(launch.how.schedules)
        .with_seed(launch.how.seed)
        .with_shrinking(0);
    let mut found = under(launch, &sampled, &wanted, output)?;
    if !found.is_whole() && launch.how.exhaustive > 0 && is_small(launch) {
        found = exhaustively(launch, found, &sampled, &wanted, output)?;
    }
    if found.reached == Reached::CellByCell {
        copy_theirs(launch, &wanted)?;
    }
    Ok(Some(found))
}

/// Tries all schedules, after some that were not enough.
fn exhaustively(
    launch: &mut OnBoth<'_>,
    sampled: Several,
    exploration: &Exploration,
    wanted: &Wanted<'_>,
    output: &Output,
) -> Result<Several, Failure> {
    let all = exploration
        .clone()
        .with_strategy(Strategy::Exhaustive(Unit::Threads))
        .with_schedules(launch.how.exhaustive);
    let found = under(launch, &all, wanted, output)?;
    // A search that did not finish may have stayed close to where it began.
    let found = Several { results: found.results.max(sampled.results), ..found };
    Ok(match (&found.reached, found.complete) {
        (Reached::Whole { .. }, _) => found,
        (_, true) => Several { reached: Reached::No, ..found },
        (Reached::CellByCell, false) => found,
        (Reached::No, false) if sampled.is_reached() => sampled,
        (Reached::No, false) => found,
    })
}

/// Whether a launch is small enough to try all its schedules.
fn is_small(launch: &mut OnBoth<'_>) -> bool {
    let shape = launch.ours.launch;
    let threads = shape.threads();
    let mut once = launch.before.fork();
    once.settings_mut().max_steps = SMALL_STEPS;
    let Some(variant) = launch.ours.current() else { return false };
    let report = once.launch(variant.handle, &launch.ours.kernel, &shape, &launch.ours.arguments);
    threads <= SMALL_THREADS && report.is_ok_and(|report| report.outcome != Outcome::Limit)
}

/// The result that is looked for.
struct Wanted<'a> {
    kind: Kind,
    /// Every object that is known, with what it holds.
    objects: &'a [Held],
}

/// Tries schedules.
fn under(
    launch: &mut OnBoth<'_>,
    exploration: &Exploration,
    wanted: &Wanted<'_>,
    output: &Output,
) -> Result<Several, Failure> {
    let Explored { outcomes, schedules, complete, .. } = {
        let ours = &*launch.ours;
        let Some(variant) = ours.current() else {
            return Err(Failure::usage("there is no module for this launch"));
        };
        let request =
            LaunchRequest::new(variant.handle, &ours.kernel, ours.launch, &ours.arguments);
        explore(&mut launch.before, &request, exploration)
            .map_err(|error| refused(error, &variant.module, output))?
    };
    let mut several =
        Several { schedules, complete, results: outcomes.len(), reached: Reached::No };
    let mut unmatched = Unmatched::default();
    for distinct in outcomes.iter().filter(|distinct| Kind::of(distinct.outcome) == wanted.kind) {
        let schedule = distinct.replay.clone();
        if wanted.kind != Kind::Completed {
            several.reached = Reached::Whole { schedule };
            return Ok(several);
        }
        let mut rerun = rerun(launch, &schedule, output)?;
        if unmatched.leaves(launch, &mut rerun, wanted)? {
            continue_from(launch, rerun);
            several.reached = Reached::Whole { schedule };
            return Ok(several);
        }
    }
    if unmatched.all_matched() {
        several.reached = Reached::CellByCell;
    }
    Ok(several)
}

/// The simulator after the launch under a schedule.
fn rerun(launch: &mut OnBoth<'_>, schedule: &str, output: &Output) -> Result<Simulator, Failure> {
    let mut simulator = launch.before.fork();
    let schedule =
        schedule.parse().map_err(|error: ScheduleError| Failure::usage(error.to_string()))?;
    simulator.settings_mut().schedule = schedule;
    let ours = &*launch.ours;
    if let Some(variant) = ours.current() {
        simulator
            .launch(variant.handle, &ours.kernel, &ours.launch, &ours.arguments)
            .map_err(|error| refused(error, &variant.module, output))?;
    }
    Ok(simulator)
}

/// Makes the simulator after another schedule the one that goes on, under the schedule of before.
fn continue_from(launch: &mut OnBoth<'_>, mut simulator: Simulator) {
    let usual = launch.ours.device.settings().schedule.clone();
    simulator.settings_mut().schedule = usual;
    launch.ours.device = simulator;
}

/// Copies what theirs holds to the simulator, so that both go on from there.
fn copy_theirs(launch: &mut OnBoth<'_>, wanted: &Wanted<'_>) -> Result<(), Failure> {
    for Held { object, bytes } in wanted.objects {
        let start = object.pointer(launch.ours)?;
        if !bytes.is_empty() {
            launch.ours.device.upload(start, bytes)?;
        }
    }
    Ok(())
}

/// Cells for which no result has been found to hold what theirs does: the object's number and the
/// cell's index, with the bits that it should have.
#[derive(Default)]
struct Unmatched {
    cells: Option<HashMap<(usize, u64), u64>>,
    /// There were too many to look at each.
    is_too_much: bool,
}

impl Unmatched {
    fn all_matched(&self) -> bool {
        !self.is_too_much && self.cells.as_ref().is_some_and(HashMap::is_empty)
    }

    /// Looks at the cells of a result that differ from theirs; those that differ in every result
    /// stay unmatched. Whether there are none in this one.
    fn leaves(
        &mut self,
        launch: &OnBoth<'_>,
        result: &mut Simulator,
        wanted: &Wanted<'_>,
    ) -> Result<bool, Failure> {
        let mut differ = HashMap::new();
        let mut count = 0;
        for (number, Held { object, bytes: theirs }) in wanted.objects.iter().enumerate() {
            let mut mine = vec![0; theirs.len()];
            if !mine.is_empty() {
                result.download(object.pointer(launch.ours)?, &mut mine)?;
            }
            let tolerance = launch.how.tolerances.of(object.parameter);
            let found = cells(object.element, &mine, theirs, tolerance, MOST_CELLS);
            count += found.differing;
            differ.extend(found.first.iter().map(|d| ((number, d.index), d.theirs)));
        }
        self.is_too_much |= count > MOST_CELLS as u64;
        match &mut self.cells {
            Some(cells) => cells.retain(|cell, _| differ.contains_key(cell)),
            none => *none = Some(differ),
        }
        Ok(count == 0)
    }
}
