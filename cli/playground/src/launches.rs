//! Launches that the page asks for: run, checked, explored.

use serde_json::{Value, json};
use warpsim::check::Schedules;
use warpsim::explore::{Exploration, Explored, LaunchRequest, explore as explore_schedules};
use warpsim::host::{kernel_parameters, kernels as kernels_of};
use warpsim::ptx;
use warpsim::report::{Counts, Outcome, Report};
use warpsim_formats::spec::scalar;
use warpsim_formats::suggestion::Suggestion;

use crate::examples;
use crate::ready::{Ready, checking, parsed};
use crate::refusal::Refusal;
use crate::request::Work;
use crate::results::{buffers, rows};

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

/// Warp instructions after which a run is given up that is one of several of an answer. A page has
/// one thread, and a reader waits for all of them.
const MOST_OF_SEVERAL: u64 = 1_000_000;

/// A run under several schedules, or under the one that is given. A launch that does not finish
/// within [`MOST_OF_SEVERAL`] runs under the first alone, and may take the steps of a single run.
pub(crate) fn check(work: &Work) -> Result<Value, Refusal> {
    let is_given = work.schedule.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !is_given {
        let mut ready = Ready::of(work)?;
        let settings = ready.gpu.settings_mut();
        let may_take_more = settings.max_steps > MOST_OF_SEVERAL;
        settings.checking = Some(checking(Schedules::Merged, 1));
        settings.max_steps = settings.max_steps.min(MOST_OF_SEVERAL);
        let report = ready.launch()?;
        if !(report.outcome == Outcome::Limit && may_take_more) {
            return checked(&mut ready, &report, None);
        }
    }
    let mut ready = Ready::of(work)?;
    ready.gpu.settings_mut().checking = Some(checking(Schedules::AsSet, 1));
    let report = ready.launch()?;
    checked(&mut ready, &report, (!is_given).then_some(MOST_OF_SEVERAL))
}

/// The result of a check. `limit` says how many steps were too few for several schedules.
fn checked(ready: &mut Ready, report: &Report, limit: Option<u64>) -> Result<Value, Refusal> {
    let mut answer = reported(ready, report)?;
    if let Some(checked) = &report.checked {
        let row = json!({
            "every_schedule": checked.every_schedule,
            "schedules": checked.schedules,
            "unfinished": checked.unfinished,
            "limit": limit.filter(|_| !checked.every_schedule),
        });
        put(&mut answer, "checked", row);
    }
    Ok(answer)
}

/// Many schedules, each checked.
pub(crate) fn explore(work: &Work, schedules: u64, seed: u64) -> Result<Value, Refusal> {
    let mut ready = Ready::of(work)?;
    let settings = ready.gpu.settings_mut();
    settings.checking = Some(checking(Schedules::AsSet, schedules));
    settings.max_steps = settings.max_steps.min(MOST_OF_SEVERAL);
    let Ready { gpu, handle, kernel, launch, arguments, buffers, module, .. } = &mut ready;
    let types = buffers.iter().map(|buffer| (buffer.parameter, buffer.element)).collect();
    let request = LaunchRequest::new(*handle, kernel, *launch, arguments).with_cell_types(types);
    let exploration = Exploration::default().with_schedules(schedules).with_seed(seed);
    let explored = explore_schedules(gpu, &request, &exploration);
    let explored = explored.map_err(|error| Refusal::device(error, module))?;
    explored_row(&ready, &explored, seed)
}

fn explored_row(ready: &Ready, explored: &Explored, seed: u64) -> Result<Value, Refusal> {
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
    Ok(json!({
        "kernel": ready.kernel,
        "findings": rows(&explored.findings)?,
        "explored": {
            "seed": seed,
            "schedules": explored.schedules,
            "unfinished": explored.cut,
            "complete": explored.complete,
            "results": results,
            "difference": difference,
        },
    }))
}

/// The result of a launch, and the memory that it left.
fn reported(ready: &mut Ready, report: &Report) -> Result<Value, Refusal> {
    let findings = rows(&report.findings)?;
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
