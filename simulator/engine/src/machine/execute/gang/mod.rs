//! Gangs: warps of a block that execute the beginnings of their turns together.
//!
//! No other thread can notice the operations of a warp up to its next visible one
//! ([`crate::schedule`]). So the warps with the next turns may execute them before their turns,
//! several under one dispatch ([`run_ahead`]). They may do so even if their lanes have diverged
//! ([`frontier`]). The visible operations then happen in the order of the turns. A warp that has
//! run ahead keeps its counts ([`Ahead`]) until its turn comes.
//!
//! Some schedules give turns to the warps of a block in their order. If the visible operations are
//! accesses to memory, whole rounds are executed here without asking the schedule again
//! ([`crate::machine::run::rounds`]). If all warps that can move are at one access, or at a
//! barrier, one dispatch executes it for all of them, too, and they go on ([`in_place`]). If they
//! are at several places, one dispatch executes each place for the warps there
//! ([`several_places`]). Or some are at an access while the others arrive at a barrier
//! ([`arrivals`]).
//!
//! This equals one turn at a time ([`crate::machine::run::turn`], `take_turn`) in results, counts,
//! errors and events for observers. All other schedules, launches watched instruction by
//! instruction, and launches without gangs take single turns.
//! `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) and
//! `of_a_gang_the_same_is_told_as_of_single_turns` (`simulator/tests/suite/told.rs`) compare them.
//! A run that is stopped by an error leaves registers of warps that have run ahead, which no thread
//! sees.

mod arguments;
mod arrivals;
mod barrier_events;
mod calls;
mod drive;
mod frontier;
mod group;
mod in_place;
mod indexed;
mod operation;
pub(in crate::machine) mod run_ahead;
mod several_places;
pub(in crate::machine) mod turn_ends;
pub(in crate::machine) mod turn_order;
mod warp_operation;

use crate::lanes::{LANES, Mask};
use crate::lower::Pc;
use crate::machine::state::fragment::Chosen;
use crate::machine::state::frame::FrameId;
use crate::machine::state::tally::Tally;
use crate::machine::state::warp::Ahead;

/// A warp of a gang, with its running fragment.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Strand {
    /// Its number in the block.
    pub(in crate::machine) warp: usize,
    /// The activation of its lanes.
    pub(in crate::machine) frame: FrameId,
    /// The running fragment, once it has stopped.
    pub(in crate::machine) chosen: Chosen,
    /// Its lanes.
    pub(in crate::machine) mask: Mask,
    /// Its next operation.
    pub(in crate::machine) pc: Pc,
    /// Its counts in its turn so far.
    pub(in crate::machine) tally: Tally,
    /// It is at an operation that must wait for its turn, or has used up its time.
    pub(in crate::machine) stopped: bool,
    /// Its fragments are at the place where it has stopped.
    pub(in crate::machine) placed: bool,
    /// It has had a turn, and has not run ahead of the next operation.
    pub(in crate::machine) turned: bool,
    /// It waits at a barrier.
    pub(in crate::machine) waits: bool,
}

impl Strand {
    /// A warp about to run, in an activation, or that has run ahead.
    #[inline]
    pub(in crate::machine) fn new(warp: usize, frame: FrameId, ahead: Option<Ahead>) -> Strand {
        let before = Ahead { tally: Tally::default(), chosen: run_ahead::WHOLE };
        let Ahead { tally, chosen } = ahead.unwrap_or(before);
        Strand {
            warp,
            frame,
            chosen,
            mask: 0,
            pc: 0,
            tally,
            stopped: false,
            placed: false,
            turned: false,
            waits: false,
        }
    }

    /// Stops with these lanes at a place.
    pub(in crate::machine) fn stop(&mut self, mask: Mask, pc: Pc) {
        (self.mask, self.pc) = (mask, pc);
        (self.stopped, self.placed) = (true, false);
        self.chosen = run_ahead::WHOLE;
    }
}

/// The data of one warp of a gang, except its registers.
struct PerWarp<'w> {
    /// `%tid` of its lanes.
    thread: &'w [[u32; LANES]; 3],
    /// The parameters of the activation, laid out as in [`crate::machine::memory::Interleaved`]: a
    /// word of each lane, then the next.
    params: &'w mut [u8],
}

/// The memory of gangs, which the next gang reuses.
#[derive(Debug, Default)]
pub(in crate::machine) struct Room {
    pub(in crate::machine) strands: Vec<Strand>,
    pub(in crate::machine) frontier: frontier::Frontier,
}
