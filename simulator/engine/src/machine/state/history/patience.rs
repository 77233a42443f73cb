//! How long parts of a warp have waited for those behind them, and what those did meanwhile.
//!
//! [`crate::machine::progress::patience`] explains why, and notes the accesses.

use crate::lanes::LANES;

/// How often a part has been passed over when the watch of the others begins.
pub(in crate::machine) const LOOK: i16 = 32;

/// Turns of the first watch.
pub(in crate::machine) const FIRST: i16 = 32;

/// Watches after the first, each of twice as many turns, before a part moves whatever the others
/// do.
pub(in crate::machine) const MOST_RENEWALS: u8 = 7;

/// Watches of one length before the length doubles. So most turns are left to gangs, which watch no
/// thread.
pub(in crate::machine) const APART: i16 = 3;

/// How long the parts of a warp wait.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Patience {
    /// How often in a row a watch has shown that the parts behind do not spin.
    pub(in crate::machine) renewals: u8,
    /// The last watch has shown that, too.
    pub(in crate::machine) exhausted: bool,
    /// The moving part goes first because it is furthest behind, while others that could move wait
    /// for it.
    pub(in crate::machine) counts: bool,
    pub(in crate::machine) watch: Option<Box<Watch>>,
}

/// Before each turn it is computed anew who waits for whom.
impl PartialEq for Patience {
    fn eq(&self, other: &Patience) -> bool {
        let of = |patience: &Patience| (patience.renewals, patience.exhausted);
        of(self) == of(other) && self.watch == other.watch
    }
}

/// Observations of the moving parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::machine) struct Watch {
    /// The last accesses, each once.
    pub(in crate::machine) accesses: [u64; LANES],
    /// The index of the next access.
    pub(in crate::machine) next: usize,
    /// Turns since the last new access.
    pub(in crate::machine) turns: i16,
    /// Some of the accesses since then repeated a read.
    pub(in crate::machine) reads: bool,
}

impl Watch {
    pub(in crate::machine) fn note(&mut self, access: u64, reads: bool) {
        if self.accesses.contains(&access) {
            self.reads |= reads;
            return;
        }
        self.accesses[self.next % LANES] = access;
        self.next = (self.next + 1) % LANES;
        (self.turns, self.reads) = (0, false);
    }
}

impl Patience {
    /// Turns of a watch.
    pub(in crate::machine) fn span(&self) -> i16 {
        FIRST << self.renewals
    }

    /// Whether a part that was passed over so often moves before those behind it.
    #[inline]
    pub(in crate::machine) fn is_over(&self, passed_over: i16) -> bool {
        passed_over >= LOOK && self.is_over_after_watch(passed_over)
    }

    #[inline(never)]
    pub(in crate::machine) fn is_over_after_watch(&self, passed_over: i16) -> bool {
        let spins = |watch: &Watch| watch.reads && watch.turns >= self.span() / 2;
        let in_vain = self.exhausted || self.watch.as_deref().is_some_and(spins);
        passed_over >= LOOK + self.span() && in_vain
    }

    /// A part moves that others have passed over for long enough.
    pub(in crate::machine) fn ends(&mut self) {
        (self.renewals, self.exhausted, self.counts) = (0, false, false);
    }

    /// The part that is furthest behind moves. `others_wait`: parts wait for it that have often
    /// been passed over.
    #[inline]
    pub(in crate::machine) fn goes_on(&mut self, others_wait: bool) {
        self.counts = others_wait;
        if others_wait && self.watch.is_none() {
            self.watch = Some(Box::default());
        }
    }

    /// A part moves, and no other has waited for it for long.
    #[inline]
    pub(in crate::machine) fn rests(&mut self) {
        self.counts = false;
        if self.watch.is_some() {
            self.watch = None;
        }
    }

    /// Whether the current turn is watched.
    #[inline]
    pub(in crate::machine) fn watches(&self) -> bool {
        self.counts && self.watch.is_some()
    }
}
