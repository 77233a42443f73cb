//! The files of all shards as one campaign.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::error::CampaignError;
use crate::file::{Campaign, ShardFile};
use crate::shard::Shard;

/// All shards of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Gathered<T> {
    /// The campaign.
    pub campaign: Campaign,
    /// What each shard found, in the order of the cases. It is never empty.
    pub results: Vec<(Shard, T)>,
}

/// Reads the files of a campaign of a kind, in any order.
///
/// # Errors
/// A file is none of a shard, or damaged; shards are missing, there twice, or of different
/// campaigns.
pub fn gather<T: DeserializeOwned>(
    kind: &str,
    paths: &[impl AsRef<Path>],
) -> Result<Gathered<T>, CampaignError> {
    let mut first: Option<(PathBuf, ShardFile)> = None;
    let mut found: BTreeMap<Shard, (Vec<PathBuf>, T)> = BTreeMap::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let file = ShardFile::read(path)?;
        if file.campaign.kind != kind {
            let (wanted, found) = (kind.to_owned(), file.campaign.kind);
            return Err(CampaignError::OtherKind { path: path.to_owned(), wanted, found });
        }
        let (first_path, first) = first.get_or_insert_with(|| (path.to_owned(), file.clone()));
        if let Some(what) = difference(first, &file) {
            let (path, first) = (path.to_owned(), first_path.clone());
            return Err(CampaignError::OtherCampaign { path, first, what });
        }
        match found.get_mut(&file.shard) {
            Some((paths, _)) => paths.push(path.to_owned()),
            None => {
                let result = serde_json::from_value(file.result).map_err(|error| {
                    CampaignError::NoShard { path: path.to_owned(), what: error.to_string() }
                })?;
                found.insert(file.shard, (vec![path.to_owned()], result));
            }
        }
    }
    let Some((_, first)) = first else { return Err(CampaignError::NoFiles) };
    complete(first, found)
}

/// In what a file is of another campaign, or of one that was cut otherwise.
fn difference(first: &ShardFile, file: &ShardFile) -> Option<[String; 3]> {
    first.campaign.difference(&file.campaign).or_else(|| {
        let [there, here] = [file, first].map(|file| file.shard.of());
        let name = "the number of shards".to_owned();
        (there != here).then(|| [name, there.to_string(), here.to_string()])
    })
}

/// Each shard once.
fn complete<T>(
    first: ShardFile,
    found: BTreeMap<Shard, (Vec<PathBuf>, T)>,
) -> Result<Gathered<T>, CampaignError> {
    let twice = found.iter().filter(|(_, (paths, _))| paths.len() > 1);
    let shards: Vec<(Shard, Vec<PathBuf>)> =
        twice.map(|(shard, (paths, _))| (*shard, paths.clone())).collect();
    if !shards.is_empty() {
        return Err(CampaignError::Duplicate { shards });
    }
    let of = first.shard.of();
    let is_missing = |shard: &Shard| !found.contains_key(shard);
    let shards: Vec<u64> = Shard::all(of).filter(is_missing).map(Shard::number).collect();
    if !shards.is_empty() {
        return Err(CampaignError::Missing { shards, of });
    }
    let results = found.into_iter().map(|(shard, (_, result))| (shard, result)).collect();
    Ok(Gathered { campaign: first.campaign, results })
}
