//! The search, and the comparison with a recording, on more than one machine: what a shard writes,
//! and all of them together.
//!
//! Batches of the search are numbered, and so are the programs of a recording: a shard is a range
//! of them. Only the limits on a whole run are not the same as in one run: how many programs of a
//! form are looked at more closely, and the time that it took.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use warpsim_campaign::{Campaign, CampaignError, Shard, ShardFile, gather, sha256};

use super::approximate::Distance;
use super::operands;
use super::program::Family;
use super::recording::Recording;
use super::replay;
use super::report::{Difference, Ran, Report};
use super::search::{Plan, name_of};

/// The kind of campaign that a search is.
const SEARCH: &str = "random programs";

/// The kind that a comparison with a recording is.
const AGAINST: &str = "recorded random programs";

/// The result of a family of a recording: its name, its programs, and the programs that differ,
/// each with where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfFamily {
    /// The family's name.
    pub name: String,
    /// How many programs were compared.
    pub programs: u64,
    /// The numbers of those that differ, each with the form or statement.
    pub found: Vec<(u64, String)>,
}

/// How many programs a recording has.
pub fn programs(recording: &Recording) -> u64 {
    recording.families.iter().map(|(_, programs)| programs.len() as u64).sum()
}

/// Compares the simulator with the programs of a recording that have these numbers, counted through
/// all families.
///
/// # Errors
/// The recording is of other programs.
pub fn against(recording: &Recording, numbers: &Range<u64>) -> Result<Vec<OfFamily>, String> {
    let (forms, table) = (recording.forms(), operands::table(recording.seed));
    let mut before = 0;
    let mut all = Vec::new();
    for (family, recorded) in &recording.families {
        let end = before + recorded.len() as u64;
        let own = numbers.start.clamp(before, end)..numbers.end.clamp(before, end);
        let own = &recorded[(own.start - before) as usize..(own.end - before) as usize];
        before = end;
        let mut found = Vec::new();
        for batch in own.chunks(32) {
            let texts = recording.batch(*family, &forms, batch);
            let differing = replay::against(batch, &texts, &table)?;
            found.extend(differing.into_iter().map(|(i, label)| (batch[i].index, label)));
        }
        let (name, programs) = (family.name().to_owned(), own.len() as u64);
        all.push(OfFamily { name, programs, found });
    }
    Ok(all)
}

/// A comparison in words, a line or two for each family; and whether anything differs.
pub fn in_words(families: &[OfFamily]) -> (String, bool) {
    let mut text = String::new();
    for OfFamily { name, programs, found } in families {
        text += &format!("{name:<12} {programs} programs, {} differ\n", found.len());
        if let Some((first, _)) = found.first() {
            let mut labels: Vec<&str> = found.iter().map(|(_, label)| label.as_str()).collect();
            labels.sort_unstable();
            labels.dedup();
            let labels = labels.join(", ");
            text += &format!("  caught after {} programs; first in: {labels}\n", first + 1);
        }
    }
    (text, families.iter().any(|family| !family.found.is_empty()))
}

/// Writes the result of a shard of a comparison.
///
/// # Errors
/// The recording is of other programs, or the file cannot be written.
pub fn write_against(recording: &Recording, shard: Shard, file: &Path) -> Result<(), String> {
    let all = programs(recording);
    let campaign =
        Campaign::new(AGAINST, all).with("recording", sha256(&recording.json().to_string()));
    let found = against(recording, &shard.cases(all))?;
    written(&campaign, shard, &found, file)
}

fn written(
    campaign: &Campaign,
    shard: Shard,
    result: &impl Serialize,
    file: &Path,
) -> Result<(), String> {
    let written = ShardFile::new(campaign, shard, result).and_then(|shard| shard.write(file));
    written.map_err(|error| error.to_string())
}

/// What all shards say together, in words, and whether anything differs.
///
/// # Errors
/// They are not all shards of one search, or of one comparison.
pub fn merge(files: &[impl AsRef<Path>]) -> Result<(String, bool), String> {
    let words = |error: CampaignError| error.to_string();
    match gather::<Vec<OfFamily>>(AGAINST, files) {
        Ok(gathered) => merge_against(gathered.results),
        Err(CampaignError::OtherKind { .. }) => {
            let gathered = gather::<ReportRow>(SEARCH, files).map_err(words)?;
            let report = merge_search(gathered.results)?;
            Ok((report.text(), !report.differences.is_empty()))
        }
        Err(error) => Err(words(error)),
    }
}

