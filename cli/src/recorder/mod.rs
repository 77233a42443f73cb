//! Records the results of a GPU for the launch of a command line, and replays the launch.
//!
//! [`Recorder`] runs launches on one GPU, one after the other, and keeps their results as
//! [`Run`](warpsim_gpu::recording::Run)s. [`replay`] does the same launch on the simulator and
//! compares, as `warpsim compare` does. Both take launches in the words of the command's options,
//! so a recording reads like a command line.

mod made;
mod recorded;
mod replayed;
mod submission;

pub use made::Recorder;
pub(crate) use recorded::FromRecording;
pub(crate) use replayed::digests_that_differ;
pub use replayed::{Replayed, Search, replay};
pub use submission::ints;
pub(crate) use submission::{in_two_words, options, parse, simulated_options, submission};
