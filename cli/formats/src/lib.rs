//! What launches are given and what they give, as text and as JSON.
//!
//! The `warpsim` command, its driver library and the playground share it. It must not know a
//! command line, a terminal or a page.
//!
//! | module | what it does |
//! |---|---|
//! | [`spec`] | what `--arg` and `--global` mean |
//! | [`arguments`] | specifications become buffers on a device and parameter bytes |
//! | [`suggestion`] | arguments for a kernel by its PTX |
//! | [`json`] | JSON without characters that a terminal obeys |
//! | [`findings`] | findings as rows of JSON |
//! | [`shared`] | variables of shared memory |
//! | [`steps`], [`compact`] | a step of a trace as a row of JSON; the same with less text |
//! | [`traced`] | a launch that was traced, with what its page shows |

pub mod arguments;
pub mod compact;
pub mod findings;
pub mod json;
pub mod shared;
pub mod spec;
pub mod steps;
pub mod suggestion;
pub mod traced;
