//! Asynchronous copies that a thread puts in groups (PTX ISA 9.7.9.25.3): the operations, and how
//! they are translated. When they take effect is the machine's business.
//!
//! Cache hints and prefetch sizes are accepted and change nothing.

use super::error::LowerError;
use super::function::FunctionLowering;
use super::lanes::not;
use super::operation::{Guard, Kind, Target};
use super::structural::Form;
use crate::lanes::Slot;
use crate::ptx::{Operand, OperandKind, Space, Type};

/// A copy that goes on by itself, and what is done about such copies.
#[derive(Clone, Debug)]
pub enum Asynchronous {
    /// `cp.async`: begins a copy.
    Copy(AsyncCopy),
    /// `cp.async.commit_group`: the copies that the thread has begun since it last did this are a
    /// group.
    Commit,
    /// `cp.async.wait_group`: waits until no more than so many groups of the thread, its latest,
    /// may be under way.
    Wait(u32),
    /// `cp.async.wait_all`: waits for all copies of the thread, in a group or not.
    WaitAll,
}

/// `cp.async`.
#[derive(Clone, Debug)]
pub struct AsyncCopy {
    /// Where to: the bytes that are written.
    pub to: Target,
    /// Where from. What is not read is written as zeros.
    pub from: Target,
    /// How many bytes are read, in a 32-bit slot; `None`: as many as are written.
    pub read: Option<Slot>,
    /// Nothing is read where this holds.
    pub ignore: Option<Guard>,
}

/// The most groups that a thread may leave under way when it waits.
pub const MOST_GROUPS: u32 = 1 << 16;

impl FunctionLowering<'_, '_> {
    fn emit_asynchronous(&mut self, operation: Asynchronous) {
        self.emit(Kind::Asynchronous(Box::new(operation)));
    }

    /// `cp.async`
    pub(super) fn copy_asynchronously(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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

    /// How much is copied: a number that the instruction says.
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

    /// So many bytes at an address of a space, weakly, in words.
    fn piece(&mut self, address: &Operand, space: Space, bytes: u32) -> Result<Target, LowerError> {
        self.at(Target::weak(Some(space), 4, bytes / 4), address)
    }

    /// `cp.async.commit_group`
    pub(super) fn commit_group(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [] = form.exactly()?;
        self.emit_asynchronous(Asynchronous::Commit);
        Ok(())
    }

    /// `cp.async.wait_group` and `cp.async.wait_all`
    pub(super) fn wait_for_groups(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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
        self.emit_asynchronous(Asynchronous::Wait(number));
        Ok(())
    }
}
