//! Random programs of one thread, for `oracle`.
//!
//! Each is a kernel `k` of some dozens of statements, a function of its seed. It has accesses of 1,
//! 2, 4 and 8 bytes, signed and unsigned, volatile and plain, guarded and not. They go through
//! explicit spaces, generic addresses, pointers that may be the same, indices from memory, widened
//! indices that wrap. It has branches, counted loops (some entered in the middle), nested scopes
//! that hide registers, barriers and early exits. It calls functions that read, write, synchronise
//! or do nothing. Addresses are few, so that accesses collide.
//!
//! Every address stays inside its 64-byte variable: bases are multiples of 8 up to 40, offsets
//! below 24.

/// Pseudo-random numbers from a seed (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    /// Dice for one seed.
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True once in `n` times.
    fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const HEAD: &str = ".version 8.0
.target sm_80
.address_size 64
.shared .align 8 .b8 s[64];
.shared .align 8 .b8 t[64];
.global .align 8 .b8 g[64];
.func nothing()
{
.reg .b32 %n;
mov.u32 %n, 1;
ret;
}
.func (.reg .b32 %ret) reading()
{
.reg .b32 %n;
ld.shared.u32 %ret, [s];
ld.global.u32 %n, [g+8];
add.u32 %ret, %ret, %n;
ret;
}
.func writing()
{
.reg .b32 %n;
mov.u32 %n, 77;
st.shared.u32 [s+8], %n;
st.global.u16 [g], %n;
ret;
}
.func waiting()
{
bar.sync 0;
ret;
}
.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 o, .param .u32 w, .param .u32 v)
{
.reg .pred %p<4>;
.reg .pred %l<8>;
.reg .b16 %h<4>;
.reg .b32 %r<8>;
.reg .b32 %c<8>;
.reg .b32 %x<4>;
.reg .b32 %i<4>;
.reg .b32 %tmp;
.reg .b64 %d<4>;
.reg .b64 %a<8>;
.reg .b64 %n<2>;
.reg .b64 %g0;
ld.param.u64 %a0, [p];
ld.param.u64 %a1, [q];
ld.param.u64 %a4, [o];
cvta.to.global.u64 %g0, %a4;
mov.u64 %a2, s;
cvta.shared.u64 %a2, %a2;
mov.u64 %a3, g;
cvta.global.u64 %a3, %a3;
mov.u64 %a5, %a0;
mov.u64 %a6, %a1;
mov.u64 %a7, %a2;
mov.u32 %x0, s;
mov.u32 %x1, t;
mov.u32 %x2, s+8;
mov.u32 %x3, s;
mov.u32 %tmp, 5;
ld.shared.u32 %r0, [s];
ld.shared.u32 %r1, [t];
mov.u32 %r2, 258;
mov.u32 %r3, %tid.x;
cvt.u16.u32 %h0, %r0;
cvt.u16.u32 %h1, %r1;
cvt.u64.u32 %d0, %r0;
cvt.s64.s32 %d1, %r1;
setp.lt.u32 %p0, %r0, %r1;
setp.eq.u32 %p1, %r3, 3;
";

/// Writes one program, one statement to a line.
pub(super) fn program(seed: u64) -> String {
    let mut writer = Writer { dice: Dice::new(seed), text: HEAD.to_string(), labels: 0, depth: 0 };
    let statements = 8 + writer.dice.below(30);
    writer.statements(statements);
    writer.text.push_str("ret;\n}\n");
    writer.text
}

struct Writer {
    dice: Dice,
    text: String,
    labels: u32,
    depth: u64,
}

/// What an access is made of.
struct Width {
    ty: &'static str,
    bytes: u64,
    registers: &'static [&'static str],
}

