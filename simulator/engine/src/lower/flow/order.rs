//! A total order of the blocks of a function. The blocks of a loop come before all blocks that the
//! loop exits to.
//!
//! It is a weak topological order (Bourdoncle 1993). The strongly connected components come in
//! topological order, each in one piece. Inside a component the same holds again without the edges
//! that go back to its head. Irreducible graphs get such an order, too. If their loop has several
//! entries, the head is the first one in the program text. All other blocks follow the order of the
//! text. Inside loops nested [`DEEPEST`] deep, blocks follow a depth-first search, so that the work
//! is linear. Only artificial graphs have such loops.

use crate::graph::{Graph, predecessors};

const UNSEEN: u32 = u32::MAX;

/// The deepest nesting of loops that is distinguished.
const DEEPEST: u32 = 32;

/// The rank of each block, from 0. Unreachable blocks have ranks, too.
pub(in super::super) fn ranks(graph: &Graph) -> Vec<u32> {
    ordered(graph, DEEPEST).rank
}

/// An order of blocks.
struct Ordered {
    rank: Vec<u32>,
    /// How many blocks have been visited to find it, counting repetitions.
    #[cfg_attr(not(test), expect(dead_code, reason = "the bound on the work is tested"))]
    visits: usize,
}

fn ordered(graph: &Graph, deepest: u32) -> Ordered {
    let predecessors = predecessors(graph);
    let mut search = Search::new(graph);
    let mut rank = vec![0; graph.len()];
    let mut next = 0;
    let components = search.components((0..graph.len()).collect());
    let mut work: Vec<(Vec<usize>, u32)> = components.into_iter().map(|c| (c, 0)).collect();
    while let Some((component, depth)) = work.pop() {
        match component[..] {
            [block] if !search.follows(block, block) => {
                rank[block] = next;
                next += 1;
            }
            _ if depth >= deepest => {
                let head = search.open(&component, &predecessors);
                for block in search.depth_first(head, &component) {
                    rank[block] = next;
                    next += 1;
                }
            }
            _ => {
                search.open(&component, &predecessors);
                let inner = search.components(component);
                work.extend(inner.into_iter().map(|c| (c, depth + 1)));
            }
        }
    }
    Ordered { rank, visits: search.visits }
}

