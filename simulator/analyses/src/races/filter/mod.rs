//! A fast look at a whole run: which words could race at all.
//!
//! It knows barriers that a whole block takes part in, `bar.warp.sync` of whole warps and the ends
//! of launches. It knows nothing else that orders: no fences, flags or locks, no parts of warps, no
//! `lockstep`. So it errs on one side only: every race is among its candidates. The judge then
//! looks at the candidates of the same run exactly. A kernel that synchronises by whole barriers
//! and has no race has no candidates. It costs an eighth to two words of shadow for a word of
//! memory.
//!
//! It knows no order for asynchronous copies: the writes of a copy could race, and its reads could
//! race with any write of the launch that comes later.
//!
//! A launch has stamps for 2^26 segments between such barriers, counted over its warps and blocks
//! together. Its actions beyond them are not looked at, and do not count as ordered (misses).

mod candidates;
mod cell;
mod how;
mod line;
mod look;
mod loops;
mod pending;
mod rows;
mod runs;
mod shadow;
mod stamps;
#[cfg(test)]
mod tests;
mod together;

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use warpsim_language::internal;
use warpsim_language::internal::InternalError;

use crate::lanes::{LANES, Mask, Work, in_tier, lanes_of};
use crate::lower::WarpAction;
use crate::observe::{
    Access, AccessKind, Accesses, Arrivals, BarrierEvent, Event, FirstBug, Interest, LaunchFacts,
    Observer, Places, WarpEvent,
};
use crate::ptx::Space;
use crate::races::advice::Advised;
use crate::races::unused::Unused;
pub use candidates::Candidates;
use cell::{Me, touch};
use how::{Closely, How};
use loops::{Limits, Sight};
use pending::Pending;
use rows::Rows;
use runs::{each_line, each_run};
use shadow::{PAGE, Page, Shadow};
use stamps::{Phase, Stamp, Stamps};
use together::{OfWarp, Together};

/// Finds the words that could race.
#[derive(Clone, Debug)]
pub struct Filter {
    threads_per_block: u32,
    shared_bytes: u64,
    stamps: Stamps,
    /// The blocks that are alive.
    blocks: Vec<Block>,
    /// Where each is in `blocks`.
    places: HashMap<u64, usize, FxBuildHasher>,
    /// The block that was looked for last.
    last: usize,
    /// One that has ended, for the next one.
    spare: Option<Block>,
    global: Shadow,
    candidates: Candidates,
    /// The last launch.
    launch: Option<LaunchFacts>,
    /// What was advised in earlier launches.
    pub(super) advised: Advised,
    /// Reads of the last launch with unused values.
    pub(super) unused: Option<Arc<Unused>>,
    /// The first bug of this, or of those who judge what it lets through.
    pub(super) bug: FirstBug,
}

/// A block that is alive.
#[derive(Clone, Debug)]
struct Block {
    number: u64,
    phase: Phase,
    /// What the block did with lower stamps is ordered before whatever it does next.
    ordered: Stamp,
    warps: Vec<Warp>,
    shared: Page,
    /// What has been read of it and is not in the shadow yet.
    pending: Pending,
    exited: u32,
    /// A thread that has exited accessed memory, and no barrier orders that.
    exited_after_access: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    /// Its segment; 0 when the next access begins one.
    segment: Stamp,
    /// What the warp did with lower stamps is ordered before whatever it does next.
    ordered: Stamp,
    /// The lanes that have accessed memory.
    accessed: Mask,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            threads_per_block: 0,
            shared_bytes: 0,
            stamps: Stamps::new(),
            blocks: Vec::new(),
            places: HashMap::default(),
            last: 0,
            spare: None,
            global: Shadow::default(),
            candidates: Candidates::default(),
            launch: None,
            advised: Advised::default(),
            unused: None,
            bug: FirstBug::default(),
        }
    }
}

impl Filter {
    /// A filter that has seen nothing.
    pub fn new() -> Filter {
        Filter::default()
    }

    /// The launch that was watched last, and forgets it.
    pub(super) fn take_launch(&mut self) -> Option<LaunchFacts> {
        self.launch.take()
    }

