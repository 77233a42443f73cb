//! Running the simulator's programs on real hardware: not built yet.
//!
//! This crate will hold a [`warpsim::host::Device`] on top of the CUDA driver (through cudarc,
//! loaded at run time, so that it builds without CUDA), compilation of `.cu` files by NVRTC, and
//! recordings of hardware results to compare the simulator with. Until then [`available`] says
//! that there is nothing here, and nothing pretends otherwise.

use std::convert::Infallible;
use std::fmt;

/// There is no GPU support in this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotBuilt;

impl fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this version of warpsim has no GPU support yet")
    }
}

impl std::error::Error for NotBuilt {}

/// Opens a GPU. There is no value that this could return yet.
///
/// # Errors
/// Always [`NotBuilt`].
///
/// ```
/// assert_eq!(warpsim_gpu::available(), Err(warpsim_gpu::NotBuilt));
/// ```
pub fn available() -> Result<Infallible, NotBuilt> {
    Err(NotBuilt)
}
