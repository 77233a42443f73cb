//! `warpsim explore`: each launch under many schedules. Do they give one result, and if not, which
//! smallest change makes a difference?

mod difference;
mod shards;
mod words;

use warpsim::check::{Checking, Schedules};
use warpsim::explore::{
    Distinct, Exploration, Explored, LaunchRequest, Part, Strategy, Unit, explore, explore_parts,
};
use warpsim::host::Simulator;
use warpsim::report::{Code, Finding, Outcome};
use warpsim::schedule::DEPTH;

use super::check;
use super::launches::{Launches, Row};
use super::reported::{self, WriteDocument, check_report_file};
use crate::args::{ExploreArgs, FindingFormat, StrategyName};
use crate::document::{CellValueRow, DifferenceRow, ExploredRow, ResultRow};
use crate::failure::{Exit, Failure};
use crate::findings;
use crate::launch::device::threads;
use crate::launch::{Prepared, refused};
use crate::output::Output;
use crate::replay;
use difference::Difference;

/// Schedules to try, unless it is said how many.
const SCHEDULES: u64 = 100;
/// The same where all are wanted.
const ALL_SCHEDULES: u64 = 10_000;

/// The results of the schedules of a launch.
struct OfLaunch {
    explored: Explored,
    difference: Option<Difference>,
}

pub(super) fn run(args: &ExploreArgs, output: &mut Output) -> Result<Exit, Failure> {
    refuse_schedule(args)?;
    check_report_file(&args.findings)?;
    match (args.shard.shard, &args.shard.shard_out) {
        (Some(shard), Some(file)) => shards::run(args, shard, file, output),
        (None, None) => answer(args, None, output),
        // The options require each other.
        (Some(_), None) | (None, Some(_)) => {
            Err(warpsim::internal!("--shard without --shard-out").into())
        }
    }
}

pub(super) use shards::merge;

fn refuse_schedule(args: &ExploreArgs) -> Result<(), Failure> {
    if args.launch.schedule.is_some() {
        return Err(Failure::usage_with_help(
            "`explore` chooses the schedules itself",
            "leave out --schedule, or use `warpsim check` with it",
        ));
    }
    Ok(())
}

/// What each schedule is checked for.
fn checking(args: &ExploreArgs) -> Checking {
    check::checking(&args.launch, &args.findings).with_schedules(Schedules::AsSet)
}

/// Explores, or says what shards have explored, and judges it.
fn answer(
    args: &ExploreArgs,
    mut shards: Option<shards::Merging>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let checking = checking(args);
    let mut explored = Vec::new();
    let launches = Launches::<Simulator>::run(
        &args.launch,
        (&args.report, args.findings.format == FindingFormat::Json),
        output,
        |prepared, number, line, output| {
            let settings = prepared.device.settings_mut();
            settings.checking = Some(checking.clone());
            settings.listener = check::listener(&args.findings, &args.launch, line, output);
            if let Some(line) = line {
                line.expect(exploration(args)?.schedules);
            }
            let parts = match &mut shards {
                Some(shards) => Some(shards.of_launch(args, prepared, number, output)?),
                None => None,
            };
            explored.push(explore_launch(args, prepared, number, parts, output)?);
            // The launch's own result is among the explored ones.
            prepared.device.settings_mut().checking = None;
            Ok(())
        },
    )?;
    if let Some(shards) = shards {
        shards.end()?;
    }
    let all = all_findings(&launches, &explored);
    let verdict = args.findings.judge(all, &args.launch, args.report.level);
    let is_text = args.findings.format == FindingFormat::Text;
    if is_text {
        words::print(args, &launches, &explored, output)?;
    }
    let mut judged = check::judged(&launches, &verdict, output);
    judged.checked = None;
    judged.explored = explored.iter().map(|of| row(args, of, output)).collect();
    let document: WriteDocument<'_> = &|to| launches.write_document(&judged, to);
    let options = (&args.findings, args.report.level);
    let differ = explored.iter().find_map(|of| of.difference.as_ref());
    let differ = differ.map(|difference| [&*difference.first, &*difference.second]);
    reported::write(options, &launches, &verdict, document, differ, output)?;
    check::print(&verdict, &args.launch, args.findings.explain, output)?;
    if is_text {
        output.line(&words::summary(&launches, &verdict, output.colour()))?;
    }
    Ok(match check::is_clean(&launches, &verdict) {
        true => Exit::CLEAN,
        false => Exit::custom(args.report.error_exitcode),
    })
}

