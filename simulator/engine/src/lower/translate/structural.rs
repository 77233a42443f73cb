//! The routines for instructions that do more than compute, by their entry in the table.
//!
//! The table has checked the modifiers, so a routine finds what it asks of its [`Form`]. Otherwise
//! the table and the routine disagree, which is a bug of warpsim and reported as one.

use crate::internal;
use crate::isa::{Action, Found, Structural};
use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::function::{FunctionLowering, mnemonic};
use crate::lower::operations::operation::Kind;
use crate::ptx::{Instruction, Operand, Type};

/// An instruction of such a form, with the questions of its routine.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Form<'a> {
    pub(in crate::lower) instruction: &'a Instruction,
    pub(in crate::lower) found: &'a Found,
}

impl<'a> Form<'a> {
    /// Whether it is `ld` or `st` in one of their kinds.
    pub(in crate::lower) fn is_load_or_store(self) -> bool {
        matches!(self.found.form.action, Action::Structural(Structural::Ld | Structural::St))
    }

    /// Whether a modifier is present.
    pub(in crate::lower) fn has(self, modifier: &str) -> bool {
        self.instruction.modifiers.iter().any(|m| &*m.text == modifier)
    }

    /// The result of `parse` for the first modifier that it knows, of those that may be absent.
    pub(in crate::lower) fn find<T>(self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.instruction.modifiers.iter().find_map(|m| parse(&m.text))
    }

    /// The same for a modifier that every instruction of the form has; `what` names it.
    pub(in crate::lower) fn choose<T>(
        self,
        what: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, LowerError> {
        let missing = || internal!("a form of `{}` without {what}", self.found.opcode.name);
        Ok(self.find(parse).ok_or_else(missing)?)
    }

    /// The type: the last modifier that is a type.
    pub(in crate::lower) fn ty(self) -> Result<Type, LowerError> {
        let mut types = self.instruction.modifiers.iter().rev();
        let found = types.find_map(|m| Type::from_keyword(&m.text));
        let missing = || internal!("a form of `{}` without a type", self.found.opcode.name);
        Ok(found.ok_or_else(missing)?)
    }

    /// The operands, of any number.
    pub(in crate::lower) fn operands(self) -> &'a [Operand] {
        &self.instruction.operands
    }

    /// The operands, exactly `N`.
    pub(in crate::lower) fn exactly<const N: usize>(self) -> Result<&'a [Operand; N], LowerError> {
        self.operands().try_into().map_err(|_| self.operand_count())
    }

    /// The first `N` operands and the rest, at most `more`.
    pub(in crate::lower) fn at_least<const N: usize>(
        self,
        more: usize,
    ) -> Result<(&'a [Operand; N], &'a [Operand]), LowerError> {
        let found = self.operands().split_first_chunk::<N>();
        found.filter(|(_, rest)| rest.len() <= more).ok_or_else(|| self.operand_count())
    }

    /// An error about the number of operands.
    pub(in crate::lower) fn operand_count(self) -> LowerError {
        let kind = LowerErrorKind::OperandCount {
            instruction: mnemonic(self.instruction),
            expected: self.found.opcode.operands.into(),
            found: self.instruction.operands.len(),
        };
        LowerError::at(kind, self.instruction.span)
    }
}

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn structural(
        &mut self,
        form: Form<'_>,
        structural: Structural,
    ) -> Result<(), LowerError> {
        match structural {
            Structural::Mov => self.mov(form),
            Structural::Cvta => self.cvta(form),
            Structural::Isspacep => self.isspacep(form),
            Structural::CreatePolicy => self.create_policy(form),
            Structural::Discard => self.discard(form),
            Structural::Fill => self.fill(form),
            Structural::Alloca => self.allocate_on_stack(form),
            Structural::StackSave => self.save_stack(form),
            Structural::StackRestore => self.restore_stack(form),
            Structural::Ld => self.load(form),
            Structural::St => self.store(form),
            Structural::Atom => self.atomic(form, true),
            Structural::Red => self.atomic(form, false),
            Structural::Bra => self.branch(form),
            Structural::BrxIdx => self.branch_indexed(form),
            Structural::Call => self.call(form),
            Structural::Ret => self.alone(form, Kind::Return),
            Structural::Exit => self.alone(form, Kind::Exit),
            Structural::Trap => self.alone(form, Kind::Trap),
            Structural::Breakpoint => self.alone(form, Kind::Breakpoint),
            Structural::Bar | Structural::BarRed => self.barrier(form),
            Structural::Fence => self.fence(form),
            Structural::Warp(instruction) => self.warp(form, instruction),
            Structural::Mbarrier(instruction) => self.mbarrier(form, instruction),
            Structural::CpAsync => self.copy_asynchronously(form),
            Structural::Mapa => self.mapa(form),
            Structural::Getctarank => self.getctarank(form),
            Structural::ClusterBarrier => self.cluster_barrier(form),
            Structural::CpBulk => self.copy_in_bulk(form),
            Structural::TryCancel => self.try_cancel(form),
            Structural::QueryCancel => self.query_cancel(form),
            Structural::AsyncStore => self.store_asynchronously(form),
            Structural::CpPrefetch => self.prefetch_in_bulk(form),
            Structural::CommitGroup => self.commit_group(form),
            Structural::WaitGroup => self.wait_for_groups(form),
            Structural::Video(instruction) => self.video(form, instruction),
            Structural::Image(instruction) => self.image(form, instruction),
            Structural::Lop3 => self.logic_and_predicate(form),
            Structural::CvtFour(two) => self.convert_four(form, two),
            Structural::ProxyFence if form.has("async") => self.alone(form, Kind::ProxyFence),
            Structural::ProxyFence | Structural::Nothing => self.nothing(form),
        }
    }

    /// An instruction without operands.
    fn alone(&mut self, form: Form<'_>, kind: Kind) -> Result<(), LowerError> {
        let [] = form.exactly()?;
        self.emit(kind);
        Ok(())
    }

    fn nothing(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let count = form.found.opcode.operands.split(", ").filter(|o| !o.is_empty()).count();
        if form.operands().len() != count {
            return Err(form.operand_count());
        }
        self.emit(Kind::Nothing);
        Ok(())
    }
}
