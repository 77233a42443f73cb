//! A text of the program: where the thread in focus is, the lanes of its warp at each line, and the
//! breakpoints.
//!
//! A thread that has exited is shown at its last instruction, and one that has not begun at the
//! kernel's first. An instruction without a line of the source belongs to the line before it.

use std::collections::BTreeMap;
use std::rc::Rc;

use warpsim::lanes::Mask;
use warpsim::lower::{Pc, Place};
use warpsim::observe::Step;

use crate::breakpoints::{Breakpoint, Location};
use crate::session::Debugger;
use crate::sources::same_file;
use crate::threads::ThreadId;

/// Which text of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOf {
    /// The source, where there is one.
    Source,
    /// The PTX.
    Ptx,
}

/// A text with notes on its lines.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// The file's name.
    pub file: String,
    /// Its lines belong to the source, not to the PTX.
    pub is_source: bool,
    /// The text.
    pub text: Rc<str>,
    /// The line of the thread in focus, from 1.
    pub line: u32,
    /// The thread executes this line next. Otherwise it has exited, and was here last.
    pub is_next: bool,
    /// The lanes of the warp in focus, by their lines.
    pub lanes: BTreeMap<u32, Mask>,
    /// The lanes that the warp has.
    pub exists: Mask,
    /// The numbers of breakpoints, by their lines.
    pub breakpoints: BTreeMap<u32, u32>,
}

impl Listing {
    /// What a breakpoint at a line of the text names.
    pub fn location(&self, line: u32) -> Location {
        Location::Line { file: self.is_source.then(|| self.file.clone()), line }
    }
}

impl Debugger<'_> {
    /// The text around the thread in focus. `None` where the program has no instruction.
    pub fn listing(&self, of: TextOf) -> Option<Listing> {
        let (pc, is_next) = match (self.pc(self.focus()), self.last_step_of(self.focus())) {
            (Some(pc), _) => (pc, true),
            (None, Some(step)) => (step.pc(), false),
            (None, None) => (self.stepper.program()?.functions.first()?.entry, true),
        };
        let place = self.place_at(pc)?;
        let in_source = match of {
            TextOf::Source => self.source_at(pc),
            TextOf::Ptx => None,
        };
        let (file, line, text, is_source) = match in_source {
            Some((file, line, text)) => (file, line, text, true),
            None => {
                let (file, text) = self.sources().ptx_of(place)?;
                (file.to_owned(), place.line, text.into(), false)
            }
        };
        let lanes = self.lanes_by_line(&file, is_source);
        let breakpoints = self.breakpoints_by_line(&file, is_source);
        let exists = self.lanes_that_exist();
        Some(Listing { file, is_source, text, line, is_next, lanes, exists, breakpoints })
    }

    /// The last step of a thread so far.
    pub fn last_step_of(&self, thread: ThreadId) -> Option<&Step> {
        let ThreadId { block, warp, lane } = thread;
        let mut steps = self.stepper.trace().steps().iter().rev();
        steps.find(|s| (s.block, s.warp) == (block, warp) && s.mask >> lane & 1 == 1)
    }

    /// The line of the source of an operation, or of the nearest one before it in its function.
    fn source_at(&self, pc: Pc) -> Option<(String, u32, Rc<str>)> {
        let program = self.stepper.program()?;
        let entry = program.functions.iter().find(|f| f.entry <= pc && pc < f.end)?.entry;
        let mut before = (entry..=pc).rev().filter_map(|pc| self.place_at(pc));
        let source = before.find_map(|place| place.source.as_ref())?;
        let text = self.sources().text(&source.file)?;
        Some((source.file.to_string(), source.line, text))
    }

    /// The lanes of the warp in focus that exist.
    pub(crate) fn lanes_that_exist(&self) -> Mask {
        let focus = self.focus();
        self.stepper.warp(focus.block, focus.warp).map_or(0, |warp| warp.exists)
    }

    /// The lanes of the warp in focus by their lines in a file.
    pub(crate) fn lanes_by_line(&self, file: &str, is_source: bool) -> BTreeMap<u32, Mask> {
        let focus = self.focus();
        let mut lanes: BTreeMap<u32, Mask> = BTreeMap::new();
        let Some(warp) = self.stepper.warp(focus.block, focus.warp) else { return lanes };
        for fragment in &warp.fragments {
            let place = self.place_at(fragment.pc);
            let Some(line) = place.and_then(|place| line_in(place, file, is_source)) else {
                continue;
            };
            *lanes.entry(line).or_default() |= fragment.mask;
        }
        lanes
    }

    fn breakpoints_by_line(&self, file: &str, is_source: bool) -> BTreeMap<u32, u32> {
        let line = |breakpoint: &Breakpoint| match &breakpoint.location {
            Location::Line { file: Some(of), line } if is_source && same_file(of, file) => {
                Some(*line)
            }
            Location::Line { file: None, line } if !is_source => Some(*line),
            Location::Line { .. } | Location::Function(_) | Location::Address(_) => {
                let places = breakpoint.operations.iter().filter_map(|pc| self.place_at(*pc));
                places.filter_map(|place| line_in(place, file, is_source)).next()
            }
        };
        let numbered = self.breakpoints().iter().filter_map(|b| Some((line(b)?, b.id)));
        numbered.collect()
    }
}

/// The line of an instruction in a file of the source, or in the PTX.
fn line_in(place: &Place, file: &str, is_source: bool) -> Option<u32> {
    match (&place.source, is_source) {
        (Some(source), true) if *source.file == *file => Some(source.line),
        (_, true) => None,
        (_, false) => Some(place.line),
    }
}
