//! `warpsim exec FILE.cu`: clang compiles the device's part to PTX and the host's part to an object in which that PTX is
//! registered, and links it to this command as `libcudart`.

use std::path::{Path, PathBuf};

use warpsim_driver_core::fat_binary;

use crate::args::SourceOptions;
use crate::clang::{Clang, Device};
use crate::failure::Failure;

/// Compiles FILE.cu; the program's path. `folder` holds this command as `libcudart.so`, and what is made here.
pub(super) fn build(
    file: &Path,
    options: &SourceOptions,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    if !file.is_file() {
        return Err(Failure::usage(format!("cannot read {}: no such file", file.display())));
    }
    let clang = Clang::find(folder, &options.defines, &options.includes)?;
    let clang = clang.ok_or_else(|| Failure::Missing {
        message: "no clang to compile the file (clang++)".to_owned(),
        help: Some(
            "install clang 14 or later, or compile it elsewhere and run the program".to_owned(),
        ),
    })?;
    let device = Device { architecture: None, is_naive: false };
    let ptx = clang.device(file, device)?;
    clang.program(file, &fat_binary(ptx.as_bytes()))
}
