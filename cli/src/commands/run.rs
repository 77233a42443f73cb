//! `warpsim run`: one kernel, one or several launches, and its buffers.

use std::fs::File;
use std::io::{BufWriter, Write};

use warpsim::host::Model;
use warpsim::report::{Counts, Outcome};

use crate::args::{Dump, Format, RunArgs};
use crate::document::{self, Document, ErrorRow, LaunchRow, LaunchShape, Stats};
use crate::failure::{Exit, Failure};
use crate::launch::state::{BufferState, for_each_chunk};
use crate::launch::{Launched, Prepared};
use crate::output::{Output, Style};
use crate::render::{buffers, findings};
use crate::replay;
use crate::spec::npy;

/// A launch with the buffers it left.
struct Row {
    launched: Launched,
    buffers: Vec<BufferState>,
}

pub(super) fn run(args: &RunArgs, output: &mut Output) -> Result<Exit, Failure> {
    match launches(args, output) {
        Ok((mut prepared, rows)) => finish(args, &mut prepared, &rows, output),
        Err(failure) => {
            if args.format == Format::Json {
                unsupported(&failure, output)?;
            }
            Err(failure)
        }
    }
}

/// Runs the launches, up to the first that does not complete.
fn launches(args: &RunArgs, output: &Output) -> Result<(Prepared, Vec<Row>), Failure> {
    let mut prepared = Prepared::new(&args.launch, output)?;
    check_dumps(&args.dump, &prepared)?;
    let mut rows = Vec::new();
    for number in 1..=args.launch.launches {
        let launched = prepared.launch(&args.launch, number, output)?;
        let outcome = launched.report.outcome;
        let Prepared { simulator, buffers, .. } = &mut prepared;
        let buffers: Result<Vec<BufferState>, Failure> = buffers
            .iter()
            .map(|buffer| BufferState::read(simulator, buffer, args.values))
            .collect();
        rows.push(Row { launched, buffers: buffers? });
        if outcome != Outcome::Completed {
            break;
        }
    }
    Ok((prepared, rows))
}

fn check_dumps(dumps: &[Dump], prepared: &Prepared) -> Result<(), Failure> {
    for dump in dumps {
        if !prepared.buffers.iter().any(|b| b.parameter == dump.parameter) {
            return Err(Failure::usage(format!(
                "--dump {}: argument {0} is no buffer",
                dump.parameter
            )));
        }
    }
    Ok(())
}

fn finish(
    args: &RunArgs,
    prepared: &mut Prepared,
    rows: &[Row],
    output: &mut Output,
) -> Result<Exit, Failure> {
    for dump in &args.dump {
        write_dump(dump, prepared)?;
    }
    let replay = replay::command_line(output);
    match args.format {
        Format::Json => json(args, prepared, rows, &replay, output)?,
        Format::Text => text(args, prepared, rows, output)?,
    }
    output.flush()?;
    let Some(last) = rows.last() else { return Ok(Exit::CLEAN) };
    let file = args.launch.file.display().to_string();
    for finding in &last.launched.report.findings {
        let colour = output.colour_of_messages();
        output.message(&findings::finding(finding, &file, &replay, colour));
    }
    Ok(match last.launched.report.outcome {
        Outcome::Completed => Exit::CLEAN,
        _ => Exit::custom(args.error_exitcode),
    })
}

fn write_dump(dump: &Dump, prepared: &mut Prepared) -> Result<(), Failure> {
    let found = prepared.buffers.iter().find(|b| b.parameter == dump.parameter);
    let Some(buffer) = found else { return Ok(()) };
    let cannot =
        |e: std::io::Error| Failure::usage(format!("cannot write {}: {e}", dump.path.display()));
    let mut file = BufWriter::new(File::create(&dump.path).map_err(cannot)?);
    file.write_all(&npy::header(buffer.element, buffer.length)).map_err(cannot)?;
    for_each_chunk(&mut prepared.simulator, buffer, |c| file.write_all(c).map_err(cannot))?;
    file.flush().map_err(cannot)
}

fn model_name(args: &RunArgs) -> &'static str {
    Model::from(args.launch.model).name()
}

