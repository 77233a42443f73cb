//! The registers of the thread in focus, in columns.
//!
//! `*` marks a value that has changed since it was shown last, and `-` a register that the thread
//! has not written. Where they do not all fit, there are pages. The first one to be shown has a
//! changed register.

use ratatui::style::Style;

use super::super::state::Screen;
use super::super::view::Register;
use super::{Pane, cut};

/// Registers from one number on, in a column that begins somewhere and has a width.
struct Column {
    first: usize,
    begin: usize,
    width: usize,
}

pub(super) fn draw(screen: &Screen<'_>, pane: &mut Pane<'_>) {
    let paint = screen.paint;
    let thread = format!("warp {} lane {}", screen.view.focus.warp, screen.view.focus.lane);
    let all = &screen.view.registers;
    if all.is_empty() {
        pane.header("registers", &thread, paint);
        pane.put(1, 0, "not begun, or exited", paint.dim());
        return;
    }
    let lines = pane.lines().max(1);
    let pages = pages(all, lines, pane.width());
    let changed = all.iter().position(|register| register.is_changed).unwrap_or(0);
    let begins = |page: &Vec<Column>| page.first().map_or(0, |column| column.first);
    let base = pages.iter().rposition(|page| begins(page) <= changed).unwrap_or(0);
    let page = base.wrapping_add(screen.register_page) % pages.len().max(1);
    let rest = match pages.len() {
        1 => thread,
        count => format!("{thread}, {} of {count}", page + 1),
    };
    pane.header("registers", &rest, paint);
    for column in pages.get(page).into_iter().flatten() {
        for (row, register) in (1..).zip(all.iter().skip(column.first).take(lines)) {
            let style = match (register.is_changed, &register.value) {
                (true, _) => paint.now(),
                (false, Some(_)) => Style::new(),
                (false, None) => paint.dim(),
            };
            let begin = u16::try_from(column.begin).unwrap_or(u16::MAX);
            pane.put(row, begin, &cut(&text(register), column.width), style);
        }
    }
}

/// The columns of each page.
fn pages(all: &[Register], lines: usize, width: usize) -> Vec<Vec<Column>> {
    let mut pages: Vec<Vec<Column>> = Vec::new();
    let mut begin = 0;
    for (k, registers) in all.chunks(lines).enumerate() {
        let widest = registers.iter().map(|register| text(register).chars().count()).max();
        let own = widest.unwrap_or(1).min(width).max(1);
        let fits = begin + own <= width;
        if !fits || pages.is_empty() {
            pages.push(Vec::new());
            begin = 0;
        }
        if let Some(page) = pages.last_mut() {
            page.push(Column { first: k * lines, begin, width: own });
        }
        begin += own + 1;
    }
    pages
}

/// `*%r1=5`.
fn text(register: &Register) -> String {
    let mark = if register.is_changed { '*' } else { ' ' };
    let value = register.value.as_deref().unwrap_or("-");
    format!("{mark}{}={value}", register.name)
}
