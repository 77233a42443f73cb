//! Reads of threads that do not use what they read, while others use it: no order is missing.
//!
//! Compilers of tiles (Triton) give several lanes the same element where a tile is smaller than the
//! block. All of them load it, and one of them stores the result. The values that the others loaded
//! and computed are not used. By the PTX ISA (8.7.1) such a load still races with the store, but a
//! read that returns another value changes nothing.
//!
//! The run is repeated, and the values of the suspected loads of the kernel are followed through
//! registers and from lane to lane. A value is used when it is an address, a guard or an index, or
//! decides who takes part in something. It is also used when it is stored, or given to an atomic or
//! to a function. If a thread uses none of its values, its reads have no effect. A load without any
//! thread that uses its value is left alone: its purpose is unknown.
//!
//! Deviations, and in which direction they can be wrong:
//!
//! - Stores to any memory are uses, also to local memory that nobody reads (a race is reported,
//!   although it has no effect). A vote or a product of matrices gives every lane the values of all
//!   (the same).
//! - Only 32 loads of a kernel are followed (the same).
//! - Loads in functions that the kernel calls are not followed (the same).

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxBuildHasher;
use warpsim_language::internal;

use super::conflict::{Conflict, End};
use super::operation::Kind as AccessKind;
use super::thread::ThreadId;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Effect, Kind, Operand, Origin, Pc, Program, Purpose, Register, Role};
use crate::observe::{Event, FirstBug, Interest, Observer, WarpEvent};

/// A warp: its block, and its number there.
type WarpId = (u64, u32);

/// The reads of threads that do not use what they read.
#[derive(Clone, Debug, Default)]
pub(super) struct Unused {
    /// The lanes of a warp that read for nothing at an instruction.
    lanes: HashMap<(Pc, WarpId), Mask, FxBuildHasher>,
}

impl Unused {
    /// Whether a thread reads for nothing at an instruction.
    pub(super) fn contains(&self, pc: Pc, thread: ThreadId) -> bool {
        let warp = (thread.block(), thread.warp());
        let lanes = self.lanes.get(&(pc, warp)).copied().unwrap_or(0);
        !thread.is_copy() && lanes >> thread.lane() & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Adds the lanes of another one.
    pub(super) fn extend(&mut self, other: Unused) {
        self.lanes.extend(other.lanes);
    }
}

/// The loads of the kernel in some races whose values may be unused.
pub(super) fn suspected(conflicts: &[Conflict], program: &Program) -> Vec<Pc> {
    let kernel = program.functions.first().map_or(0..0, |kernel| kernel.entry..kernel.end);
    let is_weak = |end: &&End| {
        end.class.kind == AccessKind::Read && end.class.strong.is_none() && !end.thread.is_copy()
    };
    let is_load = |pc: &Pc| {
        let operation = program.operations.get(*pc as usize);
        kernel.contains(pc) && operation.is_some_and(|o| matches!(o.kind, Kind::Load(_)))
    };
    let races = conflicts.iter().filter(|conflict| conflict.weakness.is_some());
    let ends = races.flat_map(|conflict| [&conflict.earlier, &conflict.later]);
    let loads: BTreeSet<Pc> = ends.filter(is_weak).map(|end| end.pc).filter(is_load).collect();
    loads.into_iter().take(MOST).collect()
}

/// The most loads of a kernel that are followed.
const MOST: usize = 32;

/// How many loads are followed in one run.
pub(super) const AT_ONCE: usize = 4;

/// Where values come from: of each of the loads, the lanes of the warp that have read there.
type Sources = u128;

/// A value that a lane has read at a load, by its number.
fn source(load: usize, lane: usize) -> Sources {
    1 << (LANES * load + lane)
}

/// The lanes of a load.
fn lanes_at(sources: Sources, load: usize) -> Mask {
    (sources >> (LANES * load)) as Mask
}

/// Of each register of a warp, for each lane: which suspected values have gone into it.
#[derive(Debug, Default)]
struct Registers(HashMap<Register, [Sources; LANES], FxBuildHasher>);

impl Registers {
    /// What has gone into a register in some lanes.
    fn of(&self, register: Register, lanes: Mask) -> Sources {
        let of = |held: &[Sources; LANES]| lanes_of(lanes).fold(0, |all, lane| all | held[lane]);
        self.0.get(&register).map_or(0, of)
    }

    fn set(&mut self, register: Register, lanes: Mask, value: impl Fn(usize) -> Sources) {
        if !self.0.contains_key(&register) && lanes_of(lanes).all(|lane| value(lane) == 0) {
            return;
        }
        let held = self.0.entry(register).or_insert([0; LANES]);
        for lane in lanes_of(lanes) {
            held[lane] = value(lane);
        }
    }

    /// The reads that reach any use for some purposes, lane by lane.
    fn given(
        &self,
        operands: &[Operand],
        lanes: Mask,
        is_one: fn(Purpose) -> bool,
    ) -> [Sources; LANES] {
        let mut given = [0; LANES];
        for operand in operands {
            let Role::Reads(purpose) = operand.role else { continue };
            if let Some(held) = self.0.get(&operand.register).filter(|_| is_one(purpose)) {
                lanes_of(lanes).for_each(|lane| given[lane] |= held[lane]);
            }
        }
        given
    }
}

fn any(_: Purpose) -> bool {
    true
}

fn is_member(purpose: Purpose) -> bool {
    purpose == Purpose::Members
}

fn is_given(purpose: Purpose) -> bool {
    purpose != Purpose::Members
}

fn written(operands: &[Operand]) -> impl Iterator<Item = (Register, Origin)> + '_ {
    operands.iter().filter_map(|operand| match operand.role {
        Role::Writes(origin) => Some((operand.register, origin)),
        Role::Reads(_) => None,
    })
}

