//! Loads, stores and atomics (PTX ISA 9.7.9.8 to 9.7.9.11, 9.7.13.5, 9.7.13.7).
//!
//! An access by the name of a variable goes to the state space of that variable, even if the
//! instruction names none. The registers may be wider than the moved value (PTX ISA 9.4.1).

use crate::lower::operations::access::{Base, Load, Order, Scope, Semantics, Store, Target};
use std::sync::Arc;

use crate::internal;
use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::*;
use crate::lower::operations::operation::*;
use crate::lower::scope::Variable;
use crate::lower::translate::operands::Meaning;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{AddressBase, Index, Operand, OperandKind, Space, Type};

/// The state space of a modifier. Without clusters a block's cluster is itself.
pub(in crate::lower) fn space_of(modifier: &str) -> Option<Space> {
    match modifier {
        "param::entry" | "param::func" => Some(Space::Param),
        "shared::cta" | "shared::cluster" => Some(Space::Shared),
        _ => Space::from_keyword(modifier),
    }
}

/// The scope of a modifier.
pub(in crate::lower) fn scope_of(modifier: &str) -> Option<Scope> {
    match modifier {
        "cta" => Some(Scope::Block),
        "cluster" => Some(Scope::Cluster),
        "gpu" | "gl" => Some(Scope::Gpu),
        "sys" => Some(Scope::System),
        _ => None,
    }
}

