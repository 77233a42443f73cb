//! The findings of `check` and `explore`, as their own document or in the format of another tool:
//! on standard output, and in the file of `--report`.

use std::io::Write;

use warpsim::host::Simulator;
use warpsim::report::Finding;

use super::check;
use super::launches::Launches;
use crate::args::{FindingFormat, FindingOptions, Level};
use crate::cuda::ptx_path;
use crate::failure::Failure;
use crate::findings::Verdict;
use crate::output::{Output, check_file, write_file};
use crate::page::{Found, Page, Traced};
use crate::replay;
use crate::reports::{ForeignFormat, Report, Reported, is_page};

/// Writes the command's own document.
pub(super) type WriteDocument<'a> = &'a dyn Fn(&mut dyn Write) -> Result<(), Failure>;

/// Refuses a file that could not be written, before the work is done.
pub(super) fn check_report_file(options: &FindingOptions) -> Result<(), Failure> {
    options.report.as_deref().map_or(Ok(()), check_file)
}

/// Writes the formats that the options ask for, except text. Each command writes its own text.
/// `schedules` are two that differ in their results.
pub(super) fn write(
    (options, level): (&FindingOptions, Level),
    launches: &Launches<'_>,
    verdict: &Verdict,
    document: WriteDocument<'_>,
    schedules: Option<[&str; 2]>,
    output: &mut Output,
) -> Result<(), Failure> {
    let foreign = |format: ForeignFormat, to: &mut dyn Write, output: &Output| {
        foreign(format, (launches, verdict, level), output, to)
    };
    let page = |to: &mut dyn Write, output: &Output| page(launches, verdict, schedules, output, to);
    if let Some(path) = &options.report {
        write_file(path, |to| match ForeignFormat::of_file(path) {
            Some(format) => foreign(format, to, output),
            None if is_page(path) => page(to, output),
            None => document(to),
        })?;
    }
    let mut bytes = Vec::new();
    match options.format {
        FindingFormat::Text => {}
        FindingFormat::Json => document(&mut bytes)?,
        FindingFormat::Sarif => foreign(ForeignFormat::Sarif, &mut bytes, output)?,
        FindingFormat::Junit => foreign(ForeignFormat::Junit, &mut bytes, output)?,
        FindingFormat::Github => foreign(ForeignFormat::Github, &mut bytes, output)?,
        FindingFormat::Html => page(&mut bytes, output)?,
    }
    Ok(output.results().write_all(&bytes)?)
}

/// Writes the page of the launch under the schedule of the first finding, or under the two whose
/// results differ.
fn page(
    launches: &Launches<'_>,
    verdict: &Verdict,
    schedules: Option<[&str; 2]>,
    output: &Output,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    let traced = |schedule: Option<&str>| {
        let prepared = launches.prepared.again::<Simulator>(launches.options, output)?;
        Traced::run(prepared, launches.options, schedule, output)
    };
    let first = verdict.shown.iter().find_map(|finding| finding.replay.as_deref());
    let (run, other) = match schedules {
        Some([one, other]) => (traced(Some(one))?, Some(traced(Some(other))?)),
        None => (traced(first)?, None),
    };
    let again = |finding: &Finding| replay::under(output, finding.replay.as_deref());
    Page {
        command: &replay::command_line(output),
        program: None,
        run: run.shown(),
        other: other.as_ref().map(Traced::shown),
        findings: verdict.shown.iter().map(|f| Found::here(f, again(f))).collect(),
    }
    .write(to)
}

fn foreign(
    format: ForeignFormat,
    (launches, verdict, level): (&Launches<'_>, &Verdict, Level),
    output: &Output,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    let module = ptx_path(&launches.options.file).display().to_string();
    let subject = check::what(launches);
    let place = format!("kernel {subject}");
    let replay = |replay: Option<&str>| replay::under(output, replay);
    let replays: Vec<String> =
        verdict.shown.iter().map(|finding| replay(finding.replay.as_deref())).collect();
    let findings = verdict.shown.iter().zip(&replays).map(|(finding, replay)| Reported {
        finding,
        module: &module,
        called: None,
        place: &place,
        replay,
    });
    let report = Report {
        subject: &subject,
        findings: findings.collect(),
        level: level.into(),
        incomplete: check::incomplete(launches, verdict).into_iter().collect(),
    };
    format.write(&report, to)
}
