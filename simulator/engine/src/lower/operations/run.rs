//! Runs: consecutive register operations of a basic block, in the form in which they are executed:
//! some of them in pairs.
//!
//! No decision comes between them, so the execution of a run needs only the effects of its
//! operations. The result is the same as one after the other. Nothing here is part of the PTX ISA.

use crate::lanes::{Constants, Gang, Pair, RegisterOperation};
use crate::lower::operations::operand::Pc;
use crate::lower::operations::operation::{Kind, Operation};

/// A run of register operations without guards, each a whole instruction.
#[derive(Debug)]
pub(crate) struct Run {
    steps: Box<[Step]>,
    operations: u32,
}

/// A unit of execution.
#[derive(Clone, Copy, Debug)]
enum Step {
    One(RegisterOperation),
    Two(Pair),
}

impl Run {
    /// The number of its operations.
    #[inline(always)]
    pub(crate) fn operations(&self) -> u32 {
        self.operations
    }

    /// Executes all of them for the active lanes of each warp of a gang.
    #[inline(always)]
    pub(crate) fn drive(&self, gang: &mut Gang<'_, '_>) {
        for step in &self.steps {
            match step {
                Step::One(operation) => operation.drive(gang),
                Step::Two(pair) => pair.drive(gang),
            }
        }
    }
}

/// The runs of a program.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    /// For each operation, the number of the run that begins with it, from 1 on; 0 without one.
    beginning: Vec<u32>,
}

impl Runs {
    /// All runs of at least two operations.
    pub(crate) fn of(operations: &[Operation], constants: &Constants) -> Runs {
        let mut runs = Runs { runs: Vec::new(), beginning: vec![0; operations.len()] };
        let mut at = 0;
        while at < operations.len() {
            let found = register_operations(&operations[at..]);
            if found.len() > 1 {
                runs.runs
                    .push(Run { operations: found.len() as u32, steps: paired(&found, constants) });
                runs.beginning[at] = runs.runs.len() as u32;
            }
            at += found.len().max(1);
        }
        runs
    }

    /// The run that begins with an operation.
    #[inline(always)]
    pub(crate) fn at(&self, pc: Pc) -> Option<&Run> {
        let number = *self.beginning.get(pc as usize)?;
        self.runs.get((number as usize).wrapping_sub(1))
    }
}

/// Consecutive register operations without guards, in the form in which they are executed; `None`
/// without any.
pub(in crate::lower) fn run_of(operations: &[Operation], constants: &Constants) -> Option<Run> {
    let found = register_operations(operations);
    (!found.is_empty())
        .then(|| Run { operations: found.len() as u32, steps: paired(&found, constants) })
}

/// The operations from the first on that can form one run.
fn register_operations(operations: &[Operation]) -> Vec<RegisterOperation> {
    let mut found = Vec::new();
    for operation in operations {
        let Kind::Lanes(lanes) = &operation.kind else { break };
        let begins_another = operation.leader && !found.is_empty();
        if operation.guard.is_some() || operation.part || begins_another {
            break;
        }
        found.push(*lanes);
    }
    found
}

/// The same, paired with the next one where a loop exists for both. An operation could be paired
/// with the next one, which does not read its result. It stays alone if the one behind reads that:
/// the result is then still in the processor's registers.
fn paired(operations: &[RegisterOperation], constants: &Constants) -> Box<[Step]> {
    let mut steps = Vec::new();
    let mut rest = operations.iter();
    while let Some(first) = rest.next() {
        let of = |first, then| Pair::of(first, then, constants);
        let pair = match rest.as_slice() {
            [then, next, ..] => of(first, then).filter(|pair| {
                pair.is_chained() || !of(then, next).is_some_and(|p| p.is_chained())
            }),
            [then] => of(first, then),
            [] => None,
        };
        steps.push(match pair {
            Some(pair) => {
                rest.next();
                Step::Two(pair)
            }
            None => Step::One(*first),
        });
    }
    steps.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use crate::lower::{Placement, lower};

    /// The operations of each run, by the place of the first, and the number of its steps.
    fn runs(body: &str) -> Vec<(usize, u32, usize)> {
        let text = format!(
            ".version 7.0 .target sm_80 .address_size 64 .entry k() {{
             .reg .pred %p; .reg .u32 %a, %b, %c; .reg .u64 %d; {body} ret; }}"
        );
        let module = crate::ptx::parse("k.ptx", &text).unwrap();
        let program = lower(&module, "k", &Placement::default()).unwrap();
        let at = |pc: usize| {
            program.runs.at(pc as u32).map(|run| (pc, run.operations(), run.steps.len()))
        };
        (0..program.operations.len()).filter_map(at).collect()
    }

    #[test]
    fn what_reads_the_result_of_the_operation_before_is_executed_with_it() {
        assert_eq!(runs("shl.b32 %a, %b, 3; xor.b32 %b, %a, %b; sub.u32 %c, %a, %b;"), [(0, 3, 2)]);
        // Neither reads it, and the shift is by a register.
        assert_eq!(runs("shl.b32 %a, %b, 3; xor.b32 %c, %b, %b;"), [(0, 2, 2)]);
        assert_eq!(runs("shl.b32 %a, %b, %c; xor.b32 %b, %a, %b;"), [(0, 2, 2)]);
    }

    #[test]
    fn a_run_ends_where_something_is_decided() {
        assert_eq!(runs("add.u32 %a, %a, 1; add.u32 %a, %a, 1;"), [(0, 2, 1)]);
        assert_eq!(runs("add.u32 %a, %a, 1; @%p add.u32 %a, %a, 1; add.u32 %a, %a, 1;"), []);
        assert_eq!(
            runs("add.u32 %a, %a, 1; to: add.u32 %a, %a, 1; add.u32 %a, %a, 2; @%p bra to;"),
            [(1, 2, 1)]
        );
        assert_eq!(
            runs(
                "add.u32 %a, %a, 1; ld.global.u32 %b, [%d]; add.u32 %a, %a, 1; add.u32 %a, %a, 1;"
            ),
            [(2, 2, 1)]
        );
    }
}
