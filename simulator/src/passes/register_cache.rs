//! The register-caching pass: what an optimising compiler may do to one thread's memory accesses
//! when it may assume that nobody else looks.
//!
//! For each function, until nothing changes: loads whose value is in a register are replaced by
//! copies, then stores that are overwritten before anything may read them go. Then the last store
//! of each cached location sinks. A single thread cannot tell the difference; another thread can,
//! unless the accesses are volatile or a barrier stands between them, and that is the point.
//!
//! It errs on the side of changing too little: values are not merged where paths join, and loops
//! keep their accesses. What it cannot analyse (a branch to an unknown place, a function of more
//! than some hundred million block-register pairs) it leaves as it is. Like a compiler it trusts
//! that an address made from a variable's stays within that variable.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Rewritten;
use super::body::{Body, RegId};
use super::cfg::Cfg;
use super::dead_stores::{self, Dead};
use super::effects::{self, Effect};
use super::forwarding::{self, Copy, Facts, Forward};
use super::numbering::Numbering;
use super::policy::{Fault, Policy};
use super::remark::{Change, Holder, Lag, Remark};
use super::rewrite::{self, Edits, Maker, register_operand};
use super::sinking::{self, Sunk};
use super::summaries::Summaries;
use crate::ptx::{
    AddressBase, Function, InstId, Instruction, Item, Module, Operand, OperandKind, Type,
};

/// Keeps values in registers, as a compiler does that assumes a single thread.
///
/// ```
/// let text = ".version 7.0\n.target sm_70\n.address_size 64\n\
///     .visible .entry k() {\n\
///       .reg .u32 %r<4>; .shared .align 4 .b8 s[8];\n\
///       st.shared.u32 [s], 1;\n\
///       ld.shared.u32 %r1, [s];\n\
///       st.shared.u32 [s+4], %r1;\n\
///       ret;\n\
///     }\n";
/// let module = warpsim::ptx::parse("example.ptx", text)?;
/// let after = warpsim::passes::register_cache(&module);
/// assert_eq!(
///     after.remarks[1].message(&module.source),
///     "the load at line 7 reads 1, cached at line 6: no load happens",
/// );
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn register_cache(module: &Module) -> Rewritten {
    cache(module, &Policy::ALL)
}

/// A function with more blocks times registers than this is left alone: the tables would not fit.
const LARGEST: usize = 200_000_000;

/// The pass with some rules off, or broken.
pub(super) fn cache(module: &Module, policy: &Policy) -> Rewritten {
    let summaries = Summaries::new(module);
    let mut work = module.clone();
    let mut remarks = Vec::new();
    let mut deleted = HashSet::new();
    for item in 0..work.items.len() {
        let mut rewriting = Rewriting {
            module: &mut work,
            item,
            summaries: &summaries,
            policy,
            deleted: &mut deleted,
            stands_at: HashMap::new(),
            cached: HashSet::new(),
            stem: String::new(),
            fresh: 0,
            remarks: Vec::new(),
        };
        rewriting.run();
        remarks.append(&mut rewriting.remarks);
    }
    rewrite::strip(&mut work, &deleted);
    remarks.sort_by_key(|remark| (remark.span.start, remark.inst));
    Rewritten { module: work, remarks }
}

/// The work on one function.
struct Rewriting<'m> {
    module: &'m mut Module,
    /// Which item of the module.
    item: usize,
    summaries: &'m Summaries,
    policy: &'m Policy,
    /// Instructions that still stand in the tree but are gone.
    deleted: &'m mut HashSet<InstId>,
    /// Where accesses stood that were replaced or moved: what stands there now.
    stands_at: HashMap<InstId, InstId>,
    /// Stores whose location is cached.
    cached: HashSet<InstId>,
    /// Fresh registers are this and a number.
    stem: String,
    fresh: u32,
    remarks: Vec<Remark>,
}

/// The analyses of a function as it stands.
struct Analysed<'a> {
    body: Body<'a>,
    cfg: Cfg,
    effects: Vec<Effect>,
    numbering: Numbering,
}

impl<'a> Analysed<'a> {
    fn new(
        module: &'a Module,
        function: &'a Function,
        deleted: &HashSet<InstId>,
        summaries: &Summaries,
        policy: &Policy,
    ) -> Option<Analysed<'a>> {
        let mut body = Body::new(module, function, deleted)?;
        let cfg = Cfg::new(&mut body)?;
        let pairs = cfg.blocks.len().checked_mul(body.registers.len())?;
        if pairs > LARGEST {
            return None;
        }
        let effects: Vec<Effect> = (0..body.sites.len())
            .map(|site| weakened(effects::effect(&body, &body.sites[site], summaries), policy))
            .collect();
        let touchable = |effect: &Effect| matches!(effect, Effect::Access(a) if a.touchable);
        if !effects.iter().any(touchable) {
            return None;
        }
        let numbering = Numbering::new(&body, &cfg, &effects, policy);
        Some(Analysed { body, cfg, effects, numbering })
    }

    fn with_facts<T>(
        &mut self,
        policy: &Policy,
        find: impl FnOnce(&Facts<'_>, &mut Body<'a>) -> T,
    ) -> T {
        let Analysed { body, cfg, effects, numbering } = self;
        find(&Facts { cfg, effects, numbering, policy }, body)
    }
}

