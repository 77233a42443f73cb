//! One thread, one instruction at a time: an interpreter that shares nothing with the simulator or
//! the pass but the syntax tree.
//!
//! It knows the instructions that `programs` emits and those that the pass puts in, and refuses any
//! other. It resolves names in its own way: the scopes are flattened and every register gets the
//! number of its scope. It records what others may see: volatile accesses in their order, and all
//! of memory at each barrier. At each barrier it also plays other threads, by changing every byte
//! of memory in a fixed pseudo-random way.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ptx::{
    AddressBase, Block, Function, Instruction, Item, Module, Operand, OperandKind, Space,
    Statement, Type,
};

/// Where the shared window starts in the generic address space.
const SHARED_WINDOW: u64 = 0x7000_0000_0000;
/// Bytes of shared memory; variables are laid out from its start.
const SHARED_BYTES: usize = 256;
/// The generic address of global memory.
const GLOBAL: u64 = 0x2_0000_0000;
/// Bytes of global memory: variables first, buffers from [`BUFFERS`].
const GLOBAL_BYTES: usize = 512;
/// Where the host's buffers start in global memory.
const BUFFERS: u64 = 256;

/// What a run leaves behind, as far as anybody can see.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    /// Volatile accesses and snapshots at barriers, in order.
    pub(super) events: Vec<(u64, u64)>,
    /// Shared memory at the end.
    pub(super) shared: Vec<u8>,
    /// Global memory at the end.
    pub(super) global: Vec<u8>,
}

/// A pointer that the host passes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pointer {
    /// Into the host's buffers, at an offset.
    Buffer(u64),
    /// Generic, into shared memory.
    Shared(u64),
}

/// A module made ready to run.
pub(super) struct Oracle {
    functions: HashMap<String, Code>,
    /// Offset within its space, by variable.
    variables: HashMap<String, (Space, u64)>,
    /// What memory holds at first.
    shared: Vec<u8>,
    global: Vec<u8>,
}

impl Oracle {
    /// Flattens a module's functions and lays out its variables.
    pub(super) fn new(module: &Module) -> Result<Oracle, String> {
        let mut oracle = Oracle {
            functions: HashMap::new(),
            variables: HashMap::new(),
            shared: (0..SHARED_BYTES as u64).map(|at| scrambled(at) as u8).collect(),
            global: (0..GLOBAL_BYTES as u64).map(|at| scrambled(at + 1000) as u8).collect(),
        };
        let (mut shared, mut global) = (0, 0);
        for item in &module.items {
            match item {
                Item::Variable(variable) => {
                    let bytes = variable.dims.iter().flatten().product::<u64>();
                    let next = match variable.space {
                        Space::Shared => &mut shared,
                        Space::Global => &mut global,
                        _ => return Err("a variable elsewhere".to_string()),
                    };
                    let name = variable.name.text.to_string();
                    oracle.variables.insert(name, (variable.space, *next));
                    *next += bytes;
                }
                Item::Function(function) => {
                    if let Some(body) = &function.body {
                        let code = Code::new(function, body);
                        oracle.functions.insert(function.name.text.to_string(), code);
                    }
                }
                _ => {}
            }
        }
        Ok(oracle)
    }

    /// Runs kernel `k` with its pointer parameters `p`, `q`, `o` and its numbers `w` and `v`.
    pub(super) fn run(&self, pointers: [Pointer; 3]) -> Result<Outcome, String> {
        let mut parameters = HashMap::from([("w", 0xffff_fff0), ("v", 0x7fff_fff8)]);
        for (name, pointer) in ["p", "q", "o"].into_iter().zip(pointers) {
            let address = match pointer {
                Pointer::Buffer(offset) => GLOBAL + BUFFERS + offset,
                Pointer::Shared(offset) => SHARED_WINDOW + offset,
            };
            parameters.insert(name, address);
        }
        let mut machine = Machine {
            oracle: self,
            parameters,
            shared: self.shared.clone(),
            global: self.global.clone(),
            events: Vec::new(),
            steps: 0,
            barriers: 0,
            exited: false,
        };
        machine.call("k", 0)?;
        let Machine { events, shared, global, .. } = machine;
        Ok(Outcome { events, shared, global })
    }
}

/// The number of a scope, and its declarations so far: name, N of `name<N>`, bits.
type Scope = (u32, Vec<(String, Option<u32>, u32)>);

/// A function with its scopes flattened.
struct Code {
    instructions: Vec<Instruction>,
    /// By label.
    labels: HashMap<String, usize>,
    /// By `.branchtargets`.
    targets: HashMap<String, Vec<String>>,
    /// Declared bits, by flattened name.
    widths: HashMap<String, u32>,
}

