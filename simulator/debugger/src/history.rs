//! Questions about the past: who wrote a cell or a register last.
//!
//! The trace of all steps so far answers them. Memory that nothing in the trace has written was
//! written before the launch, or never.

use std::ops::Range;

use warpsim::lanes::{Mask, lanes_of};
use warpsim::observe::{AccessKind, Step, Touch};

use crate::regions::{Region, Target};
use crate::session::Debugger;
use crate::threads::ThreadId;

/// The last write to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Writer {
    /// The number of the step.
    pub step: usize,
    /// The thread; the lowest of several.
    pub thread: ThreadId,
    /// The lanes of its warp that wrote the cell by this instruction. Of several, the schedule
    /// decides whose value stays.
    pub lanes: Mask,
}

impl Debugger<'_> {
    /// The last writer of each cell of a region, up to now; `None` for a cell that the launch has
    /// not written.
    pub fn writers(&self, region: &Region) -> Vec<Option<Writer>> {
        let mut writers = vec![None; usize::try_from(region.cells).unwrap_or(0)];
        let mut left = writers.len();
        for step in self.stepper.trace().steps().iter().rev() {
            if left == 0 {
                break;
            }
            left -= note_writers(region, step, &mut writers);
        }
        writers
    }

    /// What the last step did to each cell of a region; `None` for a cell that it left alone. Where
    /// it both reads and writes a cell, the write counts.
    pub fn last_accesses(&self, region: &Region) -> Vec<Option<AccessKind>> {
        let mut accesses = vec![None; usize::try_from(region.cells).unwrap_or(0)];
        let Some(step) = self.last_step() else { return accesses };
        for touch in &step.touches {
            for lane in lanes_of(region.lanes(step, touch)) {
                for cell in touched_cells(region, touch, lane) {
                    let Some(access) = accesses.get_mut(cell as usize) else { continue };
                    if access.is_none_or(|kind| kind == AccessKind::Read) {
                        *access = Some(touch.kind);
                    }
                }
            }
        }
        accesses
    }

    /// The last step that wrote a register or cells, and the lanes that did.
    pub fn last_write(&self, target: &Target) -> Option<(&Step, Mask)> {
        let steps = self.stepper.trace().steps().iter().rev();
        let mut writes = steps.map(|step| (step, write_lanes(target, step)));
        writes.find(|(_, lanes)| *lanes != 0)
    }
}

/// The lanes of a step that write to a target.
pub(crate) fn write_lanes(target: &Target, step: &Step) -> Mask {
    match target {
        Target::Register(thread, name) => {
            let is_thread = (step.block, step.warp) == (thread.block, thread.warp);
            let writes = step.writes.iter().any(|values| &*values.register == name);
            if is_thread && writes { step.active & 1 << thread.lane } else { 0 }
        }
        Target::Memory(region) => step
            .touches
            .iter()
            .filter(|touch| touch.kind != AccessKind::Read)
            .fold(0, |mask, touch| mask | region.lanes(step, touch)),
    }
}

/// Notes the writers of one step for the cells that have none yet. The result counts them.
fn note_writers(region: &Region, step: &Step, writers: &mut [Option<Writer>]) -> usize {
    let mut noted = 0;
    for touch in step.touches.iter().filter(|touch| touch.kind != AccessKind::Read) {
        let lanes = region.lanes(step, touch);
        for lane in (0..32u32).filter(|lane| lanes >> lane & 1 == 1) {
            for cell in touched_cells(region, touch, lane as usize) {
                let Some(writer) = writers.get_mut(cell as usize) else { continue };
                match writer {
                    None => {
                        let thread = ThreadId { block: step.block, warp: step.warp, lane };
                        *writer = Some(Writer { step: step.number, thread, lanes: 1 << lane });
                        noted += 1;
                    }
                    Some(writer) if writer.step == step.number => writer.lanes |= 1 << lane,
                    Some(_) => {}
                }
            }
        }
    }
    noted
}

/// The cells of a region that a lane of a touch accesses. The lane has to access some of them.
fn touched_cells(region: &Region, touch: &Touch, lane: usize) -> Range<u64> {
    let begin = touch.addresses[lane];
    let end = begin.saturating_add(u64::from(touch.bytes)).saturating_sub(1);
    let cell = |address: u64| address.saturating_sub(region.address) / region.step();
    cell(begin)..(cell(end) + 1).min(region.cells)
}
