//! What the screen remembers between keys: the launch, the cursor, the messages, a command that
//! is being typed.

use std::cell::Cell;
use std::collections::VecDeque;

use warpsim_debugger::text::{Console, Said};
use warpsim_debugger::{Debugger, TextOf};

use super::draw::Paint;
use super::keys::Action;
use super::memory::Selection;
use super::view::View;

/// Lines of messages that are kept.
const MOST_MESSAGES: usize = 2000;
/// Lines that a kernel has printed and one move shows.
const MOST_PRINTED: usize = 200;

/// Whether the session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Stays,
    Leaves,
}

/// Where a message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The debugger.
    Said,
    /// A person.
    Typed,
    /// The kernel.
    Printed,
    /// The debugger, about a command that it did not carry out.
    Mistake,
}

/// A line of a message.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// The session.
pub(super) struct Screen<'a> {
    console: Console<'a>,
    pub(super) view: View,
    pub(super) paint: Paint,
    /// Which text is shown.
    pub(super) text: TextOf,
    /// The line of the cursor, from 1.
    pub(super) cursor: u32,
    pub(super) selection: Selection,
    /// Cells in a row of the memory pane, when it was drawn last.
    pub(super) memory_columns: Cell<u64>,
    /// The memory pane shows the last writers instead of values.
    pub(super) shows_writers: bool,
    /// Pages of registers behind the one that is shown by itself.
    pub(super) register_page: usize,
    pub(super) messages: VecDeque<Message>,
    /// Lines of messages below the last one that is shown.
    pub(super) scrolled: Cell<usize>,
    /// Messages of the last key that have not been drawn.
    pub(super) fresh: Cell<usize>,
    /// The command that is being typed.
    pub(super) input: Option<String>,
    /// The commands that were typed, the latest last.
    history: Vec<String>,
    /// The number of the command that was brought back.
    recalled: usize,
    pub(super) shows_help: bool,
    /// The launch moves.
    pub(super) is_running: bool,
}

impl<'a> Screen<'a> {
    pub(super) fn new(console: Console<'a>, paint: Paint) -> Screen<'a> {
        let selection = Selection::default();
        let debugger = console.debugger();
        let view = View::of(debugger, TextOf::Source, selection.memory(debugger), None);
        Screen {
            cursor: view.line().unwrap_or(1),
            console,
            view,
            paint,
            text: TextOf::Source,
            selection,
            memory_columns: Cell::new(1),
            shows_writers: false,
            register_page: 0,
            messages: VecDeque::new(),
            scrolled: Cell::new(0),
            fresh: Cell::new(0),
            input: None,
            history: Vec::new(),
            recalled: 0,
            shows_help: false,
            is_running: false,
        }
    }

    pub(super) fn into_console(self) -> Console<'a> {
        self.console
    }

