//! Tests of the passes.
//!
//! - `table`: the counts of loads and stores that real compilers reach, and renaming
//! - `twins`: each rule beside near-identical programs where it must not apply
//! - `messages`: what a person reads
//! - `oracle`: an independent interpreter of one thread; `programs`: random programs for it;
//!   `property`: they agree with and without the pass, and a planted fault in each rule is noticed

mod messages;
mod oracle;
mod programs;
mod property;
mod table;
mod twins;

use super::Rewritten;
use super::policy::Policy;
use crate::ptx::{Function, Instruction, Module, parse};

/// Parses what a test wrote.
fn module(text: &str) -> Module {
    parse("test.ptx", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The pass.
fn register_cache(module: &Module) -> Rewritten {
    cache(module, &Policy::ALL)
}

/// The pass with some rules off, or broken.
fn cache(module: &Module, policy: &Policy) -> Rewritten {
    super::register_cache::cache(module, policy).unwrap_or_else(|error| panic!("{error}"))
}

/// A module with one kernel `k` with two pointer parameters: its body goes between the braces.
fn kernel(body: &str) -> Module {
    module(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 p, .param .u64 q) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .b64 %d<20>;\n\
         .reg .f32 %f<4>; .shared .align 8 .b8 s[256]; .shared .align 8 .b8 t[256];\n\
         {body}\nret;\n}}\n"
    ))
}

/// The instructions of a function, in the order of the text.
fn instructions<'m>(module: &'m Module, function: &str) -> Vec<&'m Instruction> {
    let of_name = module.functions().filter(|defined| *defined.name.text == *function);
    of_name.flat_map(Function::instructions).collect()
}

/// Loads and stores of a function that are not of parameters or constants.
fn accesses(module: &Module, function: &str) -> (usize, usize) {
    let memory = |inst: &&&Instruction| {
        !inst.modifiers.iter().any(|word| matches!(&*word.text, "param" | "const"))
    };
    let instructions = instructions(module, function);
    let count = |opcode: &str| {
        instructions.iter().filter(memory).filter(|inst| *inst.opcode.text == *opcode).count()
    };
    (count("ld"), count("st"))
}
