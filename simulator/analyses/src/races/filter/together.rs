//! The accesses of several warps at one instruction: run by run, and closely where that is not enough, as for one warp at a time.

use super::cell::Me;
use super::loops::Sight;
use super::runs::{Run, each_run};
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

/// The runs of a warp whose halves access one word, or words in a row: one or two, each with the address of its first lane.
#[inline(always)]
fn runs<const BYTES: u64>([a, b]: [HalfWarp; 2]) -> [Option<(Run, u64)>; 2] {
    let run = |lane, half: HalfWarp, lanes| {
        Some((Run { lane, lanes, is_broadcast: !half.is_row }, half.address))
    };
    let step = if a.is_row { BYTES * HALF as u64 } else { 0 };
    if a.is_row == b.is_row && a.address + step == b.address {
        [run(0, a, LANES), None]
    } else {
        [run(0, a, HALF), run(HALF, b, HALF)]
    }
}

impl<const WORDS: usize, const BYTES: u64> Work for Together<'_, '_, WORDS, BYTES> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Together { filter, accesses, how } = self;
        let Some(place) = filter.place(accesses.block) else { return };
        // What has been found to be noted for all lanes of the block.
        let mut noted = None;
        for warp in accesses.warps() {
            let who = (accesses.block, warp.warp, warp.mask);
            let Some(me) = filter.me(place, who, how) else { continue };
            let Some(halves) = warp.halves else {
                let addresses = accesses.addresses(warp.index);
                each_run::<BYTES>(&addresses, warp.mask, |run| {
                    let sight =
                        filter.look_at_run::<WORDS>(place, how, &me, run, addresses[run.lane]);
                    if sight == Sight::Unclear {
                        filter.look_closely_at(accesses, &warp, place, &me, run);
                    }
                });
                continue;
            };
            for (run, address) in runs::<BYTES>(halves).into_iter().flatten() {
                let here = Some((address, run.lanes, run.is_broadcast));
                if here == noted {
                    continue;
                }
                match filter.look_at_run::<WORDS>(place, how, &me, run, address) {
                    Sight::Unclear => filter.look_closely_at(accesses, &warp, place, &me, run),
                    Sight::Noted => {}
                    Sight::NotedForAll => noted = here,
                }
            }
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
