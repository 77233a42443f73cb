//! Launches that the page asks for: prepared on a fresh simulator, run, checked, explored.

use serde_json::{Value, json};
use warpsim::check::{Checking, Schedules};
use warpsim::explore::{Exploration, Explored, LaunchRequest, explore as explore_schedules};
use warpsim::host::{
    Argument, Device, Extent, Launch, Model, ModuleHandle, Simulator, kernel_named,
    kernel_parameters, kernels as kernels_of,
};
use warpsim::passes::{self, Remark};
use warpsim::ptx::{self, Module};
use warpsim::report::{Counts, Report};
use warpsim_formats::arguments::{Buffer, resolve};
use warpsim_formats::spec::{Spec, scalar};
use warpsim_formats::suggestion::Suggestion;

use crate::examples;
use crate::refusal::{FILE, Refusal};
use crate::request::Work;
use crate::results::{buffers, rows};

/// Warp instructions after which a launch is given up, unless the request says otherwise.
pub const MOST_STEPS: u64 = 20_000_000;

/// The most bytes of global memory that the arguments of a launch may take.
const MOST_MEMORY: u64 = 256 << 20;

/// A launch, ready on a simulator.
pub(crate) struct Ready {
    pub(crate) gpu: Simulator,
    pub(crate) module: Module,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) handle: ModuleHandle,
    pub(crate) kernel: String,
    pub(crate) launch: Launch,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) buffers: Vec<Buffer>,
}

/// The PTX of the page.
pub(crate) fn parsed(text: &str) -> Result<Module, Refusal> {
    ptx::parse(FILE, text).map_err(|error| Refusal::syntax(&error, text))
}

/// The module after passes, and what they did.
pub(crate) fn rewritten(
    mut module: Module,
    names: &[String],
) -> Result<(Module, Vec<Remark>), Refusal> {
    let mut remarks = Vec::new();
    for name in names {
        let pass = passes::by_name(name);
        let pass = pass.ok_or_else(|| Refusal::usage(format!("there is no pass `{name}`")))?;
        let after = pass(&module).map_err(|error| Refusal::pass(error, &module))?;
        remarks.extend(after.remarks);
        module = after.module;
    }
    Ok((module, remarks))
}

/// The kernels of a text, each with a suggested launch.
pub(crate) fn kernels(text: &str) -> Result<Value, Refusal> {
    let module = parsed(text)?;
    let mut all = Vec::new();
    for kernel in kernels_of(&module) {
        let parameters = kernel_parameters(&module, kernel);
        let parameters = parameters.map_err(|error| Refusal::device(error, &module))?;
        let described = parameters.iter().enumerate().map(|(k, p)| scalar::describe_in_list(k, p));
        let suggestion = Suggestion::of(&module, kernel).unwrap_or_default();
        all.push(json!({
            "name": kernel,
            "parameters": described.collect::<Vec<_>>(),
            "suggestion": suggested(&suggestion.options),
        }));
    }
    Ok(json!({ "kernels": all }))
}

/// Options and their values as a launch.
fn suggested(options: &[String]) -> Value {
    let (pairs, _) = options.as_chunks::<2>();
    let of = |name: &str| {
        let found = pairs.iter().filter(move |[option, _]| option == name);
        found.map(|[_, value]| value.clone()).collect::<Vec<String>>()
    };
    let one = |name: &str, otherwise: &str| {
        of(name).into_iter().next().unwrap_or_else(|| otherwise.to_owned())
    };
    json!({
        "grid": one("--grid", "1"),
        "block": one("--block", "1"),
        "shared": one("--shared", "0"),
        "args": of("--arg"),
    })
}

