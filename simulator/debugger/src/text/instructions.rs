//! Instructions and lanes in words.

use std::fmt::Write;

use warpsim::lower::Place;
use warpsim::observe::{Pending, Step, lane_list};
use warpsim::report::SourcePosition;

use crate::sources::short;

/// What a warp instruction did, with the stores that are still only in registers after it.
pub fn step_text(step: &Step) -> String {
    let mut text = step.to_string();
    for Pending { holder, lanes, .. } in &step.pending {
        text += &format!("  [not stored yet: {holder} of lanes {}]", lane_list(*lanes));
    }
    text
}

/// An instruction with its lines.
pub(super) fn at(place: &Place) -> String {
    let (line, text) = (place.line, &place.text);
    let file = place.file.as_ref().map(|file| format!("{file} ")).unwrap_or_default();
    match &place.source {
        Some(source) => format!("{} {text}  (PTX {file}line {line})", position(source)),
        None => format!("{file}line {line} {text}"),
    }
}

/// The instruction of a step with its line.
pub(super) fn short_at(step: &Step) -> String {
    match &step.source {
        Some(source) => format!("{}:{} {}", short(&source.file), source.line, step.text),
        None => format!("line {} {}", step.line, step.text),
    }
}

/// A line of the source, with the calls that it was inlined into.
fn position(source: &SourcePosition) -> String {
    let mut text = format!("{}:{}", short(&source.file), source.line);
    for call in &source.inlined_at {
        let _ = write!(text, " (inlined at {}:{})", short(&call.file), call.line);
    }
    text
}

/// Lanes in words.
pub(super) fn lanes_in_words(lanes: u32) -> String {
    match lane_list(lanes) {
        all if all == "all" => "all lanes".to_owned(),
        one if lanes.is_power_of_two() => format!("lane {one}"),
        several => format!("lanes {several}"),
    }
}
