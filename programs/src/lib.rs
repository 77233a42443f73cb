//! The programs that come with warpsim: kernels, the host code that runs them, and oracles.
//!
//! Each has its own folder. It holds the `.cu` as written, the `.ptx` texts that
//! `scripts/compile-programs.sh` made from it, and a Rust module. The module has the host driver,
//! which runs on any [`warpsim::host::Device`], and the oracle, which computes the same result on
//! the CPU in the plainest way.
//!
//! Several variants are wrong on purpose after a compiler has changed them, or under schedules in
//! which the lanes of a warp diverge; [`Soundness`] says which. [`volatile`] also tells its story.
//!
//! ```
//! let program = warpsim_programs::find("scan").ok_or("no such program")?;
//! let sums = program.oracle(&program.variants[0], &[3, 1, 4, 1, 5]);
//! assert_eq!(sums, vec![3, 4, 8, 9, 14].into());
//! # Ok::<(), &str>(())
//! ```

mod arrays;
pub mod r#async;
pub mod atomics;
pub mod barrier;
mod columns;
pub mod count_sixes;
pub mod find_max;
mod ints;
pub mod last_block;
mod numbers;
mod program;
pub mod reduce;
pub mod reduce_tail;
pub mod reordering;
pub mod scan;
pub mod tensor;
mod texts;
pub mod trapezoid;
pub mod volatile;
pub mod votes;
pub mod waves;

pub use numbers::Numbers;
pub use program::{
    Asked, Colour, Form, Inputs, Length, Program, Reporting, RunError, Soundness, Text, Told,
    Variant,
};

/// All programs, in the order in which one best reads them.
pub fn all() -> &'static [&'static Program] {
    static ALL: [&Program; 16] = [
        &volatile::PROGRAM,
        &scan::PROGRAM,
        &reduce::PROGRAM,
        &reduce_tail::PROGRAM,
        &count_sixes::PROGRAM,
        &find_max::PROGRAM,
        &trapezoid::PROGRAM,
        &last_block::PROGRAM,
        &votes::PROGRAM,
        &votes::UNMASKED,
        &atomics::PROGRAM,
        &reordering::PROGRAM,
        &barrier::PROGRAM,
        &r#async::PROGRAM,
        &tensor::PROGRAM,
        &waves::PROGRAM,
    ];
    &ALL
}

/// The program of this name.
pub fn find(name: &str) -> Option<&'static Program> {
    all().iter().copied().find(|program| program.name == name)
}