impl Ready {
    /// Parses the text, applies passes, loads the module and fills memory.
    pub(crate) fn of(work: &Work) -> Result<Ready, Refusal> {
        let (module, remarks) = rewritten(parsed(&work.text)?, &work.passes)?;
        let refused = |error| Refusal::device(error, &module);
        let kernel = chosen(&module, work.kernel.as_deref())?;
        let parameters = kernel_parameters(&module, &kernel).map_err(refused)?;
        if parameters.len() != work.args.len() {
            let wanted = parameters.iter().enumerate();
            let wanted: Vec<String> =
                wanted.map(|(k, parameter)| scalar::describe_in_list(k, parameter)).collect();
            return Err(Refusal::usage(format!(
                "kernel `{kernel}` takes {} arguments, and {} are given: {}",
                wanted.len(),
                work.args.len(),
                wanted.join(", ")
            )));
        }
        let specs = specs(&work.args)?;
        let mut gpu = simulator(work)?;
        let handle = gpu.load(&module).map_err(refused)?;
        let laid_out = resolve(&mut gpu, true, &parameters, &specs);
        let (arguments, buffers) = laid_out.map_err(|error| Refusal::arguments(error, &module))?;
        let launch = Launch {
            grid: extent("grid", &work.grid)?,
            block: extent("block", &work.block)?,
            shared: work.shared,
            ..Launch::default()
        };
        Ok(Ready { gpu, module, remarks, handle, kernel, launch, arguments, buffers })
    }

    fn launch(&mut self) -> Result<Report, Refusal> {
        let Ready { gpu, handle, kernel, launch, arguments, module, .. } = self;
        let report = gpu.launch(*handle, kernel, launch, arguments);
        report.map_err(|error| Refusal::device(error, module))
    }
}

fn specs(args: &[String]) -> Result<Vec<Spec>, Refusal> {
    let mut specs = Vec::new();
    let mut total: u64 = 0;
    for (index, text) in args.iter().enumerate() {
        let spec = Spec::parse(text.trim())
            .map_err(|error| Refusal::usage(format!("argument {index}: {error}")))?;
        for (_, buffer) in spec.buffers(index) {
            total = total.saturating_add(buffer.bytes().unwrap_or(u64::MAX));
        }
        specs.push(spec);
    }
    match total > MOST_MEMORY {
        true => Err(Refusal::usage(format!(
            "the buffers have {total} bytes; in a page they may have {MOST_MEMORY}"
        ))),
        false => Ok(specs),
    }
}

fn chosen(module: &Module, wanted: Option<&str>) -> Result<String, Refusal> {
    match (wanted.filter(|name| !name.is_empty()), kernels_of(module).as_slice()) {
        (_, []) => Err(Refusal::usage("the module defines no kernel (no `.entry` with a body)")),
        (Some(name), _) => kernel_named(module, name)
            .map(str::to_owned)
            .map_err(|error| Refusal::device(error, module)),
        (None, [only]) => Ok((*only).to_owned()),
        (None, several) => Err(Refusal::usage(format!("choose a kernel: {}", several.join(", ")))),
    }
}

fn extent(what: &str, text: &str) -> Result<[u32; 3], Refusal> {
    let text = if text.trim().is_empty() { "1" } else { text };
    let Extent(sizes) = text.parse().map_err(|error| Refusal::usage(format!("{what}: {error}")))?;
    Ok(sizes)
}

/// A fresh simulator, with the settings of a request.
pub(crate) fn simulator(work: &Work) -> Result<Simulator, Refusal> {
    let mut gpu = Simulator::default();
    let settings = gpu.settings_mut();
    settings.max_steps = work.max_steps.unwrap_or(MOST_STEPS);
    let schedule = work.schedule.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if let Some(schedule) = schedule {
        let parsed = schedule.parse();
        settings.schedule = parsed
            .map_err(|error: warpsim::schedule::ScheduleError| Refusal::usage(error.to_string()))?;
    }
    settings.model = match work.model.as_deref() {
        None | Some("" | "independent") => Model::Independent,
        Some("lockstep") => Model::Lockstep,
        Some(other) => return Err(Refusal::usage(format!("there is no model `{other}`"))),
    };
    Ok(gpu)
}

