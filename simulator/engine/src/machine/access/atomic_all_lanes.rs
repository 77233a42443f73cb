//! Atomics of all warps of a gang, one after the other, on memory in one piece without an observer
//! (PTX ISA 9.7.13.5, 9.7.13.7).
//!
//! An atomic cannot be executed twice, so all addresses of all warps are checked first.
//!
//! This equals `atomic_slowly` of [`super::atomic`]. It hands over to [`super::atomic`] wherever it
//! does not apply: vectors, bad addresses, memory in pages.
//! `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares them.

use smallvec::{SmallVec, smallvec};

use super::addresses::window_of;
use super::all_lanes::{At, first_address};
use super::atomic::perform;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, LANES, Mask, Slot, reach};
use crate::lower::{Atomic, AtomicPiece, Base};
use crate::machine::memory::copy::Places;
use crate::machine::memory::{Line, Values};
use crate::machine::state::execution::Execution;
use crate::machine::state::located::whole_access;

impl Execution<'_, '_> {
    /// Executes an atomic for the active lanes of a gang, one warp after the other, in this order.
    /// Returns whether it did so; if not, nothing has happened.
    pub(in crate::machine) fn atomic_together(
        &mut self,
        gang: &mut Gang<'_, '_>,
        atomic: &Atomic,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let target = &atomic.target;
        let [piece] = *atomic.pieces.as_slice() else { return Ok(false) };
        let Some((first, base)) = first_address(target, gang) else { return Ok(false) };
        let space = target.space.unwrap_or_else(|| window_of(target, first).0);
        let Some((memory, origin)) = self.flat_around(target, first) else { return Ok(false) };
        let reach = whole_access(target, base, origin);
        let warps = gang.members().len();
        let mut offsets: SmallVec<[[u32; LANES]; 8]> = smallvec![[0; LANES]; warps];
        let good = match target.base {
            Base::W64(_) => reach::offsets::<u64>(gang, reach, memory.len(), &mut offsets),
            Base::W32(_) => reach::offsets::<u32>(gang, reach, memory.len(), &mut offsets),
            Base::Absolute | Base::Frame | Base::FrameParam => false,
        };
        if !good {
            return Ok(false);
        }
        for warp in at.in_order(warps).flatten() {
            let AtomicPiece { destination, b, c } = piece;
            let mask = gang.members()[warp].mask();
            if mask == 0 {
                continue;
            }
            let c = c.map(|c| values(gang, warp, c, atomic.wide)).transpose()?;
            let (line, each);
            let places = match only(&offsets[warp], mask) {
                Some(at) => {
                    line = Line::uniform(at.into(), mask);
                    Places::Line(&line)
                }
                None => {
                    each = offsets[warp].map(u64::from);
                    Places::Each(&each)
                }
            };
            let at = (places, mask);
            let old = if atomic.wide {
                let (b, _) = gang.of_warp::<u64>(warp, b).ok_or_else(|| lost(warp))?;
                perform(atomic, memory, at, (|lane: usize| b[lane], c.as_ref()), space)?
            } else {
                let (b, _) = gang.of_warp::<u32>(warp, b).ok_or_else(|| lost(warp))?;
                perform(atomic, memory, at, (|lane: usize| b[lane].into(), c.as_ref()), space)?
            };
            let Some(d) = destination else { continue };
            let mut one = gang.part(warp..warp + 1).ok_or_else(|| lost(warp))?;
            if atomic.wide {
                one.write::<u64>(d, [&old]);
            } else {
                let mut low = [0; LANES];
                low.iter_mut().zip(old).for_each(|(low, old)| *low = old as u32);
                one.write::<u32>(d, [&low]);
            }
        }
        Ok(true)
    }
}

/// The values of a warp in a register.
#[inline(always)]
fn values(
    gang: &Gang<'_, '_>,
    warp: usize,
    slot: Slot,
    wide: bool,
) -> Result<Values, InternalError> {
    let values = if wide {
        gang.of_warp::<u64>(warp, slot).map(|(values, _)| *values)
    } else {
        gang.of_warp::<u32>(warp, slot).map(|(values, _)| values.map(u64::from))
    };
    values.ok_or_else(|| lost(warp))
}

/// The offset of all active lanes, if they share one.
#[inline(always)]
fn only(offsets: &[u32; LANES], mask: Mask) -> Option<u32> {
    let first = offsets[mask.trailing_zeros() as usize % LANES];
    let others = offsets.iter().zip(0..);
    let others =
        others.map(|(offset, lane)| if mask >> lane & 1 != 0 { offset ^ first } else { 0 });
    (others.fold(0, |any, other| any | other) == 0).then_some(first)
}

fn lost(warp: usize) -> InternalError {
    internal!("a gang has no warp {warp}, which performs an atomic")
}
