//! Control flow of one function: the order of its blocks, and where paths meet.
//!
//! Blocks and dominators come from [`crate::graph`]. Both modules here work on blocks given as
//! lists of successors.

mod meeting;
mod order;

pub(super) use meeting::reconvergence;
pub(super) use order::ranks;

#[cfg(test)]
mod random {
    use proptest::prelude::*;

    /// Graphs of up to `n` blocks with up to three successors each; block 0 is the entry.
    pub(super) fn graphs(n: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1..=n).prop_flat_map(|n| {
            prop::collection::vec(prop::collection::vec(0..n, 0..=3), n).prop_map(|mut graph| {
                graph.iter_mut().for_each(|s| {
                    s.sort_unstable();
                    s.dedup();
                });
                graph
            })
        })
    }
}
