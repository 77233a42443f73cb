//! The behaviour of the CUDA driver API, over the simulated GPU (CUDA driver API reference, NVIDIA,
//! versions 12 and 13).
//!
//! A [`Driver`] is the state of a process: devices, contexts, modules, memory, streams and events,
//! by handles. Handles are numbers and never addresses, so a dangling handle is an error like any
//! other. [`Driver::enter`] makes a [`Call`], which holds the lock of all that: one call at a time.
//! A [`Caller`] is the state of a thread (its contexts, its default stream).
//!
//! | module | what it holds |
//! |---|---|
//! | `error`, `attributes` | tables: results and their words; the attributes of the device |
//! | `options`, `chosen` | the options of `warpsim exec` for the program; which launches are checked and counted |
//! | `journal`, `ledger` | what comes back: findings, and the progress of each process |
//! | `host` | the services that the core needs from its process |
//! | `counted`; `spans`, `timed` | how kernels use the machine; when operations were carried out |
//! | `debugged`, `traced` | launches that a person steps through; those that the report's page shows |
//! | `failures`, `reasons` | failed calls that the program did not look at; why calls fail |
//! | `state`, `contexts` | handles, their owners, errors that stay |
//! | `image`, `modules`, `functions`, `linker` | PTX in its containers; kernels, variables, occupancy |
//! | `jitlink` | the linker of another library, nvJitLink |
//! | `memory`, `places`, `copies`, `mapped`, `pools` | allocations; the memory at an address; copies; memory that host and device share |
//! | `mirror` | memory of the device that a framework works on, on the CPU |
//! | `own_memory` | kernels that run in the program's own memory |
//! | `advice` | advice about managed memory |
//! | `lives` | where memory was allocated and freed |
//! | `arrays`, `mipmaps` | arrays, also of several levels; textures and surfaces |
//! | `virtual_memory` | memory whose addresses are managed separately |
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
//! - An operation is carried out when it is issued. Its result (a fault, printed text) shows when
//!   the program next waits for it, as on hardware. A kernel that waits for the host to write
//!   something never ends.
//! - The time between two events is the time of this process: what the simulator took.
//! - Memory that host and device share is copied between the two before and after each operation,
//!   byte by byte where one side has changed it. The host sees a kernel's writes when the kernel is
//!   over, not while it runs.

mod attributes;
mod chosen;
mod code;
mod contexts;
mod copies;
mod debugged;
mod error;
mod graphs;
mod host;
mod launch_attributes;
mod launches;
mod library;
mod mirror;
mod options;
mod orders;
mod reasons;
mod spaces;
mod state;
mod streams;
#[cfg(test)]
mod tests;
mod timed;
mod told;
mod traced;

pub use attributes::Peaks;
pub use chosen::{Budget, Choice};
pub use code::functions::FunctionAttribute;
pub use code::image::{
    CONTAINER, CONTAINER_HEADER, ELF, FAT_BINARY, FAT_HEADER, ImageError, WRAPPER,
    bytes_of_container, bytes_of_fat_binary, container, fat_binary, texts,
};
pub use code::jitlink::{Compiler, JitLinkError, JitLinkInput, JitLinker};
pub use code::modules::LoadError;
pub use contexts::ContextFlags;
pub use copies::{Block, Spot};
pub use error::CudaError;
pub use graphs::capturing::{CaptureFacts, CaptureMode};
pub use graphs::conditions::{ConditionKind, Conditional};
pub use graphs::instances::UpdateResult;
pub use graphs::memory::GraphMemory;
pub use graphs::running::GraphRun;
pub use graphs::{GraphTask, HostCall, NodeKind, SetRequest};
pub use host::{DebuggedLaunch, Host, LaunchToTrace, Site};
pub use launch_attributes::LaunchAttributeId;
pub use launches::{LaunchRequest, ParameterPlace};
pub use library::{LibraryMemory, LibraryTask, LibraryWork};
pub use mirror::{HostWork, Stretch};
pub use options::{DEVICE_MEMORY, DEVICE_MEMORY_END, Debugged, Options, Profile, Shared, VARIABLE};
pub use reasons::Reason;
pub use spaces::advice::{Place, RangeFacts};
pub use spaces::arrays::{ArrayShape, Resource};
pub use spaces::memory::{PointerFacts, PointerKind};
pub use spaces::own_memory::{Mapping, OwnMemoryError, OwnMemoryRun};
pub use spaces::virtual_memory::{Access, GRANULARITY};
pub use state::{Call, Caller, Driver};
pub use streams::DefaultStream;
pub use told::failures::{FailedCall, Unread, is_answer};
pub use told::journal::{
    CountsEntry, Entry, FailedEntry, LaunchEntry, Leaked, Unreadable, Unsupported,
};
pub use told::ledger::{
    Done, LEDGER_OVER, LEDGER_WORDS, Ledger, Note, Row, Stage, Standing, is_over,
};
pub use told::spans::{Moment, SpanEntry, SpanTask};

/// The name of a function as in its source.
pub use warpsim::names::readable;

pub use warpsim::element::ElementType;
pub use warpsim::host::{AddressMode, Sampler};

/// A handle, in the program's form: a number that looks like an address and is none.
pub type Handle = u64;

/// The result of a call, or why there is none.
pub type Answer<T> = Result<T, CudaError>;
