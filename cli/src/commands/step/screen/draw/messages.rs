//! What the debugger has said, and the line for commands.

use ratatui::style::Style;

use super::super::state::{Kind, Screen};
use super::{Pane, cut, expanded, wrapped};

/// The line shown while nobody types a command.
const KEYS: &str =
    "s n f i t c  move, Shift back   b break   w watch   : command   ? help   q quit";

/// Blanks before the later lines of a message.
const INDENT: usize = 2;

pub(super) fn draw(screen: &Screen<'_>, pane: &mut Pane<'_>) {
    let width = pane.width();
    let mut lines: Vec<(Kind, usize, String)> = Vec::new();
    for (number, message) in screen.messages.iter().enumerate() {
        for (k, line) in wrapped(&expanded(&message.text), width - INDENT).iter().enumerate() {
            let indent = if k == 0 { 0 } else { INDENT };
            lines.push((message.kind, number, format!("{:indent$}{line}", "")));
        }
    }
    let shown = pane.lines();
    // A new answer that does not fit is read from its beginning.
    if screen.fresh.get() > 0 {
        let old = screen.messages.len().saturating_sub(screen.fresh.take());
        let new = lines.iter().filter(|(_, message, _)| *message >= old).count();
        screen.scrolled.set(new.saturating_sub(shown));
    }
    let above = screen.scrolled.get().min(lines.len().saturating_sub(shown));
    let rest = match above {
        0 => String::new(),
        below => format!("{below} more below (PageDown)"),
    };
    pane.header("messages", &rest, screen.paint);
    let end = lines.len() - above;
    let visible = lines.get(end.saturating_sub(shown)..end).unwrap_or_default();
    for (row, (kind, _, line)) in (1..).zip(visible) {
        let style = match kind {
            Kind::Said => Style::new(),
            Kind::Typed => screen.paint.dim(),
            Kind::Printed => screen.paint.lanes(),
            Kind::Mistake => screen.paint.stop(),
        };
        pane.put(row, 0, &cut(line, width), style);
    }
}

/// Draws the line for commands, and returns the column of the terminal's cursor.
pub(super) fn prompt(screen: &Screen<'_>, pane: &mut Pane<'_>) -> Option<u16> {
    match &screen.input {
        None => {
            pane.put(0, 0, &cut(KEYS, pane.width()), screen.paint.dim());
            None
        }
        Some(line) => {
            // A person types at the end of a long line.
            let room = pane.width().saturating_sub(2);
            let typed: Vec<char> = line.chars().collect();
            let tail: String = typed.iter().skip(typed.len().saturating_sub(room)).collect();
            Some(pane.put(0, 0, &format!(":{tail}"), Style::new()))
        }
    }
}
