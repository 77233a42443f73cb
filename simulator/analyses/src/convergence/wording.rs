//! What was found, in words.

use super::result::{Absence, Spot, Violation};
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::observe::{LaunchFacts, lane_list};
use crate::report::{Finding, Severity};

/// A violation as people read it.
pub(super) fn finding(facts: &LaunchFacts, violation: &Violation, count: u64) -> Finding {
    let severity = match violation {
        Violation::InactiveSource { .. } | Violation::LeftBarrier { is_inside: true, .. } => {
            Severity::Warning
        }
        Violation::LeftBarrier { is_inside: false, .. } => Severity::Note,
        Violation::Apart { .. }
        | Violation::PassedBarrier { .. }
        | Violation::PassedWarpOperation { .. }
        | Violation::OtherMask { .. }
        | Violation::NotActive { .. }
        | Violation::Stuck { .. }
        | Violation::NotInOwnMask { .. } => Severity::Error,
    };
    let mut finding = Finding::new(severity, violation.code(), headline(violation));
    finding.count = count;
    finding.sites =
        sites(violation).into_iter().map(|s| facts.site(s.block, s.warp, s.lane, s.pc)).collect();
    finding.notes = notes(facts, violation);
    finding.help = Some(help(violation).to_owned());
    finding
}

/// `lane 3`, `lanes 0-15, 20`.
fn lanes(mask: Mask) -> String {
    let word = if mask.count_ones() == 1 { "lane" } else { "lanes" };
    let list = if mask == Mask::MAX { "0-31".to_owned() } else { lane_list(mask) };
    format!("{word} {list}")
}

fn barrier_name(barrier: u8, count: Option<u32>) -> String {
    match count {
        None => format!("barrier {barrier}"),
        Some(count) => format!("barrier {barrier} for {count} threads"),
    }
}

fn headline(violation: &Violation) -> String {
    match violation {
        Violation::Apart { first, second, barrier, count } => {
            let who = if (first.block, first.warp) == (second.block, second.warp) {
                "lanes of one warp"
            } else {
                "threads of a block"
            };
            format!("{who} wait at different instructions of {}", barrier_name(*barrier, *count))
        }
        Violation::PassedBarrier { passing, lanes: passed, barrier, count, .. } => format!(
            "{} of warp {} passed {} without waiting, but others of their block wait there",
            lanes(*passed),
            passing.warp,
            barrier_name(*barrier, *count)
        ),
        Violation::LeftBarrier { left, lanes: others, barrier, is_inside: true, .. } => format!(
            "{} of warp {} passed {} without waiting, but others of their block wait there",
            lanes(*others),
            left.warp,
            barrier_name(*barrier, None)
        ),
        Violation::LeftBarrier { left, lanes: others, barrier, is_inside: false, .. } => format!(
            "{} of warp {} left the kernel, but others of their block wait at {}",
            lanes(*others),
            left.warp,
            barrier_name(*barrier, None)
        ),
        Violation::PassedWarpOperation { mask, missing, .. } => {
            format!(
                "the member mask {mask:#010x} names {}, which did not execute the operation",
                lanes(*missing)
            )
        }
        Violation::OtherMask { mask, missing, .. } => {
            format!(
                "the member mask {mask:#010x} names {}, which named other lanes",
                lanes(*missing)
            )
        }
        Violation::NotActive { mask, missing, .. } => {
            format!(
                "the member mask {mask:#010x} names {}, which are not active here",
                lanes(*missing)
            )
        }
        Violation::Stuck { mask, missing, .. } => format!(
            "the member mask {mask:#010x} names {}, which wait elsewhere and never arrive",
            lanes(*missing)
        ),
        Violation::NotInOwnMask { at, mask } => {
            format!("lane {} is not in its own member mask {mask:#010x}", at.lane)
        }
        Violation::InactiveSource { at, source, why } => {
            let why = match why {
                Absence::Elsewhere => "which does not take part",
                Absence::Exited => "which has exited",
                Absence::NoThread => "which has no thread in the block",
                Absence::NotNamed => "which its member mask does not name",
            };
            format!("lane {} reads a value from lane {source}, {why}", at.lane)
        }
    }
}