struct Machine<'o> {
    oracle: &'o Oracle,
    parameters: HashMap<&'static str, u64>,
    shared: Vec<u8>,
    global: Vec<u8>,
    events: Vec<(u64, u64)>,
    steps: u32,
    barriers: u64,
    exited: bool,
}

fn scrambled(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

fn bits(ty: Type) -> u32 {
    ty.bytes().map_or(1, |bytes| bytes * 8)
}

fn low(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64)
}

/// The low bits of a value, extended to 64 as the type says.
fn read_as(value: u64, ty: Type) -> u64 {
    let bits = bits(ty);
    if is_signed(ty) { signed(low(value, bits), bits) as u64 } else { low(value, bits) }
}

impl Code {
    fn new(function: &Function, block: &Block) -> Code {
        let mut code = Code {
            instructions: Vec::new(),
            labels: HashMap::new(),
            targets: HashMap::new(),
            widths: HashMap::new(),
        };
        let mut scopes = vec![(0, Vec::new())];
        for parameter in function.returns.iter().filter(|parameter| parameter.register) {
            scopes[0].1.push((parameter.name.text.to_string(), None, bits(parameter.ty)));
        }
        let mut count = 0;
        code.walk(block, &mut scopes, &mut count);
        code
    }

    fn walk(&mut self, block: &Block, scopes: &mut Vec<Scope>, count: &mut u32) {
        for statement in &block.statements {
            match statement {
                Statement::Registers(declared) => {
                    for (name, family) in &declared.names {
                        if let Some(scope) = scopes.last_mut() {
                            scope.1.push((name.text.to_string(), *family, bits(declared.ty)));
                        }
                    }
                }
                Statement::Label(name) => {
                    self.labels.insert(name.text.to_string(), self.instructions.len());
                }
                Statement::BranchTargets(name, targets) => {
                    let targets = targets.iter().map(|target| target.text.to_string()).collect();
                    self.targets.insert(name.text.to_string(), targets);
                }
                Statement::Instruction(inst) => {
                    let mut inst = inst.clone();
                    if let Some(guard) = &mut inst.guard {
                        guard.register.text = self.flat(&guard.register.text, scopes).into();
                    }
                    for operand in &mut inst.operands {
                        self.flatten(operand, scopes);
                    }
                    self.instructions.push(inst);
                }
                Statement::Block(inner) => {
                    *count += 1;
                    scopes.push((*count, Vec::new()));
                    self.walk(inner, scopes, count);
                    scopes.pop();
                }
                _ => {}
            }
        }
    }

    fn flatten(&mut self, operand: &mut Operand, scopes: &[Scope]) {
        match &mut operand.kind {
            OperandKind::Name(name) | OperandKind::Address(AddressBase::Name(name), _) => {
                *name = self.flat(name, scopes).into();
            }
            OperandKind::List(parts) => {
                parts.iter_mut().for_each(|part| self.flatten(part, scopes));
            }
            _ => {}
        }
    }

    /// `%name#scope` for a register that is declared by now; the name itself for anything else.
    fn flat(&mut self, name: &str, scopes: &[Scope]) -> String {
        for (number, declared) in scopes.iter().rev() {
            for (stem, family, bits) in declared {
                let is_it = match family {
                    None => stem == name,
                    Some(count) => name.strip_prefix(stem.as_str()).is_some_and(|digits| {
                        digits.parse::<u32>().is_ok_and(|number| number < *count)
                    }),
                };
                if is_it {
                    let flat = format!("{name}#{number}");
                    self.widths.insert(flat.clone(), *bits);
                    return flat;
                }
            }
        }
        name.to_string()
    }
}

/// The registers of one activation.
struct Frame<'c> {
    code: &'c Code,
    registers: HashMap<Arc<str>, u64>,
}

