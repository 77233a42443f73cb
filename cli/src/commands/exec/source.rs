//! `warpsim exec FILE.cu`: clang compiles the device's part to PTX and the host's part to an object in
//! which that PTX is registered, and links it to this command as `libcudart`. Several files go the
//! way of [`nvcc`].

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use warpsim_driver_core::fat_binary;

use crate::args::SourceOptions;
use crate::clang::{self, Build, Clang, Device};
use crate::failure::Failure;
use crate::nvcc;
use crate::output::Output;

/// Compiles the files; the program's path. `folder` holds this command as `libcudart.so`, and what
/// is made here.
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
    let [file] = files else { return together(files, options, (&compiler, folder), output) };
    let clang = Clang::at(&compiler, folder, &options.defines, &options.includes)?;
    let device = Device { architecture: None, is_naive: false };
    let ptx = clang.device(file, device, Build::Told)?;
    clang.program(file, &fat_binary(ptx.as_bytes()))
}

/// Several files: each may call the device code of the others.
fn together(
    files: &[PathBuf],
    options: &SourceOptions,
    (compiler, folder): (&Path, &Path),
    output: &mut Output,
) -> Result<PathBuf, Failure> {
    let name = files.first().and_then(|file| file.file_stem());
    let program = folder.join(name.unwrap_or_else(|| OsStr::new("program")));
    let mut words: Vec<OsString> =
        ["-rdc=true", "-O2", "-g", "-arch=sm_80"].map(OsString::from).to_vec();
    for define in &options.defines {
        words.extend(["-D".into(), define.into()]);
    }
    for include in &options.includes {
        words.extend(["-I".into(), include.into()]);
    }
    words.extend(files.iter().map(OsString::from));
    words.extend(["-o".into(), program.clone().into_os_string()]);
    nvcc::build(&words, compiler, output)?;
    Ok(program)
}
