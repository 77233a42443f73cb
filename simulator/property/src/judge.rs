//! The properties: the condition of each for a case, and its message when the case does not meet
//! it.

use super::case::Case;
use super::expected::{Expected, Mismatch};
use super::failure::Mistake;
use super::run::{Bench, Ran};
use crate::drawing::element::shown;
use crate::report::{Code, Finding, Outcome, Severity};

/// What an oracle is: from a launch and its data to what the kernel should leave.
pub(super) type Oracle<'a> = dyn Fn(&Case) -> Result<Expected, Mistake> + 'a;

/// The property that a kernel must have.
#[derive(Clone, Copy)]
pub(super) enum Property<'a> {
    RaceFree,
    Clean,
    Deterministic,
    Terminates,
    Matches(&'a Oracle<'a>),
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Wrong {
    /// A run ended, and this was found in it.
    Found(Vec<Finding>),
    /// A run did not end by the exit of every thread.
    Stopped {
        /// How it ended.
        outcome: Outcome,
        /// What stopped it.
        findings: Vec<Finding>,
    },
    /// Two schedules lead to different results.
    Differs(Difference),
    /// The result is not what the oracle says.
    Mismatch(Mismatch),
}

/// A cell that two schedules leave different.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The schedule that the other is compared with.
    pub first: String,
    /// The argument whose buffer it is in.
    pub argument: usize,
    /// The number of the cell.
    pub cell: usize,
    /// What it holds after the first schedule and after the other.
    pub values: [String; 2],
    /// How many cells of the buffer differ.
    pub count: usize,
}

/// What makes two things that are wrong the same: making a case smaller must not turn a race into
/// an access out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Found(Option<Code>),
    Stopped(Outcome, Option<Code>),
    Differs,
    Mismatch,
}

impl Wrong {
    pub(super) fn kind(&self) -> Kind {
        let code = |findings: &[Finding]| findings.first().map(|finding| finding.code);
        match self {
            Wrong::Found(findings) => Kind::Found(code(findings)),
            Wrong::Stopped { outcome, findings } => Kind::Stopped(*outcome, code(findings)),
            Wrong::Differs(_) => Kind::Differs,
            Wrong::Mismatch(_) => Kind::Mismatch,
        }
    }
}

/// The schedule that results are compared with.
pub(super) const REFERENCE: &str = "in-order";

impl Property<'_> {
    pub(super) fn name(self) -> &'static str {
        match self {
            Property::RaceFree => "race_free",
            Property::Clean => "clean",
            Property::Deterministic => "deterministic",
            Property::Terminates => "terminates",
            Property::Matches(_) => "matches",
        }
    }

    /// What it says of a kernel.
    pub(super) fn claim(self) -> &'static str {
        match self {
            Property::RaceFree => "there is no race and no unordered pair of accesses",
            Property::Clean => "there is no finding, error or warning",
            Property::Deterministic => "every schedule leads to the same result",
            Property::Terminates => "every thread exits",
            Property::Matches(_) => "the result is what the oracle says",
        }
    }

    /// Tries a case under a schedule. Returns the mistake, if there is one.
    pub(super) fn judge(
        self,
        bench: &mut Bench,
        case: &Case,
        schedule: &str,
        allowed: &[Code],
    ) -> Result<Option<Wrong>, Mistake> {
        let is_checked = matches!(self, Property::RaceFree | Property::Clean);
        let ran = bench.run(case, schedule, is_checked)?;
        let asked = |finding: &&Finding| !allowed.contains(&finding.code) && self.asks(finding);
        let mut findings: Vec<Finding> =
            ran.report.findings.iter().filter(asked).cloned().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        if !findings.is_empty() && is_checked {
            return Ok(Some(Wrong::Found(findings)));
        }
        if ran.report.outcome != Outcome::Completed {
            let outcome = ran.report.outcome;
            return Ok(Some(Wrong::Stopped { outcome, findings: ran.report.findings }));
        }
        Ok(match self {
            Property::RaceFree | Property::Clean | Property::Terminates => None,
            Property::Deterministic if schedule == REFERENCE => None,
            Property::Deterministic => {
                let reference = bench.run(case, REFERENCE, false)?;
                difference(&reference, &ran).map(Wrong::Differs)
            }
            Property::Matches(oracle) => {
                oracle(case)?.first_mismatch(case, &ran.buffers)?.map(Wrong::Mismatch)
            }
        })
    }

    /// Whether the property forbids a finding.
    fn asks(self, finding: &Finding) -> bool {
        let is_serious = finding.severity >= Severity::Warning;
        match self {
            Property::RaceFree => finding.code.is_conflict() && is_serious,
            Property::Clean
            | Property::Deterministic
            | Property::Terminates
            | Property::Matches(_) => is_serious,
        }
    }
}

/// The first cell in which two runs differ.
fn difference(first: &Ran, second: &Ran) -> Option<Difference> {
    let buffers = first.buffers.iter().zip(&second.buffers).enumerate();
    for (argument, (one, other)) in buffers {
        let (Some(one), Some(other)) = (one, other) else { continue };
        let cells = one.bits.iter().zip(&other.bits).enumerate();
        let mut differing = cells.filter(|(_, (one, other))| one != other);
        if let Some((cell, (a, b))) = differing.next() {
            return Some(Difference {
                first: REFERENCE.to_owned(),
                argument,
                cell,
                values: [shown(one.ty, *a), shown(one.ty, *b)],
                count: 1 + differing.count(),
            });
        }
    }
    None
}
