//! Loads, stores and atomics (PTX ISA 9.7.9.8 to 9.7.9.11, 9.7.13.5, 9.7.13.7).
//!
//! An access by the name of a variable goes to the state space of that variable, also when the
//! instruction names none. The registers may be wider than what is moved (PTX ISA 9.4.1).

use std::sync::Arc;

use super::error::LowerError;
use super::function::FunctionLowering;
use super::operands::Meaning;
use super::operation::*;
use super::pieces;
use super::scope::Variable;
use super::structural::Form;
use crate::internal;
use crate::lanes::Slot;
use crate::ptx::{AddressBase, Operand, OperandKind, Space, Type};

/// The state space that a modifier names. Without clusters a block's cluster is itself.
pub(super) fn space_of(modifier: &str) -> Option<Space> {
    match modifier {
        "param::entry" | "param::func" => Some(Space::Param),
        "shared::cta" | "shared::cluster" => Some(Space::Shared),
        _ => Space::from_keyword(modifier),
    }
}

/// The scope that a modifier names.
pub(super) fn scope_of(modifier: &str) -> Option<Scope> {
    match modifier {
        "cta" => Some(Scope::Block),
        "cluster" => Some(Scope::Cluster),
        "gpu" | "gl" => Some(Scope::Gpu),
        "sys" => Some(Scope::System),
        _ => None,
    }
}

/// The order that a modifier names.
pub(super) fn order_of(modifier: &str) -> Option<Order> {
    match modifier {
        "weak" => Some(Order::Weak),
        "volatile" => Some(Order::Volatile),
        "mmio" => Some(Order::Mmio),
        "relaxed" => Some(Order::Relaxed),
        "acquire" => Some(Order::Acquire),
        "release" => Some(Order::Release),
        "acq_rel" => Some(Order::AcquireRelease),
        "sc" => Some(Order::SequentiallyConsistent),
        _ => None,
    }
}

