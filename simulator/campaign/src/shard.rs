//! Which cases a shard does.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One of the parts that a campaign is cut into: `3/8` is the third of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: u64,
    of: u64,
}

/// A text or numbers that are no shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardError(String);

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a shard: use K/N with K from 1 to N, such as 3/8", self.0)
    }
}

impl std::error::Error for ShardError {}

impl Shard {
    /// Shard `number` of `of`, counted from 1.
    ///
    /// # Errors
    /// There is no such shard.
    pub fn new(number: u64, of: u64) -> Result<Shard, ShardError> {
        match number {
            1.. if number <= of => Ok(Shard { number, of }),
            _ => Err(ShardError(format!("{number}/{of}"))),
        }
    }

    /// All shards of this many, in order.
    pub fn all(of: u64) -> impl Iterator<Item = Shard> {
        (1..=of).map(move |number| Shard { number, of })
    }

    /// Its number, from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// How many shards there are.
    pub fn of(self) -> u64 {
        self.of
    }

    /// The numbers of the cases that it does, of this many in all. The ranges of all shards follow
    /// each other without a gap, and the longest has one case more than the shortest. With fewer
    /// cases than shards some are empty.
    ///
    /// ```
    /// use warpsim_campaign::Shard;
    ///
    /// let ranges: Vec<_> = Shard::all(3).map(|shard| shard.cases(10)).collect();
    /// assert_eq!(ranges, [0..3, 3..6, 6..10]);
    /// ```
    pub fn cases(self, all: u64) -> Range<u64> {
        // At most `all`, since `shards` is at most `of`.
        let before =
            |shards: u64| (u128::from(all) * u128::from(shards) / u128::from(self.of)) as u64;
        before(self.number - 1)..before(self.number)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// Reads `K/N`.
///
/// ```
/// use warpsim_campaign::Shard;
///
/// assert_eq!("3/8".parse::<Shard>()?.to_string(), "3/8");
/// assert!("0/8".parse::<Shard>().is_err() && "9/8".parse::<Shard>().is_err());
/// # Ok::<(), warpsim_campaign::ShardError>(())
/// ```
impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let bad = || ShardError(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(bad)?;
        let read = |digits: &str| match digits.bytes().all(|b| b.is_ascii_digit()) {
            true => digits.parse().map_err(|_| bad()),
            false => Err(bad()),
        };
        Shard::new(read(number)?, read(of)?).map_err(|_| bad())
    }
}
