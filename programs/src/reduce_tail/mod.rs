//! The sum of any number of ints, the last six steps of each block by one warp, without a barrier.
//!
//! An old trick trusts the lanes of the last warp to move together. It needs `volatile` to survive
//! a compiler, and even that does not make it sound since lanes can diverge. Today `__syncwarp()`,
//! shuffles, or one reduction of the warp save the same work without that trust.

use crate::program::{ANY, Inputs, Length, Program, Soundness, Told, Variant};
use crate::reduce;
use crate::texts::{compiled, cuda};

/// The program.
pub static PROGRAM: Program = Program {
    name: "reduce-tail",
    summary: "the sum of any number of ints, the last six steps by one warp",
    source: cuda!("reduce_tail"),
    ptx: compiled!("reduce_tail"),
    variants: &[
        Variant {
            name: "plain",
            kernel: "reduce_tail_plain",
            soundness: Soundness::AsWritten,
            note: "the last steps through a plain pointer",
        },
        Variant {
            name: "volatile",
            kernel: "reduce_tail_volatile",
            soundness: Soundness::WarpSynchronous,
            note: "the last steps through a volatile pointer",
        },
        Variant {
            name: "syncwarp",
            kernel: "reduce_tail_syncwarp",
            soundness: Soundness::Synchronised,
            note: "the last steps with __syncwarp()",
        },
        Variant {
            name: "shuffle",
            kernel: "reduce_tail_shuffle",
            soundness: Soundness::Synchronised,
            note: "the last five steps with __shfl_down_sync()",
        },
        Variant {
            name: "redux",
            kernel: "reduce_tail_redux",
            soundness: Soundness::Synchronised,
            note: "one __reduce_add_sync() for the last five steps",
        },
    ],
    length: Length::AtMost(1 << 30),
    values: ANY,
    inputs: Inputs::COUNTING,
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: reduce::drive,
    oracle: reduce::oracle,
};
