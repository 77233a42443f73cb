//! Observers of a run, and what they find.
//!
//! Each folder is an analysis: it implements [`observe::Observer`], keeps what it saw, and says
//! afterwards what was wrong. [`check`] combines those that watch a checked launch.
//!
//! This crate must not know how a machine executes, which schedule runs or what host code does.

mod aliases;
mod bank_conflicts;
pub mod check;
pub mod convergence;
#[cfg(test)]
mod gathered;
mod last_writer;
mod overruns;
pub mod races;
mod statistics;
mod tasks;
mod trace;
pub mod uninitialized;
mod values;

use warpsim_engine::{lower, report};
use warpsim_language::{element, graph, lanes, passes, ptx};

/// Who watches: the trait, and the observers that come with warpsim.
pub mod observe {
    pub use warpsim_engine::observe::*;

    pub use crate::last_writer::LastWriter;
    pub use crate::statistics::{
        AccessName, Advice, AdviceKind, Class, Contention, Floating, LastLaunch, Limit, LineUse,
        MemoryOperation, Metric, MetricValue, Occupancy, Passes, Pattern, Precision, SECTOR,
        Sectors, Statistics, Totals, Usage, WarpRequest,
    };
    pub use crate::tasks::{TaskRace, TaskRaces};
    pub use crate::trace::{Mark, Pending, Step, Touch, Trace, TraceStream, lane_list};
    pub use crate::uninitialized::Uninitialized;
    pub use crate::values::{Values, format_bits, width};
    pub use crate::{convergence, races, uninitialized};
}
