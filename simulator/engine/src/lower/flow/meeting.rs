//! Where the paths of a branch meet again: immediate post-dominators.
//!
//! A thread that exits never meets the others again, so an early exit must not keep the others
//! separate. Hardware predicates an `exit` in the middle of an `if` and goes on with the rest of
//! the warp. Therefore post-dominance is taken over the paths to one exit, the *main* one: the exit
//! that most blocks can reach. Blocks that only jump do not count. Of several, it is the last in
//! the text, because compilers write the end of a loop behind the `return`s inside it. A jump to a
//! block that only returns counts as leaving at once, because compilers share one such block
//! between all the `return`s of a kernel. (The lanes that return from a function do meet again, in
//! the caller: there a `ret` is a jump to a place behind the function.) A block that cannot reach
//! the main exit gets its immediate post-dominator over the paths to all exits.
//!
//! Where this can be wrong: with several equal exits the choice is a guess. Then two sides that
//! hardware would reconverge stay diverged until the end. A wrong guess alone never gives a wrong
//! value. Under `lockstep` it decides which lanes run together.

use crate::graph::{self, Blocks, Graph, immediate_dominators, reachable};

/// The most exits of a function among which the main one is chosen: the last ones in the text.
const MOST_EXITS: usize = 64;

/// For each block, the block in which the paths from its successors meet; `None` when they meet
/// only outside the function.
pub(in super::super) fn reconvergence(blocks: &Blocks) -> Vec<Option<usize>> {
    let staying = staying(blocks);
    let exits: Vec<usize> = (0..staying.len())
        .filter(|b| staying[*b].is_empty() && (*b == 0 || !blocks.only_leave[*b]))
        .collect();
    let mut meeting = post_dominators(&staying, &exits);
    if let Some(main) = main_exit(blocks, &staying, &exits) {
        let toward_main = post_dominators(&staying, &[main]);
        for (block, reaches) in reaching(&staying, main).into_iter().enumerate() {
            if reaches {
                meeting[block] = toward_main[block];
            }
        }
    }
    meeting
}

/// The edges that stay: without edges to a block that only leaves.
fn staying(blocks: &Blocks) -> Vec<Vec<usize>> {
    let stays = |b: &usize| !blocks.only_leave[*b];
    blocks.successors.iter().map(|s| s.iter().copied().filter(stays).collect()).collect()
}

fn main_exit(blocks: &Blocks, staying: &Graph, exits: &[usize]) -> Option<usize> {
    // Each is examined alone, which is expensive where there are many; then only the last ones are.
    let exits = &exits[exits.len().saturating_sub(MOST_EXITS)..];
    if exits.len() < 2 {
        return exits.first().copied();
    }
    let before = graph::predecessors(staying);
    let live = reachable(&blocks.successors, [0]);
    let weight = |exit: &usize| {
        let reaching = reachable(&before, [*exit]);
        let counts = |b: &usize| reaching[*b] && live[*b] && !blocks.only_jump[*b];
        (0..reaching.len()).filter(counts).count()
    };
    exits.iter().copied().max_by_key(|exit| (weight(exit), *exit))
}

/// Immediate post-dominators over the paths to any of `exits`; `None` for a block without one.
fn post_dominators(graph: &Graph, exits: &[usize]) -> Vec<Option<usize>> {
    let outside = graph.len();
    let mut reversed = graph::predecessors(graph);
    reversed.push(exits.to_vec());
    let mut found = immediate_dominators(&reversed, outside);
    found.truncate(outside);
    found.into_iter().map(|d| d.filter(|d| *d != outside)).collect()
}

/// Which blocks can reach `target`.
fn reaching(graph: &Graph, target: usize) -> Vec<bool> {
    reachable(&graph::predecessors(graph), [target])
}

#[cfg(test)]
mod tests {
    use super::super::random::graphs;
    use super::*;
    use crate::graph::Step;
    use proptest::prelude::*;

