//! What each result left in global memory: the cells in which results differ, with their values.
//!
//! The runs of an exploration keep digests of memory alone. The first schedule of each of the first
//! results runs once more here, and the memory that it leaves is read.

use std::collections::BTreeSet;

use super::compare::different_cells;
use super::run::Runner;
use super::{Cell, CellValue, Distinct};
use crate::DeviceError;
use crate::internal;
use crate::machine::GlobalMemory;
use crate::report::Outcome;
use crate::schedule::Schedule;

/// Results whose memory is read.
const RESULTS: usize = 8;

/// The most cells of each.
const CELLS: usize = 8;

/// Cells that are shown even if fewer distinguish all results.
const FEW: usize = 4;

/// Gives the first results the values of the cells in which any of them differs from the first.
pub(super) fn fill(runner: &mut Runner<'_>, outcomes: &mut [Distinct]) -> Result<(), DeviceError> {
    let mut left: Vec<(&mut Distinct, GlobalMemory)> = Vec::new();
    let completed = outcomes.iter_mut().filter(|d| d.outcome == Outcome::Completed);
    for distinct in completed.take(RESULTS) {
        let schedule = distinct.replay.parse::<Box<dyn Schedule>>();
        let schedule =
            schedule.map_err(|error| internal!("`{}` is no schedule: {error}", distinct.replay))?;
        let (_, memory) = runner.run(schedule.as_ref(), None)?;
        left.push((distinct, memory));
    }
    let Some(((_, first), others)) = left.split_first() else { return Ok(()) };
    let mut cells = Vec::new();
    for (_, other) in others {
        cells.extend(different_cells(first, other, runner.request(), runner.program()).0);
    }
    cells.sort_by_key(|cell| cell.address);
    cells.dedup_by_key(|cell| cell.address);
    // Memory of the device's heap may be there after one schedule and not after another.
    cells.retain(|cell| left.iter().all(|(_, memory)| value(memory, cell).is_some()));
    let memories: Vec<&GlobalMemory> = left.iter().map(|(_, memory)| memory).collect();
    let cells = telling_apart(&memories, cells);
    for (distinct, memory) in &mut left {
        distinct.cells = cells.iter().filter_map(|cell| value(memory, cell)).collect();
    }
    Ok(())
}

/// A few of the cells, in the order of their addresses: first those that distinguish most of the
/// memories, then the lowest ones.
fn telling_apart(memories: &[&GlobalMemory], mut cells: Vec<Cell>) -> Vec<Cell> {
    let mut chosen: Vec<Cell> = Vec::new();
    while chosen.len() < CELLS && !cells.is_empty() {
        let told = |with: Option<&Cell>| {
            let values = |memory: &&GlobalMemory| -> Vec<u64> {
                let cells = chosen.iter().chain(with);
                cells.filter_map(|cell| Some(value(memory, cell)?.value)).collect()
            };
            memories.iter().map(values).collect::<BTreeSet<Vec<u64>>>().len()
        };
        let now = told(None);
        let counts = cells.iter().map(|cell| told(Some(cell)));
        // The first of the best.
        let best = counts.enumerate().rev().max_by_key(|(_, count)| *count);
        match best {
            Some((at, count)) if count > now => chosen.push(cells.remove(at)),
            _ if chosen.len() < FEW => chosen.push(cells.remove(0)),
            _ => break,
        }
    }
    chosen.sort_by_key(|cell| cell.address);
    chosen
}

/// What memory holds in a cell, where it has it.
fn value(memory: &GlobalMemory, cell: &Cell) -> Option<CellValue> {
    let allocation = memory.find_ref(cell.address, 1).ok()?;
    let value = allocation.pages.read(cell.address - allocation.base, cell.ty.size() as u32);
    let Cell { object, argument, index, address, ty, values: _ } = cell.clone();
    Some(CellValue { object, argument, index, address, ty, value })
}
