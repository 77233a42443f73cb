//! What is here: the driver and its GPUs.

use crate::error::GpuError;

/// What is known of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuFacts {
    /// Its number, from 0.
    pub ordinal: u32,
    /// Its name: `NVIDIA H200`.
    pub name: String,
    /// Compute capability, major and minor: (9, 0) is `sm_90`.
    pub capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// The version of CUDA that the driver supports, major and minor: (13, 0).
    pub cuda: (u32, u32),
    /// The driver's own version, `580.159.04`, where the system tells it.
    pub driver: Option<String>,
}

/// The GPUs of this machine.
///
/// # Errors
/// [`GpuError::NoDriver`] where there is no driver, or what the driver says.
pub fn gpus() -> Result<Vec<GpuFacts>, GpuError> {
    Err(GpuError::NoDriver)
}
