//! Findings as rows of JSON: the mistake, every access with its thread and lines, and help.
//!
//! The commands' documents hold these rows (`docs/cli.md`), and so do the page of a trace and the
//! playground.

use std::borrow::Cow;

use serde::Serialize;
use warpsim::names;
use warpsim::ptx::{Seen, Space};
use warpsim::report::{Finding, Hazard, Remedy, Site, SourcePosition};

/// A finding.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingRow<'a> {
    severity: &'static str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hazard: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument_offset: Option<u64>,
    accesses: Vec<AccessRow<'a>>,
    count: u64,
    message: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    chain: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<RemedyRow<'a>>,
    replay: &'a str,
}

/// Synchronisation with which the finding is gone.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RemedyRow<'a> {
    statement: String,
    ptx_statement: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source: Vec<RemedyPlace<'a>>,
    ptx: Vec<RemedyPlace<'a>>,
}

/// A line beside which it is added.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RemedyPlace<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u32,
    side: &'static str,
}

/// A thread at an instruction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessRow<'a> {
    op: &'a str,
    thread: [u32; 3],
    block: [u32; 3],
    warp: u32,
    lane: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ptx_file: Option<&'a str>,
    ptx_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRow<'a>>,
}

/// A line of a source, with the calls it was inlined into.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceRow<'a> {
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inlined_at: Vec<SourceRow<'a>>,
    /// The lines of libraries' headers inside of it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    library: Vec<SourceRow<'a>>,
}

/// An object by a name that says something: not the one that a compiler makes up for a parameter.
fn object(name: &str) -> Cow<'_, str> {
    match names::made_up(name) {
        Some(_) => names::parameter(name).into(),
        None => name.into(),
    }
}

/// The row of a finding.
pub fn finding_row<'a>(finding: &'a Finding, replay: &'a str) -> FindingRow<'a> {
    FindingRow {
        severity: finding.severity.name(),
        code: finding.code.name(),
        hazard: finding.hazard.map(Hazard::name),
        space: finding.space.map(space_name),
        address: finding.address,
        object: finding.object.as_deref().map(object),
        argument: finding.argument.map(|place| place.argument),
        argument_offset: finding.argument.and_then(|place| place.offset),
        accesses: finding.sites.iter().map(access_row).collect(),
        count: finding.count,
        message: &finding.explanation,
        notes: &finding.notes,
        chain: &finding.chain,
        help: finding.help.as_deref(),
        remedy: finding.remedy.as_ref().map(remedy_row),
        replay,
    }
}

fn remedy_row(remedy: &Remedy) -> RemedyRow<'_> {
    let source = remedy.source.iter().map(|(position, side)| RemedyPlace {
        file: Some(&*position.file),
        line: position.line,
        side: side.word(),
    });
    let ptx = remedy.ptx.iter();
    RemedyRow {
        statement: format!("{};", remedy.what.call()),
        ptx_statement: remedy.what.instruction(),
        source: source.collect(),
        ptx: ptx
            .map(|(line, side)| RemedyPlace { file: None, line: *line, side: side.word() })
            .collect(),
    }
}

/// The row of a thread at an instruction.
pub fn access_row(site: &Site) -> AccessRow<'_> {
    AccessRow {
        op: &site.operation,
        thread: site.thread,
        block: site.block,
        warp: site.warp,
        lane: site.lane,
        ptx_file: site.ptx_file.as_deref(),
        ptx_line: site.ptx_line,
        source: site.source.as_ref().map(source_row),
    }
}

/// The row of a source position.
pub fn source_row(position: &SourcePosition) -> SourceRow<'_> {
    let Seen { own, callers, inside } = position.seen();
    SourceRow {
        inlined_at: callers.iter().map(line_row).collect(),
        library: inside.lines().map(line_row).collect(),
        ..line_row(own)
    }
}

fn line_row(position: &SourcePosition) -> SourceRow<'_> {
    SourceRow {
        file: &position.file,
        line: position.line,
        inlined_at: Vec::new(),
        library: Vec::new(),
    }
}

/// The name of a state space.
pub fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
        Space::Param => "param",
        Space::Tex => "tex",
    }
}
