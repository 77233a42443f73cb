//! The accesses of several warps at one instruction: run by run, and closely where that is not enough, as for one warp at a time.

use super::cell::Me;
use super::loops::{Limits, Sight};
use super::runs::{Run, each_line, each_run};
use super::{Filter, How};
use crate::lanes::{LANES, Work, lanes_of};
use crate::observe::{Accesses, HalfWarp, WarpAccess};

/// Lanes of half a warp.
const HALF: usize = LANES / 2;

/// A look at accesses of so many words, and bytes, a lane.
pub(super) struct Together<'f, 'a, const WORDS: usize, const BYTES: u64> {
    pub(super) filter: &'f mut Filter,
    pub(super) accesses: &'f Accesses<'a>,
    pub(super) how: How,
}

impl<const WORDS: usize, const BYTES: u64> Work for Together<'_, '_, WORDS, BYTES> {
    type Result = ();

    #[inline(always)]
    fn run(mut self) {
        let Some(place) = self.filter.place(self.accesses.block) else { return };
        let limits = self.filter.limits(place, self.how);
        // What has been found to be noted for all lanes of the block.
        let mut noted = None;
        for warp in self.accesses.warps() {
            let who = (self.accesses.block, warp.warp, warp.mask);
            let Some((segment, by_warp)) = self.filter.segment(place, who) else { continue };
            let looker = Looker { place, limits: Limits { segment, by_warp, ..limits }, warp };
            match warp.halves {
                None => self.look_at_any(&looker),
                Some([a, b]) => {
                    let step = if a.is_row { BYTES * HALF as u64 } else { 0 };
                    if a.is_row == b.is_row && a.address.wrapping_add(step) == b.address {
                        self.look_at_all(&looker, a, &mut noted);
                    } else {
                        self.look_at_half(&looker, (0, a), &mut noted);
                        self.look_at_half(&looker, (HALF, b), &mut noted);
                    }
                }
            }
        }
    }
}

/// A warp that accesses memory.
#[derive(Clone, Copy)]
struct Looker {
    /// Where its block is.
    place: usize,
    limits: Limits,
    warp: WarpAccess,
}

/// What a run accesses, which has so many lanes.
type Noted = Option<(HalfWarp, usize)>;

impl<const WORDS: usize, const BYTES: u64> Together<'_, '_, WORDS, BYTES> {
    /// All lanes of a warp access one thing, or one behind the other, from the first one on.
    #[inline(always)]
    fn look_at_all(&mut self, looker: &Looker, first: HalfWarp, noted: &mut Noted) {
        match first.is_row {
            true => {
                let run = Run { lane: 0, lanes: LANES, is_broadcast: false };
                self.look_at(looker, run, first, noted);
            }
            false => {
                let run = Run { lane: 0, lanes: LANES, is_broadcast: true };
                self.look_at(looker, run, first, noted);
            }
        }
    }

    /// The lanes of half a warp do, from this lane on.
    #[inline(always)]
    fn look_at_half(
        &mut self,
        looker: &Looker,
        (lane, half): (usize, HalfWarp),
        noted: &mut Noted,
    ) {
        match half.is_row {
            true => {
                let run = Run { lane, lanes: HALF, is_broadcast: false };
                self.look_at(looker, run, half, noted);
            }
            false => {
                let run = Run { lane, lanes: HALF, is_broadcast: true };
                self.look_at(looker, run, half, noted);
            }
        }
    }

    /// Looks at a run.
    #[inline(always)]
    fn look_at(&mut self, looker: &Looker, run: Run, first: HalfWarp, noted: &mut Noted) {
        let here = Some((first, run.lanes));
        if here == *noted {
            return;
        }
        let Looker { place, limits, .. } = *looker;
        let seen = match run.is_broadcast {
            true => {
                self.filter.look_at_broadcast::<WORDS>(place, self.how, limits, run, first.address)
            }
            false => self.filter.look_at_row::<WORDS>(place, self.how, limits, run, first.address),
        };
        let for_all = match seen {
            Some(for_all) => for_all,
            None => self.look_at_lines(looker, run, first.address),
        };
        if for_all {
            *noted = here;
        }
    }

    /// Looks at a run line by line. Whether that came to what it would for any lanes of the block.
    #[inline(never)]
    fn look_at_lines(&mut self, looker: &Looker, run: Run, address: u64) -> bool {
        let Looker { place, limits, .. } = *looker;
        let mut for_all = true;
        each_line::<WORDS>(run, address, |run, address| {
            match self.filter.look_at_line::<WORDS>(place, self.how, limits, run, address) {
                Sight::NotedForAll => {}
                Sight::Noted => for_all = false,
                Sight::Unclear => {
                    for_all = false;
                    self.look_again(looker, run, address);
                }
            }
        });
        for_all
    }

    /// Looks at the lanes of a warp, wherever they access memory.
    #[inline(never)]
    fn look_at_any(&mut self, looker: &Looker) {
        let warp = looker.warp;
        let addresses = self.accesses.addresses(warp.index);
        each_run::<BYTES>(&addresses, warp.mask, |run| {
            self.look_at_lines(looker, run, addresses[run.lane]);
        });
    }

    /// Looks at a run of which it was not clear, lane by lane if need be.
    #[inline(never)]
    fn look_again(&mut self, looker: &Looker, run: Run, address: u64) {
        let (number, how) = (self.accesses.block, self.how);
        let Looker { place, limits, warp } = *looker;
        if self.filter.others_have_read::<WORDS>(number as u32, how, limits, run, address) {
            return;
        }
        let who = (number, warp.warp, warp.mask);
        if let Some(me) = self.filter.me(place, who, self.how) {
            self.filter.look_closely_at(self.accesses, &warp, place, &me, run);
        }
    }
}

impl Filter {
    /// Looks closely at the lanes of a run.
    #[inline(never)]
    fn look_closely_at(
        &mut self,
        accesses: &Accesses<'_>,
        warp: &WarpAccess,
        place: usize,
        me: &Me,
        run: Run,
    ) {
        accesses.one(warp, |_, access| {
            for lane in lanes_of(access.mask).skip_while(|lane| *lane < run.lane).take(run.lanes) {
                self.look_closely(place, access, me, lane);
            }
        });
    }
}
