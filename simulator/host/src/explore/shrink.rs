//! The shortest difference: a schedule in which every turn is put back in order, except those that
//! the different result needs.
//!
//! Guesses come first ([`super::pairs`]): one thread runs ahead of another that it shares a cell
//! with. If no guess makes a difference, the schedules that did are made smaller by delta debugging
//! (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). It works on
//! the parts of a recording: cut off its end, leave out parts, make parts shorter, move fewer
//! lanes, until nothing more can go. The rest is small, not always the smallest there is.

use super::compare::different_cells;
use super::pairs::Pairs;
use super::run::{Key, Runner};
use super::{Difference, Distinct};
use crate::DeviceError;
use crate::report::Outcome;
use crate::schedule::{Choice, Copies, InOrder, Move, Part, Replay, Schedule};

/// Schedules that are made smaller; the smallest of them is shown.
const TRIED: usize = 4;

/// The smallest difference from the first result.
pub(super) fn smallest(
    runner: &mut Runner<'_>,
    outcomes: &[Distinct],
    budget: u64,
) -> Result<Option<Difference>, DeviceError> {
    let usual = runner.first.key;
    let differs =
        |d: &&Distinct| (d.outcome, d.code, d.digest) != (usual.outcome, usual.code, usual.digest);
    let others: Vec<&Distinct> = outcomes.iter().filter(differs).take(TRIED).collect();
    if others.is_empty() {
        return Ok(None);
    }
    if let Some(parts) = guessed(runner, usual, budget / 2)? {
        return difference(runner, &Replay::new(parts)).map(Some);
    }
    let mut best: Option<Replay> = None;
    for other in &others {
        let Ok(schedule) = other.replay.parse::<Box<dyn Schedule>>() else { continue };
        let (ending, replay) = runner.record(schedule.as_ref())?;
        if ending.key == usual {
            continue;
        }
        let budget = budget / others.len() as u64;
        let copies = Copies::default();
        let mut shrinking = Shrinking { runner, usual, left: budget, copies };
        if !shrinking.differs(replay.parts())? {
            shrinking.copies = replay.copies().clone();
        }
        let parts = shrinking.shrink(replay.parts().to_vec())?;
        let replay = Replay::new(parts).with_copies(shrinking.copies);
        if best.as_ref().is_none_or(|best| size(replay.parts()) < size(best.parts())) {
            best = Some(replay);
        }
    }
    best.map(|replay| difference(runner, &replay)).transpose()
}

/// The first guess that makes a difference, made smaller.
fn guessed(
    runner: &mut Runner<'_>,
    usual: Key,
    budget: u64,
) -> Result<Option<Vec<Part>>, DeviceError> {
    let mut pairs = Pairs::default();
    let schedule = pairs.clone();
    runner.run(&schedule, Some(&mut pairs))?;
    let lockstep = runner.is_lockstep();
    let copies = Copies::default();
    let mut shrinking = Shrinking { runner, usual, left: budget, copies };
    for guess in pairs.guesses(lockstep) {
        if shrinking.differs(&guess)? {
            return shrinking.shrink(guess).map(Some);
        }
    }
    Ok(None)
}

/// Runs the two schedules once more and says how their results differ.
fn difference(runner: &mut Runner<'_>, replay: &Replay) -> Result<Difference, DeviceError> {
    let usual = InOrder::new();
    let turns = forced(replay.parts());
    let (one, first) = runner.run(&usual, None)?;
    let (other, second) = runner.run(replay, None)?;
    let outcomes = [one.key.outcome, other.key.outcome];
    let (cells, cells_in_all) = match outcomes {
        [Outcome::Completed, Outcome::Completed] => {
            different_cells(&first, &second, runner.request(), runner.program())
        }
        _ => (Vec::new(), 0),
    };
    let (first, second) = (usual.to_string(), replay.to_string());
    Ok(Difference { first, second, turns, outcomes, cells, cells_in_all })
}

