//! A naive interpreter of PTX: one thread at a time, straight over the syntax tree, a map for the
//! registers.
//!
//! It shares nothing with the simulator but the parser, knows only the instructions that
//! [`crate::random_programs`] writes, and panics at any other. A thread runs until it has to wait
//! for others; when all have, those that can go on do.

use super::reference_wide;
use std::collections::HashMap;
use std::sync::Arc;

use warpsim::ptx::{
    AddressBase, Function, Instruction, Item, Module, Operand, OperandKind, Space, Statement,
};

/// Where the buffer seems to lie.
const BUFFER: u64 = 1 << 32;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    Barrier,
    Warp,
    Exited,
}

/// An activation of a function.
#[derive(Clone, Debug)]
struct Activation {
    function: Arc<str>,
    at: usize,
    registers: HashMap<Arc<str>, u64>,
}

#[derive(Clone, Debug)]
struct Thread {
    number: u64,
    state: State,
    calls: Vec<Activation>,
    local: Vec<u8>,
}

/// The instructions of a function, and the positions of its labels among them.
struct Code<'a> {
    function: &'a Function,
    instructions: Vec<&'a Instruction>,
    labels: HashMap<Arc<str>, usize>,
}

/// Runs kernel `k` of a module on a buffer and gives what it leaves there.
pub fn run(module: &Module, blocks: u32, threads: u32, buffer: &[u8]) -> Vec<u8> {
    let mut reference = Reference::new(module, buffer);
    for block in 0..blocks {
        reference.run_block(block.into(), threads.into());
    }
    reference.buffer
}

struct Reference<'a> {
    code: HashMap<Arc<str>, Code<'a>>,
    variables: HashMap<Arc<str>, u64>,
    buffer: Vec<u8>,
    shared: Vec<u8>,
    block: u64,
}

impl<'a> Reference<'a> {
    fn new(module: &'a Module, buffer: &[u8]) -> Reference<'a> {
        let (mut code, mut variables, mut shared) = (HashMap::new(), HashMap::new(), 0);
        for item in &module.items {
            match item {
                Item::Variable(v) if v.space == Space::Shared => {
                    variables.insert(v.name.text.clone(), shared);
                    shared += v.dims.iter().map(|d| d.unwrap_or(1)).product::<u64>() * 4;
                }
                Item::Function(function) => {
                    code.insert(function.name.text.clone(), Code::new(function));
                }
                other => panic!("{other:?}"),
            }
        }
        variables.insert("kept".into(), 0);
        let shared = vec![0; shared as usize];
        Reference { code, variables, buffer: buffer.to_vec(), shared, block: 0 }
    }

    fn run_block(&mut self, block: u64, count: u64) {
        self.block = block;
        self.shared.fill(0);
        let start = Activation { function: "k".into(), at: 0, registers: HashMap::new() };
        let thread = |number| Thread {
            number,
            state: State::Runs,
            calls: vec![start.clone()],
            local: vec![0; 64],
        };
        let mut threads: Vec<Thread> = (0..count).map(thread).collect();
        while threads.iter().any(|t| t.state != State::Exited) {
            for thread in &mut threads {
                while thread.state == State::Runs {
                    self.step(thread);
                }
            }
            for warp in threads.chunks_mut(32) {
                if warp.iter().all(|t| t.state == State::Warp) {
                    self.warp_operation(warp);
                }
            }
            if threads.iter().all(|t| matches!(t.state, State::Barrier | State::Exited)) {
                self.barrier(&mut threads);
            }
        }
    }

    fn current(&self, thread: &Thread) -> &'a Instruction {
        let call = thread.calls.last().expect("it runs");
        self.code[&call.function].instructions[call.at]
    }

