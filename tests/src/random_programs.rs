//! Random structured programs of several warps whose result does not depend on who runs when.
//!
//! Every thread works on cells of its own in global, shared and local memory, in branches and loops
//! that make lanes diverge. Threads meet only where all of them are: they exchange values through
//! shared memory between barriers, and through shuffles and votes of full warps. Atomics are those
//! whose final value does not depend on their order, and nobody reads what they return.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;

/// Registers that hold data: `%v0` to `%v5`.
pub const REGISTERS: u8 = 6;

/// Cells of a thread in each memory.
pub const CELLS: u32 = 4;

/// Cells that all threads change, behind the cells of the threads.
pub const COMMON: u32 = 6;

/// A comparison of a register with a number.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    comparison: &'static str,
    register: u8,
    number: u32,
}

/// What any thread may do alone.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `d = a OP b`.
    Compute(&'static str, u8, u8, u8),
    /// `d = a OP number`.
    Number(&'static str, u8, u8, u32),
    /// Two ways.
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// As many rounds as the low two bits of a register say.
    Loop(u8, Vec<Statement>),
    /// Stores a register to an own cell.
    Store(&'static str, u32, u8),
    /// Loads one.
    Load(&'static str, u32, u8),
    /// Changes a common cell atomically.
    Atomic(usize, u8, bool),
    /// Works on several of the own cells in global memory, or several registers, at once: which of
    /// `WIDE`, and the first register.
    Wide(usize, u8),
    /// Calls a function that loops.
    Call(u8, u8, u8),
    /// Ends the thread.
    ExitIf(Condition),
}

/// What threads do together.
#[derive(Clone, Debug)]
pub enum Together {
    /// Nothing: each alone.
    Alone(Statement),
    /// Everybody gives a value through shared memory to the thread this many places before it.
    Exchange(u8, u8, u32),
    /// A shuffle of a full warp.
    Shuffle(&'static str, u8, u8, u8),
    /// A ballot of a full warp.
    Ballot(u8, Condition),
    /// A barrier that counts.
    Count(u8, Condition),
    /// Rounds of all.
    Repeat(u32, Vec<Together>),
}

/// A program and how it is launched.
#[derive(Clone, Debug)]
pub struct Program {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// What all do.
    pub body: Vec<Together>,
    /// What each does in the end, where it may also leave.
    pub tail: Vec<Statement>,
}

const OPERATIONS: [&str; 8] =
    ["add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32", "or.b32", "min.u32", "max.s32"];
/// An operation on several words at once. `A` to `D` mean four registers.
const WIDE: [&str; 11] = [
    "atom.global.add.noftz.v2.f16x2 {A, B}, [%c], {C, D};",
    "red.global.max.noftz.v2.f16x2 [%c+8], {A, C};",
    "atom.global.min.noftz.v4.f16x2 {A, B, C, D}, [%c], {D, C, B, A};",
    "mov.b128 %q0, {A, B, C, D}; atom.global.exch.b128 %q0, [%c], %q0; mov.b128 {D, C, B, A}, %q0;",
    "mov.b128 %q0, {A, B, C, D}; ld.global.b128 %q1, [%c]; atom.global.cas.b128 %q1, [%c], %q1, %q0; mov.b128 {B, A, D, C}, %q1;",
    "mov.b128 %q0, {A, B, C, D}; mov.b128 %q1, {D, A, C, B}; atom.global.cas.b128 %q0, [%c], %q0, %q1; mov.b128 {A, B, C, D}, %q0;",
    "mov.b128 %q1, {C, A, D, B}; st.global.b128 [%c], %q1;",
    "ld.global.b128 %q1, [%c]; mov.b128 %q0, %q1; mov.b128 {A, B, C, D}, %q0;",
    "mov.v4.b32 {A, B, C, D}, {B, C, D, A};",
    "mov.v2.u32 {A, B}, {B, A};",
    "ld.global.v4.u32 {D, B, A, C}, [%c]; st.global.v4.u32 [%c], {A, B, C, D};",
];

const COMMON_OPERATIONS: [&str; COMMON as usize] =
    ["add.u32", "xor.b32", "or.b32", "and.b32", "min.u32", "max.u32"];

fn register() -> impl Strategy<Value = u8> {
    0..REGISTERS
}

fn condition() -> impl Strategy<Value = Condition> {
    let comparison = prop::sample::select(vec!["lt.u32", "ge.s32", "eq.u32", "ne.u32"]);
    let number = prop_oneof![0u32..40, Just(1 << 31), any::<u32>()];
    (comparison, register(), number).prop_map(|(comparison, register, number)| Condition {
        comparison,
        register,
        number,
    })
}

fn simple() -> impl Strategy<Value = Statement> {
    let operation = || prop::sample::select(OPERATIONS.to_vec());
    let space = || prop::sample::select(vec!["global", "shared", "local"]);
    let number = prop_oneof![0u32..64, any::<u32>()];
    prop_oneof![
        4 => (operation(), register(), register(), register())
            .prop_map(|(o, d, a, b)| Statement::Compute(o, d, a, b)),
        3 => (operation(), register(), register(), number)
            .prop_map(|(o, d, a, n)| Statement::Number(o, d, a, n)),
        2 => (space(), 0..CELLS, register()).prop_map(|(s, c, r)| Statement::Store(s, c, r)),
        2 => (space(), 0..CELLS, register()).prop_map(|(s, c, r)| Statement::Load(s, c, r)),
        2 => (0..COMMON as usize, register(), any::<bool>())
            .prop_map(|(k, r, a)| Statement::Atomic(k, r, a)),
        2 => (0..WIDE.len(), register()).prop_map(|(which, first)| Statement::Wide(which, first)),
        1 => (register(), register(), register()).prop_map(|(d, a, b)| Statement::Call(d, a, b)),
    ]
}

fn statement() -> impl Strategy<Value = Statement> {
    simple().prop_recursive(3, 20, 4, |inner| {
        let body = || vec(inner.clone(), 0..4);
        prop_oneof![
            2 => (condition(), body(), body()).prop_map(|(c, yes, no)| Statement::If(c, yes, no)),
            1 => (register(), body()).prop_map(|(r, body)| Statement::Loop(r, body)),
        ]
    })
}

fn together() -> impl Strategy<Value = Together> {
    let mode = prop::sample::select(vec!["up", "down", "bfly", "idx"]);
    let leaf = prop_oneof![
        5 => statement().prop_map(Together::Alone),
        2 => (register(), register(), 1u32..70).prop_map(|(d, a, n)| Together::Exchange(d, a, n)),
        1 => (mode, register(), register(), 0u8..32)
            .prop_map(|(m, d, a, n)| Together::Shuffle(m, d, a, n)),
        1 => (register(), condition()).prop_map(|(d, c)| Together::Ballot(d, c)),
        1 => (register(), condition()).prop_map(|(d, c)| Together::Count(d, c)),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        (1u32..4, vec(inner, 1..4)).prop_map(|(n, body)| Together::Repeat(n, body))
    })
}

/// Programs of one or two blocks of one to three warps. The last warp need not be full.
pub fn programs() -> impl Strategy<Value = Program> {
    let threads = prop::sample::select(vec![32u32, 64, 96, 50, 7]);
    let leave = condition().prop_map(Statement::ExitIf);
    let tail = vec(prop_oneof![4 => statement(), 1 => leave], 0..5);
    (1u32..3, threads, vec(together(), 1..8), tail)
        .prop_map(|(blocks, threads, body, tail)| Program { blocks, threads, body, tail })
}

impl Program {
    /// The cells of its buffer: the cells of all threads, then the common ones.
    pub fn cells(&self) -> u32 {
        self.blocks * self.threads * CELLS + COMMON
    }

    /// The program as PTX: a kernel `k` with the buffer as its parameter.
    pub fn text(&self) -> String {
        let mut writer = Writer { out: String::new(), labels: 0, program: self };
        writer.program();
        writer.out
    }
}

struct Writer<'a> {
    out: String,
    labels: u32,
    program: &'a Program,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn program(&mut self) {
        let Program { threads, blocks, .. } = *self.program;
        let (shared, common) = (threads * CELLS, blocks * threads * CELLS * 4);
        let _ = write!(
            self.out,
            ".version 8.3\n.target sm_90\n.address_size 64\n\
             .func (.reg .u32 %y) mix(.reg .u32 %a, .reg .u32 %b)\n{{\n  .reg .pred %q;\n  \
             .reg .u32 %n;\n  \
             mov.u32 %y, %a;\n  and.b32 %n, %b, 3;\nagain:\n  setp.eq.u32 %q, %n, 0;\n  \
             @%q bra done;\n  \
             mul.lo.u32 %y, %y, 1664525;\n  add.u32 %y, %y, %b;\n  sub.u32 %n, %n, 1;\n  \
             bra again;\ndone:\n  \
             setp.ge.s32 %q, %y, 0;\n  @%q ret;\n  xor.b32 %y, %y, %a;\n  ret;\n}}\n\
             .shared .align 4 .u32 own[{shared}];\n.shared .align 4 .u32 given[{threads}];\n\
             .visible .entry k(.param .u64 buffer)\n{{\n  .local .align 4 .u32 kept[{CELLS}];\n  \
             .reg .pred %p;\n  .reg .u32 %v<{REGISTERS}>, %n<64>, %t, %b, %s, %g, %x;\n  \
             .reg .u64 %c, %m, %w;\n  .reg .b128 %q<2>;\n"
        );
        self.line("ld.param.u64 %c, [buffer];");
        self.line(&format!("add.u64 %m, %c, {common};"));
        self.line("mov.u32 %t, %tid.x;");
        self.line("mov.u32 %b, %ctaid.x;");
        self.line(&format!("mad.lo.u32 %x, %b, {threads}, %t;"));
        self.line(&format!("mul.wide.u32 %w, %x, {};", CELLS * 4));
        self.line("add.u64 %c, %c, %w;");
        self.line("mov.u32 %s, own;");
        self.line(&format!("mad.lo.u32 %s, %t, {}, %s;", CELLS * 4));
        self.line("mov.u32 %g, given;");
        for i in 0..u32::from(REGISTERS) {
            self.line(&format!("mad.lo.u32 %v{i}, %x, {}, {};", 1 + i * 2, i * 3));
        }
        for i in 0..CELLS {
            self.line(&format!("st.shared.u32 [%s+{}], {i};", i * 4));
            self.line(&format!("st.local.u32 [kept+{}], %t;", i * 4));
        }
        self.program.body.iter().for_each(|t| self.together(t, 0));
        self.program.tail.iter().for_each(|s| self.statement(s, 0));
        for i in 0..CELLS {
            self.line(&format!("ld.global.u32 %x, [%c+{}];", i * 4));
            self.line(&format!("xor.b32 %x, %x, %v{i};"));
            self.line(&format!("st.global.u32 [%c+{}], %x;", i * 4));
        }
        self.out.push_str("  ret;\n}\n");
    }

    fn set(&mut self, condition: &Condition) {
        let Condition { comparison, register, number } = condition;
        self.line(&format!("setp.{comparison} %p, %v{register}, {number};"));
    }

    fn together(&mut self, together: &Together, depth: u32) {
        let full = self.program.threads.is_multiple_of(32);
        match together {
            Together::Alone(statement) => self.statement(statement, depth),
            Together::Exchange(d, a, places) => {
                self.line("shl.b32 %x, %t, 2;");
                self.line("add.u32 %x, %x, %g;");
                self.line(&format!("st.shared.u32 [%x], %v{a};"));
                self.line("bar.sync 0;");
                self.line(&format!("add.u32 %x, %t, {places};"));
                self.line(&format!("rem.u32 %x, %x, {};", self.program.threads));
                self.line("shl.b32 %x, %x, 2;");
                self.line("add.u32 %x, %x, %g;");
                self.line(&format!("ld.shared.u32 %v{d}, [%x];"));
                self.line("bar.sync 0;");
            }
            Together::Shuffle(mode, d, a, by) if full => {
                let c = if *mode == "up" { 0 } else { 31 };
                self.line(&format!("shfl.sync.{mode}.b32 %v{d}, %v{a}, {by}, {c}, 0xffffffff;"));
            }
            Together::Ballot(d, condition) if full => {
                self.set(condition);
                self.line(&format!("vote.sync.ballot.b32 %v{d}, %p, 0xffffffff;"));
            }
            Together::Shuffle(..) | Together::Ballot(..) => {}
            Together::Count(d, condition) => {
                self.set(condition);
                self.line(&format!("bar.red.popc.u32 %v{d}, 1, %p;"));
            }
            Together::Repeat(rounds, body) => {
                let rounds = rounds.to_string();
                self.rounds(&rounds, depth, |w| body.iter().for_each(|t| w.together(t, depth + 1)));
            }
        }
    }

    fn rounds(&mut self, count: &str, depth: u32, body: impl FnOnce(&mut Self)) {
        let (again, done) = (self.label(), self.label());
        self.line(&format!("mov.u32 %n{depth}, {count};"));
        self.line(&format!("L{again}:"));
        self.line(&format!("setp.eq.u32 %p, %n{depth}, 0;"));
        self.line(&format!("@%p bra L{done};"));
        self.line(&format!("sub.u32 %n{depth}, %n{depth}, 1;"));
        body(self);
        self.line(&format!("bra L{again};"));
        self.line(&format!("L{done}:"));
    }

    fn statement(&mut self, statement: &Statement, depth: u32) {
        match statement {
            Statement::Compute(o, d, a, b) => self.line(&format!("{o} %v{d}, %v{a}, %v{b};")),
            Statement::Number(o, d, a, n) => {
                self.line(&format!("{o} %v{d}, %v{a}, {};", *n as i32))
            }
            Statement::If(condition, yes, no) => {
                let (other, join) = (self.label(), self.label());
                self.set(condition);
                self.line(&format!("@!%p bra L{other};"));
                yes.iter().for_each(|s| self.statement(s, depth));
                self.line(&format!("bra L{join};"));
                self.line(&format!("L{other}:"));
                no.iter().for_each(|s| self.statement(s, depth));
                self.line(&format!("L{join}:"));
            }
            Statement::Loop(r, body) => {
                self.line(&format!("and.b32 %x, %v{r}, 3;"));
                self.rounds("%x", depth, |w| body.iter().for_each(|s| w.statement(s, depth + 1)));
            }
            Statement::Store(space, cell, r) => {
                self.line(&format!("st.{space}.u32 [{}+{}], %v{r};", base(space), cell * 4));
            }
            Statement::Load(space, cell, r) => {
                self.line(&format!("ld.{space}.u32 %v{r}, [{}+{}];", base(space), cell * 4));
            }
            Statement::Atomic(kind, r, old) => {
                let (operation, at) = (COMMON_OPERATIONS[*kind], *kind * 4);
                self.line(&match old {
                    true => format!("atom.global.{operation} %x, [%m+{at}], %v{r};"),
                    false => format!("red.global.{operation} [%m+{at}], %v{r};"),
                });
            }
            Statement::Wide(which, first) => {
                let mut text = WIDE[*which].to_owned();
                for (letter, i) in ["A", "B", "C", "D"].iter().zip(0..) {
                    text = text.replace(letter, &format!("%v{}", (first + i) % REGISTERS));
                }
                self.line(&text);
            }
            Statement::Call(d, a, b) => self.line(&format!("call (%v{d}), mix, (%v{a}, %v{b});")),
            Statement::ExitIf(condition) => {
                self.set(condition);
                self.line("@%p exit;");
            }
        }
    }
}

/// The register or variable that a thread's own cells of a space begin at.
fn base(space: &str) -> &'static str {
    match space {
        "global" => "%c",
        "shared" => "%s",
        _ => "kept",
    }
}