/// The order of a modifier.
pub(in crate::lower) fn order_of(modifier: &str) -> Option<Order> {
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

/// The number of elements of a modifier.
pub(in crate::lower) fn vector_of(modifier: &str) -> Option<u32> {
    match modifier {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    }
}

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn load(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = self.hinted(form)?;
        let ty = form.ty()?;
        let target = self.target(form, a, ty)?;
        let load = self.loaded(target, d, ty)?;
        self.emit(Kind::Load(Box::new(load)));
        Ok(())
    }

    /// The load of a type from an address to the registers of an operand.
    pub(in crate::lower) fn loaded(
        &mut self,
        target: Target,
        d: &Operand,
        ty: Type,
    ) -> Result<Load, LowerError> {
        let registers = self.elements(d, target.elements, false)?;
        let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64);
        let mut destinations = Vec::new();
        let mut wide = None;
        for (operand, register) in &registers {
            let Some((found, slot)) = register else {
                destinations.resize(destinations.len() + target.pieces(), None);
                continue;
            };
            let register_wide = self.check_moved(operand, *found, ty)?;
            if *wide.get_or_insert(register_wide) != register_wide {
                return Err(self.wrong_operand(operand, "registers of one width"));
            }
            destinations.push(Some(*slot));
            match (found, ty) {
                (Type::B128, Type::B128) => destinations.push(Some(slot.upper())),
                (Type::B128, _) => self.clear_upper(*slot, signed, operand)?,
                _ => {}
            }
        }
        let wide = wide.unwrap_or(ty.bytes() >= Some(8));
        Ok(Load { target, destinations, wide, signed })
    }

    pub(in crate::lower) fn store(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [a, b] = self.hinted(form)?;
        let ty = form.ty()?;
        let target = self.target(form, a, ty)?;
        self.store_at(target, b, ty)
    }

    /// The store of values of a type to an address.
    pub(in crate::lower) fn store_at(
        &mut self,
        target: Target,
        b: &Operand,
        ty: Type,
    ) -> Result<(), LowerError> {
        let slots = self.values(b, target.elements, ty)?;
        let wide = slots.iter().any(|(wide, _)| *wide);
        let mut sources = Vec::new();
        for (is_wide, slot) in slots {
            sources.push(if wide && !is_wide { self.widened(slot) } else { slot });
        }
        self.emit(Kind::Store(Box::new(Store { target, sources, wide })));
        Ok(())
    }

    /// The values of a vector or the one value: whether each has 64 bits, and its slot. A value of
    /// 128 bits is two.
    pub(in crate::lower) fn values(
        &mut self,
        operand: &Operand,
        count: u32,
        ty: Type,
    ) -> Result<Vec<(bool, Slot)>, LowerError> {
        let operands = match &operand.kind {
            OperandKind::Vector(elements) => elements.iter().collect(),
            _ => vec![operand],
        };
        let mut slots = Vec::new();
        if let [only] = operands[..]
            && count > 1
        {
            for (operand, register) in self.elements(only, count, true)? {
                slots.push(match register {
                    Some((found, slot)) => (self.check_moved(operand, found, ty)?, slot),
                    None => return Err(self.wrong_operand(operand, "a register")),
                });
            }
            return Ok(slots);
        }
        self.check_elements(operand, operands.len(), count)?;
        for operand in operands {
            if ty == Type::B128 {
                let [low, high] = self.halves(operand)?;
                slots.extend([(true, low), (true, high)]);
            } else {
                slots.push(self.stored(operand, ty)?);
            }
        }
        Ok(slots)
    }

    /// The halves of a value of 128 bits, the lower first.
    pub(in crate::lower) fn halves(&mut self, operand: &Operand) -> Result<[Slot; 2], LowerError> {
        if let OperandKind::Integer(value) = &operand.kind {
            return Ok([*value, *value >> 64].map(|half| self.constants.w64(half as u64)));
        }
        let OperandKind::Name(name) = &operand.kind else {
            return Err(self.wrong_operand(operand, "a register of 128 bits"));
        };
        match self.meaning(name, operand.span, true)? {
            Meaning::Register(Type::B128, slot) => Ok([slot, slot.upper()]),
            _ => Err(self.wrong_operand(operand, "a register of 128 bits")),
        }
    }

    /// The halves of a destination of 128 bits; `None` for `_`.
    pub(in crate::lower) fn destination_halves(
        &mut self,
        operand: &Operand,
    ) -> Result<Option<[Slot; 2]>, LowerError> {
        match self.destination_register(operand)? {
            None => Ok(None),
            Some((Type::B128, slot)) => Ok(Some([slot, slot.upper()])),
            Some(_) => Err(self.wrong_operand(operand, "a register of 128 bits")),
        }
    }

    /// Zero-extends a load into a register of 128 bits, before the load.
    fn clear_upper(
        &mut self,
        slot: Slot,
        signed: bool,
        operand: &Operand,
    ) -> Result<(), LowerError> {
        if signed {
            return Err(self.wrong_operand(operand, "a register of at most 64 bits"));
        }
        let zero = self.constants.w64(0);
        self.emit_lanes(pieces::COPY_64, slot.upper(), zero, zero);
        Ok(())
    }

    /// A value to be stored: whether it is 64 bits wide, and its slot.
    fn stored(&mut self, operand: &Operand, ty: Type) -> Result<(bool, Slot), LowerError> {
        if operand.kind == OperandKind::Sink {
            let reason = "a store that leaves out elements is not modelled";
            return Err(self.unsupported("_".into(), reason, operand.span));
        }
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

    /// Whether a loaded or stored register has 64 bits or more. It must have at least the bits of
    /// the type.
    fn check_moved(&self, operand: &Operand, found: Type, ty: Type) -> Result<bool, LowerError> {
        match (found.bytes(), ty.bytes()) {
            (Some(have), Some(want)) if have >= want => Ok(have >= 8),
            _ => Err(self.wrong_register(operand, found, ty, true)),
        }
    }

    /// The operands of a load or store; a cache hint may follow.
    fn hinted<'a>(&mut self, form: Form<'a>) -> Result<&'a [Operand; 2], LowerError> {
        let (operands, hint) = form.at_least::<2>(1)?;
        if hint.is_empty() == form.has("L2::cache_hint") {
            return Err(form.operand_count());
        }
        hint.iter().try_for_each(|operand| self.source(operand, Type::B64).map(drop))?;
        Ok(operands)
    }

    pub(in crate::lower) fn check_elements(
        &self,
        operand: &Operand,
        have: usize,
        want: u32,
    ) -> Result<(), LowerError> {
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
    pub(in crate::lower) fn elements<'o>(
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
            && let Some(crate::lower::scope::Entity::Vector(first, elements)) =
                self.scopes.lookup(name)
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

    /// The target of an access.
    pub(in crate::lower) fn target(
        &mut self,
        form: Form<'_>,
        address: &Operand,
        ty: Type,
    ) -> Result<Target, LowerError> {
        let elements = form.find(vector_of);
        let order = form.find(order_of).unwrap_or(Order::Weak);
        let scope = form.find(scope_of).unwrap_or(Scope::System);
        let width = ty.bytes().ok_or_else(|| internal!("an access of a .{}", ty.keyword()))?;
        let mut target = Target {
            packed: matches!(ty, Type::F16x2 | Type::Bf16x2),
            semantics: Semantics { order, scope },
            non_coherent: form.has("nc"),
            ..Target::weak(form.find(space_of), width, elements.unwrap_or(1))
        };
        match &address.kind {
            // ptxas accepts a subscript only for the address of loads and stores.
            OperandKind::Subscript(name, index) if form.is_load_or_store() => {
                let (variable, element) = self.subscripted(name, address)?;
                match index {
                    Index::Constant(number) => {
                        target.offset = self.bytes_of(*number, element, address)?;
                        self.in_variable(&mut target, &variable, address)?;
                    }
                    Index::Register(register, more) => {
                        let at = (&variable, element, register, *more);
                        self.in_variable(&mut target, &variable, address)?;
                        target.base = Base::W64(self.indexed_address(at, address)?);
                        target.offset = 0;
                    }
                }
                Ok(target)
            }
            _ => self.at(target, address),
        }
    }

    /// The access, at the address of an operand in brackets.
    pub(in crate::lower) fn at(
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

    /// Sets the address of an access to a register's value, or a variable's address.
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
    pub(in crate::lower) fn atomic(
        &mut self,
        form: Form<'_>,
        gives: bool,
    ) -> Result<(), LowerError> {
        let (operation, ty) = atomic_operation(form)?;
        let swap = operation == AtomicOperation::CompareAndSwap;
        let scopes = form.instruction.modifiers.iter();
        if scopes.filter(|m| scope_of(&m.text).is_some()).count() > 1 {
            let what = crate::lower::function::mnemonic(form.instruction);
            return Err(self.unsupported(what, "it names two scopes", form.instruction.span));
        }
        let (operands, hint) = self.without_hint(form)?;
        let (d, address, b, c) = match (gives, swap, operands) {
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
        let bs = self.combined(b, target.elements, ty)?;
        let cs = c.map(|c| self.combined(c, target.elements, ty)).transpose()?;
        let ds = self.replaced(d, target.elements, ty)?;
        hint.map(|hint| self.source(hint, Type::B64)).transpose()?;
        let mut pieces = Vec::new();
        if cs.as_ref().is_some_and(|cs| cs.len() != bs.len()) {
            return Err(internal!("an atomic of {} pieces and other new values", bs.len()).into());
        }
        for (i, b) in bs.into_iter().enumerate() {
            let destination = ds.get(i).copied().flatten();
            let c = cs.as_ref().and_then(|cs| cs.get(i)).copied();
            pieces.push(AtomicPiece { destination, b, c });
        }
        if pieces.len() > Atomic::PIECES {
            return Err(internal!("an atomic of {} pieces", pieces.len()).into());
        }
        let wide = ty.bytes() >= Some(8);
        self.emit(Kind::Atomic(Box::new(Atomic { target, operation, ty, pieces, wide })));
        Ok(())
    }

    /// The operands of an atomic, one for each piece.
    fn combined(
        &mut self,
        operand: &Operand,
        count: u32,
        ty: Type,
    ) -> Result<Vec<Slot>, LowerError> {
        match &operand.kind {
            OperandKind::Vector(elements) => {
                self.check_elements(operand, elements.len(), count)?;
                elements.iter().map(|element| self.source(element, ty)).collect()
            }
            _ if count > 1 || ty == Type::B128 => {
                Ok(self.values(operand, count, ty)?.into_iter().map(|(_, slot)| slot).collect())
            }
            _ => Ok(vec![self.source(operand, ty)?]),
        }
    }

    /// The destinations for the old values of an atomic, one for each piece; nothing for `_`.
    fn replaced(
        &mut self,
        d: Option<&Operand>,
        count: u32,
        ty: Type,
    ) -> Result<Vec<Option<Slot>>, LowerError> {
        let Some(d) = d.filter(|d| d.kind != OperandKind::Sink) else { return Ok(Vec::new()) };
        if ty == Type::B128 {
            let halves = self.destination_halves(d)?;
            return Ok(halves.into_iter().flatten().map(Some).collect());
        }
        let mut slots = Vec::new();
        for (operand, register) in self.elements(d, count, false)? {
            slots.push(match register {
                Some((found, slot)) if found.bytes() == ty.bytes() => Some(slot),
                Some((found, _)) => return Err(self.wrong_register(operand, found, ty, false)),
                None => None,
            });
        }
        Ok(slots)
    }

    /// The operands, without the cache hint, which is the last if the instruction asks for one.
    fn without_hint<'a>(
        &self,
        form: Form<'a>,
    ) -> Result<(&'a [Operand], Option<&'a Operand>), LowerError> {
        let operands = form.operands();
        if !form.has("L2::cache_hint") {
            return Ok((operands, None));
        }
        let (hint, rest) = operands.split_last().ok_or_else(|| form.operand_count())?;
        Ok((rest, Some(hint)))
    }
}

impl Target {
    /// A weak access of this many elements, at an address that is not known yet.
    pub(in crate::lower) fn weak(space: Option<Space>, width: u32, elements: u32) -> Target {
        Target {
            space,
            base: Base::Absolute,
            offset: 0,
            width,
            elements,
            packed: false,
            semantics: Semantics { order: Order::Weak, scope: Scope::System },
            non_coherent: false,
        }
    }
}

/// The operation of a form that changes a value in memory, or combines values of lanes, and its
/// type.
pub(in crate::lower) fn atomic_operation(
    form: Form<'_>,
) -> Result<(AtomicOperation, Type), LowerError> {
    let (operation, ty) = (form.choose("an operation", operation_named)?, form.ty()?);
    match operation.is_of(ty) {
        true => Ok((operation, ty)),
        false => Err(internal!("the operation {operation:?} on .{}", ty.keyword()).into()),
    }
}

/// The operation of an `atom`, `red` or `redux` modifier.
pub(in crate::lower) fn operation_named(modifier: &str) -> Option<AtomicOperation> {
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