/// Turns that are not in order.
fn forced(parts: &[Part]) -> u64 {
    let counts = parts.iter().map(|part| match part {
        Part::InOrder(_) => 0,
        Part::Turns(_, count) => *count,
    });
    counts.sum()
}

/// The size that shrinking reduces: first the departures from the order, then the turns in them,
/// the lanes that move, and the part before them.
fn size(parts: &[Part]) -> (usize, u64, u32, u64) {
    let departs = parts.iter().filter(|part| matches!(part, Part::Turns(..))).count();
    let lanes = parts.iter().map(|part| match part {
        Part::InOrder(_) => 0,
        Part::Turns(turn, _) => turn.lanes.mask().count_ones(),
    });
    let all: u64 = parts.iter().map(|part| part.count()).sum();
    (departs, forced(parts), lanes.sum(), all)
}

struct Shrinking<'r, 'a> {
    runner: &'r mut Runner<'a>,
    usual: Key,
    /// Warp instructions that may still be spent.
    left: u64,
    /// When asynchronous copies take effect: all at once, if that makes a difference, too.
    copies: Copies,
}

impl Shrinking<'_, '_> {
    /// Whether these lead to an unusual result; "no" when there is no time left to find out.
    fn differs(&mut self, parts: &[Part]) -> Result<bool, DeviceError> {
        if self.left == 0 {
            return Ok(false);
        }
        let replay = Replay::new(parts.to_vec()).with_copies(self.copies.clone());
        let (ending, _) = self.runner.run(&replay, None)?;
        let steps = ending.report.counts.warp_instructions;
        self.left = self.left.saturating_sub(steps.max(100));
        Ok(ending.key != self.usual && ending.key.outcome != Outcome::Limit)
    }

    fn shrink(&mut self, parts: Vec<Part>) -> Result<Vec<Part>, DeviceError> {
        let mut parts = self.cut_end(parts)?;
        loop {
            let before = size(&parts);
            parts = self.leave_out(parts)?;
            parts = self.together(parts)?;
            parts = self.shorten(parts)?;
            parts = self.fewer_lanes(parts)?;
            parts = self.cut_end(parts)?;
            if size(&parts) >= before {
                return Ok(parts);
            }
        }
    }

    /// The shortest beginning that is enough, found by halving: a longer one is usually enough too.
    fn cut_end(&mut self, parts: Vec<Part>) -> Result<Vec<Part>, DeviceError> {
        let total: u64 = parts.iter().map(|part| part.count()).sum();
        let (mut too_short, mut enough) = (0, total);
        while enough - too_short > 1 {
            let middle = too_short + (enough - too_short) / 2;
            if self.differs(&beginning(&parts, middle))? {
                enough = middle;
            } else {
                too_short = middle;
            }
        }
        let mut short = if enough < total { beginning(&parts, enough) } else { parts };
        if let Some(Part::InOrder(_)) = short.last() {
            short.pop();
        }
        Ok(short)
    }

    /// Leaves out whole parts, many at a time, then fewer.
    fn leave_out(&mut self, mut parts: Vec<Part>) -> Result<Vec<Part>, DeviceError> {
        let mut chunk = (parts.len() / 2).max(1);
        loop {
            // From the end, so that what comes before stays where it was.
            let mut end = parts.len();
            while end > 0 && self.left > 0 {
                let start = end.saturating_sub(chunk);
                let without = joined([&parts[..start], &parts[end.min(parts.len())..]].concat());
                if without.len() < parts.len() && self.differs(&without)? {
                    end = start.min(without.len());
                    parts = without;
                } else {
                    end = start;
                }
            }
            if chunk == 1 {
                return Ok(parts);
            }
            chunk /= 2;
        }
    }

