//! A naive interpreter of PTX without branches: one instruction after the other, each for all
//! threads of a block, straight over the syntax tree, a map for the registers of a thread.
//!
//! It shares nothing with the simulator but the parser, knows only the instructions that
//! [`crate::differential::single`] and the narrow conversions of
//! [`crate::differential::straight`] write, and panics at any other. An asynchronous copy is a copy
//! at the wait for it; a wait that would have to wait is a panic.
//!
//! [`crate::tiles::reference`] computes products of matrices. Products of doubles only have
//! rounding to nearest.

mod convert;
mod copies;
mod matrices;
mod memory;
mod numbers;

use std::collections::HashMap;
use std::sync::Arc;

use warpsim::ptx::{
    AddressBase, Function, Instruction, Item, Module, Operand, OperandKind, Statement,
};

use copies::{Copies, Object};
use matrices::Matrix;
use memory::{CONSTANTS, LOCAL, PARAMETERS, SHARED};

/// Runs a kernel with a pointer to the table and one to this many words, and gives what it leaves
/// there.
pub fn run(
    module: &Module,
    kernel: &str,
    [blocks, threads]: [u32; 2],
    table: &[u64],
    words: usize,
) -> Vec<u64> {
    let bytes: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut machine = Machine {
        names: HashMap::new(),
        table: bytes,
        out: vec![0; words * 8],
        constants: Vec::new(),
        shared: Vec::new(),
        locals: Vec::new(),
        registers: Vec::new(),
        block: 0,
        objects: HashMap::new(),
        copies: Vec::new(),
        bulk: Vec::new(),
        stores: Vec::new(),
        matrices: HashMap::new(),
    };
    let mut function = None;
    for item in &module.items {
        match item {
            Item::Variable(variable) if variable.space == warpsim::ptx::Space::Const => {
                let at = CONSTANTS + machine.constants.len() as u64;
                machine.names.insert(variable.name.text.clone(), at);
                // All constants are the same numbers.
                machine.constants.extend((0..64u32).map(|i| ((i * 37 + 11) % 256) as u8));
            }
            Item::Function(f) if &*f.name.text == kernel => function = Some(f),
            Item::Variable(_) | Item::Function(_) => {}
            other => panic!("{other:?}"),
        }
    }
    let function = function.expect("the kernel");
    for block in 0..blocks {
        machine.run_block(function, block, threads as usize);
    }
    machine.out.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("8"))).collect()
}

struct Machine {
    /// Where variables are, in their own space.
    names: HashMap<Arc<str>, u64>,
    table: Vec<u8>,
    out: Vec<u8>,
    constants: Vec<u8>,
    shared: Vec<u8>,
    locals: Vec<Vec<u8>>,
    registers: Vec<HashMap<Arc<str>, u128>>,
    block: u32,
    objects: HashMap<u64, Object>,
    copies: Vec<Copies>,
    /// Copies in bulk that have begun.
    bulk: Vec<copies::Bulk>,
    /// Stores and reductions that have begun and that signal an object.
    stores: Vec<copies::Store>,
    /// The fragments of `wmma`, by warp and first register.
    matrices: HashMap<(usize, String), Matrix>,
}

