//! How long parts of a warp wait for those behind them (`independent`).
//!
//! Parts wait where the paths join ([`crate::machine::control::furthest_behind`]) as long as the
//! others come nearer, however long that takes. The hardware's compiler lets them wait there, too.
//! But a thread that spins may spin for a waiting one. So once a part has been passed over [`LOOK`]
//! times, the turns of the parts that move in its place are *watched*. They spin if, in the last
//! half of the watched turns, they accessed memory that others see, at least once to read, and all
//! these accesses were repetitions. A repetition is the same operation at the same address with the
//! same value. Then a part that has been passed over since before the watch moves, for one turn. If
//! they do not spin, the watch is renewed later, for twice as many turns.
//!
//! This is a guess, which affects only who moves first. Direction of error: threads that change
//! something in each round are not recognised as spinning. Even so, the part that they wait for
//! moves after the last of [`MOST_RENEWALS`] watches.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::lanes::Slot;
use crate::lower::{Effect, Kind, Target};
use crate::machine::access::addresses::{By, lowest_address};
use crate::machine::state::fragment::State;
use crate::machine::state::history::patience::{APART, LOOK, MOST_RENEWALS};
use crate::machine::state::warp::Warp;
use crate::ptx::Space;

/// A turn of a warp has passed over all its parts that can move. The moved part counts as passed
/// over once since its turn. Parts that the schedule held back wait for no other part. They are not
/// passed over more often than [`LOOK`] allows.
pub(in crate::machine) fn pass_over(warp: &mut Warp) {
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

/// Watches the moving parts, where one part has been passed over this often, or lets all wait for
/// longer.
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

/// The watch's knowledge of an operation before it is executed.
#[derive(Clone, Copy)]
pub(in crate::machine) enum Before {
    /// An access of the lane, at a place that others see.
    Access {
        /// The lowest lane with an access at such a place.
        lane: usize,
        /// The operation, and the address in its space.
        place: u64,
    },
    /// No effect that others may notice, or one that they notice only by waiting.
    Nothing,
    /// A question whether a phase of an mbarrier object is complete, or another operation on one.
    Asks,
    /// Anything else.
    Other,
}

/// What an operation that ends a turn is about to do.
pub(in crate::machine) fn before(warp: &Warp, kind: &Kind, by: By) -> Before {
    match kind.effect() {
        Effect::Memory(_, target) => access(warp, target, by),
        Effect::Mbarrier(_) => Before::Asks,
        Effect::Registers
        | Effect::Barrier(_)
        | Effect::Warp(_)
        | Effect::Cluster(_)
        | Effect::Fence(_)
        | Effect::ProxyFence
        | Effect::Jump { .. }
        | Effect::Call(_)
        | Effect::Leave(_) => Before::Nothing,
        Effect::Runtime(_) | Effect::Asynchronous(_) => Before::Other,
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

/// Notes an operation, once it has been executed.
pub(in crate::machine) fn after(warp: &mut Warp, kind: &Kind, by: By, before: Before) {
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
        // Changes to memory that the watch does not see, or elsewhere, are never the same.
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
    use crate::machine::control::divergence::tests::{environment, warp};
    use crate::machine::control::furthest_behind::furthest_behind;
    use crate::machine::state::fragment::Fragment;

    /// The turns after which the part ahead moves. In each turn the part behind does what `does`
    /// returns for its number: an access, and whether it reads.
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
