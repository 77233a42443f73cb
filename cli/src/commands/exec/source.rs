//! `warpsim exec FILE.cu`: clang compiles the device's part to PTX and the host's part to an object in which that PTX is
//! registered, and links it to this command as `libcudart`.

use std::path::{Path, PathBuf};

use warpsim_driver_core::fat_binary;

use crate::args::SourceOptions;
use crate::clang::{self, Build, Clang, Device};
use crate::failure::Failure;
use crate::output::Output;

/// Compiles FILE.cu; the program's path. `folder` holds this command as `libcudart.so`, and what is made here.
pub(super) fn build(
    file: &Path,
    options: &SourceOptions,
    folder: &Path,
    output: &mut Output,
) -> Result<PathBuf, Failure> {
    if !file.is_file() {
        return Err(Failure::usage(format!("cannot read {}: no such file", file.display())));
    }
    let compiler = clang::chosen(options.allow_compiler, output)?;
    let compiler = compiler.ok_or_else(|| Failure::Missing {
        message: "no clang to compile the file (clang++)".to_owned(),
        help: Some(format!("{}, or compile it elsewhere and run the program", clang::INSTALL)),
    })?;
    let clang = Clang::at(&compiler, folder, &options.defines, &options.includes)?;
    let device = Device { architecture: None, is_naive: false };
    let ptx = clang.device(file, device, Build::Told)?;
    clang.program(file, &fat_binary(ptx.as_bytes()))
}
