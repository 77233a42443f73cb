//! Translates asynchronous copies (PTX ISA 9.7.9.25). [`crate::lower::Asynchronous`] is what they
//! become.
//!
//! Cache hints and prefetch sizes are accepted and change nothing.

use crate::internal;
use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Order, Scope, Semantics, Target};
use crate::lower::operations::asynchronous::{
    AsyncCopy, AsyncStore, Asynchronous, BulkCopy, Grouped, MOST_GROUPS,
};
use crate::lower::operations::operation::Kind;
use crate::lower::translate::lanes::not;
use crate::lower::translate::memory::{atomic_operation, space_of};
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Space, Type};

impl FunctionLowering<'_, '_> {
    fn emit_asynchronous(&mut self, operation: Asynchronous) {
        self.emit(Kind::Asynchronous(Box::new(operation)));
    }

    /// `cp.async`
    pub(in crate::lower) fn copy_asynchronously(
        &mut self,
        form: Form<'_>,
    ) -> Result<(), LowerError> {
        let ([to, from, size], rest) = form.at_least::<3>(2)?;
        let (rest, hint) = match (form.has("L2::cache_hint"), rest) {
            (false, [] | [_]) => (rest, None),
            (true, [rest @ .., hint]) if rest.len() <= 1 => (rest, Some(hint)),
            (true | false, _) => return Err(form.operand_count()),
        };
        let bytes = self.copied_bytes(form, size)?;
        let to = self.piece(to, Space::Shared, bytes)?;
        let from = self.piece(from, Space::Global, bytes)?;
        let (mut read, mut ignore) = (None, None);
        if let [operand] = rest {
            match self.is_predicate(operand) {
                true => ignore = Some(self.asked(operand)?),
                false => read = Some(self.read_bytes(operand, bytes)?),
            }
        }
        hint.map(|hint| self.source(hint, Type::B64)).transpose()?;
        self.emit_asynchronous(Asynchronous::Copy(AsyncCopy { to, from, read, ignore }));
        Ok(())
    }

    /// The number of bytes to copy, from the instruction.
    fn copied_bytes(&self, form: Form<'_>, size: &Operand) -> Result<u32, LowerError> {
        match (&size.kind, form.has("cg")) {
            (OperandKind::Integer(16), _) => Ok(16),
            (OperandKind::Integer(4), false) => Ok(4),
            (OperandKind::Integer(8), false) => Ok(8),
            (_, true) => Err(self.wrong_operand(size, "16, the bytes to copy")),
            (_, false) => Err(self.wrong_operand(size, "4, 8 or 16, the bytes to copy")),
        }
    }

    fn read_bytes(&mut self, operand: &Operand, bytes: u32) -> Result<Slot, LowerError> {
        if let OperandKind::Integer(read) = operand.kind
            && !(0..=i128::from(bytes)).contains(&read)
        {
            return Err(self.wrong_operand(operand, "no more bytes to read than are copied"));
        }
        self.source(operand, Type::U32)
    }

    fn is_predicate(&mut self, operand: &Operand) -> bool {
        let (inner, negated) = not(operand);
        match &inner.kind {
            OperandKind::Name(name) => negated || self.names_predicate(name),
            _ => negated,
        }
    }

    /// This many bytes at an address of a space, weakly, in words.
    fn piece(&mut self, address: &Operand, space: Space, bytes: u32) -> Result<Target, LowerError> {
        self.at(Target::weak(Some(space), 4, bytes / 4), address)
    }

