//! The analyses of one function, together, for the rules of the pass.

use std::collections::HashSet;

use super::alias::Place;
use super::error::PassError;
use super::numbering::Numbering;
use super::policy::{Fault, Policy};
use crate::passes::function::body::Body;
use crate::passes::function::cfg::Cfg;
use crate::passes::function::effects::{self, Access, Effect};
use crate::passes::function::summaries::{Spaces, Summaries, Summary};
use crate::ptx::{Function, InstId, Module};

/// A function with more blocks times registers than this is left alone: the tables would not fit.
const MOST_PAIRS: usize = 200_000_000;

/// So is one with more accesses than this: each is compared with each.
const MOST_ACCESSES: usize = 6000;

/// The analyses of a function in its present form.
pub(super) struct Analysed<'a> {
    /// Its instructions, names resolved.
    pub(super) body: Body<'a>,
    cfg: Cfg,
    effects: Vec<Effect>,
    numbering: Numbering,
}

impl<'a> Analysed<'a> {
    /// Analyses a function; None when there is nothing to do, or it cannot be analysed.
    pub(super) fn new(
        module: &'a Module,
        function: &'a Function,
        deleted: &HashSet<InstId>,
        summaries: &Summaries,
        policy: &Policy,
    ) -> Result<Option<Analysed<'a>>, PassError> {
        let Some(body) = Body::new(module, function, deleted)? else { return Ok(None) };
        let Some(cfg) = Cfg::new(&body) else { return Ok(None) };
        let pairs = cfg.blocks.len().checked_mul(body.registers().len());
        if pairs.is_none_or(|pairs| pairs > MOST_PAIRS) {
            return Ok(None);
        }
        let effects: Vec<Effect> = (0..body.sites.len())
            .map(|site| weakened(effects::effect(&body, &body.sites[site], summaries), policy))
            .collect();
        let touchable = |effect: &&Effect| matches!(effect, Effect::Access(a) if a.touchable);
        if !(1..=MOST_ACCESSES).contains(&effects.iter().filter(touchable).count()) {
            return Ok(None);
        }
        let numbering = Numbering::new(&body, &cfg, &effects, policy)?;
        Ok(Some(Analysed { body, cfg, effects, numbering }))
    }

    /// Asks a rule.
    pub(super) fn with_facts<T>(
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

/// What the analyses of a function have found so far.
pub(super) struct Facts<'f> {
    /// The control-flow graph.
    pub(super) cfg: &'f Cfg,
    /// What each site does to memory.
    pub(super) effects: &'f [Effect],
    /// Values and places.
    pub(super) numbering: &'f Numbering,
    /// The rules.
    pub(super) policy: &'f Policy,
}

impl Facts<'_> {
    /// The access and place of a site.
    pub(super) fn access(&self, site: usize) -> Option<(&Access, &Place)> {
        let Some(Effect::Access(access)) = self.effects.get(site) else { return None };
        let place = self.numbering.places.get(site)?.as_ref()?;
        Some((access, place))
    }

    /// The same, when the pass may change the access.
    pub(super) fn touchable(&self, site: usize) -> Option<(&Access, &Place)> {
        self.access(site).filter(|(access, _)| access.touchable)
    }

    /// Whether what a site does may touch a byte of a place, given what a call would touch.
    pub(super) fn may_touch(
        &self,
        body: &Body<'_>,
        site: usize,
        place: &Place,
        by_call: impl Fn(&Summary) -> Spaces,
    ) -> bool {
        match &self.effects[site] {
            Effect::Nothing => false,
            Effect::Everything => true,
            Effect::Call(summary) => {
                summary.ends || by_call(summary).meet(Spaces::named(place.space))
            }
            Effect::Access(_) => match self.numbering.places[site].as_ref() {
                Some(other) => {
                    !other.is_disjoint(&self.numbering.values, &body.variables, place, self.policy)
                }
                None => true,
            },
        }
    }
}
