//! A comparison as JSON: `docs/cli.md` describes it.

use serde::Serialize;
use warpsim::element::ElementType;
use warpsim_gpu::probe::GpuFacts;
use warpsim_gpu::recording::Made;

use super::recorded::LEFT_OUT;
use super::{Comparison, OfLevel};
use crate::compare::{Known, LaunchCompared, ObjectCompared, Reached, Several};
use crate::document::{AccessRow, LaunchShape, PlaceRow, access_row};
use crate::failure::Failure;
use crate::json;
use crate::launch::device::{LaunchDevice as _, Ran, simulator};
use crate::output::Output;
use crate::spec::cell::Cell;

/// The GPU that the simulator was compared with.
#[derive(Clone, Debug, Serialize)]
pub(in crate::commands) struct GpuRow {
    pub(in crate::commands) name: String,
    /// `9.0`; a recording does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) capability: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) driver: Option<String>,
    /// The version of CUDA that the driver supports.
    pub(in crate::commands) cuda: String,
    /// The day on which it ran, where that is not now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) recorded: Option<String>,
}

impl GpuRow {
    /// The known facts about a GPU.
    pub(in crate::commands) fn of(facts: &GpuFacts) -> GpuRow {
        let ((major, minor), (cuda_major, cuda_minor)) = (facts.capability, facts.cuda);
        GpuRow {
            name: facts.name.clone(),
            capability: Some(format!("{major}.{minor}")),
            driver: facts.driver.clone(),
            cuda: format!("{cuda_major}.{cuda_minor}"),
            recorded: None,
        }
    }

    /// What a recording says of it.
    pub(super) fn recorded(made: &Made) -> GpuRow {
        GpuRow {
            name: made.device.clone(),
            capability: None,
            driver: Some(made.driver.clone()).filter(|driver| driver != "unknown"),
            cuda: made.cuda.clone(),
            recorded: Some(made.date.clone()),
        }
    }

    /// `NVIDIA H200 (sm_90, driver 580.159.04)`.
    pub(in crate::commands) fn title(&self) -> String {
        let capability = self.capability.as_ref().map(|c| format!("sm_{}", c.replace('.', "")));
        let driver = self.driver.as_ref().map(|driver| format!("driver {driver}"));
        let recorded = self.recorded.as_ref().map(|date| format!("recorded {date}"));
        let known: Vec<String> = [capability, driver, recorded].into_iter().flatten().collect();
        format!("{} ({})", self.name, known.join(", "))
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    verdict: &'static str,
    kernel: &'a str,
    launch: LaunchShape<'a>,
    gpu: &'a GpuRow,
    levels: Vec<LevelRow<'a>>,
}

#[derive(Serialize)]
struct LevelRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    jit_opt: Option<u8>,
    verdict: &'static str,
    /// Cells that have digests only.
    #[serde(skip_serializing_if = "is_zero")]
    digested: u64,
    launches: Vec<LaunchRow<'a>>,
}

#[derive(Serialize)]
struct LaunchRow<'a> {
    number: u32,
    passes: &'a [String],
    verdict: &'static str,
    outcomes: Outcomes,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_message: Option<&'a str>,
    buffers: Vec<ObjectRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explored: Option<ExploredRow<'a>>,
}

#[derive(Serialize)]
struct Outcomes {
    simulator: &'static str,
    gpu: &'static str,
}

#[derive(Serialize)]
struct ObjectRow<'a> {
    #[serde(flatten)]
    param: Option<PlaceRow>,
    name: &'a str,
    #[serde(rename = "type")]
    ty: ElementType,
    len: u64,
    compared: u64,
    differing: u64,
    tolerated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    farthest_ulp: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
    differences: Vec<DifferenceRow<'a>>,
}

#[derive(Serialize)]
struct DifferenceRow<'a> {
    index: u64,
    simulator: Cell,
    gpu: Cell,
    simulator_bits: Cell,
    gpu_bits: Cell,
    written_by: Option<AccessRow<'a>>,
}

#[derive(Serialize)]
struct ExploredRow<'a> {
    schedules: u64,
    complete: bool,
    results: usize,
    reached: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<&'a str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Writes the document.
pub(super) fn write(comparison: &Comparison<'_>, output: &mut Output) -> Result<(), Failure> {
    output.line(&text(comparison)?)
}

/// Writes the only document, or one that holds several and says how many runs were left out.
pub(super) fn write_all(
    documents: &[String],
    verdict: &str,
    left_out: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    let all = match (documents, left_out) {
        ([only], 0) => return output.line(only),
        (several, _) => several.join(","),
    };
    let left_out = match left_out {
        0 => String::new(),
        runs => format!(",\"left_out\":{{\"runs\":{runs},\"reason\":\"{LEFT_OUT}\"}}"),
    };
    output.line(&format!(
        "{{\"schema\":1,\"verdict\":\"{verdict}\",\"comparisons\":[{all}]{left_out}}}"
    ))
}

/// The document.
pub(super) fn text(comparison: &Comparison<'_>) -> Result<String, Failure> {
    let options = &comparison.args.launch;
    let ran: Ran = simulator(options)?.ran(options);
    let document = Document {
        schema: 1,
        verdict: comparison.verdict().name(),
        kernel: &comparison.chosen.kernel,
        launch: LaunchShape::new(&options.launch(), &ran),
        gpu: &comparison.gpu,
        levels: comparison.levels.iter().map(level_row).collect(),
    };
    Ok(json::to_string(&document)?)
}

fn level_row(of_level: &OfLevel) -> LevelRow<'_> {
    LevelRow {
        jit_opt: of_level.level,
        verdict: of_level.compared.verdict().name(),
        digested: of_level.digested,
        launches: of_level.compared.launches.iter().map(launch_row).collect(),
    }
}

fn launch_row(launch: &LaunchCompared) -> LaunchRow<'_> {
    LaunchRow {
        number: launch.number,
        passes: &launch.passes,
        verdict: launch.verdict.name(),
        outcomes: Outcomes {
            simulator: launch.ours.outcome.name(),
            gpu: launch.theirs.outcome.name(),
        },
        gpu_message: launch.theirs.words.as_deref(),
        buffers: launch.objects.iter().map(object_row).collect(),
        explored: launch.several.as_ref().map(explored_row),
    }
}

fn object_row(compared: &ObjectCompared) -> ObjectRow<'_> {
    let ObjectCompared { object, known, differences, writers } = compared;
    let writers = writers.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let rows = differences.first.iter().zip(writers);
    let value = |bits, as_bits| Cell { element: object.element, bits, as_bits };
    let differing = rows.map(|(found, writer)| DifferenceRow {
        index: found.index,
        simulator: value(found.ours, false),
        gpu: value(found.theirs, false),
        simulator_bits: value(found.ours, true),
        gpu_bits: value(found.theirs, true),
        written_by: writer.map(access_row),
    });
    ObjectRow {
        param: object.parameter.map(Into::into),
        name: &object.name,
        ty: object.element,
        len: object.length,
        compared: differences.compared,
        differing: differences.differing,
        tolerated: differences.tolerated,
        farthest_ulp: differences.farthest,
        lost: *known == Known::Lost,
        differences: differing.collect(),
    }
}

fn explored_row(several: &Several) -> ExploredRow<'_> {
    let (reached, schedule) = match &several.reached {
        Reached::Whole { schedule } => ("whole", Some(schedule.as_str())),
        Reached::CellByCell => ("cell-by-cell", None),
        Reached::No => ("no", None),
    };
    let Several { schedules, complete, results, .. } = *several;
    ExploredRow { schedules, complete, results, reached, schedule }
}
