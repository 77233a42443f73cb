//! Which loads find their value in a register?
//!
//! A forward must-analysis over *producers*: plain, unguarded, scalar stores and loads. After a
//! producer, memory at its place holds the value of its register. That ends at any possible write
//! to one of its bytes (a store to a place that is not certainly disjoint, a call, an atomic). It
//! ends where other threads may look (barriers, fences), and at joins where some path does not come
//! from the producer. A second bit says whether the producer's register still holds the value. If
//! not, and the value is wanted, it is saved into a fresh register right behind the producer.
//!
//! A load is replaced by a copy when an available producer starts at the same byte with the same
//! number of bytes. A narrow load extends as the load itself says, by `cvt`.

use std::collections::HashMap;

use super::analysis::Facts;
use super::error::until_stable;
use super::policy::Fault;
use crate::internal::InternalError;
use crate::passes::function::bits::Bits;
use crate::passes::function::body::Body;
use crate::passes::function::effects::{self, Access, Effect};
use crate::ptx::{OperandKind, Type};
use crate::scope::RegisterId;

/// A load that need not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forward {
    /// The load's site.
    pub(super) load: usize,
    /// The site whose value it takes.
    pub(super) producer: usize,
    /// The producer's register does not last: it has to be saved.
    pub(super) saved: bool,
    /// How the value gets into the load's register.
    pub(super) copy: Copy,
}

/// How a value gets from a register into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// It is there already.
    InPlace,
    /// `mov` of this many bits.
    Move(u8),
    /// `cvt` to and from integers of these widths, with sign or without.
    Convert {
        /// Bits of the destination.
        into: u8,
        /// Bits that are taken.
        from: u8,
        /// Extend with the sign.
        signed: bool,
    },
    /// `mov` of a constant to a register of this many bits.
    Constant(u8, i128),
    /// `mov` of the producer's floating-point constant.
    Literal(Type),
}

struct Producer {
    site: usize,
    store: bool,
    /// The register that holds the value; None for a constant.
    register: Option<RegisterId>,
}

#[derive(Clone, PartialEq)]
struct State {
    available: Bits,
    intact: Bits,
}

struct Forwarding<'f, 'b> {
    facts: &'f Facts<'f>,
    body: &'b Body<'b>,
    producers: Vec<Producer>,
    /// By site: which producer it is.
    producer_at: HashMap<usize, usize>,
    /// By site that may write: which producers it ends.
    ended: HashMap<usize, Vec<usize>>,
    /// By register: which producers rely on it.
    held_in: HashMap<RegisterId, Vec<usize>>,
}

/// Finds the loads that need not happen.
pub(super) fn find(facts: &Facts<'_>, body: &mut Body<'_>) -> Result<Vec<Forward>, InternalError> {
    let mut wanted: Vec<(usize, State)> = Vec::new();
    let producers = {
        let analysis = Forwarding::new(facts, body);
        let entering = analysis.solve()?;
        for &block in &facts.cfg.order {
            let mut state = entering[block].clone();
            for site in facts.cfg.blocks[block].sites.clone() {
                if facts.touchable(site).is_some_and(|(access, _)| !access.writes) {
                    wanted.push((site, state.clone()));
                }
                analysis.execute(site, &mut state);
            }
        }
        analysis.producers
    };
    let choose = |(load, state): (usize, State)| choose(facts, body, &producers, load, &state);
    Ok(wanted.into_iter().filter_map(choose).collect())
}

impl<'f, 'b> Forwarding<'f, 'b> {
    fn new(facts: &'f Facts<'f>, body: &'b Body<'b>) -> Forwarding<'f, 'b> {
        let mut analysis = Forwarding {
            facts,
            body,
            producers: Vec::new(),
            producer_at: HashMap::new(),
            ended: HashMap::new(),
            held_in: HashMap::new(),
        };
        for site in 0..body.sites.len() {
            if let Some(producer) = producer(facts, body, site) {
                let number = analysis.producers.len();
                analysis.producer_at.insert(site, number);
                if let Some(register) = producer.register {
                    analysis.held_in.entry(register).or_default().push(number);
                }
                analysis.producers.push(producer);
            }
        }
        for site in 0..body.sites.len() {
            let ended = analysis.ended_by(site);
            if !ended.is_empty() {
                analysis.ended.insert(site, ended);
            }
        }
        analysis
    }

