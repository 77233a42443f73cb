//! One event of a warp, with all that is known about the memories and registers it can reach.

use warpsim_language::internal;
use warpsim_language::internal::InternalError;

use super::copies::Missing;
use super::flow::{self, bits_of, bytes_of};
use super::global::Global;
use super::origin::{OriginId, Spot};
use super::registers::{Doubt, WarpRegisters};
use super::rules::{Rule, destinations, sources};
use super::use_kind::Use;
use super::uses::Uses;
use super::written::{Cells, all};
use crate::lanes::{LANES, Mask, Operands, RegisterOperation, lanes_of};
use crate::lower::{Kind, Moved, Register, WarpOperation};
use crate::observe::{Event, FirstBug, WarpEvent};

/// A warp at an operation.
pub(super) struct Watch<'a, 'e> {
    pub event: &'a Event<'e>,
    pub warp: &'a mut WarpRegisters,
    pub shared: &'a mut Cells,
    pub global: &'a mut Global,
    pub copying: &'a mut Vec<Missing>,
    pub uses: &'a mut Uses,
    /// How deep in calls its lanes are.
    pub depth: u16,
    pub bug: &'a mut FirstBug,
}

impl Watch<'_, '_> {
    /// A lane at the operation.
    pub(super) fn spot(&self, lane: usize) -> Spot {
        let Event { pc, block, warp, .. } = *self.event;
        Spot { pc, block, warp, lane: lane as u32 }
    }

    /// The operation is about to happen.
    pub(super) fn before(&mut self, rule: &Rule, kind: &Kind) {
        let active = self.event.active;
        if self.warp.has_doubts() {
            if let Some(guard) = rule.guard {
                self.need(guard, 1, Use::Predicate, self.event.mask);
            }
            for need in &rule.needs {
                self.need(need.register, need.bytes, need.what, active);
            }
            if rule.passes_on {
                self.pass_on(kind);
            }
            for register in &rule.defines {
                self.warp.clear(self.depth, *register, active);
            }
        }
        if rule.is_transfer && active != 0 {
            self.transfer(kind);
        }
    }

    /// Lanes use a register for something to which its value matters.
    fn need(&mut self, register: Register, bytes: u8, what: Use, lanes: Mask) {
        for lane in lanes_of(self.warp.doubtful(self.depth, register) & lanes) {
            let doubt = self.warp.get(self.depth, register, lane);
            if doubt.is_in(bytes) {
                self.uses.reach(doubt.origin, what, self.spot(lane));
            }
        }
    }

    /// An operation hands on what is not known of the values it reads.
    fn pass_on(&mut self, kind: &Kind) {
        match kind {
            Kind::Lanes(operation) => self.compute(operation),
            // They are told of when memory is accessed, the function is entered, the lanes meet.
            Kind::Store(_) | Kind::Call(_) | Kind::Warp(_) => {}
            // They read nothing as a value.
            Kind::Special32(..)
            | Kind::Special64(..)
            | Kind::LocalAddress32(..)
            | Kind::LocalAddress64(..)
            | Kind::IsSpace { .. }
            | Kind::ActiveMask(_)
            | Kind::Load(_)
            | Kind::Atomic(_)
            | Kind::Span(_)
            | Kind::Stack(_)
            | Kind::Branch { .. }
            | Kind::BranchIndexed(_)
            | Kind::Return
            | Kind::Exit
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::Barrier(_)
            | Kind::Fence(_)
            | Kind::Asynchronous(_)
            | Kind::Nothing => {}
        }
    }

