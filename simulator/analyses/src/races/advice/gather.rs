//! Blocks that wait for each other by a flag, without gathering their threads before it is set, or
//! behind it.
//!
//! A fence orders the actions of its thread, and the actions of others that a barrier ordered
//! before it. So if one thread of a block fences and sets the flag for all, all must reach a
//! barrier first. Behind the fence of the thread that has seen the flag, the others of its block
//! must wait for that thread.

use std::collections::BTreeSet;

use super::flow::{At, Flow};
use crate::lower::{Effect, Pc};
use crate::passes::Side;

/// Barriers beside fences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::races) struct Gathering {
    /// Before the fences of those who set flags.
    pub before: Vec<At>,
    /// Behind the fences of those who have seen them.
    pub behind: Vec<At>,
}

impl Gathering {
    pub(super) fn places(&self) -> Vec<At> {
        let places: BTreeSet<At> = self.before.iter().chain(&self.behind).copied().collect();
        places.into_iter().collect()
    }
}

impl Flow<'_> {
    /// The fences that threads of the kernel execute, at the places of the kernel that lead there.
    fn fences(&self) -> BTreeSet<Pc> {
        let all = (0..).zip(&self.program().operations);
        let fences = all.filter(|(_, operation)| match operation.kind.effect() {
            Effect::Fence(_) => true,
            Effect::Registers
            | Effect::Memory(..)
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Asynchronous(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Mbarrier(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => false,
        });
        fences.flat_map(|(pc, _)| self.in_kernel(pc)).collect()
    }

    /// Whether the program has a fence.
    pub(in crate::races) fn has_fences(&self) -> bool {
        !self.fences().is_empty()
    }

    /// Where blocks may gather, the least first: beside one fence, then beside all.
    pub(super) fn gatherings(&self) -> Vec<Gathering> {
        let fences = self.fences();
        let places = |place: &dyn Fn(Pc) -> Option<At>| -> Vec<At> {
            let places: BTreeSet<At> = fences.iter().filter_map(|pc| place(*pc)).collect();
            places.into_iter().collect()
        };
        let before = places(&|pc| self.before(pc, false));
        let behind = places(&|pc| self.behind(pc, false));
        let mut all: Vec<Gathering> = Vec::new();
        let mut add = |before: Vec<At>, behind: Vec<At>| {
            let gathering = Gathering { before, behind };
            if !all.contains(&gathering) {
                all.push(gathering);
            }
        };
        before.iter().for_each(|at| add(vec![*at], Vec::new()));
        behind.iter().for_each(|at| add(Vec::new(), vec![*at]));
        add(before.clone(), Vec::new());
        add(Vec::new(), behind.clone());
        add(before, behind);
        all
    }

    /// The line of the user's source beside which a place is.
    pub(in crate::races) fn line_beside(&self, (pc, side): At) -> Option<(u32, Side)> {
        let place = self.program().places.get(pc as usize)?;
        Some((place.source.as_deref()?.seen().own.line, side))
    }
}
