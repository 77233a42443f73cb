//! `warpsim bench`: the built-in workloads, checked and timed.

use std::fs;

use serde::Serialize;
use warpsim::diagnostics::{Diagnostic, render};
use warpsim::host::{Analyses, Checking, Device, DeviceProfile, Schedules, Simulator, Threads};
use warpsim::observe::TaskRaces;
use warpsim::schedule::Adversarial;

use crate::args::{BenchArgs, Format};
use crate::bench::{Choice, Measured, NoSuchWorkload, Progress, REFERENCE};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::launch;
use crate::output::Output;
use crate::progress::{self, ProgressLine};
use crate::render::table;

#[derive(Serialize)]
struct Document {
    schema: u32,
    machine: String,
    /// Ctrl-C ended it before all was measured.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    workloads: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    threads: u32,
    lane_instructions: u64,
    seconds: f64,
    cpu_seconds: Option<f64>,
    lane_instructions_per_second: f64,
    check: String,
    executed_lane_instructions: u64,
    executed_warp_instructions: u64,
    nanoseconds_per_warp_instruction: f64,
    /// The same of the variant `ldcoal` in this run, as the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_to_ldcoal: Option<f64>,
    #[serde(skip)]
    variant: Option<&'static str>,
    #[serde(skip)]
    summary: &'static str,
}

pub(super) fn run(args: &BenchArgs, output: &mut Output) -> Result<Exit, Failure> {
    let chosen = Choice::of(&args.names, args.small)
        .map_err(|e: NoSuchWorkload| Failure::usage_with_help(e.to_string(), e.help()))?;
    progress::notice_interrupts();
    let line = ProgressLine::new(output, chosen.len() as u64 * u64::from(args.repetitions));
    let mut rows = Vec::new();
    for choice in &chosen {
        let mut repetitions = Repetitions { name: &choice.name, line: &line };
        if !repetitions.goes_on() {
            break;
        }
        line.begin(&choice.name);
        let measured = measure(choice, (args.repetitions, args.threads), &mut repetitions, output)?;
        rows.extend(measured.map(|measured| row(choice, args.threads, &measured)));
    }
    drop(line);
    compare(&mut rows);
    let interrupted = progress::interrupted();
    let right = rows.iter().all(|row| row.check == "ok");
    if interrupted {
        output.note(&format!("interrupted: {} of {} were measured", rows.len(), chosen.len()));
    }
    match args.format {
        Format::Json => {
            let document = Document { schema: 1, machine: machine(), interrupted, workloads: rows };
            let text = json::to_string(&document)?;
            output.line(&text)?;
        }
        Format::Text => text(&rows, args.threads, output)?,
    }
    Ok(if right && !interrupted { Exit::CLEAN } else { Exit::FINDING })
}

/// The repetitions of a workload as the progress line shows them.
struct Repetitions<'a> {
    name: &'a str,
    line: &'a ProgressLine,
}

impl Progress for Repetitions<'_> {
    fn goes_on(&self) -> bool {
        !progress::interrupted()
    }

    fn repeated(&mut self, lane_instructions: u64, seconds: f64) {
        self.line.step(self.name, lane_instructions, seconds);
    }
}

/// Measures on a separate device, so that nothing depends on earlier runs.
fn measure(
    choice: &Choice,
    (repetitions, threads): (u32, u32),
    progress: &mut dyn Progress,
    output: &Output,
) -> Result<Option<Measured>, Failure> {
    let module = choice.module().map_err(|e| {
        let colour = output.diagnostic_colour();
        Failure::Rendered(render(&Diagnostic::from(&e), "the workloads", "", colour))
    })?;
    let mut simulator = Simulator::new(DeviceProfile::default());
    simulator.settings_mut().threads = Threads::up_to(threads as usize);
    if let Some(direction) = choice.schedule() {
        simulator.settings_mut().schedule = Box::new(Adversarial::new(direction));
    }
    if choice.is_checked {
        simulator.settings_mut().checking = Some(races());
    }
    let mut races = TaskRaces::default();
    let mut on = |device: &mut dyn Device| {
        let handle = device.load(&module)?;
        choice.measure(device, handle, repetitions, progress)
    };
    let measured = match choice.is_of_tasks() {
        true => on(&mut simulator.watched(&mut races)),
        false => on(&mut simulator),
    };
    measured.map_err(|e| launch::refused(e, &module, output))
}

