//! The words that could race, as the filter found them.
//!
//! A space that is not shared is global: the filter looks at no other. If there are very many
//! words, some are missing.

use rustc_hash::FxHashSet;

use crate::ptx::Space;

/// Words that could race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// By address divided by 4.
    global: FxHashSet<u64>,
    /// By block, and address divided by 4.
    shared: FxHashSet<(u64, u64)>,
}

/// Candidates beyond this many are left out: with so many the program does not lack findings.
const MOST: usize = 1 << 21;

impl Candidates {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.global.is_empty() && self.shared.is_empty()
    }

    /// Whether there may be more that were left out.
    pub fn is_cut_short(&self) -> bool {
        self.len() >= MOST
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.global.len() + self.shared.len()
    }

    /// Whether a word is one; `word` is its address divided by 4.
    pub fn contains(&self, space: Space, block: u64, word: u64) -> bool {
        match space {
            Space::Shared => self.shared.contains(&(block, word)),
            Space::Global => self.global.contains(&word),
            // No other thread can write there.
            Space::Local | Space::Const | Space::Param | Space::Tex => false,
        }
    }

    pub(super) fn add(&mut self, space: Space, block: u64, address: u64) {
        if self.len() < MOST {
            match space {
                Space::Shared => self.shared.insert((block, address / 4)),
                Space::Global => self.global.insert(address / 4),
                Space::Local | Space::Const | Space::Param | Space::Tex => false,
            };
        }
    }
}
