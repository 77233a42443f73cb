//! The register-caching pass: it does what an optimising compiler may do to one thread's memory
//! accesses when it may assume that no other thread looks.
//!
//! For each function it repeats two steps until nothing changes. It replaces loads whose value is
//! in a register by copies, then it removes stores that are overwritten before anything may read
//! them. After that the last store of each cached location sinks. A single thread cannot notice the
//! difference. Another thread can, unless the accesses are volatile or a barrier is between them.
//! The pass exists to show that.
//!
//! It errs on the side of changing too little: values are not merged where paths join, and loops
//! keep their accesses. A function that it cannot analyse (a branch to an unknown place, a function
//! of enormous size) stays as it is. Like a compiler it trusts that an address made from a
//! variable's stays within that variable.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::analysis::Analysed;
use super::dead_stores::{self, Dead};
use super::error::{PassError, until_stable};
use super::keeping::{Forwarded, Keeping, describe, holder_of};
use super::policy::Policy;
use super::remark::{Change, Holder, Lag, Remark};
use super::rewrite::{self, Edits, Maker};
use super::{Rewritten, forwarding, sinking};
use crate::passes::function::body::Body;
use crate::passes::function::summaries::Summaries;
use crate::ptx::{Function, InstId, Item, Module};

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
/// let after = warpsim::passes::register_cache(&module)?;
/// assert_eq!(
///     after.remarks[1].message(&module.source),
///     "the load at line 7 reads 1, cached at line 6: no load happens",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The module defines a function twice.
pub fn register_cache(module: &Module) -> Result<Rewritten, PassError> {
    cache(module, &Policy::ALL)
}

/// The pass with some rules off, or broken.
pub(super) fn cache(module: &Module, policy: &Policy) -> Result<Rewritten, PassError> {
    let summaries = Summaries::new(module)?;
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
            name: "".into(),
            stem: String::new(),
            fresh: 0,
            remarks: Vec::new(),
        };
        rewriting.run()?;
        remarks.append(&mut rewriting.remarks);
    }
    rewrite::strip(&mut work, &deleted);
    remarks.sort_by_key(|remark| (remark.span.start, remark.inst));
    Ok(Rewritten { module: work, remarks })
}

/// The work on one function.
struct Rewriting<'m> {
    module: &'m mut Module,
    /// Which item of the module.
    item: usize,
    summaries: &'m Summaries,
    policy: &'m Policy,
    /// Deleted instructions that are still in the tree.
    deleted: &'m mut HashSet<InstId>,
    /// What replaced an access, for accesses that were replaced or moved.
    stands_at: HashMap<InstId, InstId>,
    /// Stores whose location is cached.
    cached: HashSet<InstId>,
    /// The function's name.
    name: Arc<str>,
    /// Fresh registers are this and a number.
    stem: String,
    fresh: u32,
    remarks: Vec<Remark>,
}

impl Rewriting<'_> {
    fn run(&mut self) -> Result<(), PassError> {
        let Some(function) = self.function() else { return Ok(()) };
        // Each step but the last takes an access away.
        let (stem, most) = (rewrite::fresh_stem(function), rewrite::order(function).len());
        self.name = Arc::clone(&function.name.text);
        self.stem = stem;
        until_stable("register caching", most, || {
            Ok::<bool, PassError>(self.forward_loads()? | self.delete_dead_stores()?)
        })?;
        self.sink_stores()?;
        self.settle_lags();
        Ok(())
    }

    fn function(&self) -> Option<&Function> {
        match self.module.items.get(self.item) {
            Some(Item::Function(function)) if function.body.is_some() => Some(function),
            _ => None,
        }
    }

    fn analyse(&self) -> Result<Option<Analysed<'_>>, PassError> {
        let Some(function) = self.function() else { return Ok(None) };
        Analysed::new(self.module, function, self.deleted, self.summaries, self.policy)
    }

    fn apply(&mut self, edits: &Edits) {
        if let Some(Item::Function(function)) = self.module.items.get_mut(self.item) {
            rewrite::apply(function, edits);
        }
    }

    /// Replaces loads whose value is in a register. Says whether there were any.
    fn forward_loads(&mut self) -> Result<bool, PassError> {
        let mut next = self.module.next_inst;
        let mut fresh = self.fresh;
        let mut edits = Edits::default();
        let mut outcome = Vec::new();
        {
            let Some(mut analysed) = self.analyse()? else { return Ok(false) };
            let found = analysed.with_facts(self.policy, forwarding::find)?;
            let mut savers = HashMap::new();
            for forward in &found {
                let mut kept = Keeping {
                    analysed: &analysed,
                    edits: &mut edits,
                    maker: Maker { next: &mut next },
                    stem: &self.stem,
                    fresh: &mut fresh,
                };
                outcome.push(kept.forward(forward, &mut savers)?);
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
        Ok(changed)
    }

    /// A load that takes the value of a load that takes another's takes that one's.
    fn trace_to_origins(&mut self, outcome: Vec<Forwarded>) {
        for done in outcome {
            let mut remark = done.remark;
            remark.function = Arc::clone(&self.name);
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
    fn delete_dead_stores(&mut self) -> Result<bool, PassError> {
        let mut outcome = Vec::new();
        {
            let Some(mut analysed) = self.analyse()? else { return Ok(false) };
            let dead =
                analysed.with_facts(self.policy, |facts, body| dead_stores::find(facts, body))?;
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
        Ok(changed)
    }

    /// Moves the last stores of cached locations down.
    fn sink_stores(&mut self) -> Result<(), PassError> {
        let mut next = self.module.next_inst;
        let mut fresh = self.fresh;
        let mut edits = Edits::default();
        let mut outcome = Vec::new();
        {
            let Some(mut analysed) = self.analyse()? else { return Ok(()) };
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
                let (ghost, holder) = keeping.sink(sunk)?;
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
        Ok(())
    }

    /// A remark about a store.
    fn remark(&self, body: &Body<'_>, store: usize, change: Change) -> Remark {
        let inst = body.sites[store].inst;
        let mut remark = describe(inst, change, holder_of(inst.operands.get(1)));
        remark.function = Arc::clone(&self.name);
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