/// An effect as a test's planted fault would have it.
fn weakened(effect: Effect, policy: &Policy) -> Effect {
    match effect {
        Effect::Call(_) if policy.broken(Fault::IgnoreCalls) => Effect::Nothing,
        Effect::Everything if policy.broken(Fault::IgnoreBarriers) => Effect::Nothing,
        Effect::Access(mut access) => {
            access.unconditional |= policy.broken(Fault::IgnoreGuardsOfStores);
            if access.strong && policy.broken(Fault::VolatileIsPlain) {
                access.strong = false;
                access.touchable = true;
                access.reads = access.address == 1;
                access.writes = access.address == 0;
            }
            Effect::Access(access)
        }
        other => other,
    }
}

impl Rewriting<'_> {
    fn run(&mut self) {
        let Some(function) = self.function() else { return };
        self.stem = rewrite::fresh_stem(function);
        while self.forward_loads() | self.delete_dead_stores() {}
        self.sink_stores();
        self.settle_lags();
    }

    fn function(&self) -> Option<&Function> {
        match self.module.items.get(self.item) {
            Some(Item::Function(function)) if function.body.is_some() => Some(function),
            _ => None,
        }
    }

    fn analyse(&self) -> Option<Analysed<'_>> {
        let function = self.function()?;
        Analysed::new(self.module, function, self.deleted, self.summaries, self.policy)
    }

    fn apply(&mut self, edits: &Edits) {
        if let Some(Item::Function(function)) = self.module.items.get_mut(self.item) {
            rewrite::apply(function, edits);
        }
    }

    /// Replaces loads whose value is in a register. Says whether there were any.
    fn forward_loads(&mut self) -> bool {
        let mut next = self.module.next_inst;
        let mut fresh = self.fresh;
        let mut edits = Edits::default();
        let mut outcome = Vec::new();
        {
            let Some(mut analysed) = self.analyse() else { return false };
            let found = analysed.with_facts(self.policy, forwarding::find);
            let mut savers = HashMap::new();
            for forward in &found {
                let mut kept = Keeping {
                    analysed: &analysed,
                    edits: &mut edits,
                    maker: Maker { next: &mut next },
                    stem: &self.stem,
                    fresh: &mut fresh,
                };
                outcome.extend(kept.forward(forward, &mut savers));
            }
        }
        self.module.next_inst = next;
        self.fresh = fresh;
        for done in &outcome {
            match done.replacement {
                Some(replacement) => {
                    self.stands_at.insert(done.remark.inst, replacement);
                }
                None => {
                    self.deleted.insert(done.remark.inst);
                }
            }
            if done.from_store {
                self.cached.insert(done.remark.produced_by);
            }
        }
        self.apply(&edits);
        let changed = !outcome.is_empty();
        self.trace_to_origins(outcome);
        changed
    }

    /// A load that takes the value of a load that takes another's takes that one's.
    fn trace_to_origins(&mut self, outcome: Vec<Forwarded>) {
        for done in outcome {
            let mut remark = done.remark;
            remark.function = self.function().map_or("".into(), |found| found.name.text.clone());
            let known = self.remarks.iter().find(|known| known.inst == remark.produced_by);
            if let Some(origin) = known.filter(|_| !done.from_store) {
                remark.change = origin.change.clone();
                remark.produced_by = origin.produced_by;
                remark.produced_at = origin.produced_at;
            }
            self.remarks.push(remark);
        }
    }

    /// Deletes stores that nothing may read. Says whether there were any.
    fn delete_dead_stores(&mut self) -> bool {
        let mut outcome = Vec::new();
        {
            let Some(mut analysed) = self.analyse() else { return false };
            let dead =
                analysed.with_facts(self.policy, |facts, body| dead_stores::find(facts, body));
            for Dead { store, overwritten_by } in dead {
                let place = |site: &usize| {
                    let inst = analysed.body.sites[*site].inst;
                    (inst.id, inst.span)
                };
                let by = overwritten_by.iter().map(place).collect();
                outcome.push(self.remark(&analysed.body, store, Change::Overwritten(by)));
            }
        }
        for remark in &outcome {
            self.deleted.insert(remark.inst);
            if let Change::Overwritten(by) = &remark.change {
                self.cached.extend(by.iter().map(|(inst, _)| *inst));
            }
        }
        let changed = !outcome.is_empty();
        self.remarks.append(&mut outcome);
        changed
    }

    /// Moves the last stores of cached locations down.
    fn sink_stores(&mut self) {
        let mut next = self.module.next_inst;
        let mut fresh = self.fresh;
        let mut edits = Edits::default();
        let mut outcome = Vec::new();
        {
            let Some(mut analysed) = self.analyse() else { return };
            let cached = &self.cached;
            let found =
                analysed.with_facts(self.policy, |facts, body| sinking::find(facts, body, cached));
            for sunk in &found {
                let mut keeping = Keeping {
                    analysed: &analysed,
                    edits: &mut edits,
                    maker: Maker { next: &mut next },
                    stem: &self.stem,
                    fresh: &mut fresh,
                };
                let (ghost, holder) = keeping.sink(sunk);
                let beside = analysed.body.sites[sunk.beside].inst;
                let change =
                    Change::Sunk { beside: beside.id, beside_at: beside.span, before: sunk.before };
                let mut remark = self.remark(&analysed.body, sunk.store, change);
                if let Some(name) = holder {
                    remark.holder = Holder::Register(name);
                }
                outcome.push((ghost, remark));
            }
        }
        self.module.next_inst = next;
        self.fresh = fresh;
        for (ghost, remark) in outcome {
            self.deleted.insert(ghost);
            self.stands_at.insert(remark.inst, ghost);
            self.remarks.push(remark);
        }
        self.apply(&edits);
    }

    /// A remark about a store.
    fn remark(&self, body: &Body<'_>, store: usize, change: Change) -> Remark {
        let inst = body.sites[store].inst;
        let mut remark = describe(inst, change, holder_of(inst.operands.get(1)));
        remark.function = self.function().map_or("".into(), |found| found.name.text.clone());
        remark
    }

    /// Finds for each remark the instructions that survive where the access stood and where its
    /// lag ends.
    fn settle_lags(&mut self) {
        let order = self.function().map(rewrite::order).unwrap_or_default();
        let mut following: HashMap<InstId, InstId> = HashMap::new();
        let mut next = None;
        for id in order.iter().rev() {
            if !self.deleted.contains(id) {
                next = Some(*id);
            }
            if let Some(next) = next {
                following.insert(*id, next);
            }
        }
        let stands_at = &self.stands_at;
        let survivor = |inst: InstId| {
            let mut at = inst;
            while let Some(instead) = stands_at.get(&at) {
                at = *instead;
            }
            following.get(&at).copied()
        };
        for remark in &mut self.remarks {
            let (from, until) = match &remark.change {
                Change::Forwarded | Change::Reused => {
                    (remark.produced_by, Vec::from_iter(survivor(remark.inst)))
                }
                Change::Overwritten(by) => {
                    (remark.inst, by.iter().filter_map(|(inst, _)| survivor(*inst)).collect())
                }
                Change::Sunk { .. } => (remark.inst, vec![remark.inst]),
            };
            remark.lag = survivor(from).map(|from| Lag { from, until });
        }
    }
}

