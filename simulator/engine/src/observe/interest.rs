//! The events that an observer asks for.
//!
//! Reports cost time. With an observer of only memory accesses, register operations run as fast as
//! without an observer.

use std::sync::Arc;

/// The events that an observer asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interest {
    /// Every instruction: [`super::Observer::before`] and [`super::Observer::after`].
    pub instructions: bool,
    /// `before` of the operations for which this is true, indexed by program counter. Empty for
    /// none.
    pub places: Arc<[bool]>,
    /// Memory accesses: [`super::Observer::access`].
    pub accesses: bool,
    /// Fences, barriers, warp operations, exits.
    pub synchronisation: bool,
}

impl Interest {
    /// All events.
    pub fn everything() -> Interest {
        Interest { instructions: true, accesses: true, synchronisation: true, ..Interest::none() }
    }

    /// The beginnings and ends of launches and blocks only.
    pub fn none() -> Interest {
        Interest::default()
    }

    /// The same with or without every instruction.
    #[must_use]
    pub fn with_instructions(mut self, instructions: bool) -> Interest {
        self.instructions = instructions;
        self
    }

    /// The same with `before` of these operations.
    #[must_use]
    pub fn with_places(mut self, places: Arc<[bool]>) -> Interest {
        self.places = places;
        self
    }

    /// The same with or without memory accesses.
    #[must_use]
    pub fn with_accesses(mut self, accesses: bool) -> Interest {
        self.accesses = accesses;
        self
    }

    /// The same with or without fences, barriers, warp operations and exits.
    #[must_use]
    pub fn with_synchronisation(mut self, synchronisation: bool) -> Interest {
        self.synchronisation = synchronisation;
        self
    }

    /// The events of either.
    #[must_use]
    pub fn or(&self, other: &Interest) -> Interest {
        let wants = |interest: &Interest, pc| interest.places.get(pc).copied().unwrap_or(false);
        let longest = self.places.len().max(other.places.len());
        Interest {
            instructions: self.instructions || other.instructions,
            places: (0..longest).map(|pc| wants(self, pc) || wants(other, pc)).collect(),
            accesses: self.accesses || other.accesses,
            synchronisation: self.synchronisation || other.synchronisation,
        }
    }
}