impl Frame<'_> {
    fn set(&mut self, operand: Option<&Operand>, value: u64) -> Result<(), String> {
        let Some(OperandKind::Name(name)) = operand.map(|operand| &operand.kind) else {
            return Err(format!("no register: {operand:?}"));
        };
        let width =
            self.code.widths.get(&**name).ok_or_else(|| format!("{name} is not declared"))?;
        let value = low(value, *width);
        match self.registers.get_mut(&**name) {
            Some(held) => *held = value,
            None => {
                self.registers.insert(name.clone(), value);
            }
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// Calls a function; returns the value of its return register, `%ret`.
    fn call(&mut self, name: &str, depth: u32) -> Result<u64, String> {
        let code = self.oracle.functions.get(name).ok_or_else(|| format!("no function {name}"))?;
        let mut frame = Frame { code, registers: HashMap::new() };
        self.interpret(&mut frame, depth)?;
        Ok(frame.registers.get("%ret#0").copied().unwrap_or(0))
    }

    fn interpret(&mut self, frame: &mut Frame<'_>, depth: u32) -> Result<(), String> {
        let mut at = 0;
        while let Some(inst) = frame.code.instructions.get(at) {
            self.steps += 1;
            if self.steps > 20_000 || depth > 4 {
                return Err("it does not end".to_string());
            }
            at += 1;
            if let Some(guard) = &inst.guard {
                let holds = frame.registers.get(&*guard.register.text).copied().unwrap_or(0) != 0;
                if holds == guard.negated {
                    continue;
                }
            }
            match &*inst.opcode.text {
                "ret" => return Ok(()),
                "exit" => {
                    self.exited = true;
                    return Ok(());
                }
                "bra" | "brx" => at = self.branch(frame, inst)?,
                "call" => {
                    self.call_from(frame, inst, depth)?;
                    if self.exited {
                        return Ok(());
                    }
                }
                _ => self.execute(frame, inst)?,
            }
        }
        Ok(())
    }

    fn branch(&self, frame: &Frame<'_>, inst: &Instruction) -> Result<usize, String> {
        let name = |number: usize| match inst.operands.get(number).map(|operand| &operand.kind) {
            Some(OperandKind::Name(name)) => Ok(name.to_string()),
            other => Err(format!("no label: {other:?}")),
        };
        let mut label = name(0)?;
        if &*inst.opcode.text == "brx" {
            let index = self.value(frame, inst, 0)? as usize;
            let list = frame.code.targets.get(&name(1)?).ok_or("no targets")?;
            label = list.get(index).ok_or("no such target")?.clone();
        }
        frame.code.labels.get(&label).copied().ok_or_else(|| format!("no label {label}"))
    }

    fn call_from(
        &mut self,
        frame: &mut Frame<'_>,
        inst: &Instruction,
        depth: u32,
    ) -> Result<(), String> {
        let callee = inst.operands.iter().find_map(|operand| match &operand.kind {
            OperandKind::Name(name) => Some(name.to_string()),
            _ => None,
        });
        let returned = self.call(&callee.ok_or("no callee")?, depth + 1)?;
        match inst.operands.first().map(|operand| &operand.kind) {
            Some(OperandKind::List(returns)) => frame.set(returns.first(), returned),
            _ => Ok(()),
        }
    }

    fn value(&self, frame: &Frame<'_>, inst: &Instruction, number: usize) -> Result<u64, String> {
        let operand = inst.operands.get(number).ok_or("an operand is missing")?;
        match &operand.kind {
            OperandKind::Integer(value) => Ok(*value as u64),
            OperandKind::Member(name, element) if &**name == "%tid" && &**element == "x" => Ok(3),
            OperandKind::Name(name) if frame.code.widths.contains_key(&**name) => {
                Ok(frame.registers.get(&**name).copied().unwrap_or(0))
            }
            OperandKind::Name(name) => self.address_of(name),
            OperandKind::Offset(name, offset) => {
                Ok(self.address_of(name)?.wrapping_add(*offset as u64))
            }
            other => Err(format!("what is {other:?}?")),
        }
    }

    /// A variable's address within its space; global ones have their generic address.
    fn address_of(&self, name: &str) -> Result<u64, String> {
        let (space, offset) =
            self.oracle.variables.get(name).ok_or_else(|| format!("what is {name}?"))?;
        Ok(offset + if *space == Space::Global { GLOBAL } else { 0 })
    }

    fn execute(&mut self, frame: &mut Frame<'_>, inst: &Instruction) -> Result<(), String> {
        let words: Vec<&str> = inst.modifiers.iter().map(|word| &*word.text).collect();
        let types: Vec<Type> = words.iter().filter_map(|word| Type::from_keyword(word)).collect();
        let Some(&ty) = types.first() else { return self.synchronise(inst) };
        let from = types.get(1).copied().unwrap_or(ty);
        let argument = |number: usize| -> Result<u64, String> {
            Ok(read_as(self.value(frame, inst, number)?, from))
        };
        let wide = words.contains(&"wide");
        let value = match &*inst.opcode.text {
            "ld" | "st" => return self.access(frame, inst, &words, ty),
            "setp" => return compare(frame, inst, &words, argument(1)?, argument(2)?, ty),
            "mov" | "cvt" => argument(1)?,
            "add" => argument(1)?.wrapping_add(argument(2)?),
            "sub" => argument(1)?.wrapping_sub(argument(2)?),
            "mul" => argument(1)?.wrapping_mul(argument(2)?),
            "mad" => {
                let added = if wide { self.value(frame, inst, 3)? } else { argument(3)? };
                argument(1)?.wrapping_mul(argument(2)?).wrapping_add(added)
            }
            "shl" => argument(1)?.wrapping_shl(self.value(frame, inst, 2)? as u32),
            "and" => argument(1)? & argument(2)?,
            "or" => argument(1)? | argument(2)?,
            "xor" => argument(1)? ^ argument(2)?,
            "cvta" => match words.as_slice() {
                ["shared", _] => argument(1)?.wrapping_add(SHARED_WINDOW),
                ["to", "shared", _] => argument(1)?.wrapping_sub(SHARED_WINDOW),
                ["global", _] | ["to", "global", _] => argument(1)?,
                _ => return Err(format!("{words:?}")),
            },
            other => return Err(format!("what is {other}?")),
        };
        let value = if wide { value } else { read_as(value, ty) };
        frame.set(inst.operands.first(), value)
    }

    /// Barriers and fences: others look, and change everything.
    fn synchronise(&mut self, inst: &Instruction) -> Result<(), String> {
        if !matches!(&*inst.opcode.text, "bar" | "membar") {
            return Err(format!("what is {}?", inst.opcode.text));
        }
        self.barriers += 1;
        let bytes = self.shared.iter().chain(&self.global);
        let seen = bytes.fold(0, |hash, byte| scrambled(hash ^ u64::from(*byte)));
        self.events.push((u64::MAX, seen));
        let barriers = self.barriers;
        for (at, byte) in self.shared.iter_mut().chain(&mut self.global).enumerate() {
            *byte ^= scrambled(barriers * 10_000 + at as u64) as u8;
        }
        Ok(())
    }

    fn access(
        &mut self,
        frame: &mut Frame<'_>,
        inst: &Instruction,
        words: &[&str],
        ty: Type,
    ) -> Result<(), String> {
        let store = &*inst.opcode.text == "st";
        let operand = inst.operands.get(usize::from(!store)).map(|operand| &operand.kind);
        let Some(OperandKind::Address(AddressBase::Name(name), offset)) = operand else {
            return Err(format!("no address: {operand:?}"));
        };
        if words.contains(&"param") {
            let value =
                *self.parameters.get(&**name).ok_or_else(|| format!("no parameter {name}"))?;
            return frame.set(inst.operands.first(), value);
        }
        let base = match frame.registers.get(&**name) {
            Some(value) => *value,
            None if frame.code.widths.contains_key(&**name) => 0,
            None => self.address_of(name)?,
        };
        let mut address = base.wrapping_add(*offset as u64);
        if words.contains(&"shared") {
            address = low(address, 32).wrapping_add(SHARED_WINDOW);
        }
        let bytes = ty.bytes().unwrap_or(0) as usize;
        let value = if store { self.value(frame, inst, 1)? } else { 0 };
        let cells = self.cells(address, bytes)?;
        let loaded = if store {
            cells.copy_from_slice(&value.to_le_bytes()[..bytes]);
            low(value, bits(ty))
        } else {
            let bytes = cells.iter().rev();
            bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        if words.contains(&"volatile") {
            self.events.push((address << 1 | u64::from(store), loaded));
        }
        if store {
            return Ok(());
        }
        frame.set(inst.operands.first(), read_as(loaded, ty))
    }

    fn cells(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], String> {
        if !address.is_multiple_of(bytes as u64) {
            return Err(format!("misaligned {address:#x}"));
        }
        let (memory, start) = match address {
            SHARED_WINDOW.. => (&mut self.shared, address - SHARED_WINDOW),
            GLOBAL.. => (&mut self.global, address - GLOBAL),
            _ => return Err(format!("nothing at {address:#x}")),
        };
        let start = start as usize;
        memory.get_mut(start..start + bytes).ok_or_else(|| format!("out of bounds at {address:#x}"))
    }
}

fn compare(
    frame: &mut Frame<'_>,
    inst: &Instruction,
    words: &[&str],
    a: u64,
    b: u64,
    ty: Type,
) -> Result<(), String> {
    let less = if is_signed(ty) { (a as i64) < b as i64 } else { a < b };
    let holds = match words.first() {
        Some(&"lt") => less,
        Some(&"ge") => !less,
        Some(&"eq") => a == b,
        Some(&"ne") => a != b,
        other => return Err(format!("{other:?}")),
    };
    frame.set(inst.operands.first(), u64::from(holds))
}
