//! What keys do to the launch: moves, breakpoints, watchpoints, the thread in focus.

use std::sync::atomic::Ordering;

use warpsim::lanes::LANES;
use warpsim_debugger::{Debugger, Over, Stop, Unit, WatchKind};

use super::state::{Kind, Screen};

/// Instructions between two looks at whether the launch should pause, on the way to its end.
const SLICE: usize = 4096;

/// A move of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// To another line, into calls.
    Step,
    /// To another line, over calls.
    Next,
    /// Out of the function.
    Finish,
    /// An instruction of the thread in focus.
    Instruction,
    /// An instruction of the warp that the schedule moves.
    Turn,
    /// To a stop.
    Continue,
    /// To the end, whatever stops.
    End,
}

/// Onwards or backwards; also to a larger or a smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Back,
}

/// A part of the launch that a person looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Block,
    Warp,
    Lane,
}

impl Screen<'_> {
    /// Moves the launch, and says what stopped it.
    pub(super) fn go(&mut self, motion: Motion, direction: Direction) {
        let before = self.debugger().moment();
        let motion = self.possible(motion, direction);
        let stop = match direction {
            Direction::Forward => forward(self.debugger_mut(), motion),
            Direction::Back => back(self.debugger_mut(), motion),
        };
        self.say_printed(before);
        if stop != Stop::Moved {
            let text = self.reason(&stop);
            self.say(Kind::Said, &text);
        }
        self.refresh();
    }

    /// Why the launch stopped. The panes show where it did.
    fn reason(&self, stop: &Stop) -> String {
        let place = self.console().stop_text(&Stop::Moved);
        let text = self.console().stop_text(stop);
        match text.strip_suffix(&place).map(str::trim_end) {
            None | Some("") => text,
            Some(reason) => reason.to_owned(),
        }
    }

    /// A thread that has exited no longer moves: then the warp moves that the schedule chooses.
    fn possible(&mut self, motion: Motion, direction: Direction) -> Motion {
        let debugger = self.debugger();
        let focus = debugger.focus();
        let has_exited = debugger.pc(focus).is_none() && debugger.last_step_of(focus).is_some();
        let is_gone = has_exited && debugger.outcome().is_none();
        match motion {
            Motion::Step | Motion::Next | Motion::Finish | Motion::Instruction
                if is_gone && direction == Direction::Forward =>
            {
                let text = format!("{focus} has exited: an instruction of another thread instead");
                self.say(Kind::Said, &text);
                Motion::Turn
            }
            Motion::Step
            | Motion::Next
            | Motion::Finish
            | Motion::Instruction
            | Motion::Turn
            | Motion::Continue
            | Motion::End => motion,
        }
    }

    /// Adds a breakpoint at the line of the cursor, or removes the one there.
    pub(super) fn toggle_breakpoint(&mut self) {
        let Some(listing) = &self.view.listing else { return };
        let (location, id) =
            (listing.location(self.cursor), listing.breakpoints.get(&self.cursor).copied());
        let said = match id {
            Some(id) => self.debugger_mut().delete(id).map(|()| format!("removed {id}")),
            None => {
                let text = location.to_string();
                let added = self.debugger_mut().add_breakpoint(location, None, None);
                added.map(|id| format!("breakpoint {id} at {text}"))
            }
        };
        match said {
            Ok(text) => self.say(Kind::Said, &text),
            Err(error) => self.say(Kind::Mistake, &format!("error: {error}")),
        }
        self.refresh();
    }

    /// Watches writes to the selected cell, or no longer.
    pub(super) fn toggle_watch(&mut self) {
        match self.watched_or_not() {
            Ok(text) => self.say(Kind::Said, &text),
            Err(error) => self.say(Kind::Mistake, &format!("error: {error}")),
        }
        self.refresh();
    }

    fn watched_or_not(&mut self) -> Result<String, String> {
        let target = self.selection.target(self.debugger())?;
        let watches = self.debugger().watches();
        let id = watches.iter().find(|watch| watch.target == target).map(|watch| watch.id);
        let name = target.to_string();
        let debugger = self.debugger_mut();
        let said = match id {
            Some(id) => debugger.delete(id).map(|()| format!("removed {id}")),
            None => {
                let added = debugger.add_watch(target, WatchKind::Writes, None);
                added.map(|id| format!("watchpoint {id}: stops after writes to {name}"))
            }
        };
        said.map_err(|error| error.to_string())
    }

    /// Looks at the next block, warp or lane, or at the one before.
    pub(super) fn look_at(&mut self, part: Part, direction: Direction) {
        let mut thread = self.debugger().focus();
        let blocks = self.debugger().stepper().launch().map_or(1, |launch| launch.blocks());
        let warps = u32::try_from(self.view.warps.len()).unwrap_or(u32::MAX);
        match part {
            Part::Block => thread.block = beside(thread.block, blocks, direction),
            Part::Warp => {
                let warp = beside(u64::from(thread.warp), u64::from(warps), direction);
                thread.warp = u32::try_from(warp).unwrap_or(0);
            }
            Part::Lane => {
                let row = self.view.warps.get(thread.warp as usize);
                let lanes = row.map_or(LANES as u64, |row| u64::from(row.exists.count_ones()));
                let lane = beside(u64::from(thread.lane), lanes, direction);
                thread.lane = u32::try_from(lane).unwrap_or(0);
            }
        }
        self.debugger_mut().set_focus(thread);
        self.refresh();
    }

    pub(super) fn choose_variable(&mut self, direction: Direction) {
        let mut selection = self.selection.clone();
        selection.turn(self.debugger(), direction == Direction::Forward);
        self.selection = selection;
        self.refresh();
    }

    pub(super) fn select_cell(&mut self, by: i64) {
        let cells = self.view.memory.region.as_ref().map_or(0, |region| region.cells);
        self.selection.move_by(by, cells);
        self.refresh();
    }
}

/// The number beside one of this many, without going round.
fn beside(number: u64, count: u64, direction: Direction) -> u64 {
    match direction {
        Direction::Forward => (number + 1).min(count.saturating_sub(1)),
        Direction::Back => number.saturating_sub(1),
    }
}

fn forward(debugger: &mut Debugger<'_>, motion: Motion) -> Stop {
    match motion {
        Motion::Step => debugger.step_line(Unit::Thread, Over::Nothing),
        Motion::Next => debugger.step_line(Unit::Thread, Over::Calls),
        Motion::Finish => debugger.step_line(Unit::Thread, Over::Function),
        Motion::Instruction => debugger.step_thread(1),
        Motion::Turn => debugger.step_instructions(1),
        Motion::Continue => debugger.go_on(),
        Motion::End => to_end(debugger),
    }
}

fn back(debugger: &mut Debugger<'_>, motion: Motion) -> Stop {
    match motion {
        Motion::Step => debugger.back_line(Over::Nothing),
        Motion::Next => debugger.back_line(Over::Calls),
        Motion::Finish => debugger.back_line(Over::Function),
        Motion::Instruction => debugger.back_thread(1),
        Motion::Turn => debugger.back(1),
        Motion::Continue => debugger.go_back(),
        Motion::End => debugger.go_to(0),
    }
}

fn to_end(debugger: &mut Debugger<'_>) -> Stop {
    let pause = debugger.pause_flag();
    loop {
        let before = debugger.moment();
        let stop = debugger.go_to(before.saturating_add(SLICE));
        if stop == Stop::Ended || debugger.moment() == before {
            return Stop::Ended;
        }
        if pause.swap(false, Ordering::Relaxed) {
            return Stop::Paused;
        }
    }
}
