//! What the warps of a block wait for: mbarrier objects, and words that lanes read again and again.
//!
//! The trace says where mbarrier objects were made, and what lanes have read. Lanes poll a word if
//! their last accesses to memory are reads of it at one instruction, or atomics that leave it as it
//! is, and all gave the same value. Direction of error: lanes that also write in their loop, or
//! take longer than [`MOST_STEPS`] for a round, are not recognised.

use std::collections::BTreeSet;

use warpsim::host::MbarrierObject;
use warpsim::lanes::{Mask, lanes_of};
use warpsim::observe::{AccessKind, Step, Touch, width};
use warpsim::ptx::{Space, Type};

use crate::history::Writer;
use crate::regions::Region;
use crate::session::Debugger;
use crate::threads::ThreadId;
use crate::values::Value;

/// How many steps of a thread are looked at.
const MOST_STEPS: usize = 4096;
/// As many equal reads are a poll.
const FEWEST_READS: usize = 3;

/// An mbarrier object in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MbarrierState {
    /// What it is called, where a variable holds it.
    pub name: Option<String>,
    /// Its address in shared memory.
    pub address: u64,
    /// Its state.
    pub object: MbarrierObject,
}

/// Lanes that read a word again and again.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Poll {
    /// The warp.
    pub warp: u32,
    /// The lanes.
    pub lanes: Mask,
    /// The number of the last step that read it.
    pub step: usize,
    /// The word, for the first of the lanes.
    pub region: Region,
    /// How often they have read it, at least.
    pub reads: usize,
    /// What the instruction gave, where it gives something.
    pub value: Option<Value>,
    /// Who wrote the word last.
    pub writer: Option<Writer>,
}

/// What a lane did to memory in a step.
#[derive(Clone, Copy, PartialEq)]
struct Access {
    space: Space,
    address: u64,
    bytes: u32,
    kind: AccessKind,
}

