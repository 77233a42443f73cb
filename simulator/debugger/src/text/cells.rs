//! Registers and memory, in words: values, cells in rows, and who wrote them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use warpsim::host::RegisterValue;
use warpsim::lanes::LANES;
use warpsim::names;
use warpsim::observe::format_bits;
use warpsim::ptx::{Space, Type};

use super::console::Console;
use super::instructions::{lanes_in_words, short_at, step_text};
use crate::error::DebuggerError;
use crate::expression::Expression;
use crate::regions::{Region, Target};
use crate::threads::ThreadId;

/// Cells of memory that are shown at most.
const MOST_CELLS: usize = 256;
/// The text for a value that was never written.
const NEVER_WRITTEN: &str = "-";

impl Console<'_> {
    /// An expression for each lane of the warp in focus.
    pub(super) fn each(&self, text: &str) -> Result<String, DebuggerError> {
        let expression = Expression::parse(text)?;
        let focus = self.debugger.focus();
        let values: Vec<Result<String, DebuggerError>> = (0..LANES as u32)
            .map(|lane| self.debugger.shown_of(&expression, ThreadId { lane, ..focus }))
            .collect();
        // A lane without a value is no error; a warp of them is.
        if let [Err(error), rest @ ..] = values.as_slice()
            && rest.iter().all(Result::is_err)
            && !matches!(error, DebuggerError::NeverWritten { .. })
        {
            return Err(error.clone());
        }
        let cell = |value: Result<String, _>| value.unwrap_or_else(|_| NEVER_WRITTEN.to_owned());
        let cells: Vec<String> = values.into_iter().map(cell).collect();
        Ok(format!("{text} =\n{}", grid(&cells, 0)))
    }

    pub(super) fn registers(&self, lane: Option<u32>) -> Result<String, DebuggerError> {
        let thread = match lane {
            Some(lane) => ThreadId { lane, ..self.debugger.focus() },
            None => self.debugger.focus(),
        };
        let (block, warp, index) = (thread.block, thread.warp, thread.lane as usize);
        let stepper = self.debugger.stepper();
        let level = self.debugger.level_of(thread)?;
        let written: BTreeSet<Arc<str>> = stepper.written_in(block, warp, index, level);
        let value = |(name, value): (Arc<str>, RegisterValue)| match written.contains(&name) {
            true => format!("{name} = {}", format_bits(value.ty, value.bits)),
            false => format!("{name} = {NEVER_WRITTEN}"),
        };
        let all: Vec<String> =
            stepper.registers_of(block, warp, index, level).into_iter().map(value).collect();
        if all.is_empty() {
            return Ok(format!("{thread}\n  it has not begun, or has exited"));
        }
        let rows: Vec<String> = all.chunks(6).map(|row| format!("  {}", row.join("   "))).collect();
        let frame = match self.debugger.frame() {
            0 => String::new(),
            frame => format!(" frame {frame}"),
        };
        Ok(format!("{thread}{frame}\n{}", rows.join("\n")))
    }

    pub(super) fn memory(&self, what: &str, ty: Option<Type>) -> Result<String, DebuggerError> {
        match self.debugger.target(what, ty)? {
            Target::Register(..) => Ok(format!("{what} = {}", self.debugger.shown(what)?)),
            Target::Memory(region) => {
                let cells = self.debugger.cells(&region)?;
                let cells: Vec<String> = cells.iter().map(|cell| cell.value.to_string()).collect();
                Ok(grid(&cells, region.first))
            }
        }
    }

    /// Who wrote a register or cells last.
    pub(super) fn who(&self, what: &str, ty: Option<Type>) -> Result<String, DebuggerError> {
        let target = self.debugger.target(what, ty)?;
        let mut text = match &target {
            Target::Memory(region) if region.cells > 1 => return Ok(self.writers(region)),
            Target::Memory(_) | Target::Register(..) => String::new(),
        };
        match self.debugger.last_write(&target) {
            None => {
                let _ = write!(text, "{target}: this launch has not written it");
            }
            Some((step, lanes)) => {
                let _ = write!(
                    text,
                    "{target}: written last by {} of block {} warp {}\n{:6} {}",
                    lanes_in_words(lanes),
                    step.block,
                    step.warp,
                    step.number,
                    step_text(step)
                );
            }
        }
        Ok(text)
    }

    /// The last writers of many cells: as a grid of threads, and the instructions they did it with.
    fn writers(&self, region: &Region) -> String {
        let writers = self.debugger.writers(region);
        let steps = self.debugger.stepper().trace().steps();
        let own = self.debugger.focus().block;
        let cell = |writer: &Option<crate::history::Writer>| match writer {
            None => NEVER_WRITTEN.to_owned(),
            Some(writer) => {
                let ThreadId { block, warp, lane } = writer.thread;
                let several = if writer.lanes.is_power_of_two() { "" } else { "+" };
                match region.block == Some(own) || block == own {
                    true => format!("{warp}:{lane}{several}"),
                    false => format!("{block}:{warp}:{lane}{several}"),
                }
            }
        };
        let cells: Vec<String> = writers.iter().map(cell).collect();
        let mut text = format!(
            "{region}: the last writer of each cell, as warp:lane of block {own}, or \
             block:warp:lane; + for several lanes, {NEVER_WRITTEN} for none\n{}",
            grid(&cells, region.first)
        );
        let places: BTreeSet<String> = writers
            .iter()
            .flatten()
            .filter_map(|writer| steps.get(writer.step))
            .map(|step| format!("\n  by {}", short_at(step)))
            .collect();
        text.extend(places);
        text
    }

    pub(super) fn variables(&self) -> String {
        let mut lines = Vec::new();
        for variable in self.debugger.stepper().variables() {
            let space = match variable.space {
                Space::Shared => "shared",
                _ => "global",
            };
            let ty = variable.ty.map(|ty| format!(" {ty}")).unwrap_or_default();
            lines.push(format!(
                "{}  {space}{ty}, {} bytes at {:#x}",
                variable.name, variable.bytes, variable.address
            ));
        }
        if lines.is_empty() { "the program has no variables".to_owned() } else { lines.join("\n") }
    }

    pub(super) fn functions(&self) -> String {
        let Some(program) = self.debugger.stepper().program() else { return String::new() };
        let line = |function: &warpsim::lower::Function| {
            let name = names::readable(&function.name);
            format!("{name}  instructions {:#x} to {:#x}", function.entry, function.end)
        };
        program.functions.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Cells in rows of eight or sixteen with the index of the first.
pub(super) fn grid(cells: &[String], first: u64) -> String {
    let widest = cells.iter().take(MOST_CELLS).map(String::len).max().unwrap_or(1);
    let per_row = if widest > 6 { 8 } else { 16 };
    let mut text = String::new();
    let starts = (first..).step_by(per_row);
    for (row, start) in cells.chunks(per_row).take(MOST_CELLS / per_row).zip(starts) {
        let row: Vec<String> = row.iter().map(|c| format!("{c:>widest$}")).collect();
        let _ = writeln!(text, "{start:5} | {}", row.join(" "));
    }
    if cells.len() > MOST_CELLS {
        let _ = writeln!(text, "      ... {} more", cells.len() - MOST_CELLS);
    }
    text.trim_end().to_owned()
}
