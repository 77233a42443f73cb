//! The findings: uses of undefined values, one for each pair of a load and a use.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::origin::{Origin, OriginId, Origins, Spot};
use super::use_kind::{NO_CONSEQUENCE, Use, consequence, help};
use crate::lower::Pc;
use crate::observe::LaunchFacts;
use crate::report::{Code, Finding, Severity};

/// The first example of a pair of places, and how often it happened.
#[derive(Clone, Copy, Debug)]
struct Found {
    origin: Origin,
    /// Who used it, and for what.
    at: Spot,
    what: Use,
    /// Where it mattered, if a computation used it before.
    end: Option<(Spot, Use)>,
    count: u64,
    /// Its place in the order in which pairs were found.
    number: usize,
}

type Pairs = HashMap<(Pc, Pc), Found, FxBuildHasher>;

/// All uses of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) origins: Origins,
    /// The uses that matter.
    found: Pairs,
    /// Computations, whether or not anything came of them.
    computed: Pairs,
}

impl Uses {
    /// A thread computes with a value: what its result comes from.
    pub(super) fn compute(&mut self, id: OriginId, at: Spot) -> OriginId {
        let Some(origin) = self.origins.get(id).copied() else { return id };
        if origin.computed.is_some() {
            return id;
        }
        note(
            &mut self.computed,
            Found { origin, at, what: Use::Arithmetic, end: None, count: 1, number: 0 },
        );
        self.origins.add(Origin { computed: Some(at), ..origin })
    }

    /// An undefined value has an effect.
    pub(super) fn reach(&mut self, id: OriginId, what: Use, at: Spot) {
        let Some(origin) = self.origins.get(id).copied() else { return };
        let found = match origin.computed {
            Some(computed) => (computed, Use::Arithmetic, Some((at, what))),
            None => (at, what, None),
        };
        let (at, what, end) = found;
        note(&mut self.found, Found { origin, at, what, end, count: 1, number: 0 });
    }

    /// The findings of a launch that has ended, in the order in which they were found.
    pub(super) fn findings(self, facts: &LaunchFacts) -> Vec<Finding> {
        let Uses { mut computed, found, .. } = self;
        computed.retain(|pair, _| !found.contains_key(pair));
        let sorted = |pairs: Pairs| {
            let mut all: Vec<Found> = pairs.into_values().collect();
            all.sort_by_key(|found| found.number);
            all
        };
        let serious = sorted(found).into_iter().map(|found| finding(&found, facts));
        let harmless = sorted(computed).into_iter().map(|found| {
            let mut finding = finding(&found, facts);
            finding.severity = Severity::Note;
            finding.notes = vec![NO_CONSEQUENCE.to_owned()];
            finding
        });
        serious.chain(harmless).collect()
    }
}

fn note(pairs: &mut Pairs, found: Found) {
    let number = pairs.len();
    let pair = (found.origin.load.pc, found.at.pc);
    pairs.entry(pair).and_modify(|known| known.count += 1).or_insert(Found { number, ..found });
}

fn finding(found: &Found, facts: &LaunchFacts) -> Finding {
    let Origin { load, space, address, .. } = found.origin;
    let site = |spot: Spot| facts.site(spot.block, spot.warp, spot.lane, spot.pc);
    let mut sites = vec![site(found.at)];
    if load != found.at {
        sites.push(site(load));
    }
    let notes = found.end.map(|(spot, what)| {
        let end = site(spot);
        consequence(what, &end.operation, end.ptx_line)
    });
    let explanation = found.what.explanation(space);
    let mut finding = Finding::new(Severity::Error, Code::Uninitialized, explanation);
    finding.space = Some(space);
    finding.address = Some(address);
    finding.sites = sites;
    finding.count = found.count;
    finding.notes = notes.into_iter().collect();
    finding.help = Some(help(space).to_owned());
    finding
}