impl Debugger<'_> {
    /// The mbarrier objects of a block, by their addresses.
    pub fn mbarriers(&self, block: u64) -> Vec<MbarrierState> {
        let steps = self.stepper.trace().steps().iter();
        let made = steps.filter(|step| step.block == block && step.name.starts_with("mbarrier.i"));
        let addresses: BTreeSet<u64> = made
            .flat_map(|step| {
                let lanes = lanes_of(step.active);
                lanes.filter_map(|lane| Some(self.access_of(step, lane)?.address))
            })
            .collect();
        let state = |address: u64| {
            let bytes = self.stepper.shared_memory(block, address, 8)?;
            let bits = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            let object = MbarrierObject::of_bits(bits)?;
            let name = self.name_at(Space::Shared, address);
            Some(MbarrierState { name, address, object })
        };
        addresses.into_iter().filter_map(state).collect()
    }

    /// The parts of a block's warps that poll a word.
    pub fn polls(&self, block: u64) -> Vec<Poll> {
        let Some(state) = self.stepper.block(block) else { return Vec::new() };
        let mut polls = Vec::new();
        for warp in &state.warps {
            for fragment in &warp.fragments {
                let lane = fragment.mask.trailing_zeros();
                let thread = ThreadId { block, warp: warp.number, lane };
                polls.extend(self.poll_of(thread, fragment.mask));
            }
        }
        polls
    }

    fn poll_of(&self, thread: ThreadId, lanes: Mask) -> Option<Poll> {
        let steps = self.stepper.trace().steps().iter().rev().filter(|step| thread.is_in(step));
        let lane = thread.lane as usize;
        let mut accesses =
            steps.take(MOST_STEPS).filter_map(|step| Some((step, self.access_of(step, lane)?)));
        let (step, access) = accesses.next()?;
        let value = given(step, lane);
        let is_same = |(other, of): &(&Step, Access)| {
            other.pc() == step.pc() && *of == access && given(other, lane) == value
        };
        let reads = 1 + accesses.take_while(is_same).count();
        if reads < FEWEST_READS || access.kind == AccessKind::Write {
            return None;
        }
        let region = self.region_accessed(thread, &access);
        let writer = self.changed_last(&region, value);
        Some(Poll { warp: thread.warp, lanes, step: step.number, region, reads, value, writer })
    }

    /// Who changed a word last. An atomic that gave what the poll gives has left it as it was.
    fn changed_last(&self, region: &Region, polled: Option<Value>) -> Option<Writer> {
        self.stepper.trace().steps().iter().rev().find_map(|step| {
            let touches = step.touches.iter().filter(|touch| touch.kind != AccessKind::Read);
            let changes = |touch: &Touch, lane: usize| {
                touch.kind == AccessKind::Write || polled.is_none() || given(step, lane) != polled
            };
            let lanes = touches
                .flat_map(|touch| lanes_of(region.lanes(step, touch)).map(move |l| (touch, l)))
                .filter(|(touch, lane)| changes(touch, *lane))
                .fold(0, |mask: Mask, (_, lane)| mask | 1 << lane);
            let thread =
                ThreadId { block: step.block, warp: step.warp, lane: lanes.trailing_zeros() };
            (lanes != 0).then_some(Writer { step: step.number, thread, lanes })
        })
    }

    /// What a lane did to shared or global memory in a step.
    fn access_of(&self, step: &Step, lane: usize) -> Option<Access> {
        if step.active >> lane & 1 == 0 {
            return None;
        }
        if step.name.starts_with("mbarrier.") {
            let address = self.mbarrier_of(step, lane)?;
            let is_wait = step.name.contains("_wait");
            let kind = if is_wait { AccessKind::Read } else { AccessKind::Write };
            return Some(Access { space: Space::Shared, address, bytes: 8, kind });
        }
        let mut touches = step.touches.iter().filter(|touch| {
            touch.mask >> lane & 1 == 1 && matches!(touch.space, Space::Shared | Space::Global)
        });
        let touch = touches.next()?;
        let (space, bytes, kind) = (touch.space, touch.bytes, touch.kind);
        Some(Access { space, address: touch.addresses[lane], bytes, kind })
    }

    /// The address of the mbarrier object that an instruction names: a variable or a register, and
    /// an offset.
    fn mbarrier_of(&self, step: &Step, lane: usize) -> Option<u64> {
        let (_, operand) = step.text.split_once('[')?;
        let (operand, _) = operand.split_once(']')?;
        let (base, offset) = operand.split_once('+').unwrap_or((operand, "0"));
        let offset: i64 = offset.trim().parse().ok()?;
        let base = base.trim();
        let values = step.reads.iter().find(|values| &*values.register == base);
        let address = match values {
            Some(values) => *values.bits.get(lane)?,
            None => return Some(self.stepper.variable(base)?.address.wrapping_add_signed(offset)),
        };
        let address = address.wrapping_add_signed(offset);
        match step.name.contains(".shared") {
            true => Some(address),
            false => match self.stepper.space_of(address) {
                (Space::Shared, address) => Some(address),
                (Space::Global | Space::Local | Space::Const | Space::Param | Space::Tex, _) => {
                    None
                }
            },
        }
    }

    /// The cell that a lane accessed.
    fn region_accessed(&self, thread: ThreadId, access: &Access) -> Region {
        let ty = match access.bytes {
            1 => Type::B8,
            2 => Type::B16,
            4 => Type::B32,
            _ => Type::B64,
        };
        let name = self.name_at(access.space, access.address).unwrap_or_default();
        let block = (access.space == Space::Shared).then_some(thread.block);
        Region { block, is_single: true, ..Region::global(name, access.address, ty, 1) }
    }

    /// What a person calls the memory at an address: `s[3]`, `@2[0]`.
    fn name_at(&self, space: Space, address: u64) -> Option<String> {
        let cell = |name: &str, first: u64, bytes: u64, ty: Type| {
            let offset = address.checked_sub(first).filter(|offset| *offset < bytes)?;
            let (step, is_only) = (u64::from(width(ty)), bytes == u64::from(width(ty)));
            match (is_only, offset % step) {
                (true, 0) => Some(name.to_owned()),
                (false, 0) => Some(format!("{name}[{}]", offset / step)),
                (_, _) => Some(format!("{name} + {offset}")),
            }
        };
        let buffers = self.buffers().iter().filter(|_| space == Space::Global);
        let mut of_buffers = buffers.map(|buffer| {
            cell(&format!("@{}", buffer.place), buffer.pointer.0, buffer.bytes, buffer.ty)
        });
        let variables = self.stepper.variables();
        let mut of_variables = variables.iter().filter(|v| v.space == space).map(|variable| {
            let region = self.region_of_variable(variable, None).ok()?;
            cell(&variable.name, variable.address, variable.bytes, region.ty)
        });
        of_variables.find_map(|name| name).or_else(|| of_buffers.find_map(|name| name))
    }
}

/// What an instruction gave a lane.
fn given(step: &Step, lane: usize) -> Option<Value> {
    let values = step.writes.first()?;
    Some(Value::Bits(values.ty, *values.bits.get(lane)?))
}