/// The latest first: who has come past, then who waits.
fn sites(violation: &Violation) -> Vec<Spot> {
    match violation {
        Violation::Apart { first, second, .. } => vec![*second, *first],
        Violation::PassedBarrier { waiting, passing, .. }
        | Violation::PassedWarpOperation { waiting, passing, .. } => vec![*passing, *waiting],
        Violation::LeftBarrier { waiting, left, .. } => vec![*left, *waiting],
        Violation::Stuck { waiting, other, .. } => vec![*other, *waiting],
        Violation::OtherMask { waiting, .. } | Violation::NotActive { waiting, .. } => {
            vec![*waiting]
        }
        Violation::NotInOwnMask { at, .. } | Violation::InactiveSource { at, .. } => vec![*at],
    }
}

fn notes(facts: &LaunchFacts, violation: &Violation) -> Vec<String> {
    match violation {
        Violation::Apart { .. } => {
            vec!["inside one warp hardware hangs here; across warps it goes on".to_owned()]
        }
        Violation::PassedBarrier { branches, .. }
        | Violation::PassedWarpOperation { branches, .. } => {
            let mut notes = vec![
                "some threads wait at (1); the paths meet again at (2), and the others have \
                 arrived there"
                    .to_owned(),
            ];
            notes.extend(parting(facts, branches));
            notes
        }
        Violation::LeftBarrier { is_inside: true, .. } => vec![
            "some threads wait at (1); the others take another path at (2), whose condition \
             encloses the barrier, and reach the end of the kernel"
                .to_owned(),
        ],
        Violation::LeftBarrier { is_inside: false, .. } => vec![
            "if (2) is an early `return`, this is correct; if it is a condition around (1), those \
             threads missed the barrier: the compiled code is the same"
                .to_owned(),
        ],
        Violation::NotActive { .. } => {
            vec!["under lockstep no lane waits for lanes on the other side of a branch".to_owned()]
        }
        Violation::InactiveSource { .. } => {
            vec!["the value read is undefined, even where it is not used later".to_owned()]
        }
        Violation::OtherMask { .. } | Violation::Stuck { .. } | Violation::NotInOwnMask { .. } => {
            Vec::new()
        }
    }
}

/// Branches shown in a note.
const SHOWN: usize = 3;

/// Where the paths of the lanes that reach a rendezvous part from the paths of the others.
fn parting(facts: &LaunchFacts, branches: &[Pc]) -> Option<String> {
    let place = |pc: &Pc| {
        let place = facts.program.places.get(*pc as usize)?;
        let own = place.source.as_ref().map(|source| source.seen().own);
        let source = own.map(|own| {
            let file = own.file.rsplit(['/', '\\']).next().unwrap_or_default();
            format!("{file}:{}, ", own.line)
        });
        Some(format!("`{}` ({}{})", place.name, source.unwrap_or_default(), place.line_in_words()))
    };
    let shown: Vec<String> = branches.iter().rev().take(SHOWN).filter_map(place).collect();
    (!shown.is_empty()).then(|| format!("their paths split at {}", shown.join(" or ")))
}

fn help(violation: &Violation) -> &'static str {
    match violation {
        Violation::Apart { count: None, .. } => {
            "all threads of a block must reach the same __syncthreads(): move it out of the branch"
        }
        Violation::PassedBarrier { count: None, .. } | Violation::LeftBarrier { .. } => {
            "call __syncthreads() where all threads of the block arrive, or where the condition \
             has one value for all of them; a barrier does not wait for threads that have returned"
        }
        Violation::Apart { .. } | Violation::PassedBarrier { .. } => {
            "all lanes of a warp must execute the same instruction of a barrier with a count"
        }
        Violation::PassedWarpOperation { .. } | Violation::NotActive { .. } => {
            "let all lanes of the mask execute this: move it out of the branch, and use its result \
             inside; or name only lanes that execute it: for example, take the mask of \
             __ballot_sync() with the branch's condition before the branch"
        }
        Violation::OtherMask { .. } => "lanes that act together must all name the same lanes",
        Violation::Stuck { .. } => {
            "lanes that name each other must execute the same operation with the same mask"
        }
        Violation::NotInOwnMask { .. } => "a lane must name itself",
        Violation::InactiveSource { .. } => {
            "let the source lane execute the shuffle too, or read from a lane that does"
        }
    }
}
