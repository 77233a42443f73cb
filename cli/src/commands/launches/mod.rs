//! The launches of a command line and their results, in words and as JSON: the common part of
//! `run`, `check` and `explore`.

mod document;

use warpsim::host::Simulator;
use warpsim::internal;
use warpsim::names;
use warpsim::report::{Counts, Outcome, PrintedText};

use crate::args::{Dump, ExpectOptions, LaunchOptions, ReportOptions};
use crate::compare::Tolerances;
use crate::expected::{self, Compared};
use crate::failure::Failure;
use crate::launch::device::{LaunchDevice, Ran};
use crate::launch::globals::{self, ShownVariable};
use crate::launch::state::{BufferState, VariableState, for_each_chunk};
use crate::launch::{Buffer, Launched, Prepared};
use crate::output::{Output, Style, check_file, write_file};
use crate::progress::RunningLine;
use crate::render::buffers;
use crate::render::statistics::statistics;
use crate::spec::npy;

pub(super) use document::{Judged, write_unsupported};

/// A launch with the buffers it left.
pub(super) struct Row {
    pub(super) launched: Launched,
    buffers: Vec<BufferState>,
    /// The variables to show.
    variables: Vec<VariableState>,
}

/// Launches that are over.
pub(super) struct Launches<'a, D = Simulator> {
    pub(super) options: &'a LaunchOptions,
    pub(super) report: &'a ReportOptions,
    pub(super) prepared: Prepared<D>,
    pub(super) rows: Vec<Row>,
    /// The buffers with expected contents.
    pub(super) compared: Vec<Compared>,
    ran: Ran,
}

impl<'a, D: LaunchDevice> Launches<'a, D> {
    /// Runs the launches, up to the first that does not complete, and writes the dumps. Before each
    /// launch, `before` gets the device, the launch's number (from 1), and the line that says how
    /// far it is. If the answer is JSON, PTX that is not supported gets its document.
    pub(super) fn run(
        options: &'a LaunchOptions,
        (report, is_json): (&'a ReportOptions, bool),
        output: &mut Output,
        before: impl FnMut(&mut Prepared<D>, u32, Option<&RunningLine>, &Output) -> Result<(), Failure>,
    ) -> Result<Launches<'a, D>, Failure> {
        let run = Launches::run_all(options, report, output, before);
        if let (Err(failure), true) = (&run, is_json) {
            write_unsupported(failure, output)?;
        }
        run
    }

