//! The headers that replace CUDA's: where clang compiles a `.cu` file, and where a host compiler
//! reads the same declarations. Their texts are in `include/`, under the names of CUDA's headers.
//! Each says which document it follows.

use std::fs;
use std::io;
use std::path::Path;

/// The header that is included before the file.
pub(super) const FIRST: &str = "warpsim_cuda.h";

/// The folder of headers that are found before the headers of NVIDIA's C++ libraries.
pub(super) const BEFORE_LIBRARIES: &str = "warpsim/cccl";

// The headers, by their paths in `include/`: what lies there when the command is built.
include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// The paths and texts of all of them.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    HEADERS.iter().copied()
}

/// Writes all of them into a folder.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
