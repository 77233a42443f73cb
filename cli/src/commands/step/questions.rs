//! Questions at a terminal, for what a command line leaves out: the kernel and its arguments.
//!
//! The line already holds a suggestion, which the person can edit. Without a terminal there are no
//! questions: the error names the missing argument, as in every other command.

use std::io::{self, IsTerminal};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use warpsim::host::{kernel_named, kernel_parameters, kernels};
use warpsim::names;
use warpsim::ptx::Module;

use crate::args::LaunchOptions;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::spec::{Spec, scalar};
use crate::suggestion::Suggestion;

/// Asks for the kernel and its arguments, where they are missing and a person is there.
pub(super) fn complete(options: &mut LaunchOptions, output: &mut Output) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(());
    }
    let module = input::read_linked(&options.file, &options.links, &options.compiler, output)?;
    if options.kernel.is_none() {
        options.kernel = kernel(&module, output)?;
    }
    // The code that reads all names reports what is wrong with this one.
    let Some(kernel) = options.kernel.as_deref() else { return Ok(()) };
    let Ok(kernel) = kernel_named(&module, kernel) else { return Ok(()) };
    arguments(&module, kernel, options, output)
}

/// The only kernel, or the one that the person chooses.
fn kernel(module: &Module, output: &mut Output) -> Result<Option<String>, Failure> {
    match kernels(module).as_slice() {
        [] => Ok(None),
        [only] => Ok(Some((*only).to_owned())),
        several => {
            for (number, name) in (1..).zip(several) {
                output.line(&format!("{number:3}  {}", names::readable(name)))?;
            }
            output.flush()?;
            let answer = ask("which kernel? ", "1", |answer| {
                let number = answer.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                let chosen = number.and_then(|index| several.get(index));
                match chosen {
                    Some(name) => Ok((*name).to_owned()),
                    None => kernel_named(module, answer)
                        .map(str::to_owned)
                        .map_err(|error| error.to_string()),
                }
            })?;
            Ok(Some(answer))
        }
    }
}

/// Asks for the arguments that are missing at the end of the list. With the first also the shape of
/// the launch is taken from the suggestion.
fn arguments(
    module: &Module,
    kernel: &str,
    options: &mut LaunchOptions,
    output: &mut Output,
) -> Result<(), Failure> {
    let Ok(parameters) = kernel_parameters(module, kernel) else { return Ok(()) };
    let suggested = suggested(module, kernel);
    for (k, parameter) in parameters.iter().enumerate().skip(options.args.len()) {
        if k == 0 {
            output.line("arguments, as --arg takes them:")?;
            output.flush()?;
        }
        let prompt = format!("argument {} = ", scalar::describe_in_list(k, parameter));
        let first = suggested.get(k).map(String::as_str).unwrap_or_default();
        let spec =
            ask(&prompt, first, |answer| Spec::parse(answer).map_err(|error| error.to_string()))?;
        options.args.push(spec);
    }
    Ok(())
}

/// The arguments of a launch of the kernel that may make sense.
fn suggested(module: &Module, kernel: &str) -> Vec<String> {
    let options = Suggestion::of(module, kernel).map(|suggestion| suggestion.options);
    let options = options.unwrap_or_default();
    let pairs = options.iter().zip(options.iter().skip(1));
    pairs.filter(|(name, _)| *name == "--arg").map(|(_, value)| value.clone()).collect()
}

/// Asks until an answer is understood.
fn ask<T>(
    prompt: &str,
    first: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    let mut editor = DefaultEditor::new().map_err(|error| gave_up(&error))?;
    let mut text = first.to_owned();
    let mut asked = prompt.to_owned();
    loop {
        let line = editor.readline_with_initial(&asked, (&text, ""));
        let answer = line.map_err(|error| gave_up(&error))?;
        match read(answer.trim()) {
            Ok(answer) => return Ok(answer),
            Err(reason) => asked = format!("{reason}\n{prompt}"),
        }
        text = answer;
    }
}

fn gave_up(error: &ReadlineError) -> Failure {
    match error {
        ReadlineError::Eof | ReadlineError::Interrupted => {
            Failure::usage("a question was not answered: give the kernel by --kernel, and --arg")
        }
        other => Failure::usage(format!("cannot read an answer: {other}")),
    }
}
