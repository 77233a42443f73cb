//! Clusters of one block (PTX ISA 2.2.2, 9.7.9.23, 9.7.9.24, 9.7.13.3): every block is one, so that its
//! addresses in the cluster are its own, and its rank is 0. A kernel that asks for clusters of
//! more blocks is refused. Deviation: an H200 ends a kernel with an illegal instruction that copies in bulk from shared to
//! shared memory and was not launched in explicit clusters (`.explicitcluster`); here it goes on.

use super::error::{LowerError, LowerErrorKind};
use super::function::FunctionLowering;
use super::operation::Kind;

use super::structural::Form;
use crate::ptx::{Function, Type};

/// `barrier.cluster`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterBarrier {
    /// `arrive`.
    Arrive {
        /// With a release.
        releases: bool,
    },
    /// `wait`, which acquires.
    Wait,
}

impl FunctionLowering<'_, '_> {
    /// `barrier.cluster`
    pub(super) fn cluster_barrier(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [] = form.exactly()?;
        self.emit(Kind::ClusterBarrier(match form.has("wait") {
            true => ClusterBarrier::Wait,
            false => ClusterBarrier::Arrive { releases: !form.has("relaxed") },
        }));
        Ok(())
    }

    /// `mapa`: the address as it is.
    pub(super) fn mapa(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a, b] = form.exactly()?;
        let ty = form.ty()?;
        let a = self.source(a, ty)?;
        self.source(b, Type::U32)?;
        let d = self.destination(d, ty)?;
        self.emit_lanes(super::data::copy_of(ty), d, a, a);
        Ok(())
    }

    /// `getctarank`: 0.
    pub(super) fn getctarank(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = form.exactly()?;
        let ty = form.ty()?;
        self.source(a, ty)?;
        let d = self.destination(d, Type::U32)?;
        let zero = self.constants.w32(0);
        self.emit_lanes(super::data::copy_of(Type::U32), d, zero, zero);
        Ok(())
    }
}

/// Refuses a kernel that asks for clusters of several blocks.
pub(super) fn refuse_clusters(kernel: &Function) -> Result<(), LowerError> {
    let directive = kernel.directives.iter().find(|d| &*d.name.text == "reqnctapercluster");
    let Some(directive) = directive else { return Ok(()) };
    let blocks = directive.values.iter().fold(1, |all: u64, one| all.saturating_mul(*one));
    if blocks <= 1 {
        return Ok(());
    }
    let kind = LowerErrorKind::Unsupported {
        what: format!(".reqnctapercluster of {blocks} blocks"),
        reason: "warpsim runs clusters of one block (PTX ISA 11.3)".into(),
    };
    Err(LowerError::at(kind, directive.name.span))
}
