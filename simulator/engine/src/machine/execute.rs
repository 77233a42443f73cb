//! Executing the operations of one fragment, up to where something has to be decided.
//!
//! Register operations and branches that all lanes take alike make segments ([`super::segment`]).
//! Everything else goes through [`Stage::act`], which returns what it means for the fragment.

use super::access::{By, space_of};
use super::barrier;
use super::behind::Chosen;
use super::divergence;
use super::frame::Frame;
use super::patience;
use super::profile::Model;
use super::segment::{Alike, End, Tally, Walkers, Way};
use super::special::Special;
use super::stage::Stage;
use super::stop::{FaultKind, Stop};
use super::warp::Warp;
use crate::lanes::{LANES, Mask, Member, Slot, lanes_of, write_lanes};
use crate::lower::{
    self, BarrierAction, BranchIndexed, Call, Callee, Kind, Operation, Pc, Program, SpecialRegister,
};
use crate::observe::Arrival;
use crate::ptx::Space;

/// Bytes of local memory of a thread (CUDA C++ Programming Guide, "Technical Specifications").
pub(super) const LOCAL_LIMIT: u32 = 512 << 10;

/// Why the execution of a fragment paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// A visible operation was executed: the turn is over.
    Visible,
    /// The fragments of the warp may have changed: look again who is behind.
    Look,
    /// The allotted instructions are used up.
    Spent,
}

/// A value that is the same in all threads of a block, and the register that it goes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Same {
    pub(super) d: Slot,
    /// It has 64 bits.
    pub(super) wide: bool,
    pub(super) value: u64,
}

/// Writes a value to a register of the active lanes of a warp.
#[inline]
pub(super) fn write_same(warp: &mut Warp, by: By, same: &Same) {
    let registers = &mut warp.frames[usize::from(by.frame)].registers;
    let Same { d, wide, value } = *same;
    if wide {
        write_lanes(registers, d, by.active, &[value; LANES]);
    } else {
        write_lanes(registers, d, by.active, &[value as u32; LANES]);
    }
}

/// What an operation means for the fragment that executed it.
pub(super) enum Next {
    /// On to the next operation.
    On,
    /// The program counter has been set.
    Set,
}

/// A fragment that runs.
struct Running {
    /// Instructions it may execute.
    allotted: u64,
    /// The block's clock when it began.
    began: u64,
    /// What it has executed.
    tally: Tally,
}

/// Executes a segment for one fragment, in this activation.
fn alone(
    program: &Program,
    frame: &mut Frame,
    mask: Mask,
    way: Way<'_>,
    pc: &mut Pc,
    run: &mut Running,
) -> End {
    let (mut lanes, mut alike) = (0, Alike::default());
    let mut member = Member::new(&mut frame.registers, mask);
    let end = Walkers::of_one(&mut member, &mask, &mut lanes).walk(program, way, pc, &mut alike);
    run.tally.add(alike.tally(mask.count_ones(), lanes));
    end
}

/// Adds a lane to the lanes of a value, or begins a new group.
pub(super) fn group_by<T: PartialEq>(mask: Mask, value: impl Fn(usize) -> T) -> Vec<(T, Mask)> {
    let mut groups: Vec<(T, Mask)> = Vec::new();
    for lane in lanes_of(mask) {
        let key = value(lane);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => groups.push((key, 1 << lane)),
        }
    }
    groups
}

impl Stage<'_, '_> {
    /// Runs a fragment until something has to be decided. `left` instructions are allotted.
    pub(super) fn run(
        &mut self,
        warp: &mut Warp,
        chosen: Chosen,
        left: &mut u64,
    ) -> Result<Pause, Stop> {
        let mut run =
            Running { allotted: *left, began: self.common.clock, tally: Tally::default() };
        let pause = self.run_counting(warp, chosen, &mut run);
        *left = left.saturating_sub(run.tally.instructions);
        self.common.clock = run.began;
        self.count(run.tally);
        pause
    }

    /// Adds what has been executed to the clock of the block, and to what the launch has done.
    pub(super) fn count(&mut self, tally: Tally) {
        self.common.clock += tally.instructions;
        tally.count_in(self.counts);
    }

