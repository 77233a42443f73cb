//! Programs of threads: branches, loops, switches, calls, memory of every space and width,
//! barriers, warp operations, atomics (PTX ISA 9.7.9, 9.7.12, 9.7.13).
//!
//! Each thread has eight 32-bit values and its own cells in global, shared and local memory.
//! Statements of [`Statement`] touch only those, and common cells by atomics that commute and whose
//! answers nobody uses. So they may be in any divergent code. Statements of [`Together`] need all
//! threads of the block, or of the warp, and are only where all threads are. Every statement brings
//! the barriers that it needs. So any part of a program can be taken out, and the rest is still
//! valid and free of races. After each statement of the outermost level all values are stored.

mod draw;
mod write;
mod write_copies;
mod write_memory;
mod write_together;

use super::draw::Draw;
use super::program::Written;

/// 32-bit values of a thread: `%v0` to `%v7`.
pub const VALUES: usize = 8;

/// What a program is mostly made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the families of the same names")]
pub enum Kind {
    Divergence,
    Memory,
    Barriers,
    Warps,
    Atomics,
    Copies,
    Addresses,
}

/// A value, or a number in the text.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// `%v` and this number.
    Register(usize),
    /// A number.
    Number(u32),
}

/// What decides a branch.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// `setp` with this comparison and type.
    Compare(&'static str, usize, Value),
    /// A bit of a value.
    Bit(usize, u32),
    /// A bit of the lane's number.
    Lane(u32),
}

/// The memory of a thread's own cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the state spaces of the same names")]
pub enum Place {
    Shared,
    Local,
    Global,
}

/// A load or a store of own cells.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Which memory.
    pub place: Place,
    /// Through a generic address.
    pub generic: bool,
    /// A store, not a load.
    pub store: bool,
    /// The text between the opcode and the space: `.volatile`.
    pub semantics: &'static str,
    /// The type of an element: `s16`.
    pub ty: &'static str,
    /// Elements: 1, 2 or 4.
    pub elements: usize,
    /// Which value is the first.
    pub value: usize,
    /// Which aligned place among the thread's cells; a register: its low bits.
    pub at: Value,
    /// The value in the upper half of the address, where the hardware does not look at it.
    pub upper: Option<usize>,
}

/// An atomic on an own cell, whose answer is used.
#[derive(Clone, Copy, Debug)]
pub struct OwnAtomic {
    /// Shared or global.
    pub place: Place,
    /// Through a generic address.
    pub generic: bool,
    /// `.relaxed.gpu`, or nothing.
    pub semantics: &'static str,
    /// `add.u32`.
    pub operation: &'static str,
    /// Destination and sources.
    pub values: [usize; 3],
    /// Which 64-bit cell of the thread's four.
    pub cell: usize,
    /// As in [`Access`].
    pub upper: Option<usize>,
}

/// An asynchronous copy of own cells from global to shared memory, and the wait for it.
#[derive(Clone, Copy, Debug)]
pub struct OwnCopy {
    /// Bytes: 4, 8 or 16.
    pub bytes: u32,
    /// Past the first cache: `.cg`.
    pub past: bool,
    /// How many bytes are read; `None`: all.
    pub read: Option<Value>,
    /// The source is ignored where this holds, and nothing is said of bytes.
    pub ignored: Option<Condition>,
    /// Which aligned place among the thread's cells, of the copy and of its source.
    pub at: [Value; 2],
    /// Which of `write_copies::WAITS`.
    pub wait: usize,
}

