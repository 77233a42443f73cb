//! Drawing a structured program.

use super::{
    Access, Calling, Condition, Kind, OwnAtomic, OwnCopy, Place, Statement, Structured, Together,
    VALUES, Value,
};
use crate::differential::draw::Draw;
use crate::differential::operands::{PLACES, Pool};

/// Operations on 32-bit values, with how many sources they have.
const OPERATIONS: &[(&str, usize)] = &[
    ("add.u32", 2),
    ("sub.u32", 2),
    ("mul.lo.u32", 2),
    ("mul.hi.s32", 2),
    ("mad.lo.u32", 3),
    ("xor.b32", 2),
    ("and.b32", 2),
    ("or.b32", 2),
    ("not.b32", 1),
    ("min.u32", 2),
    ("max.s32", 2),
    ("shl.b32", 2),
    ("shr.u32", 2),
    ("shr.s32", 2),
    ("shf.l.wrap.b32", 3),
    ("shf.r.clamp.b32", 3),
    ("prmt.b32", 3),
    ("popc.b32", 1),
    ("clz.b32", 1),
    ("brev.b32", 1),
    ("bfind.u32", 1),
    ("sad.u32", 3),
];

const COMPARISONS: &[&str] = &["lt.u32", "ge.s32", "eq.u32", "ne.u32", "gt.s32", "ls.u32"];

pub(super) fn program(kind: Kind, draw: &mut Draw) -> Structured {
    let threads = match kind {
        Kind::Barriers | Kind::Warps => draw.of(&[64, 128, 128, 256]),
        _ => draw.of(&[32, 64, 128, 128, 100, 50]),
    };
    let mut program = Structured {
        blocks: draw.of(&[1, 2, 4]),
        threads,
        first: Pool::Word32.start() + draw.below(PLACES - 256),
        constants: std::array::from_fn(|_| Pool::Word32.value(draw) as u32),
        functions: Vec::new(),
        body: Vec::new(),
        tail: Vec::new(),
        leave: draw.percent(40).then(|| condition(draw)),
    };
    let functions = match kind {
        Kind::Divergence => 2,
        Kind::Memory
        | Kind::Barriers
        | Kind::Warps
        | Kind::Atomics
        | Kind::Copies
        | Kind::Addresses => draw.below(2),
    };
    let mut drawing = Drawing { kind, draw, functions: 0, loops: 0, pure: true };
    for _ in 0..functions {
        let body = drawing.statements(4, 1);
        program.functions.push(body);
    }
    (drawing.functions, drawing.pure) = (functions, false);
    let count = 4 + drawing.draw.below(5);
    program.body = (0..count).map(|_| drawing.together(0)).collect();
    let tail = drawing.draw.below(4);
    program.tail = (0..tail).map(|_| drawing.statement(2)).collect();
    program
}

fn register(draw: &mut Draw) -> usize {
    draw.below(VALUES)
}

fn value(draw: &mut Draw) -> Value {
    match draw.below(10) {
        0 => Value::Number(Pool::Word32.value(draw) as u32),
        1 => Value::Number(draw.below(40) as u32),
        _ => Value::Register(register(draw)),
    }
}

fn condition(draw: &mut Draw) -> Condition {
    match draw.below(4) {
        0 => Condition::Lane(draw.below(5) as u32),
        1 => Condition::Bit(register(draw), draw.below(32) as u32),
        _ => Condition::Compare(
            draw.of(COMPARISONS),
            register(draw),
            Value::Register(register(draw)),
        ),
    }
}

struct Drawing<'a> {
    kind: Kind,
    draw: &'a mut Draw,
    /// Functions that may be called.
    functions: usize,
    /// Loops around the place.
    loops: usize,
    /// Inside a function, which has no cells and calls nobody.
    pure: bool,
}