fn merge_against(shards: Vec<(Shard, Vec<OfFamily>)>) -> Result<(String, bool), String> {
    let mut all: Vec<OfFamily> = Vec::new();
    for (shard, families) in shards {
        if all.is_empty() {
            all = families;
            continue;
        }
        let names = |families: &[OfFamily]| -> Vec<String> {
            families.iter().map(|family| family.name.clone()).collect()
        };
        if names(&all) != names(&families) {
            return Err(format!("shard {shard} has other families"));
        }
        for (sum, family) in all.iter_mut().zip(families) {
            sum.programs += family.programs;
            sum.found.extend(family.found);
        }
    }
    Ok(in_words(&all))
}

/// Writes the result of a shard of a search.
///
/// # Errors
/// The file cannot be written.
pub fn write_search(plan: &Plan, report: &Report, shard: Shard, file: &Path) -> Result<(), String> {
    let families: Vec<&str> = plan.families.iter().map(|family| family.name()).collect();
    let levels: Vec<String> = plan.levels.iter().map(|level| name_of(*level)).collect();
    let all = plan.forms.exact.iter().chain(&plan.forms.approximate);
    let forms: Vec<&str> = all.map(|form| form.text.as_str()).collect();
    let campaign = Campaign::new(SEARCH, plan.batches())
        .with("seed", plan.seed)
        .with("families", families)
        .with("levels", levels)
        .with("forms", sha256(&forms.join(",")))
        .with("device", report.device.clone())
        .with("driver", report.driver.clone());
    written(&campaign, shard, &ReportRow::from(report), file)
}

/// The reports of all shards as one: the longest time, and all jobs.
fn merge_search(shards: Vec<(Shard, ReportRow)>) -> Result<Report, String> {
    let mut all = Report::default();
    for (shard, row) in shards {
        let report = row.report().ok_or_else(|| format!("shard {shard} has unknown families"))?;
        (all.seed, all.device, all.driver) =
            (report.seed, report.device.clone(), report.driver.clone());
        all.seconds = all.seconds.max(report.seconds);
        all.jobs += report.jobs;
        all.add(report);
    }
    all.differences.sort_by_key(|d| (d.family, d.index));
    Ok(all)
}

/// A report in a file: floats as their bits, so that they are the same when they are read.
#[derive(Serialize, Deserialize)]
struct ReportRow {
    seed: u64,
    device: String,
    driver: String,
    seconds: u64,
    jobs: usize,
    families: Vec<(String, u64, u64, BTreeMap<String, u64>)>,
    forms: BTreeMap<String, u64>,
    differences: Vec<DifferenceRow>,
    /// Form and range; results, different, ulp, special; absolute.
    distances: Vec<(String, String, [u64; 4], u64)>,
}

#[derive(Serialize, Deserialize)]
struct DifferenceRow {
    family: String,
    index: u64,
    level: String,
    form: String,
    what: String,
    file: Option<String>,
}

impl From<&Report> for ReportRow {
    fn from(report: &Report) -> ReportRow {
        let family = |(family, ran): (&Family, &Ran)| {
            (family.name().to_owned(), ran.programs, ran.results, ran.levels.clone())
        };
        let difference = |d: &Difference| DifferenceRow {
            family: d.family.name().to_owned(),
            index: d.index,
            level: d.level.clone(),
            form: d.form.clone(),
            what: d.what.clone(),
            file: d.file.clone(),
        };
        let distance = |((form, range), d): (&(String, String), &Distance)| {
            let counts = [d.results, d.different, d.ulp, d.special];
            (form.clone(), range.clone(), counts, d.absolute.to_bits())
        };
        ReportRow {
            seed: report.seed,
            device: report.device.clone(),
            driver: report.driver.clone(),
            seconds: report.seconds.to_bits(),
            jobs: report.jobs,
            families: report.families.iter().map(family).collect(),
            forms: report.forms.clone(),
            differences: report.differences.iter().map(difference).collect(),
            distances: report.distances.iter().map(distance).collect(),
        }
    }
}

