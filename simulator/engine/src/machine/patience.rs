//! How long parts of a warp wait for those behind them (`independent`).
//!
//! Parts that wait where the ways join ([`super::behind`]) wait as long as the others come nearer,
//! however long that takes: so they do where hardware's compiler has them wait. But a thread that
//! spins may spin for one that waits for it. So once a part has been passed over [`LOOK`] times,
//! the turns of those that move in its place are *watched*. They spin when, in the last half of the
//! turns that are watched, they accessed memory that others see, at least once to read, and each of
//! these accesses had happened before: the same operation at the same address with the same value.
//! Then a part that has been passed over since before the watch moves, for one turn. When they do
//! not spin the watch is renewed later, for twice as many turns.
//!
//! It is a guess, on which nothing hangs but who moves first. Direction of error: threads that
//! change something in each round are not seen to spin. The part that they spin for moves after the
//! last of [`MOST_RENEWALS`] watches all the same.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::access::{By, lowest_address};
use super::warp::{State, Warp};
use crate::lanes::{LANES, Slot};
use crate::lower::{Kind, Target};
use crate::ptx::Space;

/// How often a part has been passed over when the turns of the others begin to be watched.
pub(super) const LOOK: i16 = 32;

/// Turns of the first watch.
const FIRST: i16 = 32;

/// Watches after the first, each of twice as many turns, before a part moves whatever the others
/// do.
const MOST_RENEWALS: u8 = 7;

/// Watches of a length after which there is one of twice the length: so gangs, in which nobody is
/// watched, have most turns.
const APART: i16 = 3;

/// How long the parts of a warp wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Patience {
    /// How often in a row a watch has shown that those behind do not spin.
    renewals: u8,
    /// The last watch has shown so, too.
    exhausted: bool,
    /// The part that moves goes first because it is furthest behind, and others wait for it that
    /// might move, too.
    counts: bool,
    watch: Option<Box<Watch>>,
}

/// Who waits for whom in a turn is found anew before it.
impl PartialEq for Patience {
    fn eq(&self, other: &Patience) -> bool {
        let of = |patience: &Patience| (patience.renewals, patience.exhausted);
        of(self) == of(other) && self.watch == other.watch
    }
}

/// What was seen of those that move.
#[derive(Clone, Debug, Default, PartialEq)]
struct Watch {
    /// The last accesses, each once.
    accesses: [u64; LANES],
    /// Where the next goes.
    next: usize,
    /// Turns since the last access that was new.
    turns: i16,
    /// Some of the accesses since then read what had been read before.
    reads: bool,
}

