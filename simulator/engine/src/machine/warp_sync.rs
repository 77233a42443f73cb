//! Operations for which lanes of a warp wait for each other: `bar.warp.sync`, `shfl`, `vote`,
//! `match`, `redux`, `elect` (PTX ISA 9.7.9.6, 9.7.13.2, 9.7.13.9 to 9.7.13.12).
//!
//! Under `independent` a lane waits until every lane that its member mask names and that has not
//! exited is at an operation of the same kind with the same mask; they then act as one, even from
//! different instructions or call stacks. Under `lockstep` whoever is there acts at once.
//!
//! Where PTX leaves the outcome open: a lane that does not take part contributes 0 to a `shfl` that
//! reads it, as measured on an H200. `redux` by a lane outside its own mask is a fault, as on
//! hardware.

use super::barrier;
use super::profile::Model;
use super::stage::Stage;
use super::stop::{FaultKind, Stop};
use super::warp::{State, Warp};
use crate::lanes::{LANES, Mask, lanes_of, write_lanes};
use crate::lower::{AtomicOperation, Kind, Pc, VoteMode, WarpAction, WarpOperation};
use crate::ptx::Type;

/// Lanes of one fragment that take part.
struct Part {
    fragment: usize,
    lanes: Mask,
    pc: Pc,
}

