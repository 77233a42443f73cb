//! Which launches of a program are checked: all of them, unless some kernels alone, the first launches of each kernel, or
//! one launch in so many were asked for.
//!
//! A launch that is not checked runs as it would without checking. All memory counts as written from then on, since
//! nobody saw what it wrote: values never written may be missed, and none is told wrongly.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use warpsim::names;

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// These kernels, by their names in PTX or in the source; empty for all.
    #[serde(default)]
    pub only: Vec<String>,
    /// The first so many launches of each kernel.
    #[serde(default)]
    pub first: Option<u64>,
    /// The first of so many launches of each kernel, and of the next so many, and so on.
    #[serde(default)]
    pub sample: Option<u64>,
}

impl Choice {
    /// Whether it is all of them.
    pub fn is_all(&self) -> bool {
        *self == Choice::default()
    }

    /// Whether a launch of a kernel is one of them, behind so many launches of the same kernel.
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

/// Whether someone means a kernel by a name: that of the PTX, or that of the source, whole, without the arguments of a
/// template, or without the namespaces, too.
fn is_name(name: &str, kernel: &str) -> bool {
    let readable = names::readable(kernel);
    let bare = readable.split('<').next();
    let last = bare.and_then(|bare| bare.rsplit("::").next());
    name == kernel || name == readable || Some(name) == bare || Some(name) == last
}

/// The launches so far.
#[derive(Debug, Default)]
pub(crate) struct Launched {
    kernels: BTreeMap<String, u64>,
    /// How many were not checked although checking was asked for.
    pub(crate) unchecked: u64,
}

impl Launched {
    /// Counts a launch that is to be issued; whether it is one that is checked.
    pub(crate) fn next(&mut self, kernel: &str, choice: &Choice) -> bool {
        let before = self.kernels.entry(kernel.to_owned()).or_default();
        let is_chosen = choice.has(kernel, *before);
        *before += 1;
        is_chosen
    }
}
