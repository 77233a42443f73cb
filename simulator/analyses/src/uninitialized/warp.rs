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
use crate::lower::{Effect, Kind, Multiply, Register, WarpAction, WarpOperation};
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

    /// Lanes use a register in a way that depends on its value.
    fn need(&mut self, register: Register, bytes: u8, what: Use, lanes: Mask) {
        for lane in lanes_of(self.warp.doubtful(self.depth, register) & lanes) {
            let doubt = self.warp.get(self.depth, register, lane);
            if doubt.is_in(bytes) {
                self.uses.reach(doubt.origin, what, self.spot(lane));
            }
        }
    }

    /// An operation passes on the doubts about the values it reads.
    fn pass_on(&mut self, kind: &Kind) {
        match kind.effect() {
            Effect::Registers => {
                if let Kind::Lanes(operation) = kind {
                    self.compute(operation);
                }
            }
            // They are reported when memory is accessed, the function is entered, or the lanes
            // meet.
            Effect::Memory(..) | Effect::Call(_) | Effect::Runtime(_) | Effect::Warp(_) => {}
            // They read nothing as a value, or end the launch.
            Effect::Jump { .. }
            | Effect::Leave(_)
            | Effect::Barrier(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_) => {}
        }
    }

    /// A register operation passes on the doubts about its sources.
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

/// Lanes of a warp hand values to each other. A value takes its doubts along.
///
/// # Errors
///
/// Some of their common actions move values, and some do not.
pub(super) fn exchange(
    warp: &mut WarpRegisters,
    uses: &mut Uses,
    event: &WarpEvent<'_>,
) -> Result<(), InternalError> {
    if !warp.has_doubts() || !event.parts.iter().any(moves_values) {
        return Ok(());
    }
    let other = |part: &Event<'_>| internal!("a value moves, but not at {}", part.pc);
    let actions: Option<Vec<&WarpAction>> = event.parts.iter().map(action).collect();
    let actions = actions.ok_or_else(|| internal!("lanes together do what is no operation"))?;
    let given = given(warp, event, &actions);
    for (part, action) in event.parts.iter().zip(actions) {
        match action {
            WarpAction::Multiply(multiply) => multiplied(warp, uses, part, multiply, &given)?,
            WarpAction::Shuffle { .. }
            | WarpAction::Transpose { .. }
            | WarpAction::Rearrange(_) => {
                handed_on(warp, part, action, &given)?;
            }
            WarpAction::Sync
            | WarpAction::Vote { .. }
            | WarpAction::Match { .. }
            | WarpAction::Redux { .. }
            | WarpAction::Elect { .. } => return Err(other(part)),
        }
    }
    Ok(())
}

/// The doubtful bytes of the values that lanes give, for each register that they give.
fn given(
    warp: &WarpRegisters,
    event: &WarpEvent<'_>,
    actions: &[&WarpAction],
) -> Vec<[Doubt; LANES]> {
    // A lane that does not take part gives something, and that is another analysis's business.
    let mut given: Vec<[Doubt; LANES]> = Vec::new();
    for (part, action) in event.parts.iter().zip(actions) {
        let registers: Vec<Register> = match action {
            WarpAction::Multiply(multiply) => multiply.reads().collect(),
            moving => moving.moves().iter().map(|slot| Register::data(*slot, false)).collect(),
        };
        given.resize(given.len().max(registers.len()), [Doubt::default(); LANES]);
        for (register, given) in registers.iter().zip(&mut given) {
            for lane in lanes_of(part.active) {
                given[lane] = warp.get(warp.depth[lane], *register, lane);
            }
        }
    }
    given
}

/// Values that lanes get as they were given.
fn handed_on(
    warp: &mut WarpRegisters,
    part: &Event<'_>,
    action: &WarpAction,
    given: &[[Doubt; LANES]],
) -> Result<(), InternalError> {
    let bits = |of: fn(&Doubt) -> u8| -> Vec<[u32; LANES]> {
        given.iter().map(|given| given.each_ref().map(|doubt| bits_of(of(doubt)) as u32)).collect()
    };
    let undefined = action.moved(part.registers, &bits(|doubt| doubt.undefined))?;
    let filler = action.moved(part.registers, &bits(|doubt| doubt.filler))?;
    let sources = action.sources(part.registers)?;
    let sources = sources.ok_or_else(|| internal!("values are handed on from nobody"))?;
    for (undefined, filler) in undefined.iter().zip(&filler) {
        for lane in lanes_of(part.active) {
            let of_sources = lanes_of(sources[lane]).flat_map(|l| given.iter().map(move |g| g[l]));
            let mut doubtful = of_sources.filter(|doubt| doubt.undefined != 0);
            let doubt = Doubt {
                undefined: bytes_of(undefined.values[lane].into(), 4),
                filler: bytes_of(filler.values[lane].into(), 4),
                origin: doubtful.next().map_or(0, |doubt| doubt.origin),
            };
            warp.set(warp.depth[lane], Register::data(undefined.d, false), lane, doubt);
        }
    }
    Ok(())
}

/// Values that are products and sums of those given.
fn multiplied(
    warp: &mut WarpRegisters,
    uses: &mut Uses,
    part: &Event<'_>,
    multiply: &Multiply,
    given: &[[Doubt; LANES]],
) -> Result<(), InternalError> {
    let unknown = |given: &[Doubt; LANES]| {
        lanes_of(Mask::MAX).filter(|l| given[*l].undefined != 0).fold(0, |mask, l| mask | 1 << l)
    };
    let lanes: Vec<Mask> = given.iter().map(unknown).collect();
    let mut doubtful = given.iter().flatten().filter(|doubt| doubt.undefined != 0);
    let Some(first) = doubtful.next().map(|doubt| doubt.origin) else {
        for register in multiply.writes() {
            for lane in lanes_of(part.active) {
                warp.set(warp.depth[lane], register, lane, Doubt::default());
            }
        }
        return Ok(());
    };
    for (register, unknown) in multiply.writes().zip(multiply.unknown(&lanes)?) {
        for lane in lanes_of(part.active) {
            let mut doubt = Doubt::default();
            if unknown >> lane & 1 == 1 {
                let Event { pc, block, warp, .. } = *part;
                let spot = Spot { pc, block, warp, lane: lane as u32 };
                doubt.undefined = all(register.bytes());
                doubt.origin = uses.compute(first, spot);
            }
            warp.set(warp.depth[lane], register, lane, doubt);
        }
    }
    Ok(())
}

fn action<'e>(part: &Event<'e>) -> Option<&'e WarpAction> {
    Some(&part.operation().kind.warp()?.action)
}

fn moves_values(part: &Event<'_>) -> bool {
    part.operation().kind.warp().is_some_and(WarpOperation::moves_values)
}
