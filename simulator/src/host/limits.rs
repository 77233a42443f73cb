//! Which launches are impossible on a device (CUDA C++ Programming Guide, "Technical Specifications
//! per Compute Capability").

use super::device::Launch;
use super::error::DeviceError;
use crate::lower::Program;
use crate::machine::DeviceProfile;

/// The most blocks of a grid in x, y and z.
const GRID: [u32; 3] = [(1 << 31) - 1, 65_535, 65_535];

/// The most threads of a block in x, y and z.
const BLOCK: [u32; 3] = [1024, 1024, 64];

/// Refuses a launch that the device could not start.
pub(super) fn check_launch(
    profile: &DeviceProfile,
    program: &Program,
    launch: &Launch,
) -> Result<(), DeviceError> {
    let refuse = |reason: String| Err(DeviceError::ImpossibleLaunch { reason });
    for (what, shape, most) in [("grid", launch.grid, GRID), ("block", launch.block, BLOCK)] {
        for (axis, (size, most)) in ["x", "y", "z"].iter().zip(shape.iter().zip(most)) {
            if *size == 0 {
                return refuse(format!("the {what} has no extent in {axis}: use at least 1"));
            }
            if *size > most {
                return refuse(format!("the {what} is {size} in {axis}, the most is {most}"));
            }
        }
    }
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    if threads > profile.threads_per_block.into() {
        let most = profile.threads_per_block;
        return refuse(format!("a block of {threads} threads, the most is {most}"));
    }
    if let Some(most) = program.max_threads
        && threads > most.into()
    {
        return refuse(format!(
            "a block of {threads} threads, the kernel's .maxntid allows {most}"
        ));
    }
    if let Some(shape) = program.required_block
        && shape != launch.block
    {
        let [x, y, z] = shape;
        return refuse(format!("the kernel's .reqntid asks for blocks of {x} x {y} x {z} threads"));
    }
    let shared = u64::from(program.static_shared_bytes) + u64::from(launch.shared);
    if shared > profile.shared_per_block.into() {
        let most = profile.shared_per_block;
        return refuse(format!("{shared} bytes of shared memory for a block, the most is {most}"));
    }
    Ok(())
}
