//! The options for `.cu` files: shared by all commands that take FILE.

use std::path::PathBuf;

use clap::Args;

const HEADING: &str = "CUDA C++ (.cu files)";

/// How a `.cu` file becomes PTX. Nothing of it matters for PTX.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct CompilerOptions {
    /// Compile .cu and keep all accesses of the source [default of check and explore]
    #[arg(long, help_heading = HEADING)]
    pub(crate) naive: bool,
    /// Compile .cu as for a release; the compiler removes superfluous accesses [default of the
    /// other commands]
    #[arg(long, conflicts_with = "naive", help_heading = HEADING)]
    pub(crate) optimised: bool,
    /// The compiler: libnvrtc, or a folder, virtual environment or toolkit that holds it
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    pub(crate) nvrtc: Option<PathBuf>,
    /// Compile .cu by clang even if it failed its trial (`warpsim devices` says why)
    #[arg(long, help_heading = HEADING)]
    pub(crate) allow_compiler: bool,
    /// Compile .cu for this architecture [default: sm_80]
    #[arg(long, value_name = "sm_N", help_heading = HEADING)]
    pub(crate) arch: Option<String>,
    /// A folder of headers for .cu; may be repeated
    #[arg(short = 'I', long = "include", value_name = "DIR", help_heading = HEADING)]
    pub(crate) includes: Vec<PathBuf>,
    /// A macro for .cu; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", help_heading = HEADING)]
    pub(crate) defines: Vec<String>,
}
