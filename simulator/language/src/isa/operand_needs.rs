//! The needs of an instruction's operands beyond its modifiers ("PTX ISA Notes" of each section),
//! as NVIDIA's assembler has them.
//!
//! Registers are known by their names in the whole function. If two blocks of one declare a name
//! with different types, the type that asks for more decides.

use super::need::Level;
use crate::ptx::{Instruction, Operand, OperandKind, Registers, Type};

/// `ignore-src` of `cp.async` (9.7.9.25.3.1).
const IGNORED_SOURCE: Level = Level::new((7, 5), 80);
/// `_` for the state that an arrival gives (9.7.13.15.13).
const NO_STATE: Level = Level::new((7, 1), 80);
/// How many arrive, without `.noComplete` (9.7.13.15.13).
const COUNT: Level = Level::new((7, 8), 90);

/// The predicates of a function.
#[derive(Default)]
pub(super) struct Predicates<'m>(Vec<&'m Registers>);

impl<'m> Predicates<'m> {
    /// Takes note of a declaration.
    pub(super) fn declare(&mut self, registers: &'m Registers) {
        if registers.ty == Type::Pred {
            self.0.push(registers);
        }
    }

    /// Whether an operand is a predicate, or one negated.
    fn holds(&self, operand: &Operand) -> bool {
        match &operand.kind {
            OperandKind::Not(_) => true,
            OperandKind::Name(name) => self.0.iter().any(|registers| declares(registers, name)),
            OperandKind::Member(..)
            | OperandKind::Vector(_)
            | OperandKind::List(_)
            | OperandKind::Tuple(_)
            | OperandKind::Pair(..)
            | OperandKind::Negate(_)
            | OperandKind::Integer(_)
            | OperandKind::F32(_)
            | OperandKind::F64(_)
            | OperandKind::Offset(..)
            | OperandKind::Address(..)
            | OperandKind::Subscript(..)
            | OperandKind::Sink => false,
        }
    }
}

fn declares(registers: &Registers, name: &str) -> bool {
    registers.names.iter().any(|(declared, count)| match count {
        None => *declared.text == *name,
        Some(count) => {
            let number = name.strip_prefix(&*declared.text).and_then(|n| n.parse::<u32>().ok());
            number.is_some_and(|number| number < *count)
        }
    })
}

/// What the operands need, and the name of what needs it.
pub(super) fn of(
    instruction: &Instruction,
    predicates: &Predicates<'_>,
) -> Option<(Level, &'static str)> {
    let operands = &instruction.operands;
    let has = |modifier: &str| instruction.modifiers.iter().any(|m| *m.text == *modifier);
    match &*instruction.opcode.text {
        "cp" if has("async") && operands.iter().skip(3).any(|o| predicates.holds(o)) => {
            Some((IGNORED_SOURCE, "ignore-src of cp.async"))
        }
        "mbarrier" if has("arrive") || has("arrive_drop") => {
            let first = operands.first().map(|operand| &operand.kind);
            if operands.len() == 3 && !has("noComplete") {
                Some((COUNT, "a count of mbarrier.arrive"))
            } else if first == Some(&OperandKind::Sink) {
                Some((NO_STATE, "mbarrier.arrive without a state"))
            } else {
                None
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::needs;

    /// Each as `ptxas` 13.5 takes it, and refuses it with the version or the architecture before.
    #[test]
    fn operands_need_what_an_assembler_asks_for() {
        for (instruction, level) in [
            ("cp.async.ca.shared.global [s], [%d1], 4;", "PTX 7.0 for sm_80"),
            ("cp.async.ca.shared.global [s], [%d1], 4, %r1;", "PTX 7.0 for sm_80"),
            ("cp.async.ca.shared.global [s], [%d1], 4, %p1;", "PTX 7.5 for sm_80"),
            ("cp.async.ca.shared.global [s], [%d1], 4, !q;", "PTX 7.5 for sm_80"),
            ("mbarrier.arrive.shared.b64 %d1, [s];", "PTX 7.0 for sm_80"),
            ("mbarrier.arrive.shared.b64 _, [s];", "PTX 7.1 for sm_80"),
            ("mbarrier.arrive.noComplete.shared.b64 %d1, [s], 2;", "PTX 7.0 for sm_80"),
            ("mbarrier.arrive.shared.b64 %d1, [s], 2;", "PTX 7.8 for sm_90"),
            ("mbarrier.arrive_drop.shared.b64 %d1, [s], %r1;", "PTX 7.8 for sm_90"),
        ] {
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n\
                 .shared .align 8 .b64 s; .reg .pred %p<3>; .reg .pred q; .reg .b32 %r<3>;\n\
                 .reg .b64 %d<3>;\n{instruction}\nret;\n}}\n"
            );
            let module = crate::ptx::parse("k.ptx", &text).unwrap();
            assert_eq!(needs(&module).level.to_string(), level, "{instruction}");
        }
    }
}