    pub(super) fn console(&self) -> &Console<'a> {
        &self.console
    }

    pub(super) fn debugger(&self) -> &Debugger<'a> {
        self.console.debugger()
    }

    pub(super) fn debugger_mut(&mut self) -> &mut Debugger<'a> {
        self.console.debugger_mut()
    }

    /// Takes the view again. The cursor goes to the thread in focus if the focus has moved.
    pub(super) fn refresh(&mut self) {
        let debugger = self.console.debugger();
        let memory = self.selection.memory(debugger);
        let view = View::of(debugger, self.text, memory, Some(&self.view));
        let place = |view: &View| {
            let file = view.listing.as_ref().map(|listing| listing.file.clone());
            (view.moment, view.focus, file)
        };
        if place(&view) != place(&self.view) {
            self.cursor = view.line().unwrap_or(1);
        }
        if view.moment != self.view.moment {
            self.register_page = 0;
        }
        self.view = view;
    }

    /// Adds a message.
    pub(super) fn say(&mut self, kind: Kind, text: &str) {
        for line in text.lines() {
            self.messages.push_back(Message { kind, text: line.to_owned() });
            self.fresh.set(self.fresh.get() + 1);
        }
        let too_many = self.messages.len().saturating_sub(MOST_MESSAGES);
        self.messages.drain(..too_many);
    }

    /// Says what the kernel has printed since a moment.
    pub(super) fn say_printed(&mut self, since: usize) {
        let steps = self.debugger().stepper().trace().steps();
        let steps = steps.get(since..).unwrap_or_default();
        let printed = steps.iter().filter(|step| !step.printed.is_empty());
        let lines: Vec<String> =
            printed.flat_map(|step| step.printed.lines().map(str::to_owned)).collect();
        let left_out = lines.len().saturating_sub(MOST_PRINTED);
        if left_out > 0 {
            self.say(Kind::Said, &format!("{left_out} lines that the kernel printed, and then:"));
        }
        for line in lines.iter().skip(left_out) {
            self.say(Kind::Printed, line);
        }
    }

    /// Carries out a line of commands. The second answer says whether it was understood.
    pub(super) fn execute(&mut self, line: &str) -> (Flow, bool) {
        self.say(Kind::Typed, &format!(":{line}"));
        let before = self.debugger().moment();
        let said = match line.trim().is_empty() {
            true => self.console.repeat(),
            false => self.console.execute(line),
        };
        self.say_printed(before);
        self.answer(&said)
    }

    fn answer(&mut self, said: &Said) -> (Flow, bool) {
        self.say(Kind::Said, &said.text);
        if let Some(error) = &said.error {
            self.say(Kind::Mistake, &format!("error: {error}"));
        }
        self.refresh();
        let flow = if said.end.is_some() { Flow::Leaves } else { Flow::Stays };
        (flow, said.error.is_none())
    }

    /// Does what a key asked for.
    pub(super) fn carry_out(&mut self, action: Action) -> Flow {
        self.fresh.set(0);
        match action {
            Action::None | Action::Redraw => {}
            Action::Leave => return Flow::Leaves,
            Action::Move(motion, direction) => self.go(motion, direction),
            Action::Breakpoint => self.toggle_breakpoint(),
            Action::Watch => self.toggle_watch(),
            Action::Focus(unit, direction) => self.look_at(unit, direction),
            Action::Cursor(by) => self.move_cursor(by),
            Action::CursorHome => self.cursor = self.view.line().unwrap_or(1),
            Action::OtherText => {
                self.text = match self.text {
                    TextOf::Source => TextOf::Ptx,
                    TextOf::Ptx => TextOf::Source,
                };
                self.refresh();
            }
            Action::Variable(direction) => self.choose_variable(direction),
            Action::Cell(by) => self.select_cell(by),
            Action::CellRow(by) => {
                let columns = i64::try_from(self.memory_columns.get()).unwrap_or(1);
                self.select_cell(by.saturating_mul(columns));
            }
            Action::Writers => self.shows_writers = !self.shows_writers,
            Action::RegisterPage => self.register_page = self.register_page.wrapping_add(1),
            Action::Scroll(by) => {
                let scrolled = self.scrolled.get().saturating_add_signed(by);
                self.scrolled.set(scrolled.min(MOST_MESSAGES));
            }
            Action::Help(shows) => self.shows_help = shows,
            Action::Note(text) => self.say(Kind::Said, text),
            Action::Input(line) => self.input = line,
            Action::Recall(by) => self.recall(by),
            Action::Execute(line) => return self.execute_typed(line),
        }
        Flow::Stays
    }

    fn execute_typed(&mut self, line: String) -> Flow {
        self.input = None;
        let (flow, _) = self.execute(&line);
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            self.history.push(line);
        }
        self.recalled = self.history.len();
        flow
    }

    /// Brings back a command that was typed before, or after the one that was brought back.
    fn recall(&mut self, by: isize) {
        let number = self.recalled.saturating_add_signed(by).min(self.history.len());
        self.recalled = number;
        self.input = Some(self.history.get(number).cloned().unwrap_or_default());
    }

    fn move_cursor(&mut self, by: i32) {
        let lines = self.view.listing.as_ref().map_or(1, |listing| listing.text.lines().count());
        let last = u32::try_from(lines.max(1)).unwrap_or(u32::MAX);
        self.cursor = self.cursor.saturating_add_signed(by).clamp(1, last);
    }
}
