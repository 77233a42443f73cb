//! The `warpsim` command, as a library so that its parts can be tested.
//!
//! | module | what it does |
//! |---|---|
//! | `args` | the command line, and its help |
//! | `input`, `cuda`, `clang` | reading the program; compiling it where it is CUDA C++ |
//! | `cache` | the user's cache folder |
//! | `launch` | from options to launches on the simulator, and their results |
//! | `compare` | the same launches on the simulator and on a GPU, compared |
//! | `findings`, `explanation` | which findings are shown and count; what their kinds mean |
//! | `render` | buffers, findings and tables for people |
//! | `document` | the JSON document |
//! | `reports` | findings as other tools read them: SARIF, JUnit, annotations |
//! | `documents` | the same for other front ends |
//! | `debugger` | the line debugger |
//! | `bench` | the built-in workloads |
//! | `progress` | how far long work is, and ending it by Ctrl-C |
//! | `commands` | one file for each subcommand |
//! | `ptxas`, `nvcc` | the command under the names of NVIDIA's assembler and compiler |
//! | `failure`, `output` | exit codes and messages; where they go |

// Other front ends take the documents alone.
#![cfg_attr(
    not(feature = "exec"),
    allow(dead_code, unused_imports, reason = "what only `warpsim exec` calls")
)]

mod args;
mod bench;
mod cache;
mod clang;
mod commands;
mod compare;
mod cuda;
mod document;
pub mod documents;
mod expected;
mod explanation;
mod failure;
mod findings;
mod input;
mod launch;
mod nvcc;
mod output;
mod page;
mod progress;
mod ptxas;
pub mod recorder;
mod render;
mod replay;
mod reports;
mod roofline;
mod statistics;
mod timeline;

use std::cell::RefCell;
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use clap::Parser;

pub use args::parse::shared_init;

use args::CommandLine;
use failure::{Exit, Failure};
use output::Output;
use warpsim::host::{Settings, Threads};
use warpsim::lanes::Tier;
use warpsim::preference::PreferenceError;
use warpsim_formats::{json, spec, steps, suggestion};

/// Runs the command with the process's arguments. A bug in warpsim gives exit code 101 and a
/// message that says so.
pub fn main() -> ExitCode {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let exit = guarded(&mut Output::of_process(), |output| {
        let arguments = output.arguments().to_vec();
        if ptxas::is_asked_for(&arguments) {
            ptxas::run(&arguments, output)
        } else if nvcc::is_asked_for(&arguments) {
            nvcc::run_as_program(&arguments, output)
        } else {
            run(output)
        }
    });
    ExitCode::from(exit.code())
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The exit code.
    pub exit: u8,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs the command in this process and keeps its output, without colour. A bug in warpsim gives
/// exit code 101 here, too; for that, the process's panic hook is replaced.
///
/// ```
/// let help = warpsim_cli::capture(["--help"]);
/// assert_eq!(help.exit, 0);
/// assert!(help.stdout.contains("Usage: warpsim"));
/// ```
pub fn capture<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Captured {
    let name = std::iter::once(OsString::from("warpsim"));
    let arguments = name.chain(arguments.into_iter().map(A::into)).collect();
    let (mut output, stdout, stderr) = Output::to_memory(arguments);
    let exit = guarded(&mut output, run);
    Captured { exit: exit.code(), stdout: stdout.text(), stderr: stderr.text() }
}

thread_local! {
    /// What the last panic of this thread said, for the message about it.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; when it panics, says that this is a bug in warpsim.
fn guarded(output: &mut Output, body: impl FnOnce(&mut Output) -> Exit) -> Exit {
    panic::set_hook(Box::new(|info| {
        let place =
            info.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
        let text = format!("{}{place}", panic_message(info.payload()));
        LAST_PANIC.with(|last| *last.borrow_mut() = text);
    }));
    let exit = panic::catch_unwind(panic::AssertUnwindSafe(|| body(output)));
    exit.unwrap_or_else(|_| {
        let what = LAST_PANIC.with(|last| last.borrow().clone());
        output.message(&failure::bug_message(&what));
        Exit::BUG
    })
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

fn run(output: &mut Output) -> Exit {
    let result = match CommandLine::try_parse_from(args::with_command(output.arguments())) {
        Ok(line) => {
            output.colour_if(line.color);
            preferences().and_then(|()| commands::run(line.command, output))
        }
        Err(error) => return output.clap(&error),
    };
    match result.and_then(|exit| output.flush().map(|()| exit)) {
        Ok(exit) => exit,
        Err(failure) => failure.report(output),
    }
}

/// Whether environment variables ask for something possible.
fn preferences() -> Result<(), Failure> {
    let asked = || {
        Tier::requested()?;
        Settings::gangs_of_environment()?;
        Threads::of_environment()?;
        Ok(())
    };
    asked().map_err(|error: PreferenceError| {
        let help =
            format!("without {} warpsim chooses what is fastest here", error.variable.name());
        Failure::usage_with_help(error.to_string(), help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_exit_code_101_and_says_that_it_is_our_bug() {
        let (mut output, _, written) = Output::to_memory(Vec::new());
        let exit = guarded(&mut output, |_| panic!("planted"));
        assert_eq!(exit.code(), 101);
        let text = written.text();
        assert!(text.contains("this is a bug in warpsim: planted (cli/src/lib.rs"), "{text}");
        assert_eq!(guarded(&mut output, |_| Exit::CLEAN), Exit::CLEAN);
    }

    #[test]
    fn what_is_captured_is_told_apart_by_stream_and_answers_the_arguments_given() {
        let clean = capture(["isa", "shfl", "--format", "json"]);
        assert_eq!((clean.exit, clean.stderr.as_str()), (0, ""));
        assert!(clean.stdout.contains("\"opcode\""), "{}", clean.stdout);
        let wrong = capture(["no-such-command"]);
        assert_eq!((wrong.exit, wrong.stdout.as_str()), (2, ""));
        assert!(wrong.stderr.contains("no-such-command"), "{}", wrong.stderr);
    }
}
