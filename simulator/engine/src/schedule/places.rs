//! The places in a program where it matters who goes first, and their use in a schedule.
//!
//! Two operations conflict if they touch a common byte and one of them changes it. The order of two
//! operations without a conflict cannot be noticed. So a schedule that knows the lines where
//! threads conflict need not choose elsewhere: lanes that are before none of these lines are
//! *free*. Free lanes of a warp move together, and the warp goes on until it reaches such a line,
//! waits or ends. There the schedule chooses as usual, even lane by lane.
//!
//! This draws no fewer outcomes. Let a run be a sequence of operations. Two runs are equivalent
//! when one becomes the other by swapping neighbours of different threads that do not conflict
//! (Mazurkiewicz, "Trace theory", 1986). Equivalent runs end alike. Take any run, and its
//! operations at the lines, in their order. A schedule that knows the lines can draw exactly this
//! order, since it has every choice at each of them. The rest of its run conflicts only with
//! operations that barriers order anyway, so swapping leads from one run to the other. Only the
//! choice between equivalent runs is lost.
//!
//! This requires that the lines are all lines where threads conflict under *any* schedule. The
//! caller who names them must ensure that (`warpsim explore` does, and names none where it is not
//! sure). With incomplete lines, fewer orders are drawn, but none that could not happen.
//!
//! Places are lines, not operations, so that a schedule's text is readable, and valid as long as
//! the text of the program. They mean all instructions of a line, and also lines of that number in
//! linked files. That is more than needed, and costs only time.

use std::fmt;
use std::sync::Arc;

use crate::lower::{Operation, Pc, Program, Transfer};

/// Lines where it matters who goes first.
///
/// ```
/// use warpsim_engine::schedule::Places;
///
/// assert_eq!(Places::new([14, 12, 13, 40]).to_string(), "12-14,40");
/// assert_eq!(Places::parse("12-14,40"), Some(Places::new([12, 13, 14, 40])));
/// assert_eq!(Places::new([]).to_string(), "none");
/// ```
#[derive(Debug, Default)]
pub struct Places {
    /// In ascending order, each once, as first and last of consecutive ones.
    lines: Vec<(u32, u32)>,
    /// For each operation, whether the next visible one from there may be at one of the lines.
    ahead: Option<(Arc<Program>, Vec<bool>)>,
}

/// The facts about a program are not copied: a copy may run another one.
impl Clone for Places {
    fn clone(&self) -> Places {
        Places { lines: self.lines.clone(), ahead: None }
    }
}

/// The same lines.
impl PartialEq for Places {
    fn eq(&self, other: &Places) -> bool {
        self.lines == other.lines
    }
}

impl Eq for Places {}

impl Places {
    /// These lines of the PTX text, counted from 1.
    pub fn new(lines: impl IntoIterator<Item = u32>) -> Places {
        let mut lines: Vec<u32> = lines.into_iter().collect();
        lines.sort_unstable();
        lines.dedup();
        let mut rows: Vec<(u32, u32)> = Vec::new();
        for line in lines {
            match rows.last_mut() {
                Some((_, last)) if *last + 1 == line => *last = line,
                Some(_) | None => rows.push((line, line)),
            }
        }
        Places { lines: rows, ahead: None }
    }

    /// Reads the printed form.
    pub fn parse(text: &str) -> Option<Places> {
        if text == NONE {
            return Some(Places::default());
        }
        let row = |row: &str| {
            let (first, last) = row.split_once('-').unwrap_or((row, row));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then_some((first, last))
        };
        let lines: Vec<(u32, u32)> = text.split(',').map(row).collect::<Option<_>>()?;
        let is_sorted = lines.windows(2).all(|rows| rows[0].1.saturating_add(1) < rows[1].0);
        is_sorted.then_some(Places { lines, ahead: None })
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether the next visible operation may be at one of the lines, for a thread about to execute
    /// the operation at `pc`.
    #[inline]
    pub fn may_come(&mut self, program: &Arc<Program>, pc: Pc) -> bool {
        match &self.ahead {
            Some((known, ahead)) if Arc::ptr_eq(known, program) => {
                ahead.get(pc as usize) == Some(&true)
            }
            Some(_) | None => {
                let ahead = self.looked_ahead(program);
                let may = ahead.get(pc as usize) == Some(&true);
                self.ahead = Some((Arc::clone(program), ahead));
                may
            }
        }
    }

    fn contains(&self, line: u32) -> bool {
        let after = self.lines.partition_point(|(first, _)| *first <= line);
        after.checked_sub(1).is_some_and(|row| line <= self.lines[row].1)
    }

    /// [`Places::may_come`] for each operation: backwards from the lines, until nothing changes.
    #[inline(never)]
    fn looked_ahead(&self, program: &Program) -> Vec<bool> {
        let mut ahead: Vec<bool> = vec![false; program.operations.len()];
        loop {
            let mut changed = false;
            for (pc, operation) in program.operations.iter().enumerate().rev() {
                let comes = match comes(operation, program) {
                    Comes::Visible => self.contains(program.places[pc].line),
                    Comes::Anything => true,
                    Comes::On => {
                        let after = operation.after();
                        let mut next = after.targets.iter().map(|target| *target as usize);
                        next.any(|at| ahead.get(at) == Some(&true))
                            || after.next && ahead.get(pc + 1) == Some(&true)
                    }
                };
                changed |= comes != ahead[pc];
                ahead[pc] = comes;
            }
            if !changed {
                return ahead;
            }
        }
    }
}

/// The printed form without lines.
const NONE: &str = "none";

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str(NONE);
        }
        for (number, (first, last)) in self.lines.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// The role of an operation in the search for the next visible one.
enum Comes {
    /// Others can notice it.
    Visible,
    /// It goes on in this function, or ends.
    On,
    /// It goes on elsewhere.
    Anything,
}

fn comes(operation: &Operation, program: &Program) -> Comes {
    if operation.visible {
        return Comes::Visible;
    }
    match operation.kind.effect().transfer() {
        Some(Transfer::Call(_)) => Comes::Anything,
        // Back to any caller; from the kernel, nowhere.
        Some(Transfer::Return) if program.functions.len() > 1 => Comes::Anything,
        Some(Transfer::Return) | None => Comes::On,
    }
}
