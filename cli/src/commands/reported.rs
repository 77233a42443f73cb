//! What `check` and `explore` found, as their own document or in the format of another tool: on
//! standard output, and in the file of `--report`.

use std::io::Write;

use super::check;
use super::launches::Launches;
use crate::args::{FindingFormat, FindingOptions, Level};
use crate::failure::Failure;
use crate::findings::Verdict;
use crate::input::ptx_path;
use crate::output::{Output, check_file, write_file};
use crate::replay;
use crate::reports::{ForeignFormat, Report, Reported};

/// Writes the command's own document.
pub(super) type WriteDocument<'a> = &'a dyn Fn(&mut dyn Write) -> Result<(), Failure>;

/// Refuses a file that could not be written, before the work is done.
pub(super) fn check_report_file(options: &FindingOptions) -> Result<(), Failure> {
    options.report.as_deref().map_or(Ok(()), check_file)
}

/// Writes what the options ask for but for text, which each command has for itself.
pub(super) fn write(
    (options, level): (&FindingOptions, Level),
    launches: &Launches<'_>,
    verdict: &Verdict,
    document: WriteDocument<'_>,
    output: &mut Output,
) -> Result<(), Failure> {
    let foreign = |format: ForeignFormat, to: &mut dyn Write, output: &Output| {
        foreign(format, (launches, verdict, level), output, to)
    };
    if let Some(path) = &options.report {
        write_file(path, |to| match ForeignFormat::of_file(path) {
            Some(format) => foreign(format, to, output),
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
    }
    Ok(output.results().write_all(&bytes)?)
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
