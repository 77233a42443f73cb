//! Races on one object as one group, and the few places where synchronisation orders many of them.
//!
//! A place comes from the advice of one of the findings: synchronisation was added there, and that
//! finding was gone ([`Remedy`]). It counts for another finding of the group if it lies between
//! that one's two accesses, too, in the order of the PTX. This can be wrong where branches or loops
//! lie between. So the command that shows the places says that it has not tried them together.

use warpsim::passes::{Side, Synchronisation};
use warpsim::report::{Finding, Mend, Remedy, Site, SourcePosition};

/// Findings of one kind on one object.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The first of them.
    pub(crate) first: &'a Finding,
    /// The others, in their order.
    pub(crate) others: Vec<&'a Finding>,
}

/// A place for synchronisation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MendPlace<'a> {
    /// What to add.
    pub(crate) what: Synchronisation,
    /// The line of the PTX, and the side of it.
    pub(crate) ptx: (u32, Side),
    /// The line of the source, and the side of it, where such a place is between two statements.
    pub(crate) source: Option<(&'a SourcePosition, Side)>,
    /// How many findings of the group it orders that no place before it orders.
    pub(crate) orders: usize,
}

/// Findings as groups, each where its first finding is. Only accesses that conflict on an object
/// with a name are groups of several.
pub(crate) fn groups(findings: &[Finding]) -> Vec<Group<'_>> {
    let all = findings.iter().map(|finding| ((), finding));
    groups_within(all).into_iter().map(|((), group)| group).collect()
}

/// The same of findings in several places, such as kernels: only those in one place are together.
/// Each group comes with the place of its first finding.
pub(crate) fn groups_within<'a, P: PartialEq>(
    findings: impl IntoIterator<Item = (P, &'a Finding)>,
) -> Vec<(P, Group<'a>)> {
    let mut groups: Vec<(P, Group<'a>)> = Vec::new();
    for (place, finding) in findings {
        let known = groups
            .iter_mut()
            .find(|(known, group)| *known == place && is_alike(group.first, finding));
        match known {
            Some((_, group)) => group.others.push(finding),
            None => groups.push((place, Group { first: finding, others: Vec::new() })),
        }
    }
    groups
}

/// Each finding as a separate group.
pub(crate) fn each(findings: &[Finding]) -> Vec<Group<'_>> {
    findings.iter().map(|first| Group { first, others: Vec::new() }).collect()
}

fn is_alike(a: &Finding, b: &Finding) -> bool {
    let key = |finding: &Finding| (finding.severity, finding.code, finding.space);
    // Copies and acts of the host have no accesses that a line could name.
    let have_sites = !a.sites.is_empty() && !b.sites.is_empty();
    let is_one_object = a.object.is_some() && a.object == b.object;
    a.code.is_conflict() && have_sites && is_one_object && key(a) == key(b)
}

impl<'a> Group<'a> {
    /// All of them.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Few places that together order as many findings as the places of all advice: each time the
    /// one that orders the most of the rest.
    pub(crate) fn places(&self) -> Vec<MendPlace<'a>> {
        let mut rest: Vec<&Finding> = self.findings().filter(|f| span(f).is_some()).collect();
        let candidates: Vec<MendPlace<'_>> = rest.iter().filter_map(|f| place(f)).collect();
        let mut chosen = Vec::new();
        while !rest.is_empty() {
            let count = |place: &MendPlace<'_>| rest.iter().filter(|f| orders(place, f)).count();
            let best = candidates.iter().rev().max_by_key(|place| count(place));
            let Some(best) = best.filter(|best| count(best) > 0) else { break };
            let orders_now = count(best);
            rest.retain(|finding| !orders(best, finding));
            chosen.push(MendPlace { orders: orders_now, ..*best });
        }
        chosen.sort_by_key(|place| place.ptx);
        chosen
    }
}

/// The lines of the PTX between which a finding wants synchronisation: the first is before it.
fn span(finding: &Finding) -> Option<(u32, u32)> {
    place(finding)?;
    let [later, earlier] = finding.sites.as_slice() else { return None };
    let is_one_file = later.ptx_file == earlier.ptx_file;
    (is_one_file && earlier.ptx_line < later.ptx_line).then_some((earlier.ptx_line, later.ptx_line))
}

/// The lines of both accesses in a file of the source.
fn source_span(finding: &Finding, file: &str) -> Option<(u32, u32)> {
    let line = |site: &Site| {
        let own = site.source.as_ref()?.seen().own;
        (*own.file == *file).then_some(own.line)
    };
    let [later, earlier] = finding.sites.as_slice() else { return None };
    Some((line(earlier)?, line(later)?))
}

/// The one place of a finding's advice.
fn place(finding: &Finding) -> Option<MendPlace<'_>> {
    let Remedy { what, source, ptx, .. } = finding.remedy.as_ref()?;
    let ([ptx], [] | [_]) = (ptx.as_slice(), source.as_slice()) else { return None };
    let source = source.first().map(|(position, side)| (position, *side));
    Some(MendPlace { what: *what, ptx: *ptx, source, orders: 0 })
}