impl Drawing<'_> {
    fn statements(&mut self, most: usize, depth: usize) -> Vec<Statement> {
        let count = self.draw.below(most + 1);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let branch = match self.kind {
            Kind::Divergence => 38,
            _ => 20,
        };
        if depth > 0 && self.draw.percent(branch) {
            return self.branch(depth - 1);
        }
        let special = match self.kind {
            Kind::Divergence => 25,
            Kind::Memory | Kind::Atomics | Kind::Copies | Kind::Addresses => 65,
            _ => 20,
        };
        if !self.pure && self.draw.percent(special) { self.special() } else { self.compute() }
    }

    fn branch(&mut self, depth: usize) -> Statement {
        match self.draw.below(10) {
            0..5 => {
                let yes = self.statements(3, depth);
                Statement::If(condition(self.draw), yes, self.statements(3, depth))
            }
            5..8 => {
                self.loops += 1;
                let body = self.statements(4, depth);
                self.loops -= 1;
                let mask = self.draw.of(&[1, 3, 7]);
                Statement::Loop(register(self.draw), mask, body)
            }
            8 if self.loops > 0 => Statement::Leave(condition(self.draw), self.draw.percent(60)),
            _ => {
                let arms = 2 + self.draw.below(4);
                let arms = (0..arms).map(|_| self.statements(2, depth)).collect();
                Statement::Switch(register(self.draw), arms)
            }
        }
    }

    fn compute(&mut self) -> Statement {
        let (operation, _) = self.draw.of(OPERATIONS);
        let sources = [value(self.draw), value(self.draw), value(self.draw)];
        let guard = self.draw.percent(20).then(|| (condition(self.draw), self.draw.percent(50)));
        Statement::Compute(operation, register(self.draw), sources, guard)
    }

    fn special(&mut self) -> Statement {
        let share = match self.kind {
            Kind::Divergence => [70, 95],
            Kind::Atomics => [5, 25],
            _ => [6, 92],
        };
        if self.kind == Kind::Copies && self.draw.percent(60) {
            return self.own_copy();
        }
        if self.kind == Kind::Addresses && self.draw.percent(25) {
            let (d, value, count) = (register(self.draw), register(self.draw), register(self.draw));
            return Statement::Recurse(d, value, count, self.draw.of(&[1, 3, 7, 15]));
        }
        let what = self.draw.below(100);
        if what < share[0] && self.functions > 0 {
            let how = match self.draw.percent(30) && self.functions > 1 {
                true => Calling::Indirect(register(self.draw)),
                false => Calling::Direct,
            };
            let function = self.draw.below(self.functions);
            let arguments = [register(self.draw), register(self.draw)];
            return Statement::Call(register(self.draw), function, arguments, how);
        }
        if what < share[1] {
            return self.memory();
        }
        if self.draw.percent(50) {
            return Statement::Common(
                self.draw.below(super::write::COMMON.len()),
                register(self.draw),
                self.draw.percent(40),
            );
        }
        self.own_atomic()
    }

    fn memory(&mut self) -> Statement {
        match self.draw.below(12) {
            0 => {
                let (d, index) = (register(self.draw), register(self.draw));
                Statement::Constant(d, index, self.upper())
            }
            1 => Statement::Space(
                register(self.draw),
                self.place(),
                self.draw.of(&["shared", "local", "global", "const", "shared::cta"]),
            ),
            _ => self.access(),
        }
    }

    /// The value in the upper half of an address.
    fn upper(&mut self) -> Option<usize> {
        (self.kind == Kind::Addresses && self.draw.percent(80)).then(|| register(self.draw))
    }

    fn place(&mut self) -> Place {
        self.draw.of(&[Place::Shared, Place::Local, Place::Global])
    }

    fn access(&mut self) -> Statement {
        const TYPES: &[&str] =
            &["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64"];
        let (place, store) = (self.place(), self.draw.percent(50));
        let ty = self.draw.of(TYPES);
        let elements = self.draw.of(&[1, 1, 1, 2, 4]);
        let elements = if ty.ends_with("64") { elements.min(2) } else { elements };
        let strong = match (place, store) {
            (Place::Local, true) => &["", ".weak"][..],
            (Place::Local, false) => &["", ".weak"],
            (_, true) => {
                &["", "", ".weak", ".volatile", ".relaxed.gpu", ".release.cta", ".relaxed.sys"]
            }
            (_, false) => {
                &["", "", ".weak", ".volatile", ".relaxed.cta", ".acquire.gpu", ".relaxed.sys"]
            }
        };
        let at = match self.draw.percent(40) {
            true => Value::Register(register(self.draw)),
            false => Value::Number(self.draw.below(32) as u32),
        };
        Statement::Access(Access {
            place,
            generic: self.draw.percent(25),
            store,
            semantics: if elements == 1 { self.draw.of(strong) } else { "" },
            ty,
            elements,
            value: register(self.draw),
            at,
            upper: self.upper(),
        })
    }

    fn own_atomic(&mut self) -> Statement {
        const OPERATIONS: &[&str] = &[
            "add.u32", "add.s32", "add.u64", "min.u32", "min.s32", "max.u32", "max.s32", "min.u64",
            "min.s64", "max.u64", "max.s64", "and.b32", "or.b32", "xor.b32", "and.b64", "or.b64",
            "xor.b64", "exch.b32", "exch.b64", "cas.b32", "cas.b64", "inc.u32", "dec.u32",
        ];
        Statement::Atomic(OwnAtomic {
            place: self.draw.of(&[Place::Shared, Place::Global]),
            generic: self.draw.percent(25),
            semantics: self.draw.of(&[
                "",
                "",
                ".relaxed.cta",
                ".acq_rel.gpu",
                ".relaxed.sys",
                ".acquire.gpu",
                ".release.cta",
            ]),
            operation: self.draw.of(OPERATIONS),
            values: [register(self.draw), register(self.draw), register(self.draw)],
            cell: self.draw.below(4),
            upper: self.upper(),
        })
    }

    fn own_copy(&mut self) -> Statement {
        let bytes = self.draw.of(&[4, 8, 16, 16]);
        let place = |draw: &mut Draw| match draw.percent(40) {
            true => Value::Register(register(draw)),
            false => Value::Number(draw.below(8) as u32),
        };
        let at = [place(self.draw), place(self.draw)];
        let read = self.draw.percent(40).then(|| match self.draw.percent(50) {
            true => Value::Register(register(self.draw)),
            false => Value::Number(self.draw.below(bytes as usize + 1) as u32),
        });
        Statement::Copy(OwnCopy {
            bytes,
            past: bytes == 16 && self.draw.percent(50),
            read,
            ignored: (read.is_none() && self.draw.percent(30)).then(|| condition(self.draw)),
            at,
            wait: self.draw.below(super::write_copies::WAITS.len()),
        })
    }

    fn together(&mut self, depth: usize) -> Together {
        let share = match self.kind {
            Kind::Barriers | Kind::Warps => 70,
            Kind::Copies => 45,
            _ => 12,
        };
        if !self.draw.percent(share) {
            let depth = if self.draw.percent(30) { 3 } else { 2 };
            return Together::Alone(self.statement(depth));
        }
        if depth < 2 && self.draw.percent(15) {
            let count = 1 + self.draw.below(3);
            let body = (0..count).map(|_| self.together(depth + 1)).collect();
            return match self.draw.percent(60) {
                true => Together::Repeat(2 + self.draw.below(3) as u32, body),
                false => Together::Block(self.draw.below(2) as u32, body),
            };
        }
        let warps = match self.kind {
            Kind::Barriers => 15,
            Kind::Warps => 85,
            _ => 40,
        };
        if self.draw.percent(warps) { self.warp() } else { self.barrier() }
    }

    fn barrier(&mut self) -> Together {
        let (d, a) = (register(self.draw), register(self.draw));
        if self.kind == Kind::Copies && self.draw.percent(75) {
            let by = 1 + self.draw.below(70) as u32;
            return Together::Fetch(d, a, by, self.draw.below(super::write_copies::FETCHES));
        }
        match self.draw.below(12) {
            0..4 => Together::Exchange(
                d,
                a,
                1 + self.draw.below(70) as u32,
                self.draw.of(&[1, 1, 2, 4]),
                self.draw.below(super::write_together::BARRIERS.len()),
                self.draw.percent(40),
            ),
            4..6 => Together::Pairs(d, a, 1 + self.draw.below(63) as u32),
            6..8 => Together::Produce(d, a),
            8 => Together::Fence(self.draw.of(&[
                "membar.cta",
                "membar.gl",
                "fence.sc.cta",
                "fence.acq_rel.gpu",
                "fence.acq_rel.sys",
            ])),
            9 => Together::WarpExchange(d, a, 1 + self.draw.below(31) as u32),
            _ => Together::Reduce(self.draw.below(3), d, condition(self.draw), self.draw.below(4)),
        }
    }

    fn warp(&mut self) -> Together {
        let (d, a) = (register(self.draw), register(self.draw));
        match self.draw.below(10) {
            0..4 => {
                let mode = self.draw.of(&["up", "down", "bfly", "idx"]);
                let by = match self.draw.percent(40) {
                    true => Value::Register(register(self.draw)),
                    false => Value::Number(self.draw.below(34) as u32),
                };
                let segment = self.draw.of(&[0u32, 0, 16, 24, 28, 30, 7]) << 8;
                let clamp = match self.draw.below(6) {
                    0 => Value::Register(register(self.draw)),
                    1 => Value::Number(segment | self.draw.below(32) as u32),
                    _ => Value::Number(segment | if mode == "up" { 0 } else { 31 }),
                };
                Together::Shuffle(mode, d, a, by, clamp, self.draw.percent(40))
            }
            4..7 => {
                let operation = self.draw.of(super::write_together::WARP);
                Together::Warp(operation, d, a, condition(self.draw))
            }
            7..9 => {
                let operation = self.draw.of(super::write_together::PARTS);
                Together::Parts(condition(self.draw), operation, d, a)
            }
            _ => Together::While(d, self.statements(3, 1)),
        }
    }
}

/// How many sources an operation has.
pub(super) fn sources(operation: &str) -> usize {
    OPERATIONS.iter().find(|(name, _)| *name == operation).map_or(2, |(_, sources)| *sources)
}