/// A statement that any thread may execute alone.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `d = op(a, b, c)`, as many as the operation has; a guard for a predicated instruction.
    Compute(&'static str, usize, [Value; 3], Option<(Condition, bool)>),
    /// Two ways.
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// As many rounds as the low bits of a value say.
    Loop(usize, u32, Vec<Statement>),
    /// Leaves the innermost loop, or goes on with its next round.
    Leave(Condition, bool),
    /// Several ways, by `brx.idx`.
    Switch(usize, Vec<Vec<Statement>>),
    /// A call of one of the functions: destination, function, arguments, how.
    Call(usize, usize, [usize; 2], Calling),
    /// A load or a store.
    Access(Access),
    /// A constant at the index that a value gives, and the value in the upper half of its address.
    Constant(usize, usize, Option<usize>),
    /// A call of the function that calls itself: destination, argument, and the bits of a value
    /// that say how often.
    Recurse(usize, usize, usize, u32),
    /// Asks whether a generic address belongs to a space.
    Space(usize, Place, &'static str),
    /// Changes a common cell; which, by what value, and whether `atom` is written.
    Common(usize, usize, bool),
    /// Changes an own cell.
    Atomic(OwnAtomic),
    /// Copies own cells.
    Copy(OwnCopy),
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calling {
    /// By its name.
    Direct,
    /// Through an address that depends on a value.
    Indirect(usize),
}

/// What all threads of a block, or of a warp, do together.
#[derive(Clone, Debug)]
pub enum Together {
    /// Nothing: each alone.
    Alone(Statement),
    /// Each gives a value to the thread this many places before it: destination, source, distance,
    /// elements, which barrier, dynamic shared memory.
    Exchange(usize, usize, u32, usize, usize, bool),
    /// The same by asynchronous copies: destination, source, distance, how they are waited for.
    Fetch(usize, usize, u32, usize),
    /// The same within pairs of warps, which meet at their own barriers.
    Pairs(usize, usize, u32),
    /// Even warps produce and arrive; odd warps wait and consume.
    Produce(usize, usize),
    /// The same within a warp, by `bar.warp.sync`.
    WarpExchange(usize, usize, u32),
    /// A barrier that reduces: 0 counts, 1 and, 2 or; a spelling.
    Reduce(usize, usize, Condition, usize),
    /// A shuffle of full warps: mode, destination, source, lane or distance, `c`, a predicate.
    Shuffle(&'static str, usize, usize, Value, Value, bool),
    /// A vote, match or reduction of full warps.
    Warp(&'static str, usize, usize, Condition),
    /// Lanes divided by a condition: each part does a warp operation alone.
    Parts(Condition, &'static str, usize, usize),
    /// Rounds of all.
    Repeat(u32, Vec<Together>),
    /// Rounds of a warp until no lane has any left.
    While(usize, Vec<Statement>),
    /// Only blocks whose number has this bit.
    Block(u32, Vec<Together>),
    /// A fence.
    Fence(&'static str),
}

/// A program of threads.
#[derive(Clone, Debug)]
pub struct Structured {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Where in the table the values begin.
    pub first: usize,
    /// Constants.
    pub constants: [u32; 16],
    /// The bodies of the functions, of computations and branches alone.
    pub functions: Vec<Vec<Statement>>,
    /// What all do.
    pub body: Vec<Together>,
    /// What each does in the end, before which it may leave.
    pub tail: Vec<Statement>,
    /// Lanes that leave before the tail.
    pub leave: Option<Condition>,
}

impl Structured {
    /// Whether it calls the function that calls itself.
    pub(super) fn recurses(&self) -> bool {
        self.body.iter().any(recurses_together) || self.tail.iter().any(recurses)
    }

    /// A random program.
    pub fn drawn(kind: Kind, draw: &mut Draw) -> Structured {
        draw::program(kind, draw)
    }

    /// As PTX.
    pub fn write(&self, name: &str) -> Written {
        write::program(self, name)
    }

    /// Cells of the table that it reads, from the first on.
    pub fn cells(&self) -> usize {
        29 * VALUES + (self.blocks * self.threads) as usize
    }

    /// Statements, with those inside others.
    pub fn parts(&self) -> usize {
        let count = |list: &Vec<Together>| list.iter().map(count_together).sum::<usize>();
        count(&self.body) + self.tail.iter().map(count_statement).sum::<usize>()
    }

    /// The same without the statements of these numbers, and the statements inside them.
    #[must_use]
    pub fn without(&self, parts: std::ops::Range<usize>) -> Structured {
        let mut next = 0;
        let body = kept_together(&self.body, &parts, &mut next);
        let tail = kept(&self.tail, &parts, &mut next);
        Structured { body, tail, ..self.clone() }
    }
}

fn count_statement(statement: &Statement) -> usize {
    let all = |list: &Vec<Statement>| list.iter().map(count_statement).sum::<usize>();
    1 + match statement {
        Statement::If(_, yes, no) => all(yes) + all(no),
        Statement::Loop(_, _, body) => all(body),
        Statement::Switch(_, arms) => arms.iter().map(all).sum(),
        _ => 0,
    }
}

/// Whether a statement calls the function that calls itself.
fn recurses(statement: &Statement) -> bool {
    match statement {
        Statement::Recurse(..) => true,
        Statement::If(_, yes, no) => yes.iter().chain(no).any(recurses),
        Statement::Loop(_, _, body) => body.iter().any(recurses),
        Statement::Switch(_, arms) => arms.iter().flatten().any(recurses),
        Statement::Compute(..)
        | Statement::Leave(..)
        | Statement::Call(..)
        | Statement::Access(_)
        | Statement::Constant(..)
        | Statement::Space(..)
        | Statement::Common(..)
        | Statement::Atomic(_)
        | Statement::Copy(_) => false,
    }
}

/// The same of what all do together.
fn recurses_together(together: &Together) -> bool {
    match together {
        Together::Alone(statement) => recurses(statement),
        Together::Repeat(_, body) | Together::Block(_, body) => body.iter().any(recurses_together),
        Together::While(_, body) => body.iter().any(recurses),
        Together::Exchange(..)
        | Together::Fetch(..)
        | Together::Pairs(..)
        | Together::Produce(..)
        | Together::WarpExchange(..)
        | Together::Reduce(..)
        | Together::Shuffle(..)
        | Together::Warp(..)
        | Together::Parts(..)
        | Together::Fence(_) => false,
    }
}

fn count_together(together: &Together) -> usize {
    1 + match together {
        Together::Repeat(_, body) | Together::Block(_, body) => {
            body.iter().map(count_together).sum()
        }
        Together::While(_, body) => body.iter().map(count_statement).sum(),
        Together::Alone(statement) => count_statement(statement) - 1,
        _ => 0,
    }
}

type Parts = std::ops::Range<usize>;

fn kept(list: &[Statement], parts: &Parts, next: &mut usize) -> Vec<Statement> {
    let mut out = Vec::new();
    for statement in list {
        let number = *next;
        if parts.contains(&number) {
            *next += count_statement(statement);
            continue;
        }
        *next += 1;
        out.push(inside(statement, parts, next));
    }
    out
}

fn inside(statement: &Statement, parts: &Parts, next: &mut usize) -> Statement {
    match statement {
        Statement::If(condition, yes, no) => {
            let yes = kept(yes, parts, next);
            Statement::If(*condition, yes, kept(no, parts, next))
        }
        Statement::Loop(value, mask, body) => {
            Statement::Loop(*value, *mask, kept(body, parts, next))
        }
        Statement::Switch(value, arms) => {
            Statement::Switch(*value, arms.iter().map(|arm| kept(arm, parts, next)).collect())
        }
        other => other.clone(),
    }
}

fn kept_together(list: &[Together], parts: &Parts, next: &mut usize) -> Vec<Together> {
    let mut out = Vec::new();
    for together in list {
        let number = *next;
        if parts.contains(&number) {
            *next += count_together(together);
            continue;
        }
        *next += 1;
        out.push(match together {
            Together::Repeat(n, body) => Together::Repeat(*n, kept_together(body, parts, next)),
            Together::Block(bit, body) => Together::Block(*bit, kept_together(body, parts, next)),
            Together::While(value, body) => Together::While(*value, kept(body, parts, next)),
            Together::Alone(statement) => Together::Alone(inside(statement, parts, next)),
            other => other.clone(),
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_out_every_part_leaves_nothing_and_each_alone_leaves_the_others() {
        for number in 0..50 {
            let program = Structured::drawn(Kind::Barriers, &mut Draw::new(&[number]));
            let all = program.parts();
            assert_eq!(program.without(0..all).parts(), 0);
            let one_less = (0..all).map(|part| program.without(part..part + 1).parts());
            assert!(one_less.into_iter().all(|parts| parts < all));
        }
    }
}
