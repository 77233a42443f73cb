//! What a key means: for the launch, in a command that is being typed, and over the help.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use warpsim_debugger::text::Console;

use super::moves::{Direction, Motion, Part};
use super::state::Screen;

/// Lines of messages that one key scrolls.
const PAGE: isize = 4;
/// Lines that Ctrl with an arrow moves the cursor.
const FAR: i32 = 10;

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    None,
    Redraw,
    Leave,
    Move(Motion, Direction),
    Breakpoint,
    Watch,
    Focus(Part, Direction),
    /// The cursor moves this many lines down.
    Cursor(i32),
    CursorHome,
    OtherText,
    Variable(Direction),
    /// The cell this many further on is selected.
    Cell(i64),
    /// The cell this many rows below is selected.
    CellRow(i64),
    Writers,
    RegisterPage,
    /// Messages scroll this many lines up.
    Scroll(isize),
    Help(bool),
    Note(&'static str),
    /// The command that is being typed; `None` gives it up.
    Input(Option<String>),
    /// A command that was typed this many later than the one that is shown.
    Recall(isize),
    Execute(String),
}

impl Action {
    /// Whether the launch may move for a while.
    pub(super) fn moves(&self) -> bool {
        match self {
            Action::Move(..) | Action::Execute(_) => true,
            Action::None
            | Action::Redraw
            | Action::Leave
            | Action::Breakpoint
            | Action::Watch
            | Action::Focus(..)
            | Action::Cursor(_)
            | Action::CursorHome
            | Action::OtherText
            | Action::Variable(_)
            | Action::Cell(_)
            | Action::CellRow(_)
            | Action::Writers
            | Action::RegisterPage
            | Action::Scroll(_)
            | Action::Help(_)
            | Action::Note(_)
            | Action::Input(_)
            | Action::Recall(_) => false,
        }
    }
}

/// Whether an event pauses a launch that moves.
pub(super) fn pauses(event: &Event) -> bool {
    match event {
        Event::Key(key) => key.code == KeyCode::Esc || is_control(key, 'c'),
        Event::FocusGained
        | Event::FocusLost
        | Event::Mouse(_)
        | Event::Paste(_)
        | Event::Resize(..) => false,
    }
}

fn is_control(key: &KeyEvent, letter: char) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char(letter)
}

/// What a key asks for.
pub(super) fn action(screen: &Screen<'_>, key: KeyEvent) -> Action {
    if is_control(&key, 'l') {
        return Action::Redraw;
    }
    match &screen.input {
        _ if screen.shows_help => Action::Help(false),
        Some(line) => typed(line, key),
        None => pressed(key),
    }
}

/// A key in a command.
fn typed(line: &str, key: KeyEvent) -> Action {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'd') => Action::Input(None),
            KeyCode::Char('u') => Action::Input(Some(String::new())),
            _ => Action::None,
        };
    }
    match key.code {
        KeyCode::Char(letter) => Action::Input(Some(format!("{line}{letter}"))),
        KeyCode::Backspace if line.is_empty() => Action::Input(None),
        KeyCode::Backspace => {
            let mut shorter = line.to_owned();
            shorter.pop();
            Action::Input(Some(shorter))
        }
        KeyCode::Enter => Action::Execute(line.to_owned()),
        KeyCode::Esc => Action::Input(None),
        KeyCode::Up => Action::Recall(-1),
        KeyCode::Down => Action::Recall(1),
        KeyCode::Tab => Action::Input(Some(completed(line))),
        _ => Action::None,
    }
}

/// The line with its command completed, as far as all commands that begin so agree.
fn completed(line: &str) -> String {
    let begin = line.rfind(';').map_or(0, |at| at + 1);
    let (before, word) = line.split_at(begin);
    let word = word.trim_start();
    let mut names = Console::command_names().filter(|name| name.starts_with(word));
    let Some(first) = names.next().filter(|_| !word.is_empty() && !word.contains(' ')) else {
        return line.to_owned();
    };
    let agreed = names.fold(first, |agreed, name| {
        let same = agreed.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        agreed.get(..same).unwrap_or(word)
    });
    let blank = if before.is_empty() { "" } else { " " };
    format!("{before}{blank}{agreed}")
}

/// A key for the launch.
fn pressed(key: KeyEvent) -> Action {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if is_control => {
            Action::Note("q leaves; Ctrl-C pauses a launch that moves")
        }
        KeyCode::Char('d') if is_control => Action::Leave,
        KeyCode::Char(letter) if !is_control => letter_pressed(letter),
        KeyCode::Tab => Action::OtherText,
        KeyCode::Up => Action::Cursor(if is_control { -FAR } else { -1 }),
        KeyCode::Down => Action::Cursor(if is_control { FAR } else { 1 }),
        KeyCode::Left if is_control => Action::CellRow(-1),
        KeyCode::Right if is_control => Action::CellRow(1),
        KeyCode::Left => Action::Cell(-1),
        KeyCode::Right => Action::Cell(1),
        KeyCode::Home => Action::CursorHome,
        KeyCode::PageUp => Action::Scroll(PAGE),
        KeyCode::PageDown => Action::Scroll(-PAGE),
        _ => Action::None,
    }
}

fn letter_pressed(letter: char) -> Action {
    match letter {
        's' => Action::Move(Motion::Step, Direction::Forward),
        'S' => Action::Move(Motion::Step, Direction::Back),
        'n' => Action::Move(Motion::Next, Direction::Forward),
        'N' => Action::Move(Motion::Next, Direction::Back),
        'f' => Action::Move(Motion::Finish, Direction::Forward),
        'F' => Action::Move(Motion::Finish, Direction::Back),
        'i' => Action::Move(Motion::Instruction, Direction::Forward),
        'I' => Action::Move(Motion::Instruction, Direction::Back),
        't' => Action::Move(Motion::Turn, Direction::Forward),
        'T' => Action::Move(Motion::Turn, Direction::Back),
        'c' => Action::Move(Motion::Continue, Direction::Forward),
        'C' => Action::Move(Motion::Continue, Direction::Back),
        'g' => Action::Move(Motion::End, Direction::Back),
        'G' => Action::Move(Motion::End, Direction::Forward),
        'b' => Action::Breakpoint,
        'w' => Action::Watch,
        '[' => Action::Focus(Part::Warp, Direction::Back),
        ']' => Action::Focus(Part::Warp, Direction::Forward),
        '{' => Action::Focus(Part::Block, Direction::Back),
        '}' => Action::Focus(Part::Block, Direction::Forward),
        '<' => Action::Focus(Part::Lane, Direction::Back),
        '>' => Action::Focus(Part::Lane, Direction::Forward),
        'm' => Action::Variable(Direction::Forward),
        'M' => Action::Variable(Direction::Back),
        'o' => Action::Writers,
        'r' => Action::RegisterPage,
        'p' => Action::OtherText,
        ':' => Action::Input(Some(String::new())),
        '?' => Action::Help(true),
        'q' => Action::Leave,
        _ => Action::None,
    }
}
