//! Warp operations: member masks, and the lanes that `shfl` reads.

use warpsim_language::internal;

use super::block::Block;
use super::plan::Plan;
use super::position::{Wait, Warp};
use super::result::{Absence, Spot, Violation, Violations};
use crate::lanes::{FULL, LANES, Mask, Slot, lanes_of};
use crate::lower::{Pc, Program, WarpAction, WarpOperation};
use crate::observe::{Event, WarpEvent};

fn operation(program: &Program, pc: Pc) -> Option<&WarpOperation> {
    program.operations.get(pc as usize)?.kind.warp()
}

fn lanes_where(among: Mask, is: impl Fn(usize) -> bool) -> Mask {
    lanes_of(among).filter(|lane| is(*lane)).fold(0, |mask, lane| mask | 1 << lane)
}

fn first(lanes: Mask) -> usize {
    lanes.trailing_zeros() as usize % LANES
}

fn spot(event: &Event<'_>, lane: usize) -> Spot {
    Spot { block: event.block, warp: event.warp, lane: lane as u32, pc: event.pc }
}

/// Lanes with the member mask that they name, a group for each mask.
fn by_mask(lanes: Mask, masks: &[u32; LANES]) -> Vec<(Mask, Mask)> {
    let mut rest = lanes;
    let mut groups = Vec::new();
    while rest != 0 {
        let mask = masks[first(rest)];
        let same = lanes_where(rest, |lane| masks[lane] == mask);
        rest &= !same;
        groups.push((mask, same));
    }
    groups
}

/// Lanes reach a warp operation. Each must be in its own member mask; they may have to wait.
pub(super) fn arrive(
    warp: &mut Warp,
    event: &Event<'_>,
    is_lockstep: bool,
    violations: &mut Violations,
) {
    let Some(operation) = operation(event.program, event.pc) else { return };
    let Some(slot) = operation.mask else { return };
    let masks = event.registers.w32(slot);
    let outside = lanes_where(event.active, |lane| masks[lane] >> lane & 1 == 0);
    // `redux` by such a lane stops the machine, which reports it.
    if outside != 0 && !matches!(operation.action, WarpAction::Redux { .. }) {
        let lane = first(outside);
        let at = spot(event, lane);
        violations.add(Violation::NotInOwnMask { at, mask: masks[lane] });
    }
    if !is_lockstep {
        let groups = by_mask(event.active, masks).into_iter();
        warp.waits.extend(groups.map(|(mask, lanes)| Wait { lanes, pc: event.pc, mask }));
    }
}

/// Lanes execute a warp operation together.
pub(super) fn together(
    block: &mut Block,
    plan: &Plan,
    event: &WarpEvent<'_>,
    is_lockstep: bool,
    violations: &mut Violations,
) {
    let found = event.parts.first().and_then(|part| block.warps.get_mut(part.warp as usize));
    let nobody = || internal!("no warp takes part in what lanes do together");
    let Some(warp) = violations.bug.known(found, nobody) else { return };
    warp.waits.iter_mut().for_each(|wait| wait.lanes &= !event.together);
    warp.waits.retain(|wait| wait.lanes != 0);
    let whole = event.together == warp.exists;
    for part in event.parts {
        let found = operation(part.program, part.pc);
        let alone = || internal!("lanes together do what is at {}", part.pc);
        let Some(operation) = violations.bug.known(found, alone) else { return };
        if let Some(slot) = operation.mask
            && (!whole || is_lockstep)
        {
            let groups = by_mask(part.active, part.registers.w32(slot));
            for (mask, lanes) in groups {
                let members = Members { mask, lanes, event };
                judge(warp, plan, part, &members, is_lockstep, violations);
            }
        }
        // Under independent those who act together name the same lanes.
        if event.together != FULL || is_lockstep {
            find_inactive_source(warp, part, operation, event, violations);
        }
    }
}

/// Lanes that execute a warp operation with one member mask.
struct Members<'a> {
    mask: Mask,
    lanes: Mask,
    event: &'a WarpEvent<'a>,
}

/// Whether the lanes that a mask names and that do not take part should have.
fn judge(
    warp: &Warp,
    plan: &Plan,
    part: &Event<'_>,
    members: &Members<'_>,
    is_lockstep: bool,
    violations: &mut Violations,
) {
    let Members { mask, lanes, event } = *members;
    let waiting = spot(part, first(lanes));
    let inactive = mask & event.live & !event.together;
    if is_lockstep && inactive != 0 {
        violations.add(Violation::NotActive { waiting, mask, missing: inactive });
    }
    let others = if is_lockstep { other_masks(part, members) } else { 0 };
    if others != 0 {
        violations.add(Violation::OtherMask { waiting, mask, missing: others });
    }
    find_missing(warp, plan, waiting, mask, mask & !event.live, violations);
}

/// Lanes that take part, are named, and name others (`lockstep`).
fn other_masks(part: &Event<'_>, members: &Members<'_>) -> Mask {
    let slot = operation(part.program, part.pc).and_then(|operation| operation.mask);
    let Some(slot) = slot else { return 0 };
    let masks: &[u32; LANES] = part.registers.w32(slot);
    let others = members.mask & part.active & !members.lanes;
    lanes_where(others, |lane| masks[lane] != members.mask)
}

