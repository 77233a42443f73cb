//! The device profile: the numbers of a GPU that a program can notice.
//!
//! It decides `%smid`, the contents of `leftover` shared memory, which blocks are resident together
//! and so can wait for each other, and which launches are impossible. It is part of a launch and of
//! every replay.

/// The limits of a GPU (CUDA C++ Programming Guide, "Compute Capabilities").
///
/// A changed copy of an existing profile is a new one:
///
/// ```
/// use warpsim_engine::machine::DeviceProfile;
///
/// let mut small = DeviceProfile::h200();
/// small.multiprocessors = 2;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DeviceProfile {
    /// Its name for `--device`.
    pub name: String,
    /// Multiprocessors. Block b lives on multiprocessor b mod this.
    pub multiprocessors: u32,
    /// Blocks that can be resident on a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Threads that can be resident on a multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_per_multiprocessor: u32,
    /// Bytes of shared memory that a block can have (with the opt-in that dynamic shared memory
    /// above 48 KiB needs).
    pub shared_per_block: u32,
    /// Bytes of shared memory that the system takes from each block: `%reserved_smem_offset_cap`.
    pub reserved_shared: u32,
    /// The end of the part of them that a program can rely on: `%reserved_smem_offset_end`.
    pub reserved_shared_end: u32,
    /// Bytes of global memory.
    pub global_memory: u64,
    /// Bytes of a thread's stack where calls may be of any depth (`cudaLimitStackSize`).
    pub stack: u32,
}

/// The stack of a thread if nobody sets another limit (CUDA driver API, `CU_LIMIT_STACK_SIZE`; as
/// an H100 reports it).
const STACK: u32 = 1024;

/// The system's part of the shared memory of each block, from compute capability 8.0 on (CUDA C++
/// Programming Guide, "Compute Capabilities"). The second number is the end of the part that a
/// program can rely on, as measured on an H200.
const RESERVED_SHARED: (u32, u32) = (1024, 288);

impl DeviceProfile {
    /// The highest values of the limits. A launch keeps an entry for each block that can be
    /// resident; a million of them is some hundred times the number of any GPU. A block has as many
    /// threads as CUDA allows, which analyses rely on. Its shared memory lies in its window of
    /// generic addresses.
    pub const MOST: DeviceProfile = DeviceProfile {
        name: String::new(),
        multiprocessors: 1 << 14,
        blocks_per_multiprocessor: 64,
        threads_per_multiprocessor: 64 << 10,
        threads_per_block: 1024,
        shared_per_multiprocessor: 64 << 24,
        shared_per_block: 1 << 24,
        reserved_shared: 1 << 24,
        reserved_shared_end: 1 << 24,
        global_memory: 1 << 48,
        stack: 512 << 10,
    };

    /// An NVIDIA H200 (compute capability 9.0).
    pub fn h200() -> DeviceProfile {
        DeviceProfile {
            name: "h200".to_owned(),
            multiprocessors: 132,
            blocks_per_multiprocessor: 32,
            threads_per_multiprocessor: 2048,
            threads_per_block: 1024,
            shared_per_multiprocessor: 228 << 10,
            shared_per_block: 227 << 10,
            reserved_shared: RESERVED_SHARED.0,
            reserved_shared_end: RESERVED_SHARED.1,
            global_memory: 141 << 30,
            stack: STACK,
        }
    }

    /// An NVIDIA A100 with 80 GB (compute capability 8.0).
    pub fn a100() -> DeviceProfile {
        DeviceProfile {
            name: "a100".to_owned(),
            multiprocessors: 108,
            blocks_per_multiprocessor: 32,
            threads_per_multiprocessor: 2048,
            threads_per_block: 1024,
            shared_per_multiprocessor: 164 << 10,
            shared_per_block: 163 << 10,
            reserved_shared: RESERVED_SHARED.0,
            reserved_shared_end: RESERVED_SHARED.1,
            global_memory: 80 << 30,
            stack: STACK,
        }
    }

    /// An NVIDIA GeForce RTX 4090 (compute capability 8.9).
    pub fn rtx4090() -> DeviceProfile {
        DeviceProfile {
            name: "rtx4090".to_owned(),
            multiprocessors: 128,
            blocks_per_multiprocessor: 24,
            threads_per_multiprocessor: 1536,
            threads_per_block: 1024,
            shared_per_multiprocessor: 100 << 10,
            shared_per_block: 99 << 10,
            reserved_shared: RESERVED_SHARED.0,
            reserved_shared_end: RESERVED_SHARED.1,
            global_memory: 24 << 30,
            stack: STACK,
        }
    }

    /// An NVIDIA T4 (compute capability 7.5).
    pub fn t4() -> DeviceProfile {
        DeviceProfile {
            name: "t4".to_owned(),
            multiprocessors: 40,
            blocks_per_multiprocessor: 16,
            threads_per_multiprocessor: 1024,
            threads_per_block: 1024,
            shared_per_multiprocessor: 64 << 10,
            shared_per_block: 64 << 10,
            reserved_shared: 0,
            reserved_shared_end: 0,
            global_memory: 16 << 30,
            stack: STACK,
        }
    }

    /// The profiles that have names, the default first.
    pub fn all() -> Vec<DeviceProfile> {
        vec![
            DeviceProfile::h200(),
            DeviceProfile::a100(),
            DeviceProfile::rtx4090(),
            DeviceProfile::t4(),
        ]
    }

    /// How many blocks of this many threads and bytes of shared memory a multiprocessor holds at a
    /// time; at least one. Registers are not counted, nor the 1 KiB of shared memory that recent
    /// devices keep for themselves with each block.
    ///
    /// ```
    /// use warpsim_engine::machine::DeviceProfile;
    ///
    /// let gpu = DeviceProfile::h200();
    /// assert_eq!(gpu.resident_on_one(32, 0), 32);
    /// assert_eq!(gpu.resident_on_one(1024, 0), 2);
    /// assert_eq!(gpu.resident_on_one(32, 100 << 10), 2);
    /// ```
    pub fn resident_on_one(&self, threads: u32, shared_bytes: u32) -> u32 {
        let threads = threads.div_ceil(32).max(1).saturating_mul(32);
        let by_threads = self.threads_per_multiprocessor / threads;
        let by_shared = self.shared_per_multiprocessor.checked_div(shared_bytes);
        let most = self.blocks_per_multiprocessor;
        most.min(by_threads).min(by_shared.unwrap_or(u32::MAX)).max(1)
    }
}

impl Default for DeviceProfile {
    fn default() -> DeviceProfile {
        DeviceProfile::h200()
    }
}

/// What shared memory holds when a block starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SharedInit {
    /// Zeros.
    #[default]
    Zero,
    /// 0xa5 in every byte: a conspicuous value.
    Poison,
    /// Random bytes from this seed (ChaCha8; block b draws from stream b).
    Random(u64),
    /// The contents that the last block on that multiprocessor left, as hardware does; zeros before
    /// the first.
    Leftover,
}

/// The execution model of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// One program counter per lane (Volta and later).
    #[default]
    Independent,
    /// One program counter per warp, with a reconvergence stack (before Volta).
    Lockstep,
}

impl Model {
    /// The name in options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Model::Independent => "independent",
            Model::Lockstep => "lockstep",
        }
    }
}
