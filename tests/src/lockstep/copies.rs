//! Asynchronous copies and mbarrier objects of the naive interpreter (PTX ISA 9.7.9.25, 9.7.13.15).
//!
//! A copy happens when it is waited for: a thread's own by its groups, one in bulk when its object
//! is asked or its group is waited for. What reads too early sees what was there before.

use warpsim::ptx::Instruction;

use super::memory::{left, operation, size};
use super::{Machine, has, name};

/// An mbarrier object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    expected: u32,
    pending: u32,
    bytes: i64,
    phase: u64,
}

impl Object {
    fn arrive(&mut self, count: u32) -> u128 {
        let state = u128::from(self.phase << 32 | u64::from(self.pending));
        assert!(count <= self.pending, "too many arrivals");
        self.pending -= count;
        self.advance();
        state
    }

    fn advance(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            (self.pending, self.phase) = (self.expected, self.phase + 1);
        }
    }
}

/// Bytes from one place to another. The first `read` bytes are read, and the others are zeros.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: usize,
    read: usize,
}

/// What a thread has begun: groups, and an open one at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    groups: Vec<Vec<Copy>>,
    open: Vec<Copy>,
}

/// A copy or a reduction in bulk: who began it, its operation and type, and the object that it
/// signals.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    thread: usize,
    copy: Copy,
    reduces: Option<(String, String)>,
    object: Option<u64>,
}

/// A store of one element, or a reduction, and the object that it signals.
#[derive(Clone, Debug)]
pub(super) struct Store {
    thread: usize,
    at: u64,
    value: u128,
    ty: String,
    reduces: Option<String>,
    object: u64,
}

impl Machine {
    /// `st.async` and `red.async` to shared memory.
    pub(super) fn store_to_be_told(&mut self, thread: usize, instruction: &Instruction) {
        let operands = &instruction.operands;
        let (at, object) = (self.address(thread, &operands[0]), self.address(thread, &operands[2]));
        let ty = instruction.modifiers.last().expect("a type").text.to_string();
        let reduces = (&*instruction.opcode.text == "red").then(|| operation(instruction));
        for (i, element) in Self::elements(&operands[1]).iter().enumerate() {
            let (at, value) = (at + (i * size(&ty)) as u64, self.value(thread, element));
            let (ty, reduces) = (ty.clone(), reduces.clone());
            self.stores.push(Store { thread, at, value, ty, reduces, object });
        }
    }

    /// Performs the stores that signal this object.
    fn finish_stores(&mut self, of: u64) {
        let (now, later): (Vec<Store>, _) =
            std::mem::take(&mut self.stores).into_iter().partition(|store| store.object == of);
        self.stores = later;
        for Store { thread, at, value, ty, reduces, .. } in now {
            let bytes = size(&ty);
            let new = match reduces {
                None => value,
                Some(operation) => {
                    left(&operation, &ty, self.read(thread, at, bytes), value, false)
                }
            };
            self.write(thread, at, bytes, new);
            let object = self.object(of);
            object.bytes -= bytes as i64;
            object.advance();
        }
    }

    pub(super) fn asynchronous(&mut self, thread: usize, instruction: &Instruction) {
        let name = name(instruction);
        let operands = &instruction.operands;
        if name.starts_with("cp.async.mbarrier.arrive") {
            self.finish(thread, 0, true);
            if has(instruction, "noinc") {
                let at = self.address(thread, &operands[0]);
                self.object(at).arrive(1);
            }
        } else if instruction.opcode.text.starts_with("mbarrier") {
            self.mbarrier(thread, instruction);
        } else if has(instruction, "bulk") {
            self.bulk(thread, instruction);
        } else if has(instruction, "commit_group") {
            let copies = &mut self.copies[thread];
            copies.groups.push(std::mem::take(&mut copies.open));
        } else if has(instruction, "wait_all") {
            self.finish(thread, 0, true);
        } else if has(instruction, "wait_group") {
            let left = self.value(thread, &operands[0]) as usize;
            self.finish(thread, left, false);
        } else {
            let (to, from) =
                (self.address(thread, &operands[0]), self.address(thread, &operands[1]));
            let bytes = self.value(thread, &operands[2]) as usize;
            let more = operands.len() - usize::from(has(instruction, "L2::cache_hint"));
            let read = if more > 3 { self.value(thread, &operands[3]) as usize } else { bytes };
            self.copies[thread].open.push(Copy { to, from, bytes, read });
        }
    }

    fn perform(&mut self, thread: usize, copy: Copy) {
        for i in 0..copy.bytes {
            let byte = if i < copy.read { self.read(thread, copy.from + i as u64, 1) } else { 0 };
            self.write(thread, copy.to + i as u64, 1, byte);
        }
    }

