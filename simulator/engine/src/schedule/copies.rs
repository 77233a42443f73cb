//! The part of a recording that says when asynchronous copies take effect: runs of answers.

use std::fmt;

/// For each instruction that begins asynchronous copies whether they take effect at once, in the
/// order of execution: so many do, then so many do not, and so on. After the end of the list all
/// do.
///
/// Prints as this many `q`, each with its number before it in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    runs: Vec<u64>,
}

impl Copies {
    /// All copies of a run, at once or late.
    pub fn all(at_once: bool) -> Copies {
        Copies { runs: if at_once { Vec::new() } else { vec![0, u64::MAX] } }
    }

    /// Whether all copies take effect at once.
    pub fn are_all_at_once(&self) -> bool {
        self.runs.len() < 2
    }

    /// Adds a run. The first is for copies that take effect at once, and may be empty.
    pub(super) fn push_run(&mut self, count: u64) {
        self.runs.push(count);
    }

    /// Adds an answer.
    pub(super) fn record(&mut self, at_once: bool) {
        if self.runs.is_empty() {
            self.runs.push(0);
        }
        if (self.runs.len() % 2 == 1) != at_once {
            self.runs.push(0);
        }
        if let Some(last) = self.runs.last_mut() {
            *last += 1;
        }
    }

    /// The answer after so many others. After the end of the list copies take effect at once.
    pub(super) fn answer(&self, number: u64) -> bool {
        let mut end = 0_u64;
        let past = self.runs.iter().position(|run| {
            end = end.saturating_add(*run);
            number < end
        });
        past.is_none_or(|run| run % 2 == 0)
    }

    /// The number of answers.
    pub(super) fn count(&self) -> u64 {
        self.runs.iter().sum()
    }
}

impl fmt::Display for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.are_all_at_once() {
            true => Ok(()),
            false => self.runs.iter().try_for_each(|run| write!(f, "{run:x}q")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back_as_they_were_recorded() {
        let answers = [false, false, true, false, true, true];
        let mut copies = Copies::default();
        answers.iter().for_each(|answer| copies.record(*answer));
        assert_eq!(copies.to_string(), "0q2q1q1q2q");
        let replayed: Vec<bool> = (0..6).map(|number| copies.answer(number)).collect();
        assert_eq!(replayed, answers);
        assert!(copies.answer(6));
    }

    #[test]
    fn copies_that_all_take_effect_at_once_print_as_nothing() {
        let mut copies = Copies::default();
        copies.record(true);
        assert_eq!((copies.to_string(), copies.are_all_at_once()), (String::new(), true));
    }
}
