//! How far down can the last store of a cached location go?
//!
//! A location lives in a register when a load was answered from it, or earlier stores to it were
//! deleted. A compiler then writes it back once, as late as it likes. Here the store moves down, in
//! its block and on along blocks that only follow each other. It stops just before the first site
//! that may touch one of its bytes, lets others look, or ends the way: a read or write that may
//! alias, a call that touches its space, a barrier, a branch, the end.
//!
//! A store that no other access was cached from stays where it is. So does a store that would pass
//! no other access, because no thread could notice the move. The values of its operands are saved
//! into fresh registers when they are overwritten on the way.

use std::collections::HashSet;

use super::analysis::Facts;
use super::policy::Fault;
use crate::passes::function::body::{Body, Meaning};
use crate::passes::function::effects::Effect;
use crate::ptx::{AddressBase, Index, InstId, OperandKind};
use crate::scope::RegisterId;

/// A store that moves down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sunk {
    /// Its site.
    pub(super) store: usize,
    /// The site that it moves to.
    pub(super) beside: usize,
    /// Whether it goes before that site, or behind it.
    pub(super) before: bool,
    /// The registers whose values have to be saved where the store stood.
    pub(super) saved: Vec<RegisterId>,
}

/// A place to put the store.
#[derive(Clone)]
struct Spot {
    beside: usize,
    before: bool,
    saved: Vec<RegisterId>,
}

/// Finds the stores to move, among those whose location is cached.
pub(super) fn find(facts: &Facts<'_>, body: &mut Body<'_>, cached: &HashSet<InstId>) -> Vec<Sunk> {
    if !facts.policy.sink_stores {
        return Vec::new();
    }
    let mut sunk = Vec::new();
    for &block in &facts.cfg.order {
        for site in facts.cfg.blocks[block].sites.clone() {
            let candidate = facts
                .touchable(site)
                .is_some_and(|(access, _)| access.writes && access.unconditional);
            if candidate && cached.contains(&body.sites[site].inst.id) {
                sunk.extend(sink(facts, body, block, site));
            }
        }
    }
    sunk
}

/// Where one store goes, if it goes anywhere.
fn sink(facts: &Facts<'_>, body: &mut Body<'_>, block: usize, store: usize) -> Option<Sunk> {
    let (_, place) = facts.access(store)?;
    let operands = operand_registers(body, store)?;
    let mut lost: Vec<RegisterId> = Vec::new();
    let mut best: Option<Spot> = None;
    // Whether the present spot lies behind an access that the best one does not pass.
    let mut passed_access = false;
    let path = straight_path(facts, block, store);
    for (step, &site) in path.iter().enumerate() {
        let stopped = facts.may_touch(body, site, place, |summary| summary.touches())
            && !facts.policy.broken(Fault::SinkBelowAliases);
        let last = step + 1 == path.len();
        let leaves =
            matches!(&*body.sites[site].inst.opcode.text, "bra" | "brx" | "ret" | "exit" | "trap");
        if let Some(saved) = needed(body, store, site, &operands, &lost)
            && (passed_access || best.as_ref().is_some_and(|spot| spot.saved.len() == saved.len()))
        {
            best = Some(Spot { beside: site, before: true, saved });
            passed_access = false;
        }
        if stopped || last && leaves {
            break;
        }
        passed_access |= is_access(&facts.effects[site]);
        lost.extend(body.sites[site].defines.iter().filter(|defined| operands.contains(defined)));
        if last
            && let Some(saved) = needed(body, store, site, &operands, &lost)
            && (passed_access || best.as_ref().is_some_and(|spot| spot.saved.len() == saved.len()))
        {
            best = Some(Spot { beside: site, before: false, saved });
        }
    }
    let Spot { beside, before, saved } = best?;
    let saved = if facts.policy.broken(Fault::SinkWithoutSaving) { Vec::new() } else { saved };
    Some(Sunk { store, beside, before, saved })
}

/// The sites behind a store: the rest of its block, and blocks that follow only it.
fn straight_path(facts: &Facts<'_>, block: usize, store: usize) -> Vec<usize> {
    let blocks = &facts.cfg.blocks;
    let mut path: Vec<usize> = (store + 1..blocks[block].sites.end).collect();
    let mut visited = vec![block];
    let mut at = block;
    while let [next] = blocks[at].successors.as_slice()
        && blocks[*next].predecessors.len() == 1
        && !blocks[at].exits
        && !visited.contains(next)
        && *next != 0
    {
        path.extend(blocks[*next].sites.clone());
        visited.push(*next);
        at = *next;
    }
    path
}

/// The registers to save so that a store can move beside a site: registers that are overwritten on
/// the way, and registers that cannot be named there. None when a variable it names means something
/// else there.
fn needed(
    body: &mut Body<'_>,
    store: usize,
    beside: usize,
    operands: &[RegisterId],
    lost: &[RegisterId],
) -> Option<Vec<RegisterId>> {
    let scope = body.sites[beside].scope;
    let inst = body.sites[store].inst;
    for operand in &inst.operands {
        if let OperandKind::Address(AddressBase::Name(name), _) | OperandKind::Subscript(name, _) =
            &operand.kind
            && let variable @ Meaning::Variable(_) = body.sites[store].meaning(name).clone()
            && body.lookup(scope, name) != variable
        {
            return None;
        }
    }
    let mut saved = Vec::new();
    for &register in operands {
        if lost.contains(&register) || !body.is_visible(register, scope) {
            saved.push(register);
        }
    }
    Some(saved)
}

/// The registers that a store's operands name; `None` when it names something else that may change,
/// such as an element of a vector register, which cannot be saved.
fn operand_registers(body: &Body<'_>, store: usize) -> Option<Vec<RegisterId>> {
    let site = &body.sites[store];
    let mut registers: Vec<RegisterId> = Vec::new();
    for operand in &site.inst.operands {
        let name = match &operand.kind {
            OperandKind::Name(name)
            | OperandKind::Offset(name, _)
            | OperandKind::Address(AddressBase::Name(name), _)
            | OperandKind::Subscript(_, Index::Register(name, _)) => name,
            OperandKind::Integer(_)
            | OperandKind::F32(_)
            | OperandKind::F64(_)
            | OperandKind::Address(AddressBase::Absolute(_), _)
            | OperandKind::Subscript(_, Index::Constant(_)) => continue,
            OperandKind::Member(..)
            | OperandKind::Vector(_)
            | OperandKind::Pair(..)
            | OperandKind::Not(_)
            | OperandKind::Negate(_)
            | OperandKind::Sink
            | OperandKind::List(_)
            | OperandKind::Tuple(_) => return None,
        };
        match site.meaning(name) {
            Meaning::Register(register) => {
                // One that holds no plain number cannot be copied by a `mov`.
                body.register(*register).filter(|found| found.width() > 0)?;
                registers.push(*register);
            }
            Meaning::Variable(_) => {}
            Meaning::Label(_) | Meaning::Targets(_) | Meaning::Special | Meaning::Unknown => {
                return None;
            }
        }
    }
    registers.dedup();
    Some(registers)
}

/// Whether something happens to memory here that a sunk store can be seen to pass.
fn is_access(effect: &Effect) -> bool {
    match effect {
        Effect::Access(_) => true,
        Effect::Call(summary) => *summary != crate::passes::function::summaries::Summary::NOTHING,
        Effect::Nothing | Effect::Everything => false,
    }
}
