//! The driver and its GPUs.

use serde::{Deserialize, Serialize};

use warpsim::isa::Cause;
use warpsim::ptx::Module;

use crate::error::{GpuError, Lacking};
use crate::ffi::{self, Attribute, RawDevice};
use crate::gpu::{lacking, newest_version};

/// The known facts about a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct GpuFacts {
    /// Its number, from 0.
    pub ordinal: u32,
    /// Its name: `NVIDIA H200`.
    pub name: String,
    /// Compute capability, major and minor: (9, 0) is `sm_90`.
    pub capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of shared memory that a block can have, with the opt-in that more than usual needs.
    pub shared_per_block: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// The version of CUDA that the driver supports, major and minor: (13, 0).
    pub cuda: (u32, u32),
    /// The driver's own version, `580.159.04`, where the system tells it.
    pub driver: Option<String>,
}

impl GpuFacts {
    /// The latest version of PTX that its driver takes: (9, 0).
    pub fn ptx(&self) -> (u32, u32) {
        newest_version(self.cuda)
    }

    /// The first thing in a module that needs more than the GPU and its driver have, and what they
    /// lack; `None` when they have all that [`needs`](warpsim::isa::needs) knows of.
    ///
    /// ```
    /// # use warpsim_gpu::{Lacking, probe::GpuFacts};
    /// let facts = GpuFacts {
    ///     ordinal: 0, name: "NVIDIA H200".to_owned(), capability: (9, 0), multiprocessors: 132,
    ///     shared_per_block: 232_448, memory: 150_000_000_000, cuda: (13, 0), driver: None,
    /// };
    /// let text = ".version 9.0 .target sm_120 .entry k() { .reg .f32 %f<4>;
    ///     min.f32 %f0, %f1, %f2, %f3; ret; }";
    /// let module = warpsim::ptx::parse("k.ptx", text)?;
    /// let (cause, lacking) = facts.lacks(&module).expect("sm_100 and later have it");
    /// assert_eq!(cause.name, "min.f32");
    /// assert_eq!(lacking, Lacking::Target { needed: 100, has: 90 });
    /// # Ok::<(), warpsim::ptx::SyntaxError>(())
    /// ```
    pub fn lacks(&self, module: &Module) -> Option<(Cause, Lacking)> {
        lacking(module, self)
    }
}

/// The GPUs of this machine.
///
/// ```
/// match warpsim_gpu::probe::gpus() {
///     Ok(gpus) => assert!(gpus.iter().all(|gpu| !gpu.name.is_empty())),
///     Err(error) => println!("{error}"), // no NVIDIA driver found (libcuda)
/// }
/// ```
///
/// # Errors
/// [`GpuError::NoDriver`] where there is no driver, or what the driver says.
pub fn gpus() -> Result<Vec<GpuFacts>, GpuError> {
    ffi::initialise()?;
    let version = ffi::driver_version()?;
    let cuda = (version / 1000, version % 1000 / 10);
    let driver = driver_version();
    (0..ffi::device_count()?).map(|ordinal| facts(ordinal, cuda, driver.clone())).collect()
}

fn facts(ordinal: u32, cuda: (u32, u32), driver: Option<String>) -> Result<GpuFacts, GpuError> {
    let device = RawDevice::get(ordinal)?;
    let figure = |attribute| device.attribute(attribute);
    Ok(GpuFacts {
        ordinal,
        name: device.name()?,
        capability: (figure(Attribute::CapabilityMajor)?, figure(Attribute::CapabilityMinor)?),
        multiprocessors: figure(Attribute::Multiprocessors)?,
        shared_per_block: figure(Attribute::SharedPerBlock)?,
        memory: device.memory()?,
        cuda,
        driver,
    })
}

/// The version of the driver's kernel module, which Linux shows.
fn driver_version() -> Option<String> {
    version_in(&std::fs::read_to_string("/proc/driver/nvidia/version").ok()?)
}

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...`: the first word of digits and
/// dots.
fn version_in(text: &str) -> Option<String> {
    let is_version =
        |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_s_version_is_found_in_what_linux_shows() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  \
                    Release Build  (root@host)\nGCC version: gcc 13.2.0\n";
        assert_eq!(version_in(open).as_deref(), Some("580.159.04"));
        assert_eq!(version_in("NVRM version: none\n"), None);
    }
}
