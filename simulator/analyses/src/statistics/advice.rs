//! Advice in words: the lines that cost more than they need to, the worst first.
//!
//! The cost of a line is its excess over the least: sectors, passes of shared memory, atomics
//! behind another lane, divergent branches, instructions waited at barriers. These are different
//! things, and their order is a guess.
//!
//! Where it can be wrong: what a line costs may not matter for the time of the kernel. Small excess
//! is not mentioned: [`worth_it`] has the thresholds.

use super::lines::LineUse;
use super::requests::WORD;
use super::totals::Totals;
use super::usage::{Pattern, Usage};
use crate::lanes::LANES;

/// A piece of advice, and its place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// Where; `None` for the launch as a whole. The counts belong to one opcode of the line.
    pub line: Option<LineUse>,
    /// What it costs: see the module.
    pub cost: u64,
    /// What is so, and what to do about it.
    pub text: String,
}

/// What advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdviceKind {
    /// Lanes access different words of one bank of shared memory.
    BankConflict,
    /// Lanes access global memory in more sectors than their bytes would fill.
    Uncoalesced,
    /// Lanes access global memory side by side, but not from the beginning of a sector.
    Misaligned,
    /// Lanes of a warp go different ways.
    Divergence,
    /// Lanes of a warp change one address.
    AtomicContention,
    /// Warps wait at a barrier for a slow one.
    BarrierWait,
    /// The last warp of a block has fewer than 32 threads.
    PartialWarp,
}

impl AdviceKind {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            AdviceKind::BankConflict => "bank-conflict",
            AdviceKind::Uncoalesced => "uncoalesced",
            AdviceKind::Misaligned => "misaligned",
            AdviceKind::Divergence => "divergence",
            AdviceKind::AtomicContention => "atomic-contention",
            AdviceKind::BarrierWait => "barrier-wait",
            AdviceKind::PartialWarp => "partial-warp",
        }
    }
}

impl Totals {
    /// The lines that cost more than they need to, the worst first.
    pub fn advice(&self) -> Vec<Advice> {
        let mut all = Vec::new();
        for line in &self.opcodes {
            let found = [
                bank_conflict(&line.usage),
                sectors(&line.usage),
                divergence(&line.usage),
                contention(&line.usage),
                barrier(&line.usage),
            ];
            all.extend(found.into_iter().flatten().map(|(kind, cost, text)| Advice {
                kind,
                line: Some(line.clone()),
                cost,
                text,
            }));
        }
        all.extend(self.partial_warp());
        all.sort_by_key(|advice| std::cmp::Reverse(advice.cost));
        all
    }

    /// Blocks whose last warp has lanes without a thread.
    fn partial_warp(&self) -> Option<Advice> {
        let last = self.last.as_ref()?;
        let lanes = LANES as u64;
        if !worth_it(self.missing_lanes, self.warps * lanes, 10) {
            return None;
        }
        let threads = last.threads();
        let missing = threads.next_multiple_of(lanes) - threads;
        let text = format!(
            "blocks of {threads} threads leave {missing} lanes of their last warp without a \
             thread; use a multiple of {lanes}"
        );
        Some(Advice { kind: AdviceKind::PartialWarp, line: None, cost: self.missing_lanes, text })
    }
}

/// Whether a part is at least this many percent of the whole.
fn worth_it(part: u64, whole: u64, percent: u64) -> bool {
    part > 0 && part.saturating_mul(100) >= whole.saturating_mul(percent)
}

type Found = Option<(AdviceKind, u64, String)>;

/// From a tenth more passes than needed on.
fn bank_conflict(usage: &Usage) -> Found {
    let shared = &usage.shared;
    let worst = shared.worst.filter(|worst| worst.took > 1)?;
    if !worth_it(shared.conflicts, shared.taken, 10) {
        return None;
    }
    let help = match row_of(&worst) {
        Some((row, padded)) => format!("pad rows of {row} elements to {padded}"),
        None => "let neighbouring lanes access neighbouring elements".to_owned(),
    };
    let text = format!("{}-way bank conflict: {}; {help}", worst.took, apart(&worst));
    Some((AdviceKind::BankConflict, shared.conflicts, text))
}