    /// One instruction of one thread.
    fn step(&mut self, thread: &mut Thread) {
        let instruction = self.current(thread);
        if let Some(guard) = &instruction.guard
            && (self.register(thread, &guard.register.text) != 0) == guard.negated
        {
            return advance(thread);
        }
        match &*instruction.opcode.text {
            "bar" => thread.state = State::Barrier,
            "shfl" | "vote" => thread.state = State::Warp,
            "bra" => {
                let OperandKind::Name(label) = &instruction.operands[0].kind else { panic!() };
                let call = thread.calls.last_mut().expect("it runs");
                call.at = self.code[&call.function].labels[label];
            }
            "exit" => thread.state = State::Exited,
            "ret" => self.ret(thread),
            "call" => self.call(thread, instruction),
            _ if reference_wide::is_wide(instruction) => {
                self.wide(thread, instruction);
                advance(thread);
            }
            "ld" | "st" | "atom" | "red" => {
                self.access(thread, instruction);
                advance(thread);
            }
            _ => {
                let values: Vec<u64> =
                    instruction.operands[1..].iter().map(|o| self.value(thread, o)).collect();
                let result = computed(&name(instruction), &values);
                self.set(thread, &instruction.operands[0], result);
                advance(thread);
            }
        }
    }

    fn register(&self, thread: &Thread, name: &str) -> u64 {
        *thread.calls.last().and_then(|c| c.registers.get(name)).unwrap_or(&0)
    }

    fn set(&self, thread: &mut Thread, operand: &Operand, value: u64) {
        let OperandKind::Name(name) = &operand.kind else { panic!("{operand:?}") };
        let call = thread.calls.last_mut().expect("it runs");
        call.registers.insert(name.clone(), value);
    }

    fn value(&self, thread: &Thread, operand: &Operand) -> u64 {
        match &operand.kind {
            OperandKind::Integer(n) => *n as u64,
            OperandKind::Member(register, _) if &**register == "%tid" => thread.number,
            OperandKind::Member(register, _) if &**register == "%ctaid" => self.block,
            OperandKind::Name(name) => match self.variables.get(name) {
                Some(address) => *address,
                None => self.register(thread, name),
            },
            other => panic!("{other:?}"),
        }
    }

    fn ret(&mut self, thread: &mut Thread) {
        let done = thread.calls.pop().expect("it runs");
        let Some(caller) = thread.calls.last_mut() else {
            thread.state = State::Exited;
            return;
        };
        let instruction = self.code[&caller.function].instructions[caller.at];
        let OperandKind::List(results) = &instruction.operands[0].kind else { panic!() };
        let OperandKind::Name(to) = &results[0].kind else { panic!() };
        let from = &self.code[&done.function].function.returns[0].name.text;
        caller.registers.insert(to.clone(), done.registers[from]);
        advance(thread);
    }

    fn call(&mut self, thread: &mut Thread, instruction: &Instruction) {
        let OperandKind::Name(callee) = &instruction.operands[1].kind else { panic!() };
        let OperandKind::List(arguments) = &instruction.operands[2].kind else { panic!() };
        let params = &self.code[callee].function.params;
        let given = arguments.iter().map(|a| self.value(thread, a));
        let registers = params.iter().map(|p| p.name.text.clone()).zip(given).collect();
        thread.calls.push(Activation { function: callee.clone(), at: 0, registers });
    }

