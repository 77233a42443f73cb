//! A campaign of many cases, cut into shards that machines do independently: the cases of each
//! shard, the file that it leaves, and the merge of all files, as if it had been one run.
//!
//! Nothing here knows what a case is. A campaign has a number of cases, numbered from 0, and facts
//! that define them: a module, arguments, a seed. Shard K of N does a range of cases that depends
//! on K, N and the number of cases alone ([`Shard::cases`]). So no machine has to distribute work,
//! and doing a shard again changes nothing.
//!
//! A shard's results are written with the campaign's identity and with a digest of the whole
//! ([`ShardFile`]). [`gather`] takes the files of all shards in any order. It refuses what would
//! give another result than one run: a shard that is missing or there twice, one of another
//! campaign, a file that is cut off or damaged.
//!
//! It can be wrong in one direction: it accepts a forged file with a digest that fits.
//!
//! ```
//! use warpsim_campaign::{Campaign, Shard, ShardFile};
//!
//! let campaign = Campaign::new("squares", 10).with("power", 2);
//! let folder = std::env::temp_dir().join(format!("warpsim-campaign-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let mut paths = Vec::new();
//! for shard in Shard::all(3) {
//!     let sum: u64 = shard.cases(campaign.cases).map(|case| case * case).sum();
//!     let path = folder.join(format!("{}.json", shard.number()));
//!     ShardFile::new(&campaign, shard, &sum)?.write(&path)?;
//!     paths.push(path);
//! }
//! let all = warpsim_campaign::gather::<u64>("squares", &paths)?;
//! assert_eq!(all.campaign, campaign);
//! assert_eq!(all.results.iter().map(|(_, sum)| sum).sum::<u64>(), 285);
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod file;
mod gather;
mod shard;
#[cfg(test)]
mod tests;

pub use error::{CampaignError, listed};
pub use file::{Campaign, SCHEMA, ShardFile, sha256};
pub use gather::{Gathered, gather};
pub use shard::{Shard, ShardError};
