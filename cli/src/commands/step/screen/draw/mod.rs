//! Draws the panes: the title, the text, registers beside memory, the timeline, the messages, and
//! the line for commands.
//!
//! All panes are as wide as the terminal, but registers and memory share it. A taller terminal
//! gives lines to all of them. Everything with a meaning has a character, so that a screen without
//! colours shows the same.

mod help;
mod memory;
mod messages;
mod registers;
mod source;
mod style;
mod timeline;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use warpsim::diagnostics::printable;

use super::state::Screen;
pub(super) use style::Paint;

/// The smallest terminal, in columns and lines.
pub(super) const SMALLEST: (u16, u16) = (70, 16);

/// The lines of the panes, with their headers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Panes {
    pub(super) title: Rect,
    pub(super) source: Rect,
    pub(super) registers: Rect,
    pub(super) memory: Rect,
    pub(super) timeline: Rect,
    pub(super) messages: Rect,
    pub(super) prompt: Rect,
}

impl Panes {
    /// The panes of a terminal that is not too small.
    pub(super) fn of(area: Rect, warps: usize) -> Panes {
        let height = area.height;
        let warps = u16::try_from(warps.max(1)).unwrap_or(u16::MAX);
        let timeline = 1 + warps.min((height / 6).max(2));
        let messages = 1 + height / 7;
        let middle = 1 + height / 4;
        let source = height.saturating_sub(2 + timeline + messages + middle);
        let mut top = area.y;
        let mut rows = |lines: u16| {
            let rows = Rect { y: top, height: lines, ..area };
            top += lines;
            rows
        };
        let (title, source, middle) = (rows(1), rows(source), rows(middle));
        let (timeline, messages, prompt) = (rows(timeline), rows(messages), rows(1));
        let left = area.width / 2 - 1;
        let registers = Rect { width: left, ..middle };
        let memory = Rect { x: area.x + left + 2, width: area.width - left - 2, ..middle };
        Panes { title, source, registers, memory, timeline, messages, prompt }
    }
}

/// Draws everything.
pub(super) fn draw(screen: &Screen<'_>, frame: &mut Frame<'_>) {
    let area = frame.area();
    let paint = screen.paint;
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(frame.buffer_mut(), area);
        return;
    }
    let panes = Panes::of(area, screen.view.warps.len());
    let buffer = frame.buffer_mut();
    title(screen, &mut Pane::new(buffer, panes.title));
    source::draw(screen, &mut Pane::new(buffer, panes.source));
    registers::draw(screen, &mut Pane::new(buffer, panes.registers));
    memory::draw(screen, &mut Pane::new(buffer, panes.memory));
    timeline::draw(&screen.view, paint, &mut Pane::new(buffer, panes.timeline));
    messages::draw(screen, &mut Pane::new(buffer, panes.messages));
    let cursor = messages::prompt(screen, &mut Pane::new(buffer, panes.prompt));
    if screen.shows_help {
        help::draw(paint, buffer, area);
    } else if let Some(column) = cursor {
        frame.set_cursor_position((panes.prompt.x + column, panes.prompt.y));
    }
}

fn too_small(buffer: &mut Buffer, area: Rect) {
    let (columns, lines) = SMALLEST;
    let text = format!(
        "The debugger needs {columns} columns and {lines} lines; this terminal has {} and {}. \
         Make it larger, or leave with q and use --plain.",
        area.width, area.height
    );
    let mut pane = Pane::new(buffer, area);
    for (row, line) in (0..).zip(wrapped(&text, usize::from(area.width))) {
        pane.put(row, 0, &line, Style::new());
    }
}

fn title(screen: &Screen<'_>, pane: &mut Pane<'_>) {
    let view = &screen.view;
    let state = match (&view.outcome, screen.is_running) {
        (_, true) => "running; Ctrl-C pauses".to_owned(),
        (Some(outcome), false) => format!("ended: {outcome}"),
        (None, false) if view.moment == 0 => "at the beginning".to_owned(),
        (None, false) => format!("after {} instructions", view.moment),
    };
    let text = format!(" {}  {}  {state}", view.kernel, view.focus);
    let style = Style::new().add_modifier(Modifier::REVERSED);
    let width = usize::from(pane.area.width);
    pane.put(0, 0, &format!("{text:<width$}"), style);
}

/// A part of the buffer. What does not fit is left out.
pub(super) struct Pane<'b> {
    buffer: &'b mut Buffer,
    pub(super) area: Rect,
}

impl<'b> Pane<'b> {
    pub(super) fn new(buffer: &'b mut Buffer, area: Rect) -> Pane<'b> {
        let area = area.intersection(buffer.area);
        Pane { buffer, area }
    }

    pub(super) fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    /// Lines below the header.
    pub(super) fn lines(&self) -> usize {
        usize::from(self.area.height.saturating_sub(1))
    }

    /// Writes a text into a row, and returns the column behind it. Characters that a terminal would
    /// obey are escaped.
    pub(super) fn put(&mut self, row: u16, column: u16, text: &str, style: Style) -> u16 {
        if row >= self.area.height || column >= self.area.width {
            return column;
        }
        let left = usize::from(self.area.width - column);
        let (x, y) = (self.area.x + column, self.area.y + row);
        let (end, _) = self.buffer.set_stringn(x, y, printable(text), left, style);
        end.saturating_sub(self.area.x)
    }

    /// Gives a whole row a style, without changing its characters.
    pub(super) fn style_row(&mut self, row: u16, style: Style) {
        if row < self.area.height {
            let y = self.area.y + row;
            self.buffer.set_style(Rect { y, height: 1, ..self.area }, style);
        }
    }

    /// Writes a row that begins with a line and a name, as each pane does.
    pub(super) fn header(&mut self, name: &str, rest: &str, paint: Paint) {
        let width = self.width();
        let text = match rest {
            "" => format!("-- {name} "),
            rest => format!("-- {name}: {rest} "),
        };
        let text = format!("{:-<width$}", cut(&text, width));
        self.put(0, 0, &text, paint.header());
    }

    /// Empties the pane.
    pub(super) fn clear(&mut self) {
        let blank = " ".repeat(self.width());
        for row in 0..self.area.height {
            self.put(row, 0, &blank, Style::reset());
        }
    }
}

/// The beginning of a text, with `~` where it goes on.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { kept } else { kept + "~" }
}

/// Blanks for tabulators, which stop at every fourth column.
pub(super) fn expanded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        let blanks = if c == '\t' { 4 - column % 4 } else { 0 };
        out.extend(std::iter::repeat_n(' ', blanks));
        if c != '\t' {
            out.push(c);
        }
        column += blanks.max(1);
    }
    out
}

/// A text in lines of a width, broken between words where it can be.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > width {
        let blank = rest.iter().take(width + 1).rposition(|c| *c == ' ').filter(|at| *at > 0);
        let tail = rest.split_off(blank.unwrap_or(width));
        lines.push(rest.into_iter().collect());
        rest = tail.into_iter().skip(usize::from(blank.is_some())).collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}
