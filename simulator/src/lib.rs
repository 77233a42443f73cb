//! warpsim: a CPU-side SIMT warp simulator.

pub mod ptx;
