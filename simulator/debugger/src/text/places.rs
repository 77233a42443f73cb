//! Where threads are, in words: the next instruction, the source with lanes beside it, the calls.

use std::collections::BTreeMap;
use std::fmt::Write;

use warpsim::host::FragmentState;
use warpsim::lanes::Mask;
use warpsim::lower::{Pc, Place};
use warpsim::observe::lane_list;

use super::console::Console;
use super::instructions::{at, step_text};
use crate::masks::mask_text;
use crate::sources::short;
use crate::threads::ThreadId;

/// Lines of text around the next instruction.
const AROUND: u32 = 5;
/// Warps that are listed at most.
const MOST_WARPS: usize = 64;

impl Console<'_> {
    /// The next instruction of the thread in focus, with the line of its source.
    pub(super) fn here(&self) -> String {
        let focus = self.debugger.focus();
        let Some(place) = self.debugger.place(focus) else {
            return match self.debugger.outcome() {
                Some(_) => self.ending(),
                None => format!("{focus} has exited, or has not begun"),
            };
        };
        let mut text = format!("{focus} at {}", at(place));
        if let Some(line) = self.source_line(place) {
            let _ = write!(text, "\n  {line}");
        }
        text
    }

    /// The line of the source of an instruction, with its number.
    fn source_line(&self, place: &Place) -> Option<String> {
        let source = place.source.as_ref()?;
        let text = self.debugger.sources().text(&source.file)?;
        let line = text.lines().nth((source.line as usize).checked_sub(1)?)?;
        Some(format!("{:5} | {}", source.line, line.trim_end()))
    }

    pub(super) fn where_are_we(&self) -> String {
        let mut text = match self.debugger.last_step() {
            Some(step) => format!("{:6} {}", step.number, step_text(step)),
            None => "at the beginning: nothing has been executed".to_owned(),
        };
        if self.debugger.outcome().is_some() {
            let _ = write!(text, "\n{}", self.ending());
        } else if let Some(place) = self.debugger.place(self.debugger.focus()) {
            let _ = write!(text, "\n  next for {}: {}", self.debugger.focus(), at(place));
        }
        text
    }

    /// The steps from a moment on, a line each.
    pub(super) fn last_steps(&self, from: usize) -> String {
        let steps = self.debugger.stepper().trace().steps();
        let mut text = String::new();
        for step in steps.get(from..).unwrap_or_default() {
            let _ = writeln!(text, "{:6} {}", step.number, step_text(step));
        }
        text
    }

    /// The text around the thread in focus, with the lanes of its warp at each line.
    pub(super) fn list(&mut self, line: Option<u32>) -> String {
        let focus = self.debugger.focus();
        let Some(place) = self.debugger.place(focus).cloned() else {
            return format!("{focus} has not begun, or has exited");
        };
        let frame = self.debugger.looked_at(focus).ok().flatten();
        let (place, source) = match frame {
            Some(frame) => {
                let place = self.debugger.place_at(frame.pc).cloned().unwrap_or(place);
                (place, frame.position)
            }
            None => (place.clone(), place.source.as_deref().cloned()),
        };
        let in_source = source.and_then(|source| {
            let text = self.debugger.sources().text(&source.file)?;
            Some((source.file.to_string(), source.line, text))
        });
        let (file, own, text, is_source) = match in_source {
            Some((file, line, text)) => (file, line, text.to_string(), true),
            None => {
                let ptx = self.debugger.sources().ptx_of(&place);
                let (name, text) = ptx.unwrap_or_default();
                (name.to_owned(), place.line, text.to_owned(), false)
            }
        };
        let first = match (line, self.listed) {
            (Some(line), _) => line.saturating_sub(AROUND).max(1),
            (None, Some(next)) => next,
            (None, None) => own.saturating_sub(AROUND).max(1),
        };
        let last = first.saturating_add(2 * AROUND);
        self.listed = Some(last + 1);
        let lanes = self.debugger.lanes_by_line(&file, is_source);
        let lines = (1u32..).zip(text.lines()).skip(first as usize - 1).take_while(|l| l.0 <= last);
        let listed = annotated(lines, own, &lanes, self.debugger.lanes_that_exist());
        match listed.is_empty() {
            true => format!("{} has no line {first}", short(&file)),
            false => format!("{}\n{listed}", short(&file)),
        }
    }

    pub(super) fn disassemble(&self) -> String {
        let focus = self.debugger.focus();
        let (Some(pc), Some(program)) =
            (self.debugger.pc(focus), self.debugger.stepper().program())
        else {
            return format!("{focus} has not begun, or has exited");
        };
        let function = program.functions.iter().find(|f| f.entry <= pc && pc < f.end);
        let (begin, end) = function.map_or((0, program.places.len() as Pc), |f| (f.entry, f.end));
        let mut lanes: BTreeMap<u32, Mask> = BTreeMap::new();
        if let Some(warp) = self.debugger.stepper().warp(focus.block, focus.warp) {
            for fragment in &warp.fragments {
                *lanes.entry(fragment.pc).or_default() |= fragment.mask;
            }
        }
        let around = (2 * AROUND, 2 * AROUND);
        let range = pc.saturating_sub(around.0).max(begin)..(pc + around.1).min(end);
        let texts: Vec<(u32, String)> = range
            .filter_map(|pc| {
                let place = program.places.get(pc as usize)?;
                Some((pc, format!("{:4}  {}", place.line, place.text)))
            })
            .collect();
        let lines = texts.iter().map(|(pc, text)| (*pc, text.as_str()));
        annotated(lines, pc, &lanes, self.debugger.lanes_that_exist())
    }

    pub(super) fn lanes(&self) -> String {
        let focus = self.debugger.focus();
        self.warp_lines(focus.block, focus.warp, true).unwrap_or_else(|| {
            format!("block {} warp {} has not begun, or has ended", focus.block, focus.warp)
        })
    }

    /// The parts of a warp, a line each.
    fn warp_lines(&self, block: u64, warp: u32, with_exited: bool) -> Option<String> {
        let state = self.debugger.stepper().warp(block, warp)?;
        let mut text = String::new();
        for fragment in &state.fragments {
            let place = self.debugger.place_at(fragment.pc);
            let place = place.map_or_else(|| "?".to_owned(), at);
            let lanes = mask_text(fragment.mask, state.exists);
            let _ = writeln!(text, "{lanes:<32} {:<18} {place}", state_text(fragment.state));
        }
        let exited = state.exists & !state.live;
        if with_exited && exited != 0 {
            let _ = writeln!(text, "{:<32} exited", mask_text(exited, state.exists));
        }
        Some(text)
    }

    /// The warps of the block in focus.
    pub(super) fn warps(&self) -> String {
        let ThreadId { block, warp: own, .. } = self.debugger.focus();
        let Some(state) = self.debugger.stepper().block(block) else {
            return format!("block {block} has not begun, or has ended");
        };
        let mut text = String::new();
        for (number, warp) in (0..).zip(&state.warps).take(MOST_WARPS) {
            let mark = if number == own { "->" } else { "  " };
            let lines = match warp.live {
                0 => "exited\n".to_owned(),
                _ => self.warp_lines(block, number, false).unwrap_or_default(),
            };
            for (k, line) in lines.lines().enumerate() {
                let head = match k {
                    0 => format!("{mark} warp {number:<3}"),
                    _ => " ".repeat(11),
                };
                let _ = writeln!(text, "{head} {line}");
            }
        }
        text
    }

    /// The blocks that have begun and not ended.
    pub(super) fn blocks(&self) -> String {
        let stepper = self.debugger.stepper();
        let Some(launch) = stepper.launch() else { return String::new() };
        let mut text = format!("{launch}\n");
        let running = (0..launch.blocks()).filter_map(|block| stepper.block(block));
        for block in running.take(MOST_WARPS) {
            let live = block.warps.iter().filter(|warp| warp.live != 0).count();
            let [x, y, z] = block.index;
            let _ = writeln!(
                text,
                "block {} ({x},{y},{z})  {live} of {} warps have not exited",
                block.linear,
                block.warps.len()
            );
        }
        text
    }
}

/// What a part of a warp does.
fn state_text(state: FragmentState) -> String {
    match state {
        FragmentState::Ready => "ready".to_owned(),
        FragmentState::Barrier(id) => format!("at barrier {id}"),
        FragmentState::Warp(mask) => format!("waits for {}", lane_list(mask)),
    }
}

/// Lines with their numbers, a mark at one of them, and lanes behind some.
fn annotated<'t>(
    lines: impl Iterator<Item = (u32, &'t str)>,
    own: u32,
    lanes: &BTreeMap<u32, Mask>,
    exists: Mask,
) -> String {
    let mut text = String::new();
    for (number, line) in lines {
        let mark = if number == own { "->" } else { "  " };
        let line = line.trim_end();
        let lanes = lanes.get(&number).map(|mask| mask_text(*mask, exists));
        let line = match lanes {
            Some(lanes) => format!("{mark} {number:5} | {line:<56} {lanes}"),
            None => format!("{mark} {number:5} | {line}"),
        };
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
