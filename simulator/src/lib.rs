//! warpsim: a CPU-side SIMT warp simulator.

pub mod diagnostics;
pub mod host;
pub mod isa;
pub mod lower;
pub mod machine;
pub mod observe;
pub mod passes;
pub mod ptx;
pub mod report;
pub mod schedule;
pub mod step;
