//! The story as data: four runs of one scan, the round in which one of them goes wrong, and why.
//!
//! Everything here is taken from runs; nothing is assumed about which lanes go wrong, or at which
//! access. [`super::tell()`] makes a story and [`super::render()`] words it.

/// The whole story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// The name of the CUDA source.
    pub source_file: String,
    /// The name of the PTX made from it.
    pub ptx_file: String,
    /// The source lines of the scan: number, and text without indentation.
    pub source: Vec<(u32, String)>,
    /// The 32 numbers.
    pub input: Vec<i32>,
    /// The right result.
    pub expected: Vec<i32>,
    /// The runs: as written, register-cached, volatile, volatile under another schedule.
    pub runs: Vec<Run>,
    /// The round in which the register-cached run first differs from the one as written.
    pub round: Round,
    /// The store that the round missed.
    pub culprit: Culprit,
    /// Five launches in a row on shared memory that is not cleared: as written, then
    /// register-cached.
    pub leftovers: Vec<Vec<i32>>,
}

/// One run of the scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// A title of a word or two.
    pub title: &'static str,
    /// How it differs from the others, in a line.
    pub note: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// The pass that went over it first.
    pub pass: Option<&'static str>,
    /// The schedule.
    pub schedule: &'static str,
    /// Shared-memory loads and stores of each thread.
    pub accesses: Accesses,
    /// What came out.
    pub output: Vec<i32>,
    /// Whether that is right.
    pub is_right: bool,
}

/// How many times each thread went to shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Loads.
    pub loads: usize,
    /// Stores.
    pub stores: usize,
}

/// A round: all lanes read a neighbour's cell and add it to their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Which, from 1.
    pub number: usize,
    /// The source line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// One row for each lane.
    pub lanes: Vec<LaneRead>,
}

/// What a lane read in a round, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRead {
    /// The lane.
    pub lane: u32,
    /// The cell of `data` that it read.
    pub cell: u64,
    /// The cell that it should have read held this, in the run as written.
    pub should_read: i32,
    /// What it read.
    pub read: i32,
    /// Its sum after the round in the run as written.
    pub sum_should_be: i32,
    /// Its sum after the round.
    pub sum: i32,
}

impl LaneRead {
    /// Whether the lane read what it should have.
    pub fn is_right(&self) -> bool {
        self.should_read == self.read
    }
}

/// The store that should have happened before the round and did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The source line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The line of the PTX text.
    pub ptx_line: u32,
    /// The instruction there.
    pub instruction: String,
    /// What the pass did to it and why, in the pass's words.
    pub reason: String,
    /// What holds the value instead: a register.
    pub holder: String,
    /// The first lane that missed it.
    pub reader: u32,
    /// The lane whose store it was.
    pub writer: u32,
}