    fn run_counting(
        &mut self,
        warp: &mut Warp,
        Chosen { index, horizon }: Chosen,
        run: &mut Running,
    ) -> Result<Pause, Stop> {
        let environment = self.environment;
        let program = &*environment.program;
        let fragment = &warp.fragments[index];
        let (mask, frame) = (fragment.mask, usize::from(fragment.frame));
        let mut pc = fragment.pc;
        let is_watched = self.is_watched();
        let places = self.places();
        if self.looks_for_spinning {
            warp.spinning.moves(mask);
        }
        loop {
            if !is_watched {
                let left = run.allotted.saturating_sub(run.tally.instructions);
                let way = Way { allotted: left, horizon, places };
                let end = alone(program, &mut warp.frames[frame], mask, way, &mut pc, run);
                let pause = match end {
                    End::Other | End::Told => None,
                    End::Horizon => Some(Pause::Look),
                    End::Spent => Some(Pause::Spent),
                };
                if let Some(pause) = pause {
                    warp.fragments[index].pc = pc;
                    return Ok(pause);
                }
            }
            let operation = &program.operations[pc as usize];
            if run.tally.instructions >= run.allotted && !operation.part {
                warp.fragments[index].pc = pc;
                return Ok(Pause::Spent);
            }
            let active = match operation.guard {
                None => mask,
                Some(guard) => mask & guard.lanes(&warp.frames[frame].registers),
            };
            let one = u64::from(!operation.part);
            run.tally.instructions += one;
            // A guarded branch is executed by the lanes that do not take it, too.
            let took_part =
                if matches!(operation.kind, Kind::Branch { .. }) { mask } else { active };
            run.tally.lanes += one * u64::from(took_part.count_ones());
            let watched = is_watched && !operation.part;
            if watched || places.get(pc as usize) == Some(&true) {
                self.tell_at(warp, index, pc, active, true);
            }
            let from = pc;
            match &operation.kind {
                Kind::Lanes(lanes) => {
                    lanes.execute(&mut warp.frames[frame].registers, active);
                    pc += 1;
                }
                Kind::Branch { target, .. } if active == mask || active == 0 => {
                    run.tally.branches += u64::from(operation.guard.is_some());
                    pc = if active == 0 { pc + 1 } else { *target };
                }
                kind => {
                    warp.fragments[index].pc = pc;
                    self.common.clock = run.began + run.tally.instructions;
                    let next = match active {
                        0 => Next::On,
                        _ if operation.visible && self.is_looked_at(warp) => {
                            self.act_looked_at(warp, index, active, operation)?
                        }
                        _ => self.act(warp, index, active, operation, kind)?,
                    };
                    match next {
                        Next::On => pc += 1,
                        Next::Set => {
                            // Warp operations tell of themselves, when the lanes they wait for have
                            // come.
                            if watched && !matches!(kind, Kind::Warp(_)) {
                                let gone = super::Fragment::new(mask, pc, frame as u16);
                                self.tell(warp, &gone, active, false);
                            }
                            let over = operation.visible;
                            return Ok(if over { Pause::Visible } else { Pause::Look });
                        }
                    }
                }
            }
            if watched {
                self.tell_at(warp, index, from, active, false);
            }
            if operation.visible {
                warp.fragments[index].pc = pc;
                return Ok(Pause::Visible);
            }
            let next = &program.operations[pc as usize];
            if next.leader && next.rank >= horizon {
                warp.fragments[index].pc = pc;
                return Ok(Pause::Look);
            }
        }
    }

    /// Whether somebody looks at what a warp does, to tell whether it spins.
    #[inline]
    fn is_looked_at(&self, warp: &Warp) -> bool {
        self.looks_for_spinning || warp.patience.watches()
    }

    /// Executes an operation that ends a turn, and notes what it has done, to tell whether lanes
    /// spin.
    #[inline(never)]
    fn act_looked_at(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        operation: &Operation,
    ) -> Result<Next, Stop> {
        let kind = &operation.kind;
        let fragment = &warp.fragments[index];
        let by = By { frame: fragment.frame, active, pc: fragment.pc };
        let watches = warp.patience.watches();
        let before = watches.then(|| patience::before(warp, kind, by));
        let about = self.looks_for_spinning.then(|| self.about_to(warp, kind, by));
        let next = self.act(warp, index, active, operation, kind)?;
        if let Some(before) = before {
            patience::after(warp, kind, by, before);
        }
        if let Some(about) = about {
            self.has_done(warp, &about);
        }
        Ok(next)
    }

    /// Tells the observer of the operation at `pc`, about to happen to a fragment or done.
    #[cold]
    fn tell_at(&mut self, warp: &mut Warp, index: usize, pc: Pc, active: Mask, before: bool) {
        warp.fragments[index].pc = pc;
        let fragment = warp.fragments[index].clone();
        self.tell(warp, &fragment, active, before);
    }