    fn run_all(
        options: &'a LaunchOptions,
        report: &'a ReportOptions,
        output: &mut Output,
        mut before: impl FnMut(
            &mut Prepared<D>,
            u32,
            Option<&RunningLine>,
            &Output,
        ) -> Result<(), Failure>,
    ) -> Result<Launches<'a, D>, Failure> {
        let mut prepared: Prepared<D> = Prepared::new(options, output)?;
        check_dumps(&report.dump, &prepared.buffers)?;
        shown_variables(&prepared, report)?;
        let ran = prepared.device.ran(options);
        let line = prepared.device.watched(output);
        let mut rows: Vec<Row> = Vec::new();
        for number in 1..=options.launches {
            before(&mut prepared, number, line.as_ref(), output)?;
            let launched = prepared.launch(options, number, output)?;
            let outcome = launched.report.outcome;
            let buffers = states(&mut prepared, report)?;
            let variables = variables(&mut prepared, report)?;
            rows.push(Row { launched, buffers, variables });
            if outcome != Outcome::Completed {
                break;
            }
        }
        drop(line);
        for dump in &report.dump {
            let is_lost =
                |state: &BufferState| state.parameter == dump.parameter && state.contents.is_lost();
            if rows.last().is_some_and(|row| row.buffers.iter().any(is_lost)) {
                output.note(&format!("--dump {}: the buffer is lost", dump.parameter));
                continue;
            }
            write_dump(dump, &mut prepared)?;
        }
        Ok(Launches { options, report, prepared, rows, compared: Vec::new(), ran })
    }

    /// Compares the buffers with their expected contents, if all launches completed.
    pub(super) fn compare(&mut self, expected: &ExpectOptions) -> Result<(), Failure> {
        if self.outcome() == Outcome::Completed {
            let (ulp, abs) = (expected.ulp.clone(), expected.abs.clone());
            let tolerances = Tolerances { ulp, abs };
            self.compared = expected::compare(&expected.expect, &tolerances, &mut self.prepared)?;
        }
        Ok(())
    }

    /// Says on standard error which buffers differ from their expected contents.
    pub(super) fn report_unexpected(&self, output: &mut Output) {
        let wrong = self.compared.iter().filter(|compared| !compared.is_as_expected());
        wrong.for_each(|compared| output.message(&compared.text()));
    }

    /// Whether all buffers have their expected contents.
    pub(super) fn are_as_expected(&self) -> bool {
        self.compared.iter().all(Compared::is_as_expected)
    }

    /// How the last launch ended: `completed` unless it is the one that stopped.
    pub(super) fn outcome(&self) -> Outcome {
        self.rows.last().map_or(Outcome::Completed, |row| row.launched.report.outcome)
    }

    /// The counts of all launches together, and the seconds they took.
    fn totals(&self) -> (Counts, f64) {
        let mut sum = Counts::default();
        let mut seconds = 0.0;
        for Row { launched, .. } in &self.rows {
            let counts = &launched.report.counts;
            sum.warp_instructions += counts.warp_instructions;
            sum.lane_instructions += counts.lane_instructions;
            sum.branches += counts.branches;
            sum.divergent_branches += counts.divergent_branches;
            sum.barriers += counts.barriers;
            seconds += launched.seconds;
        }
        (sum, seconds)
    }

    /// Prints the result of each launch, and its buffers.
    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let several = self.options.launches > 1;
        for (row, number) in self.rows.iter().zip(1..) {
            print_printed(&row.launched.report.printed, output)?;
            let summary = self.summary(&row.launched, several.then_some(number), output.colour());
            output.line(&summary)?;
            for state in &row.buffers {
                output.line("")?;
                self.print_buffer(state, output)?;
            }
            for state in &row.variables {
                output.line("")?;
                output.print(&buffers::variable(state, self.report.bits, output.colour()))?;
            }
            if let Some(found) = &row.launched.statistics {
                output.line("")?;
                let (profile, file) = (&self.options.device, &self.options.file);
                let totals = found.totals();
                output.print(&statistics(&totals, profile, file, output.colour()))?;
            }
            if several && number < self.rows.len() {
                output.line("")?;
            }
        }
        Ok(())
    }

    /// Prints what the kernel printed.
    pub(super) fn print_printed(&self, output: &mut Output) -> Result<(), Failure> {
        let printed = self.rows.iter().map(|row| &row.launched.report.printed);
        printed.into_iter().try_for_each(|printed| print_printed(printed, output))
    }

    /// Prints the buffers as the last launch left them.
    pub(super) fn print_buffers(&self, output: &mut Output) -> Result<(), Failure> {
        for state in self.rows.last().iter().flat_map(|row| &row.buffers) {
            self.print_buffer(state, output)?;
            output.line("")?;
        }
        Ok(())
    }

    fn print_buffer(&self, state: &BufferState, output: &mut Output) -> Result<(), Failure> {
        let parameter = self.prepared.parameters.get(state.parameter.argument);
        let name = parameter.map_or("", |parameter| &parameter.name);
        output.print(&buffers::buffer(state, name, self.report.bits, output.colour()))
    }

    /// The result of a launch, in a line or two.
    fn summary(&self, launched: &Launched, number: Option<usize>, colour: bool) -> String {
        let outcome = launched.report.outcome;
        let style = if outcome == Outcome::Completed { Style::Good } else { Style::Error };
        let head = number.map(|n| format!("launch {n}: ")).unwrap_or_default();
        let passes = match launched.passes.as_slice() {
            [] => String::new(),
            passes => format!(", after {}", passes.join(", ")),
        };
        format!(
            "{head}{} ({}{passes}): {}\n{}",
            names::readable(&self.prepared.kernel),
            self.shape(),
            style.paint(outcome.name(), colour),
            self.work(&launched.report.counts),
        )
    }

    /// What the launch did, where it is counted; else where it was done.
    fn work(&self, counts: &Counts) -> String {
        match &self.ran {
            Ran::Simulated { .. } => format!(
                "{} warp instructions, {} lane instructions, {} of {} branches divergent, {} barriers",
                counts.warp_instructions,
                counts.lane_instructions,
                counts.divergent_branches,
                counts.branches,
                counts.barriers,
            ),
            Ran::OnGpu { name, jit: None } => format!("on {name}"),
            Ran::OnGpu { name, jit: Some(level) } => {
                format!("on {name}, optimisation level {level} of its driver")
            }
        }
    }

    /// `2 x 64 threads`.
    pub(super) fn shape(&self) -> String {
        self.prepared.launch.to_string()
    }
}

