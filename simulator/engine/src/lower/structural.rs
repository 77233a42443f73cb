//! The routines for instructions that do more than compute, by their entry in the table.

use super::error::LowerError;
use super::function::FunctionLowering;
use super::program::Kind;
use crate::isa::{Found, Structural};
use crate::ptx::{Instruction, Operand, Type};

/// An instruction of such a form, with what its routine asks of it.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) found: &'a Found,
}

impl<'a> Form<'a> {
    /// Whether a modifier is there.
    pub(super) fn has(self, modifier: &str) -> bool {
        self.instruction.modifiers.iter().any(|m| &*m.text == modifier)
    }

    /// What `parse` makes of the first modifier that it knows.
    pub(super) fn find<T>(self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.instruction.modifiers.iter().find_map(|m| parse(&m.text))
    }

    /// The type: the last modifier that is one.
    pub(super) fn ty(self) -> Type {
        let mut types = self.instruction.modifiers.iter().rev();
        types.find_map(|m| Type::from_keyword(&m.text)).unwrap_or(Type::B32)
    }

    /// The operands.
    pub(super) fn operands(self) -> &'a [Operand] {
        &self.instruction.operands
    }
}

impl<'m> FunctionLowering<'m, '_> {
    pub(super) fn structural(
        &mut self,
        instruction: &'m Instruction,
        found: &Found,
        structural: Structural,
    ) -> Result<(), LowerError> {
        let form = Form { instruction, found };
        match structural {
            Structural::Mov => self.mov(form),
            Structural::Cvta => self.cvta(form),
            Structural::Isspacep => self.isspacep(form),
            Structural::Ld => self.load(form),
            Structural::St => self.store(form),
            Structural::Atom => self.atomic(form, true),
            Structural::Red => self.atomic(form, false),
            Structural::Bra => self.branch(form),
            Structural::BrxIdx => self.branch_indexed(form),
            Structural::Call => self.call(instruction, found),
            Structural::Ret => self.alone(form, Kind::Return),
            Structural::Exit => self.alone(form, Kind::Exit),
            Structural::Trap => self.alone(form, Kind::Trap),
            Structural::Breakpoint => self.alone(form, Kind::Breakpoint),
            Structural::Bar => self.barrier(form),
            Structural::BarWarpSync => self.warp_sync(form),
            Structural::Fence => self.fence(form),
            Structural::Shfl => self.shuffle(form),
            Structural::Vote => self.vote(form),
            Structural::Match => self.match_lanes(form),
            Structural::Redux => self.redux(form),
            Structural::Activemask => self.active_mask(form),
            Structural::Elect => self.elect(form),
            Structural::Nothing => self.nothing(form),
        }
    }

    /// An instruction without operands.
    fn alone(&mut self, form: Form<'_>, kind: Kind) -> Result<(), LowerError> {
        self.expect_operands(form, 0..=0)?;
        self.emit(kind);
        Ok(())
    }

    fn nothing(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let count = form.found.opcode.operands.split(", ").filter(|o| !o.is_empty()).count();
        self.expect_operands(form, count..=count)?;
        self.emit(Kind::Nothing);
        Ok(())
    }

    /// Checks the number of operands.
    pub(super) fn expect_operands(
        &self,
        form: Form<'_>,
        count: std::ops::RangeInclusive<usize>,
    ) -> Result<(), LowerError> {
        if count.contains(&form.instruction.operands.len()) {
            return Ok(());
        }
        Err(self.operand_count(form.instruction, form.found))
    }
}
