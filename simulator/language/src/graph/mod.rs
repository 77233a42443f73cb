//! Control flow as a graph: basic blocks, what can follow what, who dominates whom.
//!
//! It knows nothing of PTX and of operations. The caller says where control goes after each of its
//! steps ([`Step`]), and gets its [`Blocks`]. Passes, lowering and analyses all use it. The work is
//! near linear in the size of the graph.

mod blocks;
mod dominators;

pub use blocks::{Blocks, Step};
pub use dominators::immediate_dominators;

/// For each block its successors.
pub type Graph = [Vec<usize>];

/// For each block its predecessors, in ascending order.
pub fn predecessors(graph: &Graph) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); graph.len()];
    for (block, successors) in graph.iter().enumerate() {
        for successor in successors {
            out[*successor].push(block);
        }
    }
    out
}

/// Which blocks can be reached from some, these included.
///
/// ```
/// use warpsim_language::graph::reachable;
/// assert_eq!(reachable(&[vec![1], vec![], vec![0]], [0]), [true, true, false]);
/// ```
pub fn reachable(graph: &Graph, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut seen = vec![false; graph.len()];
    let mut work: Vec<usize> = from.into_iter().collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut seen[block], true) {
            work.extend(&graph[block]);
        }
    }
    seen
}

/// The blocks that can be reached from `root`, each before its successors except for back edges. If
/// nothing else decides, the first listed successor comes first.
pub fn reverse_postorder(graph: &Graph, root: usize) -> Vec<usize> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::new();
    // Depth first without recursion: functions can be long.
    let mut path = vec![(root, 0)];
    seen[root] = true;
    while let Some((block, next)) = path.pop() {
        let successors = &graph[block];
        let Some(at) = successors.len().checked_sub(next + 1) else {
            order.push(block);
            continue;
        };
        path.push((block, next + 1));
        if !std::mem::replace(&mut seen[successors[at]], true) {
            path.push((successors[at], 0));
        }
    }
    order.reverse();
    order
}
