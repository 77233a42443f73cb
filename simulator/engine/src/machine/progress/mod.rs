//! Detects that nothing moves any more, or that a state repeats for ever.
//!
//! - [`local_loop`]: one warp repeats without visible effects.
//! - [`poll_loop`]: all threads of a block ask for a phase that no thread completes.
//! - [`spinning`]: lanes read words repeatedly until one changes; schedules let others go first.
//! - [`patience`]: how long the parts of a warp wait for those behind them.
//! - [`recurrence`]: the state of the whole grid repeats.
//! - [`stall`]: who waits for whom, for the report.
//! - [`meter`] and [`pulse`]: the run reports its progress, and can be ended from outside.
//!
//! These files examine the state and judge it. They execute nothing.

pub(super) mod local_loop;
pub(super) mod meter;
pub(super) mod patience;
pub(super) mod poll_loop;
pub(super) mod pulse;
pub(super) mod recurrence;
pub(super) mod spinning;
pub(super) mod stall;

// For the meter: a test replaces them by loom's.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
