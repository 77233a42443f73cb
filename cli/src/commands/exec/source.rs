//! `warpsim exec FILE.cu ...`: [`nvcc`] makes a program of the files, which finds this command as
//! `libcudart` when it runs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::args::SourceOptions;
use crate::clang;
use crate::failure::Failure;
use crate::nvcc;
use crate::output::Output;

/// Compiles the files; the program's path in `folder`.
pub(super) fn build(
    files: &[PathBuf],
    options: &SourceOptions,
    folder: &Path,
    output: &mut Output,
) -> Result<PathBuf, Failure> {
    refuse_others(files)?;
    let compiler = clang::chosen(options.allow_compiler, output)?;
    let compiler = compiler.ok_or_else(|| Failure::Missing {
        message: "no clang to compile the file (clang++)".to_owned(),
        help: Some(format!("{}, or compile it elsewhere and run the program", clang::INSTALL)),
    })?;
    let name = files.first().and_then(|file| file.file_stem());
    let program = folder.join(name.unwrap_or_else(|| OsStr::new("program")));
    let architecture = options.arch.as_deref().unwrap_or(clang::ARCHITECTURE);
    let mut words = vec!["-O2".into(), "-g".into(), format!("-arch={architecture}").into()];
    if files.len() > 1 {
        // Each may call the device code of the others.
        words.push(OsString::from("-rdc=true"));
    }
    for define in &options.defines {
        words.extend(["-D".into(), define.into()]);
    }
    for include in &options.includes {
        match include.join("cuda_runtime.h").is_file() {
            false => words.extend(["-I".into(), include.into()]),
            // A toolkit's headers. Only its template libraries are used.
            true => words.extend(["-isystem".into(), include.join("cccl").into()]),
        }
    }
    words.extend(files.iter().map(OsString::from));
    words.extend(["-o".into(), program.clone().into_os_string()]);
    match nvcc::build(&words, &compiler, output) {
        Ok(_) => Ok(program),
        Err(_) if !files.iter().any(|file| names_main(file)) => Err(no_main(files)),
        Err(failure) => Err(failure),
    }
}

/// Refuses files that are not sources.
fn refuse_others(files: &[PathBuf]) -> Result<(), Failure> {
    let words = || files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" ");
    if let Some(missing) = files.iter().find(|file| !file.is_file()) {
        return Err(Failure::usage_with_help(
            format!("cannot read {}: no such file", missing.display()),
            format!("a program and its arguments come after --: warpsim exec -- {}", words()),
        ));
    }
    let is_python = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "py");
    match files.iter().find(is_python) {
        None => Ok(()),
        Some(script) => Err(Failure::usage_with_help(
            format!("{} is a program in Python, which is not compiled", script.display()),
            format!("run it after --: warpsim exec -- python3 {}", words()),
        )),
    }
}

/// Whether a file has the word `main`; one that cannot be read may have it.
fn names_main(file: &Path) -> bool {
    let Ok(text) = std::fs::read(file) else { return true };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.split(|byte| !is_word(byte)).any(|word| word == b"main")
}

/// The files were not made a program, and none of them has a `main`.
fn no_main(files: &[PathBuf]) -> Failure {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let names = names.join(" ");
    Failure::usage_with_help(
        format!("no program came of {names}, in which there is no `main`"),
        format!("a kernel is checked without a program by: warpsim check {names}"),
    )
}
