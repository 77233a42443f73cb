//! Immediate dominators (Lengauer and Tarjan 1979, with path compression).

use super::{Graph, predecessors};

const NONE: usize = usize::MAX;

/// The immediate dominator of each block that can be reached from `root`; `None` for the root and
/// for blocks that cannot be reached.
///
/// ```
/// use warpsim_language::graph::immediate_dominators;
/// // The sides of a branch and the place behind it, all dominated by the branch.
/// let graph = [vec![1, 2], vec![3], vec![3], vec![]];
/// assert_eq!(immediate_dominators(&graph, 0), [None, Some(0), Some(0), Some(0)]);
/// ```
pub fn immediate_dominators(graph: &Graph, root: usize) -> Vec<Option<usize>> {
    let tree = Tree::new(graph, root);
    let predecessors = predecessors(graph);
    let count = tree.block.len();
    let mut forest = Forest::new(count);
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut dominator = vec![0; count];
    for block in (1..count).rev() {
        for before in &predecessors[tree.block[block]] {
            let before = tree.number[*before];
            if before != NONE {
                let best = forest.best(before);
                forest.semi[block] = forest.semi[block].min(forest.semi[best]);
            }
        }
        waiting[forest.semi[block]].push(block);
        let parent = tree.parent[block];
        forest.ancestor[block] = parent;
        for other in std::mem::take(&mut waiting[parent]) {
            let best = forest.best(other);
            let is_lower = forest.semi[best] < forest.semi[other];
            dominator[other] = if is_lower { best } else { parent };
        }
    }
    let mut out = vec![None; graph.len()];
    for block in 1..count {
        if dominator[block] != forest.semi[block] {
            dominator[block] = dominator[dominator[block]];
        }
        out[tree.block[block]] = Some(tree.block[dominator[block]]);
    }
    out
}

/// The blocks that can be reached, numbered in the order in which a depth-first search finds them.
struct Tree {
    /// The block with each number.
    block: Vec<usize>,
    /// The number of each block.
    number: Vec<usize>,
    /// From which number each number was found.
    parent: Vec<usize>,
}

impl Tree {
    fn new(graph: &Graph, root: usize) -> Tree {
        let number = vec![NONE; graph.len()];
        let mut tree = Tree { block: Vec::new(), number, parent: Vec::new() };
        tree.find(root, 0);
        let mut path = vec![(root, 0)];
        while let Some((block, next)) = path.pop() {
            let Some(&successor) = graph[block].get(next) else { continue };
            path.push((block, next + 1));
            if tree.number[successor] == NONE {
                tree.find(successor, tree.number[block]);
                path.push((successor, 0));
            }
        }
        tree
    }

    fn find(&mut self, block: usize, parent: usize) {
        self.number[block] = self.block.len();
        self.block.push(block);
        self.parent.push(parent);
    }
}

/// The part of the tree that has been looked at, by number.
struct Forest {
    ancestor: Vec<usize>,
    /// The number with the lowest semidominator on the way to the ancestor.
    label: Vec<usize>,
    semi: Vec<usize>,
}

impl Forest {
    fn new(count: usize) -> Forest {
        let own: Vec<usize> = (0..count).collect();
        Forest { ancestor: vec![NONE; count], label: own.clone(), semi: own }
    }

    /// The number with the lowest semidominator among `number` and what lies above it in its tree,
    /// except the root of the tree. The nodes that were passed then point to the top.
    fn best(&mut self, number: usize) -> usize {
        let mut path = vec![number];
        let mut at = number;
        loop {
            let above = self.ancestor[at];
            if above == NONE || self.ancestor[above] == NONE {
                break;
            }
            path.push(above);
            at = above;
        }
        for number in path.into_iter().rev().skip(1) {
            let above = self.ancestor[number];
            if self.semi[self.label[above]] < self.semi[self.label[number]] {
                self.label[number] = self.label[above];
            }
            self.ancestor[number] = self.ancestor[above];
        }
        self.label[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petgraph::algo::dominators::simple_fast;
    use petgraph::graph::{DiGraph, NodeIndex};
    use proptest::prelude::*;

    /// Graphs of up to `n` blocks with up to three successors each; block 0 is the entry.
    fn graphs(n: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
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
