//! The last steps of the block in focus: a column for a step, a row for a warp.
//!
//! A column has one character, in the row of the warp that moved: `#` where all its lanes were
//! active, `+` at least half, `-` fewer, `.` none. `|` is a barrier. Behind the steps, the row says
//! what the warp does now.

use ratatui::style::Style;

use super::super::view::{Tick, View, WarpRow};
use super::{Paint, Pane, cut};

/// Columns of a warp's name.
const NAME: usize = 10;
/// Columns of a warp's state.
const STATE: usize = 26;

pub(super) fn draw(view: &View, paint: Paint, pane: &mut Pane<'_>) {
    let last = view.last_step.as_deref().unwrap_or("nothing has been executed");
    pane.header("steps", last, paint);
    let room = pane.width().saturating_sub(NAME + STATE + 1);
    let ticks = view.ticks.get(view.ticks.len().saturating_sub(room)..).unwrap_or_default();
    let shown = pane.lines();
    let own = view.focus.warp as usize;
    let first = own.saturating_sub(shown / 2).min(view.warps.len().saturating_sub(shown));
    let rows = (0u32..).zip(&view.warps).skip(first).take(shown);
    for (row, (number, warp)) in (1..).zip(rows) {
        draw_warp(view, paint, pane, (row, number), warp, ticks);
    }
}

fn draw_warp(
    view: &View,
    paint: Paint,
    pane: &mut Pane<'_>,
    (row, number): (u16, u32),
    warp: &WarpRow,
    ticks: &[Tick],
) {
    let is_own = number == view.focus.warp;
    let mark = if is_own { "->" } else { "  " };
    let style = if is_own { paint.now() } else { Style::new() };
    pane.put(row, 0, &format!("{mark} warp {number}"), style);
    let line: String = ticks
        .iter()
        .map(|tick| match tick.warp == number {
            true => character(tick, warp.exists.count_ones()),
            false => ' ',
        })
        .collect();
    let name = u16::try_from(NAME).unwrap_or(u16::MAX);
    pane.put(row, name, &line, paint.warp(number));
    let column = pane.width().saturating_sub(STATE);
    let column = u16::try_from(column).unwrap_or(u16::MAX);
    pane.put(row, column, &cut(&warp.state, STATE), Style::new());
}

/// How many of a warp's lanes were active.
fn character(tick: &Tick, lanes: u32) -> char {
    let active = tick.active.count_ones();
    match (tick.is_barrier, active) {
        (true, _) => '|',
        (false, 0) => '.',
        (false, active) if active >= lanes => '#',
        (false, active) if active * 2 >= lanes => '+',
        (false, _) => '-',
    }
}