impl ReportRow {
    /// The report; none where it names a family that there is not.
    fn report(self) -> Option<Report> {
        let mut report = Report {
            seed: self.seed,
            device: self.device,
            driver: self.driver,
            seconds: f64::from_bits(self.seconds),
            jobs: self.jobs,
            forms: self.forms,
            ..Report::default()
        };
        for (name, programs, results, levels) in self.families {
            report.families.insert(Family::named(&name)?, Ran { programs, results, levels });
        }
        for row in self.differences {
            let DifferenceRow { family, index, level, form, what, file } = row;
            let family = Family::named(&family)?;
            report.differences.push(Difference { family, index, level, form, what, file });
        }
        for (form, range, [results, different, ulp, special], absolute) in self.distances {
            let absolute = f64::from_bits(absolute);
            let distance = Distance { results, different, ulp, absolute, special };
            report.distances.insert((form, range), distance);
        }
        Some(report)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::recording::Recorded;
    use super::*;

    /// Some programs of each family of the recording that the repository has, some of them with
    /// another answer.
    fn recording(each: usize, planted: &[usize]) -> Recording {
        let text = include_str!("../../recordings/differential.json");
        let mut recording = Recording::parse(text).unwrap();
        for (_, programs) in &mut recording.families {
            programs.truncate(each);
            for at in planted.iter().filter(|at| **at < each) {
                let Recorded { all, .. } = &mut programs[*at];
                *all ^= 1;
            }
        }
        recording
    }

    fn report(numbers: &[u64]) -> Report {
        let mut report = Report { seed: 7, device: "a".into(), jobs: 1, ..Report::default() };
        for number in numbers {
            let family = Family::ALL[*number as usize % Family::ALL.len()];
            let levels = BTreeMap::from([("0".to_owned(), 1)]);
            let one = Report {
                families: BTreeMap::from([(family, Ran { programs: 1, results: *number, levels })]),
                forms: BTreeMap::from([(format!("form {}", number % 3), 1)]),
                differences: vec![Difference {
                    family,
                    index: *number,
                    level: "0".into(),
                    form: format!("form {}", number % 3),
                    what: format!("number {number}"),
                    file: None,
                }],
                distances: BTreeMap::from([(
                    ("sin".to_owned(), "small".to_owned()),
                    Distance {
                        results: 1,
                        different: 1,
                        ulp: *number,
                        absolute: 0.1 / *number as f64,
                        special: 0,
                    },
                )]),
                ..Report::default()
            };
            report.add(one);
        }
        report.differences.sort_by_key(|d| (d.family, d.index));
        report
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

        #[test]
        fn shards_of_a_comparison_say_together_what_one_says(
            each in 1..9_usize, planted in proptest::collection::btree_set(0..9_usize, 0..3), of in 1..6_u64,
        ) {
            // Each once: a second one would take the first one back.
            let planted: Vec<usize> = planted.into_iter().collect();
            let recording = recording(each, &planted);
            let whole = against(&recording, &(0..programs(&recording))).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let file = |shard: Shard| {
                let file = folder.path().join(format!("{}.json", shard.number()));
                write_against(&recording, shard, &file).unwrap();
                file
            };
            let mut files: Vec<_> = Shard::all(of).map(file).collect();
            files.reverse();
            prop_assert_eq!(merge(&files), Ok(in_words(&whole)));
            let differs = planted.iter().any(|at| *at < each);
            prop_assert_eq!(in_words(&whole).1, differs);
            let missing = merge(&files[1..]).unwrap_err();
            let said = if of == 1 { "no file of a shard was given" } else { "there is no file of" };
            prop_assert!(missing.contains(said), "{}", missing);
        }

        #[test]
        fn reports_of_shards_say_together_what_one_says(
            numbers in proptest::collection::btree_set(1..1000_u64, 0..40), of in 1..6_u64,
        ) {
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let rows = Shard::all(of).map(|shard| {
                let Range { start, end } = shard.cases(numbers.len() as u64);
                let row = ReportRow::from(&report(&numbers[start as usize..end as usize]));
                let text = serde_json::to_string(&row).unwrap();
                (shard, serde_json::from_str(&text).unwrap())
            });
            let merged = merge_search(rows.collect()).unwrap();
            let whole = Report { jobs: of as usize, ..report(&numbers) };
            prop_assert_eq!(merged.json(), whole.json());
            prop_assert_eq!(merged.text(), whole.text());
        }
    }
}
