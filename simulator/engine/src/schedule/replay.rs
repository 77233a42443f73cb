//! Replaying a recorded run, turn by turn.
//!
//! A recording prints as `1a:` and the deviations from `in-order`, in hexadecimal digits and
//! letters, run-length encoded; the first character is the version. It contains only who moved, so
//! it replays only against the same program, launch and inputs. A choice that cannot move is left
//! out, and after its end the run is `in-order`, so every recording is a schedule.
//!
//! `n` is this many turns in order; `k` sets the block, `w` the warp, `l` the lanes, `t` all lanes
//! together; `x` takes this many turns with these settings; `q` sets when asynchronous copies take
//! effect ([`Copies`]). In order means: as the default schedule goes on after its own last turn,
//! ignoring the other turns in between.

use std::fmt;
use std::str::FromStr;

use super::{Choice, Copies, InOrder, Move, Schedule, ScheduleError, View};

/// The beginning of every recording.
pub(super) const PREFIX: &str = "1a:";

/// A piece of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// This many turns chosen by the default schedule.
    InOrder(u64),
    /// This turn, this many times.
    Turns(Move, u64),
}

impl Part {
    /// The number of its turns.
    pub fn count(self) -> u64 {
        match self {
            Part::InOrder(count) | Part::Turns(_, count) => count,
        }
    }

    /// The same, for this many turns.
    pub fn times(self, count: u64) -> Part {
        match self {
            Part::InOrder(_) => Part::InOrder(count),
            Part::Turns(turn, _) => Part::Turns(turn, count),
        }
    }
}

/// A recorded sequence of turns.
#[derive(Clone, Debug)]
pub struct Replay {
    parts: Vec<Part>,
    copies: Copies,
    /// Copies decided so far.
    asked: u64,
    at: usize,
    done: u64,
    in_order: InOrder,
}

impl Replay {
    /// Replays these; asynchronous copies take effect at once.
    pub fn new(parts: Vec<Part>) -> Replay {
        let copies = Copies::default();
        Replay { parts, copies, asked: 0, at: 0, done: 0, in_order: InOrder::new() }
    }

    /// The same, with these times for asynchronous copies.
    #[must_use]
    pub fn with_copies(self, copies: Copies) -> Replay {
        Replay { copies, ..self }
    }

    /// When asynchronous copies take effect.
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// The recorded parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// Reads the printed form.
impl FromStr for Replay {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Replay, ScheduleError> {
        let bad = || ScheduleError::BadReplay(text.to_owned());
        let mut body = text.strip_prefix(PREFIX).ok_or_else(bad)?;
        let (mut parts, mut copies) = (Vec::new(), Copies::default());
        let (mut block, mut warp, mut lanes) = (0u64, 0u32, Choice::Together);
        while let Some(end) = body.find(|c: char| !c.is_ascii_hexdigit()) {
            let (digits, rest) = body.split_at(end);
            let mark = rest.chars().next().ok_or_else(bad)?;
            body = &rest[mark.len_utf8()..];
            let number = match digits {
                "" => 0,
                _ => u64::from_str_radix(digits, 16).map_err(|_| bad())?,
            };
            let small = || u32::try_from(number).map_err(|_| bad());
            match mark {
                'k' => block = number,
                'w' => warp = small()?,
                'l' => lanes = Choice::Only(small()?),
                't' => lanes = Choice::Together,
                'x' if number > 0 => parts.push(Part::Turns(Move { block, warp, lanes }, number)),
                'n' if number > 0 => parts.push(Part::InOrder(number)),
                'q' if number > 0 || copies.count() == 0 => copies.push_run(number),
                _ => return Err(bad()),
            }
        }
        if !body.is_empty() {
            return Err(bad());
        }
        Ok(Replay::new(parts).with_copies(copies))
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        let mut last = Move { block: 0, warp: 0, lanes: Choice::Together };
        for part in &self.parts {
            let (turn, count) = match part {
                Part::InOrder(count) => {
                    write!(f, "{count:x}n")?;
                    continue;
                }
                Part::Turns(turn, count) => (turn, count),
            };
            if turn.block != last.block {
                write!(f, "{:x}k", turn.block)?;
            }
            if turn.warp != last.warp {
                write!(f, "{:x}w", turn.warp)?;
            }
            match turn.lanes {
                lanes if lanes == last.lanes => {}
                Choice::Only(lanes) => write!(f, "{lanes:x}l")?,
                Choice::Together => f.write_str("t")?,
            }
            write!(f, "{count:x}x")?;
            last = *turn;
        }
        self.copies.fmt(f)
    }
}

impl Schedule for Replay {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        while let Some(part) = self.parts.get(self.at) {
            if self.done < part.count() {
                self.done += 1;
                match part {
                    Part::InOrder(_) => return self.in_order.next(view),
                    Part::Turns(turn, _) => {
                        if view.ready(turn.block, turn.warp) & turn.lanes.mask() != 0 {
                            return Some(*turn);
                        }
                    }
                }
            }
            self.at += 1;
            self.done = 0;
        }
        self.in_order.next(view)
    }