    /// A register operation hands on what is not known.
    fn compute(&mut self, operation: &RegisterOperation) {
        let operands = operation.operands();
        let (depth, active) = (self.depth, self.event.active);
        let doubtful = sources(operands)
            .fold(0, |lanes, (register, _)| lanes | self.warp.doubtful(depth, register));
        let doubtful = doubtful & active;
        if doubtful != 0 && operation.flow().moves() {
            let origins: [OriginId; LANES] =
                std::array::from_fn(|lane| self.doubt_of(operands, lane, true).origin);
            let results = flow::moved(operation, self.event.registers, self.warp, depth, active);
            for result in results {
                for lane in lanes_of(active) {
                    let (undefined, filler) = result.doubts[lane];
                    let doubt = Doubt { undefined, filler, origin: origins[lane] };
                    self.warp.set(depth, result.register, lane, doubt);
                }
            }
            return;
        }
        for lane in lanes_of(doubtful) {
            let source = self.doubt_of(operands, lane, false);
            let spot = self.spot(lane);
            let is_doubtful = source.undefined != 0;
            let origin = if is_doubtful { self.uses.compute(source.origin, spot) } else { 0 };
            for (_, register) in destinations(operands) {
                let undefined = if is_doubtful { all(register.bytes()) } else { 0 };
                self.warp.set(depth, register, lane, Doubt { undefined, filler: 0, origin });
            }
        }
        for (_, register) in destinations(operands) {
            self.warp.clear(depth, register, active & !doubtful);
        }
    }

    /// The doubt of the first source that has one, preferably of one that has been computed with.
    /// `anywhere`: also in bytes that the operation does not look at.
    fn doubt_of(&self, operands: &Operands, lane: usize, anywhere: bool) -> Doubt {
        let mut first = Doubt::default();
        for (register, bytes) in sources(operands) {
            let doubt = self.warp.get(self.depth, register, lane);
            if !doubt.is_in(if anywhere { u8::MAX } else { bytes }) {
                continue;
            }
            if self.uses.origins.is_computed(doubt.origin) {
                return doubt;
            }
            if first.undefined == 0 {
                first = doubt;
            }
        }
        first
    }
}

/// Lanes of a warp hand values to each other: a value brings along what is not known of it.
///
/// # Errors
///
/// Of what they do together some of it moves values, and some does not.
pub(super) fn exchange(
    warp: &mut WarpRegisters,
    event: &WarpEvent<'_>,
) -> Result<(), InternalError> {
    if !warp.has_doubts() || !event.parts.iter().any(moves_values) {
        return Ok(());
    }
    let other = |part: &Event<'_>| internal!("a value moves, but not at {}", part.pc);
    // A lane that does not take part gives something, and that is another analysis's business.
    let mut given = [Doubt::default(); LANES];
    for part in event.parts {
        let Moved { a, .. } = moved(part, &[0; LANES]).ok_or_else(|| other(part))?;
        for lane in lanes_of(part.active) {
            given[lane] = warp.get(warp.depth[lane], Register::data(a, false), lane);
        }
    }
    let undefined = given.map(|doubt| bits_of(doubt.undefined) as u32);
    let filler = given.map(|doubt| bits_of(doubt.filler) as u32);
    for part in event.parts {
        let operation = part.operation().kind.warp();
        let sources = operation.and_then(|o| o.action.sources(part.registers));
        let (undefined, filler) = (moved(part, &undefined), moved(part, &filler));
        let (Some(sources), Some(undefined), Some(filler)) = (sources, undefined, filler) else {
            return Err(other(part));
        };
        for lane in lanes_of(part.active) {
            let mut doubtful = lanes_of(sources[lane]).filter(|l| given[*l].undefined != 0);
            let doubt = Doubt {
                undefined: bytes_of(undefined.values[lane].into(), 4),
                filler: bytes_of(filler.values[lane].into(), 4),
                origin: doubtful.next().map_or(0, |source| given[source].origin),
            };
            warp.set(warp.depth[lane], Register::data(undefined.d, false), lane, doubt);
        }
    }
    Ok(())
}

fn moves_values(part: &Event<'_>) -> bool {
    part.operation().kind.warp().is_some_and(WarpOperation::moves_values)
}

/// What comes of values that the lanes of a part get from others.
fn moved(part: &Event<'_>, given: &[u32; LANES]) -> Option<Moved> {
    part.operation().kind.warp()?.action.moved(part.registers, given)
}
