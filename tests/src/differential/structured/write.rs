//! Writing a structured program as PTX: the kernel around it, computations and control flow.

use std::fmt::Write as _;

use warpsim::host::Launch;

use super::draw::sources;
use super::{Calling, Condition, Statement, Structured, Together, VALUES, Value};
use crate::differential::program::{Section, Written};

/// Common cells, 8 bytes each: half in global memory, half in the block's shared memory. All that
/// happens to one is the same operation, so the order does not matter.
pub(super) const COMMON: &[(&str, &str)] = &[
    ("global", "add.u32"),
    ("global", "xor.b32"),
    ("global", "or.b64"),
    ("global", "max.s64"),
    ("global", "add.u64"),
    ("global", "inc.u32"),
    ("global", "min.s32"),
    ("global", "max.u32"),
    ("shared", "add.s32"),
    ("shared", "and.b32"),
    ("shared", "xor.b64"),
    ("shared", "min.u32"),
    ("shared", "add.u64"),
    ("shared", "dec.u32"),
    ("shared", "max.u64"),
    ("shared", "min.s64"),
];

/// Bytes of a thread's own cells in each memory.
pub(super) const OWN: u32 = 32;

pub(super) struct Writer<'a> {
    pub(super) out: String,
    labels: usize,
    /// The labels where the innermost loop ends and where its next round begins.
    loops: Vec<(usize, usize)>,
    pub(super) name: &'a str,
    pub(super) program: &'a Structured,
    dynamic: bool,
    copies: bool,
}

pub(super) fn program(program: &Structured, name: &str) -> Written {
    let mut writer = Writer {
        out: String::new(),
        labels: 0,
        loops: Vec::new(),
        name,
        program,
        dynamic: false,
        copies: false,
    };
    writer.functions();
    let mut sections = Vec::new();
    let all = (program.blocks * program.threads) as usize;
    writer.head();
    for together in &program.body {
        writer.together(together);
        writer.keep(sections.len());
        sections.push(Section { label: kind_of(together), words: all * 4 });
    }
    if let Some(condition) = &program.leave
        && !program.tail.is_empty()
    {
        // Threads that leave show their values before. The first threads stay: they show the common
        // cells when all others are done.
        writer.line("bar.sync 0;");
        writer.condition(condition);
        writer.line("setp.ge.and.u32 %leave, %t, 8, %q;");
        writer.line("@!%leave bra STAY;");
        writer.keep(sections.len());
        writer.show_own();
        writer.line("exit;");
        writer.line("STAY:");
    }
    for statement in &program.tail {
        writer.statement(statement);
    }
    writer.keep(sections.len());
    sections.push(Section { label: "tail".to_owned(), words: all * 4 });
    writer.finish();
    sections.push(Section { label: "own cells in local memory".to_owned(), words: all * 4 });
    sections.push(Section { label: "own cells in shared memory".to_owned(), words: all * 4 });
    let blocks = program.blocks as usize;
    sections.push(Section { label: "common cells in shared memory".to_owned(), words: blocks * 8 });
    sections.push(Section { label: "own cells in global memory".to_owned(), words: all * 4 });
    sections.push(Section { label: "common cells in global memory".to_owned(), words: 8 });
    // The two in global memory are reached throughout; they are at the end.
    let rows = (program.body.len() + 1) * all * 32 + all * 64 + blocks * 64;
    let bytes = program.threads * 16;
    let spare = match writer.copies {
        true => format!(" .shared .align 8 .b64 object; .shared .align 16 .b8 spare[{bytes}];"),
        false => String::new(),
    };
    let text = writer
        .out
        .replace("SPARE", &spare)
        .replace("OWNGLOBAL", &rows.to_string())
        .replace("COMMONGLOBAL", &(rows + all * 32).to_string())
        .replace("LABELS", &(writer.labels + 1).to_string());
    let shared = if writer.dynamic { program.threads * 16 } else { 0 };
    let launch = Launch { shared, ..Launch::new(program.blocks, program.threads) };
    Written::of_memory(text, launch, sections)
}

fn kind_of(together: &Together) -> String {
    let text = format!("{together:?}");
    let text = text.strip_prefix("Alone(").unwrap_or(&text);
    let kind: String = text.chars().take_while(|c| c.is_alphanumeric()).collect();
    match together {
        Together::Warp(name, ..) | Together::Parts(_, name, ..) => format!("{kind} {name}"),
        Together::Shuffle(mode, ..) => format!("{kind} {mode}"),
        Together::Alone(Statement::Compute(name, ..)) => format!("{kind} {name}"),
        Together::Alone(Statement::Atomic(atomic)) => format!("{kind} {}", atomic.operation),
        _ => kind,
    }
}

