//! Finds what a conflict lacks by trying: it adds synchronisation at a place, judges the same run
//! again, and advises a place at which the conflict was gone.
//!
//! | file | what |
//! |---|---|
//! | `flow` | which access can come before which, and where all threads of a block are together |
//! | `candidates` | the places between two accesses at which synchronisation may be added |
//! | `gather` | barriers beside the fences of a flag, where the two are of different blocks |
//! | `trial` | the run judged again |
//! | `lines` | these places as lines of the source |
//! | `words` | the advice, as text |
//!
//! A place is good when no way leads from one access past it to the other, and when all threads of
//! the block reach it alike. A barrier in a branch that some of them take is worse than none. The
//! control flow answers both questions. Then the run itself shows whether the conflict is gone, and
//! whether threads miss a barrier that they did not miss before.
//!
//! Conflicts of the same two lines of the source are one conflict to a user: a compiler may have
//! unrolled a loop or inlined a function several times. The user can add one line for all of them.
//! So the places are tried for all of them at once.
//!
//! Where it can be wrong: a run shows what happens in this run. In a called function, it is not
//! known which branches all threads take alike. A place in a branch that they all took this time
//! may be advised.

mod candidates;
mod flow;
mod gather;
mod lines;
mod trial;
pub(super) mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) use candidates::{Candidate, Way, Which};
pub(super) use flow::Flow;
pub(super) use gather::Gathering;
pub(super) use lines::{Named, Spot, SpotKind};
pub(super) use trial::Trials;

use super::conflict::{Conflict, End, Pair, Verdict};
use crate::lower::{Pc, Program};
use crate::passes::Side;
use crate::report::{Mend, Remedy, Synchronisation};
use flow::At;

/// What to do about a conflict.
#[derive(Clone, Debug)]
pub(super) enum Advice {
    /// Synchronisation was added there, and the conflict was gone.
    Tried(Candidate, Named, Remedy),
    /// For threads of different blocks: barriers were added beside the fences of the flag, and the
    /// conflict was gone.
    Gathered(Gathering, Vec<(u32, Side)>, Remedy),
    /// For threads of different blocks, if some of them fence: no barrier beside a fence is enough.
    NotGathered,
    /// Nothing was tried, or not everything that is possible: on these ways synchronisation is
    /// missing.
    Untried(Vec<Way>, Untried),
    /// Synchronisation at one place, or at two, does not mend it.
    NoPlace,
}

/// Why no mend of a conflict was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untried {
    /// The run is too long to be repeated.
    LongRun,
    /// The trials for other conflicts, and for this one, have taken the steps that they may.
    NoStepsLeft,
}

/// Where a user sees an access: a line of the source, with the calls that lead there. Without
/// lines, the instruction itself.
type Line = (Vec<(Arc<str>, u32)>, Pc);

impl Advice {
    /// The same for a conflict whose (1) is at the line of (2).
    pub(super) fn turned(mut self) -> Advice {
        if let Advice::Tried(candidate, named, _) = &mut self {
            candidate.ways.iter_mut().for_each(|(way, _)| way.from = way.from.other());
            for spot in &mut named.ways {
                if let SpotKind::Outside(which, _) = &mut spot.kind {
                    *which = which.other();
                }
            }
        }
        if let Advice::Untried(ways, _) = &mut self {
            ways.iter_mut().for_each(|way| way.from = way.from.other());
        }
        self
    }
}

/// Conflicts of the same two lines.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Their verdict, and their lines.
    key: (Verdict, Line, Line),
    /// The instructions of (1) and of (2) of the first of them.
    ends: [BTreeSet<Pc>; 2],
    /// The first of them, as an example.
    example: [Pc; 2],
    pairs: Vec<Pair>,
    /// Which of all conflicts they are, and whether (1) of one is at the line of (2) of the first.
    pub(super) members: Vec<(usize, bool)>,
    /// What orders all of them.
    pub(super) mend: Mend,
}

/// The most advice that is kept.
const MOST_KEPT: usize = 1024;

/// The advice for the conflicts of earlier launches. A program may be launched again and again, and
/// its conflicts need no new trial each time. A later launch may have another shape, but it gets
/// the advice that was tried for the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Advised(Vec<(Arc<Program>, Group, Advice)>);

impl Advised {
    /// What was advised for a group of conflicts of a program.
    pub(super) fn known(&self, program: &Arc<Program>, group: &Group) -> Option<Advice> {
        let is_it = |(of, known, _): &&(Arc<Program>, Group, Advice)| {
            Arc::ptr_eq(of, program) && known.is_like(group)
        };
        self.0.iter().find(is_it).map(|(.., advice)| advice.clone())
    }

    /// Keeps what was advised.
    pub(super) fn keep(&mut self, program: &Arc<Program>, group: &Group, advice: &Advice) {
        if self.0.len() < MOST_KEPT {
            self.0.push((Arc::clone(program), group.clone(), advice.clone()));
        }
    }
}

fn line(program: &Program, end: &End) -> Line {
    let source = program.places.get(end.pc as usize).and_then(|place| place.source.as_deref());
    match source {
        Some(source) => {
            let positions = std::iter::once(source).chain(&source.inlined_at);
            (positions.map(|p| (Arc::clone(&p.file), p.line)).collect(), 0)
        }
        None => (Vec::new(), end.pc),
    }
}

