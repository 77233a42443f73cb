//! Places between two accesses at which synchronisation may be added, the best first.
//!
//! A *way* leads from one access to the other without synchronisation. To order the two, each way
//! that threads take needs synchronisation. It goes right before the access at the end of the way,
//! or right behind the access at its beginning. It is moved out of branches that only some threads
//! take.

use std::collections::BTreeSet;

use super::flow::{At, Flow};
use crate::lower::Pc;
use crate::passes::Side;
use crate::report::{Mend, Synchronisation};

/// One of two accesses, by the number that it has in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::races) enum Which {
    /// (1), which ran first in the example.
    First,
    /// (2).
    Second,
}

impl Which {
    pub(super) fn other(self) -> Which {
        match self {
            Which::First => Which::Second,
            Which::Second => Which::First,
        }
    }

    fn index(self) -> usize {
        match self {
            Which::First => 0,
            Which::Second => 1,
        }
    }
}

/// A way without synchronisation from one access to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::races) struct Way {
    /// Where it begins.
    pub from: Which,
    /// It goes round a loop: the other access is of the next round.
    pub is_next_round: bool,
}

/// Places at which synchronisation may be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::races) struct Candidate {
    pub what: Synchronisation,
    /// The ways that lead past them, each with its places.
    pub ways: Vec<(Way, Vec<At>)>,
}

impl Candidate {
    /// All places, each once.
    pub(super) fn places(&self) -> Vec<At> {
        let places: BTreeSet<At> = self.ways.iter().flat_map(|(_, at)| at).copied().collect();
        places.into_iter().collect()
    }
}

/// The instructions of (1), and the instructions of (2).
pub(super) type Ends = [BTreeSet<Pc>; 2];

impl Flow<'_> {
    /// The ways between two accesses on which nothing orders as much as the mend.
    pub(super) fn ways(&self, ends: &Ends, mend: Mend) -> Vec<Way> {
        let is_free = |from: Which| {
            let reached = self.reached(&ends[from.index()], mend, &[]);
            !reached.is_disjoint(&ends[from.other().index()])
        };
        let way = |from: Which| {
            let (from_ends, to) = (&ends[from.index()], &ends[from.other().index()]);
            Way { from, is_next_round: !self.leads_forward(from_ends, to) }
        };
        let both = [Which::First, Which::Second];
        let mut ways: Vec<Way> = both.into_iter().filter(|w| is_free(*w)).map(way).collect();
        // A single instruction is on a way to itself, which is one way.
        if ends[0] == ends[1] {
            ways.truncate(1);
        }
        ways.sort_by_key(|way| way.is_next_round);
        ways
    }

    /// What may order two accesses, the best first.
    pub(super) fn candidates(&self, ends: &Ends, mend: Mend) -> Vec<Candidate> {
        let mut all = self.candidates_within(ends, mend);
        let lifted: Ends =
            ends.each_ref().map(|pcs| pcs.iter().flat_map(|pc| self.in_kernel(*pc)).collect());
        if lifted != *ends {
            all.extend(self.candidates_within(&lifted, mend));
        }
        all
    }

    /// The same, where all is in one function.
    fn candidates_within(&self, ends: &Ends, mend: Mend) -> Vec<Candidate> {
        let what = match mend {
            Mend::Warp => Synchronisation::Warp,
            Mend::Block => Synchronisation::Block,
            Mend::Grid => return Vec::new(),
        };
        let ways = self.ways(ends, mend);
        let options: Vec<Vec<Vec<At>>> =
            ways.iter().map(|way| self.options(*way, ends, mend)).collect();
        let single = ways.iter().zip(&options).flat_map(|(way, options)| {
            options.iter().map(move |places| vec![(*way, places.clone())])
        });
        let mut all: Vec<Candidate> = single.map(|ways| Candidate { what, ways }).collect();
        if let ([one, other], [first, second]) = (&ways[..], &options[..]) {
            for a in first {
                let pairs = second.iter().map(|b| vec![(*one, a.clone()), (*other, b.clone())]);
                all.extend(pairs.map(|ways| Candidate { what, ways }));
            }
        }
        all
    }

    /// The places that stop a way.
    fn options(&self, way: Way, ends: &Ends, mend: Mend) -> Vec<Vec<At>> {
        let (from, to) = (&ends[way.from.index()], &ends[way.from.other().index()]);
        let reached = self.reached(from, mend, &[]);
        let is_left = |pc: &&Pc| !self.reached(&[**pc].into(), mend, &[]).is_disjoint(to);
        let before: Vec<Pc> = to.intersection(&reached).copied().collect();
        let behind: Vec<Pc> = from.iter().filter(is_left).copied().collect();
        let mut options: Vec<Vec<At>> = Vec::new();
        for is_adjacent in [true, false] {
            let may_be_adjacent = |pc: &Pc| mend == Mend::Warp || !self.is_in_kernel(*pc);
            if is_adjacent && !before.iter().chain(&behind).all(may_be_adjacent) {
                continue;
            }
            let before = before.iter().map(|pc| self.before(*pc, is_adjacent)).collect();
            let behind = behind.iter().map(|pc| self.behind(*pc, is_adjacent)).collect();
            let both: [Option<BTreeSet<At>>; 2] = match way.is_next_round {
                false => [before, behind],
                true => [behind, before],
            };
            for places in both.into_iter().flatten() {
                let is_cut = |places: &[At]| self.reached(from, mend, places).is_disjoint(to);
                let places: Vec<At> = places.into_iter().collect();
                if !is_cut(&places) {
                    continue;
                }
                let places = least(places, is_cut);
                if !options.contains(&places) {
                    options.push(places);
                }
            }
        }
        options
    }
}

/// The places without those that are not needed: of several instructions of a line, the place
/// before the first, or behind the last, is enough.
fn least(mut places: Vec<At>, is_cut: impl Fn(&[At]) -> bool) -> Vec<At> {
    // Before: the later ones are tried first; behind: the earlier ones.
    places.sort_by_key(|(pc, side)| match side {
        Side::Before => i64::from(*pc),
        Side::Behind => -i64::from(*pc),
    });
    let mut index = places.len();
    while index > 0 && places.len() > 1 {
        index -= 1;
        let one = places.remove(index);
        if !is_cut(&places) {
            places.insert(index, one);
        }
    }
    places
}
