//! The debugger over a whole terminal.
//!
//! | module | what it does |
//! |---|---|
//! | `state` | what the screen remembers between keys, and commands |
//! | `moves` | moves of the launch, breakpoints, watchpoints, the thread in focus |
//! | `keys` | what a key means |
//! | `view`, `memory` | the state of the launch as the panes show it |
//! | `draw` | the panes |
//!
//! The launch moves on the main thread. Another thread reads keys, so that Ctrl-C and Esc pause a
//! launch that moves. The terminal is restored on all ways out, a panic included.

mod draw;
mod keys;
mod memory;
mod moves;
mod state;
#[cfg(test)]
mod tests;
mod view;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::style::force_color_output;
use warpsim_debugger::text::Console;

use draw::Paint;
use keys::Action;
use state::{Flow, Screen};

/// How long the thread that reads keys waits before it looks whether the session has ended.
const PATIENCE: Duration = Duration::from_millis(50);

/// How a session ended.
pub(super) struct Left<'a> {
    /// The launch.
    pub(super) console: Console<'a>,
    /// A command of a file was not understood.
    pub(super) is_misunderstood: bool,
}

/// Carries out commands of files, and then what a person types.
///
/// # Errors
/// The terminal cannot be read or written.
pub(super) fn run<'a>(
    console: Console<'a>,
    commands: &[String],
    is_coloured: bool,
) -> io::Result<Left<'a>> {
    let mut screen = Screen::new(console, Paint { is_coloured });
    let mut is_misunderstood = false;
    for line in commands {
        let (flow, is_understood) = screen.execute(line);
        is_misunderstood |= !is_understood;
        if flow == Flow::Leaves {
            return Ok(Left { console: screen.into_console(), is_misunderstood });
        }
    }
    if is_coloured {
        // The environment has been asked already, and the command line may say otherwise.
        force_color_output(true);
    }
    let restored = Restored;
    let mut terminal = ratatui::try_init()?;
    let end = with_keyboard(&mut screen, &mut terminal);
    drop(restored);
    end.map(|()| Left { console: screen.into_console(), is_misunderstood })
}

/// Restores the terminal when it is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing.
        let _ = ratatui::try_restore();
    }
}

/// The thread that reads keys.
struct Keyboard {
    /// Has the launch pause.
    pause: Arc<AtomicBool>,
    /// The launch moves.
    is_busy: AtomicBool,
    /// The session has ended.
    is_done: AtomicBool,
}

/// Tells the thread that reads keys to end, when it is dropped.
struct Done<'k>(&'k Keyboard);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.is_done.store(true, Ordering::Relaxed);
    }
}

impl Keyboard {
    /// Passes events on until the session ends. A key that pauses is not passed on while the launch
    /// moves.
    fn read(&self, to: &Sender<io::Result<Event>>) {
        while !self.is_done.load(Ordering::Relaxed) {
            let event = match event::poll(PATIENCE) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            let is_last = event.is_err();
            let pauses = event.as_ref().is_ok_and(keys::pauses);
            if pauses && self.is_busy.load(Ordering::Relaxed) {
                self.pause.store(true, Ordering::Relaxed);
            } else if to.send(event).is_err() || is_last {
                return;
            }
        }
    }
}

fn with_keyboard(screen: &mut Screen<'_>, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let keyboard = Keyboard {
        pause: screen.debugger().pause_flag(),
        is_busy: AtomicBool::new(false),
        is_done: AtomicBool::new(false),
    };
    let (sender, events) = channel();
    thread::scope(|scope| {
        let done = Done(&keyboard);
        let reader = &keyboard;
        scope.spawn(move || reader.read(&sender));
        let end = converse(screen, terminal, &keyboard, &events);
        drop(done);
        end
    })
}

/// Draws and obeys keys until a person leaves.
fn converse(
    screen: &mut Screen<'_>,
    terminal: &mut DefaultTerminal,
    keyboard: &Keyboard,
    events: &Receiver<io::Result<Event>>,
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| draw::draw(screen, frame))?;
        let Ok(event) = events.recv() else { return Ok(()) };
        let Event::Key(key) = event? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let action = keys::action(screen, key);
        if action == Action::Redraw {
            terminal.clear()?;
        }
        if !action.moves() {
            if screen.carry_out(action) == Flow::Leaves {
                return Ok(());
            }
            continue;
        }
        screen.is_running = true;
        terminal.draw(|frame| draw::draw(screen, frame))?;
        keyboard.pause.store(false, Ordering::Relaxed);
        keyboard.is_busy.store(true, Ordering::Relaxed);
        let flow = screen.carry_out(action);
        keyboard.is_busy.store(false, Ordering::Relaxed);
        screen.is_running = false;
        if flow == Flow::Leaves {
            return Ok(());
        }
    }
}