fn strategy(name: StrategyName) -> Strategy {
    match name {
        StrategyName::All => Strategy::Mixed,
        StrategyName::Random => Strategy::Random,
        StrategyName::Pct => Strategy::Pct { depth: DEPTH },
        StrategyName::Exhaustive => Strategy::Exhaustive(Unit::Threads),
        StrategyName::ExhaustiveWarps => Strategy::Exhaustive(Unit::Warps),
    }
}

fn exploration(args: &ExploreArgs) -> Result<Exploration, Failure> {
    let strategy = strategy(args.strategy);
    let default = match strategy {
        Strategy::Exhaustive(_) => ALL_SCHEDULES,
        _ => SCHEDULES,
    };
    let schedules = args.schedules.unwrap_or(default);
    Ok(Exploration::default()
        .with_strategy(strategy)
        .with_schedules(schedules)
        .with_seed(args.seed)
        .with_threads(threads(args.launch.threads)?))
}

/// Explores a launch from the memory that the one before left. That memory stays as it is.
fn explore_launch(
    args: &ExploreArgs,
    prepared: &mut Prepared,
    number: u32,
    parts: Option<Vec<Part>>,
    output: &Output,
) -> Result<OfLaunch, Failure> {
    let index = prepared.enter(&args.launch, number)?;
    let request = request(prepared, index);
    let Prepared { device, variants, .. } = prepared;
    let explored = match parts {
        None => explore(device, &request, &exploration(args)?)
            .map_err(|error| refused(error, &variants[index].module, output))?,
        Some(parts) => explore_parts(device, &request, &exploration(args)?, parts)
            .map_err(|error| shards::no_part(error, &variants[index].module, output))?,
    };
    let difference = explored.difference.as_ref().map(|d| Difference::new(d, args, output));
    Ok(OfLaunch { explored, difference })
}

/// The launch of a command line with the module of this index.
fn request(prepared: &Prepared, index: usize) -> LaunchRequest {
    let Prepared { variants, kernel, launch, arguments, buffers, .. } = prepared;
    LaunchRequest::new(variants[index].handle, kernel, *launch, arguments)
        .with_cell_types(buffers.iter().map(|buffer| (buffer.parameter, buffer.element)).collect())
}

/// What the schedules were found to be wrong with, and the differences between them. A launch that
/// reached the limit of steps says so itself: that is no finding about its schedules.
fn all_findings(launches: &Launches<'_>, explored: &[OfLaunch]) -> Vec<Finding> {
    let of_launch = |(row, of): (&Row, &OfLaunch)| {
        let limits = row.launched.report.findings.iter().filter(|f| f.code == Code::Limit);
        let found = of.explored.findings.iter().filter(|f| f.code != Code::ScheduleDependent);
        // The difference comes first, because people look for it.
        let difference = of.difference.iter().map(Difference::finding);
        difference.chain(limits.chain(found).cloned()).collect()
    };
    let each: Vec<Vec<Finding>> = launches.rows.iter().zip(explored).map(of_launch).collect();
    findings::merged(each.iter().map(Vec::as_slice))
}

/// What a result left in the cells in which results differ.
fn cells(args: &ExploreArgs, distinct: &Distinct) -> Vec<CellValueRow> {
    distinct.cells.iter().map(|cell| CellValueRow::new(cell, args.report.bits)).collect()
}

fn row<'a>(args: &ExploreArgs, of: &'a OfLaunch, output: &Output) -> ExploredRow<'a> {
    let result = |distinct: &'a Distinct| ResultRow {
        outcome: distinct.outcome.name(),
        count: distinct.count,
        schedule: &distinct.replay,
        replay: replay::run_under(output, &distinct.replay),
        cells: cells(args, distinct),
    };
    ExploredRow {
        strategy: args.strategy.name(),
        seed: args.seed,
        schedules: of.explored.schedules,
        unfinished: of.explored.cut,
        complete: of.explored.complete,
        interrupted: of.explored.interrupted,
        results: of.explored.outcomes.iter().map(result).collect(),
        difference: of.difference.as_ref().map(|difference| DifferenceRow {
            schedules: [&difference.first, &difference.second],
            outcomes: difference.outcomes.map(Outcome::name),
            turns: difference.turns,
            cells: &difference.cells,
            cells_in_all: difference.cells_in_all,
        }),
    }
}