fn json(
    args: &RunArgs,
    prepared: &Prepared,
    rows: &[Row],
    replay: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(last) = rows.last() else { return Ok(()) };
    let (counts, seconds) = totals(rows);
    let several = args.launch.launches > 1;
    let document = Document {
        schema: 1,
        outcome: last.launched.report.outcome.name(),
        kernel: Some(&prepared.kernel),
        launch: Some(LaunchShape {
            grid: prepared.launch.grid,
            block: prepared.launch.block,
            shared: prepared.launch.shared,
            model: model_name(args),
            schedule: &prepared.schedule,
            device: &args.launch.device.name,
        }),
        buffers: last.buffers.iter().map(|b| document::buffer_row(b, args.bits)).collect(),
        launches: several.then(|| rows.iter().map(|row| launch_row(row, args.bits)).collect()),
        findings: last
            .launched
            .report
            .findings
            .iter()
            .map(|f| document::finding_row(f, replay))
            .collect(),
        error: None,
        stats: Stats::new(&counts, seconds),
    };
    write_document(&document, output)
}

fn launch_row(row: &Row, as_bits: bool) -> LaunchRow<'_> {
    LaunchRow {
        passes: &row.launched.passes,
        outcome: row.launched.report.outcome.name(),
        buffers: row.buffers.iter().map(|b| document::buffer_row(b, as_bits)).collect(),
        stats: Stats::new(&row.launched.report.counts, row.launched.seconds),
    }
}

/// The counts of all launches together.
fn totals(rows: &[Row]) -> (Counts, f64) {
    let mut sum = Counts::default();
    let mut seconds = 0.0;
    for Row { launched, .. } in rows {
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

/// The document for PTX that is not supported.
fn unsupported(failure: &Failure, output: &mut Output) -> Result<(), Failure> {
    let Failure::Unsupported { message, line, .. } = failure else { return Ok(()) };
    let document = Document {
        schema: 1,
        outcome: "unsupported",
        kernel: None,
        launch: None,
        buffers: Vec::new(),
        launches: None,
        findings: Vec::new(),
        error: Some(ErrorRow { kind: "unsupported", message, ptx_line: *line }),
        stats: Stats::default(),
    };
    write_document(&document, output)
}

fn write_document(document: &Document<'_>, output: &mut Output) -> Result<(), Failure> {
    serde_json::to_writer(output.results(), document).map_err(std::io::Error::from)?;
    output.line("")
}

fn text(
    args: &RunArgs,
    prepared: &Prepared,
    rows: &[Row],
    output: &mut Output,
) -> Result<(), Failure> {
    let colour = output.colour();
    for (row, number) in rows.iter().zip(1..) {
        let several = args.launch.launches > 1;
        output.line(&summary(prepared, &row.launched, several.then_some(number), colour))?;
        for state in &row.buffers {
            let name = &prepared.parameters[state.parameter].name;
            output.line("")?;
            output.print(&buffers::buffer(state, name, args.bits, colour))?;
        }
        if several && number < rows.len() {
            output.line("")?;
        }
    }
    Ok(())
}

/// What a launch came to, in a line or two.
fn summary(
    prepared: &Prepared,
    launched: &Launched,
    number: Option<usize>,
    colour: bool,
) -> String {
    let counts = &launched.report.counts;
    let outcome = launched.report.outcome;
    let style = if outcome == Outcome::Completed { Style::Good } else { Style::Error };
    let shape = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    };
    let head = number.map(|n| format!("launch {n}: ")).unwrap_or_default();
    let passes = match launched.passes.as_slice() {
        [] => String::new(),
        passes => format!(", after {}", passes.join(", ")),
    };
    format!(
        "{head}{} ({} x {} threads{passes}): {}\n\
         {} warp instructions, {} lane instructions, {} of {} branches divergent, {} barriers",
        prepared.kernel,
        shape(prepared.launch.grid),
        shape(prepared.launch.block),
        style.paint(outcome.name(), colour),
        counts.warp_instructions,
        counts.lane_instructions,
        counts.divergent_branches,
        counts.branches,
        counts.barriers,
    )
}
