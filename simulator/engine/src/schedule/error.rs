//! Why a text is no schedule.

use std::fmt;

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScheduleError {
    /// No strategy has this name.
    Unknown(String),
    /// The seed is no number.
    BadSeed(String),
    /// The depth is no valid number.
    BadDepth(String),
    /// The length of the run is no number of turns.
    BadTurns(String),
    /// The places are no lines.
    BadPlaces(String),
    /// It begins like a recording but is none.
    BadReplay(String),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Unknown(text) => write!(
                f,
                "`{text}` is not a schedule: use in-order, reverse, adversarial, random:SEED, \
                 pct:SEED or a recorded schedule"
            ),
            ScheduleError::BadSeed(text) => {
                write!(f, "`{text}` is not a seed: use a whole number, as in random:42")
            }
            ScheduleError::BadDepth(text) => {
                write!(f, "`{text}` is not a depth: use 1 to 1000, as in pct:42:3")
            }
            ScheduleError::BadTurns(text) => {
                write!(f, "`{text}` is not a number of turns: use 1 or more, as in pct:42:3:1000")
            }
            ScheduleError::BadPlaces(text) => {
                write!(
                    f,
                    "`{text}` is not a list of lines: give them in ascending order, as in \
                     random:42@12-14,40, or random:42@none"
                )
            }
            ScheduleError::BadReplay(text) => {
                write!(f, "`{text}` is not a recorded schedule: it is cut short or was changed")
            }
        }
    }
}

impl std::error::Error for ScheduleError {}
