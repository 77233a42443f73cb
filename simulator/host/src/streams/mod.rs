//! Streams, events, asynchronous copies, and what they order (CUDA driver API, "Stream Management",
//! "Event Management" and "Stream synchronization behavior"; PTX ISA 8.9.4).
//!
//! [`timelines`] keeps the clocks that show which operation happens before another. [`queue`] holds
//! what was issued. [`pending`] holds what was not carried out, and its order, which the clocks
//! allow ([`StreamOrder`]). [`outstanding`] holds what the host has not waited for.
//!
//! Deviations:
//! - Operations run one at a time; see [`perform`].
//! - `upload_async` takes its bytes when it is issued, as CUDA does from pageable memory. Copies
//!   from page-locked memory, which read their bytes when they happen, are in [`page_locked`].
//! - `free` waits for nothing. CUDA's programming guide says that freeing memory may make the whole
//!   device wait. Its reference promises nothing, so a free of memory in use by operations that
//!   nobody waited for is refused.
//! - There is one host thread.

mod actions;
mod handles;
mod ledger;
mod lifetimes;
mod outstanding;
mod page_locked;
mod pending;
mod perform;
mod queue;
#[cfg(test)]
mod tests;
mod timelines;
mod watched;

pub use actions::Action;
pub use handles::{Download, Ended, Event, LaunchHandle, Stream, StreamKind, StreamOrder};
pub use ledger::StreamLedger;
pub(super) use queue::Queue;
#[cfg(test)]
use timelines::Timelines;
pub use watched::Watched;

/// The examples of the book's chapter.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/streams.md")]
struct Chapter;
