//! The accesses of several warps at one instruction: run by run, and more closely if that is not
//! enough, as for one warp at a time.

use warpsim_language::internal;

use super::loops::{Limits, Sight};
use super::runs::{Run, each_line, each_run};
use super::{Closely, Filter, How};
use crate::lanes::{LANES, Mask, Work};
use crate::observe::{Accesses, HalfWarp, WarpAccess};

/// Lanes of half a warp.
pub(super) const HALF: usize = LANES / 2;

/// A warp that accesses memory.
#[derive(Clone, Copy)]
pub(super) struct OfWarp {
    pub(super) warp: u32,
    pub(super) mask: Mask,
    /// See [`WarpAccess::halves`].
    pub(super) halves: Option<[HalfWarp; 2]>,
    /// Its place among the reported warps.
    pub(super) index: usize,
}

impl From<WarpAccess> for OfWarp {
    #[inline]
    fn from(WarpAccess { index, warp, mask, halves }: WarpAccess) -> OfWarp {
        OfWarp { warp, mask, halves, index }
    }
}

/// A look at accesses of this many words, and bytes, a lane.
pub(super) struct Together<'f, 'a, W, const WORDS: usize, const BYTES: u64> {
    pub(super) filter: &'f mut Filter,
    pub(super) block: u64,
    pub(super) what: Closely,
    pub(super) how: How,
    pub(super) warps: W,
    /// The reported accesses, where warps may access anything.
    pub(super) accesses: Option<&'f Accesses<'a>>,
}

impl<W: Iterator<Item = OfWarp>, const WORDS: usize, const BYTES: u64> Work
    for Together<'_, '_, W, WORDS, BYTES>
{
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Together { filter, block, what, how, warps, accesses } = self;
        let Some(place) = filter.place(block) else { return };
        let limits = filter.limits(place, how);
        let mut look = Look::<WORDS, BYTES> { filter, block, what, how, noted: None };
        for warp in warps {
            let who = (block, warp.warp, warp.mask);
            let Some((segment, by_warp)) = look.filter.segment(place, who) else { continue };
            let looker = Looker { place, limits: Limits { segment, by_warp, ..limits }, warp };
            match warp.halves {
                None => look.look_at_any(&looker, accesses),
                Some([a, b]) => {
                    let step = if a.is_row { BYTES * HALF as u64 } else { 0 };
                    if a.is_row == b.is_row && a.address.wrapping_add(step) == b.address {
                        look.look_at_all(&looker, a);
                    } else {
                        look.look_at_half(&looker, 0, a);
                        look.look_at_half(&looker, HALF, b);
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
    warp: OfWarp,
}

/// What the looks have in common.
struct Look<'f, const WORDS: usize, const BYTES: u64> {
    filter: &'f mut Filter,
    block: u64,
    what: Closely,
    how: How,
    /// What has been found to be noted for all lanes of the block: what a run accesses, which has
    /// so many lanes.
    noted: Option<(HalfWarp, usize)>,
}

impl<const WORDS: usize, const BYTES: u64> Look<'_, WORDS, BYTES> {
    /// All lanes of a warp access one thing, or one behind the other, from the first one on.
    #[inline(always)]
    fn look_at_all(&mut self, looker: &Looker, first: HalfWarp) {
        match first.is_row {
            true => {
                let run = Run { lane: 0, lanes: LANES, is_broadcast: false };
                self.look_at(looker, run, first);
            }
            false => {
                let run = Run { lane: 0, lanes: LANES, is_broadcast: true };
                self.look_at(looker, run, first);
            }
        }
    }

    /// The lanes of half a warp do, from this lane on.
    #[inline(always)]
    fn look_at_half(&mut self, looker: &Looker, lane: usize, half: HalfWarp) {
        match half.is_row {
            true => {
                let run = Run { lane, lanes: HALF, is_broadcast: false };
                self.look_at(looker, run, half);
            }
            false => {
                let run = Run { lane, lanes: HALF, is_broadcast: true };
                self.look_at(looker, run, half);
            }
        }
    }

    /// Looks at a run.
    #[inline(always)]
    fn look_at(&mut self, looker: &Looker, run: Run, first: HalfWarp) {
        let here = Some((first, run.lanes));
        if here == self.noted {
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
            self.noted = here;
        }
    }

    /// Looks at a run line by line. Returns whether the result would be the same for any lanes of
    /// the block.
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
    #[inline(always)]
    fn look_at_any(&mut self, looker: &Looker, accesses: Option<&Accesses<'_>>) {
        let warp = looker.warp;
        let unknown = || internal!("nobody knows what warp {} accesses", warp.warp);
        let Some(accesses) = self.filter.bug.known(accesses, unknown) else { return };
        let addresses = accesses.addresses(warp.index);
        each_run::<BYTES>(&addresses, warp.mask, |run| {
            self.look_at_lines(looker, run, addresses[run.lane]);
        });
    }

    /// Looks again at an unclear run, lane by lane if need be.
    #[inline(never)]
    fn look_again(&mut self, looker: &Looker, run: Run, address: u64) {
        let Looker { place, limits, warp } = *looker;
        let number = self.block as u32;
        if self.filter.others_have_read::<WORDS>(number, self.how, limits, run, address) {
            return;
        }
        let who = (self.block, warp.warp, warp.mask);
        let Some(me) = self.filter.me(place, who, self.how) else { return };
        let step = if run.is_broadcast { 0 } else { BYTES };
        for lane in 0..run.lanes {
            let address = address + step * lane as u64;
            self.filter.look_closely(place, self.what, &me, run.lane + lane, address);
        }
    }
}
