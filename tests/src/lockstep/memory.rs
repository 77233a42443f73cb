//! Memory of the naive interpreter: loads, stores and atomics of any size, type and length.

use warpsim::ptx::{Instruction, Operand};

use super::{Machine, has, numbers};

/// Where spaces seem to lie, in their own addresses as in generic ones.
pub(super) const TABLE: u64 = 1 << 40;
pub(super) const OUT: u64 = 1 << 41;
pub(super) const CONSTANTS: u64 = 1 << 42;
pub(super) const PARAMETERS: u64 = 1 << 43;
pub(super) const SHARED: u64 = 1 << 20;
pub(super) const LOCAL: u64 = 1 << 24;

/// The space that an address lies in.
pub(super) fn space_of(address: u64) -> &'static str {
    match address {
        PARAMETERS.. => "param",
        CONSTANTS.. => "const",
        TABLE.. => "global",
        LOCAL.. => "local",
        _ => "shared",
    }
}

/// Bytes of an element of a type.
pub(super) fn size(ty: &str) -> usize {
    match ty {
        "f16x2" | "bf16x2" => 4,
        ty => {
            ty.trim_start_matches(|c: char| c.is_alphabetic()).parse::<usize>().expect("bits") / 8
        }
    }
}

impl Machine {
    fn place(&mut self, thread: usize, address: u64) -> (&mut Vec<u8>, usize) {
        let (memory, start) = match space_of(address) {
            "param" | "const" => (&mut self.constants, CONSTANTS),
            "global" if address >= OUT => (&mut self.out, OUT),
            "global" => (&mut self.table, TABLE),
            "local" => (&mut self.locals[thread], LOCAL),
            _ => (&mut self.shared, SHARED),
        };
        (memory, (address - start) as usize)
    }

    pub(super) fn read(&mut self, thread: usize, address: u64, bytes: usize) -> u128 {
        if space_of(address) == "param" {
            return [TABLE, OUT][(address - PARAMETERS) as usize / 8].into();
        }
        let (memory, at) = self.place(thread, address);
        memory[at..at + bytes].iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
    }

    pub(super) fn write(&mut self, thread: usize, address: u64, bytes: usize, value: u128) {
        let (memory, at) = self.place(thread, address);
        memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    pub(super) fn access(&mut self, thread: usize, instruction: &Instruction) {
        let opcode = &*instruction.opcode.text;
        let ty = &*instruction.modifiers.last().expect("a type").text;
        let operands = &instruction.operands;
        let gives = matches!(opcode, "ld" | "ldu" | "atom");
        let address = self.address(thread, &operands[usize::from(gives)]);
        let bytes = size(ty);
        let given = &operands[usize::from(gives) + 1..];
        let count = Self::elements(if gives { &operands[0] } else { &given[0] }).len();
        let values = |machine: &Machine, operand: &Operand| -> Vec<u128> {
            Self::elements(operand).iter().map(|o| machine.value(thread, o)).collect()
        };
        let mut old = Vec::new();
        for i in 0..count {
            let at = address + (i * bytes) as u64;
            let before = self.read(thread, at, bytes);
            old.push(before);
            let new = match opcode {
                "ld" | "ldu" => continue,
                "st" => values(self, &given[0])[i],
                _ => {
                    let b = values(self, &given[0])[i];
                    if has(instruction, "cas") {
                        let c = values(self, &given[1])[i];
                        if before == low(b, bytes) { c } else { before }
                    } else {
                        let flushes = space_of(at) == "global";
                        left(&operation(instruction), ty, before, low(b, bytes), flushes)
                    }
                }
            };
            self.write(thread, at, bytes, low(new, bytes));
        }
        if gives {
            for (to, value) in Self::elements(&operands[0]).iter().zip(old) {
                // A signed integer fills what there is of the register.
                let sign = ty.starts_with('s') && value >> (bytes * 8 - 1) & 1 == 1;
                let value = if sign { value | u128::MAX << (bytes * 8) } else { value };
                self.set(thread, to, value);
            }
        }
    }
}

fn low(value: u128, bytes: usize) -> u128 {
    if bytes == 16 { value } else { value & ((1 << (bytes * 8)) - 1) }
}

pub(super) fn operation(instruction: &Instruction) -> String {
    let known = ["add", "and", "or", "xor", "inc", "dec", "min", "max", "exch"];
    let found = instruction.modifiers.iter().find(|m| known.contains(&&*m.text));
    found.expect("an operation").text.to_string()
}

/// What an atomic leaves of one element. Sums of f32 in global memory take and give no numbers
/// below the normal ones (PTX ISA 9.7.13.5).
pub(super) fn left(operation: &str, ty: &str, a: u128, b: u128, flushes: bool) -> u128 {
    let bits = size(ty) as u32 * 8;
    let signed = |x: u128| (x as i128) << (128 - bits) >> (128 - bits);
    match (operation, ty) {
        ("exch", _) => b,
        ("and", _) => a & b,
        ("or", _) => a | b,
        ("xor", _) => a ^ b,
        ("inc", _) => {
            if a >= b {
                0
            } else {
                a + 1
            }
        }
        ("dec", _) => {
            if a == 0 || a > b {
                b
            } else {
                a - 1
            }
        }
        ("add" | "min" | "max", "f16x2" | "bf16x2") => {
            let ty = &ty[..ty.len() - 2];
            let half =
                |shift: u32| left(operation, ty, a >> shift & 0xffff, b >> shift & 0xffff, flushes);
            half(0) | half(16) << 16
        }
        ("add" | "min" | "max", "f16" | "bf16") => {
            numbers::half(operation, ty, a as u16, b as u16).into()
        }
        ("add", "f32") => numbers::sum(a as u32, b as u32, flushes).into(),
        ("add", "f64") => (f64::from_bits(a as u64) + f64::from_bits(b as u64)).to_bits().into(),
        ("add", _) => a.wrapping_add(b),
        ("min", ty) if ty.starts_with('s') => {
            if signed(a) < signed(b) {
                a
            } else {
                b
            }
        }
        ("max", ty) if ty.starts_with('s') => {
            if signed(a) > signed(b) {
                a
            } else {
                b
            }
        }
        ("min", _) => a.min(b),
        ("max", _) => a.max(b),
        other => panic!("the reference does not know {other:?}"),
    }
}
