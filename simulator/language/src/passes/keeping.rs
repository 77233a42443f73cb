//! Keeping values: turns the rules' decisions into edits and remarks.

use std::collections::HashMap;
use std::sync::Arc;

use super::analysis::Analysed;
use super::forwarding::{Copy, Forward};
use super::remark::{Change, Holder, Remark};
use super::rewrite::{Edits, Maker, register_operand};
use super::sinking::Sunk;
use crate::internal;
use crate::internal::InternalError;
use crate::ptx::{AddressBase, Index, InstId, Instruction, Operand, OperandKind, Type};
use crate::scope::RegisterId;

/// A load that has been dealt with.
pub(super) struct Forwarded {
    /// What to say about it.
    pub(super) remark: Remark,
    /// The copy that replaces it.
    pub(super) replacement: Option<InstId>,
    /// Its value comes from a store, rather than from a load.
    pub(super) from_store: bool,
}

/// Turns decisions into edits.
pub(super) struct Keeping<'k, 'a> {
    /// The function.
    pub(super) analysed: &'k Analysed<'a>,
    /// The changes to make.
    pub(super) edits: &'k mut Edits,
    /// Makes instructions.
    pub(super) maker: Maker<'k>,
    /// Fresh registers are this and a number.
    pub(super) stem: &'k str,
    /// The next number.
    pub(super) fresh: &'k mut u32,
}

impl Keeping<'_, '_> {
    /// A fresh register of some bits.
    fn fresh_register(&mut self, width: u8) -> Arc<str> {
        let name: Arc<str> = format!("{}{}", self.stem, self.fresh).into();
        *self.fresh += 1;
        self.edits.registers.push((name.clone(), width));
        name
    }

    /// Copies a register into a fresh one behind a site.
    fn save(
        &mut self,
        register: RegisterId,
        behind: &Instruction,
    ) -> Result<Arc<str>, InternalError> {
        let found = self.analysed.body.register(register).cloned();
        let found = found.ok_or_else(|| internal!("there is no register {register:?} to save"))?;
        let name = self.fresh_register(found.width());
        let (into, from) =
            (register_operand(&name, behind.span), register_operand(&found.name, behind.span));
        let ty = format!("b{}", found.width());
        let copy = self.maker.copy(&["mov", &ty], into, from, None, behind.span);
        self.edits.behind.entry(behind.id).or_default().push(copy);
        Ok(name)
    }

    /// Replaces one load. `savers` are the registers that producers have been saved in.
    pub(super) fn forward(
        &mut self,
        forward: &Forward,
        savers: &mut HashMap<usize, Arc<str>>,
    ) -> Result<Forwarded, InternalError> {
        let body = &self.analysed.body;
        let load = body.sites[forward.load].inst;
        let site = &body.sites[forward.producer];
        let producer = site.inst;
        let from_store = &*producer.opcode.text == "st";
        let value = producer.operands.get(usize::from(from_store)).cloned();
        let value = value.ok_or_else(|| internal!("`{producer}` moves no value"))?;
        let mut source = value.clone();
        if forward.saved {
            let name = match savers.get(&forward.producer) {
                Some(name) => name.clone(),
                None => {
                    let none = || internal!("`{producer}` keeps its value in no register");
                    let register = site.register(&value).ok_or_else(none)?;
                    let name = self.save(register, producer)?;
                    savers.insert(forward.producer, name.clone());
                    name
                }
            };
            source = register_operand(&name, load.span);
        }
        let change = if from_store { Change::Forwarded } else { Change::Reused };
        let mut remark = describe(load, change, holder_of(Some(&source)));
        remark.produced_by = producer.id;
        remark.produced_at = producer.span;
        let instead = self.copy(load, source, &forward.copy)?;
        let replacement = instead.as_ref().map(|inst| inst.id);
        if let Some(instead) = instead {
            self.edits.replaced.insert(load.id, instead);
        }
        remark.replacement = replacement;
        Ok(Forwarded { remark, replacement, from_store })
    }

