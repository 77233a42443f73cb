//! Launches that a kernel asks for (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): the
//! queue of a grid, and its content when the grid is over.
//!
//! Functions of the device runtime write the queue (`cudadevrt.ptx` of `ptx::link`). The report of
//! the launch has its content in the order in which the kernel asked. The caller carries it out.
//!
//! Deviation: on hardware these launches may run beside the grid and beside each other; races
//! between them are missed.

use crate::device::ModuleHandle;
use crate::error::DeviceError;
use crate::lower::Program;
use crate::machine::GlobalMemory;
use crate::report::DeviceLaunch;

use super::Simulator;

/// The function that takes a record of the queue; all others call it.
const TAKES: &str = "__cudaCDP2GetParameterBufferV2";

/// How many launches of a grid may wait: `cudaLimitDevRuntimePendingLaunchCount`, as it is at
/// first.
const RECORDS: u64 = 2048;
/// Bytes before the first record.
const HEAD: u64 = 64;
/// Bytes of a record before its parameters, and of these.
const RECORD_HEAD: u64 = 64;
const PARAMETERS: u64 = 4096;
const RECORD: u64 = RECORD_HEAD + PARAMETERS;

/// Bytes of a queue.
pub(super) const QUEUE: u64 = HEAD + RECORDS * RECORD;

/// The stream of launches that follow the grid (`cudaStreamTailLaunch`).
const TAIL: u64 = 3;

/// A launch as it lies in the queue.
pub(super) struct Asked {
    number: u32,
    /// The address of the kernel.
    kernel: u64,
    launch: DeviceLaunch,
}

/// Whether a program has code that asks for launches.
pub(super) fn may_be_asked_for(program: &Program) -> bool {
    program.functions.iter().any(|function| *function.name == *TAKES)
}

/// The launches in a queue, in the order in which they were asked for; none where there is no
/// queue.
pub(super) fn asked_for(global: &GlobalMemory, queue: u64) -> Vec<Asked> {
    if queue == 0 {
        return Vec::new();
    }
    let Ok(memory) = global.find_ref(queue, QUEUE) else { return Vec::new() };
    let start = queue - memory.base;
    let read = |at: u64, bytes: &mut [u8]| memory.pages.read_bytes(start + at, bytes);
    let mut taken = [0; 4];
    read(0, &mut taken);
    let records = u64::from(u32::from_le_bytes(taken)).min(RECORDS);
    let mut asked: Vec<Asked> = (0..records)
        .filter_map(|record| {
            let mut bytes = vec![0; RECORD as usize];
            read(HEAD + record * RECORD, &mut bytes);
            record_of(&bytes)
        })
        .collect();
    asked.sort_by_key(|asked| asked.number);
    asked
}

/// A record; `None` for a buffer that was taken and not launched.
fn record_of(bytes: &[u8]) -> Option<Asked> {
    let (head, parameters) = bytes.split_at_checked(RECORD_HEAD as usize)?;
    let words: Vec<u32> =
        head.chunks_exact(4).map(|word| word.try_into().map_or(0, u32::from_le_bytes)).collect();
    // A head has 16 words: it was split off with all of its bytes.
    let wide = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
    let launch = DeviceLaunch {
        kernel: None,
        grid: [words[2], words[3], words[4]],
        block: [words[5], words[6], words[7]],
        shared: words[8],
        is_tail: wide(10) == TAIL,
        parameters: parameters.to_vec(),
    };
    let asked = Asked { number: words[9], kernel: wide(0), launch };
    (asked.number != 0).then_some(asked)
}

impl Simulator {
    /// The same with the kernels' names.
    pub(super) fn named(
        &self,
        module: ModuleHandle,
        asked: Vec<Asked>,
    ) -> Result<Vec<DeviceLaunch>, DeviceError> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let functions = &self.loaded(module)?.placement.functions;
        let name = |address: u64| {
            let known = functions.iter().find(|(_, known)| **known == address);
            known.map(|(name, _)| name.to_string())
        };
        let launch = |asked: Asked| DeviceLaunch { kernel: name(asked.kernel), ..asked.launch };
        Ok(asked.into_iter().map(launch).collect())
    }
}
