//! Diamonds: branches whose two ways are a few register operations each, and meet behind them
//! (`if`, or `if` and `else`).
//!
//! If lanes of a warp diverge at a diamond, both ways can be executed one after the other under
//! masks, without bookkeeping for parts of warps. This gives the same as running the parts furthest
//! behind first, as long as no other part is on either way. Which branches are diamonds depends
//! only on the program. Nothing here is part of the PTX ISA.

use crate::lanes::Constants;
use crate::lower::operations::conduct::Conduct;
use crate::lower::operations::operand::Pc;
use crate::lower::operations::operation::{Kind, Operation};
use crate::lower::operations::run::{Run, run_of};

/// The most operations of a way.
const MOST: usize = 24;

/// One of the ways.
#[derive(Debug)]
pub(crate) struct Side {
    /// Its operations; `None` if lanes go directly to the place where the ways meet.
    pub(crate) run: Option<Run>,
    /// Its instructions, including the branch at its end.
    pub(crate) instructions: u32,
    /// Its first operation, and the number of operations.
    start: Pc,
    operations: u32,
}

/// A branch whose ways meet behind a few register operations.
#[derive(Debug)]
pub(crate) struct Diamond {
    /// The way of the lanes that take the branch, and of the others.
    pub(crate) sides: [Side; 2],
    /// Where they meet.
    pub(crate) join: Pc,
    /// The highest rank of a basic block on its ways.
    pub(crate) rank: u32,
}

impl Diamond {
    /// The instructions of both ways.
    pub(crate) fn instructions(&self) -> u64 {
        self.sides.iter().map(|side| u64::from(side.instructions)).sum()
    }

    /// The operations of its ways: the first, and the number.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (Pc, u32)> {
        self.sides.iter().map(|side| (side.start, side.operations))
    }
}

/// The diamonds of a program.
#[derive(Debug, Default)]
pub(crate) struct Diamonds {
    all: Vec<Diamond>,
    /// For each operation, the number of the diamond that begins with it, from 1 on; 0 without one.
    beginning: Vec<u32>,
}

impl Diamonds {
    /// All diamonds of a program with these constants.
    pub(crate) fn of(operations: &[Operation], constants: &Constants) -> Diamonds {
        let mut diamonds = Diamonds { all: Vec::new(), beginning: vec![0; operations.len()] };
        for (pc, operation) in operations.iter().enumerate() {
            if let Some(diamond) = diamond(operations, pc as Pc, operation, constants) {
                diamonds.all.push(diamond);
                diamonds.beginning[pc] = diamonds.all.len() as u32;
            }
        }
        diamonds
    }

    /// The diamond that begins with an operation.
    #[inline(always)]
    pub(crate) fn at(&self, pc: Pc) -> Option<&Diamond> {
        let number = *self.beginning.get(pc as usize)?;
        self.all.get((number as usize).wrapping_sub(1))
    }
}

/// A way that may be one of a diamond.
struct Way {
    start: Pc,
    operations: u32,
    /// It ends with a branch.
    branches: bool,
    /// Its target.
    to: Pc,
}

impl Way {
    /// An empty way: lanes are at its target.
    fn none(to: Pc) -> Way {
        Way { start: to, operations: 0, branches: false, to }
    }

    /// The register operations from one on up to the end of its basic block; `None` if there are
    /// others, or too many.
    fn from(operations: &[Operation], start: Pc) -> Option<Way> {
        let mut count = 0;
        for operation in operations.get(start as usize..)?.iter().take(MOST + 1) {
            let to = start + count;
            if operation.leader && count > 0 {
                return Some(Way { start, operations: count, branches: false, to });
            }
            if operation.guard.is_some() || operation.part {
                return None;
            }
            match operation.kind.conduct() {
                Conduct::Registers(_) => count += 1,
                Conduct::Branch { target } => {
                    return Some(Way { start, operations: count, branches: true, to: target });
                }
                Conduct::Own(_)
                | Conduct::Access(_)
                | Conduct::Barrier(_)
                | Conduct::Leave
                | Conduct::Warp(_)
                | Conduct::Fence
                | Conduct::Block
                | Conduct::Beyond(_) => return None,
            }
        }
        None
    }

