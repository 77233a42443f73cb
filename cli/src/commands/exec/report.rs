//! The file of `--report`: what was found, and why the check is incomplete, as JSON or SARIF.

use std::path::Path;

use serde::Serialize;
use warpsim_driver_core::Leaked;

use super::found::{Found, Seen};
use crate::document::{FindingRow, finding_row};
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, write_file};
use crate::replay;
use crate::sarif;

/// Writes the report; `code` is the program's own exit code.
pub(super) fn write(found: &Found, path: &Path, code: u8, output: &Output) -> Result<(), Failure> {
    let replay = |seen: &Seen| replay::executing(output, seen.finding.replay.as_deref());
    let replays: Vec<String> = found.seen.iter().map(replay).collect();
    let again = replay::executing(output, None);
    let is_sarif = path.extension().is_some_and(|ending| ending == "sarif");
    write_file(path, |file| {
        match is_sarif {
            true => json::to_writer_pretty(&mut *file, &sarif(found, &replays, &again)),
            false => json::to_writer_pretty(&mut *file, &report(found, code, &replays, &again)),
        }?;
        writeln!(file)?;
        Ok(())
    })
}

fn sarif(found: &Found, replays: &[String], again: &str) -> serde_json::Value {
    let places: Vec<String> = found.seen.iter().map(Seen::place).collect();
    let seen = found.seen.iter().zip(&places).zip(replays);
    let seen = seen.map(|((seen, place), replay)| sarif::Found {
        finding: &seen.finding,
        module: &seen.module,
        called: seen.called(),
        place,
        replay,
    });
    let missing = found.incomplete.iter().map(|finding| sarif::Found {
        finding,
        module: "",
        called: None,
        place: "the whole run",
        replay: again,
    });
    sarif::document(seen.chain(missing), found.incomplete.is_empty())
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
        leaked: found.leaked,
        findings: found.seen.iter().zip(replays).map(row).chain(missing).collect(),
        allowed_findings: found.allowed,
        unsupported: found.unsupported.iter().map(|(what, _)| &**what).collect(),
    }
}

/// The document of `--report`.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    /// The program's own exit code.
    exit: u8,
    /// Whether nothing was cut short.
    complete: bool,
    launches: u64,
    judged_launches: u64,
    unchecked_launches: u64,
    leaked: Leaked,
    findings: Vec<Row<'a>>,
    allowed_findings: usize,
    unsupported: Vec<&'a str>,
}

#[derive(Serialize)]
struct Row<'a> {
    kernel: &'a str,
    module: &'a str,
    launch: u64,
    launched_by: Option<&'a str>,
    launches: u64,
    #[serde(flatten)]
    finding: FindingRow<'a>,
}