    /// Lets lanes of a warp that move one after the other move together.
    fn together(&mut self, mut parts: Vec<Part>) -> Result<Vec<Part>, DeviceError> {
        let mut at = 0;
        while at < parts.len() {
            let same = parts[at..].iter().take_while(|part| warp_of(part) == warp_of(&parts[at]));
            let run = same.count();
            let mut length = if warp_of(&parts[at]).is_some() { run } else { 1 };
            while length > 1 {
                let one = merged(&parts[at..at + length]);
                let fewer = [&parts[..at], &one, &parts[at + length..]].concat();
                if self.differs(&fewer)? {
                    parts = fewer;
                    break;
                }
                length /= 2;
            }
            at += 1;
        }
        Ok(parts)
    }

    /// Makes each part as short as it can be.
    fn shorten(&mut self, mut parts: Vec<Part>) -> Result<Vec<Part>, DeviceError> {
        for at in (0..parts.len()).rev() {
            let (mut too_short, mut enough) = (0, parts[at].count());
            while enough - too_short > 1 {
                let middle = too_short + (enough - too_short) / 2;
                let mut shorter = parts.clone();
                shorter[at] = parts[at].times(middle);
                if self.differs(&shorter)? {
                    enough = middle;
                } else {
                    too_short = middle;
                }
            }
            parts[at] = parts[at].times(enough);
        }
        Ok(parts)
    }

    /// Moves fewer lanes: one half of them, or one by one without each.
    fn fewer_lanes(&mut self, mut parts: Vec<Part>) -> Result<Vec<Part>, DeviceError> {
        for at in 0..parts.len() {
            while let Part::Turns(Move { lanes: Choice::Only(lanes), block, warp }, count) =
                parts[at]
                && let Some(fewer) = self.without_half(&parts, at, lanes, (block, warp, count))?
            {
                parts[at] = fewer;
            }
        }
        Ok(parts)
    }

    fn without_half(
        &mut self,
        parts: &[Part],
        at: usize,
        lanes: u32,
        (block, warp, count): (u64, u32, u64),
    ) -> Result<Option<Part>, DeviceError> {
        let (mut lower, mut rest) = (0_u32, lanes);
        while lower.count_ones() * 2 + 1 < lanes.count_ones() {
            lower |= rest & rest.wrapping_neg();
            rest &= rest - 1;
        }
        for half in [lower, lanes & !lower] {
            let mut fewer = parts.to_vec();
            let part = Part::Turns(Move { block, warp, lanes: Choice::Only(half) }, count);
            fewer[at] = part;
            if half != 0 && half != lanes && self.differs(&fewer)? {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }
}

/// The block and warp that a part moves.
fn warp_of(part: &Part) -> Option<(u64, u32)> {
    match part {
        Part::InOrder(_) => None,
        Part::Turns(turn, _) => Some((turn.block, turn.warp)),
    }
}

/// One part that moves all lanes of these parts of one warp, as often as the longest of them.
fn merged(parts: &[Part]) -> Vec<Part> {
    let turns = parts.iter().filter_map(|part| match part {
        Part::InOrder(_) => None,
        Part::Turns(turn, count) => Some((*turn, *count)),
    });
    let one = turns.reduce(|(a, count), (b, more)| {
        let lanes = Choice::Only(a.lanes.mask() | b.lanes.mask());
        (Move { lanes, ..a }, count.max(more))
    });
    one.map(|(turn, count)| Part::Turns(turn, count)).into_iter().collect()
}

/// The first turns of a recording.
fn beginning(parts: &[Part], mut turns: u64) -> Vec<Part> {
    let mut out = Vec::new();
    for part in parts {
        let count = part.count().min(turns);
        if count == 0 {
            break;
        }
        out.push(part.times(count));
        turns -= count;
    }
    out
}

/// Neighbours of one kind as one part.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in parts {
        match (out.last_mut(), part) {
            (Some(Part::InOrder(count)), Part::InOrder(more)) => *count += more,
            (Some(Part::Turns(last, count)), Part::Turns(turn, more)) if *last == turn => {
                *count += more;
            }
            _ => out.push(part),
        }
    }
    out
}
