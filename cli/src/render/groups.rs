//! The further findings of a group, in a line each, and the places that mend them together.

use warpsim::passes::{Side, Synchronisation};
use warpsim::report::{Finding, Site};

use super::findings::{position, ptx_file, short};
use crate::findings::{Group, MendPlace};

/// What follows the first finding of a group; nothing where it is the only one.
pub(super) fn lines(group: &Group<'_>, file: &str) -> Vec<String> {
    let Some(object) = group.first.object.as_ref().filter(|_| !group.others.is_empty()) else {
        return Vec::new();
    };
    let count = group.others.len();
    let kind = group.first.code.name();
    let mut lines = vec![format!("  = {count} more of `{kind}` on {}:", in_marks(object))];
    let rows: Vec<[String; 4]> =
        group.others.iter().map(|finding| row(group.first, finding, file)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [a, b, c] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let line = |[later, earlier, times, under]: &[String; 4]| {
        format!("      {later:a$}   {earlier:b$}   {times:>c$}   {under}").trim_end().to_owned()
    };
    lines.extend(rows.iter().map(line));
    lines.extend(mend(group, file));
    lines.push("  = --explain shows each of them in full".to_owned());
    lines
}

fn in_marks(object: &str) -> String {
    match object.contains('`') {
        true => object.to_owned(),
        false => format!("`{object}`"),
    }
}

/// Both accesses, how often, and the schedule where it is another one than the first finding's.
fn row(first: &Finding, finding: &Finding, file: &str) -> [String; 4] {
    let access = |(number, site): (usize, &Site)| {
        let place = match &site.source {
            Some(source) => position(source),
            None => format!("{}:{}", ptx_file(site, file), site.ptx_line),
        };
        format!("({number}) {} {place}", site.operation)
    };
    let mut sites = (1..=finding.sites.len()).rev().zip(&finding.sites).map(access);
    let later = sites.next().unwrap_or_default();
    let earlier = sites.next().unwrap_or_default();
    let times = match finding.count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    let under = match &finding.replay {
        Some(replay) if finding.replay != first.replay => format!("--schedule {replay}"),
        Some(_) | None => String::new(),
    };
    [later, earlier, times, under]
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
