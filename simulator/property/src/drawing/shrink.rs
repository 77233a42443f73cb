//! Making a launch and its data smaller while something still goes wrong.
//!
//! One number is made smaller after the other: the sizes of the launch, the lengths of buffers,
//! then the cells. The cells of a whole buffer come first, then halves, quarters and single cells.
//! Then come numbers that could be nearer to zero, then cells that could lie further to the front.
//! It starts over until a whole round changes nothing. It ends, because every change makes one
//! number simpler and none less simple, or brings one to the front.

use std::sync::Arc;

use proptest::strategy::ValueTree;

use crate::argument::{Choice, Length};
use crate::case::Case;
use crate::drawing::draw::{Draw, Inputs, drawn_from};
use crate::drawing::element::{ElementType, nearer};

/// A case, and the way to smaller ones.
#[derive(Clone, Debug)]
pub struct CaseTree {
    inputs: Arc<Inputs>,
    /// The smallest known to fail; at first, the one that was drawn.
    best: (Draw, Case),
    /// The one being tried.
    current: (Draw, Case),
    next: Attempt,
    /// Whether this round has made something smaller.
    progress: bool,
}

/// What to make smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Attempt {
    /// A size of the launch, by this attempt of [`nearer`].
    Size { axis: usize, attempt: u32 },
    /// The length of a buffer.
    Length { argument: usize, attempt: u32 },
    /// This many cells from this one on become the simplest.
    Clear { argument: usize, cells: usize, from: usize },
    /// A cell, or a number.
    Cell { argument: usize, cell: usize, attempt: u32 },
    /// A cell changes places with the first before it that is the simplest: what comes late keeps
    /// a launch large.
    Front { argument: usize, cell: usize },
    /// The round is over.
    Over,
}

/// Where a round begins.
const FIRST: Attempt = Attempt::Size { axis: 0, attempt: 0 };

impl CaseTree {
    pub(crate) fn new(inputs: Arc<Inputs>, draw: Draw, case: Case) -> CaseTree {
        let best = (draw, case);
        CaseTree { inputs, current: best.clone(), best, next: FIRST, progress: false }
    }

    /// Goes to the next smaller case, if there is one.
    fn advance(&mut self) -> bool {
        loop {
            if self.next == Attempt::Over {
                if !self.progress {
                    self.current = self.best.clone();
                    return false;
                }
                (self.next, self.progress) = (FIRST, false);
            }
            let attempt = self.next;
            let draw = self.apply(attempt);
            self.next = self.after(attempt, draw.is_some());
            let Some(draw) = draw else { continue };
            if let Ok(case) = self.inputs.resolve(&draw)
                && draw != self.best.0
            {
                self.current = (draw, case);
                return true;
            }
        }
    }

    /// The draw that an attempt makes of the best; `None` when there is nothing to make smaller.
    fn apply(&self, attempt: Attempt) -> Option<Draw> {
        let is_clear = match attempt {
            Attempt::Clear { argument, cells, from } => self.is_clear(argument, cells, from),
            Attempt::Cell { argument, cell, .. } | Attempt::Front { argument, cell } => {
                self.is_clear(argument, 1, cell)
            }
            _ => false,
        };
        if is_clear {
            return None;
        }
        let mut draw = self.best.0.clone();
        match attempt {
            Attempt::Size { axis, attempt } => {
                let low = *self.inputs.launch.ranges().get(axis)?.start();
                let size = draw.sizes.get_mut(axis)?;
                let smaller = nearer(ElementType::U32, (*size).into(), low.into(), attempt)?;
                *size = u32::try_from(smaller).ok()?;
            }
            Attempt::Length { argument, attempt } => {
                let Choice::Buffer { length: Length::Between(range), .. } =
                    &self.inputs.arguments.get(argument)?.0
                else {
                    return None;
                };
                let drawn = draw.arguments.get_mut(argument)?;
                drawn.length = nearer(ElementType::U64, drawn.length, *range.start(), attempt)?;
            }
            Attempt::Clear { argument, cells, from } => {
                let (ty, range) = drawn_from(self.inputs.arguments.get(argument)?)?;
                let simplest = range.simplest(ty);
                let count = self.count(argument);
                let bits = &mut draw.arguments.get_mut(argument)?.bits;
                bits.truncate(count);
                let cells = bits.iter_mut().skip(from).take(cells);
                cells.for_each(|cell| *cell = simplest);
            }
            Attempt::Cell { argument, cell, attempt } => {
                let (ty, range) = drawn_from(self.inputs.arguments.get(argument)?)?;
                let bits = draw.arguments.get_mut(argument)?.bits.get_mut(cell)?;
                *bits = nearer(ty, *bits, range.simplest(ty), attempt)?;
            }
            Attempt::Front { argument, cell } => {
                let free = (0..cell).find(|free| self.is_clear(argument, 1, *free))?;
                let bits = &mut draw.arguments.get_mut(argument)?.bits;
                (cell < bits.len()).then(|| bits.swap(free, cell))?;
            }
            Attempt::Over => return None,
        }
        Some(draw)
    }