    fn ended_by(&self, site: usize) -> Vec<usize> {
        if let Effect::Nothing = self.facts.effects[site] {
            return Vec::new();
        }
        if let Effect::Access(access) = &self.facts.effects[site]
            && !access.writes
        {
            return Vec::new();
        }
        let numbers = 0..self.producers.len();
        let ends = |number: &usize| {
            let place = self.facts.access(self.producers[*number].site).map(|(_, place)| place);
            place.is_none_or(|place| {
                self.facts.may_touch(self.body, site, place, |summary| summary.writes)
            })
        };
        numbers.filter(ends).collect()
    }

    fn solve(&self) -> Result<Vec<State>, InternalError> {
        let count = self.producers.len();
        let (none, all) = (Bits::none(count), Bits::all(count));
        let cfg = self.facts.cfg;
        let unreached = State { available: all.clone(), intact: all };
        let start = State { available: none.clone(), intact: none };
        let mut entering = vec![unreached.clone(); cfg.blocks.len()];
        let mut leaving = vec![unreached.clone(); cfg.blocks.len()];
        // Each round but the last takes a producer away from a block.
        let most = (2 * count).saturating_mul(cfg.blocks.len()).saturating_add(1);
        until_stable("forwarding", most, || {
            let mut changed = false;
            for &block in &cfg.order {
                let mut state = if block == 0 { start.clone() } else { unreached.clone() };
                for &before in self.joining(block) {
                    state.available.intersect(&leaving[before].available);
                    state.intact.intersect(&leaving[before].intact);
                }
                entering[block] = state.clone();
                for site in cfg.blocks[block].sites.clone() {
                    self.execute(site, &mut state);
                }
                if leaving[block] != state {
                    leaving[block] = state;
                    changed = true;
                }
            }
            Ok::<bool, InternalError>(changed)
        })?;
        Ok(entering)
    }

    /// The predecessors that count.
    fn joining(&self, block: usize) -> impl Iterator<Item = &usize> {
        let cfg = self.facts.cfg;
        let policy = self.facts.policy;
        let all = cfg.blocks[block].predecessors.iter();
        let reached = all.filter(|before| cfg.is_reached(**before));
        let forward = reached.filter(move |before| {
            !(policy.broken(Fault::IgnoreBackEdges) && cfg.is_back_edge(**before, block))
        });
        forward.take(if policy.broken(Fault::IgnoreJoins) { 1 } else { usize::MAX })
    }

    fn execute(&self, site: usize, state: &mut State) {
        for &number in self.ended.get(&site).into_iter().flatten() {
            state.available.remove(number);
        }
        if !self.facts.policy.broken(Fault::IgnoreRedefinition) {
            for register in &self.body.sites[site].defines {
                for &number in self.held_in.get(register).into_iter().flatten() {
                    state.intact.remove(number);
                }
            }
        }
        if let Some(&number) = self.producer_at.get(&site) {
            state.available.insert(number);
            state.intact.insert(number);
        }
    }
}

/// The site as a producer, if it is one.
fn producer(facts: &Facts<'_>, body: &Body<'_>, site: usize) -> Option<Producer> {
    let (access, _) = facts.touchable(site)?;
    let allowed =
        if access.writes { facts.policy.forward_stores } else { facts.policy.reuse_loads };
    if !access.unconditional || !allowed {
        return None;
    }
    let operand = body.sites[site].inst.operands.get(access.data)?;
    let register = match operand.kind {
        OperandKind::Integer(_) | OperandKind::F32(_) | OperandKind::F64(_) => None,
        _ => Some(body.sites[site].register(operand)?),
    };
    if let Some(register) = register
        && u32::from(body.register(register)?.width()) < access.bytes * 8
    {
        return None;
    }
    Some(Producer { site, store: access.writes, register })
}

