//! Which stores are overwritten before anything may read them?
//!
//! A backward must-analysis over the places that plain, unguarded, scalar stores write. At a point
//! a place is *doomed* when every way on from there overwrites it before anything may read it. A
//! store is dead if all of its bytes are doomed behind it. Memory is up to date at reads of bytes
//! that may be the same, strong accesses, calls, barriers and the end of the thread (also in a loop
//! that never ends). Nothing is doomed there.
//!
//! Going backwards, an address changes its meaning at the instruction, or the join, that defines a
//! part of it. There the place is forgotten.

use std::collections::{BTreeMap, HashMap};

use super::alias::Place;
use super::analysis::Facts;
use super::error::until_stable;
use super::policy::Fault;
use super::values::Definer;
use crate::internal::InternalError;
use crate::passes::function::bits::Bits;
use crate::passes::function::body::Body;

/// A store that need not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dead {
    /// Its site.
    pub(super) store: usize,
    /// The stores that overwrite it first, one at least on every way on.
    pub(super) overwritten_by: Vec<usize>,
}

/// Finds the dead stores.
pub(super) fn find(facts: &Facts<'_>, body: &Body<'_>) -> Result<Vec<Dead>, InternalError> {
    if !facts.policy.delete_dead_stores {
        return Ok(Vec::new());
    }
    let analysis = Doom::new(facts, body);
    let after_blocks = analysis.solve()?;
    let mut dead = Vec::new();
    for &block in &facts.cfg.order {
        let mut doomed = after_blocks[block].clone();
        for site in facts.cfg.blocks[block].sites.clone().rev() {
            if analysis.is_dead(site, &doomed) {
                let overwritten_by = analysis.overwriters(block, site);
                dead.push(Dead { store: site, overwritten_by });
            }
            analysis.execute_backwards(site, &mut doomed);
        }
    }
    dead.sort_by_key(|found| found.store);
    Ok(dead)
}

struct Doom<'f, 'b> {
    facts: &'f Facts<'f>,
    body: &'b Body<'b>,
    /// The distinct places that stores overwrite.
    places: Vec<&'f Place>,
    /// By site: which place it overwrites.
    overwritten: HashMap<usize, usize>,
    /// By site that may read: which places it keeps from being doomed.
    rescued: HashMap<usize, Vec<usize>>,
    /// Which places mean something else before this.
    redefined: BTreeMap<Definer, Vec<usize>>,
}

impl<'f, 'b> Doom<'f, 'b> {
    fn new(facts: &'f Facts<'f>, body: &'b Body<'b>) -> Doom<'f, 'b> {
        let mut doom = Doom {
            facts,
            body,
            places: Vec::new(),
            overwritten: HashMap::new(),
            rescued: HashMap::new(),
            redefined: BTreeMap::new(),
        };
        let mut numbers: HashMap<&Place, usize> = HashMap::new();
        for site in 0..body.sites.len() {
            if let Some(place) = doom.overwriting(site) {
                let number = *numbers.entry(place).or_insert(doom.places.len());
                if number == doom.places.len() {
                    doom.places.push(place);
                }
                doom.overwritten.insert(site, number);
            }
        }
        for (number, place) in doom.places.iter().enumerate() {
            for definer in facts.numbering.values.definers(place.address) {
                doom.redefined.entry(definer).or_default().push(number);
            }
        }
        for site in 0..body.sites.len() {
            let rescued = doom.rescued_by(site);
            if !rescued.is_empty() {
                doom.rescued.insert(site, rescued);
            }
        }
        doom
    }