/// Whether two operations can be executed as one.
fn same_kind(a: &WarpAction, b: &WarpAction) -> bool {
    use WarpAction as A;
    match (a, b) {
        (A::Shuffle { mode: x, .. }, A::Shuffle { mode: y, .. }) => x == y,
        (A::Vote { mode: x, .. }, A::Vote { mode: y, .. }) => x == y,
        (A::Match { all: x, wide: v, .. }, A::Match { all: y, wide: w, .. }) => x == y && v == w,
        (A::Redux { operation: x, ty: s, .. }, A::Redux { operation: y, ty: t, .. }) => {
            x == y && s == t
        }
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

impl Stage<'_, '_> {
    /// A fragment arrives at a warp operation; `active` are the lanes whose guard holds. Whether it
    /// was executed.
    pub(super) fn arrive_at_warp_operation(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        operation: &WarpOperation,
    ) -> Result<bool, Stop> {
        let fragment = &warp.fragments[index];
        let (pc, frame) = (fragment.pc, usize::from(fragment.frame));
        let Some(slot) = operation.mask else {
            let part = Part { fragment: index, lanes: active, pc };
            return self.execute_together(warp, &[part]).map(|()| true);
        };
        let masks = *warp.frames[frame].registers.w32(slot);
        if let WarpAction::Redux { .. } = operation.action {
            let outside = lanes_of(active).filter(|lane| masks[*lane] >> lane & 1 == 0);
            if let Some(lane) = outside.min() {
                return Err(self.fault(warp, 1 << lane, pc, FaultKind::ReduxOutsideMask));
            }
        }
        if self.environment.model == Model::Lockstep {
            let part = Part { fragment: index, lanes: active, pc };
            return self.execute_together(warp, &[part]).map(|()| true);
        }
        // Lanes that name different masks wait for different lanes.
        let mut rest = active;
        let mut at = index;
        if active != fragment.mask {
            at = super::divergence::split(warp, index, active);
            warp.fragments[index].pc += 1;
        }
        loop {
            let mask = masks[rest.trailing_zeros() as usize % LANES];
            let same = lanes_of(rest).filter(|lane| masks[*lane] == mask);
            let group = same.fold(0, |group, lane| group | 1 << lane);
            rest &= !group;
            let part = if rest == 0 { at } else { super::divergence::split(warp, at, group) };
            warp.fragments[part].state = State::Warp(mask);
            if rest == 0 {
                break;
            }
        }
        self.try_warp_operations(warp)
    }

    /// Executes every warp operation whose lanes are all there. Whether there was one.
    pub(super) fn try_warp_operations(&mut self, warp: &mut Warp) -> Result<bool, Stop> {
        let mut any = false;
        while let Some(parts) = self.complete_group(warp) {
            for part in &parts {
                warp.fragments[part.fragment].state = State::Ready;
            }
            self.execute_together(warp, &parts)?;
            any = true;
        }
        Ok(any)
    }

    /// A group of waiting lanes that nobody is missing from.
    fn complete_group(&self, warp: &Warp) -> Option<Vec<Part>> {
        let program = &self.environment.program;
        let action = |pc: Pc| match &program.operations[pc as usize].kind {
            Kind::Warp(operation) => Some(&operation.action),
            _ => None,
        };
        warp.fragments.iter().find_map(|first| {
            let State::Warp(mask) = first.state else { return None };
            let kind = action(first.pc)?;
            let members = warp.fragments.iter().enumerate().filter(|(_, f)| {
                f.state == first.state && action(f.pc).is_some_and(|a| same_kind(a, kind))
            });
            let parts: Vec<Part> =
                members.map(|(i, f)| Part { fragment: i, lanes: f.mask, pc: f.pc }).collect();
            let here = parts.iter().fold(0, |lanes, part| lanes | part.lanes);
            (mask & warp.live & !here == 0).then_some(parts)
        })
    }

    /// Executes one warp operation for all its parts and moves them on.
    fn execute_together(&mut self, warp: &mut Warp, parts: &[Part]) -> Result<(), Stop> {
        let together = parts.iter().fold(0, |lanes, part| lanes | part.lanes);
        let inputs = self.inputs(warp, parts);
        let told: Vec<_> = parts.iter().map(|p| (p.fragment, p.lanes, p.pc)).collect();
        self.tell_together(warp, &told);
        let program = std::sync::Arc::clone(&self.environment.program);
        for part in parts {
            let Kind::Warp(operation) = &program.operations[part.pc as usize].kind else {
                continue;
            };
            let fragment = &warp.fragments[part.fragment];
            let registers = &mut warp.frames[usize::from(fragment.frame)].registers;
            let scope = operation.mask.map_or([together; LANES], |slot| *registers.w32(slot));
            give(registers, &operation.action, part.lanes, together, &inputs, &scope);
            if self.is_watched() {
                let fragment = fragment.clone();
                self.tell(warp, &fragment, part.lanes, false);
            }
            warp.fragments[part.fragment].pc = part.pc + 1;
        }
        Ok(())
    }

    /// What each lane gives: its value, or whether its predicate holds.
    fn inputs(&self, warp: &Warp, parts: &[Part]) -> [u64; LANES] {
        let mut inputs = [0; LANES];
        for part in parts {
            let fragment = &warp.fragments[part.fragment];
            let registers = &warp.frames[usize::from(fragment.frame)].registers;
            let operation = &self.environment.program.operations[part.pc as usize];
            let Kind::Warp(operation) = &operation.kind else { continue };
            for lane in lanes_of(part.lanes) {
                inputs[lane] = match &operation.action {
                    WarpAction::Shuffle { a, .. }
                    | WarpAction::Redux { a, .. }
                    | WarpAction::Match { wide: false, a, .. } => registers.w32(*a)[lane].into(),
                    WarpAction::Match { wide: true, a, .. } => registers.w64(*a)[lane],
                    WarpAction::Vote { p, .. } => {
                        u64::from(barrier::holds(registers, *p) >> lane & 1)
                    }
                    WarpAction::Sync | WarpAction::Elect { .. } => 0,
                };
            }
        }
        inputs
    }
}

/// The lanes of `among` for which `f` holds.
fn lanes_where(among: Mask, f: impl Fn(usize) -> bool) -> Mask {
    lanes_of(among).filter(|lane| f(*lane)).fold(0, |mask, lane| mask | 1 << lane)
}

/// Writes the results of a warp operation to the lanes of one part. `together` take part; lane i
/// named `members[i]`.
fn give(
    registers: &mut crate::lanes::Registers,
    action: &WarpAction,
    lanes: Mask,
    together: Mask,
    inputs: &[u64; LANES],
    members: &[Mask; LANES],
) {
    match action {
        WarpAction::Sync => {}
        WarpAction::Shuffle { mode, d, p, a: _, b, c } => {
            let (b, c) = (*registers.w32(*b), *registers.w32(*c));
            let source: [(usize, bool); LANES] =
                std::array::from_fn(|lane| mode.source(lane, b[lane], c[lane]));
            let values = source.map(|(lane, _)| inputs[lane] as u32);
            write_lanes(registers, *d, lanes, &values);
            if let Some(p) = p {
                registers.set_predicate(*p, lanes, lanes_where(lanes, |lane| source[lane].1));
            }
        }
        WarpAction::Vote { mode, d, p: _ } => {
            let votes = lanes_where(together, |lane| inputs[lane] != 0);
            let per_lane = members.map(|m| (votes & m, together & m));
            let all = |f: fn(Mask, Mask) -> bool| {
                lanes_where(lanes, |lane| f(per_lane[lane].0, per_lane[lane].1))
            };
            match mode {
                VoteMode::Ballot => write_lanes(registers, *d, lanes, &per_lane.map(|v| v.0)),
                VoteMode::All => registers.set_predicate(*d, lanes, all(|v, m| v == m)),
                VoteMode::Any => registers.set_predicate(*d, lanes, all(|v, _| v != 0)),
                VoteMode::Uniform => {
                    registers.set_predicate(*d, lanes, all(|v, m| v == 0 || v == m));
                }
            }
        }
        WarpAction::Match { all, d, p, .. } => {
            let equal = |lane: usize| {
                lanes_where(together & members[lane], |other| inputs[other] == inputs[lane])
            };
            let masks: [Mask; LANES] = std::array::from_fn(equal);
            let unanimous = lanes_where(lanes, |lane| masks[lane] == together & members[lane]);
            let found = std::array::from_fn(|lane| {
                if !*all || unanimous >> lane & 1 == 1 { masks[lane] } else { 0 }
            });
            write_lanes(registers, *d, lanes, &found);
            if let Some(p) = p {
                registers.set_predicate(*p, lanes, unanimous);
            }
        }
        WarpAction::Redux { operation, ty, d, .. } => {
            let reduced = std::array::from_fn(|lane| {
                reduce(*operation, *ty, together & members[lane], inputs)
            });
            write_lanes(registers, *d, lanes, &reduced);
        }
        WarpAction::Elect { d, p } => {
            let leader: [u32; LANES] =
                std::array::from_fn(|lane| (together & members[lane]).trailing_zeros() % 32);
            registers.set_predicate(*p, lanes, lanes_where(lanes, |l| leader[l] == l as u32));
            if let Some(d) = d {
                write_lanes(registers, *d, lanes, &leader);
            }
        }
    }
}

fn reduce(operation: AtomicOperation, ty: Type, among: Mask, inputs: &[u64; LANES]) -> u32 {
    let values = lanes_of(among).map(|lane| inputs[lane]);
    let reduced = values.reduce(|a, b| super::atomic::apply(operation, ty, a, b, 0, false));
    reduced.unwrap_or(0) as u32
}
