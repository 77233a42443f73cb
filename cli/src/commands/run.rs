//! `warpsim run`: one kernel, one or several launches, and its buffers, on the simulator or on a
//! GPU.

use warpsim::host::Simulator;
use warpsim::report::Outcome;
use warpsim_gpu::Isolated;

use super::launches::{Judged, Launches};
use crate::args::launch::Target;
use crate::args::{Format, RunArgs};
use crate::expected;
use crate::failure::{Exit, Failure};
use crate::launch::device::LaunchDevice;
use crate::output::Output;
use crate::render::findings::FindingText;
use crate::replay;

pub(super) fn run(args: &RunArgs, output: &mut Output) -> Result<Exit, Failure> {
    if args.stats && args.launch.on == Target::Gpu {
        return Err(Failure::usage_with_help(
            "--stats has no meaning on a GPU",
            "nobody can watch there: leave out `--on gpu`, or count with Nsight Compute (`ncu`)",
        ));
    }
    match args.launch.on {
        Target::Sim => run_on::<Simulator>(args, output),
        Target::Gpu => run_on::<Isolated>(args, output),
    }
}

fn run_on<D: LaunchDevice>(args: &RunArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut launches = Launches::<D>::run(
        &args.launch,
        (&args.report, args.format == Format::Json),
        output,
        |prepared, _, _, _| {
            prepared.counts_use = args.stats;
            expected::check(&args.expected.expect, prepared)
        },
    )?;
    launches.compare(&args.expected)?;
    let replay = replay::command_line(output);
    let last = launches.rows.last().map(|row| &row.launched.report);
    let findings = last.map(|report| report.findings.as_slice()).unwrap_or_default();
    match args.format {
        Format::Json => {
            let findings = findings.iter().map(|f| (f, replay.clone())).collect();
            let judged = Judged { findings, ..Judged::default() };
            launches.write_document(&judged, output.results())?;
        }
        Format::Text => launches.print(output)?,
    }
    output.flush()?;
    launches.report_unexpected(output);
    let text = FindingText::new(&args.launch.file, output.colour_of_messages());
    for finding in findings {
        output.message(&text.of(finding, &replay));
    }
    Ok(match launches.outcome() {
        Outcome::Completed if launches.are_as_expected() => Exit::CLEAN,
        _ => Exit::custom(args.report.error_exitcode),
    })
}
