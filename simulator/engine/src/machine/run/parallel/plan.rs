//! How many blocks run ahead, and when none do.
//!
//! This affects only the duration of a run. A launch begins in order, until parallel work is known
//! to pay off. Then units grow as long as all are committed, so that little is lost when one is
//! not. After a conflict blocks run in order for a while, each time longer. After a block has
//! waited for another, all the rest runs in order. The plan measures only instructions.
//!
//! The result equals [`Machine::run`](crate::machine::Machine::run) for every plan.
//! `any_number_of_threads_gives_what_one_gives` (`simulator/tests/suite/parallel.rs`) compares
//! them.

use std::ops::Range;

/// Blocks in a row that run in order after the first conflict, for each unit.
const PAUSE: u64 = 2;

/// A block that takes more instructions than this many times the longest block so far counts as
/// waiting for another.
const LIMIT_FACTOR: u64 = 8;

/// The least limit of such a block.
const LEAST_LIMIT: u64 = 1 << 14;

/// The most blocks of a unit: an idle worker waits for at most this many.
const MOST_BLOCKS: u64 = 1 << 12;

/// What to do next.
pub(super) enum Next {
    /// One block in order.
    InOrder,
    /// These, side by side.
    Apart(Vec<Range<u64>>),
    /// All remaining blocks, in order.
    Rest,
}

/// The outcome of units.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All were committed.
    All,
    /// One had read a word that an earlier one wrote.
    Conflict,
    /// A block of one did not end alone.
    Stops,
}

/// How many blocks run ahead, and when none do.
#[derive(Debug)]
pub(super) struct Plan {
    units: u64,
    least: u64,
    blocks: u64,
    /// The blocks of a unit next time.
    size: u64,
    /// How many blocks are yet to run in order.
    in_order: u64,
    /// How many blocks run in order after the next conflict.
    pause: u64,
    /// Instructions of the longest block that ran in order.
    longest: u64,
    has_begun: bool,
    is_over: bool,
}

impl Plan {
    /// For a launch of this many blocks and with this many units at a time, if it has at least this
    /// many warp instructions.
    pub(super) fn new(units: usize, least: u64, blocks: u64) -> Plan {
        let units = units as u64;
        Plan {
            units,
            least,
            blocks,
            size: 1,
            in_order: 1,
            pause: PAUSE * units,
            longest: 0,
            has_begun: false,
            is_over: false,
        }
    }

    /// The next step, once all blocks before `block` have ended.
    pub(super) fn next(&mut self, block: u64) -> Next {
        let left = self.blocks.saturating_sub(block);
        if self.is_over || left < 2 {
            return Next::Rest;
        }
        if self.in_order > 0 {
            return Next::InOrder;
        }
        if !std::mem::replace(&mut self.has_begun, true)
            && self.longest.saturating_mul(left) < self.least
        {
            return Next::Rest;
        }
        let size = self.size.min(left.div_ceil(self.units));
        let units = (0..self.units).map(|unit| {
            let from = (block + unit * size).min(self.blocks);
            from..(from + size).min(self.blocks)
        });
        Next::Apart(units.filter(|unit| !unit.is_empty()).collect())
    }

    /// A block has run in order, in this many instructions.
    pub(super) fn ran(&mut self, instructions: u64) {
        self.in_order = self.in_order.saturating_sub(1);
        self.longest = self.longest.max(instructions);
    }

    /// The most instructions of a block before it counts as waiting for another.
    pub(super) fn instruction_limit(&self) -> u64 {
        self.longest.saturating_mul(LIMIT_FACTOR).max(LEAST_LIMIT)
    }

    /// Units have been run.
    pub(super) fn tried(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::All => self.size = (self.size * 2).min(MOST_BLOCKS),
            Outcome::Conflict => {
                self.size = 1;
                self.in_order = self.pause;
                self.pause = self.pause.saturating_mul(2);
            }
            Outcome::Stops => self.is_over = true,
        }
    }
}
