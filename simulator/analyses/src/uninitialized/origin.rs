//! Where an undefined value came from.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::lower::Pc;
use crate::ptx::Space;

/// A thread at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub pc: Pc,
    pub block: u64,
    pub warp: u32,
    pub lane: u32,
}

/// Where an undefined value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Who read it from memory.
    pub load: Spot,
    /// The memory.
    pub space: Space,
    /// The first byte that was never written.
    pub address: u64,
    /// The first to compute with it.
    pub computed: Option<Spot>,
}

/// A number of an origin in [`Origins`].
pub(super) type OriginId = u32;

/// The most origins kept for one pair of places. The first one represents all further ones.
const APART: u32 = 1024;

/// All origins of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins {
    all: Vec<Origin>,
    /// The first of each pair of places, and how many there are.
    pairs: HashMap<(Pc, Option<Pc>), (OriginId, u32), FxBuildHasher>,
}

impl Origins {
    /// Notes an origin.
    pub(super) fn add(&mut self, origin: Origin) -> OriginId {
        let next = self.all.len() as OriginId;
        let pair = (origin.load.pc, origin.computed.map(|spot| spot.pc));
        let (first, count) = self.pairs.entry(pair).or_insert((next, 0));
        if *count >= APART {
            return *first;
        }
        *count += 1;
        self.all.push(origin);
        next
    }

    /// An origin.
    pub(super) fn get(&self, id: OriginId) -> Option<&Origin> {
        self.all.get(id as usize)
    }

    /// Whether a computation has used the value.
    pub(super) fn is_computed(&self, id: OriginId) -> bool {
        self.get(id).is_some_and(|origin| origin.computed.is_some())
    }
}
