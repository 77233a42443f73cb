//! Clusters of one block (PTX ISA 2.2.2, 9.7.9.23, 9.7.9.24, 9.7.13.3, 9.7.13.17). Every block is a
//! cluster, so its addresses in the cluster are its own, and its rank is 0. A kernel that asks for
//! clusters of more blocks is refused.
//!
//! Deviation: some kernels copy in bulk from shared to shared memory without a launch in explicit
//! clusters (`.explicitcluster`). An H200 ends such a kernel with an illegal instruction; here it
//! goes on.

use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Order, Scope, Semantics, Target};
use crate::lower::operations::asynchronous::{AsyncStore, Asynchronous};
use crate::lower::operations::mbarrier::ClusterBarrier;
use crate::lower::operations::operation::Kind;
use crate::lower::translate::memory::space_of;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Function, OperandKind, Type};

impl FunctionLowering<'_, '_> {
    /// `barrier.cluster`
    pub(in crate::lower) fn cluster_barrier(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [] = form.exactly()?;
        self.emit(Kind::ClusterBarrier(match form.has("wait") {
            true => ClusterBarrier::Wait,
            false => ClusterBarrier::Arrive { releases: !form.has("relaxed") },
        }));
        Ok(())
    }

    /// `mapa`: the unchanged address.
    pub(in crate::lower) fn mapa(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a, b] = form.exactly()?;
        let ty = form.ty()?;
        let a = self.source(a, ty)?;
        self.source(b, Type::U32)?;
        let d = self.destination(d, ty)?;
        self.emit_lanes(crate::lower::translate::data::copy_of(ty), d, a, a);
        Ok(())
    }

    /// `getctarank`: 0.
    pub(in crate::lower) fn getctarank(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = form.exactly()?;
        let ty = form.ty()?;
        self.source(a, ty)?;
        let d = self.destination(d, Type::U32)?;
        let zero = self.constants.w32(0);
        self.emit_lanes(crate::lower::translate::data::copy_of(Type::U32), d, zero, zero);
        Ok(())
    }
}

impl FunctionLowering<'_, '_> {
    /// `clusterlaunchcontrol.try_cancel`: an answer of zeros arrives asynchronously, which means
    /// that no block can be taken over.
    pub(in crate::lower) fn try_cancel(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [to, mbarrier] = form.exactly()?;
        let space = form.find(space_of);
        let to = self.at(Target::weak(space, 8, 2), to)?;
        let object = Target {
            semantics: Semantics { order: Order::Relaxed, scope: Scope::Cluster },
            ..Target::weak(space, 8, 1)
        };
        let mbarrier = self.at(object, mbarrier)?;
        let values = vec![self.constants.w64(0); 2];
        let store = AsyncStore { to, values, mbarrier, reduction: None };
        self.emit(Kind::Asynchronous(Box::new(Asynchronous::Store(store))));
        Ok(())
    }

    /// `clusterlaunchcontrol.query_cancel`: no block was taken over. The block of an answer is in
    /// its first three words.
    pub(in crate::lower) fn query_cancel(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, response] = form.exactly()?;
        let [low, high] = self.halves(response)?;
        if form.has("is_canceled") {
            let (d, no) = (self.destination(d, Type::Pred)?, self.constants.predicate(false));
            self.emit_lanes(pieces::COPY_PREDICATE, d, no, no);
            return Ok(());
        }
        let words = [
            ("get_first_ctaid::x", pieces::NARROW, low),
            ("get_first_ctaid::y", pieces::HIGH, low),
            ("get_first_ctaid::z", pieces::NARROW, high),
        ];
        if let Some((_, piece, half)) = words.into_iter().find(|(word, ..)| form.has(word)) {
            let d = self.destination(d, Type::B32)?;
            self.emit_lanes(piece, d, half, half);
            return Ok(());
        }
        let OperandKind::Vector(elements) = &d.kind else {
            return Err(self.wrong_operand(d, "a vector of 4 registers"));
        };
        self.check_elements(d, elements.len(), 4)?;
        for (d, (_, piece, half)) in elements.iter().zip(words) {
            let d = self.destination(d, Type::B32)?;
            self.emit_lanes(piece, d, half, half);
        }
        Ok(())
    }
}

/// Refuses a kernel that asks for clusters of several blocks.
pub(in crate::lower) fn refuse_clusters(kernel: &Function) -> Result<(), LowerError> {
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
