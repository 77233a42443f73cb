//! The counts by line of the source, or of the PTX where no source is known.
//!
//! The line of the source is the user's: code of a library's header counts at the call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lower::Place;
use crate::ptx::SourcePosition;

use super::ProgramUse;
use super::usage::Usage;

/// A line, and what its instructions did.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "told::Told", into = "told::Told")
)]
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

/// The key of a line: its place in the source or in the PTX, and maybe the opcode.
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

/// Merges the lines of one place, or of one place and opcode, in order.
pub(super) fn grouped(lines: impl Iterator<Item = LineUse>, by_opcode: bool) -> Vec<LineUse> {
    let mut groups: BTreeMap<Key, LineUse> = BTreeMap::new();
    for line in lines {
        match groups.entry(line.key(by_opcode)) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(line);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                entry.get_mut().add(&line);
            }
        }
    }
    groups.into_values().collect()
}

/// The executed instructions of programs, merged by line and opcode.
pub(super) fn opcodes(programs: &[ProgramUse]) -> Vec<LineUse> {
    let all = programs.iter().flat_map(|of| of.program.places.iter().zip(&of.usage));
    // A part of an instruction may access memory, but is not executed as a separate instruction.
    let used = all.filter(|(_, usage)| **usage != Usage::default());
    grouped(used.map(|(place, usage)| LineUse::of(place, *usage)), true)
}

#[cfg(feature = "serde")]
mod told {
    //! A line in the form that goes to another process.

    use super::{Arc, LineUse, Usage};

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct Told {
        source: Option<(String, u32)>,
        ptx_file: Option<String>,
        ptx_line: u32,
        name: Option<String>,
        usage: Usage,
    }

    impl From<LineUse> for Told {
        fn from(line: LineUse) -> Told {
            let LineUse { source, ptx_file, ptx_line, name, usage } = line;
            let text = |text: Arc<str>| text.to_string();
            let source = source.map(|(file, line)| (file.to_string(), line));
            Told { source, ptx_file: ptx_file.map(text), ptx_line, name: name.map(text), usage }
        }
    }

    impl From<Told> for LineUse {
        fn from(told: Told) -> LineUse {
            let Told { source, ptx_file, ptx_line, name, usage } = told;
            let source = source.map(|(file, line)| (Arc::from(file), line));
            let (ptx_file, name) = (ptx_file.map(Arc::from), name.map(Arc::from));
            LineUse { source, ptx_file, ptx_line, name, usage }
        }
    }
}