impl FunctionLowering<'_, '_> {
    pub(super) fn load(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = self.hinted(form)?;
        let ty = form.ty()?;
        let target = self.target(form, a, ty)?;
        let registers = self.elements(d, target.elements, false)?;
        let mut destinations = Vec::new();
        let mut wide = None;
        for (operand, register) in &registers {
            let slot = match register {
                None => None,
                Some((found, slot)) => {
                    let register_wide = self.check_moved(operand, *found, ty)?;
                    if *wide.get_or_insert(register_wide) != register_wide {
                        return Err(self.wrong_operand(operand, "registers of one width"));
                    }
                    Some(*slot)
                }
            };
            destinations.push(slot);
        }
        let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64);
        let wide = wide.unwrap_or(ty.bytes() == Some(8));
        self.emit(Kind::Load(Box::new(Load { target, destinations, wide, signed })));
        Ok(())
    }

    pub(super) fn store(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [a, b] = self.hinted(form)?;
        let ty = form.ty()?;
        let target = self.target(form, a, ty)?;
        let sources = match &b.kind {
            OperandKind::Vector(elements) => elements.iter().collect(),
            _ => vec![b],
        };
        let mut slots = Vec::new();
        if let [only] = sources[..]
            && target.elements > 1
        {
            for (operand, register) in self.elements(only, target.elements, true)? {
                slots.push(match register {
                    Some((found, slot)) => (self.check_moved(operand, found, ty)?, slot),
                    None => return Err(self.wrong_operand(operand, "a register")),
                });
            }
        } else {
            self.check_elements(b, sources.len(), target.elements)?;
            for operand in sources {
                slots.push(self.stored(operand, ty)?);
            }
        }
        let wide = slots.iter().any(|(wide, _)| *wide);
        let mut sources = Vec::new();
        for (is_wide, slot) in slots {
            sources.push(if wide && !is_wide { self.widened(slot) } else { slot });
        }
        self.emit(Kind::Store(Box::new(Store { target, sources, wide })));
        Ok(())
    }

    /// A value to be stored: whether it is 64 bits wide, and its slot.
    fn stored(&mut self, operand: &Operand, ty: Type) -> Result<(bool, Slot), LowerError> {
        let meaning = match &operand.kind {
            OperandKind::Name(name) => Some(self.meaning(name, operand.span, true)?),
            OperandKind::Member(name, m) => Some(self.member(name, m, operand.span, true)?),
            _ => None,
        };
        if let Some(Meaning::Register(found, slot)) = meaning {
            return Ok((self.check_moved(operand, found, ty)?, slot));
        }
        Ok((ty.bytes() == Some(8), self.source(operand, ty)?))
    }

    fn widened(&mut self, slot: Slot) -> Slot {
        let d = self.temporary(Type::B64);
        self.emit_lanes(pieces::WIDEN_UNSIGNED, d, slot, slot);
        d
    }

    /// Whether a register that is loaded or stored has 64 bits; it must have at least those of the
    /// type.
    fn check_moved(&self, operand: &Operand, found: Type, ty: Type) -> Result<bool, LowerError> {
        match (found.bytes(), ty.bytes()) {
            (Some(have), Some(want)) if have >= want => Ok(have == 8),
            _ => Err(self.wrong_register(operand, found, ty, true)),
        }
    }

    /// The operands of a load or store, after which there may be a cache hint.
    fn hinted<'a>(&mut self, form: Form<'a>) -> Result<&'a [Operand; 2], LowerError> {
        let (operands, hint) = form.at_least::<2>(1)?;
        if hint.is_empty() == form.has("L2::cache_hint") {
            return Err(form.operand_count());
        }
        hint.iter().try_for_each(|operand| self.source(operand, Type::B64).map(drop))?;
        Ok(operands)
    }

    fn check_elements(&self, operand: &Operand, have: usize, want: u32) -> Result<(), LowerError> {
        if have == want as usize {
            return Ok(());
        }
        let expected = match want {
            1 => "one register".to_string(),
            n => format!("a vector of {n} registers"),
        };
        Err(self.wrong_operand(operand, &expected))
    }

    /// The registers of a vector operand, or the one register; `None` for `_`.
    #[expect(clippy::type_complexity, reason = "an operand with its register, as a pair")]
    fn elements<'o>(
        &mut self,
        operand: &'o Operand,
        want: u32,
        reads: bool,
    ) -> Result<Vec<(&'o Operand, Option<(Type, Slot)>)>, LowerError> {
        let mut out = Vec::new();
        if let OperandKind::Vector(elements) = &operand.kind {
            self.check_elements(operand, elements.len(), want)?;
            for element in elements {
                out.push((element, self.destination_register(element)?));
            }
            return Ok(out);
        }
        if let OperandKind::Name(name) = &operand.kind
            && let Some(super::scope::Entity::Vector(first, elements)) = self.scopes.lookup(name)
        {
            self.check_elements(operand, elements, want)?;
            for index in first..first + elements {
                let seen = if reads { &mut self.current.reads } else { &mut self.current.writes };
                seen.push(index as u32);
                out.push((operand, Some(self.slot_of(index)?)));
            }
            return Ok(out);
        }
        self.check_elements(operand, 1, want)?;
        out.push((operand, self.destination_register(operand)?));
        Ok(out)
    }

    /// Where an access goes.
    pub(super) fn target(
        &mut self,
        form: Form<'_>,
        address: &Operand,
        ty: Type,
    ) -> Result<Target, LowerError> {
        let elements = form.find(|m| match m {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        });
        let order = form.find(order_of).unwrap_or(Order::Weak);
        let scope = form.find(scope_of).unwrap_or(Scope::System);
        let width = ty.bytes().ok_or_else(|| internal!("an access of a .{}", ty.keyword()))?;
        let mut target = Target {
            semantics: Semantics { order, scope },
            non_coherent: form.has("nc"),
            ..Target::weak(form.find(space_of), width, elements.unwrap_or(1))
        };
        match &address.kind {
            // ptxas takes a subscript for the address of loads and stores alone.
            OperandKind::Subscript(name, index) if form.is_load_or_store() => {
                let (variable, offset) = self.subscripted(name, index, address)?;
                target.offset = offset;
                self.in_variable(&mut target, &variable, address)?;
                Ok(target)
            }
            _ => self.at(target, address),
        }
    }

    /// The access, at the address that an operand in brackets says.
    pub(super) fn at(
        &mut self,
        mut target: Target,
        address: &Operand,
    ) -> Result<Target, LowerError> {
        match &address.kind {
            OperandKind::Address(AddressBase::Absolute(absolute), offset) => {
                target.offset = absolute.wrapping_add_signed(*offset) as i64;
            }
            OperandKind::Address(AddressBase::Name(name), offset) => {
                target.offset = *offset;
                self.at_name(&mut target, name, address)?;
            }
            _ => return Err(self.wrong_operand(address, "an address in brackets")),
        }
        Ok(target)
    }

    /// Makes an access one at the address that a register holds, or that a variable has.
    fn at_name(
        &mut self,
        target: &mut Target,
        name: &Arc<str>,
        address: &Operand,
    ) -> Result<(), LowerError> {
        match self.meaning(name, address.span, true)? {
            Meaning::Register(Type::Pred, _) => {
                Err(self.wrong_operand(address, "an address in a register"))
            }
            Meaning::Register(found, slot) => {
                target.base = match found.bytes() {
                    Some(8) => Base::W64(slot),
                    Some(4) => Base::W32(slot),
                    _ => return Err(self.wrong_operand(address, "an address of 32 or 64 bits")),
                };
                Ok(())
            }
            Meaning::Variable(variable) => self.in_variable(target, &variable, address),
            _ => Err(self.wrong_operand(address, "a register or a variable")),
        }
    }

    fn in_variable(
        &self,
        target: &mut Target,
        variable: &Variable,
        address: &Operand,
    ) -> Result<(), LowerError> {
        if target.space.is_some_and(|space| space != variable.space) {
            let expected = match target.space {
                Some(space) => format!("a variable in .{}", space.keyword()),
                None => "a variable".to_string(),
            };
            return Err(self.wrong_operand(address, &expected));
        }
        let (base, start) = Self::base_of(variable);
        target.space = Some(variable.space);
        target.base = base;
        target.offset = target.offset.wrapping_add(start);
        if variable.space == Space::Param {
            let end = i64::from(target.width * target.elements).checked_add(target.offset);
            let inside = target.offset >= start
                && end.is_some_and(|end| end <= start.saturating_add_unsigned(variable.size));
            if !inside {
                return Err(self.wrong_operand(address, "an address inside the parameter"));
            }
        }
        Ok(())
    }

    /// `atom` and `red`.
    pub(super) fn atomic(&mut self, form: Form<'_>, gives: bool) -> Result<(), LowerError> {
        let operation = form.choose("an operation", atomic_operation)?;
        let swap = operation == AtomicOperation::CompareAndSwap;
        let (scopes, ty) = (form.instruction.modifiers.iter(), form.ty()?);
        if scopes.filter(|m| scope_of(&m.text).is_some()).count() > 1 {
            let what = super::function::mnemonic(form.instruction);
            return Err(self.unsupported(what, "it names two scopes", form.instruction.span));
        }
        let (d, address, b, c) = match (gives, swap, form.operands()) {
            (true, false, [d, address, b]) => (Some(d), address, b, None),
            (true, true, [d, address, b, c]) => (Some(d), address, b, Some(c)),
            (false, false, [address, b]) => (None, address, b, None),
            (false, true, [address, b, c]) => (None, address, b, Some(c)),
            (true | false, true | false, _) => return Err(form.operand_count()),
        };
        let mut target = self.target(form, address, ty)?;
        target.semantics = Semantics {
            order: form.find(order_of).unwrap_or(Order::Relaxed),
            scope: form.find(scope_of).unwrap_or(Scope::Gpu),
        };
        if !matches!(target.space, None | Some(Space::Global | Space::Shared)) {
            return Err(self.wrong_operand(address, "global or shared memory"));
        }
        let b = self.source(b, ty)?;
        let c = c.map(|c| self.source(c, ty)).transpose()?;
        let destination = match d {
            Some(d) if d.kind != OperandKind::Sink => Some(self.destination(d, ty)?),
            _ => None,
        };
        let wide = ty.bytes() == Some(8);
        let atomic = Atomic { target, operation, ty, destination, b, c, wide };
        self.emit(Kind::Atomic(Box::new(atomic)));
        Ok(())
    }
}

impl Target {
    /// A weak access of so many elements, at an address that is not known yet.
    pub(super) fn weak(space: Option<Space>, width: u32, elements: u32) -> Target {
        Target {
            space,
            base: Base::Absolute,
            offset: 0,
            width,
            elements,
            semantics: Semantics { order: Order::Weak, scope: Scope::System },
            non_coherent: false,
        }
    }
}

/// The operation of an `atom`, `red` or `redux` that a modifier names.
pub(super) fn atomic_operation(modifier: &str) -> Option<AtomicOperation> {
    Some(match modifier {
        "add" => AtomicOperation::Add,
        "min" => AtomicOperation::Min,
        "max" => AtomicOperation::Max,
        "and" => AtomicOperation::And,
        "or" => AtomicOperation::Or,
        "xor" => AtomicOperation::Xor,
        "exch" => AtomicOperation::Exchange,
        "cas" => AtomicOperation::CompareAndSwap,
        "inc" => AtomicOperation::Increment,
        "dec" => AtomicOperation::Decrement,
        _ => return None,
    })
}