    /// Performs a thread's copies, except for its latest groups.
    fn finish(&mut self, thread: usize, left: usize, open: bool) {
        let copies = &mut self.copies[thread];
        let done = copies.groups.len().saturating_sub(left);
        let mut all: Vec<Copy> = copies.groups.drain(..done).flatten().collect();
        if open {
            all.append(&mut copies.open);
        }
        for copy in all {
            self.perform(thread, copy);
        }
    }

    fn object(&mut self, at: u64) -> &mut Object {
        self.objects.get_mut(&at).expect("an mbarrier object")
    }

    fn bulk(&mut self, thread: usize, instruction: &Instruction) {
        let operands = &instruction.operands;
        if has(instruction, "commit_group") {
            return;
        }
        if has(instruction, "wait_group") {
            return self.finish_bulk(None);
        }
        let (to, from) = (self.address(thread, &operands[0]), self.address(thread, &operands[1]));
        let bytes = self.value(thread, &operands[2]) as usize;
        let object = (!has(instruction, "bulk_group")).then(|| self.address(thread, &operands[3]));
        let reduces = has(instruction, "reduce").then(|| {
            let ty = &instruction.modifiers.last().expect("a type").text;
            (operation(instruction), ty.to_string())
        });
        let copy = Copy { to, from, bytes, read: bytes };
        self.bulk.push(Bulk { thread, copy, reduces, object });
    }

    /// Performs copies and reductions in bulk that have begun and that signal this object, or that
    /// signal none.
    fn finish_bulk(&mut self, object: Option<u64>) {
        let (now, later) =
            std::mem::take(&mut self.bulk).into_iter().partition(|bulk| bulk.object == object);
        self.bulk = later;
        let now: Vec<Bulk> = now;
        for Bulk { thread, copy, reduces, .. } in now {
            match reduces {
                None => self.perform(thread, copy),
                Some((operation, ty)) => {
                    let bytes = size(&ty);
                    for i in (0..copy.bytes).step_by(bytes) {
                        let [a, b] =
                            [copy.to, copy.from].map(|at| self.read(thread, at + i as u64, bytes));
                        let new = left(&operation, &ty, a, b, false);
                        self.write(thread, copy.to + i as u64, bytes, new);
                    }
                }
            }
            if let Some(at) = object {
                let object = self.object(at);
                object.bytes -= copy.bytes as i64;
                object.advance();
            }
        }
    }

    fn mbarrier(&mut self, thread: usize, instruction: &Instruction) {
        let operands = &instruction.operands;
        let kind = instruction.modifiers[0].text.to_string();
        let at_place = |place: usize| self.address(thread, &operands[place]);
        match kind.as_str() {
            "init" => {
                let (at, count) = (at_place(0), self.value(thread, &operands[1]) as u32);
                let object = Object { expected: count, pending: count, bytes: 0, phase: 0 };
                self.objects.insert(at, object);
            }
            "inval" => {
                let at = at_place(0);
                assert!(self.objects.remove(&at).is_some(), "an mbarrier object");
            }
            "expect_tx" | "complete_tx" => {
                let (at, bytes) = (at_place(0), self.value(thread, &operands[1]) as i64);
                let object = self.object(at);
                object.bytes += if kind == "expect_tx" { bytes } else { -bytes };
                object.advance();
            }
            "arrive" | "arrive_drop" => {
                let at = at_place(1);
                let given = operands.get(2).map(|operand| self.value(thread, operand));
                let expects = has(instruction, "expect_tx");
                let object = self.object(at);
                if expects {
                    object.bytes += given.expect("bytes") as i64;
                }
                let count = given.filter(|_| !expects).map_or(1, |count| count as u32);
                if kind == "arrive_drop" {
                    object.expected -= count;
                }
                let state = object.arrive(count);
                self.set(thread, &operands[0], state);
            }
            "test_wait" | "try_wait" => {
                let (at, asked) = (at_place(1), self.value(thread, &operands[2]) as u64);
                self.finish_bulk(Some(at));
                self.finish_stores(at);
                let phase = self.object(at).phase;
                let complete = match has(instruction, "parity") {
                    true => phase & 1 != asked & 1,
                    false => phase != asked >> 32,
                };
                self.set(thread, &operands[0], complete.into());
            }
            "pending_count" => {
                let state = self.value(thread, &operands[1]);
                self.set(thread, &operands[0], state & 0xffff_ffff);
            }
            other => panic!("the reference does not know mbarrier.{other}"),
        }
    }
}
