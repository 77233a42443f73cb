//! The page of `--report`: one launch of the program step by step, with all findings.
//!
//! The program's processes have traced some launches (`driver-api/core/src/traced.rs`). The page
//! shows the one in which the worst finding was first seen. Without such a launch it shows the
//! first one, and without launches the findings alone.

use std::fs;
use std::path::{Path, PathBuf};

use warpsim::host::{Launch, Model};
use warpsim::internal;
use warpsim::report::Outcome;
use warpsim_formats::traced::{TextFile, TracedBuffer, TracedLaunch};

use super::child::refused;
use super::folder::Folder;
use super::found::{Found, Seen};
use super::report::subject;
use crate::args::ExecArgs;
use crate::failure::Failure;
use crate::launch::device::Ran;
use crate::launch::state::{BufferState, Contents};
use crate::output::{Output, write_file};
use crate::page::{self, Page, ProgramRow, Shown};
use crate::replay;
use crate::statistics::MachineRow;

/// Writes the page.
pub(super) fn write(
    found: &Found,
    args: &ExecArgs,
    folder: &Folder,
    path: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let seen = found.seen.get(..args.max_findings).unwrap_or(&found.seen);
    let traced = chosen(seen, folder)?;
    let of = |traced: &TracedLaunch| (traced.process, traced.number);
    let launch = traced.as_ref().map(of);
    let name = subject(args)?;
    let shown = match traced {
        Some(traced) => of_launch(traced, args),
        None => without_launch(&name, args),
    };
    let is_here = |seen: &Seen| launch == Some((seen.process, seen.launch));
    let findings: Vec<_> = seen.iter().map(Seen::with_place).collect();
    let findings = seen.iter().zip(&findings).map(|(seen, finding)| page::Found {
        finding,
        replay: replay::executing(output, finding.replay.as_deref()),
        elsewhere: (!is_here(seen)).then(|| seen.place()),
    });
    let page = Page {
        command: &replay::command_line(output),
        program: Some(ProgramRow {
            name: &name,
            launch: launch.map(|(_, number)| number),
            launches: found.launches.all,
            launched_by: seen.iter().find(|seen| is_here(seen)).and_then(|s| s.site.as_deref()),
        }),
        run: &shown,
        other: None,
        findings: findings.collect(),
    };
    write_file(path, |to| page.write(to))
}

/// The launch of the page; `None` where none was traced.
fn chosen(seen: &[Seen], folder: &Folder) -> Result<Option<TracedLaunch>, Failure> {
    let files = folder.traced()?;
    let of_finding = seen.iter().find_map(|seen| files.get(&(seen.launch, seen.process)));
    let Some(file) = of_finding.or_else(|| files.values().next()) else { return Ok(None) };
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| refused("the traced launch of the program", &error))?;
    let traced = serde_json::from_str(&text);
    Ok(Some(traced.map_err(|error| internal!("a traced launch cannot be read: {error}"))?))
}

fn of_launch(traced: TracedLaunch, args: &ExecArgs) -> Shown {
    Shown {
        kernel: traced.kernel,
        launch: traced.launch,
        ran: ran(args, traced.schedule),
        ptx: traced.ptx,
        file: PathBuf::from(traced.module),
        sources: traced.sources,
        shared: traced.shared,
        rows: traced.steps,
        left_out: traced.left_out,
        outcome: traced.outcome,
        machine: Some(MachineRow::of(&traced.totals, &args.device)),
        buffers: traced.buffers.into_iter().map(buffer).collect(),
    }
}

fn buffer(traced: TracedBuffer) -> BufferState {
    let TracedBuffer { place, element, length, first } = traced;
    BufferState { parameter: place, contents: Contents::of_first(element, length, first) }
}

/// A run without a step, under the name of the program.
fn without_launch(name: &str, args: &ExecArgs) -> Shown {
    Shown {
        kernel: name.to_owned(),
        launch: Launch::default(),
        ran: ran(args, String::new()),
        ptx: TextFile { name: String::new(), text: String::new() },
        file: PathBuf::new(),
        sources: std::collections::BTreeSet::new(),
        shared: Vec::new(),
        rows: Vec::new(),
        left_out: 0,
        outcome: Outcome::Completed,
        machine: None,
        buffers: Vec::new(),
    }
}

fn ran(args: &ExecArgs, schedule: String) -> Ran {
    let model = Model::from(args.model).name();
    Ran::Simulated { model, schedule, profile: args.device.name.clone() }
}
