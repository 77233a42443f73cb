//! Where a module's variables and functions are: the facts about a loaded module, and its device,
//! that lowering needs.

use std::collections::HashMap;
use std::sync::Arc;

/// Addresses of a loaded module's symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// `.global` variables: name to generic (= global) address.
    pub globals: HashMap<Arc<str>, u64>,
    /// `.const` variables: name to offset in constant memory.
    pub constants: HashMap<Arc<str>, u64>,
    /// Functions: name to the address that taking the function's address gives.
    pub functions: HashMap<Arc<str>, u64>,
    /// Bytes of shared memory that the system takes from each block, for kernels that read their
    /// place.
    pub reserved_shared: u32,
    /// Launches by kernels are carried out; otherwise kernels that ask for them are refused.
    pub device_launches: bool,
}

/// The windows of the other state spaces in the generic address space. Addresses below 16 MiB from
/// a window's start belong to it; every other generic address is global.
pub mod window {
    /// Size of each window in bytes.
    pub const SIZE: u64 = 1 << 24;
    /// Shared memory of the thread's own block.
    pub const SHARED: u64 = 0x7f10_0000_0000;
    /// Local memory of the thread itself.
    pub const LOCAL: u64 = 0x7f20_0000_0000;
    /// Constant memory.
    pub const CONST: u64 = 0x7f30_0000_0000;
    /// Parameters.
    pub const PARAM: u64 = 0x7f31_0000_0000;
    /// Where a kernel's parameters begin in the `.param` space, for addresses in registers. The
    /// parameters of functions lie below it. The address of one is the place of its copy in local
    /// memory (PTX ISA 9.7.9.4), and no local memory reaches this far.
    pub const KERNEL_PARAM: u64 = SIZE / 2;
    /// Function addresses; not memory.
    pub const CODE: u64 = 0x7f32_0000_0000;
    /// Where global allocations begin.
    pub const GLOBAL: u64 = 0x7f40_0000_0000;

    /// Whether an address of these belongs to one of the windows, so that no global memory can lie
    /// there.
    ///
    /// ```
    /// use warpsim_engine::lower::window;
    ///
    /// assert!(window::overlaps(window::SHARED - 1, window::SHARED + 1));
    /// assert!(!window::overlaps(window::SHARED - 8, window::SHARED));
    /// ```
    pub fn overlaps(first: u64, end: u64) -> bool {
        let starts = [SHARED, LOCAL, CONST, PARAM, CODE];
        starts.into_iter().any(|start| first < start + SIZE && start < end)
    }
}