/// A load that has been dealt with.
struct Forwarded {
    remark: Remark,
    replacement: Option<InstId>,
    from_store: bool,
}

/// Turns decisions into edits.
struct Keeping<'k, 'a> {
    analysed: &'k Analysed<'a>,
    edits: &'k mut Edits,
    maker: Maker<'k>,
    stem: &'k str,
    fresh: &'k mut u32,
}

impl Keeping<'_, '_> {
    /// A fresh register of some bits.
    fn fresh_register(&mut self, width: u8) -> Arc<str> {
        let name: Arc<str> = format!("{}{}", self.stem, self.fresh).into();
        *self.fresh += 1;
        self.edits.registers.push((name.clone(), width));
        name
    }

    /// Copies a register into a fresh one behind a site.
    fn save(&mut self, register: RegId, behind: &Instruction) -> Option<Arc<str>> {
        let found = self.analysed.body.register(register)?.clone();
        let name = self.fresh_register(found.width);
        let (into, from) =
            (register_operand(&name, behind.span), register_operand(&found.name, behind.span));
        let ty = format!("b{}", found.width);
        let copy = self.maker.copy(&["mov", &ty], into, from, None, behind.span);
        self.edits.behind.entry(behind.id).or_default().push(copy);
        Some(name)
    }

    /// Replaces one load. `savers` are the registers that producers have been saved in.
    fn forward(
        &mut self,
        forward: &Forward,
        savers: &mut HashMap<usize, Arc<str>>,
    ) -> Option<Forwarded> {
        let body = &self.analysed.body;
        let load = body.sites[forward.load].inst;
        let site = &body.sites[forward.producer];
        let producer = site.inst;
        let from_store = &*producer.opcode.text == "st";
        let value = producer.operands.get(usize::from(from_store))?.clone();
        let mut source = value.clone();
        if forward.saved {
            let name = match savers.get(&forward.producer) {
                Some(name) => name.clone(),
                None => {
                    let name = self.save(site.register(&value)?, producer)?;
                    savers.insert(forward.producer, name.clone());
                    name
                }
            };
            source = register_operand(&name, load.span);
        }
        let change = if from_store { Change::Forwarded } else { Change::Reused };
        let mut remark = describe(load, change, holder_of(Some(&source)));
        remark.produced_by = producer.id;
        remark.produced_at = producer.span;
        let instead = self.copy(load, source, &forward.copy);
        let replacement = instead.as_ref().map(|inst| inst.id);
        if let Some(instead) = instead {
            self.edits.replaced.insert(load.id, instead);
        }
        remark.replacement = replacement;
        Some(Forwarded { remark, replacement, from_store })
    }

