//! The message of a failed `assert`.
//!
//! CUDA's `assert` calls `__assertfail(expression, file, line, function, 1)`. Its texts are
//! variables of the module with their bytes. The PTX of the call shows which variables: the stores
//! into its parameters, and the moves and address conversions that lead to these. Compilers write
//! calls in this form. A call in another form is reported without the message.

use crate::lower::{Layout, Place};
use crate::ptx::{AddressBase, Instruction, Module, Operand, OperandKind};

/// Moves that are followed back from a parameter to a variable, at most.
const MOVES: u32 = 16;

/// The words of the assertion that an instruction calls:
/// `` assertion `i < n` failed (k.cu:3, in void k(int)) ``.
pub(crate) fn words(module: &Module, layout: &Layout, place: &Place) -> Option<String> {
    let before = up_to(module, place)?;
    let (call, before) = before.split_last()?;
    let is_assert = |o: &Operand| matches!(&o.kind, OperandKind::Name(n) if **n == *"__assertfail");
    call.operands.iter().find(|operand| is_assert(operand))?;
    let arguments = call.operands.iter().find_map(|operand| match &operand.kind {
        OperandKind::List(list) => Some(list),
        _ => None,
    })?;
    let argument = |index: usize| given(before, arguments.get(index)?);
    let text = |index: usize| string(layout, &variable(before, argument(index)?)?);
    let expression = text(0)?;
    let line = match argument(2).map(|operand| &operand.kind) {
        Some(OperandKind::Integer(line)) => format!(":{line}"),
        _ => String::new(),
    };
    let place = text(1).map(|file| format!("{file}{line}"));
    let function = text(3).map(|function| format!("in {function}"));
    let known: Vec<String> = place.into_iter().chain(function).collect();
    Some(match known.is_empty() {
        true => format!("assertion `{expression}` failed"),
        false => format!("assertion `{expression}` failed ({})", known.join(", ")),
    })
}

/// The instructions of a function from its first to the one of this place, in the order of the
/// text.
fn up_to<'a>(module: &'a Module, place: &Place) -> Option<Vec<&'a Instruction>> {
    for function in module.functions() {
        let mut all: Vec<&Instruction> = function.instructions().collect();
        if let Some(at) = all.iter().position(|i| i.id == place.instruction) {
            all.truncate(at + 1);
            return Some(all);
        }
    }
    None
}

/// What was stored into a parameter last.
fn given<'a>(before: &[&'a Instruction], parameter: &Operand) -> Option<&'a Operand> {
    let OperandKind::Name(wanted) = &parameter.kind else { return None };
    before.iter().rev().find_map(|instruction| {
        let is_store = &*instruction.opcode.text == "st"
            && instruction.modifiers.first().is_some_and(|m| m.text.starts_with("param"));
        match instruction.operands.as_slice() {
            [Operand { kind: OperandKind::Address(AddressBase::Name(name), 0), .. }, value]
                if is_store && name == wanted =>
            {
                Some(value)
            }
            _ => None,
        }
    })
}

/// The variable whose address an operand holds.
fn variable(before: &[&Instruction], operand: &Operand) -> Option<String> {
    let OperandKind::Name(name) = &operand.kind else { return None };
    let mut name = name.to_string();
    let mut before = before;
    for _ in 0..MOVES {
        let is_written = |i: &&Instruction| match i.operands.first().map(|o| &o.kind) {
            Some(OperandKind::Name(target)) => **target == *name,
            _ => false,
        };
        let Some(at) = before.iter().rposition(is_written) else { return Some(name) };
        let instruction = before[at];
        match (&*instruction.opcode.text, instruction.operands.as_slice()) {
            ("mov" | "cvta", [_, Operand { kind: OperandKind::Name(from), .. }]) => {
                name = from.to_string();
            }
            _ => return None,
        }
        before = &before[..at];
    }
    None
}

/// The text that a variable holds, up to its zero.
fn string(layout: &Layout, name: &str) -> Option<String> {
    let variable = layout.variables.iter().find(|variable| *variable.name == *name)?;
    let text = variable.initial.split(|byte| *byte == 0).next()?;
    (!text.is_empty()).then(|| String::from_utf8_lossy(text).into_owned())
}
