//! A launch step by step: the document that the page of `warpsim trace` shows (schema 1).

use std::collections::BTreeSet;

use serde_json::{Value, json};
use warpsim::check::Schedules;
use warpsim::internal::InternalError;
use warpsim::observe::{Step, TraceStream};
use warpsim_formats::compact::compact;
use warpsim_formats::shared::Variable;
use warpsim_formats::steps::row;

use crate::examples;
use crate::ready::{Ready, checking};
use crate::refusal::{FILE, Refusal};
use crate::request::Work;
use crate::results::{buffers, rows, value};

/// Steps that are kept: a page with more is slow to draw.
const STEPS: usize = 4000;

/// Warp instructions after which a traced launch is given up.
const MOST_TRACED: u64 = 200_000;

/// The first steps of a run, and how many are behind them.
#[derive(Default)]
struct Kept {
    steps: Vec<Step>,
    rows: Vec<Value>,
    left_out: u64,
    /// The first row that could not be made.
    bug: Option<InternalError>,
}

impl Kept {
    fn add(&mut self, step: Step) {
        if self.steps.len() == STEPS {
            self.left_out += 1;
            return;
        }
        match value(&row(&step)) {
            Ok(mut shortened) => {
                compact(&mut shortened, step.active);
                self.rows.push(shortened);
                self.steps.push(step);
            }
            Err(bug) => {
                self.bug.get_or_insert(bug);
            }
        }
    }
}

/// Runs the launch, checked, and keeps its steps.
pub(crate) fn trace(work: &Work) -> Result<Value, Refusal> {
    let mut ready = Ready::of(work)?;
    let mut kept = Kept::default();
    let settings = ready.gpu.settings_mut();
    settings.checking = Some(checking(Schedules::AsSet, 1));
    settings.max_steps = settings.max_steps.min(MOST_TRACED);
    let report = {
        let Ready { gpu, remarks, handle, kernel, launch, arguments, .. } = &mut ready;
        let mut stream = TraceStream::new(remarks, |step| kept.add(step));
        gpu.launch_observed(*handle, kernel, launch, arguments, &mut stream)
    };
    let report = report.map_err(|error| Refusal::device(error, &ready.module))?;
    if let Some(bug) = kept.bug {
        return Err(bug.into());
    }
    let program = ready.gpu.program(ready.handle, &ready.kernel);
    let program = program.map_err(|error| Refusal::device(error, &ready.module))?;
    let dynamic = ready.launch.shared;
    let shared = program.shared.iter();
    let shared = shared.map(|symbol| value(&Variable::of(symbol, dynamic, &kept.steps)));
    let shared = shared.collect::<Result<Vec<Value>, InternalError>>()?;
    let settings = ready.gpu.settings();
    Ok(json!({
        "schema": 1,
        "command": format!("warpsim trace {FILE}"),
        "version": env!("CARGO_PKG_VERSION"),
        "kernel": ready.kernel,
        "launch": {
            "grid": ready.launch.grid,
            "block": ready.launch.block,
            "shared": dynamic,
            "model": settings.model.name(),
            "schedule": settings.schedule.to_string(),
            "device": ready.gpu.profile().name,
        },
        "ptx": { "name": FILE, "text": ready.module.source.text() },
        "sources": sources(work, &kept.steps),
        "steps": kept.rows,
        "cut": (kept.left_out > 0).then_some(kept.left_out),
        "outcome": report.outcome.name(),
        "shared": shared,
        "buffers": buffers(&mut ready)?,
        "findings": rows(&report.findings)?,
    }))
}

/// The sources that steps name, as far as they are available: only the built-in program's is.
fn sources(work: &Work, steps: &[Step]) -> Vec<Value> {
    let Some(source) = examples::source(work) else { return Vec::new() };
    let file = |step: &Step| Some(step.source.as_ref()?.file.to_string());
    let named: BTreeSet<String> = steps.iter().filter_map(file).collect();
    let is_source = |name: &String| name.rsplit(['/', '\\']).next() == Some(source.file);
    let named = named.into_iter().filter(is_source);
    named.map(|name| json!({ "name": name, "text": source.text })).collect()
}
