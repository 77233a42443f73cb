//! The confusion matrix over labelled kernels: the labels against the findings, by form.

use std::collections::BTreeMap;
use std::fmt;

use crate::labelled::{Checked, Expected};

/// What became of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// As labelled.
    Right,
    /// A fault is there, and something else was found.
    Other,
    /// A fault is there, and nothing was found.
    Missed,
    /// No fault is there, and something was found.
    FalseAlarm,
    /// There is no verdict: bad input, something unsupported, a bug in warpsim.
    Undecided,
}

impl Verdict {
    fn of(expected: &Expected, checked: &Checked) -> Verdict {
        match (expected.judge(checked), expected.is_fault()) {
            (Ok(()), _) => Verdict::Right,
            (Err(_), _) if checked.exit > 1 => Verdict::Undecided,
            (Err(_), false) => Verdict::FalseAlarm,
            (Err(_), true) if checked.codes.is_empty() => Verdict::Missed,
            (Err(_), true) => Verdict::Other,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Other => "other fault found",
            Verdict::Missed => "missed",
            Verdict::FalseAlarm => "false alarm",
            Verdict::Undecided => "no verdict",
        }
    }
}

/// The counts, and the names of all that are not as labelled.
///
/// ```
/// use warpsim_tests::confusion::Matrix;
/// use warpsim_tests::labelled::{Checked, Expected};
/// let mut matrix = Matrix::default();
/// matrix.add("o3", "copy good", &Expected::Clean, &Checked::new(0, []));
/// assert!(matrix.all_right());
/// ```
#[derive(Debug, Default)]
pub struct Matrix {
    counts: BTreeMap<(String, bool, Verdict), usize>,
    wrong: Vec<(Verdict, String)>,
}

impl Matrix {
    /// Counts a kernel of a form.
    pub fn add(&mut self, form: &str, name: &str, expected: &Expected, checked: &Checked) {
        let verdict = Verdict::of(expected, checked);
        *self.counts.entry((form.to_owned(), expected.is_fault(), verdict)).or_default() += 1;
        if let Err(why) = expected.judge(checked) {
            self.wrong.push((verdict, format!("{name} ({form}): {why}")));
        }
    }

    /// Whether no kernel was missed, and none accused.
    pub fn all_right(&self) -> bool {
        self.wrong.is_empty()
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = self.counts.keys().map(|(form, ..)| form);
        let forms = Vec::from_iter(std::collections::BTreeSet::from_iter(forms));
        for form in forms {
            let count = |fault, verdict| {
                self.counts.get(&(form.clone(), fault, verdict)).copied().unwrap_or_default()
            };
            writeln!(
                f,
                "{:<16}{:>8}{:>8}{:>8}{:>12}",
                form, "found", "other", "clean", "no verdict"
            )?;
            let found = [Verdict::Right, Verdict::Other, Verdict::Missed, Verdict::Undecided];
            let [right, other, missed, none] = found.map(|verdict| count(true, verdict));
            writeln!(f, "{:<16}{right:>8}{other:>8}{missed:>8}{none:>12}", "fault planted")?;
            let found = [Verdict::FalseAlarm, Verdict::Right, Verdict::Undecided];
            let [alarm, right, none] = found.map(|verdict| count(false, verdict));
            writeln!(f, "{:<16}{alarm:>8}{:>8}{right:>8}{none:>12}\n", "clean", "-")?;
        }
        let mut wrong = self.wrong.clone();
        wrong.sort();
        for (verdict, what) in wrong {
            writeln!(f, "{}: {what}", verdict.heading())?;
        }
        if self.all_right() { writeln!(f, "no miss, no false alarm") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race() -> Expected {
        Expected::AnyOf(vec![["race".to_owned()].into()])
    }

    fn checked(exit: u8, codes: &[&str]) -> Checked {
        Checked::new(exit, codes.iter().map(|code| ((*code).to_owned(), false)))
    }

    #[test]
    fn misses_and_false_alarms_are_counted_by_form_and_named() {
        let mut matrix = Matrix::default();
        matrix.add("naive", "a bad", &race(), &checked(1, &["race"]));
        matrix.add("naive", "a good", &Expected::Clean, &checked(0, &[]));
        assert!(matrix.all_right());
        assert!(matrix.to_string().ends_with("no miss, no false alarm\n"));
        matrix.add("o3", "a bad", &race(), &checked(0, &[]));
        matrix.add("o3", "b bad", &race(), &checked(1, &["livelock"]));
        matrix.add("o3", "a good", &Expected::Clean, &checked(1, &["race"]));
        matrix.add("o3", "c good", &Expected::Clean, &checked(3, &[]));
        assert!(!matrix.all_right());
        let expected = "\
naive              found   other   clean  no verdict
fault planted          1       0       0           0
clean                  0       -       1           0

o3                 found   other   clean  no verdict
fault planted          0       1       1           0
clean                  1       -       0           1

other fault found: b bad (o3): expected race, found livelock (exit code 1)
missed: a bad (o3): expected race, found nothing (exit code 0)
false alarm: a good (o3): expected clean, found race (exit code 1)
no verdict: c good (o3): expected clean, found nothing (exit code 3)
";
        assert_eq!(matrix.to_string(), expected);
    }
}
