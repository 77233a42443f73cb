//! Writing what threads do together: barriers, and operations of warps.

use super::write::Writer;
use super::{Condition, Statement, Together, Value};

/// Spellings of a barrier of the whole block; `T` is how many threads it has.
pub(super) const BARRIERS: &[&str] = &[
    "bar.sync 0;",
    "barrier.sync 0;",
    "bar.sync 1;",
    "bar.sync 3, T;",
    "barrier.sync 4, T;",
    "barrier.sync.aligned 5;",
    "bar.cta.sync 6;",
    "barrier.cta.sync.aligned 7, T;",
];

/// Operations of full warps.
pub(super) const WARP: &[&str] = &[
    "vote.sync.all.pred",
    "vote.sync.any.pred",
    "vote.sync.uni.pred",
    "vote.sync.ballot.b32",
    "match.any.sync.b32",
    "match.any.sync.b64",
    "match.all.sync.b32",
    "match.all.sync.b64",
    "redux.sync.add.u32",
    "redux.sync.add.s32",
    "redux.sync.min.u32",
    "redux.sync.min.s32",
    "redux.sync.max.u32",
    "redux.sync.max.s32",
    "redux.sync.and.b32",
    "redux.sync.or.b32",
    "redux.sync.xor.b32",
];

/// Operations of parts of warps; the shuffle takes the value of the part's lowest lane.
pub(super) const PARTS: &[&str] = &[
    "shfl.sync.idx.b32",
    "shfl.sync.idx.b32",
    "vote.sync.all.pred",
    "vote.sync.any.pred",
    "vote.sync.uni.pred",
    "vote.sync.ballot.b32",
    "match.any.sync.b32",
    "match.all.sync.b32",
    "redux.sync.add.u32",
    "redux.sync.min.s32",
    "redux.sync.xor.b32",
];

const FULL: &str = "0xffffffff";

