//! Memory of the device and of the program: allocations, arrays, mapped ranges, pools, copies (CUDA
//! driver API, "Memory Management", "Virtual Memory Management", "Unified Addressing").

pub(super) mod advice;
pub(super) mod arrays;
pub(super) mod lives;
pub(super) mod mapped;
pub(super) mod memory;
pub(super) mod mipmaps;
pub(super) mod own_memory;
pub(super) mod places;
pub(super) mod pools;
pub(super) mod virtual_memory;
