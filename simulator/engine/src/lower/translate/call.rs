//! `call` (PTX ISA 9.7.12.5): direct by the name of a function, or through a register.
//!
//! Arguments are `.param` variables of the caller, registers or immediates. They are checked
//! against the function or the prototype: the same number, each of the same size.

use std::sync::Arc;

use crate::lanes::Slot;
use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operand::Home;
use crate::lower::operations::operation::{Call, Callee, Kind};
use crate::lower::operations::runtime::{self, RuntimeCall, RuntimeFunction};
use crate::lower::parameters::parameter_shape;
use crate::lower::scope::{Entity, Label, Location};
use crate::lower::translate::operands::Meaning;
use crate::lower::translate::structural::Form;
use crate::ptx::{Instruction, Operand, OperandKind, Parameter, Type};

/// The pieces of a call as written.
struct Written<'a> {
    results: &'a [Operand],
    callee: &'a Operand,
    arguments: &'a [Operand],
    prototype: Option<&'a Operand>,
}

/// The signature that a call is checked against.
#[derive(Clone, Copy)]
struct Signature<'m> {
    name: &'m str,
    returns: &'m [Parameter],
    params: &'m [Parameter],
}

impl<'m> FunctionLowering<'m, '_> {
    pub(in crate::lower) fn call(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let written = parts(form.operands()).ok_or_else(|| form.operand_count())?;
        let OperandKind::Name(name) = &written.callee.kind else {
            return Err(self.wrong_operand(written.callee, "a function or a register"));
        };
        if let Some(function) = self.runtime_function(name) {
            return self.call_runtime(function, &written);
        }
        let (callee, signature) = if self.scopes.lookup(name).is_some() {
            let address = self.source(written.callee, Type::U64)?;
            (Callee::Indirect(address), self.prototype(&written)?)
        } else {
            self.direct(name, written.callee)?
        };
        let arguments = self.homes(&written, written.arguments, signature, false)?;
        let results = self.homes(&written, written.results, signature, true)?;
        self.emit(Kind::Call(Box::new(Call { callee, arguments, results })));
        Ok(())
    }

    /// The function of the toolchain of this name, if no module defines it.
    fn runtime_function(&self, name: &str) -> Option<(RuntimeFunction, Signature<'m>)> {
        let declared = self.around.symbols.function(name).filter(|f| f.body.is_none())?;
        let signature = Signature {
            name: &declared.name.text,
            returns: &declared.returns,
            params: &declared.params,
        };
        Some((RuntimeFunction::named(name)?, signature))
    }

    fn call_runtime(
        &mut self,
        (function, signature): (RuntimeFunction, Signature<'m>),
        written: &Written<'_>,
    ) -> Result<(), LowerError> {
        let arguments = self.homes(written, written.arguments, Some(signature), false)?;
        let results = self.homes(written, written.results, Some(signature), true)?;
        let (least, has_result) = function.takes();
        if arguments.len() < least || results.len() > usize::from(has_result) {
            let reason = format!("the toolchain's takes {least} arguments");
            return Err(mismatch(signature, reason, written.callee));
        }
        self.emit(Kind::Runtime(Box::new(RuntimeCall { function, arguments, results })));
        Ok(())
    }

    fn direct(
        &self,
        name: &Arc<str>,
        operand: &Operand,
    ) -> Result<(Callee, Option<Signature<'m>>), LowerError> {
        let Some(function) = self.around.symbols.function(name) else {
            return Err(LowerError::at(LowerErrorKind::Undeclared(name.to_string()), operand.span));
        };
        if let Some(reason) = runtime::refused_launch(name)
            && !self.around.placement.device_launches
        {
            return Err(self.unsupported(format!("call {name}"), reason, operand.span));
        }
        let Some(number) = self.around.numbers.get(&*function.name.text) else {
            return Err(self.unresolved(name, operand.span));
        };
        let signature = Signature {
            name: &function.name.text,
            returns: &function.returns,
            params: &function.params,
        };
        Ok((Callee::Direct(*number), Some(signature)))
    }

    /// The prototype of an indirect call; `None` when only `.calltargets` are named.
    fn prototype(&self, written: &Written<'_>) -> Result<Option<Signature<'m>>, LowerError> {
        let Some(operand) = written.prototype else {
            let expected = "a prototype after the arguments of an indirect call";
            return Err(self.wrong_operand(written.callee, expected));
        };
        let label = match &operand.kind {
            OperandKind::Name(name) => self.scopes.label(name),
            _ => None,
        };
        match label {
            Some(Label::Prototype(p)) => {
                Ok(Some(Signature { name: &p.name.text, returns: &p.returns, params: &p.params }))
            }
            Some(Label::CallTargets) => Ok(None),
            _ => Err(self.wrong_operand(operand, "a .callprototype or .calltargets label")),
        }
    }

    fn homes(
        &mut self,
        written: &Written<'_>,
        operands: &[Operand],
        signature: Option<Signature<'m>>,
        results: bool,
    ) -> Result<Vec<Home>, LowerError> {
        let expected = signature.map(|s| if results { s.returns } else { s.params });
        let what = if results { "results" } else { "arguments" };
        if let (Some(expected), Some(signature)) = (expected, signature)
            && expected.len() != operands.len()
        {
            let reason =
                format!("it has {} {what}, and {} are given", expected.len(), operands.len());
            return Err(mismatch(signature, reason, written.callee));
        }
        let mut homes = Vec::new();
        for (i, operand) in operands.iter().enumerate() {
            let parameter = expected.and_then(|e| e.get(i));
            let of_operand = self.operand_homes(operand, parameter, results)?;
            if let (Some(parameter), Some(signature)) = (parameter, signature) {
                check_size(signature, parameter, &of_operand, operand)?;
            }
            homes.extend(of_operand);
        }
        Ok(homes)
    }

    /// The homes of an operand: one, or one for each element of a vector register.
    fn operand_homes(
        &mut self,
        operand: &Operand,
        parameter: Option<&Parameter>,
        result: bool,
    ) -> Result<Vec<Home>, LowerError> {
        if let OperandKind::Name(name) = &operand.kind
            && let Some(Entity::Vector(first, count)) = self.scopes.lookup(name)
        {
            let seen = if result { &mut self.current.writes } else { &mut self.current.reads };
            seen.extend((first..first + count).map(|index| index as u32));
            return (first..first + count)
                .map(|index| self.slot_of(index).map(|(ty, slot)| Home::of(ty, slot)))
                .collect::<Result<_, _>>()
                .map_err(LowerError::from);
        }
        if result && operand.kind == OperandKind::Sink {
            let count = parameter.map_or(1, |p| p.vector);
            let ty = parameter.map_or(Type::B32, |p| p.ty);
            return Ok((0..count).map(|_| Home::of(ty, self.temporary(ty))).collect());
        }
        Ok(vec![self.home(operand, parameter, result)?])
    }

    fn home(
        &mut self,
        operand: &Operand,
        parameter: Option<&Parameter>,
        result: bool,
    ) -> Result<Home, LowerError> {
        if let OperandKind::Name(name) = &operand.kind {
            return match self.meaning(name, operand.span, !result)? {
                Meaning::Register(Type::B128, _) => {
                    Err(self.wrong_operand(operand, "a .param variable for 128 bits"))
                }
                Meaning::Register(ty, slot) => Ok(Home::of(ty, slot)),
                Meaning::Variable(v) => match v.location {
                    Location::FrameParam(offset) => Ok(Home::Param { offset, size: v.size as u32 }),
                    _ => Err(self.wrong_operand(operand, "a .param variable of this function")),
                },
                _ => Err(self.wrong_operand(operand, "a .param variable or a register")),
            };
        }
        let ty = parameter.map(|p| p.ty);
        let ty = ty.filter(|_| !result);
        let ty =
            ty.ok_or_else(|| self.wrong_operand(operand, "a .param variable or a register"))?;
        let slot = self.source(operand, ty)?;
        Ok(Home::of(ty, slot))
    }
}

impl Home {
    /// The home of a register of a type.
    pub(in crate::lower) fn of(ty: Type, slot: Slot) -> Home {
        match ty.bytes() {
            Some(8) => Home::W64(slot),
            Some(bytes) => Home::W32(slot, bytes),
            None => Home::Predicate(slot),
        }
    }
}

fn check_size(
    signature: Signature<'_>,
    parameter: &Parameter,
    homes: &[Home],
    operand: &Operand,
) -> Result<(), LowerError> {
    let is_predicate = homes.iter().any(|home| matches!(home, Home::Predicate(_)));
    if is_predicate || parameter.register && parameter.ty == Type::Pred {
        if is_predicate && parameter.ty == Type::Pred {
            return Ok(());
        }
        let reason = format!("`{operand}` is no .{}", parameter.ty.keyword());
        return Err(mismatch(signature, reason, operand));
    }
    let elements = u64::from(parameter.vector);
    let expected = parameter_shape(parameter)?.0 * elements;
    let found: u32 = homes
        .iter()
        .map(|home| match home {
            Home::Param { size, .. } => *size,
            Home::W32(_, bytes) => *bytes,
            Home::W64(_) => 8,
            Home::Predicate(_) => 0,
        })
        .sum();
    if parameter.array == Some(None) || expected == u64::from(found) {
        return Ok(());
    }
    let reason = format!("`{operand}` has {found} bytes where it takes {expected}");
    Err(mismatch(signature, reason, operand))
}

fn mismatch(signature: Signature<'_>, reason: String, operand: &Operand) -> LowerError {
    let function = signature.name.to_string();
    LowerError::at(LowerErrorKind::CallMismatch { function, reason }, operand.span)
}

/// `[(results),] callee [, (arguments)] [, prototype]`
fn parts(operands: &[Operand]) -> Option<Written<'_>> {
    let (results, rest) = match operands.first().map(|o| &o.kind) {
        Some(OperandKind::List(results)) => (&results[..], &operands[1..]),
        _ => (&[][..], operands),
    };
    let (callee, rest) = rest.split_first()?;
    let (arguments, rest) = match rest.first().map(|o| &o.kind) {
        Some(OperandKind::List(arguments)) => (&arguments[..], &rest[1..]),
        _ => (&[][..], rest),
    };
    let valid = match rest {
        [] => true,
        [prototype] => !matches!(prototype.kind, OperandKind::List(_)),
        _ => false,
    };
    valid.then_some(Written { results, callee, arguments, prototype: rest.first() })
}

/// The operand that names the called function, if the instruction is a call.
pub(in crate::lower) fn callee(instruction: &Instruction) -> Option<&Arc<str>> {
    if &*instruction.opcode.text != "call" {
        return None;
    }
    match &parts(&instruction.operands)?.callee.kind {
        OperandKind::Name(name) => Some(name),
        _ => None,
    }
}
