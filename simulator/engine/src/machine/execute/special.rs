//! Special registers (PTX ISA chapter 10).
//!
//! `%clock` counts the warp instructions that the block has executed, so that a run stays a pure
//! function of its inputs. `%globaltimer` is the same count taken as nanoseconds. `%smid` follows
//! the device profile. The registers on shared memory have the values of an H200.

use crate::lanes::LANES;
use crate::lower::SpecialRegister;
use crate::machine::state::execution::Execution;
use crate::machine::state::warp::Warp;

/// The allocation unit of shared memory in bytes (PTX ISA 10, `%total_smem_size`, sm_8x and sm_9x).
const SHARED_UNIT: u32 = 128;

/// The value of a special register.
#[derive(Clone, Copy)]
pub(in crate::machine) enum Special {
    /// The same in all threads of the block.
    Same(u64),
    /// A component of the index of the thread in its block.
    Thread(usize),
    /// A function of the number of the lane.
    Lane(fn(u32) -> u32),
    /// The number of the warp.
    Warp,
}

impl Special {
    /// The value in each lane of a warp.
    pub(in crate::machine) fn of(self, warp: &Warp) -> [u64; LANES] {
        match self {
            Special::Same(value) => [value; LANES],
            Special::Thread(i) => warp.thread[i].map(u64::from),
            Special::Lane(f) => std::array::from_fn(|lane| f(lane as u32).into()),
            Special::Warp => [warp.number.into(); LANES],
        }
    }
}

impl Execution<'_, '_> {
    /// The value of a special register in the threads of this block.
    pub(in crate::machine) fn special(&self, register: SpecialRegister) -> Special {
        use Special::{Lane, Same, Thread};
        use SpecialRegister as R;
        let e = self.environment;
        match register {
            R::Tid(i) => Thread(component(i)),
            R::Ntid(i) => Same(e.launch.block[component(i)].into()),
            R::Ctaid(i) => Same(self.block_index[component(i)].into()),
            R::Nctaid(i) => Same(e.launch.grid[component(i)].into()),
            R::Laneid => Lane(|lane| lane),
            R::LanemaskEq => Lane(|lane| 1 << lane),
            R::LanemaskLe => Lane(|lane| u32::MAX >> (31 - lane)),
            R::LanemaskLt => Lane(|lane| (1 << lane) - 1),
            R::LanemaskGe => Lane(|lane| u32::MAX << lane),
            R::LanemaskGt => Lane(|lane| u32::MAX << lane << 1),
            R::Warpid => Special::Warp,
            R::Nwarpid => Same(e.launch.threads_per_block().div_ceil(LANES as u32).into()),
            R::Smid => Same(e.multiprocessor(self.block).into()),
            R::Nsmid => Same(e.profile.multiprocessors.into()),
            R::Gridid => Same(e.number),
            R::Clock | R::Globaltimer => Same(self.common.clock),
            R::ClockHi | R::GlobaltimerHi => Same(self.common.clock >> 32),
            R::TotalSharedSize => Same(e.own_shared_bytes().next_multiple_of(SHARED_UNIT).into()),
            R::AggregateSharedSize => {
                Same((e.own_shared_bytes() + e.profile.reserved_shared).into())
            }
            R::ReservedSharedEnd => Same(e.profile.reserved_shared_end.into()),
            R::ReservedSharedCapacity => Same(e.profile.reserved_shared.into()),
            R::DynamicSharedSize => Same(e.launch.shared.into()),
            R::WorkspaceHigh => Same(e.workspace >> 32),
            R::WorkspaceLow => Same(e.workspace & 0xffff_ffff),
            R::LaunchQueueHigh => Same(e.launch_queue >> 32),
            R::LaunchQueueLow => Same(e.launch_queue & 0xffff_ffff),
            R::Zero => Same(0),
            R::One => Same(1),
        }
    }
}

fn component(i: u8) -> usize {
    usize::from(i) % 3
}
