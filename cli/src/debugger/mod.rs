//! The line debugger: commands in, text out, around a [`Stepper`].

pub(crate) mod command;
pub(crate) mod lines;

use std::fmt::Write;
use std::sync::Arc;

use warpsim::host::{ArgumentPlace, Arrival, Pointer, RegisterValue, Stepper};
use warpsim::internal::InternalError;
use warpsim::lanes::{LANES, Mask};
use warpsim::lower;
use warpsim::observe::{format_bits, lane_list, width};
use warpsim::ptx::{Source, Type};
use warpsim::report::{Finding, Outcome};

use crate::launch::Buffer;
use crate::render::findings;
use crate::render::step_line;
use command::{Command, Focus, HELP, Line, Place};

/// Cells of memory that are shown at most.
const MOST_CELLS: usize = 256;
/// What stands for a value that is none.
const NEVER_WRITTEN: &str = "-";
/// Lines of text around the next instruction.
const AROUND: u32 = 4;

/// A launch that is being stepped through, and what is looked at.
pub(crate) struct Debugger<'a> {
    stepper: Stepper<'a>,
    source: Source,
    buffers: Vec<Buffer>,
    breakpoints: Vec<Line>,
    block: u64,
    warp: u32,
    lane: u32,
}

impl<'a> Debugger<'a> {
    /// At the beginning of a launch, looking at lane 0 of warp 0 of block 0.
    pub(crate) fn new(stepper: Stepper<'a>, source: Source, buffers: Vec<Buffer>) -> Debugger<'a> {
        let breakpoints = Vec::new();
        Debugger { stepper, source, buffers, breakpoints, block: 0, warp: 0, lane: 0 }
    }

    /// How the launch ended, when it has.
    pub(crate) fn outcome(&self) -> Option<(Outcome, Option<Finding>)> {
        self.stepper.outcome()
    }

    /// The bug in warpsim that stopped the launch, if one did.
    pub(crate) fn bug(&self) -> Option<&InternalError> {
        self.stepper.bug()
    }

    /// Carries a command out; the text is what it has to say. `None` is `quit`.
    pub(crate) fn execute(&mut self, command: &Command) -> Option<String> {
        Some(match command {
            Command::Step(count) => self.step(*count),
            Command::Back(count) => {
                let target =
                    self.moment().saturating_sub(usize::try_from(*count).unwrap_or(usize::MAX));
                self.go_to(target)
            }
            Command::Goto(moment) => self.go_to(*moment),
            Command::Continue => self.go_on(),
            Command::Break(line) => self.add_breakpoint(line),
            Command::Delete(line) => self.delete_breakpoint(line),
            Command::Breakpoints => self.list_breakpoints(),
            Command::Registers(lane) => self.registers(lane.unwrap_or(self.lane)),
            Command::Print { register, lane } => self.print(register, *lane),
            Command::Memory { what, ty } => self.memory(what, *ty),
            Command::Lanes => self.lanes(),
            Command::Where => self.where_are_we(),
            Command::List => self.list(),
            Command::Focus(focus) => self.focus(*focus),
            Command::Help => HELP.to_owned(),
            Command::Quit => return None,
        })
    }

    /// Instructions executed so far.
    fn moment(&self) -> usize {
        self.stepper.trace().steps().len()
    }

    fn step(&mut self, count: u64) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let Some(step) = self.stepper.step() else {
                text += &self.ending();
                break;
            };
            let _ = writeln!(text, "{:6} {}", step.number, step_line(step));
            let (block, warp, lanes) = (step.block, step.warp, step.mask);
            self.follow(block, warp, lanes);
        }
        text.trim_end().to_owned()
    }

    /// What there is to say when nothing can move any more.
    fn ending(&self) -> String {
        match self.stepper.outcome() {
            Some((outcome, Some(finding))) => {
                format!("the launch has ended: {outcome}: {}", finding.explanation)
            }
            Some((outcome, None)) => format!("the launch has ended: {outcome}"),
            None => "nothing can move".to_owned(),
        }
    }

    fn go_to(&mut self, moment: usize) -> String {
        self.stepper.go_to(moment);
        let last = self.stepper.trace().steps().last();
        if let Some((block, warp, lanes)) = last.map(|step| (step.block, step.warp, step.mask)) {
            self.follow(block, warp, lanes);
        }
        self.where_are_we()
    }

    /// Looks at lanes that have moved, or are about to: at the lane in focus if it is one of them.
    fn follow(&mut self, block: u64, warp: u32, lanes: Mask) {
        (self.block, self.warp) = (block, warp);
        if lanes >> self.lane & 1 == 0 {
            self.lane = lanes.trailing_zeros();
        }
    }

    fn go_on(&mut self) -> String {
        let places = self.breakpoints.iter().map(|line| |place: &lower::Place| line.is_at(place));
        let places: Vec<_> = places.collect();
        let Some(arrival) = self.stepper.run_to(&places) else { return self.ending() };
        let line = self.breakpoints.get(arrival.place).map(Line::to_string).unwrap_or_default();
        self.follow(arrival.block, arrival.warp, arrival.lanes);
        let lanes = match lane_list(arrival.lanes) {
            all if all == "all" => "all lanes".to_owned(),
            one if arrival.lanes.is_power_of_two() => format!("lane {one}"),
            several => format!("lanes {several}"),
        };
        let Arrival { block, warp, .. } = arrival;
        format!(
            "{lanes} of block {block} warp {warp} stopped before {line}\n{}",
            self.where_are_we()
        )
    }

    fn add_breakpoint(&mut self, line: &Line) -> String {
        let exists = self
            .stepper
            .program()
            .is_some_and(|program| program.places.iter().any(|place| line.is_at(place)));
        if !exists {
            return format!("no instruction of this kernel stands at {line}");
        }
        if !self.breakpoints.contains(line) {
            self.breakpoints.push(line.clone());
        }
        format!("will stop before {line}")
    }

    fn delete_breakpoint(&mut self, line: &Line) -> String {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|b| b != line);
        match self.breakpoints.len() < before {
            true => format!("no longer stops before {line}"),
            false => format!("there is no breakpoint at {line}"),
        }
    }

    fn list_breakpoints(&self) -> String {
        let lines: Vec<String> = self.breakpoints.iter().map(Line::to_string).collect();
        if lines.is_empty() { "no breakpoints".to_owned() } else { lines.join("\n") }
    }

    fn registers(&self, lane: u32) -> String {
        let text = format!("{}\n", self.focused(lane));
        let (block, warp, index) = (self.block, self.warp, lane as usize);
        let written = self.stepper.written(block, warp, index);
        let value = |(name, value): (Arc<str>, RegisterValue)| match written.contains(&name) {
            true => format!("{name} = {}", format_bits(value.ty, value.bits)),
            false => format!("{name} = {NEVER_WRITTEN}"),
        };
        let all: Vec<String> =
            self.stepper.registers(block, warp, index).into_iter().map(value).collect();
        if all.is_empty() {
            return format!("{text}  it has not begun, or has exited");
        }
        let rows = all.chunks(6).map(|row| format!("  {}", row.join("   ")));
        text + &rows.collect::<Vec<_>>().join("\n")
    }

    fn focused(&self, lane: u32) -> String {
        format!("block {} warp {} lane {lane}", self.block, self.warp)
    }

    fn print(&self, register: &str, lane: Option<u32>) -> String {
        let lanes = lane.map_or(0..LANES, |l| l as usize..l as usize + 1);
        let value = |lane: usize| {
            let value = self.stepper.register(self.block, self.warp, lane, register)?;
            let is_written = self.stepper.written(self.block, self.warp, lane).contains(register);
            let text = is_written.then(|| format_bits(value.ty, value.bits));
            Some(text.unwrap_or_else(|| NEVER_WRITTEN.to_owned()))
        };
        let values: Vec<Option<String>> = lanes.clone().map(value).collect();
        if values.iter().all(Option::is_none) {
            return format!(
                "no lane of block {} warp {} has a register `{register}` now",
                self.block, self.warp
            );
        }
        let cells: Vec<String> =
            values.into_iter().map(|v| v.unwrap_or_else(|| NEVER_WRITTEN.to_owned())).collect();
        match lane {
            Some(lane) => format!("{register} = {} in lane {lane}", cells.join("")),
            None => format!("{register} =\n{}", grid(&cells)),
        }
    }

    fn memory(&self, what: &Place, ty: Option<Type>) -> String {
        let ty = |default| ty.unwrap_or(default);
        let cells = match what {
            Place::Symbol(name) => {
                let ty = ty(Type::S32);
                let cells = self.stepper.shared(self.block, name, ty);
                cells.map(|bits| bits.into_iter().map(|b| format_bits(ty, b)).collect())
            }
            Place::Parameter(k) => self.buffer(*k, ty),
        };
        match (cells, what) {
            (Some(cells), _) => grid(&cells),
            (None, Place::Symbol(name)) => {
                let known = self.stepper.program().map(|p| {
                    p.shared.iter().map(|s| s.name.to_string()).collect::<Vec<_>>().join(", ")
                });
                format!(
                    "no shared variable `{name}` in block {} now; the kernel has: {}",
                    self.block,
                    known.filter(|k| !k.is_empty()).unwrap_or_else(|| "none".to_owned())
                )
            }
            (None, Place::Parameter(k)) => format!("{} is no buffer", k.in_words()),
        }
    }

    fn buffer(&self, k: ArgumentPlace, ty: impl Fn(Type) -> Type) -> Option<Vec<String>> {
        let buffer = self.buffers.iter().find(|b| b.parameter == k)?;
        let total = usize::try_from(buffer.length).ok()? * buffer.element.size();
        let ty = ty(buffer.element.into());
        let size = width(ty) as usize;
        let shown = total.min(MOST_CELLS * size);
        let Pointer(address) = buffer.pointer;
        let bytes = self.stepper.global(address, shown)?;
        let bits = |c: &[u8]| c.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
        Some(bytes.chunks_exact(size).map(|c| format_bits(ty, bits(c))).collect())
    }

    fn lanes(&self) -> String {
        let Some(warp) = self.stepper.warp(self.block, self.warp) else {
            return format!("block {} warp {} has not begun, or has ended", self.block, self.warp);
        };
        let mut text = String::new();
        for fragment in &warp.fragments {
            let lane = fragment.mask.trailing_zeros() as usize;
            let place = self.stepper.place(self.block, self.warp, lane);
            let place = place.map_or_else(|| "?".to_owned(), at);
            let _ = writeln!(
                text,
                "lanes {:<10} {:?} {place}",
                lane_list(fragment.mask),
                fragment.state
            );
        }
        let exited = warp.exists & !warp.live;
        if exited != 0 {
            let _ = writeln!(text, "lanes {:<10} exited", lane_list(exited));
        }
        text.trim_end().to_owned()
    }

    fn where_are_we(&self) -> String {
        let mut text = match self.stepper.trace().steps().last() {
            Some(step) => format!("{:6} {}", step.number, step_line(step)),
            None => "at the beginning: nothing has been executed".to_owned(),
        };
        if self.stepper.outcome().is_some() {
            let _ = write!(text, "\n{}", self.ending());
        } else if let Some(place) = self.next() {
            let _ = write!(text, "\n  next {place}");
        }
        text
    }

    /// The next instruction of the lane in focus.
    fn next(&self) -> Option<String> {
        let place = self.stepper.place(self.block, self.warp, self.lane as usize)?;
        let instruction = at(place);
        Some(format!("for {}: {instruction}", self.focused(self.lane)))
    }

    fn list(&self) -> String {
        let place = self.stepper.place(self.block, self.warp, self.lane as usize);
        let Some(next) = place.map(|p| p.line) else {
            return format!("{} has not begun, or has exited", self.focused(self.lane));
        };
        let first = next.saturating_sub(AROUND).max(1);
        let file = place.and_then(|p| p.file.clone());
        let named = |(name, _): &(&str, &str)| file.as_ref().is_some_and(|file| *name == &**file);
        let text = self.source.files().find(named).or(self.source.files().next());
        let lines = text.map_or("", |(_, text)| text).lines().skip(first as usize - 1);
        let mut text = String::new();
        for (number, line) in (first..=next + AROUND).zip(lines) {
            let mark = if number == next { "->" } else { "  " };
            let _ = writeln!(text, "{mark} {number:5} {line}");
        }
        text.trim_end().to_owned()
    }

    fn focus(&mut self, focus: Focus) -> String {
        match focus {
            Focus::Block(block) => self.block = block,
            Focus::Warp(warp) => self.warp = warp,
            Focus::Lane(lane) => self.lane = lane,
        }
        format!("looking at {}", self.focused(self.lane))
    }
}

fn at(place: &lower::Place) -> String {
    let (line, text) = (place.line, &place.text);
    let file = place.file.as_ref().map(|file| format!("{file} ")).unwrap_or_default();
    match &place.source {
        Some(source) => format!("{file}line {line} ({}) {text}", findings::position(source)),
        None => format!("{file}line {line} {text}"),
    }
}

/// Cells in rows of eight or sixteen with the index of the first.
fn grid(cells: &[String]) -> String {
    let widest = cells.iter().take(MOST_CELLS).map(String::len).max().unwrap_or(1);
    let per_row = if widest > 6 { 8 } else { 16 };
    let mut text = String::new();
    for (row, start) in cells.chunks(per_row).take(MOST_CELLS / per_row).zip((0..).step_by(per_row))
    {
        let row: Vec<String> = row.iter().map(|c| format!("{c:>widest$}")).collect();
        let _ = writeln!(text, "{start:5} | {}", row.join(" "));
    }
    if cells.len() > MOST_CELLS {
        let _ = writeln!(text, "      ... {} more", cells.len() - MOST_CELLS);
    }
    text.trim_end().to_owned()
}