    /// Whether no access conflicts with another one that is not ordered by barriers of whole blocks
    /// or warps, except for atomics of one size. It has seen all accesses.
    pub fn is_without_conflicts(&self) -> bool {
        self.candidates.is_empty() && !self.stamps.are_used_up()
    }

    /// Whether it has looked at all accesses.
    pub fn has_seen_everything(&self) -> bool {
        !self.stamps.are_used_up()
    }

    /// The candidates so far, and forgets them.
    pub fn take_candidates(&mut self) -> Arc<Candidates> {
        Arc::new(std::mem::take(&mut self.candidates))
    }

    /// Where a block is among those alive.
    #[inline]
    fn place(&mut self, number: u64) -> Option<usize> {
        if self.blocks.get(self.last).is_none_or(|block| block.number != number) {
            let found = self.places.get(&number).copied();
            self.last = self.bug.known(found, || not_alive(number))?;
        }
        Some(self.last)
    }

    fn block(&mut self, number: u64) -> Option<&mut Block> {
        let place = self.place(number)?;
        self.blocks.get_mut(place)
    }
}

fn not_alive(block: u64) -> InternalError {
    internal!("block {block} acts, and has not begun or has ended")
}

fn no_warp(warp: u32) -> InternalError {
    internal!("warp {warp} acts, which its block does not have")
}

/// A look at an access of one warp, of this many words, and bytes, a lane.
struct Alone<'f, 'a, const WORDS: usize, const BYTES: u64> {
    filter: &'f mut Filter,
    place: usize,
    access: &'f Access<'a>,
    me: Me,
}

impl<const WORDS: usize, const BYTES: u64> Work for Alone<'_, '_, WORDS, BYTES> {
    type Result = ();

    /// Looks run by run, and more closely if that is not enough.
    #[inline(always)]
    fn run(self) {
        let Alone { filter, place, access, me } = self;
        let how = How::of(access);
        let Me { segment, by_warp, .. } = me;
        let limits = Limits { segment, by_warp, ..filter.limits(place, how) };
        each_run::<BYTES>(access.addresses, access.mask, |run| {
            each_line::<WORDS>(run, access.addresses[run.lane], |run, address| {
                let sight = filter.look_at_line::<WORDS>(place, how, limits, run, address);
                if sight == Sight::Unclear
                    && !filter.others_have_read::<WORDS>(me.block, how, limits, run, address)
                {
                    let what = Closely::of(access);
                    for lane in run.lane..run.lane + run.lanes {
                        filter.look_closely(place, what, &me, lane, access.addresses[lane]);
                    }
                }
            });
        });
    }
}

impl Filter {
    /// Looks at an access of one piece of memory by one lane, cell by cell.
    fn look_closely(&mut self, place: usize, access: Closely, me: &Me, lane: usize, address: u64) {
        let mine = me.segment + lane as Stamp;
        let (mut at, end) = (address, address + u64::from(access.bytes));
        while at < end {
            let block = &mut self.blocks[place];
            let number = block.number;
            let (page, offset, most) = match access.space {
                Space::Shared => (&mut block.shared, at, u64::MAX),
                _ => (self.global.page(at), at % PAGE, PAGE - at % PAGE),
            };
            let bytes = (end - at).min(most);
            page.begin_writes();
            let (size, (writes, reads)) = page.cells(offset, bytes);
            let width = access.width as u8;
            for ((write, read), i) in writes.iter_mut().zip(reads).zip(0u64..) {
                let mut fine = touch(&self.stamps, me, mine, access.kind, width, write, read);
                if access.in_flight {
                    match access.kind {
                        AccessKind::Read => {
                            // Order alone does not show a write to a copy in bulk. And the stamps
                            // of shared memory know only threads of the block.
                            let is_shared = access.space == Space::Shared;
                            if is_shared || *write >= self.stamps.launch {
                                fine = Err(());
                            }
                            *read = self.stamps.grid;
                        }
                        AccessKind::Write | AccessKind::Atomic => fine = Err(()),
                    }
                }
                if fine.is_err() {
                    self.candidates.add(access.space, number, at + i * size);
                }
            }
            at += bytes;
        }
    }

