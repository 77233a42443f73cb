//! The keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Paint, Pane};

/// The keys and the marks. No line is longer than the smallest terminal.
const HELP: &[&str] = &[
    "s n f i t    line, over calls, out; thread's, warp's instruction",
    "c   g G      to a stop; to the beginning, to the end",
    "S N F I T C  the same backwards     Ctrl-C Esc  pause",
    "Up Down      cursor     b  breakpoint at the cursor",
    "Tab p        source or PTX          Home  cursor to the thread",
    "[ ] { } < >  warp, block, lane before and after",
    "m M          next variable, the one before      o  writers",
    "Left Right   select a cell (Ctrl: a row)   w  watch the cell",
    "r            next page of registers",
    ":            a command, :help lists them        q  quit",
    "PgUp PgDn    messages",
    "Marks: -> next line  => last line  * breakpoint or changed",
    "  cells: [selected] !watched, r w a read written atomic",
    "  steps: # all lanes  + half  - fewer  . none  | barrier",
];

pub(super) fn draw(paint: Paint, buffer: &mut Buffer, area: Rect) {
    let widest = HELP.iter().map(|line| line.len()).max().unwrap_or(0);
    let width = u16::try_from(widest + 2).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(HELP.len() + 1).unwrap_or(u16::MAX).min(area.height);
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    let mut pane = Pane::new(buffer, Rect { x, y, width, height });
    pane.clear();
    pane.header("keys", "any key closes this", paint);
    for (row, line) in (1..).zip(HELP) {
        pane.put(row, 1, line, Style::new());
    }
}
