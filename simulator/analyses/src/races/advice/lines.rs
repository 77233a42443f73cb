//! Places as lines of the source.
//!
//! Two accesses may be in functions that were inlined. The lines that can be compared are then in
//! the function that contains both, at the calls that lead to them. A line is named only if it lies
//! between the two in the text, or is the line of one of them. Code that a compiler has moved has
//! no such line.

use super::candidates::{Candidate, Way, Which};
use super::flow::{At, Flow};
use crate::lower::Pc;
use crate::passes::Side;
use crate::ptx::SourcePosition;
use crate::report::Synchronisation;

/// Where to add something, in the words of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::races) struct Named {
    /// For each way the line beside which it is added, when that is known, and how it is called.
    pub ways: Vec<Spot>,
}

/// Where synchronisation is added on a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::races) struct Spot {
    /// The line of the source.
    pub line: Option<(SourcePosition, Side)>,
    pub kind: SpotKind,
}

/// How a place lies to the accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::races) enum SpotKind {
    /// Beside one of them, and both are where all threads are together.
    Plain,
    /// Both are of one line. The user must split the line to add something between them.
    OneLine,
    /// Out of a branch or a loop in which this access is, on this side of it.
    Outside(Which, Side),
}

/// A place of the source, the outermost call first.
type Stack = Vec<SourcePosition>;

impl Flow<'_> {
    /// The places of a candidate as a user knows them; `ends` is the example of the two accesses.
    pub(super) fn named(&self, candidate: &Candidate, ends: [Pc; 2]) -> Named {
        let ways = candidate
            .ways
            .iter()
            .map(|(way, places)| self.spot(candidate.what, (*way, places), ends));
        Named { ways: ways.collect() }
    }

    fn spot(
        &self,
        what: Synchronisation,
        (way, places): (Way, &[At]),
        [first, second]: [Pc; 2],
    ) -> Spot {
        let (from, to) = match way.from {
            Which::First => (first, second),
            Which::Second => (second, first),
        };
        let (a, b) = (self.stack(from), self.stack(to));
        let depth = a.iter().zip(&b).position(|(a, b)| !is_one_line(a, b));
        let is_beside = |pc: Pc| self.is_one_source_line(places, pc);
        let (is_from, is_to) = (is_beside(from), is_beside(to));
        let is_plain = what == Synchronisation::Warp
            || [from, to].iter().all(|pc| !self.is_in_kernel(*pc) || !self.is_apart(*pc));
        let kind = match (is_from, is_to) {
            _ if depth.is_none() && !a.is_empty() && !way.is_next_round => SpotKind::OneLine,
            (_, true) | (true, _) if is_plain => SpotKind::Plain,
            (_, true) => SpotKind::Outside(way.from, Side::Behind),
            (true, _) => SpotKind::Outside(way.from.other(), Side::Before),
            (false, false) => match places.first() {
                Some((pc, Side::Before)) if !self.goes_elsewhere(*pc) => {
                    SpotKind::Outside(way.from, Side::Behind)
                }
                Some(_) | None => SpotKind::Outside(way.from.other(), Side::Before),
            },
        };
        let line = depth.and_then(|depth| self.line(way, places, [&a, &b], depth));
        Spot { line, kind }
    }

    /// The line that all places are beside.
    fn line(
        &self,
        way: Way,
        places: &[At],
        [from, to]: [&Stack; 2],
        depth: usize,
    ) -> Option<(SourcePosition, Side)> {
        let (from, to) = (from.get(depth)?, to.get(depth)?);
        if from.file != to.file {
            return None;
        }
        let mut lines = places.iter().map(|(pc, side)| {
            let stack = self.stack(*pc);
            let at = stack.get(depth)?;
            let is =
                |position: &SourcePosition| position.line == at.line && position.file == at.file;
            match (way.is_next_round, side) {
                (true, Side::Behind) => is(from).then(|| (from.clone(), Side::Behind)),
                (true, Side::Before) => is(to).then(|| (to.clone(), Side::Before)),
                (false, Side::Behind) if is(from) && from.line < to.line => {
                    Some((from.clone(), Side::Behind))
                }
                (false, _) => {
                    let is_between = from.line < at.line && at.line <= to.line;
                    let is_same_file = at.file == from.file;
                    (is_between && is_same_file).then(|| (at.clone(), Side::Before))
                }
            }
        });
        let first = lines.next()??;
        let is_first = |other: Option<(SourcePosition, Side)>| {
            other.is_some_and(|(line, side)| line.line == first.0.line && side == first.1)
        };
        lines.all(is_first).then_some(first)
    }

    /// Whether all places are beside instructions of the line of this one.
    fn is_one_source_line(&self, places: &[At], pc: Pc) -> bool {
        let line = self.stack(pc);
        places.iter().all(|(at, _)| {
            let other = self.stack(*at);
            let is_like = other.len() == line.len()
                && other.iter().zip(&line).all(|(a, b)| is_one_line(a, b));
            *at == pc || is_like && !line.is_empty() && !self.goes_elsewhere(*at)
        })
    }

    /// The calls that lead to an operation in the source, the outermost first, and its own line.
    fn stack(&self, pc: Pc) -> Stack {
        let place = self.program().places.get(pc as usize);
        let Some(source) = place.and_then(|place| place.source.as_deref()) else {
            return Stack::new();
        };
        let own = std::iter::once(source);
        let mut stack: Stack = own
            .chain(&source.inlined_at)
            .map(|at| SourcePosition { inlined_at: Vec::new(), ..at.clone() })
            .collect();
        stack.reverse();
        stack
    }
}

fn is_one_line(a: &SourcePosition, b: &SourcePosition) -> bool {
    (a.line, &a.file) == (b.line, &b.file)
}
