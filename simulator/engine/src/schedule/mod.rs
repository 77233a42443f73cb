//! Who runs next: a small trait, and one small file for each strategy.
//!
//! The machine runs in *turns*. In a turn, lanes of one warp run through their next visible
//! operation: one that touches memory that others see, or that synchronises. A [`Schedule`] chooses
//! between turns. Within a turn there is no choice, because no thread could notice it.
//!
//! A run is a pure function of its inputs and its schedule. Every strategy is fair in the end: it
//! passes over no movable lane for ever.

mod adversarial;
mod asks;
mod copies;
mod counted;
mod draw;
mod error;
mod in_order;
mod pct;
mod places;
mod random;
mod replay;
mod reverse;
mod window;

pub use adversarial::{Adversarial, Direction};
pub use copies::Copies;
pub use counted::Counted;
pub use error::ScheduleError;
pub use in_order::InOrder;
pub use pct::{DEPTH, Pct};
pub use places::Places;
pub use random::Random;
pub use replay::{Part, Recorder, Replay};
pub use reverse::Reverse;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::lanes::{FULL, Mask};

/// The view of a launch in progress for schedules.
pub trait View {
    /// Warps of a block.
    fn warps(&self, block: u64) -> u32;

    /// The lanes of a warp that could move now. Under `lockstep` these are the lanes that the warp
    /// would move, under `independent` all that do not wait. None in a block that is not resident,
    /// or for a warp that the block does not have.
    fn ready(&self, block: u64, warp: u32) -> Mask;

    /// The first of these warps of a block with a lane that could move now.
    fn first_ready(&self, block: u64, mut warps: Range<u32>) -> Option<u32> {
        warps.find(|warp| self.ready(block, *warp) != 0)
    }

    /// The groups of converged lanes of a warp that could move now; in a block that has not
    /// started, all lanes.
    fn groups(&self, block: u64, warp: u32) -> Vec<Mask>;

    /// The lanes that only asked in the last turn of a warp whether a phase of an mbarrier object
    /// is complete, and all got a negative answer. None in a block that is not resident, or for a
    /// warp that the block does not have.
    fn asked_in_vain(&self, block: u64, warp: u32) -> Mask;

    /// The lanes of a warp that were found to spin at the end of the warp's last turn: others can
    /// notice none of their actions until a word changes that they have read. None if the schedule
    /// does not ask for this ([`Schedule::lets_spinning_wait`]), in a block that is not resident,
    /// or for a warp that the block does not have.
    fn spinning(&self, block: u64, warp: u32) -> Mask;

    /// The lanes of [`View::ready`] whose next visible operation is at none of these places,
    /// whichever way they go.
    fn free(&self, block: u64, warp: u32, places: &mut Places) -> Mask;

    /// Whether the lanes of a warp move as one.
    fn is_lockstep(&self) -> bool;

    /// The resident blocks, each once, in ascending order from the one after `block`, and around.
    fn resident_after(&self, block: Option<u64>) -> Box<dyn Iterator<Item = u64> + '_>;

    /// The first of them.
    fn next_resident(&self, block: Option<u64>) -> Option<u64> {
        self.resident_after(block).next()
    }
}

/// Chooses who moves. Its display is a short text that parses back to it.
pub trait Schedule: fmt::Debug + fmt::Display + Send {
    /// Chooses the next turn. `None` if nothing in `view` can move.
    fn next(&mut self, view: &dyn View) -> Option<Move>;

    /// Called once for each instruction that has begun asynchronous copies: whether they take
    /// effect at once. Otherwise they are as late as possible.
    fn copies_at_once(&mut self) -> bool;

    /// Whether it has not begun, and lets one block after the other run to its end, in ascending
    /// order of the resident ones, as [`InOrder`] does. Blocks that do not see each other may then
    /// run side by side.
    fn runs_block_after_block(&self) -> bool {
        false
    }

    /// Whether it lets others go first where lanes spin, and so needs [`View::spinning`].
    fn lets_spinning_wait(&self) -> bool {
        false
    }

    /// Whether from now on it gives turns to the warps of the block of its last choice in their
    /// order, all lanes together, as long as the same warps can move. Returns how many times more
    /// it would begin again with the first warp. `None` if it chooses otherwise.
    fn goes_round(&self) -> Option<u64> {
        None
    }

    /// Turns have been taken in that way, without asking the schedule: the last one by this warp,
    /// after this many new beginnings.
    fn went(&mut self, _warp: u32, _rounds: u64) {}

    /// A copy in the same state. ([`Clone`] of a boxed schedule calls this.)
    fn boxed(&self) -> Box<dyn Schedule>;