    fn copies_at_once(&mut self) -> bool {
        self.asked += 1;
        self.copies.answer(self.asked - 1)
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        // No state with copies still to begin repeats: each has its number.
        if self.at < self.parts.len() { None } else { self.in_order.recurrence(resident) }
    }
}

/// Records the choices of another schedule, as a [`Replay`].
#[derive(Debug)]
pub struct Recorder {
    inner: Box<dyn Schedule>,
    in_order: InOrder,
    parts: Vec<Part>,
    copies: Copies,
    /// The remaining turns of `inner`; `None` for all. After them everything is in order.
    left: Option<u64>,
}

impl Recorder {
    /// Records `inner`.
    pub fn new(inner: Box<dyn Schedule>) -> Recorder {
        let (in_order, parts, copies) = (InOrder::new(), Vec::new(), Copies::default());
        Recorder { inner, in_order, parts, copies, left: None }
    }

    /// Records `inner` for that many turns, and goes on in order. So a schedule of random choices
    /// reaches the point where a repeated state reveals an endless loop.
    pub fn leading(inner: Box<dyn Schedule>, turns: u64) -> Recorder {
        Recorder { left: Some(turns), ..Recorder::new(inner) }
    }

    /// Whether the turns of the schedule are used up, and it goes on in order.
    pub fn is_past(&self) -> bool {
        self.left == Some(0)
    }

    /// The choices so far.
    pub fn replay(&self) -> Replay {
        let mut parts = self.parts.clone();
        // After its end a replay is in order anyway.
        if let Some(Part::InOrder(_)) = parts.last() {
            parts.pop();
        }
        Replay::new(parts).with_copies(self.copies.clone())
    }

    fn record(&mut self, part: Part) {
        match (self.parts.last_mut(), part) {
            (Some(Part::InOrder(count)), Part::InOrder(more)) => *count += more,
            (Some(Part::Turns(last, count)), Part::Turns(turn, more)) if *last == turn => {
                *count += more;
            }
            _ => self.parts.push(part),
        }
    }
}

/// Whether two turns move the same lanes in the same way.
fn same_turn(view: &dyn View, a: Move, b: Move) -> bool {
    let all_of_one_group = |lanes: Choice| {
        let ready = view.ready(a.block, a.warp);
        lanes.mask() & ready == ready && view.groups(a.block, a.warp).len() == 1
    };
    (a.block, a.warp) == (b.block, b.warp)
        && (a.lanes == b.lanes || all_of_one_group(a.lanes) && all_of_one_group(b.lanes))
}

impl fmt::Display for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.replay().fmt(f)
    }
}

impl Schedule for Recorder {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        let mut in_order = self.in_order.clone();
        let default = in_order.next(view);
        let turn = if self.is_past() { default? } else { self.inner.next(view)? };
        self.left = self.left.map(|left| left.saturating_sub(1));
        match default {
            Some(default) if same_turn(view, default, turn) => {
                self.in_order = in_order;
                self.record(Part::InOrder(1));
            }
            _ => self.record(Part::Turns(turn, 1)),
        }
        Some(turn)
    }

    fn copies_at_once(&mut self) -> bool {
        let at_once = self.is_past() || self.inner.copies_at_once();
        self.copies.record(at_once);
        at_once
    }

    fn lets_spinning_wait(&self) -> bool {
        !self.is_past() && self.inner.lets_spinning_wait()
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(Recorder {
            inner: self.inner.clone(),
            in_order: self.in_order.clone(),
            parts: self.parts.clone(),
            copies: self.copies.clone(),
            left: self.left,
        })
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        match self.left {
            None => self.inner.recurrence(resident),
            Some(0) => self.in_order.recurrence(resident),
            Some(_) => None,
        }
    }
}
