//! Replaying a recorded run, turn by turn.
//!
//! A recording prints as `1a:` and the turns in hexadecimal digits and letters, run-length encoded;
//! the first character is the version. It says who moved, nothing else, so it replays only against
//! the same program, launch and inputs. When it does not fit (a choice cannot move) or has come to
//! its end, the rest of the run is `in-order`.

use super::{Choice, InOrder, Move, Schedule, ScheduleError, View};

/// What every recording begins with.
pub(super) const PREFIX: &str = "1a:";

/// A recorded sequence of turns.
#[derive(Clone, Debug)]
pub struct Replay {
    turns: Vec<(Move, u64)>,
    at: usize,
    done: u64,
    after: InOrder,
}

impl Replay {
    /// Replays these turns, each as often as its number says.
    pub fn new(turns: Vec<(Move, u64)>) -> Replay {
        Replay { turns, at: 0, done: 0, after: InOrder::new() }
    }

    /// Reads what [`Replay::text`] wrote.
    ///
    /// # Errors
    /// When the text is something else.
    pub fn from_text(text: &str) -> Result<Replay, ScheduleError> {
        let bad = || ScheduleError::BadReplay(text.to_owned());
        let body = text.strip_prefix(PREFIX).ok_or_else(bad)?;
        let mut turns: Vec<(Move, u64)> = Vec::new();
        let (mut block, mut warp, mut lanes) = (0u64, 0u32, Choice::Together);
        for part in body.split_inclusive(|c: char| c.is_ascii_lowercase() && !c.is_ascii_hexdigit())
        {
            let mark = part.chars().last().ok_or_else(bad)?;
            let digits = &part[..part.len() - mark.len_utf8()];
            let number = if digits.is_empty() {
                0
            } else {
                u64::from_str_radix(digits, 16).map_err(|_| bad())?
            };
            match mark {
                'k' => block = number,
                'w' => warp = u32::try_from(number).map_err(|_| bad())?,
                'l' => lanes = Choice::Only(u32::try_from(number).map_err(|_| bad())?),
                't' => lanes = Choice::Together,
                'x' if number > 0 => turns.push((Move { block, warp, lanes }, number)),
                _ => return Err(bad()),
            }
        }
        Ok(Replay::new(turns))
    }
}

impl Schedule for Replay {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        while let Some((turn, count)) = self.turns.get(self.at).copied() {
            if self.done < count {
                self.done += 1;
                if view.ready(turn.block, turn.warp) & turn.lanes.mask() != 0 {
                    return Some(turn);
                }
                self.at = self.turns.len();
                break;
            }
            self.at += 1;
            self.done = 0;
        }
        self.after.next(view)
    }

    /// `k` sets the block, `w` the warp, `l` the lanes, `t` lanes together; `x` takes that many
    /// turns.
    fn text(&self) -> String {
        let mut out = PREFIX.to_owned();
        let mut last = Move { block: 0, warp: 0, lanes: Choice::Together };
        for (turn, count) in &self.turns {
            if turn.block != last.block {
                out += &format!("{:x}k", turn.block);
            }
            if turn.warp != last.warp {
                out += &format!("{:x}w", turn.warp);
            }
            match turn.lanes {
                lanes if lanes == last.lanes => {}
                Choice::Only(lanes) => out += &format!("{lanes:x}l"),
                Choice::Together => out += "t",
            }
            out += &format!("{count:x}x");
            last = *turn;
        }
        out
    }

    fn copy(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        if self.at < self.turns.len() { None } else { self.after.recurrence(resident) }
    }
}

/// Records what another schedule chooses, as a [`Replay`].
#[derive(Debug)]
pub struct Recorder {
    inner: Box<dyn Schedule>,
    turns: Vec<(Move, u64)>,
}

impl Recorder {
    /// Records `inner`.
    pub fn new(inner: Box<dyn Schedule>) -> Recorder {
        Recorder { inner, turns: Vec::new() }
    }

    /// What was chosen so far.
    pub fn replay(&self) -> Replay {
        Replay::new(self.turns.clone())
    }
}

impl Schedule for Recorder {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        let turn = self.inner.next(view)?;
        match self.turns.last_mut() {
            Some((last, count)) if *last == turn => *count += 1,
            _ => self.turns.push((turn, 1)),
        }
        Some(turn)
    }

    fn text(&self) -> String {
        self.replay().text()
    }

    fn copy(&self) -> Box<dyn Schedule> {
        Box::new(Recorder { inner: self.inner.copy(), turns: self.turns.clone() })
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.inner.recurrence(resident)
    }
}