/// Which of the lanes that a mask names, and that are not there, have passed by or have executed
/// the operation with another mask.
fn find_missing(
    warp: &Warp,
    plan: &Plan,
    waiting: Spot,
    mask: Mask,
    missing: Mask,
    violations: &mut Violations,
) {
    if missing == 0 {
        return;
    }
    let ahead = plan.ahead.get(&waiting.pc).map_or(&[][..], Vec::as_slice);
    let lane = waiting.lane as usize;
    let progress = warp.progress(ahead, lane);
    if let Some((place, passed)) = warp.passed(ahead, missing, &progress) {
        let (lane, pc) = (first(passed) as u32, ahead[place].place);
        violations.add(Violation::PassedWarpOperation {
            waiting,
            passing: Spot { lane, pc, ..waiting },
            mask,
            missing: passed,
            branches: ahead[place].branches.clone(),
        });
        return;
    }
    let Some(executions) = plan.executions.get(&waiting.pc) else { return };
    let times = warp.at(*executions, lane);
    let level = lanes_where(missing, |other| warp.all_like(ahead, 1 << other, &progress));
    let missing = lanes_where(level, |other| warp.at(*executions, other) >= times);
    if missing != 0 {
        violations.add(Violation::OtherMask { waiting, mask, missing });
    }
}

/// A lane that gets a value from one that does not take part.
fn find_inactive_source(
    warp: &Warp,
    part: &Event<'_>,
    operation: &WarpOperation,
    event: &WarpEvent<'_>,
    violations: &mut Violations,
) {
    let sources = match operation.action.sources(part.registers) {
        Ok(Some(sources)) => sources,
        Ok(None) => return,
        Err(bug) => return violations.bug.note(bug),
    };
    let named = |slot: Option<Slot>, lane| slot.map_or(FULL, |s| part.registers.w32(s)[lane]);
    let pairs = lanes_of(part.active).flat_map(|lane| {
        // A shuffle that is out of range reads its own lane.
        lanes_of(sources[lane]).map(move |source| (lane, source))
    });
    for (lane, source) in pairs {
        let has = |mask: Mask| mask >> source & 1 == 1;
        let is_named = has(named(operation.mask, lane));
        if source == lane || has(event.together) && is_named {
            continue;
        }
        let why = match () {
            () if !has(warp.exists) => Absence::NoThread,
            () if !has(event.live) => Absence::Exited,
            () if !has(event.together) => Absence::Elsewhere,
            () => Absence::NotNamed,
        };
        let at = spot(part, lane);
        violations.add(Violation::InactiveSource { at, source: source as u32, why });
    }
}

/// The launch has ended: judges who still waits for lanes of his warp.
pub(super) fn end(block: &Block, plan: &Plan, program: &Program, violations: &mut Violations) {
    for (warp, number) in block.warps.iter().zip(0..) {
        if warp.waits.is_empty() {
            continue;
        }
        let (movable, barriers) = movable(block, number, program);
        for wait in &warp.waits {
            let lane = first(wait.lanes) as u32;
            let waiting = Spot { block: block.number, warp: number, lane, pc: wait.pc };
            let absent = wait.mask & warp.exists & !present(warp, wait, program);
            find_missing(warp, plan, waiting, wait.mask, absent, violations);
            let stuck = absent & !warp.exited & !movable;
            let places = warp.waits.iter().map(|w| (w.lanes, w.pc)).chain(barriers.iter().copied());
            let other = places.filter(|(lanes, _)| lanes & stuck != 0).min_by_key(|p| p.1);
            if let Some((lanes, pc)) = other
                && wait.lanes & movable == 0
            {
                let other = Spot { lane: first(lanes & stuck) as u32, pc, ..waiting };
                let mask = wait.mask;
                violations.add(Violation::Stuck { waiting, mask, other, missing: stuck });
            }
        }
    }
}

/// The lanes that wait for the same.
fn present(warp: &Warp, wait: &Wait, program: &Program) -> Mask {
    let action = |pc| operation(program, pc).map(|operation| &operation.action);
    let alike = |w: &&Wait| {
        let (Some(a), Some(b)) = (action(w.pc), action(wait.pc)) else { return false };
        w.mask == wait.mask && a.joins(b)
    };
    warp.waits.iter().filter(alike).fold(0, |lanes, w| lanes | w.lanes)
}

/// The lanes of a warp that may still move, as far as its other lanes are concerned; and those that
/// wait at block barriers, which need all lanes of the warp.
fn movable(block: &Block, number: u32, program: &Program) -> (Mask, Vec<(Mask, Pc)>) {
    let warp = &block.warps[number as usize];
    let live = warp.exists & !warp.exited;
    let arrivals = block.open.iter().flat_map(|open| &open.arrivals);
    let here = arrivals.filter(|a| a.warp == number && a.waits);
    let barriers: Vec<(Mask, Pc)> = here.map(|a| (a.lanes, a.pc)).collect();
    let at_barrier = barriers.iter().fold(0, |lanes, b| lanes | b.0);
    let waiting = warp.waits.iter().fold(at_barrier, |lanes, w| lanes | w.lanes);
    let mut movable = live & !waiting;
    loop {
        let may = |needs: Mask, present: Mask| needs & live & !present & !movable == 0;
        let released = warp.waits.iter().filter(|w| may(w.mask, present(warp, w, program)));
        let mut next = released.fold(movable, |lanes, w| lanes | w.lanes);
        if may(live, at_barrier) {
            next |= at_barrier;
        }
        if next == movable {
            return (movable, barriers);
        }
        movable = next;
    }
}
