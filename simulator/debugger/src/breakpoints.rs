//! Breakpoints: where threads stop, which of them, and on what condition.

use std::fmt;

use warpsim::lower::{Pc, Place, Program};
use warpsim::names;

use crate::expression::Expression;
use crate::sources::{same_file, short};
use crate::threads::ThreadId;

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line of a file: the PTX text when no file is named.
    Line {
        /// The file, or the end of its path.
        file: Option<String>,
        /// The line, from 1.
        line: u32,
    },
    /// The first instruction of a function, by its name in the PTX text or in the source.
    Function(String),
    /// One operation, by its number in the program.
    Address(Pc),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Line { file: Some(file), line } => write!(f, "{file}:{line}"),
            Location::Line { file: None, line } => write!(f, "PTX line {line}"),
            Location::Function(name) => write!(f, "function {name}"),
            Location::Address(pc) => write!(f, "address {pc:#x}"),
        }
    }
}

impl Location {
    /// Whether an instruction is of this line: of the PTX text, of the source, or of a call of the
    /// source into which it was inlined.
    fn is_line_of(&self, place: &Place) -> bool {
        let Location::Line { file, line } = self else { return false };
        let Some(file) = file else { return *line == place.line };
        let is_it = |of: &str, at: u32| at == *line && same_file(of, file);
        let in_ptx = place.file.as_ref().is_some_and(|of| is_it(of, place.line));
        in_ptx
            || place.source.as_ref().is_some_and(|source| {
                is_it(&source.file, source.line)
                    || source.inlined_at.iter().any(|call| is_it(&call.file, call.line))
            })
    }

    /// The operations of the location.
    pub(crate) fn operations(&self, program: &Program) -> Vec<Pc> {
        match self {
            Location::Line { .. } => {
                let numbered = (0..).zip(&program.places);
                numbered.filter(|(_, place)| self.is_line_of(place)).map(|(pc, _)| pc).collect()
            }
            Location::Function(name) => {
                let names = program.functions.iter().map(|function| &*function.name);
                let called = names::called(name, names);
                let is_it = |of: &str| of == name || called.contains(&of);
                let found = program.functions.iter().filter(|function| is_it(&function.name));
                found.flat_map(|function| of_instruction(program, function.entry)).collect()
            }
            Location::Address(pc) => of_instruction(program, *pc).collect(),
        }
    }

    /// Locations with instructions that a person may have meant.
    pub(crate) fn near(&self, program: &Program) -> Vec<String> {
        match self {
            Location::Line { file, line } => {
                let mut lines: Vec<u32> = program
                    .places
                    .iter()
                    .filter_map(|place| match file {
                        None => Some(place.line),
                        Some(file) => place
                            .source
                            .as_ref()
                            .filter(|source| same_file(&source.file, file))
                            .map(|source| source.line),
                    })
                    .collect();
                lines.sort_by_key(|at| (at.abs_diff(*line), *at));
                lines.dedup();
                // A line without a file is of the PTX, and may have been meant of the source.
                let sources = program.places.iter().filter_map(|place| place.source.as_ref());
                let mut same = sources.filter(|source| file.is_none() && source.line == *line);
                let same = same.next().map(|source| format!("{}:{line}", short(&source.file)));
                let near = lines.iter().map(|line| format!("line {line}"));
                same.into_iter().chain(near).take(3).collect()
            }
            Location::Function(_) => {
                let functions = program.functions.iter().take(3);
                functions.map(|f| names::readable(&f.name).into_owned()).collect()
            }
            Location::Address(_) => Vec::new(),
        }
    }
}

/// The operations of one instruction from one of them on: a step is counted at the last.
fn of_instruction(program: &Program, first: Pc) -> impl Iterator<Item = Pc> {
    let instruction = |pc: Pc| program.places.get(pc as usize).map(|place| place.instruction);
    let wanted = instruction(first);
    (first..).take_while(move |pc| wanted.is_some() && instruction(*pc) == wanted)
}

/// A breakpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Breakpoint {
    /// Its number.
    pub id: u32,
    /// Where.
    pub location: Location,
    /// Threads for which this is not zero stop. A thread for which it has no value does not.
    pub condition: Option<Expression>,
    /// The only thread that stops.
    pub thread: Option<ThreadId>,
    /// How often threads have stopped here, or would have.
    pub hits: u64,
    /// Hits that are passed over.
    pub ignore: u64,
    /// Its operations.
    pub(crate) operations: Vec<Pc>,
}

impl fmt::Display for Breakpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.location)?;
        if let Some(ThreadId { block, warp, lane }) = self.thread {
            write!(f, " thread {block}:{warp}:{lane}")?;
        }
        if let Some(condition) = &self.condition {
            write!(f, " if {condition}")?;
        }
        Ok(())
    }
}
