//! Cutting a function, given step by step, into basic blocks.

/// Where control goes after an operation. Operations are counted from the function's first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next operation.
    Next,
    /// To one of these, or also to the next when conditional.
    Jump {
        /// Where to.
        targets: Vec<usize>,
        /// Some lanes may go on to the next operation.
        conditional: bool,
    },
    /// Out of the function.
    Leave {
        /// Some lanes may go on to the next operation.
        conditional: bool,
    },
}

/// The basic blocks of a function, in the order of its text.
#[derive(Debug)]
pub struct Blocks {
    /// The first operation of each block, ascending.
    pub starts: Vec<usize>,
    /// The blocks that each may go on to, ascending; leaving the function is not in it.
    pub successors: Vec<Vec<usize>>,
    /// Blocks of a single unconditional [`Step::Leave`]: nothing is left to do in them.
    pub only_leave: Vec<bool>,
    /// Blocks of a single unconditional jump, which unoptimised code is full of.
    pub only_jump: Vec<bool>,
}

impl Blocks {
    /// Cuts a function, given as one step for each operation. Places behind the last one are
    /// outside the function.
    ///
    /// ```
    /// use warpsim_language::graph::{Blocks, Step};
    /// // A loop of two operations and what comes behind it.
    /// let back = Step::Jump { targets: vec![0], conditional: true };
    /// let blocks = Blocks::new(&[Step::Next, back, Step::Leave { conditional: false }]);
    /// assert_eq!(blocks.starts, [0, 2]);
    /// assert_eq!(blocks.successors, [vec![0, 1], vec![]]);
    /// ```
    pub fn new(steps: &[Step]) -> Blocks {
        let starts = starts(steps);
        let starts_only = |is: fn(&Step) -> bool| {
            let ends = starts.iter().skip(1).copied().chain([steps.len()]);
            let of = |(start, end): (&usize, usize)| matches!(steps.get(*start..end), Some([only]) if is(only));
            starts.iter().zip(ends).map(of).collect::<Vec<bool>>()
        };
        let mut blocks = Blocks {
            successors: Vec::new(),
            only_leave: starts_only(|s| matches!(s, Step::Leave { conditional: false })),
            only_jump: starts_only(|s| matches!(s, Step::Jump { conditional: false, .. })),
            starts: starts.clone(),
        };
        for block in 0..starts.len() {
            let end = starts.get(block + 1).copied().unwrap_or(steps.len());
            let mut next = match steps.get(end.wrapping_sub(1)) {
                None => Vec::new(),
                Some(Step::Next | Step::Leave { conditional: true }) => vec![end],
                Some(Step::Leave { conditional: false }) => Vec::new(),
                Some(Step::Jump { targets, conditional }) => {
                    targets.iter().copied().chain(conditional.then_some(end)).collect()
                }
            };
            next.retain(|op| *op < steps.len());
            let mut next: Vec<usize> = next.into_iter().map(|op| blocks.of(op)).collect();
            next.sort_unstable();
            next.dedup();
            blocks.successors.push(next);
        }
        blocks
    }

    /// The block that an operation is in.
    pub fn of(&self, operation: usize) -> usize {
        self.starts.partition_point(|start| *start <= operation).saturating_sub(1)
    }
}

fn starts(steps: &[Step]) -> Vec<usize> {
    let mut starts = vec![0];
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Next => {}
            Step::Jump { targets, .. } => {
                starts.extend(targets);
                starts.push(i + 1);
            }
            Step::Leave { .. } => starts.push(i + 1),
        }
    }
    starts.retain(|start| *start < steps.len());
    starts.sort_unstable();
    starts.dedup();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(to: usize, conditional: bool) -> Step {
        Step::Jump { targets: vec![to], conditional }
    }

    #[test]
    fn blocks_begin_at_targets_and_after_jumps() {
        // 0; 1: @p bra 4; 2; 3: bra 0; 4: ret
        let leave = Step::Leave { conditional: false };
        let blocks = Blocks::new(&[Step::Next, jump(4, true), Step::Next, jump(0, false), leave]);
        assert_eq!(blocks.starts, [0, 2, 4]);
        assert_eq!(blocks.successors, [vec![1, 2], vec![0], vec![]]);
        assert_eq!(blocks.only_leave, [false, false, true]);
        assert_eq!(blocks.only_jump, [false, false, false]);
        assert_eq!([0, 1, 2, 3, 4].map(|op| blocks.of(op)), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn a_guarded_exit_goes_on() {
        let steps = [Step::Leave { conditional: true }, Step::Leave { conditional: false }];
        let blocks = Blocks::new(&steps);
        assert_eq!(blocks.successors, [vec![1], vec![]]);
    }
}