fn is_store(program: &Program, pc: Pc) -> bool {
    program.places.get(pc as usize).is_some_and(|place| place.name.starts_with("st"))
}

/// The conflicts by the lines that they are of; with each its index, and what orders it.
pub(super) fn grouped(program: &Program, conflicts: &[(usize, Conflict, Mend)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, conflict, mend) in conflicts {
        let ends = [&conflict.earlier, &conflict.later];
        let [one, other] = ends.map(|end| line(program, end));
        let verdict = conflict.verdict;
        let (key, swapped) =
            ((verdict, one.clone(), other.clone()), (verdict, other.clone(), one.clone()));
        let [first, second] = ends.map(|end| end.pc);
        let place = groups.iter().position(|group| group.key == key || group.key == swapped);
        let place = place.unwrap_or_else(|| {
            groups.push(Group {
                key: key.clone(),
                ends: Default::default(),
                example: [first, second],
                pairs: Vec::new(),
                members: Vec::new(),
                mend: *mend,
            });
            groups.len() - 1
        });
        let group = &mut groups[place];
        // On one line a store and a load are matched as in the example; two of one kind are not.
        let [is_store, other_is, example_is] =
            [first, second, group.example[0]].map(|pc| is_store(program, pc));
        let is_turned = match one == other {
            true => is_store != other_is && is_store != example_is,
            false => group.key != key,
        };
        let [a, b] = if is_turned { [second, first] } else { [first, second] };
        group.ends[0].insert(a);
        group.ends[1].insert(b);
        if one == other && is_store == other_is {
            group.ends[0].insert(b);
            group.ends[1].insert(a);
        }
        group.pairs.push(conflict.pair());
        group.members.push((*index, is_turned));
        group.mend = group.mend.max(*mend);
    }
    groups
}

impl Group {
    /// Whether the advice is the same: (1) and (2) are the same, too.
    fn is_like(&self, other: &Group) -> bool {
        (&self.pairs, self.example, self.mend) == (&other.pairs, other.example, other.mend)
    }

    /// What to do about them. Without trials the run is not judged again.
    pub(super) fn advice(&self, flow: &Flow<'_>, trials: Option<&mut Trials<'_>>) -> Advice {
        let Some(trials) = trials else { return self.untried(flow, Untried::LongRun) };
        if self.mend == Mend::Grid {
            return self.gathered(flow, trials);
        }
        for candidate in flow.candidates(&self.ends, self.mend) {
            if trials.is_over() {
                return self.untried(flow, Untried::NoStepsLeft);
            }
            if trials.mends(candidate.what, candidate.places(), &self.pairs) {
                let named = flow.named(&candidate, self.example);
                let remedy = remedy(flow.program(), &candidate, &named);
                return Advice::Tried(candidate, named, remedy);
            }
        }
        Advice::NoPlace
    }

    /// What to do where flags are there already.
    fn gathered(&self, flow: &Flow<'_>, trials: &mut Trials<'_>) -> Advice {
        for gathering in flow.gatherings() {
            if trials.is_over() {
                return Advice::NotGathered;
            }
            let what = Synchronisation::Block;
            let places = gathering.places();
            if trials.mends(what, places.clone(), &self.pairs) {
                let lines: Option<Vec<_>> = places.iter().map(|at| flow.line_beside(*at)).collect();
                let ptx = ptx_lines(flow.program(), &places);
                let remedy = Remedy::new(what, Vec::new(), ptx);
                return Advice::Gathered(gathering, lines.unwrap_or_default(), remedy);
            }
        }
        Advice::NotGathered
    }

    fn untried(&self, flow: &Flow<'_>, why: Untried) -> Advice {
        if self.mend == Mend::Grid {
            return Advice::NotGathered;
        }
        match flow.ways(&self.ends, self.mend) {
            ways if ways.is_empty() => Advice::NoPlace,
            ways => Advice::Untried(ways, why),
        }
    }
}

fn remedy(program: &Program, candidate: &Candidate, named: &Named) -> Remedy {
    let lines = named.ways.iter().map(|spot| match spot.kind {
        SpotKind::OneLine => None,
        SpotKind::Plain | SpotKind::Outside(..) => spot.line.clone(),
    });
    // Half of it would not do.
    let source = lines.collect::<Option<Vec<_>>>().unwrap_or_default();
    Remedy::new(candidate.what, source, ptx_lines(program, &candidate.places()))
}

/// The lines of the text beside which places are: behind an instruction of several lines, behind
/// the last of them.
fn ptx_lines(program: &Program, places: &[At]) -> Vec<(u32, Side)> {
    let line = |(pc, side): &At| {
        let place = &program.places[*pc as usize];
        let last = match (side, &place.file) {
            (Side::Behind, None) => {
                let lines =
                    program.source.text().lines().skip(place.line.saturating_sub(1) as usize);
                lines.take_while(|line| !line.contains(';')).count() as u32
            }
            (Side::Behind, Some(_)) | (Side::Before, _) => 0,
        };
        (place.line + last, *side)
    };
    places.iter().map(line).collect()
}