impl Writer<'_> {
    pub(super) fn together(&mut self, together: &Together) {
        match together {
            Together::Alone(statement) => self.statement(statement),
            Together::Exchange(d, a, by, elements, barrier, dynamic) => {
                self.exchange([*d, *a], *by, *elements, *barrier, *dynamic);
            }
            Together::Fetch(d, a, by, how) => self.fetch(*d, *a, *by, *how),
            Together::Pairs(d, a, by) => self.pairs(*d, *a, *by),
            Together::Produce(d, a) => self.produce(*d, *a),
            Together::WarpExchange(d, a, by) => self.warp_exchange(*d, *a, *by),
            Together::Reduce(kind, d, condition, spelling) => {
                self.reduce(*kind, *d, condition, *spelling);
            }
            Together::Shuffle(mode, d, a, by, c, predicate) => {
                self.shuffle(mode, [*d, *a], [*by, *c], *predicate);
            }
            Together::Warp(operation, d, a, condition) => {
                if self.program.threads.is_multiple_of(32) {
                    self.condition(condition);
                    self.warp(operation, *d, *a, FULL);
                }
            }
            Together::Parts(condition, operation, d, a) => {
                if self.program.threads.is_multiple_of(32) {
                    self.in_parts(condition, operation, *d, *a);
                }
            }
            Together::Repeat(rounds, body) => {
                self.rounds(&rounds.to_string(), |w| body.iter().for_each(|t| w.together(t)));
            }
            Together::While(value, body) => self.while_any(*value, body),
            Together::Block(bit, body) => {
                let label = self.label();
                self.line(&format!("and.b32 %x, %b, {};", 1 << bit));
                self.line("setp.eq.u32 %q, %x, 0;");
                self.line(&format!("@%q bra L{label};"));
                body.iter().for_each(|t| self.together(t));
                self.line(&format!("L{label}:"));
            }
            Together::Fence(fence) => self.line(&format!("{fence};")),
        }
    }

    /// The address of a thread's cell of this many bytes among those that are given away.
    fn given(&mut self, to: &str, thread: &str, bytes: usize) {
        self.line(&format!("mad.lo.u32 {to}, {thread}, {bytes}, %g;"));
    }

    fn exchange(
        &mut self,
        values: [usize; 2],
        by: u32,
        elements: usize,
        barrier: usize,
        dynamic: bool,
    ) {
        let threads = self.program.threads;
        let barrier = BARRIERS[barrier].replace('T', &threads.next_multiple_of(32).to_string());
        if dynamic {
            self.uses_dynamic();
            self.line("mov.u32 %g, dynamic_cells;");
        }
        let vector = |first: usize| match elements {
            1 => (String::new(), format!("%v{first}")),
            n => {
                let list: Vec<String> = (0..n).map(|i| format!("%v{}", (first + i) % 8)).collect();
                (format!(".v{n}"), format!("{{{}}}", list.join(", ")))
            }
        };
        self.given("%y", "%t", elements * 4);
        let (suffix, list) = vector(values[1]);
        self.line(&format!("st.shared{suffix}.b32 [%y], {list};"));
        self.line(&barrier);
        self.line(&format!("add.u32 %x, %t, {by};"));
        self.line(&format!("rem.u32 %x, %x, {threads};"));
        self.given("%y", "%x", elements * 4);
        let (suffix, list) = vector(values[0]);
        self.line(&format!("ld.shared{suffix}.b32 {list}, [%y];"));
        self.line(&barrier);
        if dynamic {
            self.line("mov.u32 %g, given;");
        }
    }

    /// Two warps each, at the barrier of their pair.
    fn pairs(&mut self, d: usize, a: usize, by: u32) {
        if !self.program.threads.is_multiple_of(64) {
            return;
        }
        self.line("shr.u32 %m, %t, 6;");
        self.line("add.u32 %m, %m, 8;");
        self.line("mov.u32 %g, in_pairs;");
        self.given("%y", "%t", 4);
        self.line(&format!("st.shared.b32 [%y], %v{a};"));
        self.line("bar.sync %m, 64;");
        self.line(&format!("add.u32 %x, %t, {by};"));
        self.line("and.b32 %x, %x, 63;");
        self.line("and.b32 %z, %t, 0xffffffc0;");
        self.line("or.b32 %x, %x, %z;");
        self.given("%y", "%x", 4);
        self.line(&format!("ld.shared.b32 %v{d}, [%y];"));
        self.line("mov.u32 %g, given;");
        self.line("bar.sync %m, 64;");
    }

    /// The even warp of a pair arrives, the odd one waits and reads what it wrote.
    fn produce(&mut self, d: usize, a: usize) {
        if !self.program.threads.is_multiple_of(64) {
            return;
        }
        let (consumer, join) = (self.label(), self.label());
        self.line("bar.sync 0;");
        self.line("shr.u32 %m, %t, 6;");
        self.line("add.u32 %m, %m, 8;");
        self.given("%y", "%t", 4);
        self.line("and.b32 %x, %t, 32;");
        self.line("setp.ne.u32 %q, %x, 0;");
        self.line(&format!("@%q bra L{consumer};"));
        self.line(&format!("st.shared.b32 [%y], %v{a};"));
        self.line("bar.arrive %m, 64;");
        self.line(&format!("bra L{join};"));
        self.line(&format!("L{consumer}:"));
        self.line("bar.sync %m, 64;");
        self.line(&format!("ld.shared.b32 %v{d}, [%y+-128];"));
        self.line(&format!("L{join}:"));
        self.line("bar.sync 0;");
    }

    fn warp_exchange(&mut self, d: usize, a: usize, by: u32) {
        if !self.program.threads.is_multiple_of(32) {
            return;
        }
        self.line("mov.u32 %g, in_warps;");
        self.given("%y", "%t", 4);
        self.line(&format!("st.shared.b32 [%y], %v{a};"));
        self.line(&format!("bar.warp.sync {FULL};"));
        self.line(&format!("xor.b32 %x, %t, {by};"));
        self.given("%y", "%x", 4);
        self.line(&format!("ld.shared.b32 %v{d}, [%y];"));
        self.line("mov.u32 %g, given;");
        self.line(&format!("bar.warp.sync {FULL};"));
    }

    fn reduce(&mut self, kind: usize, d: usize, condition: &Condition, spelling: usize) {
        self.condition(condition);
        let opcode = ["bar.red", "barrier.red", "bar.cta.red", "barrier.cta.red"][spelling];
        match kind {
            0 => self.line(&format!("{opcode}.popc.u32 %v{d}, 2, %q;")),
            kind => {
                let operation = if kind == 1 { "and" } else { "or" };
                self.line(&format!("{opcode}.{operation}.pred %q2, 2, %q;"));
                self.line(&format!("selp.b32 %v{d}, 17, %v{d}, %q2;"));
            }
        }
    }

    fn shuffle(&mut self, mode: &str, [d, a]: [usize; 2], [by, c]: [Value; 2], predicate: bool) {
        if !self.program.threads.is_multiple_of(32) {
            return;
        }
        let pair = if predicate { "|%q2" } else { "" };
        let (by, c) = (Self::value(by), Self::value(c));
        self.line(&format!("mov.b32 %z, {c};"));
        self.line("and.b32 %z, %z, 0x1f1f;");
        let c = if c.starts_with('%') { "%z" } else { &c };
        self.line(&format!("shfl.sync.{mode}.b32 %v{d}{pair}, %v{a}, {by}, {c}, {FULL};"));
        if predicate {
            self.line(&format!("@!%q2 add.u32 %v{d}, %v{d}, 77;"));
        }
    }

    /// One warp operation of the lanes in a mask, whose lanes have set `%q`.
    fn warp(&mut self, operation: &str, d: usize, a: usize, mask: &str) {
        match operation {
            "vote.sync.ballot.b32" => self.line(&format!("{operation} %v{d}, %q, {mask};")),
            "match.any.sync.b64" | "match.all.sync.b64" => {
                self.line(&format!("and.b32 %y, %v{a}, 3;"));
                self.line("mov.b64 %d0, {%y, %y};");
                self.matched(operation, d, "%d0", mask);
            }
            "match.any.sync.b32" | "match.all.sync.b32" => {
                self.line(&format!("and.b32 %y, %v{a}, 3;"));
                self.matched(operation, d, "%y", mask);
            }
            _ if operation.starts_with("vote") => {
                self.line(&format!("{operation} %q2, %q, {mask};"));
                self.line(&format!("selp.b32 %v{d}, 5, %v{d}, %q2;"));
            }
            _ => self.line(&format!("{operation} %v{d}, %v{a}, {mask};")),
        }
    }

    fn matched(&mut self, operation: &str, d: usize, value: &str, mask: &str) {
        if operation.starts_with("match.all") {
            self.line(&format!("{operation} %v{d}|%q2, {value}, {mask};"));
            self.line(&format!("@%q2 add.u32 %v{d}, %v{d}, 3;"));
        } else {
            self.line(&format!("{operation} %v{d}, {value}, {mask};"));
        }
    }

    /// Lanes that have a condition and lanes that have not, each with their own mask.
    fn in_parts(&mut self, condition: &Condition, operation: &str, d: usize, a: usize) {
        let (other, join) = (self.label(), self.label());
        self.condition(condition);
        self.line(&format!("vote.sync.ballot.b32 %m, %q, {FULL};"));
        self.line(&format!("@!%q bra L{other};"));
        self.part(operation, d, a);
        self.line(&format!("bra L{join};"));
        self.line(&format!("L{other}:"));
        self.line("not.b32 %m, %m;");
        self.part(operation, d, a);
        self.line(&format!("L{join}:"));
    }

    fn part(&mut self, operation: &str, d: usize, a: usize) {
        if operation.starts_with("shfl") {
            self.line("brev.b32 %z, %m;");
            self.line("clz.b32 %z, %z;");
            self.line(&format!("{operation} %v{d}, %v{a}, %z, 31, %m;"));
            return;
        }
        self.line(&format!("setp.ge.s32 %q, %v{a}, 0;"));
        self.warp(operation, d, a, "%m");
    }

    /// Rounds for which the warp stays together, each lane with its own number of rounds.
    fn while_any(&mut self, value: usize, body: &[Statement]) {
        if !self.program.threads.is_multiple_of(32) {
            return;
        }
        let (again, done, skip) = (self.label(), self.label(), self.label());
        self.line(&format!("and.b32 %n{again}, %v{value}, 3;"));
        self.line(&format!("L{again}:"));
        self.line(&format!("setp.ne.u32 %q, %n{again}, 0;"));
        self.line(&format!("vote.sync.any.pred %q2, %q, {FULL};"));
        self.line(&format!("@!%q2 bra L{done};"));
        self.line(&format!("@!%q bra L{skip};"));
        self.line(&format!("sub.u32 %n{again}, %n{again}, 1;"));
        body.iter().for_each(|s| self.statement(s));
        self.line(&format!("L{skip}:"));
        self.line(&format!("bra L{again};"));
        self.line(&format!("L{done}:"));
    }
}