    /// The memory of a space, as the thread sees it, and where it begins.
    fn memory<'m>(&'m mut self, thread: &'m mut Thread, space: &str) -> (&'m mut Vec<u8>, u64) {
        match space {
            "global" => (&mut self.buffer, BUFFER),
            "shared" => (&mut self.shared, 0),
            _ => (&mut thread.local, 0),
        }
    }

    fn access(&mut self, thread: &mut Thread, instruction: &Instruction) {
        let (opcode, space) = (&*instruction.opcode.text, &*instruction.modifiers[0].text);
        if space == "param" {
            return self.set(thread, &instruction.operands[0], BUFFER);
        }
        let gives = matches!(opcode, "ld" | "atom");
        let OperandKind::Address(AddressBase::Name(base), offset) =
            &instruction.operands[usize::from(gives)].kind
        else {
            panic!("{instruction:?}")
        };
        let base = Operand { kind: OperandKind::Name(base.clone()), span: instruction.span };
        let address = self.value(thread, &base).wrapping_add_signed(*offset);
        let stored = match opcode {
            "ld" => 0,
            _ => self.value(thread, instruction.operands.last().expect("a value")) as u32,
        };
        let (memory, start) = self.memory(thread, space);
        let at = (address - start) as usize;
        let cell: &mut [u8; 4] = (&mut memory[at..at + 4]).try_into().expect("4 bytes");
        let old = u32::from_le_bytes(*cell);
        let new = match opcode {
            "ld" => old,
            "st" => stored,
            _ => {
                let operation = format!("{}.u32", &*instruction.modifiers[1].text);
                computed(&operation, &[old.into(), stored.into()]) as u32
            }
        };
        *cell = new.to_le_bytes();
        if gives {
            self.set(thread, &instruction.operands[0], old.into());
        }
    }

    /// An instruction on several words: a move, or an access of own cells in global memory.
    fn wide(&mut self, thread: &mut Thread, instruction: &Instruction) {
        let words = |thread: &Thread, operand: &Operand| -> Vec<u32> {
            let names = reference_wide::words(operand);
            names.iter().map(|name| self.register(thread, name) as u32).collect()
        };
        let operands = &instruction.operands;
        let address = operands.iter().find_map(|operand| match &operand.kind {
            OperandKind::Address(AddressBase::Name(base), offset) => {
                Some(self.register(thread, base).wrapping_add_signed(*offset))
            }
            _ => None,
        });
        let Some(address) = address else {
            let given = words(thread, &operands[1]);
            return put(thread, &operands[0], &given);
        };
        let gives = matches!(&*instruction.opcode.text, "ld" | "atom");
        let given = &operands[usize::from(gives) + 1..];
        let given: Vec<Vec<u32>> = given.iter().map(|operand| words(thread, operand)).collect();
        let count = reference_wide::words(&operands[usize::from(!gives)]).len();
        let at = (address - BUFFER) as usize;
        let cells: Vec<&mut [u8]> = self.buffer[at..at + 4 * count].chunks_mut(4).collect();
        let word = |cell: &&mut [u8]| u32::from_le_bytes((&**cell).try_into().expect("4 bytes"));
        let old: Vec<u32> = cells.iter().map(word).collect();
        let new = match (&*instruction.opcode.text, given.as_slice()) {
            ("ld", _) => old.clone(),
            ("st", [value]) => value.clone(),
            (_, [b]) => reference_wide::left(&instruction.modifiers[1].text, &old, b, &[]),
            (_, [b, c]) => reference_wide::left(&instruction.modifiers[1].text, &old, b, c),
            other => panic!("{other:?}"),
        };
        for (cell, word) in cells.into_iter().zip(new) {
            cell.copy_from_slice(&word.to_le_bytes());
        }
        if gives {
            put(thread, &operands[0], &old);
        }
    }

    /// All threads that have not exited are at the barrier.
    fn barrier(&self, threads: &mut [Thread]) {
        let waiting = || threads.iter().filter(|t| t.state == State::Barrier);
        let Some(instruction) = waiting().next().map(|t| self.current(t)) else { return };
        assert!(waiting().all(|t| self.current(t).id == instruction.id), "at one barrier");
        let counts = &*instruction.modifiers[0].text == "red";
        let yes = |t: &&Thread| counts && self.value(t, &instruction.operands[2]) != 0;
        let count = waiting().filter(yes).count() as u64;
        for thread in threads.iter_mut().filter(|t| t.state == State::Barrier) {
            if counts {
                self.set(thread, &instruction.operands[0], count);
            }
            thread.state = State::Runs;
            advance(thread);
        }
    }

    /// All threads of a full warp are at a shuffle or a vote.
    fn warp_operation(&self, warp: &mut [Thread]) {
        let instruction = self.current(&warp[0]);
        let given: Vec<u64> =
            warp.iter().map(|t| self.value(t, &instruction.operands[1])).collect();
        let ballot =
            (0..32).filter(|lane| given[*lane] != 0).fold(0, |mask, lane| mask | 1 << lane);
        for (lane, thread) in warp.iter_mut().enumerate() {
            let by = match &instruction.operands[2].kind {
                OperandKind::Integer(n) => *n as usize,
                other => panic!("{other:?}"),
            };
            let from = match &*instruction.modifiers[1].text {
                "up" => lane.checked_sub(by).unwrap_or(lane),
                "down" if lane + by < 32 => lane + by,
                "bfly" => lane ^ by,
                "idx" => by,
                _ => lane,
            };
            let shuffled = &*instruction.opcode.text == "shfl";
            let result = if shuffled { given[from] } else { ballot };
            self.set(thread, &instruction.operands[0], result);
            thread.state = State::Runs;
            advance(thread);
        }
    }
}