/// One run, and whether a built-in program has its result.
pub(crate) fn run(work: &Work) -> Result<Value, Refusal> {
    let mut ready = Ready::of(work)?;
    let report = ready.launch()?;
    let mut answer = reported(&mut ready, &report)?;
    if let Some(verdict) = examples::verdict(work)? {
        put(&mut answer, "verdict", verdict);
    }
    Ok(answer)
}

/// A run under several schedules, or under the one that is given.
pub(crate) fn check(work: &Work) -> Result<Value, Refusal> {
    let mut ready = Ready::of(work)?;
    let schedules = match &work.schedule {
        Some(text) if !text.trim().is_empty() => Schedules::AsSet,
        Some(_) | None => Schedules::Merged,
    };
    ready.gpu.settings_mut().checking = Some(Checking::default().with_schedules(schedules));
    let report = ready.launch()?;
    let mut answer = reported(&mut ready, &report)?;
    if let Some(checked) = &report.checked {
        let row = json!({
            "every_schedule": checked.every_schedule,
            "schedules": checked.schedules,
            "unfinished": checked.unfinished,
        });
        put(&mut answer, "checked", row);
    }
    Ok(answer)
}

/// Many schedules, each checked.
pub(crate) fn explore(work: &Work, schedules: u64, seed: u64) -> Result<Value, Refusal> {
    let mut ready = Ready::of(work)?;
    let checking = Checking::default().with_schedules(Schedules::AsSet);
    ready.gpu.settings_mut().checking = Some(checking);
    let Ready { gpu, handle, kernel, launch, arguments, buffers, module, .. } = &mut ready;
    let types = buffers.iter().map(|buffer| (buffer.parameter, buffer.element)).collect();
    let request = LaunchRequest::new(*handle, kernel, *launch, arguments).with_cell_types(types);
    let exploration = Exploration::default().with_schedules(schedules).with_seed(seed);
    let explored = explore_schedules(gpu, &request, &exploration);
    let explored = explored.map_err(|error| Refusal::device(error, module))?;
    Ok(explored_row(&ready, &explored, seed))
}

fn explored_row(ready: &Ready, explored: &Explored, seed: u64) -> Value {
    let results: Vec<Value> = explored
        .outcomes
        .iter()
        .map(|one| {
            json!({ "outcome": one.outcome.name(), "count": one.count, "schedule": one.replay })
        })
        .collect();
    let difference = explored.difference.as_ref().map(|difference| {
        json!({
            "schedules": [difference.first, difference.second],
            "outcomes": difference.outcomes.map(|outcome| outcome.name()),
            "turns": difference.turns,
            "cells": difference.cells_in_all,
        })
    });
    json!({
        "kernel": ready.kernel,
        "findings": rows(&explored.findings),
        "explored": {
            "seed": seed,
            "schedules": explored.schedules,
            "unfinished": explored.cut,
            "complete": explored.complete,
            "results": results,
            "difference": difference,
        },
    })
}

/// What a launch came to, and what it left.
fn reported(ready: &mut Ready, report: &Report) -> Result<Value, Refusal> {
    let findings = rows(&report.findings);
    Ok(json!({
        "kernel": ready.kernel,
        "outcome": report.outcome.name(),
        "printed": report.printed.text,
        "findings": findings,
        "buffers": buffers(ready)?,
        "counts": counted(&report.counts),
        "rewritten": (!ready.remarks.is_empty()).then(|| ptx::print(&ready.module)),
        "remarks": ready.remarks.len(),
    }))
}

fn counted(counts: &Counts) -> Value {
    json!({
        "warp_instructions": counts.warp_instructions,
        "lane_instructions": counts.lane_instructions,
        "branches": counts.branches,
        "divergent_branches": counts.divergent_branches,
        "barriers": counts.barriers,
    })
}

/// Adds a key to an object.
fn put(answer: &mut Value, key: &str, value: Value) {
    if let Value::Object(object) = answer {
        object.insert(key.to_owned(), value);
    }
}