    /// The place that a site overwrites for certain and plainly.
    fn overwriting(&self, site: usize) -> Option<&'f Place> {
        let (access, place) = self.facts.touchable(site)?;
        (access.writes && access.unconditional).then_some(place)
    }

    fn rescued_by(&self, site: usize) -> Vec<usize> {
        let ignored = self.facts.policy.broken(Fault::IgnoreReadsOfDeadStores);
        let reads = match self.facts.access(site) {
            Some((access, _)) => access.reads && !ignored,
            None => true,
        };
        let all = 0..if reads { self.places.len() } else { 0 };
        let rescues = |number: &usize| {
            let place = self.places[*number];
            self.facts.may_touch(self.body, site, place, |summary| summary.reads)
        };
        all.filter(rescues).collect()
    }

    /// The places whose stores are doomed at each block's end.
    fn solve(&self) -> Result<Vec<Bits>, InternalError> {
        let cfg = self.facts.cfg;
        let count = self.places.len();
        let reaches_exit = cfg.reaches_exit();
        let mut before = vec![Bits::all(count); cfg.blocks.len()];
        let mut after = vec![Bits::none(count); cfg.blocks.len()];
        // Each round but the last takes a place away from a block.
        let most = count.saturating_mul(cfg.blocks.len()).saturating_add(1);
        until_stable("dead stores", most, || {
            let mut changed = false;
            for &block in cfg.order.iter().rev() {
                let mut doomed = self.at_end(block, &before, reaches_exit[block]);
                after[block] = doomed.clone();
                for site in cfg.blocks[block].sites.clone().rev() {
                    self.execute_backwards(site, &mut doomed);
                }
                self.redefine(Definer::Block(block), &mut doomed);
                if before[block] != doomed {
                    before[block] = doomed;
                    changed = true;
                }
            }
            Ok::<bool, InternalError>(changed)
        })?;
        Ok(after)
    }

    fn at_end(&self, block: usize, before: &[Bits], reaches_exit: bool) -> Bits {
        let (cfg, policy) = (self.facts.cfg, self.facts.policy);
        let found = &cfg.blocks[block];
        let exposed = found.exits && !policy.broken(Fault::DropFlushAtExit);
        let mut doomed = match exposed || !reaches_exit {
            true => Bits::none(self.places.len()),
            false => Bits::all(self.places.len()),
        };
        let successors = found.successors.iter().filter(|after| {
            !(policy.broken(Fault::IgnoreBackEdges) && cfg.is_back_edge(block, **after))
        });
        let limit = if policy.broken(Fault::IgnoreJoins) { 1 } else { usize::MAX };
        successors.take(limit).for_each(|after| doomed.intersect(&before[*after]));
        doomed
    }

    fn execute_backwards(&self, site: usize, doomed: &mut Bits) {
        for &number in self.rescued.get(&site).into_iter().flatten() {
            doomed.remove(number);
        }
        self.redefine(Definer::Site(site), doomed);
        if let Some(&number) = self.overwritten.get(&site) {
            doomed.insert(number);
        }
    }

    fn redefine(&self, definer: Definer, doomed: &mut Bits) {
        if self.facts.policy.broken(Fault::IgnoreInstances) {
            return;
        }
        for &number in self.redefined.get(&definer).into_iter().flatten() {
            doomed.remove(number);
        }
    }

    fn is_dead(&self, site: usize, doomed: &Bits) -> bool {
        let Some((access, place)) = self.facts.touchable(site) else { return false };
        access.writes
            && doomed.iter().any(|number| {
                let (values, policy) = (&self.facts.numbering.values, self.facts.policy);
                self.places[number].covers(values, place, policy)
            })
    }

    /// The first stores, on every path from here, that overwrite all of a dead store.
    fn overwriters(&self, block: usize, dead: usize) -> Vec<usize> {
        let cfg = self.facts.cfg;
        let mut found = Vec::new();
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work = vec![(block, dead + 1)];
        while let Some((block, start)) = work.pop() {
            let end = cfg.blocks[block].sites.end;
            match (start..end).find(|site| self.overwrites(*site, dead)) {
                Some(site) => found.push(site),
                None => {
                    for &next in &cfg.blocks[block].successors {
                        if !seen[next] {
                            seen[next] = true;
                            work.push((next, cfg.blocks[next].sites.start));
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn overwrites(&self, site: usize, dead: usize) -> bool {
        let (Some(outer), Some((_, inner))) = (self.overwriting(site), self.facts.access(dead))
        else {
            return false;
        };
        outer.covers(&self.facts.numbering.values, inner, self.facts.policy)
    }
}