    /// Whether these cells are the simplest already.
    fn is_clear(&self, argument: usize, cells: usize, from: usize) -> bool {
        let drawn = self.best.0.arguments.get(argument);
        let range = self.inputs.arguments.get(argument).and_then(drawn_from);
        let (Some(drawn), Some((ty, range))) = (drawn, range) else { return true };
        let simplest = range.simplest(ty);
        let used = drawn.bits.iter().take(self.count(argument));
        used.skip(from).take(cells).all(|bits| *bits == simplest)
    }

    /// What comes after an attempt that changed nothing for the better.
    fn after(&self, attempt: Attempt, was_possible: bool) -> Attempt {
        let arguments = self.inputs.arguments.len();
        match attempt {
            Attempt::Size { axis, attempt } if was_possible => {
                Attempt::Size { axis, attempt: attempt + 1 }
            }
            Attempt::Size { axis, .. } if axis < 6 => Attempt::Size { axis: axis + 1, attempt: 0 },
            Attempt::Size { .. } => Attempt::Length { argument: 0, attempt: 0 },
            Attempt::Length { argument, attempt } if was_possible => {
                Attempt::Length { argument, attempt: attempt + 1 }
            }
            Attempt::Length { argument, .. } if argument + 1 < arguments => {
                Attempt::Length { argument: argument + 1, attempt: 0 }
            }
            Attempt::Length { .. } => self.clear(0),
            Attempt::Clear { argument, cells, from } if from + cells < self.count(argument) => {
                Attempt::Clear { argument, cells, from: from + cells }
            }
            Attempt::Clear { argument, cells, .. } if cells > 1 => {
                Attempt::Clear { argument, cells: cells.div_ceil(2), from: 0 }
            }
            Attempt::Clear { argument, .. } => Attempt::Cell { argument, cell: 0, attempt: 1 },
            // The ways to make a float simpler are three, and not each is there.
            Attempt::Cell { argument, cell, attempt } if was_possible || attempt < 3 => {
                Attempt::Cell { argument, cell, attempt: attempt + 1 }
            }
            Attempt::Cell { argument, cell, .. } if cell + 1 < self.count(argument) => {
                Attempt::Cell { argument, cell: cell + 1, attempt: 1 }
            }
            Attempt::Cell { argument, .. } => Attempt::Front { argument, cell: 1 },
            Attempt::Front { argument, cell } if cell + 1 < self.count(argument) => {
                Attempt::Front { argument, cell: cell + 1 }
            }
            Attempt::Front { argument, .. } => self.clear(argument + 1),
            Attempt::Over => Attempt::Over,
        }
    }

    /// The first attempt on the cells of an argument, or the end.
    fn clear(&self, argument: usize) -> Attempt {
        match self.inputs.arguments.get(argument) {
            Some(_) => Attempt::Clear { argument, cells: self.count(argument).max(1), from: 0 },
            None => Attempt::Over,
        }
    }

    /// How many cells of an argument were drawn and are used.
    fn count(&self, argument: usize) -> usize {
        let drawn = self.best.0.arguments.get(argument).map_or(0, |drawn| drawn.bits.len());
        self.best.1.cells(argument).map_or(drawn, |cells| drawn.min(cells.bits.len()))
    }
}

impl ValueTree for CaseTree {
    type Value = Case;

    fn current(&self) -> Case {
        self.current.1.clone()
    }

    /// The current case fails: it is the smallest known.
    fn simplify(&mut self) -> bool {
        if self.current != self.best {
            self.best = self.current.clone();
            self.progress = true;
        }
        self.advance()
    }

    /// The current case does not fail: back to the smallest known, and on from there. When nothing
    /// is left, the smallest itself is shown once more: if other trees are shrunk too, their turn
    /// comes only after a case that fails.
    fn complicate(&mut self) -> bool {
        let was_smallest = self.current == self.best;
        self.advance() || !was_smallest
    }
}
