//! The lowering of instructions, declarations and modules. The expectations come from the PTX ISA.

mod calls;
mod control;
mod corpus;
mod errors;
mod memory;
mod registers;
mod sync;
mod variables;

use super::*;
use crate::lanes::{Constants, FULL, Registers, Slot};
use crate::ptx::{Module, parse};

const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Registers of all types, and a kernel parameter.
const REGISTERS: &str = ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n\
     .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b8 %b<9>;\n";

fn module(text: &str) -> Module {
    parse("test.ptx", &format!("{HEADER}{text}")).unwrap()
}

/// A kernel with these statements; they begin on line 7.
fn kernel(body: &str) -> Module {
    module(&format!(".entry k(.param .u64 p, .param .u32 n) {{\n{REGISTERS}{body}\n}}"))
}

/// Global variables at 0x7f4000001000 and on, 256 bytes apart.
fn placement(module: &Module) -> Placement {
    let mut next = window::GLOBAL;
    let place = |_: &VariableLayout| {
        next += 0x1000;
        Ok::<u64, LowerError>(next)
    };
    super::place(module).unwrap().placement(place).unwrap()
}

fn try_lowered(module: &Module) -> Result<Program, LowerError> {
    lower(module, "k", &placement(module))
}

fn lowered(body: &str) -> Program {
    try_lowered(&kernel(body)).unwrap()
}

/// The operations of a kernel with these statements, without the `ret` at its end.
fn operations(body: &str) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = lowered(body).operations.into_iter().map(|o| o.kind).collect();
    assert!(matches!(kinds.pop(), Some(Kind::Return)));
    kinds
}

/// The only operation of one instruction.
fn operation(body: &str) -> Kind {
    let mut kinds = operations(body);
    assert_eq!(kinds.len(), 1, "{kinds:?}");
    kinds.remove(0)
}

/// Runs the register operations of a program in all lanes and returns the registers.
fn run(program: &Program) -> Registers {
    let slots = program.functions[0].slots;
    let mut registers = Registers::new(slots, std::sync::Arc::clone(&program.constants));
    for operation in &program.operations {
        if let Kind::Lanes(lanes) = &operation.kind {
            lanes.execute(&mut registers, FULL);
        }
    }
    registers
}

/// The slot of a register of the kernel.
fn slot(program: &Program, name: &str) -> Slot {
    program.functions[0].registers.iter().find(|r| &*r.name == name).unwrap().slot
}

fn constant32(constants: &Constants, slot: Slot) -> u32 {
    assert!(slot.is_constant());
    constants.w32[slot.index()][0]
}

/// The values that a program leaves in 32-bit registers of lane 7.
fn values32(body: &str, names: &[&str]) -> Vec<u32> {
    let program = lowered(body);
    let registers = run(&program);
    names.iter().map(|name| registers.w32(slot(&program, name))[7]).collect()
}

/// The same for a 64-bit register.
fn value64(body: &str, name: &str) -> u64 {
    let program = lowered(body);
    run(&program).w64(slot(&program, name))[7]
}