    /// Looks at reads or writes of 4 or 8 bytes by some warps of a block.
    #[inline]
    fn look_at_warps(
        &mut self,
        block: u64,
        (how, what): (How, Closely),
        warps: impl Iterator<Item = OfWarp>,
        accesses: Option<&Accesses<'_>>,
    ) {
        let filter = self;
        match what.bytes {
            4 => in_tier(Together::<_, 1, 4> { filter, block, what, how, warps, accesses }),
            _ => in_tier(Together::<_, 2, 8> { filter, block, what, how, warps, accesses }),
        }
    }

    /// The limits that decide, for any warp of a block, whether a run needs no closer look. The
    /// caller fills in the warp.
    #[inline(always)]
    fn limits(&self, place: usize, how: How) -> Limits {
        let (segment, by_warp) = (0, 0);
        let How { is_shared, non_coherent, .. } = how;
        let (low, several) = match is_shared {
            true => (self.blocks[place].ordered, self.blocks[place].phase.several),
            false => (self.stamps.launch, self.stamps.grid),
        };
        Limits { segment, non_coherent, low, by_warp, several, is_shared }
    }

    /// The segment of a warp of a block whose lanes access memory. Also a stamp limit: what the
    /// warp did with lower stamps is ordered before. `None` where these are unknown.
    #[inline(always)]
    fn segment(
        &mut self,
        place: usize,
        (number, warp, lanes): (u64, u32, Mask),
    ) -> Option<(Stamp, Stamp)> {
        let found = self.blocks.get_mut(place)?.warps.get_mut(warp as usize);
        let of = self.bug.known(found, || no_warp(warp))?;
        of.accessed |= lanes;
        if of.segment == 0 {
            if self.stamps.are_used_up() {
                return None;
            }
            of.segment = self.stamps.begin_segment(number as u32, warp as u16);
        }
        Some((of.segment, of.ordered))
    }

    /// Who accesses: lanes of a warp of the block with this number. `None` if that is unknown.
    #[inline]
    fn me(
        &mut self,
        place: usize,
        (number, warp, lanes): (u64, u32, Mask),
        how: How,
    ) -> Option<Me> {
        let (segment, by_warp) = self.segment(place, (number, warp, lanes))?;
        let block = self.blocks.get(place)?;
        Some(Me {
            block: number as u32,
            warp: warp as u16,
            segment,
            phase: block.phase,
            by_block: block.ordered,
            by_warp,
            is_local: how.is_local,
            non_coherent: how.non_coherent,
        })
    }
}

