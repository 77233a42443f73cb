//! warpsim: a CPU-side SIMT warp simulator.

pub mod isa;
pub mod machine;
pub mod ptx;
