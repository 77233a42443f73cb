//! The cases of a property on more than one machine: a shard of them into a file, and all files
//! together.
//!
//! A shard tries the cases of a range and stops at the first that fails. Its file names that case,
//! or says what was tried. The merge gives the result of one run. It tries the failed case with the
//! lowest number again, and makes it small here. If none failed, the evidence of all shards is the
//! evidence of the whole.
//!
//! A test may compare with an oracle. An oracle is code, and no part of a campaign's identity.
//! Shards of two versions of it are not distinguished.

use std::env;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use warpsim_campaign::{Campaign, CampaignError, Shard, ShardFile, gather, sha256};

use super::evidence::Evidence;
use super::failure::{Failure, Mistake};
use super::judge::Property;
use super::kernel::Kernel;
use super::search::{cases, first_case, schedules, try_cases};

/// The environment variable that [`Kernel::shared_out`] reads: `K/N`, or `merge`.
pub const SHARD: &str = "WARPSIM_SHARD";

/// The environment variable with the folder of the files.
pub const FOLDER: &str = "WARPSIM_SHARD_FOLDER";

/// The kind of campaign.
const KIND: &str = "property";

/// Who does which cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Share {
    /// This run does all.
    #[default]
    Whole,
    /// This run does a shard, and writes a file into the folder.
    Shard(Shard, PathBuf),
    /// Others have done all; their files are in the folder.
    Merge(PathBuf),
}

impl Share {
    /// Whether it is no mistake that there is nothing to try: a shard of more than there are cases.
    pub(super) fn may_be_empty(&self) -> bool {
        matches!(self, Share::Shard(..))
    }
}

/// What a shard found.
#[derive(Serialize, Deserialize)]
struct Found {
    cases: u32,
    runs: u64,
    warp_instructions: u64,
    blocks: (u64, u64),
    threads: (u64, u64),
    /// The first case that failed; those after it were not tried.
    failed: Option<u32>,
}

impl From<CampaignError> for Mistake {
    fn from(error: CampaignError) -> Mistake {
        Mistake::Shards(error.to_string())
    }
}

impl Kernel {
    /// Tries a shard of the cases alone, and writes what came of it into a folder, for
    /// [`Kernel::merged`]. The name of the file says which campaign it is of: many tests may share
    /// a folder.
    ///
    /// ```
    /// use warpsim::property::{Failure, Kernel, buffer, launch};
    ///
    /// let text = ".version 7.0 .target sm_70 .address_size 64
    ///     .visible .entry one(.param .u64 cells) {
    ///       .reg .u64 %a, %o; .reg .u32 %t; ld.param.u64 %a, [cells]; mov.u32 %t, %tid.x;
    ///       mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; st.global.u32 [%a], 1; ret;
    ///     }";
    /// let one = Kernel::from_ptx(text, "one")
    ///     .launch(launch().threads(1..=64))
    ///     .argument(buffer::<u32>().one_per_thread())
    ///     .cases(9);
    /// let folder = std::env::temp_dir().join(format!("warpsim-one-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// for number in 1..=3 {
    ///     one.clone().shard(number, 3, &folder)?.race_free()?;
    /// }
    /// assert_eq!(one.clone().merged(&folder).race_free()?, one.race_free()?);
    /// std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// There is no shard `number` of `of`.
    pub fn shard(self, number: u64, of: u64, folder: impl AsRef<Path>) -> Result<Kernel, Failure> {
        let shard = Shard::new(number, of).map_err(|error| Mistake::Shards(error.to_string()))?;
        Ok(Kernel { share: Share::Shard(shard, folder.as_ref().to_owned()), ..self })
    }

    /// Tries nothing. Instead it reports the results of the shards in a folder, as one run would
    /// have done. A case that failed there is tried and made small here.
    pub fn merged(self, folder: impl AsRef<Path>) -> Kernel {
        Kernel { share: Share::Merge(folder.as_ref().to_owned()), ..self }
    }

    /// As the environment asks: [`SHARD`] is `K/N` for a shard, or `merge`; [`FOLDER`] is the
    /// folder of the files. All cases, where neither is set.
    ///
    /// # Errors
    /// One of the two is set alone, or is none.
    pub fn shared_out(self) -> Result<Kernel, Failure> {
        let text = |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        match (text(SHARD), env::var_os(FOLDER)) {
            (None, None) => Ok(self),
            (Some(word), Some(folder)) => self.asked(&word, Path::new(&folder)),
            (Some(_), None) | (None, Some(_)) => {
                let why = format!("set both {SHARD} and {FOLDER}, or neither");
                Err(Mistake::Shards(why).into())
            }
        }
    }

    /// `K/N`, or `merge`.
    pub(super) fn asked(self, word: &str, folder: &Path) -> Result<Kernel, Failure> {
        if word == "merge" {
            return Ok(self.merged(folder));
        }
        let shard: Shard = word.parse().map_err(|error| Mistake::Shards(format!("{error}")))?;
        self.shard(shard.number(), shard.of(), folder)
    }
}

