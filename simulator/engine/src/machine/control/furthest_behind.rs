//! Which part of a warp moves first (`independent`).
//!
//! Of several ready parts, the one furthest behind in the program moves: the order of thread
//! frontiers (Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO 2011). So the parts
//! ahead wait at the place where the paths join, as at the immediate post-dominator of the branch,
//! until the others arrive. This also works across calls: parts are compared by the places of the
//! outermost calls in which they differ. A part that has returned is ahead of those that have not.
//!
//! The wait is no promise. A part that was passed over for too long
//! ([`crate::machine::progress::patience`]) moves before those behind it. So no part waits for ever
//! for a thread that spins.
//!
//! The fast path `of_two` equals `merge` of [`super::divergence`] followed by [`furthest_behind`].
//! `two_parts_of_a_warp_are_chosen_from_as_any_number_is`, a test of this file, compares them.

use std::cmp::Ordering;

use crate::lanes::Mask;
use crate::lower::{Pc, Program};
use crate::machine::state::fragment::{Chosen, Fragment, State};
use crate::machine::state::frame::FrameId;
use crate::machine::state::history::patience::LOOK;
use crate::machine::state::warp::Warp;

/// The ready fragment furthest behind, among those within `allowed`. A fragment that was passed
/// over for too long goes first, and keeps the turn.
pub(in crate::machine) fn furthest_behind(
    warp: &mut Warp,
    program: &Program,
    allowed: Mask,
) -> Option<Chosen> {
    let may = |fragment: &Fragment| fragment.state == State::Ready && fragment.mask & !allowed == 0;
    let mut behind: Option<(usize, &Fragment)> = None;
    for (index, fragment) in warp.fragments.iter().enumerate() {
        if !may(fragment) {
            continue;
        }
        if warp.patience.is_over(fragment.passed_over) {
            warp.patience.ends();
            return Some(Chosen { index, horizon: u32::MAX });
        }
        let is_behind = |(_, best)| order(warp, program, fragment, best).is_lt();
        if behind.is_none_or(is_behind) {
            behind = Some((index, fragment));
        }
    }
    let (index, chosen) = behind?;
    let (mut nearest, mut others_wait) = (u32::MAX, false);
    for (other, fragment) in warp.fragments.iter().enumerate() {
        if other != index && may(fragment) {
            nearest = nearest.min(horizon(warp, program, chosen, fragment));
            others_wait |= fragment.passed_over >= LOOK;
        }
    }
    warp.patience.goes_on(others_wait);
    Some(Chosen { index, horizon: nearest })
}

/// The result of [`merge`](super::divergence::merge) and [`furthest_behind`] for a warp with two
/// ready parts in one activation that may both move: the usual case, fast. `None` in any other
/// case, and then nothing has changed.
#[inline]
pub(in crate::machine) fn of_two(
    warp: &mut Warp,
    program: &Program,
    allowed: Mask,
) -> Option<Chosen> {
    let [a, b] = warp.fragments.as_mut_slice() else { return None };
    let ready = a.state == State::Ready && b.state == State::Ready && a.frame == b.frame;
    let overdue = a.passed_over.max(b.passed_over) >= LOOK;
    if !ready || overdue || allowed != Mask::MAX {
        return None;
    }
    if a.pc == b.pc {
        a.mask |= b.mask;
        a.passed_over = a.passed_over.max(b.passed_over);
        warp.fragments.pop();
        return Some(Chosen { index: 0, horizon: u32::MAX });
    }
    let (first, second) = (rank(program, a.pc), rank(program, b.pc));
    let index = match first.cmp(&second) {
        Ordering::Less => 0,
        Ordering::Greater => 1,
        Ordering::Equal => return None,
    };
    Some(Chosen { index, horizon: first.max(second) })
}

/// The rank of the basic block of an operation; without one, a rank behind all others.
#[inline]
fn rank(program: &Program, pc: Pc) -> u32 {
    program.operations.get(pc as usize).map_or(u32::MAX, |operation| operation.rank)
}

/// The place of a part of a warp in an activation: its next operation, or the call that led it
/// further.
#[derive(Clone, Copy)]
struct Stand {
    frame: FrameId,
    pc: Pc,
}

impl Stand {
    #[inline]
    fn of(fragment: &Fragment) -> Stand {
        Stand { frame: fragment.frame, pc: fragment.pc }
    }

    /// The number of calls that led there.
    #[inline]
    fn depth(self, warp: &Warp) -> u32 {
        warp.frames[usize::from(self.frame)].depth
    }

    /// The call that led there; `None` in the kernel's own activation.
    #[inline]
    fn caller(self, warp: &Warp) -> Option<Stand> {
        let frame = &warp.frames[usize::from(self.frame)];
        frame.caller.map(|caller| Stand { frame: caller, pc: frame.call })
    }

