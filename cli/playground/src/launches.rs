//! Launches that the page asks for: run, checked, explored.

use serde_json::{Value, json};
use warpsim::check::{Checking, Schedules};
use warpsim::explore::{Exploration, Explored, LaunchRequest, explore as explore_schedules};
use warpsim::host::{kernel_parameters, kernels as kernels_of};
use warpsim::ptx;
use warpsim::report::{Counts, Report};
use warpsim_formats::spec::scalar;
use warpsim_formats::suggestion::Suggestion;

use crate::examples;
use crate::ready::{Ready, parsed};
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
