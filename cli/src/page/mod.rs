//! The page of a run: one HTML file that shows it step by step, with its findings.
//!
//! `cli/page` holds the page itself, in TypeScript. Its bundle is part of the command. This module
//! runs the launch once more, traced and checked, and writes what happened into the page as one
//! JSON document. The page needs no network and no other file.
//!
//! A long run is cut: the document says how many steps are left out. Values that the trace does not
//! know are left out, too, and the page shows them as unknown. It must not know what the page looks
//! like.

mod traced;

use std::collections::BTreeSet;
use std::io::Write;

use serde::Serialize;
use serde_json::Value;
use warpsim::observe::Step;
use warpsim::report::Finding;
use warpsim_formats::shared::Variable;

use crate::document::{BufferRow, FindingRow, LaunchShape, buffer_row, finding_row};
use crate::failure::Failure;
use crate::json;
use crate::render::source::SourceFiles;
use crate::statistics::MachineRow;

pub(crate) use traced::Traced;

/// The page without data, as `npm run build` in `cli/page` writes it.
const PAGE: &str = include_str!("../../page/dist/page.html");

/// Where the data goes in it.
const PLACE: &str = "/*WARPSIM-DATA*/null/*END*/";

/// What a page shows.
pub(crate) struct Page<'a> {
    /// The command line that makes the page.
    pub(crate) command: &'a str,
    pub(crate) run: &'a Traced,
    /// The same launch under another schedule, where the results differ.
    pub(crate) other: Option<&'a Traced>,
    /// What is wrong, each with the command that shows it again.
    pub(crate) findings: Vec<(&'a Finding, String)>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    command: &'a str,
    version: &'static str,
    kernel: &'a str,
    launch: LaunchShape<'a>,
    ptx: File<'a>,
    sources: Vec<Source>,
    shared: &'a [Variable],
    #[serde(flatten)]
    run: Run<'a>,
    findings: Vec<FindingRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Other<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Source {
    name: String,
    text: String,
}

#[derive(Serialize)]
struct Run<'a> {
    steps: &'a [Value],
    cut: Option<u64>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a MachineRow>,
    buffers: Vec<BufferRow<'a>>,
}

#[derive(Serialize)]
struct Other<'a> {
    schedule: &'a str,
    #[serde(flatten)]
    run: Run<'a>,
}

impl<'a> Run<'a> {
    fn of(traced: &'a Traced) -> Run<'a> {
        Run {
            steps: &traced.rows,
            cut: (traced.left_out > 0).then_some(traced.left_out),
            outcome: traced.outcome.name(),
            machine: traced.machine.as_ref(),
            buffers: traced.buffers.iter().map(|state| buffer_row(state, false)).collect(),
        }
    }
}

impl Page<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// It cannot be written, or the page that is compiled in has no place for data.
    pub(crate) fn write(&self, to: &mut dyn Write) -> Result<(), Failure> {
        let Some((before, after)) = PAGE.split_once(PLACE) else {
            return Err(warpsim::internal!("the page has no place for its data").into());
        };
        // What a browser would take for the end of the script.
        let data = json::to_string(&self.document())?.replace('<', "\\u003c");
        to.write_all(before.as_bytes())?;
        to.write_all(data.as_bytes())?;
        Ok(to.write_all(after.as_bytes())?)
    }

    fn document(&self) -> Document<'_> {
        let run = self.run;
        Document {
            schema: 1,
            command: self.command,
            version: env!("CARGO_PKG_VERSION"),
            kernel: &run.kernel,
            launch: LaunchShape::new(&run.launch, &run.ran),
            ptx: File { name: run.ptx.name(), text: first_file(&run.ptx) },
            sources: self.sources(),
            shared: &run.shared,
            run: Run::of(run),
            findings: self
                .findings
                .iter()
                .map(|(found, replay)| finding_row(found, replay))
                .collect(),
            other: self
                .other
                .map(|other| Other { schedule: other.schedule(), run: Run::of(other) }),
        }
    }

    /// The sources that steps name, as far as they are at hand.
    fn sources(&self) -> Vec<Source> {
        let files = SourceFiles::of(&self.run.file);
        let file = |step: &Step| Some(step.source.as_ref()?.file.to_string());
        let named: BTreeSet<String> = self.run.steps().iter().filter_map(file).collect();
        let source = |name: String| files.text(&name).map(|text| Source { name, text });
        named.into_iter().filter_map(source).collect()
    }
}

/// The text of the module's own file.
fn first_file(source: &warpsim::ptx::Source) -> &str {
    source.files().next().map_or("", |(_, text)| text)
}