    /// `cp.async.bulk` and `cp.reduce.async.bulk`
    pub(in crate::lower) fn copy_in_bulk(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([to, from, bytes], rest) = form.at_least::<3>(2)?;
        let (rest, hint) = match (form.has("L2::cache_hint"), rest) {
            (true, [rest @ .., hint]) => (rest, Some(hint)),
            (false, rest) => (rest, None),
            (true, []) => return Err(form.operand_count()),
        };
        let mbarrier = match (form.has("bulk_group"), rest) {
            (true, []) => None,
            (false, [mbarrier]) => Some(mbarrier),
            (true | false, _) => return Err(form.operand_count()),
        };
        let mut spaces = form.instruction.modifiers.iter().filter_map(|m| space_of(&m.text));
        let (Some(destination), Some(source)) = (spaces.next(), spaces.next()) else {
            return Err(internal!("a copy in bulk without two spaces").into());
        };
        let reduction = match form.has("reduce") {
            true => Some(atomic_operation(form)?),
            false => None,
        };
        let mut to = self.piece(to, destination, 16)?;
        if reduction.is_some() {
            to.semantics = Semantics { order: Order::Relaxed, scope: Scope::Gpu };
        }
        let from = self.piece(from, source, 16)?;
        let object = Target {
            semantics: Semantics { order: Order::Relaxed, scope: Scope::Block },
            ..Target::weak(Some(Space::Shared), 8, 1)
        };
        let mbarrier = mbarrier.map(|mbarrier| self.at(object, mbarrier)).transpose()?;
        let bytes = self.source(bytes, Type::U32)?;
        hint.map(|hint| self.source(hint, Type::B64)).transpose()?;
        let copy = BulkCopy { to, from, bytes, mbarrier, reduction };
        self.emit_asynchronous(Asynchronous::Bulk(copy));
        Ok(())
    }

    /// `st.async` and `red.async` to shared memory
    pub(in crate::lower) fn store_asynchronously(
        &mut self,
        form: Form<'_>,
    ) -> Result<(), LowerError> {
        let [to, value, mbarrier] = form.exactly()?;
        let reduction = match form.found.opcode.name {
            "red" => Some(atomic_operation(form)?),
            _ => None,
        };
        let ty = form.ty()?;
        let mut to = self.target(form, to, ty)?;
        to.semantics = match reduction {
            Some(_) => Semantics { order: Order::Relaxed, scope: Scope::Cluster },
            None => Semantics { order: Order::Weak, scope: Scope::System },
        };
        if to.width * to.elements > 16 {
            let what = crate::lower::function::mnemonic(form.instruction);
            return Err(self.unsupported(
                what,
                "more than 128 bits at once",
                form.instruction.span,
            ));
        }
        let elements = match &value.kind {
            OperandKind::Vector(elements) => &elements[..],
            _ => std::slice::from_ref(value),
        };
        self.check_elements(value, elements.len(), to.elements)?;
        let values: Result<_, _> = elements.iter().map(|e| self.source(e, ty)).collect();
        let object = Target {
            semantics: Semantics { order: Order::Relaxed, scope: Scope::Cluster },
            ..Target::weak(to.space, 8, 1)
        };
        let mbarrier = self.at(object, mbarrier)?;
        let store = AsyncStore { to, values: values?, mbarrier, reduction };
        self.emit_asynchronous(Asynchronous::Store(store));
        Ok(())
    }

    /// `cp.async.bulk.prefetch`
    pub(in crate::lower) fn prefetch_in_bulk(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([from, bytes], hint) = form.at_least::<2>(1)?;
        if hint.is_empty() == form.has("L2::cache_hint") {
            return Err(form.operand_count());
        }
        self.piece(from, Space::Global, 16)?;
        self.source(bytes, Type::U32)?;
        hint.iter().try_for_each(|hint| self.source(hint, Type::B64).map(drop))?;
        self.emit(Kind::Nothing);
        Ok(())
    }

    /// `cp.async.commit_group` and `cp.async.bulk.commit_group`
    pub(in crate::lower) fn commit_group(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [] = form.exactly()?;
        self.emit_asynchronous(Asynchronous::Commit(grouped(form)));
        Ok(())
    }

    /// `cp.async.wait_group`, `cp.async.wait_all` and `cp.async.bulk.wait_group`
    pub(in crate::lower) fn wait_for_groups(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        if form.has("wait_all") {
            let [] = form.exactly()?;
            self.emit_asynchronous(Asynchronous::WaitAll);
            return Ok(());
        }
        let [count] = form.exactly()?;
        let OperandKind::Integer(number) = count.kind else {
            return Err(self.wrong_operand(count, "a number of groups"));
        };
        let number = u32::try_from(number).ok().filter(|number| *number < MOST_GROUPS);
        let expected = "a number of groups below 65536";
        let number = number.ok_or_else(|| self.wrong_operand(count, expected))?;
        self.emit_asynchronous(match form.has("read") {
            true => Asynchronous::WaitForReads(number),
            false => Asynchronous::Wait(grouped(form), number),
        });
        Ok(())
    }
}

/// The kind of groups of a form.
fn grouped(form: Form<'_>) -> Grouped {
    if form.has("bulk") { Grouped::Bulk } else { Grouped::Small }
}