/// The elements of a row and of a padded one, where the whole warp goes down a column.
fn row_of(worst: &Pattern) -> Option<(u64, u64)> {
    let stride = worst.stride?.unsigned_abs();
    let bytes = u64::from(worst.bytes);
    let is_column = worst.lanes == LANES as u32 && stride >= 8 * bytes && stride % bytes == 0;
    let row = stride.checked_div(bytes)?;
    is_column.then(|| (row, row + (WORD / bytes).max(1)))
}

/// How far lanes are from each other.
fn apart(worst: &Pattern) -> String {
    match worst.stride {
        Some(stride) => format!("lanes are {} bytes apart", stride.unsigned_abs()),
        None => "lanes are at addresses without a common distance".to_owned(),
    }
}

/// From a fifth more sectors than needed on: a row that begins amid a sector takes 5 for 4.
fn sectors(usage: &Usage) -> Found {
    let global = &usage.global;
    let worst = global.worst?;
    let is_atomic = usage.contention.requests > 0;
    if is_atomic || !worth_it(global.excess, global.taken, 20) {
        return None;
    }
    let mean = usage.sectors_per_request();
    let least = (global.taken - global.excess) as f64 / global.requests as f64;
    let is_row = worst.stride == Some(i64::from(worst.bytes));
    let head = format!("{mean:.1} sectors a request, where {least:.1} would hold its bytes");
    if is_row && worst.misaligned != 0 {
        let text = format!(
            "{head}: the first lane is {} bytes behind a multiple of 32; begin at a multiple of \
             32 bytes",
            worst.misaligned
        );
        return Some((AdviceKind::Misaligned, global.excess, text));
    }
    let help = match worst.stride {
        Some(_) => "let neighbouring lanes access neighbouring elements",
        None => "sort the indices, or go through shared memory",
    };
    let text = format!("{head}: {}; {help}", apart(&worst));
    Some((AdviceKind::Uncoalesced, global.excess, text))
}

/// From a quarter of the branches on.
fn divergence(usage: &Usage) -> Found {
    if !worth_it(usage.divergent, usage.branches, 25) {
        return None;
    }
    let text = format!(
        "{} of {} branches part the lanes of a warp; let the condition be the same for all lanes \
         of a warp, as `threadIdx.x / 32` is",
        usage.divergent, usage.branches
    );
    Some((AdviceKind::Divergence, usage.divergent, text))
}

/// From half of the operations on.
fn contention(usage: &Usage) -> Found {
    let contention = &usage.contention;
    if !worth_it(contention.behind, contention.operations, 50) {
        return None;
    }
    let text = format!(
        "up to {} lanes of a warp change one address; combine their values in the warp first \
         (`__reduce_add_sync`), and let one lane do the atomic",
        contention.most
    );
    Some((AdviceKind::AtomicContention, contention.behind, text))
}

/// From half of the instructions of the slowest warp on.
fn barrier(usage: &Usage) -> Found {
    if !worth_it(usage.waited, usage.awaited, 50) {
        return None;
    }
    let arrivals = usage.arrivals.max(1) as f64;
    let text = format!(
        "warps wait for the slowest one: it executes {:.0} instructions since the barrier before, \
         and a warp on average {:.0}; give all warps the same share",
        usage.awaited as f64 / arrivals,
        (usage.awaited - usage.waited) as f64 / arrivals,
    );
    Some((AdviceKind::BarrierWait, usage.waited, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(bytes: u32, stride: Option<i64>, took: u64) -> Pattern {
        Pattern { lanes: 32, bytes, stride, misaligned: 0, took }
    }

    #[test]
    fn a_column_of_a_tile_is_padded_by_one_word_or_one_element() {
        assert_eq!(row_of(&pattern(4, Some(128), 32)), Some((32, 33)));
        assert_eq!(row_of(&pattern(8, Some(256), 16)), Some((32, 33)));
        assert_eq!(row_of(&pattern(1, Some(128), 32)), Some((128, 132)));
        // The lanes are few elements apart: there is no row to pad.
        assert_eq!(row_of(&pattern(4, Some(8), 2)), None);
        assert_eq!(row_of(&pattern(4, None, 2)), None);
    }

    #[test]
    fn small_excess_is_not_worth_a_word() {
        assert!(worth_it(1, 4, 25) && !worth_it(1, 5, 25) && !worth_it(0, 0, 10));
    }
}
