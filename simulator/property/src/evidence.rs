//! The cases that were tried when nothing failed. They are the evidence for a pass.

use std::fmt;

use super::case::Case;
use super::judge::Property;
use super::kernel::Kernel;
use crate::report::Code;

/// What was tried without a failure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Evidence {
    /// The property's name.
    pub property: &'static str,
    /// What it says of the kernel.
    pub claim: &'static str,
    /// The kernel.
    pub kernel: String,
    /// What the drawing started from.
    pub seed: u64,
    /// The launches that were tried, with their data.
    pub cases: u32,
    /// The runs of the kernel.
    pub runs: u64,
    /// The warp instructions of all runs.
    pub warp_instructions: u64,
    /// The schedules, each once, in the order of use.
    pub schedules: Vec<String>,
    /// The fewest and the most blocks of a launch.
    pub blocks: (u64, u64),
    /// The fewest and the most threads of a block.
    pub threads: (u64, u64),
    /// Kinds of findings that were let pass.
    pub allowed: Vec<Code>,
}

impl Evidence {
    pub(super) fn new(kernel: &Kernel, property: Property<'_>) -> Evidence {
        Evidence {
            property: property.name(),
            claim: property.claim(),
            kernel: kernel.name.clone(),
            seed: kernel.seed,
            cases: 0,
            runs: 0,
            warp_instructions: 0,
            schedules: Vec::new(),
            blocks: (u64::MAX, 0),
            threads: (u64::MAX, 0),
            allowed: kernel.allowed.clone(),
        }
    }

    pub(super) fn schedule(&mut self, schedule: &str) {
        if !self.schedules.iter().any(|known| known == schedule) {
            self.schedules.push(schedule.to_owned());
        }
    }

    pub(super) fn case(&mut self, case: &Case) {
        let (blocks, threads) = (case.launch.blocks(), case.launch.threads_per_block().into());
        self.cases += 1;
        self.sizes((blocks, blocks), (threads, threads));
    }

    /// Launches of this many blocks and threads were tried.
    pub(super) fn sizes(&mut self, blocks: (u64, u64), threads: (u64, u64)) {
        let widen =
            |known: (u64, u64), more: (u64, u64)| (known.0.min(more.0), known.1.max(more.1));
        self.blocks = widen(self.blocks, blocks);
        self.threads = widen(self.threads, threads);
    }

    pub(super) fn finish(&mut self, runs: u64, warp_instructions: u64) {
        (self.runs, self.warp_instructions) = (runs, warp_instructions);
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { property, claim, kernel, cases, seed, runs, .. } = self;
        writeln!(f, "`{property}` held for kernel `{kernel}` wherever it was tried: {claim}")?;
        let (blocks, threads) = (range(self.blocks), range(self.threads));
        writeln!(
            f,
            "  {cases} launches from seed {seed}, of {blocks} blocks of {threads} threads"
        )?;
        writeln!(f, "  {runs} runs, {} warp instructions", self.warp_instructions)?;
        write!(f, "  schedules: {}", self.schedules_in_words())?;
        if !self.allowed.is_empty() {
            let allowed: Vec<&str> = self.allowed.iter().map(|code| code.name()).collect();
            write!(f, "\n  let pass: {}", allowed.join(", "))?;
        }
        Ok(())
    }
}

impl Evidence {
    /// The fixed schedules by name, the drawn ones by number.
    fn schedules_in_words(&self) -> String {
        let is_drawn = |text: &&String| text.starts_with("random:") || text.starts_with("pct:");
        let (drawn, fixed): (Vec<&String>, Vec<&String>) =
            self.schedules.iter().partition(is_drawn);
        let count = |kind: &str| drawn.iter().filter(|text| text.starts_with(kind)).count();
        let mut words: Vec<String> = fixed.into_iter().cloned().collect();
        for kind in ["random", "pct"] {
            match count(kind) {
                0 => {}
                count => words.push(format!("{count} {kind}")),
            }
        }
        words.join(", ")
    }
}

/// `4`, or `1 to 4`.
fn range((low, high): (u64, u64)) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}
