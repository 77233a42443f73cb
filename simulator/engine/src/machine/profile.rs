//! The device profile: the numbers of a GPU that a program can notice.
//!
//! It decides `%smid`, what `leftover` shared memory means, which blocks are resident together and
//! so can wait for each other, and which launches are impossible. It is part of a launch and of
//! every replay.

/// The limits of a GPU (CUDA C++ Programming Guide, "Compute Capabilities").
///
/// Another one is made by changing one that there is:
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
    /// What `--device` calls it.
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
    /// Bytes of global memory.
    pub global_memory: u64,
}

impl DeviceProfile {
    /// The most that a limit can be. A launch keeps an entry for each block that can be resident,
    /// and a million of them is some hundred times what any GPU has. A block has as many threads as
    /// CUDA allows, which analyses rely on, and its shared memory lies in its window of generic
    /// addresses.
    pub const MOST: DeviceProfile = DeviceProfile {
        name: String::new(),
        multiprocessors: 1 << 14,
        blocks_per_multiprocessor: 64,
        threads_per_multiprocessor: 64 << 10,
        threads_per_block: 1024,
        shared_per_multiprocessor: 64 << 24,
        shared_per_block: 1 << 24,
        global_memory: 1 << 48,
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
            global_memory: 141 << 30,
        }
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
    /// 0xa5 in every byte: a value that stands out.
    Poison,
    /// Random bytes from this seed (ChaCha8; block b draws from stream b).
    Random(u64),
    /// What the last block on that multiprocessor left there, as hardware does; zeros before the
    /// first.
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
