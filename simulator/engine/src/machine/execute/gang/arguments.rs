//! Arguments and results of calls: words and pairs of words in the `.param` memory of activations
//! (PTX ISA 5.1.6.2, 7.1), read and written for all warps of a gang in place.
//!
//! [`super::operation`] executes the others for one warp at a time: parts of words, vectors, and
//! addresses in a register.
//!
//! This equals `slowly` of [`crate::machine::access::general`].
//! `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares them in calls of a function.

use super::PerWarp;
use crate::lanes::{FULL, Gang, LANES, Mask, Registers, Slot};
use crate::lower::{Access, Base, Conduct, Kind, Target};
use crate::machine::state::frame::Frame;
use crate::ptx::Space;

/// A word of each lane.
type Words = [[u8; 4]; LANES];

/// The parameters of an activation ([`PerWarp::params`]), and its registers. No parameters if they
/// end within a word.
#[inline(always)]
pub(super) fn params_of(frame: &mut Frame) -> (&mut Registers, &mut [u8]) {
    let whole = frame.param_bytes().is_multiple_of(4);
    let (registers, params) = frame.registers_and_params();
    (registers, if whole { params } else { &mut [] })
}

/// A word, or two, of the parameters of an activation, and the register that it is copied to or
/// from.
#[derive(Clone, Copy)]
pub(super) struct Argument {
    /// The offset of the first byte.
    offset: usize,
    slot: Slot,
    wide: bool,
    loads: bool,
}

impl Argument {
    /// The argument or result that an operation reads or writes, if it does.
    pub(super) fn of(kind: &Kind) -> Option<Argument> {
        let (target, slot, wide, loads) = match kind.conduct() {
            Conduct::Access(Access::Load(load)) => match *load.destinations.as_slice() {
                [Some(slot)] => (&load.target, slot, load.wide, true),
                [] | [None] | [_, _, ..] => return None,
            },
            Conduct::Access(Access::Store(store)) => match *store.sources.as_slice() {
                [slot] => (&store.target, slot, store.wide, false),
                [] | [_, _, ..] => return None,
            },
            Conduct::Access(Access::Atomic(_))
            | Conduct::Registers(_)
            | Conduct::Branch { .. }
            | Conduct::Own(_)
            | Conduct::Barrier(_)
            | Conduct::Leave
            | Conduct::Warp(_)
            | Conduct::Fence
            | Conduct::Block
            | Conduct::Beyond(_) => return None,
        };
        let Target { space: Some(Space::Param), base: Base::FrameParam, offset, width, .. } =
            *target
        else {
            return None;
        };
        let plain = width == if wide { 8 } else { 4 } && target.elements == 1;
        let offset = usize::try_from(offset).ok().filter(|at| plain && at.is_multiple_of(4))?;
        // An address that is no multiple of the size is a fault.
        (offset as u64).is_multiple_of(width.into()).then_some(Argument {
            offset,
            slot,
            wide,
            loads,
        })
    }

    /// Reads or writes it for the active lanes of warps; `own` is their own data. Returns whether
    /// it did so.
    #[inline(always)]
    pub(super) fn pass(self, gang: &mut Gang<'_, '_>, own: &mut [PerWarp<'_>]) -> bool {
        let words = self.offset / 4;
        let words = words..words + if self.wide { 2 } else { 1 };
        for warp in 0..gang.members().len() {
            let own = own.get_mut(warp);
            let all = own.map(|own| own.params.as_chunks_mut().0.as_chunks_mut().0);
            let Some(found) = all.and_then(|all| all.get_mut(words.clone())) else { return false };
            let Some(mut one) = gang.part(warp..warp + 1) else { return false };
            match (found, self.loads) {
                ([word], true) => {
                    let mut values = [0_u32; LANES];
                    for lane in 0..LANES {
                        values[lane] = u32::from_le_bytes(word[lane]);
                    }
                    one.write(self.slot, [&values]);
                }
                ([word], false) => {
                    let Some((values, mask)) = one.of_warp::<u32>(0, self.slot) else {
                        return false;
                    };
                    put(word, mask, |lane| values[lane]);
                }
                ([low, high], true) => {
                    let mut values = [0_u64; LANES];
                    for lane in 0..LANES {
                        let low = u32::from_le_bytes(low[lane]);
                        values[lane] =
                            u64::from(u32::from_le_bytes(high[lane])) << 32 | u64::from(low);
                    }
                    one.write(self.slot, [&values]);
                }
                ([low, high], false) => {
                    let Some((values, mask)) = one.of_warp::<u64>(0, self.slot) else {
                        return false;
                    };
                    put(low, mask, |lane| values[lane] as u32);
                    put(high, mask, |lane| (values[lane] >> 32) as u32);
                }
                (_, _) => return false,
            }
        }
        true
    }
}

/// Writes a word of each lane of a mask.
#[inline(always)]
fn put(words: &mut Words, mask: Mask, value: impl Fn(usize) -> u32) {
    for (lane, word) in words.iter_mut().enumerate() {
        if mask == FULL || mask >> lane & 1 != 0 {
            *word = value(lane).to_le_bytes();
        }
    }
}
