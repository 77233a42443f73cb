//! Immediate dominators (Cooper, Harvey and Kennedy 2001).

use super::{Graph, predecessors};

const NONE: usize = usize::MAX;

/// The immediate dominator of each block that can be reached from `root`; `None` for the root and
/// for blocks that cannot be reached.
pub(super) fn immediate_dominators(graph: &Graph, root: usize) -> Vec<Option<usize>> {
    let order = reverse_postorder(graph, root);
    let mut position = vec![NONE; graph.len()];
    order.iter().enumerate().for_each(|(i, b)| position[*b] = i);
    let predecessors = predecessors(graph);
    let mut dominator = vec![NONE; graph.len()];
    dominator[root] = root;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let known = predecessors[block].iter().copied().filter(|p| dominator[*p] != NONE);
            let new = known.reduce(|a, b| meet(&dominator, &position, a, b)).unwrap_or(NONE);
            changed |= dominator[block] != new;
            dominator[block] = new;
        }
    }
    dominator[root] = NONE;
    dominator.into_iter().map(|d| (d != NONE).then_some(d)).collect()
}

/// The nearest block that dominates both.
fn meet(dominator: &[usize], position: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if position[a] > position[b] {
            a = dominator[a];
        } else {
            b = dominator[b];
        }
    }
    a
}

/// The blocks that can be reached from `root`, each before its successors but for back edges.
fn reverse_postorder(graph: &Graph, root: usize) -> Vec<usize> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::new();
    let mut path = vec![(root, 0)];
    seen[root] = true;
    while let Some((block, next)) = path.pop() {
        match graph[block].get(next) {
            None => order.push(block),
            Some(&successor) => {
                path.push((block, next + 1));
                if !std::mem::replace(&mut seen[successor], true) {
                    path.push((successor, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::super::random::graphs;
    use super::*;
    use petgraph::algo::dominators::simple_fast;
    use petgraph::graph::{DiGraph, NodeIndex};
    use proptest::prelude::*;

    #[test]
    fn the_join_of_a_diamond_is_dominated_by_the_branch() {
        let graph = [vec![1, 2], vec![3], vec![3], vec![]];
        assert_eq!(immediate_dominators(&graph, 0), [None, Some(0), Some(0), Some(0)]);
    }

    proptest! {
        #[test]
        fn petgraph_finds_the_same_dominators(graph in graphs(20)) {
            let edges = graph.iter().enumerate()
                .flat_map(|(b, s)| s.iter().map(move |s| (b as u32, *s as u32)));
            let mut other = DiGraph::<(), ()>::from_edges(edges);
            while other.node_count() < graph.len() {
                other.add_node(());
            }
            let expected = simple_fast(&other, NodeIndex::new(0));
            for (block, found) in immediate_dominators(&graph, 0).into_iter().enumerate() {
                let theirs = expected.immediate_dominator(NodeIndex::new(block));
                prop_assert_eq!(found, theirs.map(|n| n.index()));
            }
        }
    }
}
