//! Which launches of a program are checked, counted and traced, and under which schedules. All are
//! checked and counted, unless the user chose some kernels, the first launches of each kernel, or a
//! sample.
//!
//! The first launches of each kernel in each shape run under all schedules, as many as the
//! [`Choice::budget`] says. Otherwise a program that launches one kernel in a loop would pay for
//! twenty runs of each launch. Each later one runs in order and under one other schedule, in turn,
//! so many launches see many schedules.
//!
//! A launch that is not checked runs as it would without checking. Its writes are not observed, so
//! all memory counts as written from then on. So a value never written may be missed, and no wrong
//! one is reported.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use warpsim::check::{Checking, Schedules};
use warpsim::host::Launch;
use warpsim::names;

use crate::options::Options;

/// The launches that are checked and counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Only these kernels, by their names in PTX or in the source; empty for all.
    #[serde(default)]
    pub only: Vec<String>,
    /// Only this number of launches of each kernel, the first ones.
    #[serde(default)]
    pub first: Option<u64>,
    /// Only the first launch in each group of this many launches of a kernel.
    #[serde(default)]
    pub sample: Option<u64>,
    /// How many launches of each kernel in each shape run under all schedules.
    #[serde(default)]
    pub budget: Budget,
}

/// How many launches of each kernel in each shape run under all schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// This number of launches, the first ones.
    Launches(u64),
    /// All launches.
    All,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::Launches(16)
    }
}

impl Budget {
    /// Under which schedules a launch runs behind this many of the same kernel and shape.
    fn schedules(self, before: u64) -> Schedules {
        match self {
            Budget::Launches(all) if before >= all => Schedules::InTurn(before - all),
            Budget::Launches(_) | Budget::All => Schedules::Merged,
        }
    }
}

impl Choice {
    /// Whether it chooses all launches.
    pub fn is_all(&self) -> bool {
        Choice { budget: Budget::default(), ..self.clone() } == Choice::default()
    }

    /// Whether a launch of a kernel is chosen, after `before` launches of the same kernel.
    ///
    /// ```
    /// use warpsim_driver_core::Choice;
    ///
    /// let only = Choice { only: vec!["scan".to_owned()], ..Choice::default() };
    /// assert!(only.has("_Z4scanIiEvPT_", 7) && !only.has("_Z7prescanPi", 0));
    /// let some = Choice { sample: Some(3), first: Some(5), ..Choice::default() };
    /// let chosen: Vec<u64> = (0..10).filter(|before| some.has("scan", *before)).collect();
    /// assert_eq!(chosen, [0, 3]);
    /// ```
    pub fn has(&self, kernel: &str, before: u64) -> bool {
        let is_named = self.only.is_empty() || self.only.iter().any(|name| is_name(name, kernel));
        let is_early = self.first.is_none_or(|first| before < first);
        let is_drawn = self.sample.is_none_or(|of| before.is_multiple_of(of.max(1)));
        is_named && is_early && is_drawn
    }
}

/// Whether a name means a kernel. It may be the name in the PTX, or the name in the source: whole,
/// without the arguments of a template, or also without the namespaces.
fn is_name(name: &str, kernel: &str) -> bool {
    let readable = names::readable(kernel);
    let bare = readable.split('<').next();
    let last = bare.and_then(|bare| bare.rsplit("::").next());
    name == kernel || name == readable || Some(name) == bare || Some(name) == last
}

/// What to do with a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// It is checked.
    pub(crate) is_checked: bool,
    /// What it does is counted.
    pub(crate) is_counted: bool,
}

/// The launches so far.
#[derive(Debug, Default)]
pub(crate) struct Launched {
    kernels: BTreeMap<String, u64>,
    /// Of those that were checked, by kernel, module and shape.
    shapes: BTreeMap<(String, String, Shape), u64>,
    /// How many were counted, to say how kernels use the machine.
    pub(crate) counted: u64,
    /// How many were not checked although checking was asked for.
    pub(crate) unchecked: u64,
    /// How many were checked under two schedules, for the budget was spent, where a schedule may
    /// make a difference.
    pub(crate) in_turn: u64,
}

/// The launches that were traced for a page: the first one of the process, and of each kernel the
/// first one in which something was found. A trace takes megabytes, so there is a most.
#[derive(Debug, Default)]
pub(crate) struct Traced {
    has_first: bool,
    /// Kernels, with their modules, that have a traced launch with findings.
    kernels: BTreeSet<(String, String)>,
}

impl Traced {
    /// The most kernels that have a traced launch with findings.
    const MOST: usize = 8;

    /// Whether the launch that comes may be traced, if something is found in it.
    pub(crate) fn may_take(&self, kernel: &(String, String)) -> bool {
        let is_room = self.kernels.len() < Traced::MOST && !self.kernels.contains(kernel);
        !self.has_first || is_room
    }

    /// Whether a launch that was carried out is traced.
    pub(crate) fn takes(&mut self, kernel: &(String, String), has_findings: bool) -> bool {
        let is_first = !std::mem::replace(&mut self.has_first, true);
        if has_findings {
            self.kernels.insert(kernel.clone());
        }
        is_first || has_findings
    }
}

/// Blocks, threads of a block, and dynamic shared memory.
type Shape = ([u32; 3], [u32; 3], u32);

impl Launched {
    /// Counts a launch before it is issued, and returns what to do with it.
    pub(crate) fn next(&mut self, kernel: &str, options: &Options) -> Chosen {
        if !options.check && !options.stats {
            return Chosen { is_checked: false, is_counted: false };
        }
        let before = self.kernels.entry(kernel.to_owned()).or_default();
        let is_chosen = options.choice.has(kernel, *before);
        *before += 1;
        Chosen { is_checked: is_chosen && options.check, is_counted: is_chosen && options.stats }
    }

    /// A launch that was chosen so was carried out.
    pub(crate) fn done(&mut self, chosen: Chosen, options: &Options) {
        self.unchecked += u64::from(options.check && !chosen.is_checked);
        self.counted += u64::from(chosen.is_counted);
    }

    /// How to check a launch, before it is issued.
    pub(crate) fn checking(
        &mut self,
        (kernel, module): (&str, &str),
        launch: &Launch,
        options: &Options,
    ) -> Checking {
        match options.checking() {
            all if all.schedules == Schedules::Merged => {
                let budget = options.choice.budget;
                let schedules = self.schedules((kernel, module), launch, budget);
                all.with_schedules(schedules)
            }
            as_set => as_set,
        }
    }

    fn schedules(
        &mut self,
        (kernel, module): (&str, &str),
        launch: &Launch,
        budget: Budget,
    ) -> Schedules {
        let shape = (launch.grid, launch.block, launch.shared);
        let before = self.shapes.entry((kernel.to_owned(), module.to_owned(), shape)).or_default();
        let schedules = budget.schedules(*before);
        *before += 1;
        schedules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_one_of_each_kernel_and_shape() {
        let mut launched = Launched::default();
        let mut of = |kernel, blocks, budget| {
            launched.schedules((kernel, "m"), &Launch::new(blocks, 32), budget)
        };
        let two = Budget::Launches(2);
        let in_turn = Schedules::InTurn;
        assert_eq!(
            [of("k", 1, two), of("k", 1, two), of("k", 1, two)],
            [Schedules::Merged, Schedules::Merged, in_turn(0)]
        );
        assert_eq!([of("k", 2, two), of("l", 1, two)], [Schedules::Merged; 2]);
        assert_eq!([of("k", 1, two), of("k", 1, Budget::All)], [in_turn(1), Schedules::Merged]);
    }
}