const WORDS: &[&str] = &["%r0", "%r1", "%r2", "%r3", "%r4", "%r5"];
const HALVES: &[&str] = &["%h0", "%h1", "%h2", "%r0", "%r1"];
const LONGS: &[&str] = &["%d0", "%d1", "%d2"];
const WIDTHS: &[Width] = &[
    Width { ty: "u32", bytes: 4, registers: WORDS },
    Width { ty: "b32", bytes: 4, registers: WORDS },
    Width { ty: "s32", bytes: 4, registers: &["%r0", "%r1", "%d0"] },
    Width { ty: "u32", bytes: 4, registers: WORDS },
    Width { ty: "u8", bytes: 1, registers: HALVES },
    Width { ty: "s8", bytes: 1, registers: HALVES },
    Width { ty: "u16", bytes: 2, registers: HALVES },
    Width { ty: "s16", bytes: 2, registers: HALVES },
    Width { ty: "u64", bytes: 8, registers: LONGS },
];
const GENERIC: &[&str] = &["%a0", "%a1", "%a2", "%a3", "%a5", "%a6", "%a7"];
const SHARED: &[&str] = &["s", "s", "t", "%x0", "%x1", "%x2", "%x3"];
const GLOBAL: &[&str] = &["g", "%g0"];
const PREDICATES: &[&str] = &["%p0", "%p1", "%p2"];

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    fn statements(&mut self, count: u64) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.dice.below(100) {
            0..=44 => self.access(None),
            45..=57 => self.arithmetic(),
            58..=67 => self.address(),
            68..=71 => self.predicate(),
            72..=75 if self.depth < 3 => self.branch(),
            76..=79 if self.depth < 3 => self.repeat(),
            80..=82 => self.scope(),
            83..=85 => self.call(),
            86..=87 => self.line("bar.sync 0;"),
            88 => self.line("membar.gl;"),
            89 => self.early_exit(),
            90..=91 if self.depth < 3 => self.table(),
            92..=93 => self.wrapping(),
            94..=95 => self.redirect(),
            96..=97 if self.depth < 3 => self.scatter(),
            _ => self.access(None),
        }
    }

    fn guard(&mut self) -> String {
        if !self.dice.once_in(6) {
            return String::new();
        }
        let not = if self.dice.once_in(2) { "!" } else { "" };
        format!("@{not}{} ", self.dice.pick(PREDICATES))
    }

    /// A load or store; through a given address register and space, or through any.
    fn access(&mut self, through: Option<(&str, &str)>) {
        let width = &WIDTHS[self.dice.below(WIDTHS.len() as u64) as usize];
        let (space, base) = match (through, self.dice.below(5)) {
            (Some((space, base)), _) => (space.to_string(), base.to_string()),
            (None, 0..=2) => (".shared".to_string(), self.dice.pick(SHARED).to_string()),
            (None, 3) => (String::new(), self.dice.pick(GENERIC).to_string()),
            (None, _) => (".global".to_string(), self.dice.pick(GLOBAL).to_string()),
        };
        // Low offsets are likelier, so that accesses meet.
        let slots = 16 / width.bytes;
        let limit = if self.dice.once_in(2) { slots.min(2) } else { slots };
        let offset = self.dice.below(limit) * width.bytes;
        let volatile = if self.dice.once_in(12) { ".volatile" } else { "" };
        let guard = self.guard();
        let place = if offset > 0 { format!("[{base}+{offset}]") } else { format!("[{base}]") };
        let register = self.dice.pick(width.registers);
        let ty = width.ty;
        if self.dice.once_in(2) {
            self.line(&format!("{guard}ld{volatile}{space}.{ty} {register}, {place};"));
        } else if self.dice.once_in(6) {
            let number = self.dice.below(400) as i64 - 100;
            self.line(&format!("{guard}st{volatile}{space}.{ty} {place}, {number};"));
        } else {
            self.line(&format!("{guard}st{volatile}{space}.{ty} {place}, {register};"));
        }
    }

    fn arithmetic(&mut self) {
        let guard = self.guard();
        let (into, a, b) = (self.dice.pick(WORDS), self.dice.pick(WORDS), self.dice.pick(WORDS));
        let number = self.dice.below(1000);
        match self.dice.below(7) {
            0 => self.line(&format!("{guard}add.u32 {into}, {a}, {b};")),
            1 => self.line(&format!("{guard}sub.u32 {into}, {a}, {number};")),
            2 => self.line(&format!("{guard}xor.b32 {into}, {a}, {b};")),
            3 => self.line(&format!("{guard}mov.u32 {into}, {number};")),
            4 => self.line(&format!("{guard}cvt.u16.u32 {}, {a};", self.half())),
            5 => self.line(&format!("{guard}cvt.s32.s16 {into}, {};", self.half())),
            _ => {
                let long = self.dice.pick(LONGS);
                self.line(&format!("{guard}cvt.u64.u32 {long}, {a};"));
            }
        }
    }

    fn half(&self) -> &'static str {
        HALVES[self.text.len() % 3]
    }

    /// Makes one of the address registers point somewhere, always inside.
    fn address(&mut self) {
        let base = self.dice.below(4) * 8;
        let shared = self.dice.pick(&["%x0", "%x1", "%x2", "%x3"]);
        let generic = self.dice.pick(&["%a5", "%a6", "%a7"]);
        let root = self.dice.pick(&["%a0", "%a1", "%a2", "%a3"]);
        let index = self.dice.pick(WORDS);
        let variable = self.dice.pick(&["s", "t"]);
        match self.dice.below(7) {
            0 => self.line(&format!("mov.u32 {shared}, {variable}+{base};")),
            1 => {
                self.line(&format!("and.b32 %i0, {index}, 1;"));
                self.line("shl.b32 %i0, %i0, 3;");
                self.line(&format!("mov.u32 %i1, {variable};"));
                self.line(&format!("add.u32 {shared}, %i1, %i0;"));
            }
            2 => self.line(&format!("add.s64 {generic}, {root}, {base};")),
            3 => {
                self.line(&format!("and.b32 %i0, {index}, 3;"));
                self.line(&format!("mad.wide.u32 {generic}, %i0, 8, {root};"));
            }
            4 => {
                let extra = self.dice.below(2);
                self.line("mov.u32 %i0, %tid.x;");
                self.line(&format!("add.s32 %i1, %i0, {};", extra as i64 - 2));
                self.line("cvt.s64.s32 %n0, %i1;");
                self.line("shl.b64 %n0, %n0, 3;");
                self.line(&format!("add.s64 {generic}, {root}, %n0;"));
            }
            5 => {
                self.line("{");
                self.line(".reg .b64 %tmp;");
                self.line(&format!("cvt.u64.u32 %tmp, {shared};"));
                self.line("cvta.shared.u64 %a7, %tmp;");
                self.line("}");
            }
            _ => {
                let guard = self.guard();
                self.line(&format!("{guard}mov.u64 {generic}, {root};"));
            }
        }
    }

    fn predicate(&mut self) {
        let (into, a) = (self.dice.pick(PREDICATES), self.dice.pick(WORDS));
        let compare = self.dice.pick(&["lt", "ge", "eq", "ne"]);
        let number = self.dice.next() as u32;
        self.line(&format!("setp.{compare}.u32 {into}, {a}, {number};"));
    }

    fn branch(&mut self) {
        self.depth += 1;
        let (other, end) = (self.label(), self.label());
        let predicate = self.dice.pick(PREDICATES);
        self.line(&format!("@{predicate} bra {other};"));
        let count = 1 + self.dice.below(4);
        self.statements(count);
        if self.dice.once_in(2) {
            self.line(&format!("bra {end};"));
            self.line(&format!("{other}:"));
            let count = 1 + self.dice.below(4);
            self.statements(count);
            self.line(&format!("{end}:"));
        } else {
            self.line(&format!("{other}:"));
        }
        self.depth -= 1;
    }

    /// A loop of two or three rounds, sometimes entered in the middle, often with a pointer that
    /// walks.
    fn repeat(&mut self) {
        let depth = self.depth;
        self.depth += 1;
        let (head, middle) = (self.label(), self.label());
        let root = self.dice.pick(&["%a0", "%a1", "%a2", "%a3"]);
        let walker = self.dice.pick(&["%a5", "%a6"]);
        let walking = self.dice.once_in(2);
        self.line(&format!("mov.u32 %c{depth}, 0;"));
        if walking {
            self.line(&format!("mov.u64 {walker}, {root};"));
        }
        let entered = self.dice.once_in(4);
        if entered {
            let predicate = self.dice.pick(PREDICATES);
            self.line(&format!("@{predicate} bra {middle};"));
        }
        self.line(&format!("{head}:"));
        let count = self.dice.below(3);
        self.statements(count);
        if walking {
            self.access(Some(("", walker)));
        }
        self.line(&format!("{middle}:"));
        let count = 1 + self.dice.below(3);
        self.statements(count);
        if walking {
            self.access(Some(("", walker)));
            // Whatever the body made of it: from its root, by the counter.
            self.line(&format!("mad.wide.u32 {walker}, %c{depth}, 8, {root};"));
        }
        self.line(&format!("add.u32 %c{depth}, %c{depth}, 1;"));
        let rounds = 2 + self.dice.below(2);
        self.line(&format!("setp.lt.u32 %l{depth}, %c{depth}, {rounds};"));
        self.line(&format!("@%l{depth} bra {head};"));
        self.depth -= 1;
    }

    /// A scope whose `%tmp` hides the outer one.
    fn scope(&mut self) {
        let offset = self.dice.below(3) * 4;
        let base = self.dice.pick(&["s", "%x3", "t"]);
        let word = self.dice.pick(WORDS);
        self.line("{");
        self.line(".reg .b32 %tmp;");
        self.line(&format!("add.u32 %tmp, {word}, 9;"));
        if self.dice.once_in(3) {
            self.line(&format!("ld.shared.u32 %tmp, [{base}+{offset}];"));
            self.line(&format!("st.shared.u32 [{base}], %tmp;"));
        } else {
            self.line(&format!("st.shared.u32 [{base}+{offset}], %tmp;"));
        }
        self.line("}");
        if self.dice.once_in(2) {
            self.line(&format!("ld.shared.u32 {word}, [{base}+{offset}];"));
        }
    }

    fn call(&mut self) {
        let guard = self.guard();
        let word = self.dice.pick(WORDS);
        match self.dice.below(6) {
            0 => self.line(&format!("{guard}call nothing;")),
            1 | 2 => self.line(&format!("{guard}call ({word}), reading;")),
            3 | 4 => self.line(&format!("{guard}call writing;")),
            _ => self.line(&format!("{guard}call waiting;")),
        }
    }

    fn early_exit(&mut self) {
        let predicate = self.dice.pick(PREDICATES);
        let how = self.dice.pick(&["ret", "exit"]);
        self.line(&format!("@{predicate} {how};"));
    }

    /// A branch by table.
    fn table(&mut self) {
        self.depth += 1;
        let (list, first, second) = (self.label(), self.label(), self.label());
        let index = self.dice.pick(WORDS);
        self.line(&format!("and.b32 %i3, {index}, 1;"));
        self.line(&format!("{list}: .branchtargets {first}, {second};"));
        self.line(&format!("brx.idx %i3, {list};"));
        self.line(&format!("{first}:"));
        let count = 1 + self.dice.below(3);
        self.statements(count);
        self.line(&format!("{second}:"));
        self.depth -= 1;
    }

    /// The same address twice, once through a sum that wraps before it is widened.
    fn wrapping(&mut self) {
        let root = self.dice.pick(&["%a0", "%a1", "%a3"]);
        let base = self.dice.below(2) * 8;
        let (parameter, cvt, start, wrapped) = match self.dice.below(2) {
            // 0xfffffff0 + 16 is 0 in 32 bits.
            0 => ("w", "cvt.u64.u32", 0xffff_fff0_i64, 0),
            // 0x7ffffff8 + 16 is -0x7ffffff8 in 32 bits.
            _ => ("v", "cvt.s64.s32", 0x7fff_fff8, -0x7fff_fff8),
        };
        self.line(&format!("ld.param.u32 %i2, [{parameter}];"));
        self.line(&format!("{cvt} %n0, %i2;"));
        self.line(&format!("add.s64 %a5, {root}, %n0;"));
        self.line(&format!("add.s64 %a5, %a5, {};", base as i64 - start));
        self.line("add.u32 %i2, %i2, 16;");
        self.line(&format!("{cvt} %n1, %i2;"));
        self.line(&format!("add.s64 %a6, {root}, %n1;"));
        self.line(&format!("add.s64 %a6, %a6, {};", base as i64 - wrapped));
        self.access(Some(("", "%a5")));
        self.access(Some(("", "%a6")));
        self.access(Some(("", "%a5")));
    }

    /// A pointer that a guarded instruction may redirect.
    fn redirect(&mut self) {
        let predicate = self.dice.pick(PREDICATES);
        let register = self.dice.pick(&["%x0", "%x1", "%x2", "%x3"]);
        let (first, second) = (self.dice.pick(&["s", "t"]), self.dice.pick(&["s", "t"]));
        let word = self.dice.pick(WORDS);
        self.line(&format!("mov.u32 {register}, {first};"));
        self.line(&format!("@{predicate} mov.u32 {register}, {second};"));
        self.line(&format!("st.shared.u32 [{second}], {word};"));
        self.access(Some((".shared", register)));
    }

    /// A loop that stores through an index it computes, and a store through the last one.
    fn scatter(&mut self) {
        let depth = self.depth;
        let head = self.label();
        let (first, second) = (self.dice.pick(WORDS), self.dice.pick(WORDS));
        let register = self.dice.pick(&["%x0", "%x1", "%x2", "%x3"]);
        let offset = self.dice.below(2) * 4;
        self.line(&format!("mov.u32 %c{depth}, 0;"));
        self.line(&format!("{head}:"));
        self.line(&format!("and.b32 %i0, %c{depth}, 1;"));
        self.line("shl.b32 %i0, %i0, 3;");
        self.line("mov.u32 %i1, s;");
        self.line(&format!("add.u32 {register}, %i1, %i0;"));
        self.line(&format!("st.shared.u32 [{register}+{offset}], {first};"));
        self.line(&format!("add.u32 %c{depth}, %c{depth}, 1;"));
        self.line(&format!("setp.lt.u32 %l{depth}, %c{depth}, 2;"));
        self.line(&format!("@%l{depth} bra {head};"));
        self.line(&format!("st.shared.u32 [{register}+{offset}], {second};"));
    }
}