    /// Executes one operation that is more than arithmetic, for at least one active lane.
    ///
    /// What it calls is not inlined, or a load would pay for the stack frame of a matrix.
    fn act(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        operation: &Operation,
        kind: &Kind,
    ) -> Result<Next, Stop> {
        let fragment = &warp.fragments[index];
        let by = By { frame: fragment.frame, active, pc: fragment.pc };
        match kind {
            Kind::Load(load) => self.load(warp, load, by)?,
            Kind::Store(store) => self.store(warp, store, by)?,
            Kind::Atomic(atomic) => self.atomic(warp, atomic, by)?,
            Kind::Span(span) => self.span(warp, span, by)?,
            Kind::Stack(operation) => self.stack(warp, **operation, by)?,
            Kind::Image(operation) => self.image(warp, operation, by)?,
            Kind::Barrier(barrier) => return self.arrive_at_barrier(warp, index, active, barrier),
            Kind::ClusterBarrier(barrier) => {
                return self.cluster_barrier(warp, index, active, *barrier);
            }
            Kind::Warp(operation) => {
                // What has run together or waits has told of itself and set its own counters.
                self.arrive_at_warp_operation(warp, index, active, operation)?;
                return Ok(Next::Set);
            }
            Kind::Branch { target, reconverge } => {
                self.counts.branches += u64::from(operation.guard.is_some());
                let model = self.environment.model;
                let parted = divergence::branch(warp, index, active, *target, *reconverge, model);
                self.counts.divergent_branches += u64::from(parted);
                return Ok(Next::Set);
            }
            Kind::BranchIndexed(branch) => {
                self.branch_indexed(warp, index, active, branch)?;
                return Ok(Next::Set);
            }
            Kind::Call(call) => {
                self.call(warp, index, active, call)?;
                return Ok(Next::Set);
            }
            Kind::Return => {
                self.return_or_exit(warp, index, active)?;
                return Ok(Next::Set);
            }
            Kind::Exit => {
                self.exit(warp, index, active);
                return Ok(Next::Set);
            }
            Kind::Runtime(call) => self.call_runtime(warp, index, call, by)?,
            Kind::Trap => return Err(Stop::Trap(self.thread(warp, active, by.pc))),
            Kind::Fence(semantics) => {
                self.tell_synchronisation(warp, fragment, active, |observer, event| {
                    observer.fence(event, *semantics);
                });
            }
            Kind::ProxyFence => {
                self.tell_synchronisation(warp, fragment, active, |observer, event| {
                    observer.proxy_fence(event);
                })
            }
            Kind::Lanes(lanes) => {
                lanes.execute(&mut warp.frames[usize::from(by.frame)].registers, active);
            }
            Kind::Asynchronous(operation) => self.asynchronous(warp, operation, by)?,
            Kind::Mbarrier(operation) => self.mbarrier(warp, operation, by)?,
            Kind::Special32(d, register) => self.read_special(warp, by, *d, *register, false),
            Kind::Special64(d, register) => self.read_special(warp, by, *d, *register, true),
            Kind::LocalAddress32(d, offset) => local_address(warp, by, *d, *offset, false),
            Kind::LocalAddress64(d, offset) => local_address(warp, by, *d, *offset, true),
            Kind::IsSpace { d, a, space } => is_space(warp, by, *d, *a, *space),
            Kind::ActiveMask(d) => {
                let registers = &mut warp.frames[usize::from(by.frame)].registers;
                write_lanes(registers, *d, active, &[active; LANES]);
            }
            Kind::Breakpoint | Kind::Nothing => {}
        }
        Ok(Next::On)
    }

    /// Reads a special register into a slot.
    #[inline(never)]
    pub(super) fn read_special(
        &self,
        warp: &mut Warp,
        by: By,
        d: Slot,
        register: SpecialRegister,
        wide: bool,
    ) {
        let special = self.special(register);
        let active = by.active;
        match (special, wide) {
            (Special::Same(value), _) => write_same(warp, by, &Same { d, wide, value }),
            (Special::Thread(i), false) => {
                let Warp { thread, frames, .. } = warp;
                let registers = &mut frames[usize::from(by.frame)].registers;
                write_lanes(registers, d, active, &thread[i]);
            }
            (Special::Thread(_) | Special::Lane(_) | Special::Warp, _) => {
                let values = special.of(warp);
                let registers = &mut warp.frames[usize::from(by.frame)].registers;
                if wide {
                    write_lanes(registers, d, active, &values);
                } else {
                    write_lanes(registers, d, active, &values.map(|v| v as u32));
                }
            }
        }
    }