    /// Its place in the activation at this call depth.
    #[inline]
    fn at_depth(mut self, warp: &Warp, depth: u32) -> Stand {
        for _ in depth..self.depth(warp) {
            self = self.caller(warp).unwrap_or(self);
        }
        self
    }

    /// The order of places: first by the program, then within the block.
    #[inline]
    fn place(self, program: &Program) -> (u32, Pc) {
        (rank(program, self.pc), self.pc)
    }
}

/// Which of two places in activations of one depth is behind: the outermost calls in which they
/// differ decide.
fn outermost_first(warp: &Warp, program: &Program, mut a: Stand, mut b: Stand) -> Ordering {
    let mut found = Ordering::Equal;
    loop {
        // A call further out decides before those further in.
        found = a.place(program).cmp(&b.place(program)).then(found);
        // In one activation all calls that led to it are the same.
        if a.frame == b.frame {
            return found;
        }
        match (a.caller(warp), b.caller(warp)) {
            (Some(above), Some(over)) => (a, b) = (above, over),
            (_, _) => return found,
        }
    }
}

/// Which of two fragments is behind: the places of the outermost calls in which they differ decide.
/// A call is behind the places that it leads to.
fn order(warp: &Warp, program: &Program, a: &Fragment, b: &Fragment) -> Ordering {
    let (first, second) = (Stand::of(a), Stand::of(b));
    let (deep, deeper) = (first.depth(warp), second.depth(warp));
    let depth = deep.min(deeper);
    let (above, over) = (first.at_depth(warp, depth), second.at_depth(warp, depth));
    let order = outermost_first(warp, program, above, over).then(deep.cmp(&deeper));
    order.then(a.mask.cmp(&b.mask))
}

