//! Findings of several launches as one list: findings at the same places become one.

use std::collections::BTreeMap;

use warpsim::report::{Code, Finding, Severity, Site};

/// The instruction and both lines of an access.
pub(crate) type Access = (String, u32, Option<String>, Option<(String, u32)>);

/// What and where. A note in one launch may be a warning in another.
pub(crate) type Place = (Severity, Code, Vec<Access>);

/// What a finding is and where; the same for findings that are one.
pub(crate) fn place(finding: &Finding) -> Place {
    let of = |site: &Site| {
        let source = site.source.as_ref().map(|s| (s.file.to_string(), s.line));
        (site.operation.clone(), site.ptx_line, site.ptx_file.clone(), source)
    };
    (finding.severity, finding.code, finding.sites.iter().map(of).collect())
}

/// The findings of all launches, in the order in which they first showed. Findings of a later
/// launch say so.
pub(crate) fn merged<'a>(launches: impl Iterator<Item = &'a [Finding]>) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let mut known: BTreeMap<Place, usize> = BTreeMap::new();
    for (findings, number) in launches.zip(1..) {
        for finding in findings {
            match known.get(&place(finding)).and_then(|index| all.get_mut(*index)) {
                Some(first) => first.count += finding.count,
                None => {
                    known.insert(place(finding), all.len());
                    let mut finding = finding.clone();
                    if number > 1 {
                        finding.notes.push(format!("first seen in launch {number}"));
                    }
                    all.push(finding);
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::race;

    #[test]
    fn a_note_of_one_launch_does_not_hide_the_warning_of_another() {
        let of = |severity| {
            let mut finding = race();
            finding.severity = severity;
            vec![finding]
        };
        let launches = [of(Severity::Note), of(Severity::Warning)];
        let all = merged(launches.iter().map(Vec::as_slice));
        assert!(all.iter().any(|finding| finding.severity == Severity::Warning), "{all:?}");
    }

    #[test]
    fn what_shows_at_the_same_places_in_two_launches_is_one_finding() {
        let elsewhere = {
            let mut finding = race();
            finding.sites[0].ptx_line += 1;
            finding
        };
        let launches = [vec![race()], vec![race(), elsewhere]];
        let all = merged(launches.iter().map(Vec::as_slice));
        assert_eq!(all.iter().map(|f| f.count).collect::<Vec<_>>(), [62, 31]);
        assert_eq!(all[0].notes, race().notes);
        assert_eq!(all[1].notes.last().unwrap(), "first seen in launch 2");
    }
}
