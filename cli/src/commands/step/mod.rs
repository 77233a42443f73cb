//! `warpsim step`: the debugger over a whole terminal, for lines of commands, and as a debug adapter
//! for editors.
//!
//! A person at a terminal gets the whole terminal, unless `--plain` is given. A pipe always gets
//! lines.

mod lines;
mod questions;
mod screen;

use std::env;
use std::io::{BufReader, IsTerminal, stdin, stdout};
use std::path::Path;

use warpsim::host::{Simulator, Stepper};
use warpsim::ptx::Module;
use warpsim::report::Outcome;
use warpsim_debugger::dap::{Part, SessionEnd, WireError, serve};
use warpsim_debugger::text::{self, Console, Conversation};
use warpsim_debugger::{Buffer, Debugger, SourceFile, Sources};
use warpsim_files as files;

use crate::args::StepArgs;
use crate::cuda;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::Output;
use crate::render::source::SourceFiles;
use lines::Lines;

/// The longest file of commands, in bytes.
const LONGEST: u64 = 1 << 20;

pub(super) fn run(mut args: StepArgs, output: &mut Output) -> Result<Exit, Failure> {
    if input::is_standard_input(&args.launch.file) {
        return Err(Failure::usage_with_help(
            "standard input holds the debugger's commands, so the program cannot come from there",
            "write the PTX to a file",
        ));
    }
    let commands = read_commands(&args.commands)?;
    if !args.dap {
        questions::complete(&mut args.launch, output)?;
    }
    let args = &args;
    let mut prepared = Prepared::<Simulator>::new(&args.launch, output)?;
    prepared.device.settings_mut().max_steps = args.launch.max_steps.unwrap_or(TRACE_STEPS);
    for number in 1..args.launch.launches {
        let launched = prepared.launch(&args.launch, number, output)?;
        if launched.report.outcome != Outcome::Completed {
            let outcome = launched.report.outcome;
            return Err(Failure::usage(format!("launch {number} ended with `{outcome}`")));
        }
    }
    let index = prepared.enter(&args.launch, args.launch.launches)?;
    let buffers = buffers(&prepared);
    let variant = &prepared.variants[index];
    let stepper = prepared
        .device
        .stepper(variant.handle, &prepared.kernel, &prepared.launch, &prepared.arguments)
        .map_err(|e| refused(e, &variant.module, output))?
        .with_remarks(&variant.remarks);
    let debugger = debugger(stepper, &variant.module, &args.launch.file, buffers);
    match args.dap {
        true => adapt(debugger),
        false if !args.plain && has_screen() => fill_screen(debugger, &commands, output),
        false => converse(debugger, &commands, output),
    }
}

/// Whether a person is at a terminal that shows whole screens.
fn has_screen() -> bool {
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_dumb
}

/// The lines of the files of commands, in order.
pub(in crate::commands) fn read_commands(
    paths: &[std::path::PathBuf],
) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    for path in paths {
        let bytes = files::read(path, LONGEST)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
        lines.extend(String::from_utf8_lossy(&bytes).lines().map(str::to_owned));
    }
    Ok(lines)
}

fn buffers(prepared: &Prepared<Simulator>) -> Vec<Buffer> {
    let buffers = prepared.buffers.iter().map(|buffer| {
        let bytes = buffer.length * buffer.element.size() as u64;
        Buffer::new(buffer.parameter, buffer.pointer, buffer.element.into(), bytes)
    });
    buffers.collect()
}

/// The debugger, with the source files of a program that was read from a file.
fn debugger<'a>(
    stepper: Stepper<'a>,
    module: &Module,
    file: &Path,
    buffers: Vec<Buffer>,
) -> Debugger<'a> {
    let of_ptx = SourceFiles::of(file);
    let sources = Sources::with_files(module.source.clone(), move |name| {
        let (path, text) = of_ptx.found(name)?;
        Some(SourceFile { path: absolute(&path), text: text.into() })
    });
    let sources = match cuda::is_cuda(file) {
        // Its PTX is in no file.
        true => sources,
        false => sources.with_ptx_path(absolute(file)),
    };
    Debugger::new(stepper, sources, buffers)
}

fn absolute(path: &Path) -> std::path::PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Serves an editor on standard input and output.
fn adapt(debugger: Debugger<'_>) -> Result<Exit, Failure> {
    let input = BufReader::new(stdin());
    let mut output = stdout();
    let end = serve(debugger, Part::Alone, input, &mut output);
    match end.map_err(|error: WireError| Failure::usage(error.to_string()))? {
        SessionEnd::GoesOn | SessionEnd::Terminates => Ok(Exit::CLEAN),
    }
}

/// Shows the launch over the whole terminal until a person leaves.
fn fill_screen(
    debugger: Debugger<'_>,
    commands: &[String],
    output: &mut Output,
) -> Result<Exit, Failure> {
    output.flush()?;
    let left = screen::run(Console::new(debugger), commands, output.colour()).map_err(|error| {
        let help = "with --plain the debugger reads lines of commands";
        Failure::usage_with_help(format!("cannot use the terminal: {error}"), help)
    })?;
    exit(left.console.debugger(), left.is_misunderstood)
}

/// Reads and carries out commands until there are no more.
fn converse(
    debugger: Debugger<'_>,
    commands: &[String],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut console = Console::new(debugger);
    output.flush()?;
    let mut person = Person { lines: Lines::of_standard_input()?, output };
    let Conversation { misunderstood, .. } = console.converse(commands, &mut person)?;
    exit(console.debugger(), misunderstood)
}

/// What a session's end means.
fn exit(debugger: &Debugger<'_>, misunderstood: bool) -> Result<Exit, Failure> {
    if let Some(error) = debugger.bug() {
        return Err(Failure::from(error.clone()));
    }
    Ok(match debugger.outcome() {
        _ if misunderstood => Exit::USAGE,
        Some((outcome, _)) if outcome != Outcome::Completed => Exit::FINDING,
        Some(_) | None => Exit::CLEAN,
    })
}

/// The person at the command's own streams.
struct Person<'o> {
    lines: Lines,
    output: &'o mut Output,
}

impl text::Person for Person<'_> {
    type Error = Failure;

    fn types(&self) -> bool {
        self.lines.are_typed()
    }

    fn line(&mut self) -> Result<Option<String>, Failure> {
        self.output.flush()?;
        self.lines.next()
    }

    fn answer(&mut self, text: &str) -> Result<(), Failure> {
        self.output.line(text)
    }

    fn mistake(&mut self, text: &str) -> Result<(), Failure> {
        self.output.flush()?;
        self.output.message(text);
        Ok(())
    }
}
