//! Where recordings and the simulator differ, and the search for that on more than one machine: a
//! recording is a case.

use std::path::{Path, PathBuf};

use warpsim_campaign::{Campaign, CampaignError, Shard, ShardFile, gather, sha256};
use warpsim_gpu::recording::Recording;

use super::{Replayed, THOROUGH, name, replay};

/// The kind of campaign.
const KIND: &str = "recordings";

/// What differs in these recordings, a line for each run, in the form of the list, without reasons.
pub fn differences(root: &Path, recordings: &[(PathBuf, Recording)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (_, recording) in recordings {
        for run in &recording.runs {
            let replayed = replay(run, &root.join(&recording.module), THOROUGH);
            let replayed = replayed.unwrap_or_else(|error| Replayed {
                differences: vec![error],
                ..Replayed::default()
            });
            if let Some(first) = replayed.differences.first() {
                let racy = if run.racy { "several legal results; " } else { "" };
                let farthest = replayed.farthest.map_or(String::new(), |n| format!("{n} ulp; "));
                lines.push(format!("{}: {}: {racy}{farthest}{first}", recording.module, name(run)));
            }
        }
    }
    lines
}

/// Writes what differs in the recordings of a shard.
///
/// # Errors
/// A recording cannot be read again, or the file cannot be written.
pub fn write_differences(
    root: &Path,
    recordings: &[(PathBuf, Recording)],
    shard: Shard,
    file: &Path,
) -> Result<(), String> {
    let words = |error: CampaignError| error.to_string();
    let digest = |(path, recording): &(PathBuf, Recording)| {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(format!("{} {}", recording.module, sha256(&text)))
    };
    let digests = recordings.iter().map(digest).collect::<Result<Vec<String>, String>>()?;
    let campaign = Campaign::new(KIND, recordings.len() as u64)
        .with("recordings", sha256(&digests.join("\n")));
    let numbers = shard.cases(campaign.cases);
    let own = &recordings[numbers.start as usize..numbers.end as usize];
    let shard = ShardFile::new(&campaign, shard, &differences(root, own)).map_err(words)?;
    shard.write(file).map_err(words)
}

/// The lines of all shards.
///
/// # Errors
/// They are not all shards of one campaign, each once.
pub fn merged_differences(files: &[impl AsRef<Path>]) -> Result<Vec<String>, String> {
    let gathered = gather::<Vec<String>>(KIND, files).map_err(|error| error.to_string())?;
    Ok(gathered.results.into_iter().flat_map(|(_, lines)| lines).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_of_recordings_say_together_what_one_run_says() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let folder = tempfile::tempdir().unwrap();
        let mut all = Vec::new();
        // Small modules. For some of them, the recording is changed.
        for (number, path) in ["bits", "guards", "integers", "loops", "redux"].iter().enumerate() {
            let path = root.join(format!("tests/recordings/conformance/{path}.json"));
            let mut recording = Recording::read(&path).unwrap();
            recording.runs.truncate(2);
            if number % 2 == 0 {
                recording.runs.iter_mut().for_each(|run| run.buffers.clear());
            }
            all.push((path, recording));
        }
        let whole = differences(root, &all);
        assert!(!whole.is_empty());
        for of in [1, 2, 7] {
            let file = |shard: Shard| folder.path().join(format!("{of}-{}.json", shard.number()));
            let mut files: Vec<PathBuf> = Shard::all(of).map(file).collect();
            for shard in Shard::all(of) {
                write_differences(root, &all, shard, &file(shard)).unwrap();
            }
            files.reverse();
            assert_eq!(merged_differences(&files), Ok(whole.clone()));
            if of > 1 {
                let missing = merged_differences(&files[1..]).unwrap_err();
                assert!(missing.contains("there is no file of shard"), "{missing}");
            }
        }
    }
}
