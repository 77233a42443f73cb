//! The JSON document of a run, in the order that `docs/cli.md` gives.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use warpsim::element::ElementType;
use warpsim::explore::CellValue;
use warpsim::host::{ArgumentPlace, Launch};
use warpsim::report::Counts;

pub(crate) use warpsim_formats::findings::{AccessRow, FindingRow, access_row, finding_row};

use crate::launch::device::Ran;
use crate::launch::state::{BufferState, Contents, VariableState};
use crate::spec::cell::Cell;
use crate::statistics::MachineRow;

#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Document<'a> {
    pub(crate) schema: u32,
    pub(crate) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kernel: Option<&'a str>,
    /// The form that a `.cu` file was compiled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) compiled: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) launch: Option<LaunchShape<'a>>,
    pub(crate) buffers: Vec<BufferRow<'a>>,
    /// The variables of `--show`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) variables: Vec<VariableRow<'a>>,
    /// What the kernel printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) printed: String,
    /// How many of its calls of `printf` were lost.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) printed_lost: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) launches: Option<Vec<LaunchRow<'a>>>,
    pub(crate) findings: Vec<FindingRow<'a>>,
    /// The buffers of `--expect`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) expected: Vec<ExpectedRow>,
    /// How many more findings there are than `--max-findings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) more_findings: Option<usize>,
    /// How many findings `--allow` leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_findings: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checked: Option<CheckedRow>,
    /// One row a launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) explored: Vec<ExploredRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ErrorRow<'a>>,
    pub(crate) stats: Stats,
}

impl Document<'_> {
    /// A document that says nothing.
    pub(crate) fn empty() -> Self {
        Document { schema: 1, stats: Stats::new(&Counts::default(), 0.0), ..Document::default() }
    }
}

/// The schedules under which the launches were checked.
#[derive(Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CheckedRow {
    /// One schedule stands for all: the programs do and access the same under each.
    pub(crate) every_schedule: bool,
    pub(crate) schedules: Vec<String>,
    /// Schedules under which a launch was given up before it ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unfinished: Vec<String>,
}

/// What many schedules of a launch came to.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ExploredRow<'a> {
    pub(crate) strategy: &'static str,
    pub(crate) seed: u64,
    /// Schedules that ran to their end.
    pub(crate) schedules: u64,
    /// Schedules that were given up.
    pub(crate) unfinished: u64,
    /// Whether these were all that can differ.
    pub(crate) complete: bool,
    /// Whether somebody ended it before all that were asked for had run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) interrupted: bool,
    pub(crate) results: Vec<ResultRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<DifferenceRow<'a>>,
}

/// A result, and how many schedules had it.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ResultRow<'a> {
    pub(crate) outcome: &'static str,
    pub(crate) count: u64,
    pub(crate) schedule: &'a str,
    pub(crate) replay: String,
    /// Of the first results: cells in which they differ, the same for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cells: Vec<CellValueRow>,
}

/// A cell after a run.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CellValueRow {
    pub(crate) object: String,
    #[serde(flatten)]
    pub(crate) param: Option<PlaceRow>,
    pub(crate) index: u64,
    #[serde(rename = "type")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) ty: ElementType,
    #[cfg_attr(test, schemars(with = "tests::NumberOrText"))]
    pub(crate) value: Cell,
}

impl CellValueRow {
    /// A cell, with its value as bits if asked for.
    pub(crate) fn new(cell: &CellValue, as_bits: bool) -> CellValueRow {
        CellValueRow {
            object: cell.object.clone(),
            param: cell.argument.map(Into::into),
            index: cell.index,
            ty: cell.ty,
            value: Cell { element: cell.ty, bits: cell.value, as_bits },
        }
    }
}

/// Two schedules with different results.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DifferenceRow<'a> {
    pub(crate) schedules: [&'a str; 2],
    pub(crate) outcomes: [&'static str; 2],
    /// The turns in which the second departs from the first.
    pub(crate) turns: u64,
    pub(crate) cells: &'a [CellRow],
    pub(crate) cells_in_all: u64,
}

/// The parameter that a buffer was given for, and the offset in a struct.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PlaceRow {
    param: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

impl From<ArgumentPlace> for PlaceRow {
    fn from(place: ArgumentPlace) -> PlaceRow {
        PlaceRow { param: place.argument, offset: place.offset }
    }
}

/// A cell that two runs left different.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CellRow {
    pub(crate) object: String,
    #[serde(flatten)]
    pub(crate) param: Option<PlaceRow>,
    pub(crate) index: u64,
    #[serde(rename = "type")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) ty: ElementType,
    #[cfg_attr(test, schemars(with = "[tests::NumberOrText; 2]"))]
    pub(crate) values: [Cell; 2],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LaunchShape<'a> {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cooperative: bool,
    /// `gpu`, where it ran on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schedule: Option<&'a str>,
    pub(crate) device: &'a str,
    /// The level of the GPU's driver, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) jit_opt: Option<u8>,
}

