//! Gangs: warps of a block that execute the beginnings of their turns together.
//!
//! What a warp does up to its next visible operation nobody else can notice ([`crate::schedule`]).
//! So the warps whose turns come next, one after the other, may do that part before their turns,
//! several under one dispatch ([`ahead`]), also where their lanes have parted ([`frontier`]); the
//! visible operations then happen in the order of the turns. A warp that has run ahead keeps what
//! it has executed ([`Ahead`]), and it is counted when its turn comes.
//!
//! Where the schedule says that it gives turns to the warps of a block in their order, and their
//! visible operations are accesses to memory, whole rounds are done here without asking it anew
//! ([`rounds`]); and where all warps that can move stand at one access, or at a barrier, it is
//! executed for all of them under one dispatch, too, and they go on ([`in_place`]); where they
//! stand at several, for those at each ([`apart`]), or for some at an access while the others
//! arrive at a barrier ([`arrivals`]).
//!
//! Everything comes out as it does one turn at a time, which remains the way of all other
//! schedules, of launches watched instruction by instruction, and of those that form no gangs:
//! results, counts, errors, and what observers are told. A run that is stopped by an error leaves
//! registers of warps that have run ahead; nobody sees them.

mod ahead;
mod apart;
mod arguments;
mod arrivals;
mod calls;
mod drive;
mod front;
mod frontier;
mod in_place;
mod indexed;
mod meeting;
mod met;
mod order;
mod rounds;
mod set;
mod single;
mod turns;

pub(super) use front::Tallies;

use super::behind::Chosen;
use super::frame::FrameId;
use super::segment::Tally;
use crate::lanes::{LANES, Mask};
use crate::lower::Pc;

/// What a warp has done of its next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ahead {
    /// What it has executed.
    pub(super) tally: Tally,
    /// The fragment that has run, and goes on.
    pub(super) chosen: Chosen,
}

/// The most warps of a gang: those of the largest block.
pub(super) const MOST: usize = 32;

/// A warp of a gang, with the fragment that runs.
#[derive(Clone, Copy, Debug)]
struct Strand {
    /// Its number in the block.
    warp: usize,
    /// The activation in which its lanes are.
    frame: FrameId,
    /// The fragment that runs, once it has stopped.
    chosen: Chosen,
    /// Its lanes.
    mask: Mask,
    /// Its next operation.
    pc: Pc,
    /// What it has executed of its turn.
    tally: Tally,
    /// It is at an operation that has to wait for its turn, or has used up its time.
    stopped: bool,
    /// Its fragments are where it has stopped.
    placed: bool,
    /// It has had a turn, and has not run ahead of what follows.
    turned: bool,
    /// It waits at a barrier.
    waits: bool,
}

impl Strand {
    /// A warp about to run, in an activation, or that has run ahead.
    #[inline]
    fn new(warp: usize, frame: FrameId, ahead: Option<Ahead>) -> Strand {
        let before = Ahead { tally: Tally::default(), chosen: ahead::WHOLE };
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
    fn stop(&mut self, mask: Mask, pc: Pc) {
        (self.mask, self.pc) = (mask, pc);
        (self.stopped, self.placed) = (true, false);
        self.chosen = ahead::WHOLE;
    }
}

/// What a warp of a gang has of its own, besides registers.
struct PerWarp<'w> {
    /// `%tid` of its lanes.
    thread: &'w [[u32; LANES]; 3],
    /// The parameters of the activation, as [`super::memory::Interleaved`] has bytes of lanes: a
    /// word of each, then the next.
    params: &'w mut [u8],
}

/// What gangs are formed in, so that each has the memory of the one before.
#[derive(Debug, Default)]
pub(super) struct Room {
    strands: Vec<Strand>,
    frontier: frontier::Frontier,
}
