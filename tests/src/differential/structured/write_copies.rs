//! Writing asynchronous copies: of own cells, and from thread to thread.

use super::write::Writer;
use super::{OwnCopy, Value};

/// How a thread waits for its copies. The second place is for another copy, which may still be
/// under way at the first.
pub(super) const WAITS: &[[&str; 2]] = &[
    ["cp.async.wait_all;", ""],
    ["cp.async.commit_group; cp.async.wait_group 0;", ""],
    ["cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;", ""],
    ["cp.async.commit_group;", "cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;"],
    ["", "cp.async.commit_group; cp.async.wait_group 0;"],
];

/// How copies from thread to thread are waited for: by groups, or by the phase of an mbarrier
/// object.
pub(super) const FETCHES: usize = 4;

impl Writer<'_> {
    /// Copies to own cells in shared memory, from own cells in global memory.
    pub(super) fn own_copy(&mut self, copy: &OwnCopy) {
        let OwnCopy { bytes, past, read, ignored, at: [to, from], wait } = *copy;
        let [first, second] = WAITS[wait];
        self.uses_copies();
        self.offset(to, bytes);
        self.line("add.u32 %y, %s, %z;");
        self.offset(from, bytes);
        self.line("cvt.u64.u32 %w, %z;");
        self.line("add.u64 %w, %w, %own;");
        let how = match (read, ignored) {
            (Some(Value::Number(read)), _) => format!(", {}", read.min(bytes)),
            (Some(Value::Register(register)), _) => {
                self.line(&format!("and.b32 %x, %v{register}, {};", bytes - 1));
                ", %x".to_owned()
            }
            (None, Some(condition)) => {
                self.condition(&condition);
                ", %q".to_owned()
            }
            (None, None) => String::new(),
        };
        let cache = if past { "cg" } else { "ca" };
        self.line(&format!("cp.async.{cache}.shared.global [%y], [%w], {bytes}{how};"));
        self.lines(first);
        if !second.is_empty() {
            // Another one, to its own place.
            self.line("mov.u32 %y, spare;");
            self.line("mad.lo.u32 %y, %t, 16, %y;");
            self.line("cp.async.ca.shared.global [%y], [%own], 16;");
            self.lines(second);
        }
    }

    /// Each thread copies a value to where another one reads it.
    pub(super) fn fetch(&mut self, d: usize, a: usize, by: u32, how: usize) {
        let threads = self.program.threads;
        let again = self.label();
        self.uses_copies();
        self.line(&format!("st.global.b32 [%own], %v{a};"));
        if how >= 2 {
            self.line("setp.eq.u32 %q, %t, 0;");
            self.line(&format!("@%q mbarrier.init.shared.b64 [object], {threads};"));
            self.line("bar.sync 0;");
        }
        self.line("mad.lo.u32 %y, %t, 4, %g;");
        self.line("cp.async.ca.shared.global [%y], [%own], 4;");
        match how {
            0 => self.lines("cp.async.wait_all; bar.sync 0;"),
            1 => self.lines("cp.async.commit_group; cp.async.wait_group 0; barrier.sync 1;"),
            2 => {
                self.line("cp.async.mbarrier.arrive.noinc.shared.b64 [object];");
                self.line(&format!("L{again}:"));
                self.line("mbarrier.test_wait.parity.shared.b64 %q, [object], 0;");
                self.line(&format!("@!%q bra L{again};"));
            }
            _ => {
                self.line("cp.async.mbarrier.arrive.shared.b64 [object];");
                self.line("mbarrier.arrive.shared.b64 %d0, [object];");
                self.line(&format!("L{again}:"));
                self.line("mbarrier.test_wait.shared.b64 %q, [object], %d0;");
                self.line(&format!("@!%q bra L{again};"));
            }
        }
        self.line(&format!("add.u32 %x, %t, {by};"));
        self.line(&format!("rem.u32 %x, %x, {threads};"));
        self.line("mad.lo.u32 %y, %x, 4, %g;");
        self.line(&format!("ld.shared.b32 %v{d}, [%y];"));
        self.line("bar.sync 0;");
        if how >= 2 {
            self.line("setp.eq.u32 %q, %t, 0;");
            self.line("@%q mbarrier.inval.shared.b64 [object];");
            self.line("bar.sync 0;");
        }
    }

    /// Instructions, each with its semicolon.
    fn lines(&mut self, text: &str) {
        for one in text.split_inclusive(';') {
            self.line(one.trim());
        }
    }
}
