//! The launches that are impossible on a device (CUDA C++ Programming Guide, "Technical
//! Specifications per Compute Capability").

use super::error::DeviceError;
use crate::launch::Launch;
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
    check_shape(launch, profile.threads_per_block.min(DeviceProfile::MOST.threads_per_block))?;
    let refuse = |reason: String| Err(DeviceError::ImpossibleLaunch { reason });
    let threads = launch.threads_per_block();
    let resident = profile.threads_per_multiprocessor;
    if threads > resident {
        return refuse(format!("a block of {threads} threads, a multiprocessor holds {resident}"));
    }
    if let Some(most) = program.max_threads
        && threads > most
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
    let most = profile.shared_per_block.min(profile.shared_per_multiprocessor);
    let most = most.min(DeviceProfile::MOST.shared_per_block);
    check_shared(program.own_static_shared_bytes(), launch.shared, most)?;
    let own = program.shared_bytes(launch.shared) - program.reserved_shared_bytes;
    let each = profile.resident_on_one(threads, own);
    let capacity = u64::from(profile.multiprocessors) * u64::from(each);
    let blocks = launch.blocks();
    if launch.cooperative && blocks > capacity {
        return refuse(format!(
            "a cooperative launch of {blocks} blocks, and the device holds {capacity} of them at a \
             time: {each} on each of {} multiprocessors",
            profile.multiprocessors
        ));
    }
    Ok(())
}

/// Refuses a grid or a block with an extent that no GPU has, and a block of more threads than
/// `threads_per_block`.
///
/// # Errors
/// [`DeviceError::ImpossibleLaunch`], with the limit; the same goes for [`check_shared`].
pub fn check_shape(launch: &Launch, threads_per_block: u32) -> Result<(), DeviceError> {
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
    let threads = launch.threads_per_block();
    if threads > threads_per_block {
        return refuse(format!("a block of {threads} threads, the most is {threads_per_block}"));
    }
    Ok(())
}

/// Refuses blocks that would have more bytes of shared memory than `most`. Both the kernel's own
/// variables and the dynamic bytes of the launch count.
///
/// # Errors
/// [`DeviceError::ImpossibleLaunch`], with the limit.
pub fn check_shared(variables: u32, dynamic: u32, most: u32) -> Result<(), DeviceError> {
    let shared = u64::from(variables) + u64::from(dynamic);
    if shared > most.into() {
        let reason = format!("{shared} bytes of shared memory for a block, the most is {most}");
        return Err(DeviceError::ImpossibleLaunch { reason });
    }
    Ok(())
}
