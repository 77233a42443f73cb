//! The counts by line of the source, or of the PTX where no source is known.
//!
//! The line of the source is the user's: code of a library's header counts at the call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lower::Place;
use crate::ptx::SourcePosition;

use super::usage::Usage;
use super::{ProgramUse, Statistics};

/// A line, and what its instructions did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LineUse {
    /// The user's file and line of the source, where they are known.
    pub source: Option<(Arc<str>, u32)>,
    /// The file of the PTX, where modules are linked and it is not the first.
    pub ptx_file: Option<Arc<str>>,
    /// The first line of the PTX.
    pub ptx_line: u32,
    /// The opcode, where all instructions have the same.
    pub name: Option<Arc<str>>,
    /// What they did together.
    pub usage: Usage,
}

/// What lines are told apart by: the source, or the PTX; and maybe the opcode.
type Key = (Option<(Arc<str>, u32)>, Option<(Option<Arc<str>>, u32)>, Option<Arc<str>>);

impl LineUse {
    /// An instruction that did so much.
    fn of(place: &Place, usage: Usage) -> LineUse {
        let own = |position: &SourcePosition| {
            let own = position.seen().own;
            (Arc::clone(&own.file), own.line)
        };
        LineUse {
            source: place.source.as_deref().map(own),
            ptx_file: place.file.clone(),
            ptx_line: place.line,
            name: Some(Arc::clone(&place.name)),
            usage,
        }
    }

    fn key(&self, by_opcode: bool) -> Key {
        let ptx = (self.ptx_file.clone(), self.ptx_line);
        let ptx = self.source.is_none().then_some(ptx);
        let name = self.name.clone().filter(|_| by_opcode);
        (self.source.clone(), ptx, name)
    }

    /// Adds the instructions of another.
    fn add(&mut self, other: &LineUse) {
        self.ptx_line = self.ptx_line.min(other.ptx_line);
        if self.name != other.name {
            self.name = None;
        }
        self.usage.add(&other.usage);
    }
}

impl Statistics {
    /// The lines that were executed, in order.
    pub fn lines(&self) -> Vec<LineUse> {
        self.grouped(false)
    }

    /// The instructions that were executed, those of one line and opcode together, in order.
    pub(super) fn opcodes_of_lines(&self) -> Vec<LineUse> {
        self.grouped(true)
    }

    fn grouped(&self, by_opcode: bool) -> Vec<LineUse> {
        let mut groups: BTreeMap<Key, LineUse> = BTreeMap::new();
        for ProgramUse { program, usage } in &self.programs {
            for (place, usage) in program.places.iter().zip(usage) {
                // A part of an instruction may access memory, and is not executed by itself.
                if *usage == Usage::default() {
                    continue;
                }
                let line = LineUse::of(place, *usage);
                match groups.entry(line.key(by_opcode)) {
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert(line);
                    }
                    std::collections::btree_map::Entry::Occupied(mut entry) => {
                        entry.get_mut().add(&line);
                    }
                }
            }
        }
        groups.into_values().collect()
    }
}
