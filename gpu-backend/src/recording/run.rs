//! One run: the launch, how the driver compiled it, how it ended and what it left.

use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Launch};

use super::bits;
use super::file::{Made, sha256};

/// One run of a module, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What was launched, and on which inputs.
    pub work: Work,
    /// How the driver compiled it.
    pub compiled: Compiled,
    /// Whether threads race for the result, so that several are legal.
    pub racy: bool,
    /// What a simulator has to do otherwise to do the same.
    pub simulated: Option<Simulated>,
    /// How it ended.
    pub outcome: Ended,
    /// The driver's words, where it had some.
    pub words: Option<String>,
    /// What it left; nothing after a fault or a hang, when memory is lost.
    pub buffers: Vec<Left>,
    /// On what it ran, if the whole recording says something else.
    pub made: Option<Made>,
}

/// What was launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// A kernel, as the command's options would launch it.
    Launch(Submission),
    /// A program that comes with warpsim, through its own host code.
    Program(ProgramCall),
}

/// A kernel with its launch, in the words of the command's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The name of the `.entry`.
    pub kernel: String,
    /// Its shape.
    pub launch: Launch,
    /// A SPEC for each parameter: inputs are their generator, or a list.
    pub args: Vec<String>,
    /// `NAME=SPEC` for module variables.
    pub globals: Vec<String>,
    /// The files of the modules that are linked with it.
    pub links: Vec<String>,
    /// How often it was launched, in a row on the same memory.
    pub launches: u32,
    /// `NAME[@FROM[-TO]]`: what was done to the module before the driver had it.
    pub passes: Vec<String>,
}

/// A program of the crate `warpsim-programs`, and its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCall {
    /// The program's name.
    pub program: String,
    /// `naive` or `optimised`.
    pub form: String,
    /// The variant's name.
    pub variant: String,
    /// A SPEC of an `s32` buffer.
    pub input: String,
}

/// How the driver compiled the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// Once at each of these levels, `None` being the driver's default: all gave this result.
    At(Vec<Option<u8>>),
    /// Anew for each launch, at these levels one after the other.
    InTurn(Vec<u8>),
}

/// What a simulator does otherwise than the options of the run say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// Passes that model what the driver's compiler did.
    pub passes: Vec<String>,
    /// What shared memory holds at first.
    pub shared_init: String,
}

/// How a run ended on hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// Every thread ended.
    Completed,
    /// The driver reports an error, and the context is lost.
    Fault,
    /// It did not end within the time limit.
    Hung,
}

impl Run {
    /// Whether another run of the same work, at another level, left the same.
    pub(super) fn gave_the_same(&self, other: &Run) -> bool {
        let at_levels = |run: &Run| matches!(run.compiled, Compiled::At(_));
        let at_the_same = || Run { compiled: other.compiled.clone(), ..self.clone() };
        at_levels(self) && at_levels(other) && at_the_same() == *other
    }
}

impl Compiled {
    /// Takes the levels of another away; whether any are left.
    pub(super) fn remove(&mut self, other: &Compiled) -> bool {
        match (self, other) {
            (Compiled::At(levels), Compiled::At(others)) => {
                levels.retain(|level| !others.contains(level));
                !levels.is_empty()
            }
            (in_turn, other) => *in_turn != *other,
        }
    }

    /// Adds the levels of another, where they do not come in turn.
    pub(super) fn join(&mut self, other: Compiled) {
        if let (Compiled::At(levels), Compiled::At(others)) = (self, other) {
            levels.extend(others);
        }
    }
}

impl Ended {
    /// The name in recordings.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Completed => "completed",
            Ended::Fault => "fault",
            Ended::Hung => "hung",
        }
    }

    /// The one of this name.
    pub fn by_name(name: &str) -> Option<Ended> {
        [Ended::Completed, Ended::Fault, Ended::Hung].into_iter().find(|e| e.name() == name)
    }
}

/// What a buffer held after the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The parameter that it was made for, or the place in a struct; 0 for the result of a program.
    pub param: ArgumentPlace,
    /// After which launch, counted from 1; `None` is after the last.
    pub launch: Option<u32>,
    /// The type of its cells.
    pub ty: ElementType,
    /// How many cells it has.
    pub len: u64,
    /// SHA-256 of all its bytes.
    pub sha256: String,
    /// All its cells ([`bits::text`]), or the digests of its parts ([`bits::parts`]).
    pub contents: Contents,
}

/// The parts of a buffer that a recording keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Every cell.
    Bits(String),
    /// Digests of parts.
    Parts(String),
}

/// Where a buffer differs from what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// One cell: its index, the recorded bits and the bits that are there.
    Cell {
        /// From 0.
        index: u64,
        /// The recorded bits.
        recorded: u64,
        /// The bits that are there.
        found: u64,
    },
    /// One of the cells from the first to the last. Only their digest was kept.
    Within {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
    },
    /// The buffers have different sizes.
    Size {
        /// Recorded cells.
        recorded: u64,
        /// Cells that are there.
        found: u64,
    },
}

