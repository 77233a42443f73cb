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
    if let Some(missing) = files.iter().find(|file| !file.is_file()) {
        return Err(Failure::usage(format!("cannot read {}: no such file", missing.display())));
    }
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
            // A toolkit's, of which the libraries of templates alone are taken.
            true => words.extend(["-isystem".into(), include.join("cccl").into()]),
        }
    }
    words.extend(files.iter().map(OsString::from));
    words.extend(["-o".into(), program.clone().into_os_string()]);
    nvcc::build(&words, &compiler, output)?;
    Ok(program)
}