    fn blocks(successors: &[&[usize]], only_leave: &[usize]) -> Blocks {
        Blocks {
            starts: (0..successors.len()).collect(),
            successors: successors.iter().map(|s| s.to_vec()).collect(),
            only_leave: (0..successors.len()).map(|b| only_leave.contains(&b)).collect(),
            only_jump: vec![false; successors.len()],
        }
    }

    #[test]
    fn the_sides_of_an_if_meet_behind_it() {
        let found = reconvergence(&blocks(&[&[1, 2], &[3], &[3], &[]], &[]));
        assert_eq!(found, [Some(3), Some(3), Some(3), None]);
    }

    #[test]
    fn the_lanes_that_leave_a_loop_meet_behind_it() {
        let found = reconvergence(&blocks(&[&[1], &[1, 2], &[]], &[]));
        assert_eq!(found, [Some(1), Some(2), None]);
    }

    #[test]
    fn an_early_return_inside_an_if_does_not_keep_the_others_apart() {
        // 0: if; 1: if (x) return; 2: rest of the if; 3: after; 4: ret
        let found = reconvergence(&blocks(&[&[1, 3], &[2, 4], &[3], &[4], &[]], &[4]));
        assert_eq!(found[0], Some(3));
        assert_eq!(found[1], Some(2));
    }

    #[test]
    fn an_early_return_that_does_something_first_does_not_either() {
        // 5 stores an error code and returns; it is last in the text.
        let found = reconvergence(&blocks(&[&[1, 3], &[2, 5], &[3], &[4], &[], &[4]], &[4]));
        assert_eq!(found[0], Some(3));
    }

    #[test]
    fn a_return_in_a_loop_is_not_where_the_others_meet_however_many_jumps_lead_to_it() {
        // 0: entry; 1: while; 2: if; 3: jump to 4; 4: store, return; 5: body; 6: behind the loop
        let mut found = blocks(&[&[1], &[2, 6], &[3, 5], &[4], &[7], &[1], &[7], &[]], &[7]);
        found.only_jump[3] = true;
        let found = reconvergence(&found);
        assert_eq!((found[1], found[2]), (Some(6), Some(5)));
    }

    #[test]
    fn a_guarded_exit_is_not_a_place_where_paths_part() {
        // 0: @p bra 3; 1: @q exit; 2: x; 3: ret
        let leave = |conditional| Step::Leave { conditional };
        let jump = Step::Jump { targets: vec![3], conditional: true };
        let found =
            reconvergence(&Blocks::new(&[jump, leave(true), Step::Next, Step::Next, leave(false)]));
        assert_eq!(found[0], Some(3));
    }

    #[test]
    fn paths_of_an_endless_loop_meet_nowhere() {
        let found = reconvergence(&blocks(&[&[1, 2], &[1], &[2]], &[]));
        assert_eq!(found, [None, None, None]);
    }

    /// By the definition: `d` post-dominates `b` when no path from `b` to an exit avoids `d`; the
    /// immediate one is post-dominated by all the others.
    fn by_definition(graph: &Graph, exits: &[usize], b: usize) -> Option<usize> {
        let avoids = |from: usize, d: usize| {
            let mut without: Vec<Vec<usize>> = graph.to_vec();
            without.iter_mut().for_each(|s| s.retain(|t| *t != d));
            let seen = reachable(&without, [from]);
            from != d && exits.iter().any(|e| seen[*e])
        };
        let seen = reachable(graph, [b]);
        if !exits.iter().any(|e| seen[*e]) {
            return None;
        }
        let strict: Vec<usize> = (0..graph.len()).filter(|d| *d != b && !avoids(b, *d)).collect();
        strict
            .iter()
            .copied()
            .find(|d| strict.iter().all(|other| !avoids(*d, *other) || d == other))
    }

    proptest! {
        #[test]
        fn post_dominators_are_what_the_definition_says(graph in graphs(9)) {
            let exits: Vec<usize> =
                (0..graph.len()).filter(|b| graph[*b].is_empty()).collect();
            let found = post_dominators(&graph, &exits);
            for (b, found) in found.into_iter().enumerate() {
                prop_assert_eq!(found, by_definition(&graph, &exits, b), "block {}", b);
            }
        }
    }
}
