//! `ptxas`, for programs that start it: under `warpsim exec` this command has that name in the
//! program's `PATH`.
//!
//! It reads the input of NVIDIA's assembler and writes PTX in a container of warpsim's. The driver
//! that `warpsim exec` brings takes the container for a cubin. Errors have the assembler's form and
//! exit code (CUDA Binary Utilities and nvcc documentation, "ptxas options"; the form is as 12.9
//! and 13.5 print it).
//!
//! Deviations: options only say where the output goes, and none is refused. There are no figures
//! about registers. Unsupported PTX is reported when its kernel is loaded.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use warpsim::ptx;
use warpsim_driver_core::{container, texts};

use crate::failure::Exit;
use crate::output::Output;

/// The name under which the command is this.
const NAME: &str = "ptxas";

/// The toolkit whose assembler it says it is: programs choose the version of their PTX by it.
/// Triton up to 3.4 refuses toolkits of CUDA 13, and later ones still take 12.9.
const VERSION: &str = "ptxas: warpsim's stand-in for the Ptx optimizing assembler\n\
                       Cuda compilation tools, release 12.9, V12.9.0 (warpsim)";

/// Options whose value is the next word, unless it follows a `=`.
const VALUED: [&str; 14] = [
    "-o",
    "--output-file",
    "-arch",
    "--gpu-name",
    "-maxrregcount",
    "--maxrregcount",
    "-O",
    "--opt-level",
    "-m",
    "--machine",
    "-e",
    "--entry",
    "-ias",
    "--input-as-string",
];

/// The exit code for PTX that is wrong.
const WRONG: u8 = 255;

/// Whether the command was started under the assembler's name.
pub(crate) fn is_asked_for(arguments: &[OsString]) -> bool {
    let name = arguments.first().map(Path::new).and_then(Path::file_name);
    name.is_some_and(|name| name == NAME)
}

/// What the words say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    files: Vec<PathBuf>,
    output: Option<PathBuf>,
    version: bool,
}

impl Asked {
    fn read(words: &[OsString]) -> Asked {
        let mut asked = Asked::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (&*text, None),
            };
            if !text.starts_with('-') {
                asked.files.push(word.into());
                continue;
            }
            let value = match value {
                None if VALUED.contains(&name) => words.next().cloned(),
                other => other,
            };
            match name {
                "-o" | "--output-file" => asked.output = value.map(PathBuf::from),
                "-V" | "--version" => asked.version = true,
                // What it says about machine code.
                _ => {}
            }
        }
        asked
    }
}

/// Runs as the assembler.
pub(crate) fn run(arguments: &[OsString], output: &mut Output) -> Exit {
    let asked = Asked::read(arguments.get(1..).unwrap_or(&[]));
    let done = if asked.version { told(output) } else { assembled(&asked) };
    match done {
        Ok(()) => Exit::CLEAN,
        Err(message) => {
            output.message(&message);
            Exit::custom(WRONG)
        }
    }
}

fn told(output: &mut Output) -> Result<(), String> {
    let written = output.line(VERSION).and_then(|()| output.flush());
    written.map_err(|_| "ptxas fatal   : Could not write".to_owned())
}

fn assembled(asked: &Asked) -> Result<(), String> {
    let fatal = |what: &str| format!("ptxas fatal   : {what}");
    let mut all = Vec::new();
    for file in &asked.files {
        let bytes = fs::read(file)
            .map_err(|_| fatal(&format!("Could not open input file '{}'", file.display())))?;
        let name = file.display().to_string();
        let parts = texts(&bytes).map_err(|error| fatal(&error.to_string()))?;
        for text in parts {
            ptx::parse_bytes(&name, &text).map_err(|error| refused(&name, &text, &error))?;
            all.push((name.clone(), text));
        }
    }
    let text = match all.as_slice() {
        [] => return Err(fatal("A single input file is required for a non-link phase")),
        [(_, text)] => text.clone(),
        several => {
            let files: Vec<(&str, &[u8])> =
                several.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect();
            let linked = ptx::link(&files).map_err(|error| fatal(&error.to_string()))?;
            ptx::print(&linked).into_bytes()
        }
    };
    let to = asked.output.clone().unwrap_or_else(|| PathBuf::from("elf.o"));
    let written = fs::write(&to, container(&text));
    written.map_err(|error| fatal(&format!("Could not write '{}': {error}", to.display())))
}

/// What the assembler says about PTX that is wrong.
fn refused(file: &str, text: &[u8], error: &ptx::SyntaxError) -> String {
    let before = text.iter().take(error.span.start as usize);
    let line = 1 + before.filter(|byte| **byte == b'\n').count();
    format!(
        "ptxas {file}, line {line}; error   : {}\nptxas fatal   : Ptx assembly aborted due to errors",
        error.kind
    )
}