impl Left {
    /// What to keep of a buffer of cells of a type, by its bytes.
    pub fn of(param: impl Into<ArgumentPlace>, ty: ElementType, bytes: &[u8]) -> Left {
        let contents = if bytes.len() > bits::WHOLE {
            Contents::Parts(bits::parts(bytes, ty))
        } else {
            Contents::Bits(bits::text(bytes, ty))
        };
        Left {
            param: param.into(),
            launch: None,
            ty,
            len: (bytes.len() / ty.size()) as u64,
            sha256: sha256(bytes),
            contents,
        }
    }

    /// Where bytes differ from what was recorded: nowhere when all are the same.
    pub fn differences(&self, bytes: &[u8]) -> Vec<Place> {
        let ty = self.ty;
        let found = (bytes.len() / ty.size()) as u64;
        if found != self.len {
            return vec![Place::Size { recorded: self.len, found }];
        }
        match &self.contents {
            Contents::Bits(text) => cells(text, bytes, ty),
            Contents::Parts(text) if sha256(bytes) != self.sha256 => parts(text, bytes, ty),
            Contents::Parts(_) => Vec::new(),
        }
    }

    /// The bytes, where all were kept.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Bits(text) => bits::bytes(text, self.ty).ok(),
            Contents::Parts(_) => None,
        }
    }
}

/// The cells that differ; the whole buffer if the text has another number of cells.
fn cells(text: &str, bytes: &[u8], ty: ElementType) -> Vec<Place> {
    let recorded = bits::bytes(text, ty).ok().filter(|recorded| recorded.len() == bytes.len());
    let Some(recorded) = recorded else { return vec![whole(bytes, ty)] };
    let pairs = (0..).zip(ty.numbers(&recorded).zip(ty.numbers(bytes)));
    pairs
        .filter(|(_, (recorded, found))| recorded != found)
        .map(|(index, (recorded, found))| Place::Cell { index, recorded, found })
        .collect()
}

/// The parts whose digests differ; the whole buffer when, by chance, none does.
fn parts(text: &str, bytes: &[u8], ty: ElementType) -> Vec<Place> {
    let cells = (bytes.len() / ty.size()) as u64;
    let now = bits::parts(bytes, ty);
    let pairs = text.split_ascii_whitespace().zip(now.split_ascii_whitespace()).enumerate();
    let places = pairs.filter(|(_, (recorded, found))| recorded != found).map(|(number, _)| {
        let first = (number * bits::PART) as u64;
        Place::Within { first, last: (first + bits::PART as u64).min(cells).saturating_sub(1) }
    });
    let places: Vec<Place> = places.collect();
    if places.is_empty() { vec![whole(bytes, ty)] } else { places }
}

fn whole(bytes: &[u8], ty: ElementType) -> Place {
    Place::Within { first: 0, last: ((bytes.len() / ty.size()) as u64).saturating_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_that_of_the_cells_is_a_difference() {
        let bytes = words(4);
        for text in ["", "00000001", "no number"] {
            let contents = Contents::Bits(text.to_owned());
            let left = Left { contents, ..Left::of(0, ElementType::U32, &bytes) };
            assert_eq!(left.differences(&bytes), [Place::Within { first: 0, last: 3 }], "{text}");
        }
    }

    fn words(count: u32) -> Vec<u8> {
        (0..count).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
    }

    #[test]
    fn a_flipped_bit_of_a_small_buffer_is_a_difference_in_its_cell() {
        let mut memory = words(40);
        let left = Left::of(1, ElementType::U32, &memory);
        assert_eq!(left.differences(&memory), []);
        assert_eq!(left.bytes().as_ref(), Some(&memory));
        memory[7 * 4 + 3] ^= 0x80;
        let recorded = u64::from(7u32.wrapping_mul(2_654_435_761));
        let found = recorded ^ 0x8000_0000;
        assert_eq!(left.differences(&memory), [Place::Cell { index: 7, recorded, found }]);
    }

    #[test]
    fn a_flipped_bit_of_a_large_buffer_is_placed_within_its_part() {
        let mut memory = words(5000);
        let left = Left::of(1, ElementType::U32, &memory);
        assert!(matches!(&left.contents, Contents::Parts(text) if text.len() == 20 * 9 - 1));
        assert_eq!(left.differences(&memory), []);
        memory[4999 * 4] ^= 1;
        memory[300 * 4] ^= 1;
        let place = |first, last| Place::Within { first, last };
        assert_eq!(left.differences(&memory), [place(256, 511), place(4864, 4999)]);
    }

    #[test]
    fn a_shorter_buffer_differs_in_size() {
        let left = Left::of(0, ElementType::Bf16, &[0; 8]);
        assert_eq!(left.differences(&[0; 6]), [Place::Size { recorded: 4, found: 3 }]);
    }
}