    #[inline(never)]
    pub(super) fn arrive_at_barrier(
        &mut self,
        warp: &mut Warp,
        index: usize,
        active: Mask,
        barrier: &lower::Barrier,
    ) -> Result<Next, Stop> {
        let fragment = &warp.fragments[index];
        let pc = fragment.pc;
        let registers = &warp.frames[usize::from(fragment.frame)].registers;
        let first = active.trailing_zeros() as usize % LANES;
        // The operands are the same in all threads of a barrier, or PTX does not say what happens.
        let id = registers.w32(barrier.id)[first];
        let count = barrier.count.map(|slot| registers.w32(slot)[first]);
        if id >= barrier::COUNT as u32 {
            return Err(self.fault(warp, active, pc, FaultKind::BadBarrier(id)));
        }
        if let Some(count) = count
            && (count == 0 || count % 32 != 0)
        {
            return Err(self.fault(warp, active, pc, FaultKind::BadBarrierCount(count)));
        }
        let predicate = match barrier.action {
            BarrierAction::Sync | BarrierAction::Arrive => 0,
            BarrierAction::Popc { p, .. }
            | BarrierAction::And { p, .. }
            | BarrierAction::Or { p, .. } => p.lanes(registers),
        };
        let waits = barrier.action != BarrierAction::Arrive;
        let arrival = Arrival {
            warp: warp.number,
            lanes: active,
            pc,
            waits,
            aligned: barrier.aligned,
            predicate,
        };
        self.tell_synchronisation(warp, &warp.fragments[index], active, |observer, event| {
            observer.arrive(event, id as u8, count, &arrival);
        });
        self.common.barriers.arrive(id as u8, count, arrival);
        self.common.look_at_barriers = true;
        if !waits {
            return Ok(Next::On);
        }
        let mut at = index;
        if active != fragment.mask && self.environment.model == Model::Independent {
            at = divergence::split(warp, index, active);
            warp.fragments[index].pc += 1;
        }
        warp.fragments[at].state = super::State::Barrier(id as u8);
        Ok(Next::Set)
    }

    /// `ret`: in the kernel the same as `exit`.
    #[inline(never)]
    fn return_or_exit(&mut self, warp: &mut Warp, index: usize, active: Mask) -> Result<(), Stop> {
        let fragment = &warp.fragments[index];
        if warp.frames[usize::from(fragment.frame)].caller.is_none() {
            self.exit(warp, index, active);
            return Ok(());
        }
        let environment = self.environment;
        divergence::ret(warp, index, active, &environment.program, environment.model)
    }

    pub(super) fn exit(&mut self, warp: &mut Warp, index: usize, active: Mask) {
        self.tell_synchronisation(warp, &warp.fragments[index], active, |observer, event| {
            observer.exit(event);
        });
        warp.fragments[index].pc += 1;
        warp.exit(active);
        self.common.ended_warps += usize::from(warp.live == 0);
        self.common.look_at_barriers = true;
    }

    #[inline(never)]
    fn branch_indexed(
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
        let side = |(pc, mask): &(Pc, Mask), rejoin| super::Fragment {
            rejoin,
            ..super::Fragment::new(*mask, *pc, whole.frame)
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
    fn call(
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
            let rejoin = if model == Model::Lockstep { pc + 1 } else { super::EXIT };
            if model == Model::Lockstep {
                warp.fragments[index].pc = pc + 1;
            }
            for (function, lanes) in &targets {
                let frame = warp.fragments[index].frame;
                let part = super::Fragment { rejoin, ..super::Fragment::new(*lanes, pc, frame) };
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

/// The address of a place in the local memory of the activation, in all active lanes.
pub(super) fn local_address(warp: &mut Warp, by: By, d: Slot, offset: u32, wide: bool) {
    let frame = &mut warp.frames[usize::from(by.frame)];
    if wide {
        let address = u64::from(frame.local_base) + u64::from(offset);
        write_lanes(&mut frame.registers, d, by.active, &[address; LANES]);
    } else {
        let address = frame.local_base.wrapping_add(offset);
        write_lanes(&mut frame.registers, d, by.active, &[address; LANES]);
    }
}

/// `isspacep`. What kernels are given lies in global memory, too (PTX ISA 9.7.9.19).
#[inline(never)]
pub(super) fn is_space(warp: &mut Warp, by: By, d: Slot, a: Slot, space: Space) {
    let registers = &mut warp.frames[usize::from(by.frame)].registers;
    let addresses = *registers.w64(a);
    let lies = |lane: &usize| {
        let found = space_of(addresses[*lane]);
        found == space || space == Space::Global && found == Space::Param
    };
    let inside = lanes_of(by.active).filter(lies);
    let inside = inside.fold(0, |mask, lane| mask | 1 << lane);
    registers.set_predicate(d, by.active, inside);
}
