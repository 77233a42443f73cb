//! Executes the operations of one fragment, up to the next decision.
//!
//! Register operations and branches that all lanes take alike form segments ([`super::segment`]).
//! [`Execution::act`] executes everything else, and returns how the fragment goes on.

use super::segment::{Alike, End, Walkers, Way};
use crate::lanes::{Mask, Member};
use crate::lower::{Kind, Operation, Pc, Program};
use crate::machine::access::addresses::By;
use crate::machine::control::Next;
use crate::machine::progress::patience;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::{Chosen, Fragment};
use crate::machine::state::frame::Frame;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::Tally;
use crate::machine::state::warp::Warp;

/// Why the execution of a fragment paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) enum Pause {
    /// A visible operation was executed: the turn is over.
    Visible,
    /// The fragments of the warp may have changed: the part furthest behind must be chosen again.
    Look,
    /// The allotted instructions are used up.
    Spent,
}

/// A running fragment.
struct Running {
    /// Instructions it may execute.
    allotted: u64,
    /// The block's clock when it began.
    began: u64,
    /// The counts of its instructions.
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

impl Execution<'_, '_> {
    /// Runs a fragment until a decision is due. `left` instructions are allotted.
    pub(in crate::machine) fn run(
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

    /// Adds executed instructions to the clock of the block, and to the counts of the launch.
    pub(in crate::machine) fn count(&mut self, tally: Tally) {
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
            // The lanes that do not take a guarded branch execute it, too.
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
                            // Warp operations report themselves, once the lanes that they wait for
                            // have arrived.
                            if watched && !matches!(kind, Kind::Warp(_)) {
                                let gone = Fragment::new(mask, pc, frame as u16);
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

    /// Whether the effects of a warp are examined, to find out whether it spins.
    #[inline]
    fn is_looked_at(&self, warp: &Warp) -> bool {
        self.looks_for_spinning || warp.patience.watches()
    }

    /// Executes an operation that ends a turn, and notes its effects, to find out whether lanes
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

    /// Reports the operation at `pc` to the observer, before or after a fragment executes it.
    #[cold]
    fn tell_at(&mut self, warp: &mut Warp, index: usize, pc: Pc, active: Mask, before: bool) {
        warp.fragments[index].pc = pc;
        let fragment = warp.fragments[index].clone();
        self.tell(warp, &fragment, active, before);
    }
}
