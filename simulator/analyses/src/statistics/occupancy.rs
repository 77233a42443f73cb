//! Occupancy: how many warps a multiprocessor holds at a time, and which limit decides that.
//!
//! The limits come from the device profile (CUDA C++ Programming Guide, "Compute Capabilities").
//! They are Nsight Compute's `launch__occupancy_limit_blocks`, `_warps` and `_shared_mem`.
//!
//! Where it can be wrong: PTX does not say how many registers a thread gets, so that limit is
//! unknown, and the real occupancy may be lower. Shared memory counts as if the driver gave the
//! kernel as much as there is. The driver may choose a smaller part.

use warpsim_engine::machine::DeviceProfile;

use crate::lanes::LANES;

/// Bytes in which shared memory is given to blocks, from compute capability 8.0 on.
const SHARED_UNIT: u64 = 128;

/// How much a multiprocessor holds at a time, at most.
///
/// ```
/// use warpsim::host::DeviceProfile;
/// use warpsim::observe::{Limit, Occupancy};
///
/// // Blocks of 8 warps. An H200 has room for 64 warps: 8 blocks.
/// let gpu = DeviceProfile::h200();
/// let plain = Occupancy::of(&gpu, 264, 256, 0);
/// assert_eq!((plain.blocks, plain.warps, plain.limit), (8, 64, Limit::Warps));
/// assert_eq!((plain.percent(), plain.waves()), (100.0, 0.25));
/// // With 100 KiB of shared memory for each, and 1 KiB that the system takes: 2 of 228 KiB.
/// let large = Occupancy::of(&gpu, 264, 256, 100 << 10);
/// assert_eq!((large.blocks, large.limit, large.percent()), (2, Limit::SharedMemory, 25.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Occupancy {
    /// The name of the limit that is the lowest.
    pub limit: Limit,
    /// Blocks that a multiprocessor holds.
    pub blocks: u64,
    /// Their warps.
    pub warps: u64,
    /// The warps that a multiprocessor could hold.
    pub most_warps: u64,
    /// Blocks by the limit of blocks.
    pub by_blocks: u64,
    /// Blocks by the limit of warps.
    pub by_warps: u64,
    /// Blocks by the limit of shared memory.
    pub by_shared: u64,
    /// Blocks of the grid.
    pub grid: u64,
    /// Multiprocessors.
    pub multiprocessors: u64,
}

/// What limits the blocks of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of blocks.
    Blocks,
    /// The number of warps.
    Warps,
    /// Shared memory.
    SharedMemory,
}

impl Occupancy {
    /// The occupancy of a grid of this many blocks, of this many threads and bytes of shared memory
    /// each, static and dynamic.
    pub fn of(profile: &DeviceProfile, grid: u64, threads: u32, shared: u32) -> Occupancy {
        let lanes = LANES as u64;
        let of_block = u64::from(threads).div_ceil(lanes).max(1);
        let most_warps = u64::from(profile.threads_per_multiprocessor) / lanes;
        let taken = u64::from(shared) + u64::from(profile.reserved_shared);
        let taken = taken.div_ceil(SHARED_UNIT) * SHARED_UNIT;
        let by_blocks = u64::from(profile.blocks_per_multiprocessor);
        let by_warps = most_warps / of_block;
        let all_shared = u64::from(profile.shared_per_multiprocessor);
        let by_shared = all_shared.checked_div(taken).unwrap_or(by_blocks);
        let blocks = by_blocks.min(by_warps).min(by_shared);
        let limit = match blocks {
            n if n == by_warps => Limit::Warps,
            n if n == by_shared => Limit::SharedMemory,
            _ => Limit::Blocks,
        };
        Occupancy {
            limit,
            blocks,
            warps: blocks * of_block,
            most_warps,
            by_blocks,
            by_warps,
            by_shared,
            grid,
            multiprocessors: u64::from(profile.multiprocessors),
        }
    }

    /// The warps that are held, of those that could be: `sm__maximum_warps_per_active_cycle_pct`.
    pub fn percent(&self) -> f64 {
        100.0 * super::usage::ratio(self.warps, self.most_warps)
    }

    /// How often the grid fills the machine: `launch__waves_per_multiprocessor`.
    pub fn waves(&self) -> f64 {
        super::usage::ratio(self.grid, self.multiprocessors * self.blocks)
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::Blocks => "blocks",
            Limit::Warps => "warps",
            Limit::SharedMemory => "shared memory",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_blocks_are_limited_by_their_number() {
        // 32 blocks of one warp: half of the 64 warps. Shared memory: 228 blocks with 1 KiB each.
        let of = Occupancy::of(&DeviceProfile::h200(), 1, 32, 0);
        assert_eq!((of.by_blocks, of.by_warps, of.by_shared), (32, 64, 228));
        assert_eq!((of.blocks, of.percent(), of.limit), (32, 50.0, Limit::Blocks));
    }

    #[test]
    fn a_block_that_does_not_divide_the_warps_leaves_some_empty() {
        // 3 blocks of 21 warps: 63 of 64.
        let of = Occupancy::of(&DeviceProfile::h200(), 1, 672, 0);
        assert_eq!((of.blocks, of.warps, of.percent()), (3, 63, 98.4375));
    }

    #[test]
    fn without_a_part_of_the_system_only_the_own_shared_memory_counts() {
        // A T4 has 64 KiB. After a block of 48 KiB there is no room for another.
        let of = Occupancy::of(&DeviceProfile::t4(), 80, 64, 48 << 10);
        assert_eq!((of.blocks, of.by_shared, of.waves()), (1, 1, 2.0));
        assert_eq!(Occupancy::of(&DeviceProfile::t4(), 80, 64, 0).by_shared, 16);
    }
}