    /// The instruction that replaces a load. None when none is needed.
    fn copy(
        &mut self,
        load: &Instruction,
        source: Operand,
        copy: &Copy,
    ) -> Result<Option<Instruction>, InternalError> {
        let target = load.operands.first().cloned();
        let target = target.ok_or_else(|| internal!("`{load}` loads into nothing"))?;
        let source = Operand { kind: source.kind, span: load.span };
        let (words, source): (Vec<String>, Operand) = match copy {
            Copy::InPlace => return Ok(None),
            Copy::Move(bits) => (vec!["mov".into(), format!("b{bits}")], source),
            Copy::Convert { into, from, signed } => {
                let letter = if *signed { 's' } else { 'u' };
                let words =
                    vec!["cvt".into(), format!("{letter}{into}"), format!("{letter}{from}")];
                (words, source)
            }
            Copy::Constant(bits, value) => {
                let kind = OperandKind::Integer(*value);
                (vec!["mov".into(), format!("b{bits}")], Operand { kind, span: load.span })
            }
            Copy::Literal(ty) => {
                let name = if *ty == Type::F64 { "f64" } else { "f32" };
                (vec!["mov".into(), name.into()], source)
            }
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Ok(Some(self.maker.copy(&words, target, source, load.guard.clone(), load.span)))
    }

    /// Moves one store. Returns the instruction that marks where it stood, and the register that
    /// its value was saved in.
    pub(super) fn sink(
        &mut self,
        sunk: &Sunk,
    ) -> Result<(InstId, Option<Arc<str>>), InternalError> {
        let body = &self.analysed.body;
        let site = &body.sites[sunk.store];
        let mut store = site.inst.clone();
        let mut holder = None;
        for register in &sunk.saved {
            let old = body.register(*register).map(|found| found.name.clone());
            let old = old.ok_or_else(|| internal!("there is no register {register:?} to save"))?;
            let name = self.save(*register, site.inst)?;
            if site.inst.operands.get(1).is_some_and(|o| site.register(o) == Some(*register)) {
                holder = Some(name.clone());
            }
            store.operands.iter_mut().for_each(|operand| rename(operand, &old, &name));
        }
        let ghost = self.maker.id();
        self.edits.replaced.insert(store.id, Instruction { id: ghost, ..site.inst.clone() });
        let beside = body.sites[sunk.beside].inst.id;
        let moved = match sunk.before {
            true => &mut self.edits.moved_before,
            false => &mut self.edits.moved_behind,
        };
        moved.entry(beside).or_default().push(store);
        Ok((ghost, holder))
    }
}

/// Renames a register in an operand of a store.
fn rename(operand: &mut Operand, old: &str, new: &Arc<str>) {
    match &mut operand.kind {
        OperandKind::Name(name)
        | OperandKind::Offset(name, _)
        | OperandKind::Address(AddressBase::Name(name), _)
        | OperandKind::Subscript(_, Index::Register(name, _))
            if **name == *old =>
        {
            *name = new.clone();
        }
        _ => {}
    }
}

/// A remark about an access that is its own producer.
pub(super) fn describe(inst: &Instruction, change: Change, holder: Holder) -> Remark {
    let words = std::iter::once(&inst.opcode).chain(&inst.modifiers);
    let words: Vec<&str> = words.map(|word| &*word.text).collect();
    Remark {
        function: "".into(),
        inst: inst.id,
        span: inst.span,
        access: words.join("."),
        change,
        holder,
        produced_by: inst.id,
        produced_at: inst.span,
        replacement: None,
        lag: None,
    }
}

/// What holds the value of an operand.
pub(super) fn holder_of(operand: Option<&Operand>) -> Holder {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Name(name)) => Holder::Register(name.clone()),
        Some(OperandKind::Integer(number)) => Holder::Constant(number.to_string()),
        Some(OperandKind::F32(bits)) => Holder::Constant(f32::from_bits(*bits).to_string()),
        Some(OperandKind::F64(bits)) => Holder::Constant(f64::from_bits(*bits).to_string()),
        _ => Holder::Constant(String::new()),
    }
}
