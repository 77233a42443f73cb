//! Branches to one of several targets, calls, returns and exits (PTX ISA 9.7.12).

use crate::lanes::{LANES, Mask};
use crate::lower::{BranchIndexed, Call, Callee, EXIT, Pc};
use crate::machine::control::divergence;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::Fragment;
use crate::machine::state::profile::Model;
use crate::machine::state::stop::{FaultKind, Stop};
use crate::machine::state::warp::{Warp, group_by};

impl Execution<'_, '_> {
    /// `ret`: in the kernel the same as `exit`.
    #[inline(never)]
    pub(super) fn return_or_exit(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
    ) -> Result<(), Stop> {
        let fragment = &warp.fragments[index];
        if warp.frames[usize::from(fragment.frame)].caller.is_none() {
            self.exit(warp, index, active);
            return Ok(());
        }
        let environment = self.environment;
        divergence::ret(warp, index, active, &environment.program, environment.model)
    }

    pub(in crate::machine) fn exit(&mut self, warp: &mut Warp, index: usize, active: Mask) {
        self.tell_synchronisation(warp, &warp.fragments[index], active, |observer, event| {
            observer.exit(event);
        });
        warp.fragments[index].pc += 1;
        warp.exit(active);
        self.common.ended_warps += usize::from(warp.live == 0);
        self.common.look_at_barriers = true;
    }

    #[inline(never)]
    pub(super) fn branch_indexed(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        branch: &BranchIndexed,
    ) -> Result<(), Stop> {
        let fragment = &warp.fragments[index];
        let pc = fragment.pc;
        let which = *warp.frames[usize::from(fragment.frame)].registers.w32(branch.index);
        let others = fragment.mask & !active;
        let mut ways: Vec<(Pc, Mask)> = Vec::new();
        for (target, lanes) in
            group_by(active, |lane| branch.targets.get(which[lane] as usize).copied())
        {
            let Some(target) = target else {
                let index = which[lanes.trailing_zeros() as usize % LANES];
                return Err(self.fault(warp, lanes, pc, FaultKind::BadBranchIndex(index)));
            };
            ways.push((target, lanes));
        }
        if others != 0 {
            ways.push((pc + 1, others));
        }
        self.counts.branches += 1;
        self.counts.divergent_branches += u64::from(ways.len() > 1);
        self.part_ways(warp, index, &ways, branch.reconverge);
        Ok(())
    }

    /// Sends the lanes of a fragment to several places at once.
    fn part_ways(&mut self, warp: &mut Warp, index: usize, ways: &[(Pc, Mask)], rejoin: Pc) {
        if let [(pc, _)] = ways {
            warp.fragments[index].pc = *pc;
            return;
        }
        let whole = warp.fragments[index].clone();
        let side = |(pc, mask): &(Pc, Mask), rejoin| Fragment {
            rejoin,
            ..Fragment::new(*mask, *pc, whole.frame)
        };
        match self.environment.model {
            Model::Independent => {
                warp.fragments.swap_remove(index);
                warp.fragments.extend(ways.iter().map(|way| side(way, whole.rejoin)));
            }
            Model::Lockstep => {
                warp.fragments[index].pc = rejoin;
                let apart = ways.iter().filter(|(pc, _)| *pc != rejoin);
                warp.fragments.extend(apart.map(|way| side(way, rejoin)));
            }
        }
    }

    #[inline(never)]
    pub(super) fn call(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        call: &Call,
    ) -> Result<(), Stop> {
        let environment = self.environment;
        let (program, model) = (&*environment.program, environment.model);
        let fragment = &warp.fragments[index];
        let (pc, mask) = (fragment.pc, fragment.mask);
        if let Callee::Direct(function) = call.callee
            && active == mask
        {
            return divergence::call(warp, index, program, call, function, environment.limits())?
                .map_err(|overflow| self.fault(warp, active, pc, overflow.into()));
        }
        let frame = &warp.frames[usize::from(fragment.frame)];
        let found = group_by(active, |lane| divergence::callee(program, frame, call.callee, lane));
        let mut targets = Vec::new();
        for (target, lanes) in found {
            match target {
                Ok(function) => targets.push((function, lanes)),
                Err(address) => {
                    return Err(self.fault(warp, lanes, pc, FaultKind::BadCallTarget(address)));
                }
            }
        }
        // Lanes that call different functions, or do not call, part here and meet after the call.
        let parts = targets.len() + usize::from(active != mask);
        let mut at: Vec<(usize, usize)> = targets.iter().map(|t| (index, t.0)).collect();
        if parts > 1 {
            at.clear();
            let rejoin = if model == Model::Lockstep { pc + 1 } else { EXIT };
            if model == Model::Lockstep {
                warp.fragments[index].pc = pc + 1;
            }
            for (function, lanes) in &targets {
                let frame = warp.fragments[index].frame;
                let part = Fragment { rejoin, ..Fragment::new(*lanes, pc, frame) };
                warp.fragments.push(part);
                at.push((warp.fragments.len() - 1, *function));
            }
            if model == Model::Independent {
                warp.fragments[index].mask &= !active;
                warp.fragments[index].pc += 1;
            }
        }
        for (at, function) in at {
            divergence::call(warp, at, program, call, function, environment.limits())?
                .map_err(|overflow| self.fault(warp, active, pc, overflow.into()))?;
        }
        warp.fragments.retain(|f| f.mask != 0);
        Ok(())
    }
}
