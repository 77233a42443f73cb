//! A launch as options, and as a recording keeps it.

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;
use warpsim::element::ElementType;
use warpsim::host::Extent;
use warpsim_gpu::recording::{Simulated, Submission};

use crate::args::{Command, CommandLine, LaunchOptions};
use crate::spec::fill::contents;
use crate::spec::structure::zeros;
use crate::spec::{Spec, SpecError};

/// Reads the options of `warpsim run`, its FILE first.
pub(crate) fn parse(arguments: &[String]) -> Result<LaunchOptions, String> {
    let words = ["warpsim", "run"].into_iter().map(OsString::from);
    let line = CommandLine::try_parse_from(words.chain(arguments.iter().map(OsString::from)));
    match line.map_err(|error| error.to_string())?.command {
        Command::Run(run) => Ok(run.launch),
        _ => Err("not the options of `run`".to_owned()),
    }
}

/// The words of a command line after its command, with each option and its value as two words.
pub(crate) fn in_two_words(arguments: &[OsString]) -> Vec<String> {
    let words = arguments.iter().skip(2).map(|word| word.to_string_lossy().into_owned());
    words
        .flat_map(|word| match word.split_once('=') {
            Some((name, value)) if word.starts_with("--") => {
                vec![name.to_owned(), value.to_owned()]
            }
            _ => vec![word],
        })
        .collect()
}

/// What a recording keeps of options. SPECs are kept as they were written; each option and its
/// value are two words.
pub(crate) fn submission(options: &LaunchOptions, kernel: &str, words: &[String]) -> Submission {
    let values_of = |name: &str| {
        let pairs = words.iter().zip(words.iter().skip(1));
        pairs.filter(|(option, _)| *option == name).map(|(_, value)| value.clone()).collect()
    };
    Submission {
        kernel: kernel.to_owned(),
        launch: options.launch(),
        args: values_of("--arg"),
        globals: values_of("--global"),
        links: values_of("--link"),
        launches: options.launches,
        passes: values_of("--pass"),
    }
}

/// The options of `warpsim run` that launch the same.
pub(crate) fn options(file: &Path, submission: &Submission) -> Vec<String> {
    let Submission { kernel, launch, args, globals, links, launches, passes } = submission;
    let mut words = vec![file.display().to_string()];
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    add("--kernel", kernel.clone());
    add("--grid", Extent(launch.grid).to_string());
    add("--block", Extent(launch.block).to_string());
    if launch.shared > 0 {
        add("--shared", launch.shared.to_string());
    }
    if launch.cooperative {
        words.push("--cooperative".to_owned());
    }
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    if *launches > 1 {
        add("--launches", launches.to_string());
    }
    args.iter().for_each(|spec| add("--arg", spec.clone()));
    globals.iter().for_each(|spec| add("--global", spec.clone()));
    links.iter().for_each(|file| add("--link", file.clone()));
    passes.iter().for_each(|pass| add("--pass", pass.clone()));
    words
}

/// The same, and what makes the simulator do what the GPU did.
pub(crate) fn simulated_options(
    file: &Path,
    submission: &Submission,
    simulated: Option<&Simulated>,
) -> Vec<String> {
    let mut words = options(file, submission);
    if let Some(Simulated { passes, shared_init }) = simulated {
        let mut add = |name: &str, value: &String| words.extend([name.to_owned(), value.clone()]);
        passes.iter().for_each(|pass| add("--pass", pass));
        add("--shared-init", shared_init);
    }
    words
}

/// The ints that a SPEC of a buffer of `s32` describes: the input of a program.
///
/// ```
/// assert_eq!(warpsim_cli::recorder::ints("s32[4]=iota:1"), Ok(vec![1, 2, 3, 4]));
/// ```
///
/// # Errors
/// The text is not a SPEC of such a buffer.
pub fn ints(spec: &str) -> Result<Vec<i32>, String> {
    let buffer = match Spec::parse(spec).map_err(|e| e.to_string())? {
        Spec::Buffer(buffer) if buffer.element == ElementType::I32 && buffer.start == 0 => buffer,
        _ => return Err(format!("`{spec}` is not a buffer of s32")),
    };
    let zeros = || zeros(buffer.bytes().ok_or(SpecError::TooLarge)?);
    let bytes = contents(&buffer).and_then(|bytes| bytes.map_or_else(zeros, Ok));
    let bytes = bytes.map_err(|e| e.to_string())?;
    let (cells, _) = bytes.as_chunks::<4>();
    Ok(cells.iter().map(|cell| i32::from_le_bytes(*cell)).collect())
}
