//! A person's session: commands in, answers out.

use super::command::{self, Command, Focus, Frame, Info, Removed};
use super::instructions::at;
use warpsim::schedule::Schedule;

use crate::error::DebuggerError;
use crate::session::Debugger;
use crate::stops::{SessionEnd, Stop};
use crate::threads::ThreadId;

/// What a line of commands had to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Said {
    /// Text for the person, without the last line feed.
    pub text: String,
    /// What was not understood, or could not be done. Commands behind it were not carried out.
    pub error: Option<String>,
    /// The person wants to leave, and how.
    pub end: Option<SessionEnd>,
}

/// A person's session with a debugger.
#[derive(Debug)]
pub struct Console<'a> {
    pub(super) debugger: Debugger<'a>,
    last: Option<Command>,
    /// The next line that `list` shows, when it is typed again.
    pub(super) listed: Option<u32>,
}

impl<'a> Console<'a> {
    /// A session with this launch.
    pub fn new(debugger: Debugger<'a>) -> Console<'a> {
        Console { debugger, last: None, listed: None }
    }

    /// The launch.
    pub fn debugger(&self) -> &Debugger<'a> {
        &self.debugger
    }

    /// The launch, to move it.
    pub fn debugger_mut(&mut self) -> &mut Debugger<'a> {
        &mut self.debugger
    }

    /// The names of all commands, for completion.
    pub fn command_names() -> impl Iterator<Item = &'static str> {
        command::TABLE.iter().flat_map(|row| row.names.iter().copied())
    }

    /// Repeats the last command, as an empty line at a terminal does.
    pub fn repeat(&mut self) -> Said {
        match self.last.clone() {
            Some(command) => self.carry_out(command),
            None => Said::default(),
        }
    }

    /// Carries out a line of commands with `;` between them. An error ends the line.
    pub fn execute(&mut self, line: &str) -> Said {
        let mut all = Said::default();
        let line = line.split_once('#').map_or(line, |(commands, _)| commands);
        for text in line.split(';').map(str::trim).filter(|text| !text.is_empty()) {
            let said = match Command::parse(text) {
                Ok(command) => self.carry_out(command),
                Err(error) => Said { error: Some(error), ..Said::default() },
            };
            if !all.text.is_empty() && !said.text.is_empty() {
                all.text.push('\n');
            }
            all.text += &said.text;
            (all.error, all.end) = (said.error, said.end);
            if all.end.is_some() || all.error.is_some() {
                break;
            }
        }
        all
    }

    fn carry_out(&mut self, command: Command) -> Said {
        let end = match &command {
            Command::Quit => Some(SessionEnd::Terminates),
            Command::Detach => Some(SessionEnd::GoesOn),
            _ => None,
        };
        if end.is_some() {
            return Said { end, ..Said::default() };
        }
        let said = self.answer(&command);
        if !matches!(command, Command::List(_)) {
            self.listed = None;
        }
        self.last = Some(command);
        match said {
            Ok(text) => Said { text: text.trim_end().to_owned(), ..Said::default() },
            Err(error) => Said { error: Some(error.to_string()), ..Said::default() },
        }
    }

    fn answer(&mut self, command: &Command) -> Result<String, DebuggerError> {
        Ok(match command {
            Command::Line { count, unit, over } => {
                self.repeat_move(*count, |debugger| debugger.step_line(*unit, *over))
            }
            Command::BackLine { count, over } => {
                self.repeat_move(*count, |debugger| debugger.back_line(*over))
            }
            Command::Instruction(count) => self.narrate(*count, |debugger| debugger.step_thread(1)),
            Command::BackInstruction(count) => {
                let stop = self.debugger.back_thread(*count);
                self.arrived(&stop)
            }
            Command::Turn(count) => self.narrate(*count, |debugger| debugger.step_instructions(1)),
            Command::Back(count) => {
                self.debugger.back(*count);
                self.where_are_we()
            }
            Command::Goto(moment) => {
                self.debugger.go_to(*moment);
                self.where_are_we()
            }
            Command::Continue(passes) => self.repeat_stop(*passes, |debugger| debugger.go_on()),
            Command::Run => {
                self.debugger.go_to(0);
                let stop = self.debugger.go_on();
                self.arrived(&stop)
            }
            Command::BackContinue => {
                let stop = self.debugger.go_back();
                self.arrived(&stop)
            }
            Command::Break { location, thread, condition } => {
                let location = location.clone();
                let id = self.debugger.add_breakpoint(location, condition.clone(), *thread)?;
                self.described(id)
            }
            Command::Watch { what, ty, kind, condition } => {
                let target = self.debugger.target(what, *ty)?;
                let id = self.debugger.add_watch(target, *kind, condition.clone())?;
                self.described(id)
            }
            Command::Delete(removed) => self.remove(removed)?,
            Command::Ignore { id, count } => {
                self.debugger.ignore(*id, *count)?;
                format!("breakpoint {id} passes over its next {count} hits")
            }
            Command::Print(text) => format!("{text} = {}", self.debugger.shown(text)?),
            Command::Each(text) => self.each(text)?,
            Command::Registers(lane) => self.registers(*lane)?,
            Command::Memory { what, ty } => self.memory(what, *ty)?,
            Command::Who { what, ty } => self.who(what, *ty)?,
            Command::Lanes => self.lanes(),
            Command::Where => self.where_are_we(),
            Command::List(line) => self.list(*line),
            Command::Disassemble => self.disassemble(),
            Command::Backtrace => self.backtrace(),
            Command::Frame(frame) => self.choose_frame(*frame)?,
            Command::Info(info) => self.info(*info)?,
            Command::Focus(focus) => self.focus(*focus)?,
            Command::Schedule(text) => {
                let schedule: Box<dyn Schedule> = text
                    .parse()
                    .map_err(|error| DebuggerError::Schedule { reason: format!("{error}") })?;
                self.debugger.set_schedule(schedule);
                format!("goes on under {text}")
            }
            Command::Help(of) => match command::help(of.as_deref()) {
                Some(text) => text,
                None => format!("there is no command `{}`", of.as_deref().unwrap_or_default()),
            },
            // Handled before.
            Command::Quit | Command::Detach => String::new(),
        })
    }

    /// Moves this many times, until something else stops.
    fn repeat_move(
        &mut self,
        count: u64,
        mut once: impl FnMut(&mut Debugger<'a>) -> Stop,
    ) -> String {
        let mut stop = Stop::Moved;
        for _ in 0..count {
            stop = once(&mut self.debugger);
            if stop != Stop::Moved {
                break;
            }
        }
        self.arrived(&stop)
    }

    /// Goes on, over this many stops.
    fn repeat_stop(
        &mut self,
        passes: u64,
        mut once: impl FnMut(&mut Debugger<'a>) -> Stop,
    ) -> String {
        let mut stop = once(&mut self.debugger);
        for _ in 0..passes {
            if stop == Stop::Ended {
                break;
            }
            stop = once(&mut self.debugger);
        }
        self.arrived(&stop)
    }

    /// Moves this many times, and says what each step did.
    fn narrate(&mut self, count: u64, mut once: impl FnMut(&mut Debugger<'a>) -> Stop) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let before = self.debugger.moment();
            let stop = once(&mut self.debugger);
            if stop == Stop::Moved {
                text += &self.last_steps(before);
            } else {
                text += &self.arrived(&stop);
                break;
            }
        }
        text
    }

    fn remove(&mut self, removed: &Removed) -> Result<String, DebuggerError> {
        let ids: Vec<u32> = match removed {
            Removed::Id(id) => vec![*id],
            Removed::At(location) => {
                let at = self.debugger.breakpoints().iter().filter(|b| b.location == *location);
                at.map(|breakpoint| breakpoint.id).collect()
            }
            Removed::All => {
                let breakpoints = self.debugger.breakpoints().iter().map(|b| b.id);
                breakpoints.chain(self.debugger.watches().iter().map(|w| w.id)).collect()
            }
        };
        for id in &ids {
            self.debugger.delete(*id)?;
        }
        Ok(match ids.as_slice() {
            [] => "there is no such breakpoint; `info breakpoints` lists them".to_owned(),
            [one] => format!("removed {one}"),
            several => format!("removed {} breakpoints and watchpoints", several.len()),
        })
    }

    fn info(&mut self, info: Info) -> Result<String, DebuggerError> {
        Ok(match info {
            Info::Breakpoints => self.list_stops(),
            Info::Warps => self.warps(),
            Info::Blocks => self.blocks(),
            Info::Barriers => self.barriers(),
            Info::Locals => self.locals()?,
            Info::Arguments => self.arguments()?,
            Info::Registers => self.registers(None)?,
            Info::Frame => self.choose_frame(Frame::Same)?,
            Info::Variables => self.variables(),
            Info::Functions => self.functions(),
        })
    }

    fn focus(&mut self, focus: Focus) -> Result<String, DebuggerError> {
        let mut thread = self.debugger.focus();
        match focus {
            Focus::Block(block) => thread.block = block,
            Focus::Warp(warp) => thread.warp = warp,
            Focus::Lane(lane) => thread.lane = lane,
            Focus::Thread(other) => thread = other,
            Focus::Coordinates { thread: index, block } => {
                thread = self.thread_at(index, block)?;
            }
        }
        self.check_in_launch(thread)?;
        self.debugger.set_focus(thread);
        let state = match self.debugger.place(thread) {
            Some(place) => format!("; next {}", at(place)),
            None => " has not begun, or has exited".to_owned(),
        };
        Ok(format!("{thread}{state}"))
    }

    /// The thread with this `threadIdx`, in the block in focus or in the one with this `blockIdx`.
    fn thread_at(
        &self,
        index: [u32; 3],
        block: Option<[u32; 3]>,
    ) -> Result<ThreadId, DebuggerError> {
        let Some(launch) = self.debugger.stepper().launch() else {
            return Ok(self.debugger.focus());
        };
        let linear = |index: [u32; 3], extent: [u32; 3]| {
            let is_inside = index.iter().zip(extent).all(|(at, all)| *at < all);
            let [x, y, z] = index.map(u64::from);
            let [nx, ny, _] = extent.map(u64::from);
            is_inside.then_some(x + nx * (y + ny * z))
        };
        let in_block = linear(index, launch.block);
        let block = match block {
            Some(index) => linear(index, launch.grid),
            None => Some(self.debugger.focus().block),
        };
        match (in_block, block) {
            (Some(thread), Some(block)) => {
                let (warp, lane) = ((thread / 32) as u32, (thread % 32) as u32);
                Ok(ThreadId { block, warp, lane })
            }
            (None, _) | (_, None) => {
                let [x, y, z] = index;
                let thread = format!("thread ({x},{y},{z})");
                Err(DebuggerError::OutsideLaunch { thread, launch: launch.to_string() })
            }
        }
    }

    fn check_in_launch(&self, thread: ThreadId) -> Result<(), DebuggerError> {
        let Some(launch) = self.debugger.stepper().launch() else { return Ok(()) };
        let linear = thread.warp.saturating_mul(32).saturating_add(thread.lane);
        match thread.block < launch.blocks() && linear < launch.threads_per_block() {
            true => Ok(()),
            false => Err(DebuggerError::OutsideLaunch {
                thread: thread.to_string(),
                launch: launch.to_string(),
            }),
        }
    }

    /// Why the launch has stopped, and where.
    pub fn stop_text(&self, stop: &Stop) -> String {
        self.arrived(stop)
    }
}