/// Checking for races alone, under one schedule.
fn races() -> Checking {
    let analyses = Analyses::default().only(&["races"]);
    Checking::default().with_analyses(analyses).with_schedules(Schedules::AsSet)
}

fn row(choice: &Choice, threads: u32, measured: &Measured) -> Row {
    let executed = measured.executed;
    let time = match measured.processor {
        Some(processor) => processor,
        None => measured.seconds,
    };
    Row {
        name: choice.name.clone(),
        threads,
        lane_instructions: measured.lane_instructions,
        seconds: measured.seconds,
        cpu_seconds: measured.processor,
        lane_instructions_per_second: quotient(measured.lane_instructions as f64, measured.seconds),
        check: match (&measured.stopped, measured.right) {
            (Some(report), _) => report.outcome.name().to_owned(),
            (None, true) => "ok".to_owned(),
            (None, false) => "wrong".to_owned(),
        },
        executed_lane_instructions: executed.lane_instructions,
        executed_warp_instructions: executed.warp_instructions,
        nanoseconds_per_warp_instruction: quotient(time * 1e9, executed.warp_instructions as f64),
        ratio_to_ldcoal: None,
        variant: choice.variant_name(),
        summary: choice.summary(),
    }
}

/// A rate; zero where there is nothing to divide by.
fn quotient(dividend: f64, divisor: f64) -> f64 {
    if divisor > 0.0 { dividend / divisor } else { 0.0 }
}

/// Compares the variants with a coalesced load, if it was measured too.
fn compare(rows: &mut [Row]) {
    let reference = rows.iter().find(|row| row.variant == Some(REFERENCE) && row.check == "ok");
    let Some(unit) = reference.map(|row| row.nanoseconds_per_warp_instruction) else { return };
    for row in rows.iter_mut().filter(|row| row.variant.is_some()) {
        row.ratio_to_ldcoal = Some(quotient(row.nanoseconds_per_warp_instruction, unit));
    }
}

fn text(rows: &[Row], threads: u32, output: &mut Output) -> Result<(), Failure> {
    let head = ["workload", "Mlane-instr", "ms", "CPU ms", "Glane-instr/s", "ns/warp-instr"];
    let [a, b, c, d, e, f] = head;
    let mut table = table([a, b, c, d, e, f, "/ ldcoal", "check", ""]);
    for row in rows {
        let milliseconds = |seconds: f64| format!("{:.1}", seconds * 1e3);
        let ratio = row.ratio_to_ldcoal.map(|ratio| format!("{ratio:.2}"));
        table.add_row([
            row.name.clone(),
            format!("{:.1}", row.lane_instructions as f64 / 1e6),
            milliseconds(row.seconds),
            row.cpu_seconds.map_or_else(String::new, milliseconds),
            format!("{:.2}", row.lane_instructions_per_second / 1e9),
            format!("{:.1}", row.nanoseconds_per_warp_instruction),
            ratio.unwrap_or_else(String::new),
            row.check.clone(),
            row.summary.to_owned(),
        ]);
    }
    output.line(&table.trim_fmt())?;
    let threads = match threads {
        1 => "one thread".to_owned(),
        several => format!("{several} threads"),
    };
    output.line(&format!("\n{threads} on {}", machine()))
}

/// The processor's name and its cores.
fn machine() -> String {
    // Not every system says it there.
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|cpuinfo| {
        let model = cpuinfo.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
        model.map(|(_, name)| name.trim().to_owned())
    });
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{model}, {cores} cores")
}
