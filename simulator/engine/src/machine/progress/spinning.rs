//! Detects lanes that spin: no other thread notices their next steps until a word changes that they
//! have read.
//!
//! Such lanes return to a place with the same registers, call stack and local memory. In between,
//! their only effect for others is that they read words that have not changed. Then they repeat
//! themselves until one of these words changes. (An atomic that leaves a word unchanged only reads
//! it.) Schedules that would let such lanes run on let others go first.
//!
//! Direction of error: lanes that count their rounds, or look at the clock, are not recognised as
//! spinning. The same holds for lanes with much local memory, and for lanes that read more than 64
//! words. The state of lanes is compared by hashes of 64 bits. The search runs only for a schedule
//! that asks for it ([`crate::schedule::Schedule::lets_spinning_wait`]).

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::poll_loop::held;
use crate::lanes::{Mask, lanes_of};
use crate::lower::{AccessKind, Effect, Kind, Pc, Target};
use crate::machine::access::addresses::{By, addresses_of, by_space, named_space};
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::State;
use crate::machine::state::frame::FrameId;
use crate::machine::state::history::spinning::{Kept, Seen, Spinning, Word};
use crate::machine::state::warp::Warp;
use crate::ptx::Space;

/// Turns that are counted: past the last power of two, after which the lanes' state is kept anew.
const MOST_TURNS: u16 = 1025;

/// How often the lanes' state is compared with their state at one moment.
const MOST_COMPARED: u8 = 16;

/// What an operation is about to do.
pub(in crate::machine) enum About {
    /// It reads or changes words: their contents before it.
    Words(Seen),
    /// No effect that others may notice.
    Nothing,
    /// Anything else.
    Other,
}

impl Execution<'_, '_> {
    /// What an operation that ends a turn is about to do, if it may only read.
    #[inline(never)]
    pub(in crate::machine) fn about_to(&self, warp: &Warp, kind: &Kind, by: By) -> About {
        let (target, reads) = match kind.effect() {
            Effect::Memory(AccessKind::Read | AccessKind::Atomic, target) => (target, true),
            Effect::Memory(AccessKind::Write, target) => (target, false),
            Effect::Fence(_) | Effect::ProxyFence | Effect::Registers => return About::Nothing,
            Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Cluster(_)
            | Effect::Mbarrier(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Leave(_)
            | Effect::Runtime(_)
            | Effect::Asynchronous(_) => return About::Other,
        };
        match (reads, warp.spinning.looks()) {
            (true, false) => return About::Nothing,
            (false, _) if target.space.is_some_and(|space| space != Space::Local) => {
                return About::Other;
            }
            (true, true) | (false, _) => {}
        }
        let words = self.words(warp, target, by);
        match (reads, words.is_empty()) {
            (_, true) => About::Nothing,
            (true, false) => About::Words(words),
            (false, false) => About::Other,
        }
    }

    /// Notes an executed operation.
    pub(in crate::machine) fn has_done(&self, warp: &mut Warp, about: &About) {
        match about {
            About::Nothing => {}
            About::Words(before) => {
                let is_same = |(word, value): &(Word, u64)| self.holds(*word) == *value;
                match before.iter().all(is_same) {
                    true => warp.spinning.note(before),
                    false => warp.spinning.acted = true,
                }
            }
            About::Other => warp.spinning.acted = true,
        }
    }

    /// The words that lanes access and others see, with their contents.
    fn words(&self, warp: &Warp, target: &Target, by: By) -> Seen {
        let addresses = addresses_of(target, &warp.frames[usize::from(by.frame)]);
        let bytes = target.width * target.elements;
        let mut seen = Seen::new();
        let mut add = |space: Space, lanes: Mask, addresses: &[u64]| match space {
            Space::Global | Space::Shared => {
                for lane in lanes_of(lanes) {
                    let address = addresses[lane];
                    let word = Word { is_shared: space == Space::Shared, address, bytes };
                    if !seen.iter().any(|(known, _)| *known == word) {
                        seen.push((word, self.holds(word)));
                    }
                }
            }
            Space::Local | Space::Const | Space::Param | Space::Tex => {}
        };
        match named_space(target) {
            Some(space) => add(space, by.active, &addresses),
            None => by_space(target, &addresses, by.active)
                .for_each(|(space, lanes, addresses)| add(space, lanes, &addresses)),
        }
        seen
    }

    /// A hash of a word's contents. Missing memory hashes as nothing: the access itself finds that
    /// out.
    fn holds(&self, word: Word) -> u64 {
        let Word { is_shared, address, bytes } = word;
        let mut hasher = FxHasher::default();
        let mut content = [0; 64];
        let content = &mut content[..bytes.min(64) as usize];
        if is_shared {
            let end = address.checked_add(bytes.into());
            if end.is_some_and(|end| end <= self.common.shared.bytes()) {
                self.common.shared.read_bytes(address, content);
            }
        } else if let Ok(allocation) = self.global.find_ref(address, bytes.into()) {
            allocation.pages.read_bytes(address - allocation.base, content);
        }
        content.hash(&mut hasher);
        hasher.finish()
    }

    /// A warp has ended a turn: finds out whether the moved lanes spin.
    pub(in crate::machine) fn look_for_spinning(&self, warp: &mut Warp) {
        let spinning = &mut warp.spinning;
        let lanes = std::mem::take(&mut spinning.moved);
        let read = std::mem::take(&mut spinning.read);
        if std::mem::take(&mut spinning.acted) || lanes == 0 {
            (spinning.turns, spinning.kept) = (0, None);
            return;
        }
        spinning.turns = (spinning.turns + 1).min(MOST_TURNS);
        if !spinning.looks() {
            return;
        }
        let mut kept = spinning.kept.take().filter(|kept| kept.lanes == lanes);
        kept = kept.and_then(|mut kept| kept.add(&read).then_some(kept));
        let turns = spinning.turns;
        let place = place_of(warp, lanes);
        if let Some(kept) = &mut kept
            && place == Some(kept.place)
            && kept.compared < MOST_COMPARED
        {
            kept.compared += 1;
            let is_there = |(word, value): &(Word, u64)| self.holds(*word) == *value;
            if held_by(warp, lanes) == Some(kept.held) && kept.read.iter().all(is_there) {
                let lanes = lanes | warp.spinning.lanes;
                warp.spinning = Spinning { lanes, ..Spinning::default() };
                return;
            }
        }
        if kept.is_none() || turns.is_power_of_two() {
            kept = place.zip(held_by(warp, lanes)).map(|(place, held)| {
                Box::new(Kept { lanes, place, held, compared: 0, read: Seen::new() })
            });
        }
        warp.spinning.kept = kept;
    }
}

/// The place of lanes; `None` if they are at several places, or wait.
fn place_of(warp: &Warp, lanes: Mask) -> Option<(Pc, FrameId)> {
    let first = lanes_of(lanes).next()?;
    let fragment = warp.fragment_of(first)?;
    let all = fragment.mask & lanes == lanes && fragment.state == State::Ready;
    all.then_some((fragment.pc, fragment.frame))
}

/// A hash of everything that decides the lanes' next steps, except memory that others see; `None`
/// if it is too much to examine.
fn held_by(warp: &Warp, lanes: Mask) -> Option<u64> {
    let mut hasher = FxHasher::default();
    for lane in lanes_of(lanes) {
        held(warp, lane)?.hash(&mut hasher);
    }
    Some(hasher.finish())
}