/// Tries a property on the cases that are this run's.
pub(super) fn search(kernel: &Kernel, property: Property<'_>) -> Result<Evidence, Failure> {
    match &kernel.share {
        Share::Whole => try_cases(kernel, property, 0..cases(kernel)),
        Share::Shard(shard, folder) => try_shard(kernel, property, *shard, folder),
        Share::Merge(folder) => merge(kernel, property, folder),
    }
}

/// What identifies the campaign.
fn campaign(kernel: &Kernel, property: Property<'_>) -> Result<Campaign, Mistake> {
    let texts = kernel.sources.named(&kernel.name).into_iter();
    let texts: Vec<String> = texts.map(|(_, text)| sha256(&text.text)).collect();
    let Kernel { inputs, structs, schedules, allowed, model, shared_init, profile, .. } = kernel;
    let allowed: Vec<&str> = allowed.iter().map(|code| code.name()).collect();
    let case = format!("{:?}", first_case(kernel, property)?);
    let machine = format!("{model:?} {shared_init:?} {profile:?} {}", kernel.max_steps);
    Ok(Campaign::new(KIND, cases(kernel).into())
        .with("property", property.name())
        .with("kernel", kernel.name.clone())
        .with("modules", texts)
        .with("seed", kernel.seed)
        .with("schedules", schedules.clone())
        .with("drawn schedules", kernel.drawn_schedules)
        .with("allowed", allowed)
        .with("machine", sha256(&machine))
        .with("inputs", sha256(&format!("{inputs:?} {structs:?}")))
        .with("first case", sha256(&case)))
}

/// What the names of the files of a campaign begin with.
fn beginning(campaign: &Campaign, property: Property<'_>) -> String {
    format!("{}-{:.16}-", property.name(), campaign.hash())
}

/// The cases of a shard. There are at most 2^32 cases.
fn cases_of(kernel: &Kernel, shard: Shard) -> Range<u32> {
    let Range { start, end } = shard.cases(cases(kernel).into());
    start as u32..end as u32
}

fn try_shard(
    kernel: &Kernel,
    property: Property<'_>,
    shard: Shard,
    folder: &Path,
) -> Result<Evidence, Failure> {
    let campaign = campaign(kernel, property)?;
    let tried = try_cases(kernel, property, cases_of(kernel, shard));
    let (evidence, failed) = match &tried {
        Ok(evidence) => (evidence.clone(), None),
        Err(Failure::Counterexample(found)) => {
            (Evidence::new(kernel, property), Some(found.number))
        }
        Err(Failure::Mistake(_)) => return tried,
    };
    let Evidence { cases, runs, warp_instructions, blocks, threads, .. } = evidence;
    let found = Found { cases, runs, warp_instructions, blocks, threads, failed };
    let beginning = beginning(&campaign, property);
    let path = folder.join(format!("{beginning}{}-of-{}.json", shard.number(), shard.of()));
    let written = ShardFile::new(&campaign, shard, &found).and_then(|file| file.write(&path));
    written.map_err(Mistake::from)?;
    tried
}

/// The files of a campaign in a folder.
fn files(folder: &Path, beginning: &str) -> Result<Vec<PathBuf>, Mistake> {
    let cannot = |error: std::io::Error| Mistake::File {
        path: folder.display().to_string(),
        reason: error.to_string(),
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if name.is_some_and(|name| name.starts_with(beginning) && name.ends_with(".json")) {
            files.push(path);
        }
    }
    Ok(files)
}

fn merge(kernel: &Kernel, property: Property<'_>, folder: &Path) -> Result<Evidence, Failure> {
    let campaign = campaign(kernel, property)?;
    let beginning = beginning(&campaign, property);
    let files = files(folder, &beginning)?;
    if files.is_empty() {
        let why = format!("there is no file {beginning}*.json in {}", folder.display());
        return Err(Mistake::Shards(why).into());
    }
    let gathered = gather::<Found>(KIND, &files).map_err(Mistake::from)?;
    let failed = gathered.results.iter().filter_map(|(_, found)| found.failed).min();
    if let Some(number) = failed {
        // It ends with the counterexample, or the shard was another one's.
        try_cases(kernel, property, number..number.saturating_add(1))?;
        let why = format!("case {number} failed in a shard, and does not fail here");
        return Err(Mistake::Shards(why).into());
    }
    let mut evidence = Evidence::new(kernel, property);
    for (shard, found) in gathered.results {
        if cases_of(kernel, shard).len() != found.cases as usize {
            let why = format!("shard {shard} says that it tried {} cases", found.cases);
            return Err(Mistake::Shards(why).into());
        }
        evidence.cases += found.cases;
        evidence.sizes(found.blocks, found.threads);
        evidence.runs += found.runs;
        evidence.warp_instructions += found.warp_instructions;
    }
    for schedule in schedules(kernel, 0..cases(kernel)) {
        evidence.schedule(&schedule);
    }
    Ok(evidence)
}
