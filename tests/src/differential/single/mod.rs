//! Programs of single instructions that do more than compute: loads, stores and moves of every
//! spelling, atomics, asynchronous copies, mbarrier objects, matrices, the stack, textures and
//! surfaces (PTX ISA 9.7.9 to 9.7.11, 9.7.13, 9.7.14, 9.7.17, 9.7.19).
//!
//! Each step is one form of the table with what it needs around it: memory that is filled from the
//! table of operands, waits, and loads of what it left. All of this is stored. All threads of the
//! block execute every step, with barriers around it, or each goes its own way through them
//! (`branched`), so nothing depends on who runs when. What a form gives that is the machine's
//! choice (an address, which lane is elected) is made something that is not before it is stored.
//!
//! A step without its instruction would compare nothing: a writer that leaves it out panics.
//!
//! No NaN of f32 or f64 comes about, as there may be several to hand on: the operands of their sums
//! are finite, and less than 2.

mod access;
mod atomics;
mod barriers;
mod branched;
mod copies;
mod images;
mod matrices;
mod spelled;
mod write;

use warpsim::host::Launch;

use super::draw::Draw;
use super::program::Written;
pub use spelled::{Entry, Reach, branched, entries, images, place};

/// Steps of a program.
pub const STEPS: usize = 12;

/// A program of single instructions.
#[derive(Clone, Debug)]
pub struct Single {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block: full warps.
    pub threads: u32,
    /// What all threads do.
    pub steps: Vec<Step>,
    /// The source from which the branches around the steps are drawn; `None`: in none.
    pub branches: Option<u64>,
}

/// One instruction and its surroundings.
#[derive(Clone, Debug)]
pub struct Step {
    /// The form of the table.
    pub form: String,
    /// The instruction with all its modifiers.
    pub text: String,
    /// Everything else that is drawn for it.
    pub seed: u64,
}

impl Single {
    /// The program of this number: half of its steps go through all forms in turn, the others take
    /// any.
    pub fn drawn(entries: &[Entry], seed: u64, index: u64, draw: &mut Draw) -> Single {
        let mut steps = Vec::new();
        for k in 0..STEPS {
            let entry = if k % 2 == 0 {
                let slot = index as usize * (STEPS / 2) + k / 2;
                (slot.wrapping_mul(7919).wrapping_add(seed as usize % 65_536)) % entries.len()
            } else {
                draw.below(entries.len())
            };
            let (form, text) =
                (entries[entry].form.clone(), spelled::spelling(&entries[entry], draw));
            steps.push(Step { form, text, seed: draw.word() });
        }
        Single { blocks: 4, threads: 128, steps, branches: None }
    }

    /// The same in branches, of forms that are allowed there.
    pub fn drawn_in_branches(entries: &[Entry], seed: u64, index: u64, draw: &mut Draw) -> Single {
        let program = Single::drawn(entries, seed, index, draw);
        Single { branches: Some(draw.word()), ..program }
    }

    /// The program that has these instructions.
    pub fn of(texts: &[&str], seed: u64) -> Single {
        let mut draw = Draw::new(&[seed]);
        let mut step = |text: &&str| {
            let text = (*text).to_owned();
            Step { form: text.clone(), text, seed: draw.word() }
        };
        let steps = texts.iter().map(&mut step).collect();
        Single { blocks: 2, threads: 64, steps, branches: None }
    }

    /// As PTX.
    pub fn write(&self, name: &str) -> Written {
        write::program(self, name)
    }

    /// The same without some steps.
    #[must_use]
    pub fn without(&self, parts: std::ops::Range<usize>) -> Single {
        let kept = |(i, step): (usize, &Step)| (!parts.contains(&i)).then(|| step.clone());
        let steps = self.steps.iter().enumerate().filter_map(kept).collect();
        Single { steps, ..self.clone() }
    }

    /// How it is launched.
    pub fn launch(&self) -> Launch {
        Launch::new(self.blocks, self.threads)
    }

    /// All threads.
    pub fn count(&self) -> usize {
        (self.blocks * self.threads) as usize
    }
}
