//! The history of a warp's turns. [`crate::machine::progress`] uses it to detect endless
//! repetition.
//!
//! Data and its bookkeeping. Its only decision is how long a part waits.

pub(in crate::machine) mod local_loop;
pub(in crate::machine) mod patience;
pub(in crate::machine) mod poll_loop;
pub(in crate::machine) mod spinning;
