//! The same launches on the simulator and on a GPU, and whether their results are the same.
//!
//! "Ours" is the simulator's result; "theirs" is the result of a GPU or of a recording of one
//! ([`Theirs`]). After each launch, outcomes are compared by their kinds ([`outcomes`]), and every
//! buffer and `.global` variable bit by bit ([`cells`]). So a difference is found at the launch
//! that makes it. Then the launch is run again from the memory before it. One run shows who wrote
//! the cells that differ. Runs under other schedules show whether theirs is another legal result
//! ([`several`]).
//!
//! Where it can be wrong: a cell that holds an address always differs, because the two place memory
//! differently (variables that are initialised with addresses are left out, buffers are not). A
//! legal result that none of the tried schedules reached is reported as a difference. Memory that
//! no argument or variable names is not compared.

pub(crate) mod cells;
mod launches;
pub(crate) mod objects;
pub(crate) mod outcomes;
mod several;
pub(crate) mod sides;

pub(crate) use warpsim::host::ArgumentPlace;

use cells::Tolerance;
pub(crate) use launches::{Compared, LaunchCompared, ObjectCompared, Verdict, compare};
pub(crate) use several::{Reached, Several};
pub(crate) use sides::{Known, OnGpu};

/// How to compare.
#[derive(Clone, Debug)]
pub(crate) struct How {
    /// What may differ, and by how much.
    pub(crate) tolerances: Tolerances,
    /// Differences that are kept of each buffer.
    pub(crate) keep: usize,
    /// Schedules to try when results differ.
    pub(crate) schedules: u64,
    /// Schedules of the exhaustive search of a small launch after those; none where it is 0.
    pub(crate) exhaustive: u64,
    /// The seed of the first random one.
    pub(crate) seed: u64,
}

/// Tolerances of all buffers, and of some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tolerances {
    /// Of every buffer, or of one parameter's; later ones count.
    pub(crate) ulp: Vec<(Option<ArgumentPlace>, u64)>,
    /// The same, for absolute differences.
    pub(crate) abs: Vec<(Option<ArgumentPlace>, f64)>,
}

impl Tolerances {
    /// The tolerance for a parameter's buffer, or for a variable.
    pub(crate) fn of(&self, parameter: Option<ArgumentPlace>) -> Tolerance {
        Tolerance { ulp: last(&self.ulp, parameter), abs: last(&self.abs, parameter) }
    }
}

fn last<T: Copy>(
    given: &[(Option<ArgumentPlace>, T)],
    parameter: Option<ArgumentPlace>,
) -> Option<T> {
    let is_for = |of: Option<ArgumentPlace>| of.is_none() || of == parameter;
    given.iter().rev().find(|(of, _)| is_for(*of)).map(|(_, value)| *value)
}
