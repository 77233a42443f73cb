//! The attributes of the device: one table, from the device profile (CUDA driver API, "Device
//! Management", `CUdevice_attribute`).
//!
//! The profile lacks some values (clocks, caches, textures, registers). They are from CUDA's
//! documentation for the device with that compute capability. Programs print them and size buffers
//! by them; the simulator reads none of them. Features that the library does not have are reported
//! as absent, so a program that asks takes another way.

use warpsim::host::DeviceProfile;

/// Registers of a multiprocessor and of a block: the same on all devices that there are profiles
/// of.
const REGISTERS: u32 = 65_536;

/// The facts about a device that its profile does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    capability: (u32, u32),
    /// kHz.
    clock: u32,
    memory_clock: u32,
    /// Bits.
    bus: u32,
    /// Bytes.
    l2: u32,
    /// Additions or multiplications that a multiprocessor starts in a cycle: of halves, singles and
    /// doubles (CUDA C++ Programming Guide, "Arithmetic Instructions").
    arithmetic: [u32; 3],
}

/// The most that a device can do in a second, by its data sheet. The simulator itself has no clock.
///
/// ```
/// use warpsim::host::DeviceProfile;
/// use warpsim_driver_core::Peaks;
///
/// let peaks = Peaks::of(&DeviceProfile::h200());
/// // 132 multiprocessors, 128 fused operations a cycle, 1.98 GHz.
/// assert_eq!(peaks.fp32, 66_908_160_000_000);
/// assert_eq!(peaks.bytes, 4_916_736_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Peaks {
    /// Operations on halves without tensor cores; a fused one is two.
    pub fp16: u64,
    /// Operations on singles.
    pub fp32: u64,
    /// Operations on doubles.
    pub fp64: u64,
    /// Bytes of global memory.
    pub bytes: u64,
}

impl Peaks {
    /// Those of a device.
    pub fn of(profile: &DeviceProfile) -> Peaks {
        let Facts { clock, memory_clock, bus, arithmetic, .. } = facts(profile);
        let cycles = u64::from(profile.multiprocessors) * u64::from(clock) * 1000;
        let [fp16, fp32, fp64] = arithmetic.map(|results| 2 * u64::from(results) * cycles);
        // Two transfers a cycle.
        let bytes = 2 * u64::from(memory_clock) * 1000 * u64::from(bus / 8);
        Peaks { fp16, fp32, fp64, bytes }
    }
}

/// A profile without one of these names counts as an H200.
fn facts(profile: &DeviceProfile) -> Facts {
    match profile.name.as_str() {
        "a100" => Facts {
            capability: (8, 0),
            clock: 1_410_000,
            memory_clock: 1_593_000,
            bus: 5120,
            l2: 40 << 20,
            arithmetic: [256, 64, 32],
        },
        "rtx4090" => Facts {
            capability: (8, 9),
            clock: 2_520_000,
            memory_clock: 10_501_000,
            bus: 384,
            l2: 72 << 20,
            arithmetic: [128, 128, 2],
        },
        "t4" => Facts {
            capability: (7, 5),
            clock: 1_590_000,
            memory_clock: 5_001_000,
            bus: 256,
            l2: 4 << 20,
            arithmetic: [128, 64, 2],
        },
        // An H200, or a device with none of these names.
        _ => Facts {
            capability: (9, 0),
            clock: 1_980_000,
            memory_clock: 3_201_000,
            bus: 6144,
            l2: 50 << 20,
            arithmetic: [256, 128, 64],
        },
    }
}

/// Major and minor.
pub(crate) fn capability(profile: &DeviceProfile) -> (u32, u32) {
    facts(profile).capability
}

/// The most dynamic shared memory of a launch that asked for no more: 48 KiB, on every device.
pub(crate) const SHARED_WITHOUT_ASKING: u32 = 48 << 10;