    /// A number that, with the state of the machine, decides all later choices as long as only the
    /// `resident` blocks take part. `None` if there is no such number, as with random choices. Then
    /// a repeated state does not prove an endless loop.
    fn recurrence(&self, resident: usize) -> Option<u64>;
}

/// A turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The block's linear number in the grid.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes.
    pub lanes: Choice,
}

/// The lanes of a warp that a turn moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Converged lanes together; in a diverged warp the part that is furthest behind, unless
    /// another has been passed over too often.
    Together,
    /// Only these, as far as they are ready and at one place with the lowest of them.
    Only(Mask),
}

impl Choice {
    /// The lanes that may move.
    pub fn mask(self) -> Mask {
        match self {
            Choice::Together => FULL,
            Choice::Only(mask) => mask,
        }
    }
}

impl Clone for Box<dyn Schedule> {
    fn clone(&self) -> Box<dyn Schedule> {
        self.boxed()
    }
}

/// Reads `in-order`, `reverse`, `adversarial`, `adversarial:back`, `random:SEED`, `pct:SEED`,
/// `pct:SEED:DEPTH`, `pct:SEED:DEPTH:TURNS`, or the text of a [`Replay`]. An `adversarial`,
/// `random` or `pct` may be followed by `@` and the [`Places`] where it splits warps.
///
/// ```
/// use warpsim::schedule::Schedule;
///
/// for text in ["random:42", "pct:42:5", "pct:42:5:1000@7,9-12", "adversarial:back@none", "random:7@none"] {
///     let schedule: Box<dyn Schedule> = text.parse()?;
///     assert_eq!(schedule.to_string(), text);
/// }
/// assert!("backwards".parse::<Box<dyn Schedule>>().is_err());
/// # Ok::<(), warpsim::schedule::ScheduleError>(())
/// ```
impl FromStr for Box<dyn Schedule> {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Box<dyn Schedule>, ScheduleError> {
        let seed = |text: &str| text.parse().map_err(|_| ScheduleError::BadSeed(text.to_owned()));
        Ok(match text {
            "in-order" => Box::new(InOrder::new()),
            "reverse" => Box::new(Reverse::new()),
            _ if text.starts_with(ADVERSARIAL) => {
                let (name, places) = places_of(text)?;
                let direction = match name {
                    ADVERSARIAL => Direction::Forward,
                    "adversarial:back" => Direction::Back,
                    _ => return Err(ScheduleError::Unknown(text.to_owned())),
                };
                let adversarial = Adversarial::new(direction);
                Box::new(match places {
                    Some(places) => adversarial.at(places),
                    None => adversarial,
                })
            }
            _ if text.starts_with(replay::PREFIX) => Box::new(text.parse::<Replay>()?),
            _ => match text.split_once(':') {
                Some(("random", number)) => {
                    let (number, places) = places_of(number)?;
                    let random = Random::new(seed(number)?);
                    Box::new(match places {
                        Some(places) => random.at(places),
                        None => random,
                    })
                }
                Some(("pct", numbers)) => {
                    let (numbers, places) = places_of(numbers)?;
                    let pct = pct(numbers)?;
                    Box::new(match places {
                        Some(places) => pct.at(places),
                        None => pct,
                    })
                }
                _ => return Err(ScheduleError::Unknown(text.to_owned())),
            },
        })
    }
}

/// The name of the adversarial schedules.
const ADVERSARIAL: &str = "adversarial";

/// The text before an `@`, and the places behind it.
fn places_of(text: &str) -> Result<(&str, Option<Places>), ScheduleError> {
    let Some((before, places)) = text.split_once('@') else { return Ok((text, None)) };
    let bad = || ScheduleError::BadPlaces(places.to_owned());
    Ok((before, Some(Places::parse(places).ok_or_else(bad)?)))
}

/// `SEED`, `SEED:DEPTH` or `SEED:DEPTH:TURNS`.
fn pct(numbers: &str) -> Result<Pct, ScheduleError> {
    let mut numbers = numbers.splitn(3, ':');
    let seed = numbers.next().unwrap_or_default();
    let seed: u64 = seed.parse().map_err(|_| ScheduleError::BadSeed(seed.to_owned()))?;
    let Some(depth) = numbers.next() else { return Ok(Pct::new(seed, DEPTH)) };
    let bad = || ScheduleError::BadDepth(depth.to_owned());
    let depth: u32 = depth.parse().map_err(|_| bad())?;
    if !(1..=pct::MOST).contains(&depth) {
        return Err(bad());
    }
    let Some(turns) = numbers.next() else { return Ok(Pct::new(seed, depth)) };
    match turns.parse() {
        Ok(turns) if turns > 0 => Ok(Pct::within(seed, depth, turns)),
        _ => Err(ScheduleError::BadTurns(turns.to_owned())),
    }
}