impl Machine {
    fn run_block(&mut self, function: &Function, block: u32, threads: usize) {
        self.block = block;
        self.shared.clear();
        self.locals = vec![Vec::new(); threads];
        self.registers = vec![HashMap::new(); threads];
        self.copies = vec![Copies::default(); threads];
        self.objects.clear();
        self.names.insert("table".into(), PARAMETERS);
        self.names.insert("out".into(), PARAMETERS + 8);
        self.statements(&function.body.as_ref().expect("a body").statements);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Variable(variable) => {
                    let count: u64 = variable.dims.iter().map(|d| d.unwrap_or(1)).product();
                    let bytes = (count * 8).next_multiple_of(128) as usize;
                    let at = match variable.space {
                        warpsim::ptx::Space::Shared => {
                            self.shared.resize(self.shared.len() + bytes, 0);
                            SHARED + (self.shared.len() - bytes) as u64
                        }
                        _ => {
                            self.locals.iter_mut().for_each(|l| l.resize(bytes, 0));
                            LOCAL
                        }
                    };
                    self.names.insert(variable.name.text.clone(), at);
                }
                Statement::Block(block) => self.statements(&block.statements),
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Registers(_) | Statement::Label(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// An instruction, by all threads whose guard lets them.
    fn instruction(&mut self, instruction: &Instruction) {
        let threads: Vec<usize> = (0..self.registers.len())
            .filter(|thread| {
                instruction.guard.as_ref().is_none_or(|guard| {
                    (self.register(*thread, &guard.register.text) != 0) != guard.negated
                })
            })
            .collect();
        if Self::of_warps(instruction) {
            assert_eq!(threads.len(), self.registers.len(), "full warps");
            for warp in 0..threads.len() / 32 {
                self.warp(instruction, warp);
            }
            return;
        }
        match &*instruction.opcode.text {
            "bra" => assert!(threads.is_empty(), "the wait would have to wait"),
            "ret" | "bar" | "barrier" | "fence" | "membar" | "prefetch" | "prefetchu"
            | "applypriority" | "discard" | "nanosleep" | "pmevent" | "griddepcontrol" => {}
            "cp" if has(instruction, "prefetch") => {}
            "cp" | "mbarrier" => {
                for thread in threads {
                    self.asynchronous(thread, instruction);
                }
            }
            "st" | "red" if has(instruction, "async") && !has(instruction, "release") => {
                for thread in threads {
                    self.store_to_be_told(thread, instruction);
                }
            }
            "ld" | "ldu" | "st" | "atom" | "red" => {
                for thread in threads {
                    self.access(thread, instruction);
                }
            }
            _ => {
                for thread in threads {
                    self.compute(thread, instruction);
                }
            }
        }
    }

    fn of_warps(instruction: &Instruction) -> bool {
        let opcodes = ["vote", "elect", "activemask", "mma", "wmma"];
        instruction.opcode.text.ends_with("matrix") || opcodes.contains(&&*instruction.opcode.text)
    }

    fn register(&self, thread: usize, name: &str) -> u128 {
        *self.registers[thread].get(name).unwrap_or_else(|| panic!("{name} is not written"))
    }

    fn set(&mut self, thread: usize, operand: &Operand, value: u128) {
        match &operand.kind {
            OperandKind::Name(name) => {
                self.registers[thread].insert(name.clone(), value);
            }
            OperandKind::Sink => {}
            other => panic!("{other:?}"),
        }
    }

    /// The elements of an operand.
    fn elements(operand: &Operand) -> &[Operand] {
        match &operand.kind {
            OperandKind::Vector(elements) => elements,
            _ => std::slice::from_ref(operand),
        }
    }

    fn value(&self, thread: usize, operand: &Operand) -> u128 {
        match &operand.kind {
            OperandKind::Integer(n) => *n as u64 as u128,
            OperandKind::F32(bits) => (*bits).into(),
            OperandKind::Member(name, _) if &**name == "%tid" => thread as u128,
            OperandKind::Member(name, _) if &**name == "%ctaid" => self.block.into(),
            OperandKind::Name(name) if &**name == "%laneid" => thread as u128 % 32,
            OperandKind::Name(name) => match self.names.get(name) {
                Some(address) => (*address).into(),
                None => self.register(thread, name),
            },
            other => panic!("{other:?}"),
        }
    }

    /// The address in brackets.
    fn address(&self, thread: usize, operand: &Operand) -> u64 {
        let OperandKind::Address(AddressBase::Name(base), offset) = &operand.kind else {
            panic!("{operand:?}")
        };
        let base = Operand { kind: OperandKind::Name(base.clone()), span: operand.span };
        (self.value(thread, &base) as u64).wrapping_add_signed(*offset)
    }

    fn compute(&mut self, thread: usize, instruction: &Instruction) {
        let operands = &instruction.operands;
        let name = name(instruction);
        if instruction.opcode.text.starts_with("mov") {
            return self.mov(thread, instruction);
        }
        let values: Vec<u128> = match &*instruction.opcode.text {
            "createpolicy" => Vec::new(),
            _ => operands[1..].iter().map(|operand| self.value(thread, operand)).collect(),
        };
        let result = match &*instruction.opcode.text {
            // A number that means something to a cache.
            "createpolicy" => 0,
            "alloca" => {
                let local = &mut self.locals[thread];
                let at = local.len();
                local.resize(at + values[0] as usize, 0);
                u128::from(LOCAL) + at as u128
            }
            "stacksave" => self.locals[thread].len() as u128,
            "stackrestore" => {
                let end = self.value(thread, &operands[0]);
                return self.locals[thread].truncate(end as usize);
            }
            // Every space begins where it begins as generic addresses.
            "cvta" | "mapa" => values[0],
            "getctarank" => 0,
            "isspacep" => {
                let space = memory::space_of(values[0] as u64);
                let asked = instruction.modifiers[0].text.split("::").next().expect("a space");
                // What kernels are given lies in global memory, too.
                (space == asked || asked == "global" && space == "param").into()
            }
            "cvt" => convert::converted(&name, &values),
            _ => computed(&name, &values),
        };
        self.set(thread, &operands[0], result);
    }

    /// A move, perhaps between a register and its parts.
    fn mov(&mut self, thread: usize, instruction: &Instruction) {
        let (to, from) =
            (Self::elements(&instruction.operands[0]), Self::elements(&instruction.operands[1]));
        let values: Vec<u128> = from.iter().map(|operand| self.value(thread, operand)).collect();
        let ty = &*instruction.modifiers.last().expect("a type").text;
        if to.len() == from.len() {
            for (to, value) in to.iter().zip(values) {
                self.set(thread, to, value);
            }
            return;
        }
        let all: u32 = ty[1..].parse().expect("bits");
        let part = all / to.len().max(from.len()) as u32;
        let low = |value: u128| value & (u128::MAX >> (128 - part));
        let whole = values.iter().rev().fold(0, |whole, value| match from.len() {
            1 => *value,
            _ => whole << part | low(*value),
        });
        if to.len() == 1 {
            return self.set(thread, &to[0], whole);
        }
        for (i, to) in to.iter().enumerate() {
            self.set(thread, to, low(whole >> (part * i as u32)));
        }
    }
}

/// The opcode with its modifiers.
fn name(instruction: &Instruction) -> String {
    let parts = instruction.modifiers.iter().map(|m| &*m.text);
    std::iter::once(&*instruction.opcode.text).chain(parts).collect::<Vec<&str>>().join(".")
}

fn has(instruction: &Instruction, modifier: &str) -> bool {
    instruction.modifiers.iter().any(|m| &*m.text == modifier)
}

/// A pure instruction on values.
fn computed(name: &str, values: &[u128]) -> u128 {
    let word = |i: usize| values[i] as u32;
    let long = |i: usize| values[i] as u64;
    match name {
        "add.u32" => word(0).wrapping_add(word(1)).into(),
        "add.u64" => long(0).wrapping_add(long(1)).into(),
        "sub.u64" => long(0).wrapping_sub(long(1)).into(),
        "mul.lo.u32" => word(0).wrapping_mul(word(1)).into(),
        "mul.wide.u32" => values[0] * values[1],
        "mad.lo.u32" => word(0).wrapping_mul(word(1)).wrapping_add(word(2)).into(),
        "mad.wide.u32" => (u64::from(word(0)) * u64::from(word(1))).wrapping_add(long(2)).into(),
        "rem.u32" => (word(0) % word(1)).into(),
        "shr.u32" => (word(0) >> word(1)).into(),
        "and.b32" => (word(0) & word(1)).into(),
        "xor.b32" | "xor.pred" => (word(0) ^ word(1)).into(),
        "popc.b32" => word(0).count_ones().into(),
        "setp.eq.u32" => (word(0) == word(1)).into(),
        "setp.ne.u32" => (word(0) != word(1)).into(),
        "setp.eq.u64" => (long(0) == long(1)).into(),
        "selp.b32" if values[2] != 0 => word(0).into(),
        "selp.b32" => word(1).into(),
        _ => panic!("the reference does not know {name}"),
    }
}
