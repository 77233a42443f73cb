//! Telling that lanes spin: whatever they do next, nobody notices, until a word changes that they
//! have read.
//!
//! When lanes come again to a place with the same registers, call stack and local memory, and in
//! between did nothing that others may notice but read words that have not changed, they do the
//! same again and again until one of these words changes. (An atomic that leaves a word as it was
//! only reads it.) Schedules that would let such lanes run on let others go first.
//!
//! Direction of error: lanes that count their rounds, or look at the clock, are not seen to spin.
//! So are those with much local memory, and those that read more than [`MOST_WORDS`] words. What
//! lanes hold is compared by hashes of 64 bits. Only a schedule that wants to know
//! ([`crate::schedule::Schedule::lets_spinning_wait`]) has it looked for.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::access::{By, addresses_of, by_space, named_space};
use super::frame::FrameId;
use super::poll_loop::held;
use super::stage::Stage;
use super::warp::Warp;
use crate::lanes::{Mask, lanes_of};
use crate::lower::{Kind, Pc, Target};
use crate::ptx::Space;

/// Turns in a row in which a warp may have only read, before it is looked at what its lanes do.
const FIRST_LOOK: u16 = 8;

/// Turns that are counted: behind the last power of two, after which what lanes hold is kept anew.
const MOST_TURNS: u16 = 1025;

/// How often what lanes hold is compared with what they held at one moment.
const MOST_COMPARED: u8 = 16;

/// Words that spinning lanes may read.
const MOST_WORDS: usize = 64;

/// A word of memory that others see, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    is_shared: bool,
    address: u64,
    bytes: u32,
}

/// Words, and what they held, each by a hash of its bytes.
type Seen = SmallVec<[(Word, u64); 4]>;

/// What is remembered of a warp.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spinning {
    /// Turns in a row in which it may have only read.
    turns: u16,
    /// The lanes that have moved in the turn that goes on.
    moved: Mask,
    /// What they have read in it.
    read: Seen,
    /// The turn has done something else.
    acted: bool,
    kept: Option<Box<Kept>>,
    /// The lanes that spin, and have not moved since.
    lanes: Mask,
}

/// What lanes were like at an earlier moment, and what they have read since.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    lanes: Mask,
    place: (Pc, FrameId),
    held: u64,
    compared: u8,
    read: Seen,
}

/// What an operation is about to do.
pub(super) enum About {
    /// To read words, or to change them: what they hold before.
    Words(Seen),
    /// Nothing that others may notice.
    Nothing,
    /// Something else.
    Other,
}

impl Spinning {
    /// Another block begins.
    #[inline]
    pub(super) fn forget(&mut self) {
        if self.turns != 0 || self.lanes != 0 || self.kept.is_some() || self.acted {
            *self = Spinning::default();
        }
    }

    /// The lanes that spin, as far as they have not moved since.
    pub(super) fn lanes(&self) -> Mask {
        self.lanes
    }

    /// Lanes execute something.
    #[inline]
    pub(super) fn moves(&mut self, lanes: Mask) {
        let others = self.lanes & !lanes;
        if others != self.lanes {
            *self = Spinning { lanes: others, ..Spinning::default() };
        }
        self.moved |= lanes;
    }

    /// Whether it is looked at what the lanes do.
    fn looks(&self) -> bool {
        self.turns >= FIRST_LOOK
    }

    /// Notes words that have been read.
    fn note(&mut self, seen: &Seen) {
        for word in seen {
            if !self.read.contains(word) {
                self.read.push(*word);
            }
        }
    }
}

impl Kept {
    /// Adds words that were read in a turn. Whether they held what they had held before, and are
    /// not too many.
    fn add(&mut self, seen: &Seen) -> bool {
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

impl Stage<'_, '_> {
    /// What an operation that ends a turn is about to do, where that may be no more than to read.
    #[inline(never)]
    pub(super) fn about_to(&self, warp: &Warp, kind: &Kind, by: By) -> About {
        let (target, reads) = match kind {
            Kind::Load(load) => (&load.target, true),
            Kind::Store(store) => (&store.target, false),
            Kind::Atomic(atomic) => (&atomic.target, true),
            Kind::Fence(_) | Kind::ProxyFence | Kind::Nothing => return About::Nothing,
            Kind::Span(_)
            | Kind::Mbarrier(_)
            | Kind::Warp(_)
            | Kind::Barrier(_)
            | Kind::ClusterBarrier(_)
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
            | Kind::Runtime(_)
            | Kind::Image(_)
            | Kind::Asynchronous(_) => return About::Other,
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

    /// Notes what an operation has done.
    pub(super) fn has_done(&self, warp: &mut Warp, about: &About) {
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

    /// The words that lanes access and others see, and what they hold.
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

    /// A hash of what a word holds; of nothing where there is no such memory, which the access
    /// itself finds out.
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

    /// A warp has ended a turn: finds out whether the lanes that have moved spin.
    pub(super) fn look_for_spinning(&self, warp: &mut Warp) {
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

/// Where lanes stand; `None` where they stand at several places, or wait.
fn place_of(warp: &Warp, lanes: Mask) -> Option<(Pc, FrameId)> {
    let first = lanes_of(lanes).next()?;
    let fragment = warp.fragment_of(first)?;
    let all = fragment.mask & lanes == lanes && fragment.state == super::State::Ready;
    all.then_some((fragment.pc, fragment.frame))
}

/// A hash of all that decides what lanes do next but for memory that others see; `None` where that
/// is too much to look at.
fn held_by(warp: &Warp, lanes: Mask) -> Option<u64> {
    let mut hasher = FxHasher::default();
    for lane in lanes_of(lanes) {
        held(warp, lane)?.hash(&mut hasher);
    }
    Some(hasher.finish())
}