/// The producer whose value a load takes: preferably one whose register still holds it.
fn choose(
    facts: &Facts<'_>,
    body: &mut Body<'_>,
    producers: &[Producer],
    load: usize,
    state: &State,
) -> Option<Forward> {
    let (_, place) = facts.access(load)?;
    let mut second_best = None;
    for number in state.available.iter() {
        let producer = &producers[number];
        let Some((_, source)) = facts.access(producer.site) else { continue };
        let same = source.starts_with(&facts.numbering.values, place);
        let sized = source.bytes == place.bytes || facts.policy.broken(Fault::IgnoreWidth);
        if producer.site == load || !same || !sized {
            continue;
        }
        let Some(copy) = copy(facts, body, load, producer) else { continue };
        let scope = body.sites[load].scope;
        let lasts = producer.register.is_none_or(|register| {
            let hidden = !body.is_visible(register, scope);
            state.intact.has(number) && (!hidden || facts.policy.broken(Fault::IgnoreScopes))
        });
        let copy = if !lasts && copy == Copy::InPlace { whole(body, producer)? } else { copy };
        let found = Forward { load, producer: producer.site, saved: !lasts, copy };
        if lasts {
            return Some(found);
        }
        second_best.get_or_insert(found);
    }
    second_best
}

/// A `mov` of the producer's whole register.
fn whole(body: &Body<'_>, producer: &Producer) -> Option<Copy> {
    Some(Copy::Move(body.register(producer.register?)?.width()))
}

/// How the producer's value gets into the load's register; None when no single instruction does.
fn copy(facts: &Facts<'_>, body: &Body<'_>, load: usize, producer: &Producer) -> Option<Copy> {
    let (access, _) = facts.access(load)?;
    let (made, _) = facts.access(producer.site)?;
    let inst = body.sites[load].inst;
    let target = body.sites[load].register(inst.operands.get(access.data)?)?;
    let into = body.register(target)?.clone();
    let bits = u8::try_from(access.bytes * 8).ok().filter(|bits| *bits <= into.width())?;
    let floating = matches!(into.ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64);
    let Some(source) = producer.register else {
        let inst = body.sites[producer.site].inst;
        return constant_copy(&inst.operands.get(made.data)?.kind, access, into.width(), into.ty);
    };
    let from = body.register(source)?.clone();
    let extended_alike = !producer.store && access.ty == made.ty && into.width() == from.width();
    let whole = into.width() == bits && from.width() == bits;
    if whole || extended_alike || facts.policy.broken(Fault::ForgetExtension) {
        let width = into.width().min(from.width());
        return Some(if source == target { Copy::InPlace } else { Copy::Move(width) });
    }
    let floats = floating || matches!(from.ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64);
    let signed = effects::is_signed(access.ty);
    (!floats).then_some(Copy::Convert { into: into.width(), from: bits, signed })
}

/// The constant that a load of some type would leave in a register.
fn constant_copy(stored: &OperandKind, access: &Access, width: u8, ty: Type) -> Option<Copy> {
    let bits = access.bytes * 8;
    match stored {
        OperandKind::Integer(number) => {
            let low = *number & ((1i128 << bits) - 1);
            let negative = effects::is_signed(access.ty) && low >> (bits - 1) & 1 == 1;
            let value = if negative { low - (1i128 << bits) } else { low };
            (!matches!(ty, Type::F16 | Type::Bf16)).then_some(Copy::Constant(width, value))
        }
        OperandKind::F32(_) if ty == Type::F32 && bits == 32 => Some(Copy::Literal(Type::F32)),
        OperandKind::F64(_) if ty == Type::F64 && bits == 64 => Some(Copy::Literal(Type::F64)),
        _ => None,
    }
}