impl Observer for Filter {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true).with_synchronisation(true)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.threads_per_block = launch.launch.threads_per_block();
        self.shared_bytes = launch.shared_bytes.into();
        self.blocks.clear();
        self.places.clear();
        self.spare = None;
        match self.stamps.renewed() {
            // What earlier launches did is ordered before this one, and may be forgotten.
            Some(stamps) => (self.stamps, self.global) = (stamps, Shadow::default()),
            None => self.stamps.begin_launch(),
        }
        self.launch = Some(launch.clone());
    }

    fn block_begin(&mut self, block: u64) {
        let phase = self.stamps.begin_phase(block as u32);
        self.places.insert(block, self.blocks.len());
        let new = match self.spare.take() {
            Some(mut spare) => {
                spare.warps.fill(Warp::default());
                spare.shared.renew(self.shared_bytes);
                spare.pending.forget();
                let Block { warps, shared, pending, .. } = spare;
                (warps, shared, pending)
            }
            None => {
                let warps = self.threads_per_block.div_ceil(LANES as u32) as usize;
                let shared = Page::new(self.shared_bytes);
                (vec![Warp::default(); warps], shared, Pending::default())
            }
        };
        let (warps, shared, pending) = new;
        self.blocks.push(Block {
            number: block,
            phase,
            ordered: phase.several,
            warps,
            shared,
            pending,
            exited: 0,
            exited_after_access: false,
        });
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if !matches!(access.space, Space::Global | Space::Shared) {
            return;
        }
        let Some(place) = self.place(event.block) else { return };
        let who = (event.block, event.warp, access.mask);
        if access.space == Space::Shared {
            self.settle(place);
        }
        let Some(me) = self.me(place, who, How::of(access)) else { return };
        let is_plain = access.kind != AccessKind::Atomic && access.flight.is_none();
        match access.bytes {
            4 if is_plain => in_tier(Alone::<1, 4> { filter: self, place, access, me }),
            8 if is_plain => in_tier(Alone::<2, 8> { filter: self, place, access, me }),
            _ => {
                for lane in lanes_of(access.mask) {
                    let address = access.addresses[lane];
                    self.look_closely(place, Closely::of(access), &me, lane, address);
                }
            }
        }
    }

    fn accesses(&mut self, accesses: &Accesses<'_>) {
        let &Accesses { space, kind, target, block, .. } = accesses;
        let Some(place) = self.place(block) else { return };
        let how = How::new(space, kind, target.semantics, target.non_coherent);
        let (bytes, width) = (accesses.bytes(), target.scalar());
        let what = Closely { kind, space, bytes, width, in_flight: false };
        let is_plain = matches!(bytes, 4 | 8) && kind != AccessKind::Atomic;
        if is_plain && self.put_off(place, (how, what), accesses) {
            return;
        }
        if space == Space::Shared {
            self.settle(place);
        }
        match is_plain {
            true => {
                let (count, warp) = (accesses.who.len(), |n: usize| accesses.who[n].warp);
                let done = match accesses.places {
                    Places::Row(start) => {
                        let rows = Rows { block, place, count, warp, start };
                        self.look_at_rows((how, bytes), &rows)
                    }
                    Places::Each { .. } => 0,
                };
                if done == count {
                    return;
                }
                let warps = accesses.warps().skip(done).map(OfWarp::from);
                self.look_at_warps(block, (how, what), warps, Some(accesses));
            }
            false => accesses.each(|event, access| self.access(event, access)),
        }
    }

    fn arrivals(&mut self, _: &Arrivals<'_>) {
        // Nothing is known of those who arrive, as long as not everybody has.
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        let threads = self.threads_per_block;
        let (next, used_up) = (self.stamps.next(), self.stamps.are_used_up());
        let Some(block) = self.block(barrier.block) else { return };
        let waiting = barrier.arrivals.iter().filter(|a| a.waits);
        let waiting: u32 = waiting.map(|a| a.lanes.count_ones()).sum();
        let everybody = waiting + block.exited >= threads;
        if everybody && !block.exited_after_access && !used_up {
            block.ordered = next;
            block.pending.forget();
            block.warps.iter_mut().for_each(|warp| warp.segment = 0);
            let phase = self.stamps.begin_phase(barrier.block as u32);
            if let Some(block) = self.block(barrier.block) {
                block.phase = phase;
            }
        }
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        let nobody = || internal!("nobody takes part in what lanes do together");
        let Some(event) = self.bug.known(warp.parts.first(), nobody) else { return };
        let operation = event.operation().kind.warp();
        let is_sync = operation.is_some_and(|operation| operation.action == WarpAction::Sync);
        if !is_sync {
            return;
        }
        let Some(place) = self.place(event.block) else { return };
        self.settle(place);
        let next = self.stamps.next();
        let found = self.blocks.get_mut(place);
        let found = found.and_then(|block| block.warps.get_mut(event.warp as usize));
        if let Some(of_warp) = found
            && (of_warp.accessed | warp.live) & !warp.together == 0
        {
            of_warp.segment = 0;
            of_warp.ordered = next;
        }
    }

    fn exit(&mut self, event: &Event<'_>) {
        let Some(block) = self.block(event.block) else { return };
        block.exited += event.active.count_ones();
        if let Some(warp) = block.warps.get(event.warp as usize) {
            block.exited_after_access |= warp.accessed & event.active != 0;
        }
    }

    fn block_end(&mut self, block: u64) {
        let found = self.places.remove(&block);
        let Some(place) = self.bug.known(found, || not_alive(block)) else { return };
        self.spare = Some(self.blocks.swap_remove(place));
        if let Some(moved) = self.blocks.get(place) {
            self.places.insert(moved.number, place);
        }
    }
}
