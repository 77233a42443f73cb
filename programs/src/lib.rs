//! The programs that come with warpsim: kernels, the host code that runs them, and oracles.
//!
//! Each has a folder of its own that holds the `.cu` as written, the `.ptx` texts that
//! `scripts/compile-programs.sh` made from it, and a Rust module with the host driver, which runs
//! on any [`warpsim::host::Device`], and the oracle: the same result computed on the CPU in the
//! plainest way.
//!
//! Several variants are wrong on purpose once a compiler has been at them, or under schedules in
//! which the lanes of a warp part; [`Soundness`] says which. [`volatile`] also tells its story.
//!
//! ```
//! let program = warpsim_programs::find("scan").ok_or("no such program")?;
//! assert_eq!(program.oracle(&[3, 1, 4, 1, 5]), [3, 4, 8, 9, 14]);
//! # Ok::<(), &str>(())
//! ```

mod ints;
mod program;
pub mod reduce;
pub mod reduce_tail;
pub mod scan;
pub mod volatile;

pub use program::{Colour, Form, Length, Program, RunError, Soundness, Text, Variant};

/// All programs, in the order in which one best reads them.
pub fn all() -> &'static [&'static Program] {
    static ALL: [&Program; 4] =
        [&volatile::PROGRAM, &scan::PROGRAM, &reduce::PROGRAM, &reduce_tail::PROGRAM];
    &ALL
}

/// The program of this name.
pub fn find(name: &str) -> Option<&'static Program> {
    all().iter().copied().find(|program| program.name == name)
}
