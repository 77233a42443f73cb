//! Advice as text. It says (1) and (2), like the message above it.

use super::{Advice, Gathering, Named, Spot, SpotKind, Untried, Way, Which};
use crate::passes::Side;
use crate::report::{Mend, Synchronisation};

impl Which {
    fn number(self) -> &'static str {
        match self {
            Which::First => "(1)",
            Which::Second => "(2)",
        }
    }
}

/// What orders two accesses of one block of threads.
pub(in crate::races) fn advice(advice: &Advice, mend: Mend) -> String {
    let what = match mend {
        Mend::Warp => Synchronisation::Warp,
        Mend::Block | Mend::Grid => Synchronisation::Block,
    };
    match advice {
        Advice::Tried(candidate, Named { ways }, _) => {
            let spots: Vec<_> = candidate.ways.iter().map(|(way, _)| *way).zip(ways).collect();
            match &spots[..] {
                [(way, spot)] if spot.kind == SpotKind::OneLine && way.is_next_round => format!(
                    "(1) and (2) are in one line of the source: split it into several lines, and \
                     put {} {}",
                    what.call(),
                    on_way(*way, Some(spot))
                ),
                [(_, spot)] if spot.kind == SpotKind::OneLine => format!(
                    "(1) and (2) are in one line of the source: split it into two statements, with \
                     {} in between",
                    what.call()
                ),
                [(way, spot)] => format!("put {} {}", what.call(), on_way(*way, Some(spot))),
                all => {
                    let places = all.iter().map(|(way, spot)| on_way(*way, Some(spot)));
                    let places: Vec<String> = places.collect();
                    format!("put {} at both places: {}", what.call(), places.join("; and "))
                }
            }
        }
        Advice::Untried(ways, why) => {
            let places: Vec<String> = ways.iter().map(|way| on_way(*way, None)).collect();
            let why = match why {
                Untried::LongRun => "",
                Untried::NoStepsLeft => {
                    " (whether that is enough was not tried: the trials for this launch have taken \
                     all the steps that they may)"
                }
            };
            format!("put {} {}{why}", what.call(), places.join(", or "))
        }
        Advice::NoPlace => no_place(what).to_owned(),
        Advice::Gathered(gathering, lines, _) => gathered(gathering, lines),
        Advice::NotGathered => {
            "blocks of a launch do not wait for each other: use a second launch, or an atomic. A \
             flag with __threadfence() on both sides orders only accesses of its own two threads, \
             and accesses that a barrier connects to them: let the threads of (1) call \
             __syncthreads() before one of them fences and sets the flag, and the threads of (2) \
             after one of them has seen the flag and fenced"
                .to_owned()
        }
    }
}

/// Where the threads of blocks that use a flag should gather.
fn gathered(gathering: &Gathering, lines: &[(u32, Side)]) -> String {
    let lines: Vec<String> =
        lines.iter().map(|(line, side)| format!("{} line {line}", word(*side))).collect();
    let beside = match lines.is_empty() {
        true => String::new(),
        false => format!(", {}", lines.join(" and ")),
    };
    let before = "before the __threadfence() of the thread that sets the flag";
    let behind = "after the __threadfence() of the thread that has seen the flag";
    let (places, why) = match (gathering.before.is_empty(), gathering.behind.is_empty()) {
        (false, true) => (before.to_owned(), "the others of its block must finish first"),
        (true, false) => (behind.to_owned(), "the others of its block must wait for it"),
        (_, _) => (
            format!("{before}, and {behind}"),
            "the others of its block take part only through barriers",
        ),
    };
    format!("put __syncthreads() {places}{beside}: {why}")
}

/// What the rounds of a loop lack in which one instruction conflicts with itself.
pub(in crate::races) fn between_rounds(advice: &Advice, mend: Mend) -> Option<String> {
    let what = match mend {
        Mend::Warp => Synchronisation::Warp,
        Mend::Block | Mend::Grid => Synchronisation::Block,
    };
    match advice {
        Advice::Tried(candidate, ..)
            if candidate.ways.iter().any(|(way, _)| !way.is_next_round) =>
        {
            None
        }
        Advice::Tried(_, Named { ways }, _) => {
            let place = ways.iter().find_map(beside_line).unwrap_or_default();
            Some(format!("put {} between the rounds of the loop{place}", what.call()))
        }
        Advice::Untried(..) | Advice::NoPlace | Advice::Gathered(..) | Advice::NotGathered => None,
    }
}

fn on_way(way: Way, spot: Option<&Spot>) -> String {
    let (from, to) = (way.from.number(), way.from.other().number());
    let place = spot.map_or_else(String::new, place);
    match way.is_next_round {
        true => format!("after {from}, before {to} in the next round of the loop{place}"),
        false => format!("between {from} and {to}{place}"),
    }
}

/// Where exactly, when between the two is not enough to know.
fn place(spot: &Spot) -> String {
    match spot.kind {
        SpotKind::Plain | SpotKind::OneLine => String::new(),
        SpotKind::Outside(which, side) => beside_line(spot).unwrap_or_else(|| {
            let side = match side {
                Side::Before => "in front of",
                Side::Behind => "after",
            };
            format!(", {side} the branch or loop that {} is in", which.number())
        }),
    }
}

fn beside_line(spot: &Spot) -> Option<String> {
    let (line, side) = spot.line.as_ref()?;
    Some(format!(", {} line {}", word(*side), line.line))
}

/// The side in advice for people; documents have [`Side::word`].
fn word(side: Side) -> &'static str {
    match side {
        Side::Before => "before",
        Side::Behind => "after",
    }
}

fn no_place(what: Synchronisation) -> &'static str {
    match what {
        Synchronisation::Warp => {
            "no place was found where one more __syncwarp() orders these: let each lane use its own \
             cells, or change the loop so that all lanes of the warp reach one between (1) and (2)"
        }
        Synchronisation::Block | Synchronisation::Fence => {
            "no place was found where one more __syncthreads() orders these: let each thread use its \
             own cells, or change the code so that all threads of the block reach one between (1) \
             and (2)"
        }
    }
}
