//! Operations for which lanes of a warp wait for each other: `bar.warp.sync`, `shfl`, `vote`,
//! `match`, `redux`, `elect` (PTX ISA 9.7.9.6, 9.7.13.2, 9.7.13.9 to 9.7.13.12), and operations on
//! matrices (9.7.14).
//!
//! Under `independent` a lane waits for every lane of its member mask that has not exited. Each
//! must be at an operation of the same kind with the same mask. Then they act as one, even from
//! different instructions or call stacks. Under `lockstep` the present lanes act at once.
//!
//! Where PTX leaves the outcome open: a lane that does not take part contributes 0 to a `shfl` that
//! reads it, as measured on an H200. `redux` by a lane outside its own mask is a fault, as on
//! hardware.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Kind, Meeting, Pc, Program, WarpAction, WarpOperation};
use crate::machine::control::divergence;
use crate::machine::progress::patience;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::State;
use crate::machine::state::profile::Model;
use crate::machine::state::stop::{FaultKind, Stop};
use crate::machine::state::warp::Warp;

/// Lanes of one fragment that take part.
#[derive(Clone, Copy)]
struct Part<'p> {
    fragment: usize,
    lanes: Mask,
    pc: Pc,
    operation: &'p WarpOperation,
}

impl Execution<'_, '_> {
    /// Completes the warp operations of a diverged warp, merges its fragments and counts the parts
    /// that were passed over (`independent`).
    pub(in crate::machine) fn settle(&mut self, warp: &mut Warp) -> Result<(), Stop> {
        self.try_warp_operations(warp)?;
        divergence::merge(warp, Mask::MAX);
        patience::pass_over(warp);
        Ok(())
    }

    /// A fragment arrives at a warp operation; `active` are the lanes whose guard holds. Returns
    /// whether the operation was executed.
    #[inline(never)]
    pub(in crate::machine) fn arrive_at_warp_operation(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        operation: &WarpOperation,
    ) -> Result<bool, Stop> {
        let fragment = &warp.fragments[index];
        let (pc, frame) = (fragment.pc, usize::from(fragment.frame));
        let alone = Part { fragment: index, lanes: active, pc, operation };
        let Some(slot) = operation.mask else {
            self.execute_together(warp, &[alone])?;
            return Ok(true);
        };
        let masks = *warp.frames[frame].registers.w32(slot);
        if let WarpAction::Redux { .. } = operation.action {
            let outside = lanes_of(active).filter(|lane| masks[*lane] >> lane & 1 == 0);
            if let Some(lane) = outside.min() {
                return Err(self.fault(warp, 1 << lane, pc, FaultKind::ReduxOutsideMask));
            }
        }
        if self.environment.model == Model::Lockstep {
            self.execute_together(warp, &[alone])?;
            return Ok(true);
        }
        if active == fragment.mask && all_are_here(warp, active, &masks) {
            self.execute_together(warp, &[alone])?;
            return Ok(true);
        }
        // Lanes with different masks wait for different lanes.
        let mut rest = active;
        let mut at = index;
        if active != fragment.mask {
            at = divergence::split(warp, index, active);
            warp.fragments[index].pc += 1;
        }
        loop {
            let mask = masks[rest.trailing_zeros() as usize % LANES];
            let same = lanes_of(rest).filter(|lane| masks[*lane] == mask);
            let group = same.fold(0, |group, lane| group | 1 << lane);
            rest &= !group;
            let part = if rest == 0 { at } else { divergence::split(warp, at, group) };
            warp.fragments[part].state = State::Warp(mask);
            if rest == 0 {
                break;
            }
        }
        self.try_warp_operations(warp)
    }

    /// Executes every warp operation whose lanes are all present. Returns whether there was one.
    pub(in crate::machine) fn try_warp_operations(
        &mut self,
        warp: &mut Warp,
    ) -> Result<bool, Stop> {
        let mut any = false;
        while let Some(parts) = complete_group(warp, &self.environment.program)? {
            for part in &parts {
                warp.fragments[part.fragment].state = State::Ready;
            }
            self.execute_together(warp, &parts)?;
            any = true;
        }
        Ok(any)
    }

