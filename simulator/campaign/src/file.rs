//! The file of a shard: the campaign, the shard, its cases, their results, and a digest of it all.
//!
//! ```json
//! {"schema": 1, "kind": "explore", "warpsim": "0.1.0",
//!  "campaign": {"hash": "...", "cases": 1000, "facts": {"seed": 0}},
//!  "shard": {"number": 3, "of": 8, "first": 250, "end": 375}, "result": {}, "sha256": "..."}
//! ```
//!
//! The digest covers the document without it, written without spaces. Numbers are integers of 64
//! bits: floats would have to survive being read and written.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::error::CampaignError;
use crate::shard::Shard;

/// The number of the form of a file.
pub const SCHEMA: u64 = 1;

/// The most bytes of a file that are read: a million schedules that all end differently make 1.5
/// GB.
const LONGEST: u64 = 1 << 32;

/// The version of warpsim, which is part of what a campaign is: another one may find something
/// else.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The work of a campaign, without the shard that does it.
#[derive(Clone, Debug, PartialEq)]
pub struct Campaign {
    /// What a case is: `explore`, `property`.
    pub kind: String,
    /// The version of warpsim.
    pub warpsim: String,
    /// How many cases there are.
    pub cases: u64,
    /// What else identifies it, by name, in the order in which it is compared.
    pub facts: Map<String, Value>,
}

impl Campaign {
    /// A campaign of this version, without facts.
    pub fn new(kind: &str, cases: u64) -> Campaign {
        let (kind, warpsim) = (kind.to_owned(), VERSION.to_owned());
        Campaign { kind, warpsim, cases, facts: Map::new() }
    }

    /// The same with one more fact.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Campaign {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// A fact.
    pub fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }

    /// Its identity: the digest of all that identifies it, as 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        sha256(&json!([self.kind, self.warpsim, self.cases, self.facts]).to_string())
    }

    /// The first thing in which another campaign is different: its name, there and here.
    pub fn difference(&self, other: &Campaign) -> Option<[String; 3]> {
        let head = |campaign: &Campaign| {
            [
                ("the kind".to_owned(), Value::from(campaign.kind.clone())),
                ("the version of warpsim".to_owned(), Value::from(campaign.warpsim.clone())),
                ("the number of cases".to_owned(), Value::from(campaign.cases)),
            ]
        };
        let all = |campaign: &Campaign| -> Map<String, Value> {
            head(campaign).into_iter().chain(campaign.facts.clone()).collect()
        };
        let (ours, theirs) = (all(self), all(other));
        let text = |value: Option<&Value>| value.map_or("(absent)".to_owned(), Value::to_string);
        let names = ours.keys().chain(theirs.keys());
        let mut different = names.filter(|name| ours.get(*name) != theirs.get(*name));
        let name = different.next()?;
        Some([name.clone(), text(theirs.get(name)), text(ours.get(name))])
    }
}

/// The SHA-256 of a text, as 64 hexadecimal digits. It identifies a module among the facts of a
/// campaign.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CampaignRow {
    hash: String,
    cases: u64,
    facts: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardRow {
    number: u64,
    of: u64,
    first: u64,
    end: u64,
}

/// The document without its digest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u64,
    kind: String,
    warpsim: String,
    campaign: CampaignRow,
    shard: ShardRow,
    result: Value,
}

/// What a shard found, with which campaign it is of. Which cases were done is a function of both.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardFile {
    /// The campaign.
    pub campaign: Campaign,
    /// The shard.
    pub shard: Shard,
    /// What came of its cases.
    pub result: Value,
}

impl ShardFile {
    /// What a shard found.
    ///
    /// # Errors
    /// JSON cannot say it.
    pub fn new(
        campaign: &Campaign,
        shard: Shard,
        result: &impl Serialize,
    ) -> Result<ShardFile, CampaignError> {
        let result = serde_json::to_value(result).map_err(CampaignError::Unsayable)?;
        Ok(ShardFile { campaign: campaign.clone(), shard, result })
    }

