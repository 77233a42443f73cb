//! How a launch ended on the simulator and on a GPU, and which ends are the same.
//!
//! | simulator | GPU |
//! |---|---|
//! | `completed` | `completed` |
//! | `finding` (out of bounds, misaligned, freed), `trap`, `fault` | `fault` |
//! | `deadlock`, `livelock`, `limit` | `hung` |
//!
//! A GPU knows pages, not buffers. It may complete a launch that the simulator stops at an access
//! outside every buffer. That is neither agreement nor a difference of meaning: the GPU did not
//! notice.

use warpsim::report::{Code, Outcome, Report};

/// What a launch's end is on any device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Every thread exited.
    Completed,
    /// The hardware stops at something.
    Faulted,
    /// It does not end, or its end was not awaited.
    Endless,
}

impl Kind {
    /// The kind of an outcome of either side.
    pub(crate) fn of(outcome: Outcome) -> Kind {
        match outcome {
            Outcome::Completed => Kind::Completed,
            Outcome::Finding | Outcome::Trap | Outcome::Fault => Kind::Faulted,
            Outcome::Deadlock | Outcome::Livelock | Outcome::Limit | Outcome::Hung => Kind::Endless,
        }
    }
}

/// Whether a GPU completes what the simulator stops at, as it may where an access goes outside of a
/// buffer and hits a page that is there.
pub(crate) fn is_unnoticed(ours: &Report, theirs: Outcome) -> bool {
    let unseen = |code| matches!(code, Code::OutOfBounds | Code::UseAfterFree);
    ours.outcome == Outcome::Finding
        && theirs == Outcome::Completed
        && ours.findings.iter().any(|finding| unseen(finding.code))
}

#[cfg(test)]
mod tests {
    use warpsim::report::{Counts, Finding, Severity};

    use super::*;

    #[test]
    fn every_way_to_stop_on_the_simulator_has_its_way_on_a_gpu() {
        for stopped in [Outcome::Finding, Outcome::Trap, Outcome::Fault] {
            assert_eq!(Kind::of(stopped), Kind::of(Outcome::Fault));
        }
        for endless in [Outcome::Deadlock, Outcome::Livelock, Outcome::Limit] {
            assert_eq!(Kind::of(endless), Kind::of(Outcome::Hung));
        }
        assert_ne!(Kind::of(Outcome::Fault), Kind::of(Outcome::Hung));
        assert_ne!(Kind::of(Outcome::Completed), Kind::of(Outcome::Fault));
    }

    #[test]
    fn a_gpu_may_miss_an_access_outside_a_buffer_but_no_misaligned_one() {
        let stopped_by = |code| {
            let findings = vec![Finding::new(Severity::Error, code, String::new())];
            Report::new(Outcome::Finding, Counts::default()).with_findings(findings)
        };
        assert!(is_unnoticed(&stopped_by(Code::OutOfBounds), Outcome::Completed));
        assert!(!is_unnoticed(&stopped_by(Code::OutOfBounds), Outcome::Fault));
        assert!(!is_unnoticed(&stopped_by(Code::Misaligned), Outcome::Completed));
    }
}