/// Tarjan's search for strongly connected components, restricted to parts of the graph.
struct Search<'g> {
    graph: &'g Graph,
    /// The innermost opened loop of a block, by number.
    within: Vec<u32>,
    loops: u32,
    /// Heads of opened loops; edges to them are not followed.
    head: Vec<bool>,
    number: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: u32,
    visits: usize,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Search<'g> {
        let n = graph.len();
        Search {
            graph,
            within: vec![0; n],
            loops: 0,
            head: vec![false; n],
            number: vec![UNSEEN; n],
            low: vec![0; n],
            on_stack: vec![false; n],
            stack: Vec::new(),
            next: 0,
            visits: 0,
        }
    }

    /// Whether there is an edge that is followed.
    fn follows(&self, from: usize, to: usize) -> bool {
        !self.head[to] && self.graph[from].contains(&to)
    }

    /// Opens a loop: cuts the edges back to its head, and returns the head.
    fn open(&mut self, component: &[usize], predecessors: &[Vec<usize>]) -> usize {
        self.loops += 1;
        component.iter().for_each(|b| self.within[*b] = self.loops);
        let is_entry = |b: &&usize| {
            **b == 0 || predecessors[**b].iter().any(|p| self.within[*p] != self.loops)
        };
        let first = component.iter().copied().fold(usize::MAX, usize::min);
        // A loop that nothing reaches has no entry; its order makes no difference.
        let entry = component.iter().filter(is_entry).min().copied().unwrap_or(first);
        self.head[entry] = true;
        entry
    }

    /// The blocks of the loop opened last, each before its successors except for edges that go
    /// back. All of them can be reached from its head.
    fn depth_first(&mut self, head: usize, component: &[usize]) -> Vec<usize> {
        component.iter().for_each(|block| self.number[*block] = UNSEEN);
        self.number[head] = 0;
        let mut order = Vec::new();
        let mut path = vec![(head, 0)];
        while let Some((block, seen)) = path.pop() {
            // Successors later in the text are visited first, so that they end up later.
            let successors = &self.graph[block];
            let Some(next) = successors.len().checked_sub(seen + 1).map(|i| successors[i]) else {
                order.push(block);
                continue;
            };
            path.push((block, seen + 1));
            if self.within[next] == self.loops && self.number[next] == UNSEEN {
                self.number[next] = 0;
                path.push((next, 0));
            }
        }
        order.reverse();
        order
    }

    /// The components of some blocks, the topologically first one last. Blocks of other components
    /// have been visited before, so edges to them are ignored.
    fn components(&mut self, mut blocks: Vec<usize>) -> Vec<Vec<usize>> {
        self.visits += blocks.len();
        let mut out = Vec::new();
        blocks.sort_unstable_by(|a, b| b.cmp(a));
        blocks.iter().for_each(|b| self.number[*b] = UNSEEN);
        for root in blocks {
            if self.number[root] == UNSEEN {
                self.visit(root, &mut out);
            }
        }
        out
    }

    /// Depth first from `root`, without recursion: the path holds each block with the number of its
    /// successors that have been examined. Successors later in the text are visited first, so that
    /// they end up later in the order.
    fn visit(&mut self, root: usize, out: &mut Vec<Vec<usize>>) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((block, seen)) = path.pop() {
            let successors = &self.graph[block];
            let Some(next) = successors.len().checked_sub(seen + 1).map(|i| successors[i]) else {
                self.leave(block, path.last().map(|(b, _)| *b), out);
                continue;
            };
            path.push((block, seen + 1));
            if self.head[next] {
                continue;
            }
            if self.number[next] == UNSEEN {
                self.enter(next);
                path.push((next, 0));
            } else if self.on_stack[next] {
                self.low[block] = self.low[block].min(self.number[next]);
            }
        }
    }

    fn enter(&mut self, block: usize) {
        self.number[block] = self.next;
        self.low[block] = self.next;
        self.next += 1;
        self.on_stack[block] = true;
        self.stack.push(block);
    }

    fn leave(&mut self, block: usize, parent: Option<usize>, out: &mut Vec<Vec<usize>>) {
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[block]);
        }
        if self.low[block] == self.number[block] {
            // It is there: `enter` put it on the stack, and those behind it belong to it.
            let at = self.stack.iter().rposition(|b| *b == block).unwrap_or(0);
            let component = self.stack.split_off(at);
            component.iter().for_each(|b| self.on_stack[*b] = false);
            out.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::graphs;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_exit_in_the_middle_of_a_loop_ranks_after_the_whole_loop() {
        // 1 is the head; 2 leaves to 4 or goes on to 3, which goes back.
        let graph = [vec![1], vec![2, 5], vec![3, 4], vec![1], vec![5], vec![]];
        assert_eq!(ranks(&graph), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn an_exit_that_stands_before_the_loop_in_the_text_ranks_after_it() {
        // 0 -> 2; loop 2 -> 3 -> 2; 3 leaves to 1, 2 leaves to 1.
        let graph = [vec![2], vec![], vec![1, 3], vec![1, 2]];
        assert_eq!(ranks(&graph), [0, 3, 1, 2]);
    }

    #[test]
    fn the_sides_of_a_branch_rank_in_the_order_of_the_text() {
        let graph = [vec![1, 2], vec![3], vec![3], vec![]];
        assert_eq!(ranks(&graph), [0, 1, 2, 3]);
    }

    #[test]
    fn an_inner_loop_ranks_before_the_rest_of_the_outer_one() {
        // 1 outer head, 2 inner head, 3 inner body, 4 rest of the outer loop, 5 after.
        let graph = [vec![1], vec![2], vec![3, 4], vec![2], vec![1, 5], vec![]];
        assert_eq!(ranks(&graph), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn an_inner_loop_that_leaves_into_the_outer_one_ranks_before_what_it_leaves_to() {
        // Outer loop 1..=5, inner loop 2, 4, 5 (in this order), which leaves to 3; 3 goes back to 1
        // or on to 6.
        let graph = [vec![1], vec![2], vec![3, 4], vec![1, 6], vec![5], vec![2], vec![]];
        assert_eq!(ranks(&graph), [0, 1, 2, 5, 3, 4, 6]);
    }

    #[test]
    fn a_loop_with_two_entries_has_some_order() {
        let graph = [vec![1, 2], vec![2], vec![1, 3], vec![]];
        let mut found = ranks(&graph);
        assert_eq!((found[0], found[3]), (0, 3));
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3]);
    }

    fn reaches(graph: &Graph, from: usize, to: usize) -> bool {
        let (mut seen, mut work) = (vec![false; graph.len()], graph[from].clone());
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                work.extend(&graph[block]);
            }
        }
        seen[to]
    }

    /// The edges of reachable blocks.
    fn live(graph: &Graph) -> Vec<Vec<usize>> {
        let edges =
            |b: usize| if b == 0 || reaches(graph, 0, b) { graph[b].clone() } else { vec![] };
        (0..graph.len()).map(edges).collect()
    }

    /// A hundred thousand branches to arbitrary blocks.
    #[test]
    fn a_graph_that_nobody_writes_is_ordered_with_little_work() {
        let n = 100_000;
        let scattered: Vec<Vec<usize>> = (0..n)
            .map(|b: usize| {
                let mut next = vec![b.wrapping_mul(2_654_435_761) % n, (b + 1) % n];
                next.sort_unstable();
                next.dedup();
                next
            })
            .collect();
        let ordered = ordered(&scattered, DEEPEST);
        // Each level of loops visits each block at most once.
        assert!(ordered.visits <= (DEEPEST as usize + 2) * n, "{}", ordered.visits);
        let mut sorted = ordered.rank;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..n as u32).collect::<Vec<_>>());
    }

    proptest! {
        /// So the head of a loop, which dominates it, comes first in it.
        #[test]
        fn a_block_ranks_after_what_dominates_it(graph in graphs(12), deepest in 0u32..3) {
            let graph = live(&graph);
            let rank = ordered(&graph, deepest).rank;
            let dominators = crate::graph::immediate_dominators(&graph, 0);
            for (block, dominator) in dominators.into_iter().enumerate() {
                if let Some(dominator) = dominator {
                    prop_assert!(rank[dominator] < rank[block], "{} before {}", dominator, block);
                }
            }
        }

        /// From the definition: a block that another can reach, but that cannot lead back, ranks
        /// after it. So it ranks after the whole loop of the other block.
        #[test]
        fn what_cannot_lead_back_ranks_later(graph in graphs(12), deepest in 0u32..3) {
            let rank = ordered(&graph, deepest).rank;
            let mut sorted = rank.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..graph.len() as u32).collect::<Vec<_>>());
            for from in 0..graph.len() {
                for to in 0..graph.len() {
                    if reaches(&graph, from, to) && !reaches(&graph, to, from) {
                        prop_assert!(rank[from] < rank[to], "{} before {}", from, to);
                    }
                }
            }
        }
    }
}
