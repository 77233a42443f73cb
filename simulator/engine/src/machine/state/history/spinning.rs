//! The history by which spinning lanes of a warp are found: the words that they have read.
//!
//! [`crate::machine::progress::spinning`] fills it and decides.

use smallvec::SmallVec;

use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::state::frame::FrameId;

/// Turns in a row with nothing but reads before the lanes are examined.
pub(in crate::machine) const FIRST_LOOK: u16 = 8;

/// Words that spinning lanes may read.
pub(in crate::machine) const MOST_WORDS: usize = 64;

/// A word of memory that others see, identified by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Word {
    pub(in crate::machine) is_shared: bool,
    pub(in crate::machine) address: u64,
    pub(in crate::machine) bytes: u32,
}

/// Words with their contents, each content as a hash of its bytes.
pub(in crate::machine) type Seen = SmallVec<[(Word, u64); 4]>;

/// The history of a warp.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::machine) struct Spinning {
    /// Turns in a row with nothing but reads, as far as known.
    pub(in crate::machine) turns: u16,
    /// The lanes that have moved in the current turn.
    pub(in crate::machine) moved: Mask,
    /// The words that they have read in it.
    pub(in crate::machine) read: Seen,
    /// The turn had another effect.
    pub(in crate::machine) acted: bool,
    pub(in crate::machine) kept: Option<Box<Kept>>,
    /// The lanes that spin, and have not moved since.
    pub(in crate::machine) lanes: Mask,
}

/// The state of lanes at an earlier moment, and their reads since then.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::machine) struct Kept {
    pub(in crate::machine) lanes: Mask,
    pub(in crate::machine) place: (Pc, FrameId),
    pub(in crate::machine) held: u64,
    pub(in crate::machine) compared: u8,
    pub(in crate::machine) read: Seen,
}

impl Spinning {
    /// Another block begins.
    #[inline]
    pub(in crate::machine) fn forget(&mut self) {
        if self.turns != 0 || self.lanes != 0 || self.kept.is_some() || self.acted {
            *self = Spinning::default();
        }
    }

    /// The lanes that spin and have not moved since.
    pub(in crate::machine) fn lanes(&self) -> Mask {
        self.lanes
    }

    /// Lanes execute something.
    #[inline]
    pub(in crate::machine) fn moves(&mut self, lanes: Mask) {
        let others = self.lanes & !lanes;
        if others != self.lanes {
            *self = Spinning { lanes: others, ..Spinning::default() };
        }
        self.moved |= lanes;
    }

    /// Whether the lanes are examined.
    pub(in crate::machine) fn looks(&self) -> bool {
        self.turns >= FIRST_LOOK
    }

    /// Notes words that have been read.
    pub(in crate::machine) fn note(&mut self, seen: &Seen) {
        for word in seen {
            if !self.read.contains(word) {
                self.read.push(*word);
            }
        }
    }
}

impl Kept {
    /// Adds words that were read in a turn. Returns whether they still hold the same, and are not
    /// too many.
    pub(in crate::machine) fn add(&mut self, seen: &Seen) -> bool {
        for (word, value) in seen {
            match self.read.iter().find(|(known, _)| known == word) {
                Some((_, before)) if before == value => {}
                Some(_) => return false,
                None => self.read.push((*word, *value)),
            }
        }
        self.read.len() <= MOST_WORDS
    }
}
