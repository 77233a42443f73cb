//! The page of a run: one HTML file that shows it step by step, with its findings.
//!
//! `cli/page` holds the page itself, in TypeScript. Its bundle is part of the command. This module
//! writes a launch that was traced and checked into the page as one JSON document. The page needs
//! no network and no other file.
//!
//! A long run is cut: the document says how many steps are left out. Values that the trace does not
//! know are left out, too, and the page shows them as unknown. This module must not know the look
//! of the page.

mod shown;
mod traced;

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;
use serde_json::Value;
use warpsim::names;
use warpsim::report::Finding;
use warpsim_formats::shared::Variable;
use warpsim_formats::traced::TextFile;

use crate::document::{BufferRow, FindingRow, LaunchShape, buffer_row, finding_row};
use crate::failure::Failure;
use crate::json;
use crate::render::source::SourceFiles;
use crate::statistics::MachineRow;

pub(crate) use shown::Shown;
pub(crate) use traced::Traced;

/// The page without data, as `npm run build` in `cli/page` writes it.
const PAGE: &str = include_str!("../../page/dist/page.html");

/// Where the data goes in it.
const PLACE: &str = "/*WARPSIM-DATA*/null/*END*/";

/// What a page shows.
pub(crate) struct Page<'a> {
    /// The command line that makes the page.
    pub(crate) command: &'a str,
    /// The program, where the launch is one of a program.
    pub(crate) program: Option<ProgramRow<'a>>,
    pub(crate) run: &'a Shown,
    /// The same launch under another schedule, where the results differ.
    pub(crate) other: Option<&'a Shown>,
    /// The findings, each with the command that shows it again.
    pub(crate) findings: Vec<Found<'a>>,
}

/// A finding of a page.
pub(crate) struct Found<'a> {
    pub(crate) finding: &'a Finding,
    /// The command that shows it again.
    pub(crate) replay: String,
    /// Where it was found, unless that is the launch of the page.
    pub(crate) elsewhere: Option<String>,
}

/// The program whose launch a page shows.
#[derive(Debug, Serialize)]
pub(crate) struct ProgramRow<'a> {
    /// The program, as the command line names it.
    pub(crate) name: &'a str,
    /// The number of the launch in its process, from 1; `None` where no launch was traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) launch: Option<u64>,
    /// How many launches the program began.
    pub(crate) launches: u64,
    /// Where the program launched it, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) launched_by: Option<&'a str>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    command: &'a str,
    version: &'static str,
    /// As the source has it.
    kernel: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a ProgramRow<'a>>,
    launch: LaunchShape<'a>,
    ptx: &'a TextFile,
    sources: Vec<TextFile>,
    shared: &'a [Variable],
    #[serde(flatten)]
    run: Run<'a>,
    findings: Vec<FoundRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Other<'a>>,
}

#[derive(Serialize)]
struct FoundRow<'a> {
    #[serde(flatten)]
    finding: FindingRow<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<&'a str>,
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
    fn of(shown: &'a Shown) -> Run<'a> {
        Run {
            steps: &shown.rows,
            cut: (shown.left_out > 0).then_some(shown.left_out),
            outcome: shown.outcome.name(),
            machine: shown.machine.as_ref(),
            buffers: shown.buffers.iter().map(|state| buffer_row(state, false)).collect(),
        }
    }
}

impl<'a> Found<'a> {
    /// A finding of the launch of the page.
    pub(crate) fn here(finding: &'a Finding, replay: String) -> Found<'a> {
        Found { finding, replay, elsewhere: None }
    }

    fn row(&self) -> FoundRow<'_> {
        FoundRow {
            finding: finding_row(self.finding, &self.replay),
            elsewhere: self.elsewhere.as_deref(),
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
            kernel: names::readable(&run.kernel),
            program: self.program.as_ref(),
            launch: LaunchShape::new(&run.launch, &run.ran),
            ptx: &run.ptx,
            sources: self.sources(),
            shared: &run.shared,
            run: Run::of(run),
            findings: self.findings.iter().map(Found::row).collect(),
            other: self
                .other
                .map(|other| Other { schedule: other.schedule(), run: Run::of(other) }),
        }
    }

    /// The sources that steps name, as far as they are available.
    fn sources(&self) -> Vec<TextFile> {
        let files = SourceFiles::of(&self.run.file);
        let named = self.run.sources.iter();
        named
            .filter_map(|name| Some(TextFile { name: name.clone(), text: files.text(name)? }))
            .collect()
    }
}
