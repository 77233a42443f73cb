//! The file of `--report`: the findings, why the check is incomplete, and how kernels used the
//! machine, as JSON; or the findings in the format of another tool.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use warpsim::internal;

use super::counted::CountedRow;
use super::found::{Found, Seen};
use crate::args::ExecArgs;
use crate::document::{FindingRow, finding_row};
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, write_file};
use crate::replay;
use crate::reports::{self, ForeignFormat, Reported};

/// Writes the report; `code` is the program's own exit code.
pub(super) fn write(
    found: &Found,
    args: &ExecArgs,
    path: &Path,
    code: u8,
    output: &Output,
) -> Result<(), Failure> {
    let replay = |seen: &Seen| replay::executing(output, seen.finding.replay.as_deref());
    let replays: Vec<String> = found.seen.iter().map(replay).collect();
    let again = replay::executing(output, None);
    write_file(path, |file| match ForeignFormat::of_file(path) {
        Some(format) => foreign(format, found, args, &replays, file),
        None => {
            let stats = args.stats.then(|| found.counted.row(&found.launches, &args.device));
            let report = Report { stats, ..report(found, code, &replays, &again) };
            json::to_writer_pretty(&mut *file, &report)?;
            Ok(writeln!(file)?)
        }
    })
}

/// Workflow commands of GitHub Actions, a line for each finding.
pub(super) fn annotations(
    found: &Found,
    args: &ExecArgs,
    output: &Output,
) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let replays = vec![replay::executing(output, None); found.seen.len()];
    foreign(ForeignFormat::Github, found, args, &replays, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What was run, by the name that the command line has for it.
pub(super) fn subject(args: &ExecArgs) -> Result<String, Failure> {
    let file = args.files.first().map(|file| file.as_os_str());
    let program = file.or_else(|| args.command.first().map(OsString::as_os_str));
    // One of the two is required.
    let program = program.ok_or_else(|| internal!("a program without a name was run"))?;
    Ok(program.to_string_lossy().into_owned())
}

fn foreign(
    format: ForeignFormat,
    found: &Found,
    args: &ExecArgs,
    replays: &[String],
    to: &mut dyn Write,
) -> Result<(), Failure> {
    let places: Vec<String> = found.seen.iter().map(Seen::place).collect();
    let seen = found.seen.iter().zip(&places).zip(replays);
    let seen = seen.map(|((seen, place), replay)| Reported {
        finding: &seen.finding,
        module: &seen.module,
        called: seen.called(),
        place,
        replay,
    });
    let report = reports::Report {
        subject: &subject(args)?,
        findings: seen.collect(),
        level: args.level.into(),
        incomplete: found.incomplete.iter().map(|one| one.explanation.clone()).collect(),
    };
    format.write(&report, to)
}

fn report<'a>(found: &'a Found, code: u8, replays: &'a [String], again: &'a str) -> Report<'a> {
    let row = |(seen, replay): (&'a Seen, &'a String)| Row {
        kernel: &seen.kernel,
        module: &seen.module,
        launch: seen.launch,
        launched_by: seen.site.as_deref(),
        launches: seen.launches,
        finding: finding_row(&seen.finding, replay),
    };
    let missing = found.incomplete.iter().map(|finding| Row {
        kernel: "",
        module: "",
        launch: 0,
        launched_by: None,
        launches: 0,
        finding: finding_row(finding, again),
    });
    Report {
        schema: 1,
        exit: code,
        complete: found.incomplete.is_empty(),
        launches: found.launches.all,
        judged_launches: found.launches.judged,
        unchecked_launches: found.launches.unchecked,
        unfinished_launches: found.launches.unfinished,
        leaked: LeakedRow { pieces: found.leaked.pieces, bytes: found.leaked.bytes },
        findings: found.seen.iter().zip(replays).map(row).chain(missing).collect(),
        allowed_findings: found.allowed,
        unsupported: found.unsupported.iter().map(|(what, _)| &**what).collect(),
        stats: None,
    }
}

/// The document of `--report`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report<'a> {
    schema: u32,
    /// The program's own exit code.
    exit: u8,
    /// Whether nothing was cut short.
    complete: bool,
    launches: u64,
    judged_launches: u64,
    unchecked_launches: u64,
    /// Launches that were cut off under one of the schedules, and judged under the others.
    unfinished_launches: u64,
    leaked: LeakedRow,
    findings: Vec<Row<'a>>,
    allowed_findings: usize,
    unsupported: Vec<&'a str>,
    /// How kernels used the machine (`--stats`).
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<CountedRow<'a>>,
}

/// Device memory that the processes had not freed at their ends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LeakedRow {
    pieces: u64,
    bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row<'a> {
    kernel: &'a str,
    module: &'a str,
    launch: u64,
    launched_by: Option<&'a str>,
    launches: u64,
    #[serde(flatten)]
    finding: FindingRow<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::published;

    #[test]
    fn the_published_schema_is_that_of_the_report() {
        published::<Report<'_>>("warpsim-exec.schema.json", "A report of warpsim exec");
    }
}