    /// Executes one warp operation for all its parts and moves them on.
    fn execute_together(&mut self, warp: &mut Warp, parts: &[Part<'_>]) -> Result<(), Stop> {
        let together = parts.iter().fold(0, |lanes, part| lanes | part.lanes);
        let first = parts.first().ok_or_else(|| internal!("nobody executes it together"))?;
        let count = first.operation.action.registers_given();
        let (mut one, mut several);
        let given: &mut [[u64; LANES]] = if count > 1 {
            several = vec![[0; LANES]; count];
            &mut several
        } else {
            one = [[0; LANES]];
            &mut one
        };
        give(warp, parts, given)?;
        let meeting = Meeting { together, given };
        if self.observer.is_some() {
            let told: Vec<_> = parts.iter().map(|p| (p.fragment, p.lanes, p.pc)).collect();
            self.tell_together(warp, &told);
        }
        for part in parts {
            let fragment = &warp.fragments[part.fragment];
            let registers = &mut warp.frames[usize::from(fragment.frame)].registers;
            part.operation.finish(registers, part.lanes, &meeting)?;
            let whole = !self.environment.program.operations[part.pc as usize].part;
            if self.is_watched() && whole {
                let fragment = fragment.clone();
                self.tell(warp, &fragment, part.lanes, false);
            }
            warp.fragments[part.fragment].pc = part.pc + 1;
        }
        Ok(())
    }
}

/// Whether the lanes `active`, which are a fragment, can act together: no lane of their mask is
/// missing, and no other lane of the warp waits that might join them.
fn all_are_here(warp: &Warp, active: Mask, masks: &[Mask; LANES]) -> bool {
    let mask = masks[active.trailing_zeros() as usize % LANES];
    let differ =
        |(lane, other): (usize, &Mask)| (other ^ mask) & (active >> lane & 1).wrapping_neg();
    masks.iter().enumerate().fold(0, |wrong, each| wrong | differ(each)) == 0
        && mask & warp.live & !active == 0
        && !warp.fragments.iter().any(|f| matches!(f.state, State::Warp(_)))
}

/// A complete group of waiting lanes.
fn complete_group<'p>(warp: &Warp, program: &'p Program) -> Result<Option<Vec<Part<'p>>>, Stop> {
    let mut waiting = Vec::new();
    for (index, fragment) in warp.fragments.iter().enumerate() {
        let State::Warp(mask) = fragment.state else { continue };
        let (lanes, pc) = (fragment.mask, fragment.pc);
        let Kind::Warp(operation) = &program.operations[pc as usize].kind else {
            return Err(internal!("lanes wait for their warp at {pc}, where nobody does").into());
        };
        waiting.push((mask, Part { fragment: index, lanes, pc, operation }));
    }
    let together = |first: &(Mask, Part<'p>)| {
        let joins = |(mask, part): &&(Mask, Part<'p>)| {
            *mask == first.0 && part.operation.action.joins(&first.1.operation.action)
        };
        let parts: Vec<Part<'p>> = waiting.iter().filter(joins).map(|(_, part)| *part).collect();
        let here = parts.iter().fold(0, |lanes, part| lanes | part.lanes);
        (first.0 & warp.live & !here == 0).then_some(parts)
    };
    Ok(waiting.iter().find_map(together))
}

/// Fills in the value of each lane.
fn give(warp: &Warp, parts: &[Part<'_>], given: &mut [[u64; LANES]]) -> Result<(), InternalError> {
    for part in parts {
        let fragment = &warp.fragments[part.fragment];
        let registers = &warp.frames[usize::from(fragment.frame)].registers;
        part.operation.action.give(registers, part.lanes, given)?;
    }
    Ok(())
}