impl<'a> Code<'a> {
    fn new(function: &'a Function) -> Code<'a> {
        let (mut instructions, mut labels) = (Vec::new(), HashMap::new());
        for statement in &function.body.as_ref().expect("a body").statements {
            match statement {
                Statement::Instruction(instruction) => instructions.push(instruction),
                Statement::Label(label) => {
                    labels.insert(label.text.clone(), instructions.len());
                }
                Statement::Registers(_) | Statement::Variable(_) => {}
                other => panic!("{other:?}"),
            }
        }
        Code { function, instructions, labels }
    }
}

/// Writes the words of an operand.
fn put(thread: &mut Thread, operand: &Operand, words: &[u32]) {
    let call = thread.calls.last_mut().expect("it runs");
    for (name, word) in reference_wide::words(operand).iter().zip(words) {
        call.registers.insert(name.as_str().into(), (*word).into());
    }
}

fn advance(thread: &mut Thread) {
    thread.calls.last_mut().expect("it runs").at += 1;
}

/// The opcode with its modifiers.
fn name(instruction: &Instruction) -> String {
    let parts = instruction.modifiers.iter().map(|m| &*m.text);
    std::iter::once(&*instruction.opcode.text).chain(parts).collect::<Vec<&str>>().join(".")
}

/// A pure instruction on values.
fn computed(name: &str, values: &[u64]) -> u64 {
    let word = |i: usize| values[i] as u32;
    let truth = u64::from;
    let signed = |i: usize| word(i) as i32;
    let (operation, ty) = name.rsplit_once('.').expect("a type");
    match (operation, ty) {
        ("mov", _) => values[0],
        ("add", "u64") => values[0].wrapping_add(values[1]),
        ("add", _) => word(0).wrapping_add(word(1)).into(),
        ("sub", _) => word(0).wrapping_sub(word(1)).into(),
        ("mul.lo", _) => word(0).wrapping_mul(word(1)).into(),
        ("mul.wide", _) => u64::from(word(0)) * u64::from(word(1)),
        ("mad.lo", _) => word(0).wrapping_mul(word(1)).wrapping_add(word(2)).into(),
        ("rem", _) => (word(0) % word(1)).into(),
        ("and", _) => (word(0) & word(1)).into(),
        ("or", _) => (word(0) | word(1)).into(),
        ("xor", _) => (word(0) ^ word(1)).into(),
        ("shl", _) => (word(0) << word(1)).into(),
        ("min", "u32") => word(0).min(word(1)).into(),
        ("max", "u32") => word(0).max(word(1)).into(),
        ("max", _) => (signed(0).max(signed(1)) as u32).into(),
        ("setp.lt", "u32") => truth(word(0) < word(1)),
        ("setp.eq", _) => truth(word(0) == word(1)),
        ("setp.ne", _) => truth(word(0) != word(1)),
        ("setp.ge", "s32") => truth(signed(0) >= signed(1)),
        _ => panic!("the reference does not know {name}"),
    }
}
