//! Control flow of one function: basic blocks, the order of the blocks, where paths meet.
//!
//! The graph algorithms ([`dominators`], [`order`]) know nothing of PTX: they work on blocks given
//! as lists of successors. [`blocks`] cuts a function into blocks, and [`meeting`] decides where
//! the paths of a branch meet.

mod blocks;
mod dominators;
mod meeting;
mod order;

pub(super) use blocks::{Blocks, Step};
pub(super) use meeting::reconvergence;
pub(super) use order::ranks;

/// For each block its successors.
pub(super) type Graph = [Vec<usize>];

/// For each block its predecessors, in ascending order.
fn predecessors(graph: &Graph) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); graph.len()];
    for (block, successors) in graph.iter().enumerate() {
        for successor in successors {
            out[*successor].push(block);
        }
    }
    out
}

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