    /// As text, with its digest.
    pub fn text(&self) -> Result<String, CampaignError> {
        let Campaign { kind, warpsim, cases, facts } = self.campaign.clone();
        let range = self.shard.cases(cases);
        let document = Document {
            schema: SCHEMA,
            kind,
            warpsim,
            campaign: CampaignRow { hash: self.campaign.hash(), cases, facts },
            shard: ShardRow {
                number: self.shard.number(),
                of: self.shard.of(),
                first: range.start,
                end: range.end,
            },
            result: self.result.clone(),
        };
        let text = serde_json::to_string(&document).map_err(CampaignError::Unsayable)?;
        let body = text.strip_suffix('}').unwrap_or(&text);
        Ok(format!("{body},\"sha256\":\"{}\"}}\n", sha256(&text)))
    }

    /// Writes it: all of it, or nothing, so that one who is stopped leaves no part of a file. A
    /// device or a pipe is written to.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), CampaignError> {
        let text = self.text()?;
        warpsim_files::write(path, |to| to.write_all(text.as_bytes()))
            .map_err(|error| CampaignError::Write { path: path.to_owned(), error })
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// The file is none of a shard, is cut off, or damaged.
    pub fn read(path: &Path) -> Result<ShardFile, CampaignError> {
        let text = warpsim_files::read(path, LONGEST)
            .map_err(|error| CampaignError::Read { path: path.to_owned(), error })?;
        ShardFile::parse(&text, path)
    }

    /// The same from the contents of a file of this name.
    ///
    /// # Errors
    /// As [`ShardFile::read`].
    pub fn parse(text: &[u8], path: &Path) -> Result<ShardFile, CampaignError> {
        let no_shard = |what: String| CampaignError::NoShard { path: path.to_owned(), what };
        let value: Value = serde_json::from_slice(text)
            .map_err(|error| CampaignError::NoJson { path: path.to_owned(), error })?;
        let Value::Object(mut fields) = value else {
            return Err(no_shard("it does not hold an object".to_owned()));
        };
        match fields.get("schema").and_then(Value::as_u64) {
            Some(SCHEMA) => {}
            Some(found) => {
                return Err(CampaignError::OtherSchema { path: path.to_owned(), found });
            }
            None => return Err(no_shard("it does not say its `schema`".to_owned())),
        }
        // The order of the fields that are left is part of the digest.
        let Some(said) = fields.shift_remove("sha256") else {
            return Err(no_shard("it has no `sha256`".to_owned()));
        };
        let body = Value::Object(fields);
        if said.as_str() != Some(&sha256(&body.to_string())) {
            return Err(CampaignError::Damaged { path: path.to_owned() });
        }
        let document: Document =
            serde_json::from_value(body).map_err(|error| no_shard(error.to_string()))?;
        document.checked(path)
    }
}

impl Document {
    /// What it says, if that fits together.
    fn checked(self, path: &Path) -> Result<ShardFile, CampaignError> {
        let no_shard = |what: String| CampaignError::NoShard { path: path.to_owned(), what };
        let Document { kind, warpsim, campaign: CampaignRow { hash, cases, facts }, .. } = self;
        let campaign = Campaign { kind, warpsim, cases, facts };
        if campaign.hash() != hash {
            return Err(no_shard("its campaign does not match its hash".to_owned()));
        }
        let ShardRow { number, of, first, end } = self.shard;
        let shard = Shard::new(number, of).map_err(|error| no_shard(error.to_string()))?;
        let wanted = shard.cases(cases);
        if (first, end) != (wanted.start, wanted.end) {
            return Err(CampaignError::OtherCases {
                path: path.to_owned(),
                shard,
                found: [first, end],
                wanted: [wanted.start, wanted.end],
            });
        }
        Ok(ShardFile { campaign, shard, result: self.result })
    }
}
