//! `warpsim bench`: the built-in workloads, checked and timed.

use std::fs;

use serde::Serialize;
use warpsim::diagnostics::{Diagnostic, render};
use warpsim::host::{Analyses, Checking, Device, DeviceProfile, Schedules, Simulator};

use crate::args::{BenchArgs, Format};
use crate::bench::{self, Measured, WORKLOADS, Workload};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::launch;
use crate::output::Output;
use crate::render::table;

#[derive(Serialize)]
struct Document {
    schema: u32,
    machine: String,
    workloads: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    threads: u32,
    lane_instructions: u64,
    seconds: f64,
    lane_instructions_per_second: f64,
    check: String,
    executed_lane_instructions: u64,
}

pub(super) fn run(args: &BenchArgs, output: &mut Output) -> Result<Exit, Failure> {
    let chosen = choose(&args.names)?;
    let module = bench::module().map_err(|e| {
        let (name, colour) = ("workloads.ptx", input::colour_of(output));
        Failure::Rendered(render(&Diagnostic::from(&e), name, "", colour))
    })?;
    let mut rows = Vec::new();
    for Chosen { workload, name, is_checked } in chosen {
        // Each on a device of its own, so that none depends on what ran before.
        let mut simulator = Simulator::new(DeviceProfile::default());
        if is_checked {
            simulator.settings_mut().checking = Some(races());
        }
        let refused = |e| launch::refused(e, &module, output);
        let handle = simulator.load(&module).map_err(refused)?;
        let measured = workload
            .measure(&mut simulator, handle, args.repetitions)
            .map_err(|e| launch::refused(e, &module, output))?;
        rows.push(row(workload, name, args.threads, &measured));
    }
    let right = rows.iter().all(|row| row.check == "ok");
    match args.format {
        Format::Json => {
            let document = Document { schema: 1, machine: machine(), workloads: rows };
            let text = serde_json::to_string(&document).map_err(std::io::Error::other)?;
            output.line(&text)?;
        }
        Format::Text => text(&rows, output)?,
    }
    Ok(if right { Exit::CLEAN } else { Exit::FINDING })
}

/// A workload to run, as it is or checked.
struct Chosen {
    workload: &'static Workload,
    name: String,
    is_checked: bool,
}

/// Checking for races alone, under one schedule.
fn races() -> Checking {
    let analyses = Analyses::default().only(&["races"]);
    Checking::default().with_analyses(analyses).with_schedules(Schedules::AsSet)
}

fn choose(names: &[String]) -> Result<Vec<Chosen>, Failure> {
    if names.is_empty() {
        let all = WORKLOADS.iter();
        let all = all.map(|w| Chosen { workload: w, name: w.name.to_owned(), is_checked: false });
        return Ok(all.collect());
    }
    let find = |name: &String| {
        let (plain, is_checked) = match name.strip_suffix("+check") {
            Some(plain) => (plain, true),
            None => (name.as_str(), false),
        };
        let found = WORKLOADS.iter().find(|w| w.name == plain);
        let workload = found.ok_or_else(|| {
            let all: Vec<&str> = WORKLOADS.iter().map(|w| w.name).collect();
            Failure::usage_with_help(
                format!("there is no workload `{name}`"),
                format!("there are {}; `NAME+check` checks one for races", all.join(", ")),
            )
        })?;
        Ok(Chosen { workload, name: name.clone(), is_checked })
    };
    names.iter().map(find).collect()
}

fn row(workload: &Workload, name: String, threads: u32, measured: &Measured) -> Row {
    let rate = match measured.seconds {
        seconds if seconds > 0.0 => workload.lane_instructions as f64 / seconds,
        _ => 0.0,
    };
    Row {
        name,
        threads,
        lane_instructions: workload.lane_instructions,
        seconds: measured.seconds,
        lane_instructions_per_second: rate,
        check: match (&measured.stopped, measured.right) {
            (Some(report), _) => report.outcome.name().to_owned(),
            (None, true) => "ok".to_owned(),
            (None, false) => "wrong".to_owned(),
        },
        executed_lane_instructions: measured.executed,
    }
}

fn text(rows: &[Row], output: &mut Output) -> Result<(), Failure> {
    let mut table = table(["workload", "Mlane-instr", "ms", "Glane-instr/s", "check", ""]);
    for row in rows {
        let plain = row.name.trim_end_matches("+check");
        let summary = WORKLOADS.iter().find(|w| w.name == plain).map_or("", |w| w.summary);
        table.add_row([
            row.name.clone(),
            format!("{:.1}", row.lane_instructions as f64 / 1e6),
            format!("{:.1}", row.seconds * 1e3),
            format!("{:.2}", row.lane_instructions_per_second / 1e9),
            row.check.clone(),
            summary.to_owned(),
        ]);
    }
    output.line(&table.trim_fmt())?;
    output.line(&format!("\none thread on {}", machine()))
}

/// The processor's name and its cores.
fn machine() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{model}, {cores} cores")
}
