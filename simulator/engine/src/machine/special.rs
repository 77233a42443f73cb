//! Special registers (PTX ISA chapter 10).
//!
//! `%clock` counts the warp instructions that the block has executed, so that a run stays a pure
//! function of its inputs; `%globaltimer` is the same count taken as nanoseconds. `%smid` follows
//! the device profile, and what is said of shared memory is what an H200 says of it.

use super::stage::Stage;
use super::warp::Warp;
use crate::lanes::LANES;
use crate::lower::SpecialRegister;

/// What shared memory is allocated in, in bytes (PTX ISA 10, `%total_smem_size`, sm_8x and sm_9x).
const SHARED_UNIT: u32 = 128;

impl Stage<'_, '_> {
    /// The value of a special register in each lane.
    pub(super) fn special(&self, warp: &Warp, register: SpecialRegister) -> [u64; LANES] {
        use SpecialRegister as R;
        let e = self.environment;
        let per_lane = |f: fn(u32) -> u32| std::array::from_fn(|lane| f(lane as u32).into());
        let same = |value: u64| [value; LANES];
        match register {
            R::Tid(i) => warp.thread[component(i)].map(u64::from),
            R::Ntid(i) => same(e.launch.block[component(i)].into()),
            R::Ctaid(i) => same(self.block_index[component(i)].into()),
            R::Nctaid(i) => same(e.launch.grid[component(i)].into()),
            R::Laneid => per_lane(|lane| lane),
            R::LanemaskEq => per_lane(|lane| 1 << lane),
            R::LanemaskLe => per_lane(|lane| u32::MAX >> (31 - lane)),
            R::LanemaskLt => per_lane(|lane| (1 << lane) - 1),
            R::LanemaskGe => per_lane(|lane| u32::MAX << lane),
            R::LanemaskGt => per_lane(|lane| u32::MAX << lane << 1),
            R::Warpid => same(warp.number.into()),
            R::Nwarpid => same(e.launch.threads_per_block().div_ceil(LANES as u32).into()),
            R::Smid => same(e.multiprocessor(self.block).into()),
            R::Nsmid => same(e.profile.multiprocessors.into()),
            R::Gridid => same(e.number),
            R::Clock | R::Globaltimer => same(self.common.clock),
            R::ClockHi | R::GlobaltimerHi => same(self.common.clock >> 32),
            R::TotalSharedSize => same(e.own_shared_bytes().next_multiple_of(SHARED_UNIT).into()),
            R::AggregateSharedSize => {
                same((e.own_shared_bytes() + e.profile.reserved_shared).into())
            }
            R::ReservedSharedEnd => same(e.profile.reserved_shared_end.into()),
            R::ReservedSharedCapacity => same(e.profile.reserved_shared.into()),
            R::DynamicSharedSize => same(e.launch.shared.into()),
            R::WorkspaceHigh => same(e.workspace >> 32),
            R::WorkspaceLow => same(e.workspace & 0xffff_ffff),
            R::Zero => same(0),
            R::One => same(1),
        }
    }
}

fn component(i: u8) -> usize {
    usize::from(i) % 3
}