    /// The instruction that stands in for a load; None when none is needed.
    fn copy(&mut self, load: &Instruction, source: Operand, copy: &Copy) -> Option<Instruction> {
        let target = load.operands.first()?.clone();
        let source = Operand { kind: source.kind, span: load.span };
        let (words, source): (Vec<String>, Operand) = match copy {
            Copy::InPlace => return None,
            Copy::Move(bits) => (vec!["mov".into(), format!("b{bits}")], source),
            Copy::Convert { into, from, signed } => {
                let letter = if *signed { 's' } else { 'u' };
                let words =
                    vec!["cvt".into(), format!("{letter}{into}"), format!("{letter}{from}")];
                (words, source)
            }
            Copy::Constant(bits, value) => {
                let kind = OperandKind::Integer(*value);
                (vec!["mov".into(), format!("b{bits}")], Operand { kind, span: load.span })
            }
            Copy::Literal(ty) => {
                let name = if *ty == Type::F64 { "f64" } else { "f32" };
                (vec!["mov".into(), name.into()], source)
            }
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Some(self.maker.copy(&words, target, source, load.guard.clone(), load.span))
    }

    /// Moves one store. Returns the instruction that marks where it stood, and the register that
    /// its value was saved in.
    fn sink(&mut self, sunk: &Sunk) -> (InstId, Option<Arc<str>>) {
        let body = &self.analysed.body;
        let site = &body.sites[sunk.store];
        let mut store = site.inst.clone();
        let mut holder = None;
        for register in &sunk.saved {
            let Some(old) = body.register(*register).map(|found| found.name.clone()) else {
                continue;
            };
            let Some(name) = self.save(*register, site.inst) else { continue };
            if site.inst.operands.get(1).is_some_and(|o| site.register(o) == Some(*register)) {
                holder = Some(name.clone());
            }
            store.operands.iter_mut().for_each(|operand| rename(operand, &old, &name));
        }
        let ghost = self.maker.id();
        self.edits.replaced.insert(store.id, Instruction { id: ghost, ..site.inst.clone() });
        let beside = body.sites[sunk.beside].inst.id;
        let moved = match sunk.before {
            true => &mut self.edits.moved_before,
            false => &mut self.edits.moved_behind,
        };
        moved.entry(beside).or_default().push(store);
        (ghost, holder)
    }
}

/// Renames a register in an operand of a store.
fn rename(operand: &mut Operand, old: &str, new: &Arc<str>) {
    match &mut operand.kind {
        OperandKind::Name(name) | OperandKind::Address(AddressBase::Name(name), _)
            if **name == *old =>
        {
            *name = new.clone();
        }
        _ => {}
    }
}

/// A remark about an access that is its own producer.
fn describe(inst: &Instruction, change: Change, holder: Holder) -> Remark {
    let words = std::iter::once(&inst.opcode).chain(&inst.modifiers);
    let words: Vec<&str> = words.map(|word| &*word.text).collect();
    Remark {
        function: "".into(),
        inst: inst.id,
        span: inst.span,
        access: words.join("."),
        change,
        holder,
        produced_by: inst.id,
        produced_at: inst.span,
        replacement: None,
        lag: None,
    }
}

/// What holds the value of an operand.
fn holder_of(operand: Option<&Operand>) -> Holder {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Name(name)) => Holder::Register(name.clone()),
        Some(OperandKind::Integer(number)) => Holder::Constant(number.to_string()),
        Some(OperandKind::F32(bits)) => Holder::Constant(f32::from_bits(*bits).to_string()),
        Some(OperandKind::F64(bits)) => Holder::Constant(f64::from_bits(*bits).to_string()),
        _ => Holder::Constant(String::new()),
    }
}
