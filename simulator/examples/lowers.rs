//! Reports for each kernel of PTX files whether warpsim can run it: parses and lowers, and runs
//! nothing.
//!
//! Each line has four fields between tabs: the file, the kernel, `lowers`, `unsupported`, `invalid`
//! or `bug`, and the reason. A file that does not parse is one line, `unparsed`, without a kernel.
//! `scripts/producers.sh` counts the lines. Names of files come from standard input, one a line.

#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::error::Error;
use std::io::{BufRead, Write};

use warpsim::ptx::Module;
use warpsim_engine::lower::{self, LowerError, LowerErrorKind};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let bytes = std::fs::read(&path)?;
        match warpsim::ptx::parse_bytes(&path, &bytes) {
            Err(error) => writeln!(out, "{path}\t\tunparsed\t{}", one_line(&error))?,
            Ok(module) => {
                for kernel in lower::kernels(&module) {
                    let (verdict, reason) = match lowered(&module, kernel) {
                        Ok(()) => ("lowers", String::new()),
                        Err(error) => (verdict(&error), one_line(&error)),
                    };
                    writeln!(out, "{path}\t{kernel}\t{verdict}\t{reason}")?;
                }
            }
        }
    }
    Ok(())
}

/// Lowers a kernel with its variables at addresses that nothing else has.
fn lowered(module: &Module, kernel: &str) -> Result<(), LowerError> {
    let layout = lower::place(module)?;
    let mut next = lower::window::GLOBAL;
    let placement = layout.placement(|variable| {
        let address = next.next_multiple_of(variable.align.max(1));
        next = address + variable.size;
        Ok::<u64, LowerError>(address)
    })?;
    lower::lower(module, kernel, &placement).map(drop)
}

/// The kind of an error, in a word.
fn verdict(error: &LowerError) -> &'static str {
    match &error.kind {
        LowerErrorKind::Internal(_) => "bug",
        _ if error.is_unsupported() => "unsupported",
        _ => "invalid",
    }
}

/// An error as one line without tabs.
fn one_line(error: &dyn std::fmt::Display) -> String {
    error.to_string().replace(['\n', '\t'], " ")
}
