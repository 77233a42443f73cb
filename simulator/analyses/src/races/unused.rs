//! Reads of threads that do not use what they read, while others use it: no order is missing.
//!
//! Compilers of tiles (Triton) give several lanes the same element where a tile is smaller than the
//! block. All of them load it, and one of them stores the result: what the others have loaded and
//! computed goes nowhere. By the PTX ISA (8.7.1) such a load still races with the store, but a read
//! that returns another value changes nothing.
//!
//! The run is repeated, and what the suspected loads of the kernel have read is followed through
//! registers and from lane to lane. A value is used when it is an address, a guard or an index,
//! when it is stored, given to an atomic or to a function, or decides who takes part in something.
//! A thread none of whose values is used reads for nothing. A load whose value no thread uses at
//! all is left alone: nothing says what it was for.
//!
//! Deviations, and in which direction they can be wrong:
//!
//! - Stores to any memory are uses, also to local memory that nobody reads (a race is told as one,
//!   although nothing comes of it). A vote or a product of matrices gives every lane the values of
//!   all (the same).
//! - A thread's suspected loads are followed together: one value that is used makes all of them
//!   used (the same). Only 32 loads of a kernel are followed.
//! - Loads in functions that the kernel calls are not followed (the same).

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxBuildHasher;

use super::conflict::{Conflict, End};
use super::operation::Kind as AccessKind;
use super::thread::ThreadId;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Effect, Kind, Operand, Origin, Pc, Program, Purpose, Register, Role};
use crate::observe::{Event, FirstBug, Interest, Observer, WarpEvent};

/// A warp: its block, and its number there.
type WarpId = (u64, u32);

/// The reads of threads that use none of their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Unused {
    reads: BTreeSet<Pc>,
    /// The lanes of each warp that read for nothing.
    lanes: HashMap<WarpId, Mask, FxBuildHasher>,
}

impl Unused {
    /// Whether a thread reads for nothing at an instruction.
    pub(super) fn contains(&self, pc: Pc, thread: ThreadId) -> bool {
        let lanes = || self.lanes.get(&(thread.block(), thread.warp())).copied().unwrap_or(0);
        !thread.is_copy() && self.reads.contains(&pc) && lanes() >> thread.lane() & 1 == 1
    }
}

/// The loads of the kernel in some races, of which it may be that nobody uses what they read.
pub(super) fn suspected(conflicts: &[Conflict], program: &Program) -> BTreeSet<Pc> {
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
    loads.into_iter().take(LANES).collect()
}

/// Where values come from: the lanes of the warp that have read them, and in the upper half the
/// loads, by their numbers among those that are followed.
type Sources = u64;

/// The lanes of sources.
fn lanes_in(sources: Sources) -> Mask {
    sources as Mask
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

    /// What goes into all that is read for some purposes, lane by lane.
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
    reads: BTreeSet<Pc>,
    warps: HashMap<WarpId, Registers, FxBuildHasher>,
    /// The lanes of each warp that have read.
    readers: HashMap<WarpId, Mask, FxBuildHasher>,
    /// Those of them whose values were used, and the loads.
    used: HashMap<WarpId, Sources, FxBuildHasher>,
    pub(super) bug: FirstBug,
}

impl Following {
    pub(super) fn new(reads: BTreeSet<Pc>) -> Following {
        Following { reads, ..Following::default() }
    }

    /// Who reads for nothing what others use; `None` where nobody does.
    pub(super) fn unused(self) -> Option<Unused> {
        let Following { reads, mut readers, used, .. } = self;
        let loads = used.values().fold(0, |all, sources| all | sources) >> LANES;
        let is_used = |number: usize| loads >> number & 1 == 1;
        let reads = reads.into_iter().enumerate().filter(|(number, _)| is_used(*number));
        let reads: BTreeSet<Pc> = reads.map(|(_, pc)| pc).collect();
        for (warp, lanes) in &mut readers {
            *lanes &= !lanes_in(used.get(warp).copied().unwrap_or(0));
        }
        readers.retain(|_, lanes| *lanes != 0);
        let is_any = !readers.is_empty() && !reads.is_empty();
        is_any.then_some(Unused { reads, lanes: readers })
    }

    /// Whether an operation is the kernel's, and of a warp that has read something, or reads now.
    fn concerns(&self, event: &Event<'_>) -> bool {
        let is_known = || self.warps.contains_key(&(event.block, event.warp));
        event.function == 0 && (self.reads.contains(&event.pc) || is_known())
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
                let number = self.reads.iter().position(|pc| *pc == event.pc);
                for (register, origin) in written(&operands) {
                    let load = number.filter(|_| origin == Origin::Memory);
                    let load = load.map_or(0, |number| 1 << (LANES + number));
                    let read = |lane: usize| if load == 0 { 0 } else { load | 1 << lane };
                    registers.set(register, active, read);
                }
                if number.is_some() {
                    *self.readers.entry(warp).or_default() |= active;
                }
            }
        }
        if used != 0 {
            *self.used.entry(warp).or_default() |= used;
        }
    }

    fn together(&mut self, event: &WarpEvent<'_>) {
        let Some(first) = event.parts.first() else { return };
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
                None => return,
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