/// Whether synchronisation at a place lies between the accesses of a finding, and is enough.
fn orders(place: &MendPlace<'_>, finding: &Finding) -> bool {
    let Some((earlier, later)) = span(finding) else { return false };
    let is_inside = |(earlier, later): (u32, u32), line: u32, side: Side| match side {
        Side::Before => earlier < line && line <= later,
        Side::Behind => earlier <= line && line < later,
    };
    let is_between = is_inside((earlier, later), place.ptx.0, place.ptx.1)
        && match place.source {
            // A statement is added between lines, so both accesses may not be in one.
            Some((at, side)) => {
                source_span(finding, &at.file).is_some_and(|span| is_inside(span, at.line, side))
            }
            None => true,
        };
    let is_enough = match (place.what, finding.mend) {
        (Synchronisation::Block, Some(Mend::Warp | Mend::Block)) => true,
        (Synchronisation::Warp, Some(Mend::Warp)) => true,
        (Synchronisation::Warp, Some(Mend::Block)) => false,
        // A fence orders two threads through others, each pair in its own way.
        (Synchronisation::Fence, _) | (_, Some(Mend::Grid) | None) => false,
    };
    is_between && is_enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::race;

    /// A race between these lines of the PTX, gone with synchronisation before `line`.
    fn between(earlier: u32, later: u32, line: u32, what: Synchronisation) -> Finding {
        let mut finding = race();
        finding.sites[1].ptx_line = earlier;
        finding.sites[0].ptx_line = later;
        finding.mend = Some(match what {
            Synchronisation::Warp => Mend::Warp,
            Synchronisation::Block | Synchronisation::Fence => Mend::Block,
        });
        finding.remedy = Some(Remedy::new(what, Vec::new(), vec![(line, Side::Before)]));
        finding
    }

    fn lines(findings: &[Finding]) -> Vec<(u32, usize)> {
        let [group] = &groups(findings)[..] else { panic!("one group") };
        group.places().iter().map(|place| (place.ptx.0, place.orders)).collect()
    }

    #[test]
    fn one_place_orders_all_whose_accesses_lie_around_it() {
        use Synchronisation::{Block, Warp};
        // 30 lies in the first three, 50 in the last; 20 in the first alone.
        let findings = [
            between(10, 30, 20, Warp),
            between(25, 40, 30, Warp),
            between(10, 50, 30, Warp),
            between(40, 50, 50, Warp),
        ];
        assert_eq!(lines(&findings), [(30, 3), (50, 1)]);
        // What a warp waits for does not order warps; what a block waits for does order lanes.
        let findings = [between(10, 30, 20, Warp), between(10, 40, 15, Block)];
        assert_eq!(lines(&findings), [(15, 2)]);
        // In a loop the second comes before the first: no line is between them.
        assert_eq!(lines(&[between(30, 10, 5, Block), between(10, 20, 15, Block)]), [(15, 1)]);
    }

    #[test]
    fn a_place_between_lines_orders_nothing_within_a_line() {
        let at = |lines: [u32; 2], ptx: [u32; 2], is_between_lines: bool| {
            let mut finding = between(ptx[0], ptx[1], ptx[1], Synchronisation::Warp);
            for (site, line) in finding.sites.iter_mut().rev().zip(lines) {
                site.source.as_mut().unwrap().line = line;
            }
            let source = finding.sites[0].source.clone().unwrap();
            let source = is_between_lines.then_some((source, Side::Before));
            finding.remedy.as_mut().unwrap().source = source.into_iter().collect();
            finding
        };
        // Before line 15, which begins with the instruction of line 50 of the PTX.
        let above = at([14, 15], [40, 50], true);
        let inside = at([15, 15], [45, 50], false);
        assert_eq!(lines(&[above.clone(), at([13, 16], [30, 60], true)]), [(50, 2)]);
        // The place within line 15 orders both, the one before the line does not.
        let both = [above, inside];
        let [group] = &groups(&both)[..] else { panic!("one group") };
        let places = group.places();
        assert_eq!((places.len(), places[0].source, places[0].orders), (1, None, 2));
    }

    #[test]
    fn groups_are_of_one_kind_on_one_object() {
        let mut other = race();
        other.object = Some("sums".to_owned());
        let mut unnamed = race();
        unnamed.object = None;
        let findings = [race(), other, race(), unnamed.clone(), unnamed];
        let sizes: Vec<usize> =
            groups(&findings).iter().map(|group| group.findings().count()).collect();
        assert_eq!(sizes, [2, 1, 1, 1]);
        let mut copies = race();
        copies.sites.clear();
        assert_eq!(groups(&[copies.clone(), copies]).len(), 2);
    }

    #[test]
    fn findings_in_two_places_are_two_groups() {
        let all = [race(), race(), race()];
        let groups = groups_within(["scan", "sum", "scan"].into_iter().zip(&all));
        let sizes: Vec<_> = groups.iter().map(|(at, of)| (*at, of.findings().count())).collect();
        assert_eq!(sizes, [("scan", 2), ("sum", 1)]);
    }
}