/// A function that calls itself `n` times. Between its calls it needs little of the stack, so that
/// the deepest that is asked for, 16 activations, has room in the 1024 bytes that a thread has.
const RECURSION: &str = ".func (.param .b32 result) NAME_deep(.param .b32 n, .param .b32 value);
.func (.param .b32 result) NAME_deep(.param .b32 n, .param .b32 value)
{
  .reg .pred %p; .reg .b32 %n, %v, %m, %r;
  ld.param.b32 %n, [n];
  ld.param.b32 %v, [value];
  mad.lo.u32 %r, %v, 3, 1;
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
  sub.u32 %m, %n, 1;
  xor.b32 %r, %v, %n;
  {
    .param .b32 first; .param .b32 second; .param .b32 back;
    st.param.b32 [first], %m;
    st.param.b32 [second], %r;
    call.uni (back), NAME_deep, (first, second);
    ld.param.b32 %r, [back];
  }
  mad.lo.u32 %r, %v, %n, %r;
DONE:
  st.param.b32 [result], %r;
  ret;
}
";

impl Writer<'_> {
    /// A call of the function that calls itself.
    fn recurse(&mut self, d: usize, value: usize, count: usize, mask: u32) {
        let name = self.name;
        self.line(&format!("and.b32 %x, %v{count}, {mask};"));
        self.line("{");
        self.line(".param .b32 first; .param .b32 second; .param .b32 back;");
        self.line("st.param.b32 [first], %x;");
        self.line(&format!("st.param.b32 [second], %v{value};"));
        self.line(&format!("call (back), {name}_deep, (first, second);"));
        self.line(&format!("ld.param.b32 %v{d}, [back];"));
        self.line("}");
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    pub(super) fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    /// The program has asynchronous copies.
    pub(super) fn uses_copies(&mut self) {
        self.copies = true;
    }

    pub(super) fn uses_dynamic(&mut self) {
        self.dynamic = true;
    }

    /// The functions and the constants. A function has its own values, the first two its arguments.
    fn functions(&mut self) {
        let (name, program) = (self.name, self.program);
        let list = program.constants.map(|c| c.to_string()).join(", ");
        let _ = writeln!(self.out, ".const .align 16 .u32 {name}_constants[16] = {{{list}}};");
        if program.recurses() {
            self.out.push_str(&RECURSION.replace("NAME", name));
        }
        for (number, body) in program.functions.iter().enumerate() {
            let _ = write!(
                self.out,
                ".func (.param .b32 result) {name}_f{number}\
                 (.param .b32 first, .param .b32 second)\n{{\n  \
                 .reg .pred %q, %leave; .reg .b32 %v<{VALUES}>, %n<LABELS>, %x, %y, %z, %lane;\n  \
                 mov.u32 %lane, %laneid;\n  ld.param.b32 %v0, [first];\n  \
                 ld.param.b32 %v1, [second];\n"
            );
            for i in 2..VALUES {
                self.line(&format!("mad.lo.u32 %v{i}, %v{}, {}, %v{};", i - 2, i * 7 + 1, i - 1));
            }
            for statement in body {
                self.statement(statement);
            }
            self.line("setp.lt.s32 %q, %v0, %v1;");
            self.line("@!%q bra LATER;");
            self.line("st.param.b32 [result], %v2;");
            self.line("ret;");
            self.line("LATER:");
            self.line("xor.b32 %v0, %v0, %v3;");
            self.line("st.param.b32 [result], %v0;");
            self.out.push_str("  ret;\n}\n");
        }
    }

    fn head(&mut self) {
        let (name, threads) = (self.name, self.program.threads);
        let _ = write!(
            self.out,
            ".visible .entry {name}(.param .u64 table, .param .u64 out)\n{{\n  \
             .shared .align 16 .b8 own[{own}]; .shared .align 16 .b8 given[{given}];\n  \
             .shared .align 4 .b8 in_pairs[{single}]; .shared .align 4 .b8 in_warps[{single}];\n  \
             .shared .align 16 .b8 common[64];SPARE .local .align 16 .b8 kept[{OWN}];\n  \
             .reg .pred %q, %q2, %leave; .reg .b16 %h<4>; \
             .reg .b32 %v<{VALUES}>, %n<LABELS>, %x, %y, %z, %m;\n  \
             .reg .b32 %lane, %t, %all, %s, %g, %k, %b, %l; \
             .reg .b64 %d<4>, %w, %c, %in, %out, %own, %shared;\n  \
             ld.param.u64 %in, [table];\n  ld.param.u64 %out, [out];\n  mov.u32 %lane, %laneid;\n  \
             mov.u32 %t, %tid.x;\n  mov.u32 %b, %ctaid.x;\n  \
             mad.lo.u32 %all, %b, {threads}, %t;\n  \
             mul.wide.u32 %w, %all, 8;\n  add.u64 %in, %in, %w;\n  mul.wide.u32 %w, %all, 32;\n  \
             add.u64 %c, %out, COMMONGLOBAL;\n  add.u64 %own, %out, %w;\n  \
             add.u64 %own, %own, OWNGLOBAL;\n  \
             mov.u64 %shared, %out;\n  add.u64 %out, %out, %w;\n  \
             mov.u32 %s, own;\n  mad.lo.u32 %s, %t, {OWN}, %s;\n  mov.u32 %g, given;\n  \
             mov.u32 %k, common;\n  \
             mov.u32 %l, kept;\n",
            own = threads * OWN,
            given = threads * 16,
            single = threads * 4,
        );
        for i in 0..VALUES {
            let at = (self.program.first + i * 29) * 8;
            self.line(&format!("ld.global.b32 %v{i}, [%in+{at}];"));
        }
        for i in 0..OWN / 8 {
            let at = i * 8;
            self.line(&format!("mad.lo.u32 %x, %t, {}, {i};", 3 + i));
            self.line(&format!("st.shared.v2.b32 [%s+{at}], {{%x, %v{i}}};"));
            self.line(&format!("st.local.v2.b32 [%l+{at}], {{%v{i}, %x}};"));
            self.line(&format!("st.global.v2.b32 [%own+{at}], {{%v{}, %x}};", i + 1));
        }
        // The first threads begin the common cells with all ones, or zeros.
        self.line("setp.lt.u32 %q, %t, 8;");
        self.line("and.b32 %x, %t, 1;");
        self.line("neg.s32 %x, %x;");
        self.line("mad.lo.u32 %y, %t, 8, %k;");
        self.line("@%q st.shared.v2.b32 [%y], {%x, %x};");
        self.line("bar.sync 0;");
    }

    /// Stores all values as a row.
    fn keep(&mut self, row: usize) {
        let at = row * (self.program.blocks * self.program.threads) as usize * 32;
        self.line(&format!("st.global.v4.b32 [%out+{at}], {{%v0, %v1, %v2, %v3}};"));
        self.line(&format!("st.global.v4.b32 [%out+{}], {{%v4, %v5, %v6, %v7}};", at + 16));
    }

    /// Where the rows end, in bytes, and how many threads there are.
    fn rows_end(&self) -> (usize, usize) {
        let all = (self.program.blocks * self.program.threads) as usize;
        ((self.program.body.len() + 1) * all * 32, all)
    }

    /// Stores the own cells of the memories that end with the launch.
    fn show_own(&mut self) {
        let (rows, all) = self.rows_end();
        for (space, base, at) in [("local", "%l", rows), ("shared", "%s", rows + all * 32)] {
            for half in [0, 16] {
                self.line(&format!("ld.{space}.v4.b32 {{%v0, %v1, %v2, %v3}}, [{base}+{half}];"));
                let to = at + half;
                self.line(&format!("st.global.v4.b32 [%out+{to}], {{%v0, %v1, %v2, %v3}};"));
            }
        }
    }

    /// Shows own cells, and when all are done the common ones.
    fn finish(&mut self) {
        let (rows, all) = self.rows_end();
        self.show_own();
        self.line("bar.sync 0;");
        self.line("setp.lt.u32 %q, %t, 8;");
        self.line("@!%q bra END;");
        self.line("mad.lo.u32 %y, %t, 8, %k;");
        self.line("ld.shared.b64 %d0, [%y];");
        self.line("mad.lo.u32 %x, %b, 8, %t;");
        self.line("mul.wide.u32 %w, %x, 8;");
        self.line("add.u64 %w, %w, %shared;");
        self.line(&format!("st.global.b64 [%w+{}], %d0;", rows + all * 64));
        self.line("END:");
        self.out.push_str("  ret;\n}\n");
    }

    pub(super) fn value(value: Value) -> String {
        match value {
            Value::Register(r) => format!("%v{r}"),
            Value::Number(n) => (n as i32).to_string(),
        }
    }

    /// Sets `%q`; uses `%x`.
    pub(super) fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Compare(comparison, a, b) => {
                let b = Self::value(*b);
                self.line(&format!("setp.{comparison} %q, %v{a}, {b};"));
            }
            Condition::Bit(a, bit) => {
                self.line(&format!("and.b32 %x, %v{a}, {};", (1u32 << bit) as i32));
                self.line("setp.ne.u32 %q, %x, 0;");
            }
            Condition::Lane(bit) => {
                self.line(&format!("and.b32 %x, %lane, {};", 1u32 << bit));
                self.line("setp.ne.u32 %q, %x, 0;");
            }
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Compute(operation, d, all, guard) => {
                let guard = guard.as_ref().map_or(String::new(), |(condition, negated)| {
                    self.condition(condition);
                    if *negated { "@!%q ".to_owned() } else { "@%q ".to_owned() }
                });
                let list: Vec<String> = all[..sources(operation)]
                    .iter()
                    .map(|v| Self::operand(operation, *v))
                    .collect();
                self.line(&format!("{guard}{operation} %v{d}, {};", list.join(", ")));
            }
            Statement::If(condition, yes, no) => self.branch(condition, yes, no),
            Statement::Loop(value, mask, body) => {
                self.line(&format!("and.b32 %x, %v{value}, {mask};"));
                self.rounds("%x", |w| body.iter().for_each(|s| w.statement(s)));
            }
            Statement::Leave(condition, breaks) => {
                let Some((done, again)) = self.loops.last().copied() else { return };
                self.condition(condition);
                self.line(&format!("@%q bra L{};", if *breaks { done } else { again }));
            }
            Statement::Switch(value, arms) => self.switch(*value, arms),
            Statement::Call(d, function, arguments, how) => {
                self.call(*d, *function, *arguments, *how);
            }
            Statement::Access(access) => self.access(access),
            Statement::Constant(d, index, upper) => self.constant(*d, *index, *upper),
            Statement::Recurse(d, value, count, mask) => {
                self.recurse(*d, *value, *count, *mask);
            }
            Statement::Space(d, place, space) => self.space(*d, *place, space),
            Statement::Common(which, value, atom) => self.common(*which, *value, *atom),
            Statement::Atomic(atomic) => self.own_atomic(atomic),
            Statement::Copy(copy) => self.own_copy(copy),
        }
    }

    /// A source of an operation, whose type decides how a number is written.
    fn operand(operation: &str, value: Value) -> String {
        match value {
            Value::Number(n) if operation.ends_with("u32") => n.to_string(),
            value => Self::value(value),
        }
    }

    fn branch(&mut self, condition: &Condition, yes: &[Statement], no: &[Statement]) {
        let (other, join) = (self.label(), self.label());
        self.condition(condition);
        self.line(&format!("@!%q bra L{other};"));
        yes.iter().for_each(|s| self.statement(s));
        self.line(&format!("bra L{join};"));
        self.line(&format!("L{other}:"));
        no.iter().for_each(|s| self.statement(s));
        self.line(&format!("L{join}:"));
    }

    /// A loop of this many rounds; `count` is a register or a number.
    pub(super) fn rounds(&mut self, count: &str, body: impl FnOnce(&mut Self)) {
        let (again, done) = (self.label(), self.label());
        self.line(&format!("mov.u32 %n{again}, {count};"));
        self.line(&format!("L{again}:"));
        self.line(&format!("setp.eq.u32 %q, %n{again}, 0;"));
        self.line(&format!("@%q bra L{done};"));
        self.line(&format!("sub.u32 %n{again}, %n{again}, 1;"));
        self.loops.push((done, again));
        body(self);
        self.loops.pop();
        self.line(&format!("bra L{again};"));
        self.line(&format!("L{done}:"));
    }

    fn switch(&mut self, value: usize, arms: &[Vec<Statement>]) {
        let labels: Vec<usize> = arms.iter().map(|_| self.label()).collect();
        let join = self.label();
        let list: Vec<String> = labels.iter().map(|l| format!("L{l}")).collect();
        self.line(&format!("rem.u32 %x, %v{value}, {};", arms.len()));
        self.line(&format!("targets{join}: .branchtargets {};", list.join(", ")));
        self.line(&format!("brx.idx %x, targets{join};"));
        for (label, arm) in labels.iter().zip(arms) {
            self.line(&format!("L{label}:"));
            arm.iter().for_each(|s| self.statement(s));
            self.line(&format!("bra L{join};"));
        }
        self.line(&format!("L{join}:"));
    }

    fn call(&mut self, d: usize, function: usize, arguments: [usize; 2], how: Calling) {
        let name = self.name;
        let label = self.label();
        self.line("{");
        self.line(".param .b32 first; .param .b32 second; .param .b32 result;");
        self.line(&format!("st.param.b32 [first], %v{};", arguments[0]));
        self.line(&format!("st.param.b32 [second], %v{};", arguments[1]));
        match how {
            Calling::Direct => {
                self.line(&format!("call (result), {name}_f{function}, (first, second);"));
            }
            Calling::Indirect(by) => {
                self.line(&format!("setp.lt.s32 %q, %v{by}, 0;"));
                self.line(&format!("mov.u64 %d0, {name}_f0;"));
                self.line(&format!("mov.u64 %d1, {name}_f1;"));
                self.line("selp.b64 %d0, %d0, %d1, %q;");
                self.line(&format!(
                    "prototype{label}: .callprototype (.param .b32 _) _ (.param .b32 _, \
                     .param .b32 _);"
                ));
                self.line(&format!("call (result), %d0, (first, second), prototype{label};"));
            }
        }
        self.line(&format!("ld.param.b32 %v{d}, [result];"));
        self.line("}");
    }
}
