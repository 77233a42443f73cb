//! What was run, and what was found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::approximate::Distances;
use super::program::Family;

/// Programs that are named for each form, at most.
const MOST_REPLAYS: usize = 20;

/// How much of a family was run.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Programs.
    pub programs: u64,
    /// Results: 64-bit words that were compared, by digest.
    pub results: u64,
    /// Programs by the driver's optimisation level: `default`, `0`.
    pub levels: BTreeMap<String, u64>,
}

/// A program that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Its family and number.
    pub family: Family,
    /// Its number.
    pub index: u64,
    /// The driver's optimisation level.
    pub level: String,
    /// The form, or the statement, whose result is the first that differs.
    pub form: String,
    /// What was different.
    pub what: String,
    /// The file that the small program is in.
    pub file: Option<String>,
}

/// The whole search.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What it was compared with.
    pub device: String,
    /// The driver.
    pub driver: String,
    /// Seconds.
    pub seconds: f64,
    /// Processes that ran at once.
    pub jobs: usize,
    /// By family.
    pub families: BTreeMap<Family, Ran>,
    /// Instructions compared by form, in programs that ran on both.
    pub forms: BTreeMap<String, u64>,
    /// What differs.
    pub differences: Vec<Difference>,
    /// How much approximate results differ.
    pub distances: Distances,
}

impl Report {
    /// Adds what another worker did.
    pub fn add(&mut self, other: Report) {
        for (family, ran) in other.families {
            let sum = self.families.entry(family).or_default();
            sum.programs += ran.programs;
            sum.results += ran.results;
            for (level, count) in ran.levels {
                *sum.levels.entry(level).or_default() += count;
            }
        }
        for (form, count) in other.forms {
            *self.forms.entry(form).or_default() += count;
        }
        self.differences.extend(other.differences);
        for (key, distance) in other.distances {
            let sum = self.distances.entry(key).or_default();
            sum.results += distance.results;
            sum.different += distance.different;
            sum.special += distance.special;
            sum.ulp = sum.ulp.max(distance.ulp);
            sum.absolute = sum.absolute.max(distance.absolute);
        }
    }

    /// Programs of all families.
    pub fn programs(&self) -> u64 {
        self.families.values().map(|ran| ran.programs).sum()
    }

    /// Results of all families.
    pub fn results(&self) -> u64 {
        self.families.values().map(|ran| ran.results).sum()
    }

    /// Differences by form: how many, and the first.
    pub fn by_form(&self) -> BTreeMap<&str, (u64, &Difference)> {
        let mut forms: BTreeMap<&str, (u64, &Difference)> = BTreeMap::new();
        for difference in &self.differences {
            let entry = forms.entry(&difference.form).or_insert((0, difference));
            entry.0 += 1;
            if difference.file.is_some() && entry.1.file.is_none() {
                entry.1 = difference;
            }
        }
        forms
    }

    /// How a program is named for another run of it.
    fn replay(&self, difference: &Difference) -> String {
        format!("{}:{}:{}", difference.family.name(), self.seed, difference.index)
    }

    /// The programs that differ first in this form, some of them, and at which level.
    fn replays(&self, form: &str) -> Vec<Value> {
        let of_form = self.differences.iter().filter(|d| d.form == form);
        let named = |d: &Difference| json!({ "replay": self.replay(d), "jit_level": d.level });
        of_form.take(MOST_REPLAYS).map(named).collect()
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let families: serde_json::Map<String, Value> = self
            .families
            .iter()
            .map(|(family, ran)| {
                let value = json!({
                    "programs": ran.programs, "lane_results": ran.results, "jit_levels": ran.levels,
                });
                (family.name().to_owned(), value)
            })
            .collect();
        let differences: Vec<Value> = self
            .by_form()
            .iter()
            .map(|(form, (count, first))| {
                json!({
                    "form": form, "programs": count, "family": first.family.name(),
                    "replay": self.replay(first), "all": self.replays(form),
                    "jit_level": first.level, "what": first.what, "file": first.file,
                })
            })
            .collect();
        let distances: Vec<Value> = self
            .distances
            .iter()
            .map(|((form, range), d)| {
                json!({
                    "form": form, "argument": range, "results": d.results, "different": d.different,
                    "ulp": d.ulp, "absolute": d.absolute, "special": d.special,
                })
            })
            .collect();
        json!({
            "schema": 1, "seed": self.seed, "device": self.device, "driver": self.driver,
            "seconds": self.seconds, "jobs": self.jobs, "programs": self.programs(),
            "lane_results": self.results(), "families": families, "differences": differences,
            "approximate": distances, "forms": self.forms,
        })
    }

    /// As text, for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let seconds = self.seconds.max(0.001);
        let _ = writeln!(
            out,
            "seed {}: {} programs, {} lane results in {seconds:.1} s with {} jobs on {} ({})",
            self.seed,
            self.programs(),
            self.results(),
            self.jobs,
            self.device,
            self.driver
        );
        for (family, ran) in &self.families {
            let rate = ran.programs as f64 / seconds;
            let name = family.name();
            let _ = writeln!(
                out,
                "  {name:<12} {:>8} programs {:>12} results {rate:>8.0}/s {:?}",
                ran.programs, ran.results, ran.levels
            );
        }
        let _ = writeln!(out, "  {} forms of instructions", self.forms.len());
        let forms = self.by_form();
        let _ = writeln!(
            out,
            "{} programs differ, first in {} forms or statements",
            self.differences.len(),
            forms.len()
        );
        for (form, (count, first)) in forms {
            let family = first.family.name();
            let levels: std::collections::BTreeSet<&str> =
                self.differences.iter().filter(|d| d.form == form).map(|d| &*d.level).collect();
            let _ = writeln!(
                out,
                "  {form}: {count} at {levels:?}, {family}:{}:{}: {}",
                self.seed, first.index, first.what
            );
        }
        for ((form, range), d) in self.distances.iter().filter(|(_, d)| d.different > 0) {
            let _ = writeln!(
                out,
                "  {form}, argument {range}: {} of {} differ, by {} ulp at most, {:e}; {} special",
                d.different, d.results, d.ulp, d.absolute, d.special
            );
        }
        out
    }
}
