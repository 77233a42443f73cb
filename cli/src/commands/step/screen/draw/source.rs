//! The source or the PTX around a line, with the lanes of the warp behind the lines.
//!
//! `->` marks the line of the thread in focus, `>` the cursor, `*` a breakpoint. Lanes are 32
//! characters, lane 0 first. The lines follow the cursor.

use ratatui::style::{Modifier, Style};
use warpsim_debugger::{Listing, mask_text};

use super::super::state::Screen;
use super::{Pane, cut, expanded};

/// Columns of the lanes.
const LANES_WIDTH: usize = 32;
/// Columns before the text: marks and the number.
const GUTTER: u16 = 8;

pub(super) fn draw(screen: &Screen<'_>, pane: &mut Pane<'_>) {
    let paint = screen.paint;
    let focus = screen.view.focus;
    let Some(listing) = &screen.view.listing else {
        pane.header("text", "the program has no instruction", paint);
        return;
    };
    let kind = if listing.is_source { "source" } else { "PTX" };
    let lanes = format!("{}; lanes of warp {} behind the lines", listing.file, focus.warp);
    pane.header(kind, &lanes, paint);
    let all: Vec<&str> = listing.text.lines().collect();
    let first = first_line(screen.cursor, pane.lines(), all.len());
    for (row, (number, line)) in (1..).zip((1u32..).zip(all).skip(first).take(pane.lines())) {
        draw_line(screen, listing, pane, row, number, line);
    }
}

/// How many lines are above the first one that is shown.
fn first_line(cursor: u32, shown: usize, all: usize) -> usize {
    let above = (cursor as usize).saturating_sub(1).saturating_sub(shown / 2);
    above.min(all.saturating_sub(shown))
}

fn draw_line(
    screen: &Screen<'_>,
    listing: &Listing,
    pane: &mut Pane<'_>,
    row: u16,
    number: u32,
    line: &str,
) {
    let paint = screen.paint;
    let is_here = number == listing.line;
    let style = if is_here { paint.now() } else { Style::new() };
    if listing.breakpoints.contains_key(&number) {
        pane.put(row, 0, "*", paint.stop());
    }
    let mark = match (is_here, listing.is_next, number == screen.cursor) {
        (true, true, _) => "->",
        (true, false, _) => "=>",
        (false, _, true) => " >",
        (false, _, false) => "  ",
    };
    pane.put(row, 1, &format!("{mark}{number:>4}"), style);
    let lanes = listing.lanes.get(&number).map(|mask| mask_text(*mask, listing.exists));
    let all = pane.width().saturating_sub(usize::from(GUTTER));
    let room = if lanes.is_some() { all.saturating_sub(LANES_WIDTH + 1) } else { all };
    pane.put(row, GUTTER, &cut(expanded(line).trim_end(), room), style);
    if let Some(lanes) = lanes {
        let column = pane.width().saturating_sub(LANES_WIDTH);
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        pane.put(row, column, &lanes, paint.lanes());
    }
    if number == screen.cursor {
        pane.style_row(row, Style::new().add_modifier(Modifier::UNDERLINED));
    }
}