/// The rank up to which a fragment stays behind another one and does not meet it. It is the rank of
/// a block in the fragment's activation.
fn horizon(warp: &Warp, program: &Program, chosen: &Fragment, other: &Fragment) -> u32 {
    let (here, there) = (Stand::of(chosen), Stand::of(other));
    if here.frame == there.frame {
        return rank(program, there.pc);
    }
    let depth = here.depth(warp);
    if there.depth(warp) < depth {
        // It was called before the other's place, and is behind until it returns.
        return u32::MAX;
    }
    let there = there.at_depth(warp, depth);
    let decided = match (here.caller(warp), there.caller(warp)) {
        (Some(above), Some(over)) if here.frame != there.frame => {
            outermost_first(warp, program, above, over).is_ne()
        }
        (_, _) => false,
    };
    if decided { u32::MAX } else { rank(program, there.pc) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::machine::control::divergence::merge;
    use crate::machine::control::divergence::tests::{environment, warp};

    fn fragments() -> impl Strategy<Value = Vec<Fragment>> {
        let operations = environment().program.operations.len() as Pc;
        let state = prop_oneof![
            8 => Just(State::Ready),
            1 => Just(State::Barrier(0)),
            1 => Just(State::Warp(3)),
        ];
        let passed = prop::sample::select(vec![-9, 0, 1, LOOK - 1, LOOK, 9999]);
        let one = (0..=operations, prop::bool::weighted(0.2), state, passed);
        let several = prop_oneof![8 => Just(2_usize), 1 => Just(1), 1 => Just(3)];
        let lists = several.prop_flat_map(move |count| prop::collection::vec(one.clone(), count));
        // Half of the time the first two are at one place.
        (lists, prop::collection::vec(0..3_u32, 32), any::<bool>()).prop_map(
            |(list, lanes, together)| {
                let place = list[0].0;
                let fragment =
                    |(index, (pc, called, state, passed_over)): (usize, (Pc, bool, _, _))| {
                        let owns = |lane: &usize| lanes[*lane] as usize % list.len() == index;
                        let mask =
                            (0..32).filter(owns).fold(1 << index, |mask, lane| mask | 1 << lane);
                        let pc = if together && index < 2 { place } else { pc };
                        let mask = mask & !(0b111 ^ 1 << index);
                        Fragment { state, passed_over, ..Fragment::new(mask, pc, called.into()) }
                    };
                list.iter().copied().enumerate().map(fragment).collect()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Compares the fast path with the general one wherever it applies. Elsewhere it must
        /// change nothing.
        #[test]
        fn two_parts_of_a_warp_are_chosen_from_as_any_number_is(
            fragments in fragments(),
            allowed in prop_oneof![4 => Just(Mask::MAX), 1 => any::<Mask>()],
        ) {
            let program = &environment().program;
            let (mut quick, mut general) = (warp(&fragments), warp(&fragments));
            let chosen = of_two(&mut quick, program, allowed);
            let Some(chosen) = chosen else {
                prop_assert_eq!(quick.fragments, fragments);
                return Ok(());
            };
            merge(&mut general, allowed);
            let expected = furthest_behind(&mut general, program, allowed);
            prop_assert_eq!(Some(chosen), expected);
            prop_assert_eq!(quick.fragments, general.fragments);
        }
    }

    /// A warp with a tree of activations, each called from an earlier one at some place, and two
    /// fragments in some of them.
    fn in_calls() -> impl Strategy<Value = (Warp, Fragment, Fragment)> {
        let operations = environment().program.operations.len() as Pc;
        let calls = prop::collection::vec((any::<prop::sample::Index>(), 0..operations), 0..6);
        let one = (any::<prop::sample::Index>(), 0..operations);
        (calls, one.clone(), one).prop_map(|(calls, a, b)| {
            let mut warp = warp(&[]);
            warp.frames.truncate(1);
            for (caller, call) in calls {
                let mut frame = warp.frames[0].clone();
                let at = caller.index(warp.frames.len());
                (frame.caller, frame.call) = (Some(at as FrameId), call);
                frame.depth = warp.frames[at].depth + 1;
                warp.frames.push(frame);
            }
            let frames = warp.frames.len();
            let fragment = |lane: Mask, (frame, pc): (prop::sample::Index, Pc)| {
                Fragment::new(lane, pc, frame.index(frames) as FrameId)
            };
            let (a, b) = (fragment(1, a), fragment(2, b));
            (warp, a, b)
        })
    }

    /// The places of the calls that led to a fragment, the outermost first, and its own.
    fn path(warp: &Warp, fragment: &Fragment) -> Vec<(u32, Pc)> {
        let program = &environment().program;
        let mut path = vec![(rank(program, fragment.pc), fragment.pc)];
        let mut at = &warp.frames[usize::from(fragment.frame)];
        while let Some(caller) = at.caller {
            path.push((rank(program, at.call), at.call));
            at = &warp.frames[usize::from(caller)];
        }
        path.reverse();
        path
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// By the definition: the outermost calls in which two fragments differ decide, and a call
        /// is behind the places that it leads to.
        #[test]
        fn who_is_behind_is_decided_by_the_outermost_calls_that_differ(
            (warp, a, b) in in_calls()
        ) {
            let expected = path(&warp, &a).cmp(&path(&warp, &b)).then(a.mask.cmp(&b.mask));
            prop_assert_eq!(order(&warp, &environment().program, &a, &b), expected);
        }

        /// Wherever a fragment goes in its activation before the horizon, it stays behind the other
        /// and does not meet it.
        #[test]
        fn up_to_the_horizon_the_one_behind_stays_behind(
            (warp, a, b) in in_calls()
        ) {
            let program = &environment().program;
            let (behind, ahead) =
                if order(&warp, program, &a, &b).is_lt() { (a, b) } else { (b, a) };
            let horizon = horizon(&warp, program, &behind, &ahead);
            for pc in 0..program.operations.len() as Pc {
                if rank(program, pc) < horizon {
                    let moved = Fragment { pc, ..behind.clone() };
                    prop_assert!(order(&warp, program, &moved, &ahead).is_lt(), "at {}", pc);
                    prop_assert!((pc, behind.frame) != (ahead.pc, ahead.frame));
                }
            }
        }

        /// A fragment stopped at a block has a reason there: in this block or a later one it gets
        /// ahead of another or meets it.
        #[test]
        fn a_horizon_is_no_nearer_than_it_has_to_be(
            (warp, a, b) in in_calls()
        ) {
            let program = &environment().program;
            let (behind, ahead) =
                if order(&warp, program, &a, &b).is_lt() { (a, b) } else { (b, a) };
            let horizon = horizon(&warp, program, &behind, &ahead);
            let mut all = 0..program.operations.len() as Pc;
            let last = all.rfind(|pc| rank(program, *pc) == horizon);
            if let Some(pc) = last {
                let moved = Fragment { pc, ..behind.clone() };
                let is_ahead = order(&warp, program, &moved, &ahead).is_gt();
                let stands_at_its_call = path(&warp, &ahead).starts_with(&path(&warp, &moved));
                prop_assert!(is_ahead || stands_at_its_call);
            }
        }
    }

    #[test]
    fn two_ready_parts_in_blocks_of_different_ranks_or_at_one_place_take_the_quick_way() {
        let program = &environment().program;
        let rank = |pc: Pc| program.operations[pc as usize].rank;
        let last = program.operations.len() as Pc - 1;
        let other = (0..last).find(|pc| rank(*pc) != rank(last)).unwrap();
        for places in [[last, other], [other, last], [other, other]] {
            let [a, b] = places;
            let mut warp = warp(&[Fragment::new(1, a, 0), Fragment::new(2, b, 0)]);
            assert!(of_two(&mut warp, program, Mask::MAX).is_some(), "{places:?}");
        }
    }
}