/// What becomes of the values that an operation reads.
enum Fate {
    /// They go into what it writes, lane by lane.
    Computed,
    /// They go to other lanes.
    Exchanged,
    /// They are used.
    Used,
}

impl Fate {
    fn of(kind: &Kind) -> Fate {
        match kind.effect() {
            // How much memory is taken decides where later memory lies.
            Effect::Registers if matches!(kind, Kind::Stack(_)) => Fate::Used,
            Effect::Registers => Fate::Computed,
            Effect::Warp(_) => Fate::Exchanged,
            Effect::Memory(..)
            | Effect::Barrier(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Mbarrier(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => Fate::Used,
        }
    }
}

/// Follows what suspected loads read.
#[derive(Debug, Default)]
pub(super) struct Following {
    loads: Vec<Pc>,
    warps: HashMap<WarpId, Registers, FxBuildHasher>,
    /// What each warp has read.
    read: HashMap<WarpId, Sources, FxBuildHasher>,
    /// What of it was used.
    used: HashMap<WarpId, Sources, FxBuildHasher>,
    pub(super) bug: FirstBug,
}

impl Following {
    /// Follows at most [`AT_ONCE`] loads.
    pub(super) fn new(loads: &[Pc]) -> Following {
        let loads = loads.iter().copied().take(AT_ONCE).collect();
        Following { loads, ..Following::default() }
    }

    /// Who reads for nothing what others use.
    pub(super) fn unused(self) -> Unused {
        let Following { loads, read, used, .. } = self;
        let all_used = used.values().fold(0, |all, sources| all | sources);
        let mut unused = Unused::default();
        for (number, pc) in loads.into_iter().enumerate() {
            if lanes_at(all_used, number) == 0 {
                continue;
            }
            for (warp, read) in &read {
                let used = used.get(warp).copied().unwrap_or(0);
                let lanes = lanes_at(read & !used, number);
                if lanes != 0 {
                    unused.lanes.insert((pc, *warp), lanes);
                }
            }
        }
        unused
    }

    /// Whether an operation is the kernel's, and of a warp that has read something, or reads now.
    fn concerns(&self, event: &Event<'_>) -> bool {
        let is_known = || self.warps.contains_key(&(event.block, event.warp));
        event.function == 0 && (self.loads.contains(&event.pc) || is_known())
    }
}

impl Observer for Following {
    fn interest(&self) -> Interest {
        Interest::none().with_instructions(true).with_synchronisation(true)
    }

    fn before(&mut self, event: &Event<'_>) {
        if !self.concerns(event) {
            return;
        }
        let (warp, active) = ((event.block, event.warp), event.active);
        let operation = event.operation();
        let operands = operation.kind.operands();
        let registers = self.warps.entry(warp).or_default();
        let all = |lanes: [Sources; LANES]| lanes.iter().fold(0, |all, lane| all | lane);
        let mut used = operation
            .guard
            .map_or(0, |guard| registers.of(Register::predicate(guard.predicate), event.mask));
        match Fate::of(&operation.kind) {
            Fate::Computed => {
                let given = registers.given(&operands, active, any);
                for (register, _) in written(&operands) {
                    registers.set(register, active, |lane| given[lane]);
                }
            }
            Fate::Exchanged => used |= all(registers.given(&operands, active, is_member)),
            Fate::Used => {
                used |= all(registers.given(&operands, active, any));
                let load = self.loads.iter().position(|pc| *pc == event.pc);
                for (register, origin) in written(&operands) {
                    let load = load.filter(|_| origin == Origin::Memory);
                    let value = |lane: usize| load.map_or(0, |load| source(load, lane));
                    registers.set(register, active, value);
                }
                if let Some(load) = load {
                    let read = lanes_of(active).fold(0, |all, lane| all | source(load, lane));
                    *self.read.entry(warp).or_default() |= read;
                }
            }
        }
        if used != 0 {
            *self.used.entry(warp).or_default() |= used;
        }
    }

    fn together(&mut self, event: &WarpEvent<'_>) {
        let nobody = || internal!("nobody takes part in what lanes do together");
        let Some(first) = self.bug.known(event.parts.first(), nobody) else { return };
        // A warp that has read nothing that is followed has nothing to hand on.
        let Some(registers) = self.warps.get_mut(&(first.block, first.warp)) else { return };
        let own = || event.parts.iter().filter(|part| part.function == 0);
        let mut given = [0; LANES];
        for part in own() {
            let of_part = registers.given(&part.operation().kind.operands(), part.active, is_given);
            lanes_of(part.active).for_each(|lane| given[lane] = of_part[lane]);
        }
        let everything = given.iter().fold(0, |all, lane| all | lane);
        for part in own() {
            let kind = &part.operation().kind;
            let sources = match kind.warp().map(|warp| warp.action.sources(part.registers)) {
                Some(Ok(sources)) => sources,
                Some(Err(bug)) => return self.bug.note(bug),
                None => {
                    return self.bug.note(internal!("lanes together do what is at {}", part.pc));
                }
            };
            let got = |lane: usize| match &sources {
                Some(sources) => lanes_of(sources[lane]).fold(0, |all, from| all | given[from]),
                None => everything,
            };
            for (register, _) in written(&kind.operands()) {
                registers.set(register, part.active, got);
            }
        }
    }

    fn block_end(&mut self, block: u64) {
        self.warps.retain(|warp, _| warp.0 != block);
    }
}
