//! What the CUDA driver API does, over the simulated GPU (CUDA driver API reference, NVIDIA,
//! versions 12 and 13).
//!
//! A [`Driver`] is what a process has of it: devices, contexts, modules, memory, streams and
//! events, by handles that are numbers and never addresses, so that a handle that dangles is an
//! error like any other. [`Driver::enter`] makes a [`Call`], which holds the lock of all that: one
//! call at a time. What a thread has for itself (its contexts, its default stream) is a [`Caller`].
//!
//! | module | what it holds |
//! |---|---|
//! | `error`, `attributes` | tables: results and their words; what the device says of itself |
//! | `options`, `chosen` | what `warpsim exec` says to the program, which launches are checked |
//! | `journal`, `ledger` | what comes back: what was found, and how far each process came |
//! | `host` | what the core needs of the process around it |
//! | `failures`, `reasons` | calls that failed and that the program did not look at; why calls fail |
//! | `state`, `contexts` | handles, who holds what, errors that stay |
//! | `image`, `modules`, `functions`, `linker` | PTX in its containers; kernels, variables, occupancy |
//! | `jitlink` | the linker of another library, nvJitLink |
//! | `memory`, `places`, `copies`, `mapped`, `pools` | allocations; what an address is; copies; memory that host and device share |
//! | `mirror` | memory of the device that a framework works on, on the CPU |
//! | `own_memory` | kernels that run in the program's own memory |
//! | `advice` | what was advised of managed memory |
//! | `lives` | where memory was allocated and freed |
//! | `arrays`, `mipmaps` | arrays, also of several levels; textures and surfaces |
//! | `virtual_memory` | memory apart from its addresses |
//! | `streams`, `launches` | streams, events, launches and how they ended |
//! | `launch_attributes` | attributes of streams and of kernels' nodes |
//! | `library` | operations of other libraries |
//! | `orders` | races between operations that nothing puts in order |
//! | `graphs` | graphs, their instances and launches, streams that are captured |
//!
//! It must not know: C, pointers of the host as anything but numbers, environment variables, files,
//! the command.
//!
//! Deviations from hardware:
//! - An operation is carried out when it is issued. What it came to (a fault, printed text) shows
//!   when the program next waits for it, as on hardware. A kernel that waits for the host to write
//!   something never ends.
//! - The time between two events is that of this process: what the simulator took.
//! - Memory that host and device share is copied between the two before and after each operation,
//!   byte by byte where one side has changed it: the host sees what a kernel wrote when the kernel
//!   is over, not while it runs.

mod advice;
mod arrays;
mod attributes;
mod chosen;
mod contexts;
mod copies;
mod error;
mod failures;
mod functions;
mod graphs;
mod host;
mod image;
mod jitlink;
mod journal;
mod launch_attributes;
mod launches;
mod ledger;
mod library;
mod linker;
mod lives;
mod mapped;
mod memory;
mod mipmaps;
mod mirror;
mod modules;
mod options;
mod orders;
mod own_memory;
mod places;
mod pools;
mod reasons;
mod state;
mod streams;
#[cfg(test)]
mod tests;
mod virtual_memory;

pub use advice::{Place, RangeFacts};
pub use arrays::{ArrayShape, Resource};
pub use chosen::{Budget, Choice};
pub use contexts::ContextFlags;
pub use copies::{Block, Spot};
pub use error::CudaError;
pub use failures::{FailedCall, Unread, is_answer};
pub use functions::FunctionAttribute;
pub use graphs::capturing::{CaptureFacts, CaptureMode};
pub use graphs::conditions::{ConditionKind, Conditional};
pub use graphs::instances::UpdateResult;
pub use graphs::memory::GraphMemory;
pub use graphs::running::GraphRun;
pub use graphs::{GraphTask, HostCall, NodeKind, SetRequest};
pub use host::{Host, Site};
pub use image::{
    CONTAINER, CONTAINER_HEADER, ELF, FAT_BINARY, FAT_HEADER, ImageError, WRAPPER,
    bytes_of_container, bytes_of_fat_binary, container, fat_binary, texts,
};
pub use jitlink::{Compiler, JitLinkError, JitLinkInput, JitLinker};
pub use journal::{Entry, FailedEntry, LaunchEntry, Leaked, Unreadable, Unsupported};
pub use launch_attributes::LaunchAttributeId;
pub use launches::{LaunchRequest, ParameterPlace};
pub use ledger::{Done, LEDGER_OVER, LEDGER_WORDS, Ledger, Note, Row, Stage, Standing, is_over};
pub use library::{LibraryMemory, LibraryTask, LibraryWork};
pub use memory::{PointerFacts, PointerKind};
pub use mirror::{HostWork, Stretch};
pub use modules::LoadError;
pub use options::{DEVICE_MEMORY, DEVICE_MEMORY_END, Options, Profile, Shared, VARIABLE};
pub use own_memory::{Mapping, OwnMemoryError, OwnMemoryRun};
pub use reasons::Reason;
pub use state::{Call, Caller, Driver};
pub use streams::DefaultStream;
pub use virtual_memory::{Access, GRANULARITY};

/// The name of a function as its source has it.
pub use warpsim::names::readable;

pub use warpsim::element::ElementType;
pub use warpsim::host::{AddressMode, Sampler};

/// A handle, as the program has it: a number that looks like an address and is none.
pub type Handle = u64;

/// What a call gives, or why it does not.
pub type Answer<T> = Result<T, CudaError>;