macro_rules! attributes {
    (|$profile:ident, $facts:ident| $($number:literal $name:ident = $value:expr;)*) => {
        /// The attribute with this number; `None` where there is none.
        pub(crate) fn attribute(number: u32, $profile: &DeviceProfile) -> Option<i32> {
            let $facts = facts($profile);
            let value: u32 = match number {
                $($number => $value,)*
                _ => return None,
            };
            // No figure of a device is as large as that; where one were, the largest is nearest.
            Some(i32::try_from(value).unwrap_or(i32::MAX))
        }

        /// The names in `cuda.h`, without their common beginning, and the numbers.
        #[cfg(test)]
        const NAMES: &[(&str, u32)] = &[$((stringify!($name), $number)),*];
    };
}

attributes! { |p, f|
    1 MAX_THREADS_PER_BLOCK = p.threads_per_block;
    2 MAX_BLOCK_DIM_X = 1024;
    3 MAX_BLOCK_DIM_Y = 1024;
    4 MAX_BLOCK_DIM_Z = 64;
    5 MAX_GRID_DIM_X = (1 << 31) - 1;
    6 MAX_GRID_DIM_Y = 65_535;
    7 MAX_GRID_DIM_Z = 65_535;
    8 MAX_SHARED_MEMORY_PER_BLOCK = SHARED_WITHOUT_ASKING.min(p.shared_per_block);
    9 TOTAL_CONSTANT_MEMORY = 1 << 16;
    10 WARP_SIZE = 32;
    11 MAX_PITCH = (1 << 31) - 1;
    12 MAX_REGISTERS_PER_BLOCK = REGISTERS;
    13 CLOCK_RATE = f.clock;
    14 TEXTURE_ALIGNMENT = 512;
    15 GPU_OVERLAP = 1;
    16 MULTIPROCESSOR_COUNT = p.multiprocessors;
    17 KERNEL_EXEC_TIMEOUT = 0;
    18 INTEGRATED = 0;
    19 CAN_MAP_HOST_MEMORY = 1;
    20 COMPUTE_MODE = 0;
    21 MAXIMUM_TEXTURE1D_WIDTH = 131_072;
    22 MAXIMUM_TEXTURE2D_WIDTH = 131_072;
    23 MAXIMUM_TEXTURE2D_HEIGHT = 65_536;
    24 MAXIMUM_TEXTURE3D_WIDTH = 16_384;
    25 MAXIMUM_TEXTURE3D_HEIGHT = 16_384;
    26 MAXIMUM_TEXTURE3D_DEPTH = 16_384;
    27 MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 32_768;
    28 MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 32_768;
    29 MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 2048;
    30 SURFACE_ALIGNMENT = 512;
    31 CONCURRENT_KERNELS = 1;
    32 ECC_ENABLED = 0;
    33 PCI_BUS_ID = 1;
    34 PCI_DEVICE_ID = 0;
    35 TCC_DRIVER = 0;
    36 MEMORY_CLOCK_RATE = f.memory_clock;
    37 GLOBAL_MEMORY_BUS_WIDTH = f.bus;
    38 L2_CACHE_SIZE = f.l2;
    39 MAX_THREADS_PER_MULTIPROCESSOR = p.threads_per_multiprocessor;
    40 ASYNC_ENGINE_COUNT = 3;
    41 UNIFIED_ADDRESSING = 1;
    42 MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 32_768;
    43 MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 2048;
    44 CAN_TEX2D_GATHER = 0;
    45 MAXIMUM_TEXTURE2D_GATHER_WIDTH = 32_768;
    46 MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 32_768;
    47 MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 8192;
    48 MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 8192;
    49 MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 32_768;
    50 PCI_DOMAIN_ID = 0;
    51 TEXTURE_PITCH_ALIGNMENT = 32;
    52 MAXIMUM_TEXTURECUBEMAP_WIDTH = 32_768;
    53 MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 32_768;
    54 MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 2046;
    55 MAXIMUM_SURFACE1D_WIDTH = 32_768;
    56 MAXIMUM_SURFACE2D_WIDTH = 131_072;
    57 MAXIMUM_SURFACE2D_HEIGHT = 65_536;
    58 MAXIMUM_SURFACE3D_WIDTH = 16_384;
    59 MAXIMUM_SURFACE3D_HEIGHT = 16_384;
    60 MAXIMUM_SURFACE3D_DEPTH = 16_384;
    61 MAXIMUM_SURFACE1D_LAYERED_WIDTH = 32_768;
    62 MAXIMUM_SURFACE1D_LAYERED_LAYERS = 2048;
    63 MAXIMUM_SURFACE2D_LAYERED_WIDTH = 32_768;
    64 MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 32_768;
    65 MAXIMUM_SURFACE2D_LAYERED_LAYERS = 2048;
    66 MAXIMUM_SURFACECUBEMAP_WIDTH = 32_768;
    67 MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 32_768;
    68 MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 2046;
    69 MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 1 << 28;
    70 MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 131_072;
    71 MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 65_000;
    72 MAXIMUM_TEXTURE2D_LINEAR_PITCH = 2_097_120;
    73 MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 32_768;
    74 MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 32_768;
    75 COMPUTE_CAPABILITY_MAJOR = f.capability.0;
    76 COMPUTE_CAPABILITY_MINOR = f.capability.1;
    77 MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 32_768;
    78 STREAM_PRIORITIES_SUPPORTED = 1;
    79 GLOBAL_L1_CACHE_SUPPORTED = 1;
    80 LOCAL_L1_CACHE_SUPPORTED = 1;
    81 MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = p.shared_per_multiprocessor;
    82 MAX_REGISTERS_PER_MULTIPROCESSOR = REGISTERS;
    83 MANAGED_MEMORY = 1;
    84 MULTI_GPU_BOARD = 0;
    85 MULTI_GPU_BOARD_GROUP_ID = 0;
    86 HOST_NATIVE_ATOMIC_SUPPORTED = 0;
    87 SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 2;
    88 PAGEABLE_MEMORY_ACCESS = 0;
    89 CONCURRENT_MANAGED_ACCESS = 0;
    90 COMPUTE_PREEMPTION_SUPPORTED = 1;
    91 CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 0;
    92 CAN_USE_STREAM_MEM_OPS_V1 = 0;
    93 CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 0;
    94 CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 0;
    95 COOPERATIVE_LAUNCH = 1;
    96 COOPERATIVE_MULTI_DEVICE_LAUNCH = 0;
    97 MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = p.shared_per_block;
    98 CAN_FLUSH_REMOTE_WRITES = 0;
    99 HOST_REGISTER_SUPPORTED = 1;
    100 PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 0;
    101 DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 0;
    102 VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 1;
    103 HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 0;
    104 HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 0;
    105 HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 0;
    106 MAX_BLOCKS_PER_MULTIPROCESSOR = p.blocks_per_multiprocessor;
    107 GENERIC_COMPRESSION_SUPPORTED = 0;
    108 MAX_PERSISTING_L2_CACHE_SIZE = 0;
    109 MAX_ACCESS_POLICY_WINDOW_SIZE = 0;
    110 GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 0;
    111 RESERVED_SHARED_MEMORY_PER_BLOCK = p.reserved_shared;
    112 SPARSE_CUDA_ARRAY_SUPPORTED = 0;
    113 READ_ONLY_HOST_REGISTER_SUPPORTED = 0;
    114 TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 0;
    115 MEMORY_POOLS_SUPPORTED = 1;
    116 GPU_DIRECT_RDMA_SUPPORTED = 0;
    117 GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 0;
    118 GPU_DIRECT_RDMA_WRITES_ORDERING = 0;
    119 MEMPOOL_SUPPORTED_HANDLE_TYPES = 0;
    120 CLUSTER_LAUNCH = 0;
    121 DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 0;
    122 CAN_USE_64_BIT_STREAM_MEM_OPS = 0;
    123 CAN_USE_STREAM_WAIT_VALUE_NOR = 0;
    124 DMA_BUF_SUPPORTED = 0;
    125 IPC_EVENT_SUPPORTED = 0;
    126 MEM_SYNC_DOMAIN_COUNT = 1;
    127 TENSOR_MAP_ACCESS_SUPPORTED = 0;
    128 HANDLE_TYPE_FABRIC_SUPPORTED = 0;
    129 UNIFIED_FUNCTION_POINTERS = 0;
    130 NUMA_CONFIG = 0;
    131 NUMA_ID = 0;
    132 MULTICAST_SUPPORTED = 0;
    133 MPS_ENABLED = 0;
    134 HOST_NUMA_ID = 0;
    135 D3D12_CIG_SUPPORTED = 0;
    136 MEM_DECOMPRESS_ALGORITHM_MASK = 0;
    137 MEM_DECOMPRESS_MAXIMUM_LENGTH = 0;
    138 VULKAN_CIG_SUPPORTED = 0;
    139 GPU_PCI_DEVICE_ID = 0;
    140 GPU_PCI_SUBSYSTEM_ID = 0;
    141 HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 0;
    142 HOST_NUMA_MEMORY_POOLS_SUPPORTED = 0;
    143 HOST_NUMA_MULTINODE_IPC_SUPPORTED = 0;
    144 HOST_MEMORY_POOLS_SUPPORTED = 0;
    145 HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 0;
    146 HOST_ALLOC_DMA_BUF_SUPPORTED = 0;
    147 ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 0;
    148 ATOMIC_REDUCTION_SUPPORTED = 0;
    149 LOCALITY_DOMAIN_COUNT = 0;
    150 MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK = 0;
    151 D3D12_CIG_STREAMS_SUPPORTED = 0;
    152 DMA_BUF_MMAP_SUPPORTED = 0;
    153 LOGICAL_ENDPOINT_UNICAST_SUPPORTED = 0;
    154 LOGICAL_ENDPOINT_MULTICAST_SUPPORTED = 0;
    155 LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED = 0;
    156 LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED = 0;
    157 LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT = 0;
    158 LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES = 0;
    159 VULKAN_CIG_STREAMS_SUPPORTED = 0;
    160 TENSOR_MAP_LARGE_TENSOR_MIN_SIZE = 0;
    161 GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last attribute in `cuda.h` of CUDA 13.
    const LAST: u32 = 161;

    /// Numbers without an attribute there.
    const GAPS: &[u32] = &[];

    #[test]
    fn attributes_come_from_the_profile_and_what_is_no_attribute_is_none() {
        let small = {
            let mut profile = DeviceProfile::a100();
            profile.multiprocessors = 3;
            profile
        };
        let number = |name: &str| NAMES.iter().find(|(n, _)| *n == name).unwrap().1;
        let of = |name: &str| attribute(number(name), &small);
        assert_eq!(of("MULTIPROCESSOR_COUNT"), Some(3));
        assert_eq!(of("COMPUTE_CAPABILITY_MAJOR"), Some(8));
        assert_eq!(of("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"), Some(163 << 10));
        assert_eq!(of("MAXIMUM_TEXTURE1D_LINEAR_WIDTH"), Some(1 << 28));
        assert_eq!(attribute(100_000, &small), None);
    }

    /// NVIDIA's runtime asks for nearly all of them before it does anything, and gives up if one is
    /// missing.
    #[test]
    fn there_is_every_attribute_of_cuda_h() {
        let missing: Vec<u32> =
            (1..=LAST).filter(|n| attribute(*n, &DeviceProfile::h200()).is_none()).collect();
        // Numbers that no attribute has.
        assert_eq!(missing, GAPS);
    }

    #[test]
    fn every_profile_has_a_compute_capability_of_its_own() {
        let capabilities: Vec<_> = DeviceProfile::all().iter().map(capability).collect();
        assert_eq!(capabilities, [(9, 0), (8, 0), (8, 9), (7, 5)]);
    }
}
