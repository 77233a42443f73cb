//! The further findings of a group, in a line each, and the places that mend them together.

use warpsim::internal;
use warpsim::internal::InternalError;
use warpsim::passes::{Side, Synchronisation};
use warpsim::report::{Finding, Site};

use super::findings::{position, ptx_file, short};
use crate::findings::{Group, MendPlace};

/// What follows the first finding of a group; nothing where it is the only one.
///
/// # Errors
/// A conflict in it does not have two accesses, which is a bug in warpsim.
pub(super) fn lines(group: &Group<'_>, file: &str) -> Result<Vec<String>, InternalError> {
    let Some(object) = group.first.object.as_ref().filter(|_| !group.others.is_empty()) else {
        return Ok(Vec::new());
    };
    let count = group.others.len();
    let kind = group.first.code.name();
    let mut lines = vec![format!("  = {count} more of `{kind}` on {}:", in_marks(object))];
    let rows = group.others.iter().map(|finding| row(group.first, finding, file));
    let rows = rows.collect::<Result<Vec<[String; 4]>, InternalError>>()?;
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [a, b, c] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let line = |[later, earlier, times, under]: &[String; 4]| {
        format!("      {later:a$}   {earlier:b$}   {times:>c$}   {under}").trim_end().to_owned()
    };
    lines.extend(rows.iter().map(line));
    lines.extend(mend(group, file));
    lines.push("  = --explain shows each of them in full".to_owned());
    Ok(lines)
}

fn in_marks(object: &str) -> String {
    match object.contains('`') {
        true => object.to_owned(),
        false => format!("`{object}`"),
    }
}

/// Both accesses, how often, and the schedule where it is another one than the first finding's.
fn row(first: &Finding, finding: &Finding, file: &str) -> Result<[String; 4], InternalError> {
    let access = |number: usize, site: &Site| {
        let place = match &site.source {
            Some(source) => position(source),
            None => format!("{}:{}", ptx_file(site, file), site.ptx_line),
        };
        format!("({number}) {} {place}", site.operation)
    };
    let [later, earlier] = finding.sites.as_slice() else {
        let (count, code) = (finding.sites.len(), finding.code);
        return Err(internal!("{count} accesses in a conflict of two: `{code}`"));
    };
    let times = match finding.count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    let under = match &finding.replay {
        Some(replay) if finding.replay != first.replay => format!("--schedule {replay}"),
        Some(_) | None => String::new(),
    };
    Ok([access(2, later), access(1, earlier), times, under])
}

/// Where synchronisation orders several findings of a group at once.
fn mend(group: &Group<'_>, file: &str) -> Option<String> {
    let places = group.places();
    let ordered: usize = places.iter().map(|place| place.orders).sum();
    if ordered <= places.len() {
        return None;
    }
    let of = |what: Synchronisation| {
        let places: Vec<String> =
            places.iter().filter(|p| p.what == what).map(|p| place(p, file)).collect();
        (!places.is_empty()).then(|| format!("{} {}", what.call(), places.join(", ")))
    };
    let all = [Synchronisation::Block, Synchronisation::Warp, Synchronisation::Fence];
    let words: Vec<String> = all.into_iter().filter_map(of).collect();
    let all = group.others.len() + 1;
    let which = if ordered == all { format!("all {all}") } else { format!("{ordered} of {all}") };
    Some(format!(
        "  = mend once: put {}, between the accesses of {which}; check again afterwards",
        words.join(", and ")
    ))
}

/// `before scan.cu:15`. A place within a line of the source has its line of the PTX.
fn place(place: &MendPlace<'_>, file: &str) -> String {
    match place.source {
        Some((at, side)) => format!("{} {}:{}", word(side), short(&at.file), at.line),
        None => format!("{} {file}:{}", word(place.ptx.1), place.ptx.0),
    }
}

fn word(side: Side) -> &'static str {
    match side {
        Side::Before => "before",
        Side::Behind => "after",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::groups;
    use crate::findings::samples::race;

    #[test]
    fn a_conflict_without_two_accesses_is_our_bug_and_is_not_shown_as_an_empty_place() {
        let mut other = race();
        let told = |findings: &[Finding]| lines(&groups(findings)[0], "scan.ptx");
        let shown = told(&[race(), other.clone()]).unwrap();
        assert!(shown[1].contains("(2) ld.shared.u32 scan.cu:15   (1) st.volatile.shared.u32 "));
        other.sites.truncate(1);
        let bug = told(&[race(), other]).unwrap_err();
        assert!(bug.to_string().contains("1 accesses in a conflict of two: `race`"), "{bug}");
    }
}