/// Prints what a kernel printed, as it is; and that some of it is lost, where it is.
fn print_printed(printed: &PrintedText, output: &mut Output) -> Result<(), Failure> {
    if printed.lost > 0 {
        output.note(&format!(
            "the first {} calls of printf are lost: the buffer has 1 MiB, and later calls \
             overwrote them",
            printed.lost
        ));
    }
    output.exact(&printed.text)?;
    if !printed.text.is_empty() && !printed.text.ends_with('\n') {
        output.line("")?;
    }
    Ok(())
}

fn states(
    prepared: &mut Prepared<impl LaunchDevice>,
    report: &ReportOptions,
) -> Result<Vec<BufferState>, Failure> {
    let Prepared { device, buffers, .. } = prepared;
    let state = |buffer| BufferState::read(device, buffer, report.values);
    buffers.iter().map(state).collect::<Result<_, _>>().map_err(Failure::from)
}

/// The variables of `--show`, in the form of the module that the last launch had.
fn shown_variables(
    prepared: &Prepared<impl LaunchDevice>,
    report: &ReportOptions,
) -> Result<Vec<ShownVariable>, Failure> {
    let Some(variant) = prepared.current().or(prepared.variants.first()) else {
        return Err(internal!("a program without a module").into());
    };
    report.show.iter().map(|show| globals::shown(&prepared.device, variant, show)).collect()
}

fn variables(
    prepared: &mut Prepared<impl LaunchDevice>,
    report: &ReportOptions,
) -> Result<Vec<VariableState>, Failure> {
    let shown = shown_variables(prepared, report)?;
    let device = &mut prepared.device;
    let state = |variable| VariableState::read(device, variable, report.values);
    shown.iter().map(state).collect::<Result<_, _>>().map_err(Failure::from)
}

fn check_dumps(dumps: &[Dump], buffers: &[Buffer]) -> Result<(), Failure> {
    for dump in dumps {
        if !buffers.iter().any(|b| b.parameter == dump.parameter) {
            return Err(Failure::usage(format!(
                "--dump {}: {} is not a buffer",
                dump.parameter,
                dump.parameter.in_words()
            )));
        }
        check_file(&dump.path)?;
    }
    Ok(())
}

fn write_dump(dump: &Dump, prepared: &mut Prepared<impl LaunchDevice>) -> Result<(), Failure> {
    let Prepared { device, buffers, .. } = prepared;
    let found = buffers.iter().find(|b| b.parameter == dump.parameter);
    let Some(buffer) = found else { return Ok(()) };
    write_file(&dump.path, |to| {
        to.write_all(&npy::header(buffer.element, &buffer.shape))?;
        for_each_chunk(device, buffer.range(), |chunk| Ok::<(), Failure>(to.write_all(chunk)?))
    })
}
