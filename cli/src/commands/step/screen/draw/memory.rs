//! The cells of a variable in a grid.
//!
//! Brackets enclose the selected cell, and `!` is before a watched one. A letter behind a cell says
//! what the last step did to it: `r` read it, `w` wrote it, `a` an atomic operation. `*` marks the
//! cells of the latest write. The last line is about the selected cell, also with `!`.

use ratatui::style::{Modifier, Style};
use warpsim::observe::{AccessKind, lane_list};
use warpsim_debugger::Writer;

use super::super::memory::{Memory, Shown, short_thread};
use super::super::state::Screen;
use super::{Pane, cut, wrapped};

/// Columns of the number of a row's first cell.
const GUTTER: usize = 6;
/// Cells in a row at most.
const MOST_COLUMNS: usize = 16;

pub(super) fn draw(screen: &Screen<'_>, pane: &mut Pane<'_>) {
    let paint = screen.paint;
    let memory = &screen.view.memory;
    let (number, of) = memory.number;
    if of == 0 {
        pane.header("memory", "no variables, no buffers", paint);
        return;
    }
    pane.header("memory", &header(memory, screen.shows_writers, number, of), paint);
    if let Some(missing) = &memory.missing {
        for (row, line) in (1..).zip(wrapped(missing, pane.width())) {
            pane.put(row, 0, &line, paint.dim());
        }
        return;
    }
    let texts: Vec<String> = memory.cells.iter().map(|cell| cell_text(screen, cell)).collect();
    let widest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(1);
    let columns = columns(pane.width(), widest);
    screen.memory_columns.set(columns as u64);
    let rows = pane.lines().saturating_sub(1);
    let first = memory.cells.first().map_or(0, |cell| cell.index);
    let at = memory.selected.saturating_sub(first) as usize / columns;
    let all = memory.cells.len().div_ceil(columns);
    let above = at.saturating_sub(rows / 2).min(all.saturating_sub(rows));
    let grid = memory.cells.chunks(columns).zip(texts.chunks(columns)).skip(above).take(rows);
    for (row, (cells, texts)) in (1..).zip(grid) {
        let number = cells.first().map_or(0, |cell| cell.index);
        let mut column = pane.put(row, 0, &format!("{number:>5} "), paint.dim());
        for (cell, text) in cells.iter().zip(texts) {
            column = draw_cell(screen, pane, (row, column), cell, &format!("{text:>widest$}"));
        }
    }
    let last = pane.area.height.saturating_sub(1);
    let detail = detail(screen, memory);
    pane.put(last, 0, &cut(&detail, pane.width()), Style::new());
}

fn header(memory: &Memory, shows_writers: bool, number: usize, of: usize) -> String {
    let what = match (&memory.region, shows_writers) {
        (_, true) => format!("{}, last writers", memory.name),
        (Some(region), false) => {
            let ty = region.ty.to_string();
            format!("{} {}[{}]", memory.name, ty.trim_start_matches('.'), region.cells)
        }
        (None, false) => memory.name.clone(),
    };
    format!("{what} ({number} of {of}, m)")
}

/// Cells in a row: a power of two.
fn columns(width: usize, widest: usize) -> usize {
    let fit = width.saturating_sub(GUTTER) / (widest + 2);
    let power = fit.checked_ilog2().map_or(1, |log| 1 << log);
    power.clamp(1, MOST_COLUMNS)
}

/// The value, or the last writer.
fn cell_text(screen: &Screen<'_>, cell: &Shown) -> String {
    match (screen.shows_writers, cell.writer) {
        (false, _) => cell.value.clone(),
        (true, None) => "-".to_owned(),
        (true, Some(writer)) => short_thread(writer.thread, screen.view.focus.block),
    }
}

fn draw_cell(
    screen: &Screen<'_>,
    pane: &mut Pane<'_>,
    (row, column): (u16, u16),
    cell: &Shown,
    text: &str,
) -> u16 {
    let paint = screen.paint;
    let memory = &screen.view.memory;
    let is_selected = cell.index == memory.selected;
    let before = match (is_selected, cell.is_watched) {
        (true, _) => "[",
        (false, true) => "!",
        (false, false) => " ",
    };
    let is_latest = cell.writer.is_some_and(|writer| Some(writer.step) == memory.latest);
    let mark = match (cell.access, is_latest, is_selected) {
        (Some(AccessKind::Read), ..) => "r",
        (Some(AccessKind::Write), ..) => "w",
        (Some(AccessKind::Atomic), ..) => "a",
        (None, true, _) => "*",
        (None, false, true) => "]",
        (None, false, false) => " ",
    };
    let style = match (cell.access, cell.writer) {
        (Some(kind), _) => paint.access(kind),
        (None, Some(writer)) => paint.warp(writer.thread.warp),
        (None, None) => Style::new(),
    };
    let style = if is_selected { style.add_modifier(Modifier::REVERSED) } else { style };
    let mark_style = if cell.is_watched { paint.stop() } else { style };
    let column = pane.put(row, column, before, mark_style);
    let column = pane.put(row, column, text, style);
    pane.put(row, column, mark, style)
}

/// Who wrote the selected cell.
fn detail(screen: &Screen<'_>, memory: &Memory) -> String {
    let Some(cell) = memory.cells.iter().find(|cell| cell.index == memory.selected) else {
        return String::new();
    };
    let own = screen.view.focus.block;
    let writer = match cell.writer {
        None => "not written".to_owned(),
        Some(Writer { step, thread, lanes, .. }) => {
            let block = match thread.block == own {
                true => String::new(),
                false => format!("block {} ", thread.block),
            };
            let several = if lanes.count_ones() > 1 { "s" } else { "" };
            let lanes = lane_list(lanes);
            format!("step {step} {block}warp {} lane{several} {lanes}", thread.warp)
        }
    };
    let watched = if cell.is_watched { "! " } else { "" };
    format!("{watched}{}[{}] = {} {writer}", memory.name, cell.index, cell.value)
}