impl Watch {
    fn note(&mut self, access: u64, reads: bool) {
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
    fn span(&self) -> i16 {
        FIRST << self.renewals
    }

    /// Whether a part that was passed over so often moves before those behind it.
    #[inline]
    pub(super) fn is_over(&self, passed_over: i16) -> bool {
        passed_over >= LOOK && self.is_over_after_watch(passed_over)
    }

    #[inline(never)]
    fn is_over_after_watch(&self, passed_over: i16) -> bool {
        let spins = |watch: &Watch| watch.reads && watch.turns >= self.span() / 2;
        let in_vain = self.exhausted || self.watch.as_deref().is_some_and(spins);
        passed_over >= LOOK + self.span() && in_vain
    }

    /// A part moves that others have passed over for long enough.
    pub(super) fn ends(&mut self) {
        (self.renewals, self.exhausted, self.counts) = (0, false, false);
    }

    /// The part that is furthest behind moves; whether others wait for it that have been passed
    /// over often.
    #[inline]
    pub(super) fn goes_on(&mut self, others_wait: bool) {
        self.counts = others_wait;
        if others_wait && self.watch.is_none() {
            self.watch = Some(Box::default());
        }
    }

    /// A part moves for which nobody has waited for long.
    #[inline]
    pub(super) fn rests(&mut self) {
        self.counts = false;
        if self.watch.is_some() {
            self.watch = None;
        }
    }

    /// Whether the turn that goes on is watched.
    #[inline]
    pub(super) fn watches(&self) -> bool {
        self.counts && self.watch.is_some()
    }
}

/// A turn of a warp has passed over all its parts that can move; the one that moved has been passed
/// over once since. Parts that the schedule did not let move wait for nobody: they are not passed
/// over any more often than [`LOOK`] says.
pub(super) fn pass_over(warp: &mut Warp) {
    let mut most = i16::MIN;
    let counts = warp.patience.counts;
    for fragment in warp.fragments.iter_mut().filter(|part| part.state == State::Ready) {
        if fragment.passed_over < LOOK || counts {
            fragment.passed_over = fragment.passed_over.saturating_add(1);
        }
        most = most.max(fragment.passed_over);
    }
    if most >= LOOK {
        watch(warp, most);
    } else if warp.patience.watch.is_some() {
        warp.patience.watch = None;
    }
}

/// Watches what those do that move, where one part has been passed over so often, or lets all wait
/// for longer.
#[cold]
fn watch(warp: &mut Warp, most: i16) {
    let patience = &mut warp.patience;
    if let Some(watch) = &mut patience.watch {
        watch.turns = watch.turns.saturating_add(i16::from(patience.counts));
    }
    if most < LOOK + patience.span() || patience.is_over(most) {
        return;
    }
    if patience.renewals == MOST_RENEWALS {
        patience.exhausted = true;
        return;
    }
    patience.renewals += 1;
    patience.watch = None;
    let again = LOOK - APART * patience.span();
    for fragment in warp.fragments.iter_mut().filter(|part| part.passed_over >= LOOK) {
        fragment.passed_over = again;
    }
}

/// What is known of an operation before it is executed, for the watch.
#[derive(Clone, Copy)]
pub(super) enum Before {
    /// An access of the lane, at a place that others see.
    Access {
        /// The lowest lane of those that access such a place.
        lane: usize,
        /// The operation, and the address in its space.
        place: u64,
    },
    /// Nothing that others may notice, or what they notice only by waiting.
    Nothing,
    /// Asks whether a phase of an mbarrier object is complete, or does something else with one.
    Asks,
    /// Something else.
    Other,
}

/// What an operation that ends a turn is about to do.
pub(super) fn before(warp: &Warp, kind: &Kind, by: By) -> Before {
    match kind {
        Kind::Load(load) => access(warp, &load.target, by),
        Kind::Store(store) => access(warp, &store.target, by),
        Kind::Atomic(atomic) => access(warp, &atomic.target, by),
        Kind::Mbarrier(_) => Before::Asks,
        Kind::Warp(_)
        | Kind::Barrier(_)
        | Kind::ClusterBarrier(_)
        | Kind::Fence(_)
        | Kind::ProxyFence
        | Kind::Lanes(_)
        | Kind::Special32(..)
        | Kind::Special64(..)
        | Kind::LocalAddress64(..)
        | Kind::LocalAddress32(..)
        | Kind::IsSpace { .. }
        | Kind::Stack(_)
        | Kind::Branch { .. }
        | Kind::BranchIndexed(_)
        | Kind::Call(_)
        | Kind::Return
        | Kind::Exit
        | Kind::Trap
        | Kind::Breakpoint
        | Kind::ActiveMask(_)
        | Kind::Nothing => Before::Nothing,
        Kind::Span(_) | Kind::Runtime(_) | Kind::Image(_) | Kind::Asynchronous(_) => Before::Other,
    }
}

fn access(warp: &Warp, target: &Target, by: By) -> Before {
    let frame = &warp.frames[usize::from(by.frame)];
    match lowest_address(target, frame, by.active) {
        Some((lane, space @ (Space::Global | Space::Shared), address)) => {
            let mut hasher = FxHasher::default();
            (by.pc, space == Space::Shared, address).hash(&mut hasher);
            Before::Access { lane, place: hasher.finish() }
        }
        Some((_, Space::Local | Space::Const | Space::Param | Space::Tex, _)) | None => {
            Before::Nothing
        }
    }
}

/// Notes what an operation has done, once it has been executed.
pub(super) fn after(warp: &mut Warp, kind: &Kind, by: By, before: Before) {
    let told_no = warp.poll_loop.has_been_told_no();
    let frame = &warp.frames[usize::from(by.frame)];
    let value = |slot: Slot, wide: bool, lane: usize| {
        if wide { frame.registers.w64(slot)[lane] } else { frame.registers.w32(slot)[lane].into() }
    };
    let (place, seen, reads) = match (before, kind) {
        (Before::Nothing, _) => return,
        (Before::Access { lane, place }, Kind::Load(load)) => {
            let first = load.destinations.iter().flatten().next();
            (place, first.map(|slot| value(*slot, load.wide, lane)), true)
        }
        (Before::Access { lane, place }, Kind::Store(store)) => {
            let first = store.sources.first();
            (place, first.map(|slot| value(*slot, store.wide, lane)), false)
        }
        (Before::Access { lane, place }, Kind::Atomic(atomic)) if atomic.gives() => {
            let first = atomic.pieces.iter().find_map(|piece| piece.destination);
            (place, first.map(|slot| value(slot, atomic.wide, lane)), true)
        }
        (Before::Asks, _) if told_no => (by.pc.into(), None, true),
        // What changes memory unseen, or happens elsewhere, is never the same.
        (Before::Access { .. } | Before::Asks | Before::Other, _) => {
            if let Some(watch) = &mut warp.patience.watch {
                (watch.turns, watch.reads) = (0, false);
            }
            return;
        }
    };
    let mut hasher = FxHasher::default();
    (place, seen).hash(&mut hasher);
    if let Some(watch) = &mut warp.patience.watch {
        watch.note(hasher.finish(), reads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Mask;
    use crate::machine::Fragment;
    use crate::machine::behind::furthest_behind;
    use crate::machine::divergence::tests::{environment, warp};

    /// After how many turns the part ahead moves, where the one behind does in each turn what
    /// `does` says of its number: an access, and whether it reads.
    fn turns(mut does: impl FnMut(u64) -> Option<(u64, bool)>) -> u64 {
        let program = &environment().program;
        let last = program.operations.len() as u32 - 1;
        let mut warp = warp(&[Fragment::new(1, 0, 0), Fragment::new(2, last, 0)]);
        for turn in 0.. {
            let chosen = furthest_behind(&mut warp, program, Mask::MAX).unwrap();
            warp.fragments[chosen.index].passed_over = 0;
            if chosen.index == 1 {
                return turn;
            }
            if warp.patience.watches()
                && let (Some((access, reads)), Some(watch)) = (does(turn), &mut warp.patience.watch)
            {
                watch.note(access, reads);
            }
            pass_over(&mut warp);
        }
        unreachable!("an endless loop has come to its end")
    }

    #[test]
    fn a_part_moves_after_64_turns_where_those_behind_it_spin() {
        assert_eq!(turns(|_| Some((7, true))), 64);
        assert_eq!(turns(|turn| Some((turn % 13, turn % 13 == 5))), 64);
    }

    #[test]
    fn it_waits_for_longer_where_they_come_on_and_not_for_ever() {
        let most = u64::from(2_u32.pow(MOST_RENEWALS.into()) * 32 * 9);
        for does in [
            |turn: u64| Some((turn, true)),
            // Only writes, or nothing that others see.
            |_: u64| Some((7, false)),
            |_: u64| None,
        ] {
            let turns = turns(does);
            assert!(turns > 20_000 && turns < most, "{turns}");
        }
    }

    #[test]
    fn a_round_of_many_turns_is_seen_by_a_later_watch() {
        let turns = turns(|turn| (turn % 40 == 0).then_some((7, true)));
        assert!((64..=1000).contains(&turns), "{turns}");
    }
}
