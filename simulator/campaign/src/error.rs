//! Why files of shards cannot be merged, and the words for it.

use std::fmt;
use std::path::PathBuf;

use crate::shard::Shard;

/// Why files of shards do not come together.
#[derive(Debug)]
#[non_exhaustive]
pub enum CampaignError {
    /// No file was given.
    NoFiles,
    /// A file cannot be read.
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: warpsim_files::ReadError,
    },
    /// A file cannot be written.
    Write {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A result cannot be put into JSON: a mistake of those who made it.
    Unsayable(serde_json::Error),
    /// A file is no JSON: something else, or cut off.
    NoJson {
        /// Its path.
        path: PathBuf,
        /// The error, and its place.
        error: serde_json::Error,
    },
    /// A file is JSON and not of a shard, or lacks something.
    NoShard {
        /// Its path.
        path: PathBuf,
        /// The error.
        what: String,
    },
    /// A file is of a form that this version does not know.
    OtherSchema {
        /// Its path.
        path: PathBuf,
        /// The number of its form.
        found: u64,
    },
    /// A file is not what was written: its digest is another one.
    Damaged {
        /// Its path.
        path: PathBuf,
    },
    /// A file is of a campaign of another kind.
    OtherKind {
        /// Its path.
        path: PathBuf,
        /// The kind that was asked for.
        wanted: String,
        /// The kind that it is of.
        found: String,
    },
    /// A file is of another campaign than the first one.
    OtherCampaign {
        /// Its path.
        path: PathBuf,
        /// The first file.
        first: PathBuf,
        /// The difference: its name, and its value there and in the first file.
        what: [String; 3],
    },
    /// A file says that its shard did other cases than that shard does.
    OtherCases {
        /// Its path.
        path: PathBuf,
        /// The shard.
        shard: Shard,
        /// The cases that it says, the first and the one after the last.
        found: [u64; 2],
        /// The cases that the shard does.
        wanted: [u64; 2],
    },
    /// Shards that there are several files of.
    Duplicate {
        /// Each with its files.
        shards: Vec<(Shard, Vec<PathBuf>)>,
    },
    /// Shards that there is no file of.
    Missing {
        /// Their numbers, ascending.
        shards: Vec<u64>,
        /// How many shards the campaign has.
        of: u64,
    },
}

impl std::error::Error for CampaignError {}

/// Numbers in words, neighbours together: `2, 4 to 7`.
///
/// ```
/// assert_eq!(warpsim_campaign::listed(&[2, 4, 5, 6, 7]), "2, 4 to 7");
/// ```
pub fn listed(numbers: &[u64]) -> String {
    let follows = |a: &u64, b: &u64| a.checked_add(1) == Some(*b);
    let runs = numbers.chunk_by(follows).map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        one => one.iter().map(u64::to_string).collect(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CampaignError::NoFiles => f.write_str("no file of a shard was given"),
            CampaignError::Read { path, error } => {
                write!(f, "cannot read {}: {error}", path.display())
            }
            CampaignError::Write { path, error } => {
                write!(f, "cannot write {}: {error}", path.display())
            }
            CampaignError::Unsayable(error) => write!(f, "a result that JSON cannot say: {error}"),
            CampaignError::NoJson { path, error } => {
                let cut = if error.is_eof() { "it is cut off" } else { "it is not JSON" };
                write!(f, "{} is not a file of a shard: {cut} ({error})", path.display())
            }
            CampaignError::NoShard { path, what } => {
                write!(f, "{} is not a file of a shard: {what}", path.display())
            }
            CampaignError::OtherSchema { path, found } => write!(
                f,
                "{} is a shard's file of form {found}; this version reads form {}",
                path.display(),
                crate::SCHEMA
            ),
            CampaignError::Damaged { path } => {
                write!(f, "{} is damaged: its contents do not match its digest", path.display())
            }
            CampaignError::OtherKind { path, wanted, found } => {
                write!(f, "{} is a shard of `{found}`, not of `{wanted}`", path.display())
            }
            CampaignError::OtherCampaign { path, first, what: [name, there, here] } => write!(
                f,
                "{} belongs to another campaign than {}: {name} is {there}, not {here}",
                path.display(),
                first.display()
            ),
            CampaignError::OtherCases { path, shard, found, wanted } => {
                let cases = |[first, end]: &[u64; 2]| format!("{first} up to {end} (not included)");
                write!(
                    f,
                    "{} says that shard {shard} did the cases {}; it does {}",
                    path.display(),
                    cases(found),
                    cases(wanted)
                )
            }
            CampaignError::Duplicate { shards } => {
                f.write_str("there is more than one file of ")?;
                let one = |(shard, paths): &(Shard, Vec<PathBuf>)| {
                    let paths: Vec<String> =
                        paths.iter().map(|path| path.display().to_string()).collect();
                    format!("shard {shard} ({})", paths.join(", "))
                };
                f.write_str(&shards.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            CampaignError::Missing { shards, of } => {
                let plural = if shards.len() == 1 { "" } else { "s" };
                write!(f, "there is no file of shard{plural} {} of {of}", listed(shards))
            }
        }
    }
}