impl<'a> LaunchShape<'a> {
    /// The shape of a launch, and how it ran.
    pub(crate) fn new(launch: &Launch, ran: &'a Ran) -> LaunchShape<'a> {
        let (on, model, schedule, device, jit_opt) = match ran {
            Ran::Simulated { model, schedule, profile } => {
                (None, Some(*model), Some(schedule.as_str()), profile, None)
            }
            Ran::OnGpu { name, jit } => (Some("gpu"), None, None, name, *jit),
        };
        let Launch { grid, block, shared, cooperative } = *launch;
        LaunchShape { grid, block, shared, cooperative, on, model, schedule, device, jit_opt }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct BufferRow<'a> {
    #[serde(flatten)]
    param: PlaceRow,
    #[serde(flatten)]
    contents: ContentsRow<'a>,
}

/// A variable of the module.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct VariableRow<'a> {
    name: &'a str,
    #[serde(flatten)]
    contents: ContentsRow<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ContentsRow<'a> {
    #[serde(rename = "type")]
    #[cfg_attr(test, schemars(with = "String"))]
    ty: ElementType,
    len: u64,
    /// The cells along each dimension, where there are several.
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    shape: &'a [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<&'a str>,
    #[cfg_attr(test, schemars(with = "Vec<tests::NumberOrText>"))]
    values: Values<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    elided: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
}

struct Values<'a> {
    contents: &'a Contents,
    as_bits: bool,
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.contents.shown() as usize))?;
        for cell in self.contents.cells(self.as_bits) {
            sequence.serialize_element(&cell)?;
        }
        sequence.end()
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LaunchRow<'a> {
    pub(crate) passes: &'a [String],
    pub(crate) outcome: &'static str,
    pub(crate) buffers: Vec<BufferRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) variables: Vec<VariableRow<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) printed: &'a str,
    pub(crate) stats: Stats,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ErrorRow<'a> {
    pub(crate) kind: &'static str,
    pub(crate) message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ptx_line: Option<u32>,
}

/// A buffer that was compared with what it was to hold.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ExpectedRow {
    #[serde(flatten)]
    pub(crate) param: PlaceRow,
    pub(crate) compared: u64,
    pub(crate) differing: u64,
    pub(crate) tolerated: u64,
    /// The first cells that differ.
    pub(crate) cells: Vec<DifferingRow>,
}

/// A cell that holds something else.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DifferingRow {
    pub(crate) index: u64,
    #[cfg_attr(test, schemars(with = "tests::NumberOrText"))]
    pub(crate) value: Cell,
    #[cfg_attr(test, schemars(with = "tests::NumberOrText"))]
    pub(crate) expected: Cell,
}

#[derive(Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Stats {
    /// Nobody counts on a GPU.
    #[serde(flatten)]
    counts: Option<CountsRow>,
    seconds: f64,
    /// How the launch used the machine (`--stats`).
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<MachineRow>,
}

#[derive(Clone, Copy, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CountsRow {
    warp_instructions: u64,
    lane_instructions: u64,
    branches: u64,
    divergent_branches: u64,
    barriers: u64,
}

impl Stats {
    /// The counts of a launch and how long it took.
    pub(crate) fn new(counts: &Counts, seconds: f64) -> Stats {
        let counts = CountsRow {
            warp_instructions: counts.warp_instructions,
            lane_instructions: counts.lane_instructions,
            branches: counts.branches,
            divergent_branches: counts.divergent_branches,
            barriers: counts.barriers,
        };
        Stats { counts: Some(counts), seconds, machine: None }
    }

    /// How long a launch took that has no counts.
    pub(crate) fn uncounted(seconds: f64) -> Stats {
        Stats { counts: None, seconds, machine: None }
    }

    /// The same with how the launch used the machine.
    pub(crate) fn with_machine(self, machine: Option<MachineRow>) -> Stats {
        Stats { machine, ..self }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The row of a buffer.
pub(crate) fn buffer_row(state: &BufferState, as_bits: bool) -> BufferRow<'_> {
    BufferRow {
        param: state.parameter.into(),
        contents: ContentsRow::new(&state.contents, as_bits),
    }
}

/// The row of a variable that `--show` names.
pub(crate) fn variable_row(state: &VariableState, as_bits: bool) -> VariableRow<'_> {
    VariableRow { name: &state.name, contents: ContentsRow::new(&state.contents, as_bits) }
}

impl<'a> ContentsRow<'a> {
    fn new(contents: &'a Contents, as_bits: bool) -> ContentsRow<'a> {
        ContentsRow {
            ty: contents.element,
            len: contents.length,
            shape: several(contents.shape.dimensions()),
            sha256: contents.sha256.as_deref(),
            values: Values { contents, as_bits },
            elided: contents.is_elided(),
            lost: contents.is_lost(),
        }
    }
}

/// Dimensions, where there are several.
fn several(dimensions: &[u64]) -> &[u64] {
    if dimensions.len() > 1 { dimensions } else { &[] }
}

#[cfg(test)]
pub(crate) mod tests {
    use schemars::JsonSchema;
    use schemars::generate::SchemaSettings;

    use super::*;

    /// A cell: a number, or a text where JSON has no such number.
    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[expect(dead_code, reason = "only its schema is used")]
    pub(crate) enum NumberOrText {
        Number(f64),
        Text(String),
    }

    /// The schema in the book matches a type.
    pub(crate) fn published<T: JsonSchema>(file: &str, title: &str) {
        let path = format!("{}/../docs/{file}", env!("CARGO_MANIFEST_DIR"));
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut schema = generator.into_root_schema_for::<T>();
        schema.insert("title".into(), title.into());
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(published == text, "write {file} anew: UPDATE_DOCS=1");
    }

    #[test]
    fn the_published_schema_is_that_of_the_documents() {
        let title = "A document of warpsim run, check or explore";
        published::<Document<'_>>("warpsim.schema.json", title);
    }
}