    fn side(&self, operations: &[Operation], constants: &Constants) -> Side {
        let range = self.start as usize..(self.start + self.operations) as usize;
        let all = self.operations + u32::from(self.branches);
        Side {
            run: run_of(&operations[range], constants),
            instructions: all,
            start: self.start,
            operations: all,
        }
    }
}

/// The diamond that begins with an operation, if there is one.
fn diamond(
    operations: &[Operation],
    pc: Pc,
    operation: &Operation,
    constants: &Constants,
) -> Option<Diamond> {
    let (Kind::Branch { target, .. }, Some(_), false) =
        (&operation.kind, operation.guard, operation.part)
    else {
        return None;
    };
    let (target, next) = (*target, pc + 1);
    let (taken, others) = (Way::from(operations, target), Way::from(operations, next));
    let [taken, others] = match (taken, others) {
        (Some(taken), Some(others)) if taken.to == others.to => [taken, others],
        (_, Some(others)) if others.to == target => [Way::none(target), others],
        (Some(taken), _) if taken.to == next => [taken, Way::none(next)],
        (_, _) => return None,
    };
    let join = taken.to;
    let rank = |pc: Pc| operations.get(pc as usize).map(|operation| operation.rank);
    let of_way = |way: &Way| if way.start == join { Some(0) } else { rank(way.start) };
    let highest = of_way(&taken)?.max(of_way(&others)?);
    // The parts furthest behind go first: they are on the ways, not behind the join.
    (rank(join)? > highest).then(|| Diamond {
        sides: [taken, others].map(|way| way.side(operations, constants)),
        join,
        rank: highest,
    })
}

#[cfg(test)]
mod tests {
    use crate::lower::{Placement, lower};

    /// The diamonds of a kernel: their first operations, the instructions of their ways, and the
    /// joins.
    fn diamonds(body: &str) -> Vec<(usize, [u32; 2], u32)> {
        let text = format!(
            ".version 7.0 .target sm_80 .address_size 64 .entry k() {{
             .reg .pred %p; .reg .u32 %a, %b; .reg .u64 %d; {body} add.u32 %b, %b, 9; ret; }}"
        );
        let module = crate::ptx::parse("k.ptx", &text).unwrap();
        let program = lower(&module, "k", &Placement::default()).unwrap();
        let at = |pc: usize| {
            let diamond = program.diamonds.at(pc as u32)?;
            let [taken, others] = &diamond.sides;
            Some((pc, [taken.instructions, others.instructions], diamond.join))
        };
        (0..program.operations.len()).filter_map(at).collect()
    }

    #[test]
    fn an_if_with_register_operations_is_a_diamond_with_and_without_an_else() {
        let one = "@%p bra past; add.u32 %a, %a, 1; add.u32 %b, %b, 1; past:";
        assert_eq!(diamonds(one), [(0, [0, 2], 3)]);
        let both = "@!%p bra other; add.u32 %a, %a, 1; bra past; other: sub.u32 %a, %a, 1; past:";
        assert_eq!(diamonds(both), [(0, [1, 2], 4)]);
        // The way behind the branch has only a jump.
        assert_eq!(
            diamonds("@%p bra other; bra past; other: sub.u32 %a, %a, 1; past:"),
            [(0, [1, 1], 3)]
        );
    }

    #[test]
    fn loops_accesses_guards_and_ways_that_others_join_are_no_diamonds() {
        for body in [
            "again: add.u32 %a, %a, 1; @%p bra again;",
            "@%p bra past; ld.global.u32 %a, [%d]; past:",
            "@%p bra past; @!%p add.u32 %a, %a, 1; past:",
            "@%p bra in; add.u32 %a, %a, 1; in: add.u32 %a, %a, 1; @%p bra past; ld.global.u32 %a, [%d]; past:",
            "@%p bra past; add.u32 %a, %a, 1; ret; past:",
            // Lanes that go back are behind the others.
            "again: add.u32 %a, %a, 1; @%p bra past; add.u32 %a, %a, 1; bra again; past:",
        ] {
            let found = diamonds(body);
            let is_if = |(_, ways, _): &(usize, [u32; 2], u32)| ways[0] == 0;
            assert!(found.iter().all(is_if) && found.len() <= 1, "{body}: {found:?}");
        }
    }
}
