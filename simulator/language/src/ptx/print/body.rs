//! Printing of bodies.

use std::fmt::{self, Write};

use super::super::ast::{Block, CallPrototype, Instruction, Name, Statement};
use super::Separated;
use super::operand::Mnemonic;

/// Tabs, one for each level of nesting.
struct Indent(usize);

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_char('\t'))
    }
}

/// Writes a block whose braces are indented to a depth.
pub(super) fn write_block(out: &mut String, block: &Block, depth: usize) -> fmt::Result {
    writeln!(out, "{}{{", Indent(depth))?;
    for statement in &block.statements {
        write_statement(out, statement, depth + 1)?;
    }
    writeln!(out, "{}}}", Indent(depth))
}

fn write_statement(out: &mut String, statement: &Statement, depth: usize) -> fmt::Result {
    let indent = Indent(depth);
    match statement {
        Statement::Registers(registers) => writeln!(out, "{indent}{registers}"),
        Statement::Variable(variable) => writeln!(out, "{indent}{variable};"),
        Statement::Label(name) => writeln!(out, "{name}:"),
        Statement::Instruction(instruction) => write_instruction(out, instruction, &indent),
        Statement::Block(block) => write_block(out, block, depth),
        Statement::Loc(loc) => writeln!(out, "{indent}{loc}"),
        Statement::Pragma(pragma) => writeln!(out, "{indent}{pragma}"),
        Statement::BranchTargets(name, targets) => write_table(out, name, "branchtargets", targets),
        Statement::CallTargets(name, targets) => write_table(out, name, "calltargets", targets),
        Statement::CallPrototype(prototype) => write_prototype(out, prototype),
    }
}

fn write_instruction(out: &mut String, instruction: &Instruction, indent: &Indent) -> fmt::Result {
    write!(out, "{indent}{}", Mnemonic(instruction))?;
    if !instruction.operands.is_empty() {
        write!(out, " \t{}", Separated(&instruction.operands, ", "))?;
    }
    out.write_str(";\n")
}

fn write_table(out: &mut String, name: &Name, word: &str, targets: &[Name]) -> fmt::Result {
    writeln!(out, "{name}: .{word} {};", Separated(targets, ", "))
}

fn write_prototype(out: &mut String, prototype: &CallPrototype) -> fmt::Result {
    write!(out, "{}: .callprototype ", prototype.name)?;
    write!(out, "({}) _ ", Separated(&prototype.returns, ", "))?;
    write!(out, "({})", Separated(&prototype.params, ", "))?;
    prototype.directives.iter().try_for_each(|directive| write!(out, " {directive}"))?;
    out.write_str(";\n")
}
