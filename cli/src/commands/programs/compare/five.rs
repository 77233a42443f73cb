//! The plain scan by hand on every multiprocessor, five times in a row, at the levels 0 to 4 of the
//! driver's compiler. The simulator computes the same rows from the same contents of shared memory.
//!
//! A kernel of another process may run between the look at shared memory and the scan. So if rows
//! differ, everything is done again, a few times.

use std::collections::HashMap;

use warpsim::host::Device;
use warpsim_gpu::{Isolated, JitLevel};
use warpsim_programs::volatile::everywhere::{self, Held, Seen, Simulated, WORDS};
use warpsim_programs::{RunError, volatile};

/// How often all is done before a difference is one.
const ATTEMPTS: u32 = 3;

/// What came of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) level: u8,
    /// The row of the simulator, with what shared memory held on a multiprocessor: on one whose
    /// rows differ, if there are any; else on one without another process's kernel, if there are
    /// any.
    pub(super) simulator: Vec<i32>,
    /// The row of that multiprocessor.
    pub(super) gpu: Vec<i32>,
    /// How many blocks there were.
    pub(super) blocks: usize,
    /// For how many of them the contents of shared memory are known.
    pub(super) known: usize,
    /// How many of these found what the launch before left there.
    pub(super) as_left: usize,
    /// How many of them have rows that differ from the simulator's.
    pub(super) differing: usize,
}

impl Level {
    /// Whether no row differs from what it should be.
    pub(super) fn agrees(&self) -> bool {
        self.differing == 0
    }

    /// Whether each block found what the launch before left.
    pub(super) fn is_undisturbed(&self) -> bool {
        self.as_left == self.blocks
    }
}

/// Compares them; says why not when a launch did not complete.
pub(super) fn compare(gpu: &mut Isolated) -> Result<Result<Vec<Level>, String>, RunError> {
    let input = volatile::PROGRAM.example_input();
    let mut simulated = Simulated::new(&input)?;
    let mut attempt = 1;
    loop {
        let launches = match launched(gpu, &input) {
            Err(error @ RunError::Stopped { .. }) => return Ok(Err(error.to_string())),
            launches => launches?,
        };
        let levels = levels(&mut simulated, &launches)?;
        let compared = compared(levels);
        let agrees = compared.as_ref().is_ok_and(|levels| levels.iter().all(Level::agrees));
        if agrees || attempt == ATTEMPTS {
            return Ok(compared);
        }
        attempt += 1;
    }
}

/// The levels, if at each there was something to compare. Rows of blocks show nothing if the shared
/// memory that they found is unknown.
fn compared(levels: Vec<Level>) -> Result<Vec<Level>, String> {
    match levels.iter().find(|level| level.known == 0) {
        None => Ok(levels),
        Some(Level { level, .. }) => Err(format!(
            "at level {level} no block saw the shared memory from before the launch, so there is \
             nothing to compare with: try again when nobody else uses the GPU"
        )),
    }
}

/// The five launches on the GPU.
fn launched(gpu: &mut Isolated, input: &[i32]) -> Result<Vec<Vec<Seen>>, RunError> {
    let module = everywhere::module()?;
    let (multiprocessors, shared) = (gpu.facts().multiprocessors, gpu.facts().shared_per_block);
    everywhere::five_launches(gpu, multiprocessors, shared, input, |gpu, level| {
        // The five levels are 0 to 4.
        gpu.settings_mut().jit = JitLevel::Level(u8::try_from(level).unwrap_or(u8::MAX));
        Ok(gpu.load(&module)?)
    })
}

fn levels(simulated: &mut Simulated, launches: &[Vec<Seen>]) -> Result<Vec<Level>, RunError> {
    let mut left = HashMap::new();
    let mut usual = [0; WORDS];
    let mut levels = Vec::new();
    for (number, blocks) in launches.iter().enumerate() {
        let row;
        (row, usual) = simulated.row(number, &usual)?;
        levels.push(level(simulated, number, blocks, &mut left, &row)?);
    }
    Ok(levels)
}

/// A launch, counted from 0. `left` is what the launch before left on each multiprocessor, as far
/// as that is known. Afterwards it is what this launch leaves. `usual` is the row without another
/// process's kernel.
fn level(
    simulated: &mut Simulated,
    number: usize,
    blocks: &[Seen],
    left: &mut HashMap<u32, Held>,
    usual: &[i32],
) -> Result<Level, RunError> {
    let before = std::mem::take(left);
    let (mut differing, mut agreeing): (Vec<Rows>, Vec<Rows>) = (Vec::new(), Vec::new());
    let mut as_left = 0;
    for Seen { multiprocessor, found, row } in blocks {
        let Some(found) = found else { continue };
        let (simulator, leaves) = simulated.row(number, found)?;
        left.insert(*multiprocessor, leaves);
        // Before the first launch no launch of this command has left anything.
        as_left += usize::from(number == 0 || before.get(multiprocessor) == Some(found));
        let rows = Rows { simulator, gpu: row.clone() };
        if rows.simulator == rows.gpu { agreeing.push(rows) } else { differing.push(rows) }
    }
    let counts = (agreeing.len(), differing.len());
    let is_usual = |rows: &Rows| rows.gpu == usual;
    let place = agreeing.iter().position(is_usual).unwrap_or(0);
    let telling = differing.into_iter().next().or_else(|| agreeing.into_iter().nth(place));
    let first = || blocks.first().map(|block| block.row.clone()).unwrap_or_default();
    let Rows { simulator, gpu } =
        telling.unwrap_or_else(|| Rows { simulator: usual.to_vec(), gpu: first() });
    Ok(Level {
        level: u8::try_from(number).unwrap_or(u8::MAX),
        simulator,
        gpu,
        blocks: blocks.len(),
        known: counts.0 + counts.1,
        as_left,
        differing: counts.1,
    })
}

/// The two rows of a block.
struct Rows {
    simulator: Vec<i32>,
    gpu: Vec<i32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(multiprocessor: u32, found: Option<Held>, row: &[i32]) -> Seen {
        Seen { multiprocessor, found, row: row.to_vec() }
    }

    #[test]
    fn a_row_that_follows_from_what_was_found_agrees_and_any_other_does_not() -> Result<(), RunError>
    {
        let mut simulated = Simulated::new(&volatile::PROGRAM.example_input())?;
        let ((right, left), other) = (simulated.row(0, &[0; WORDS])?, [9; WORDS]);
        let (usual, explained) = (simulated.row(1, &left)?.0, simulated.row(1, &other)?.0);
        assert_ne!(usual, explained);
        let mut second = |blocks: &[Seen]| {
            let mut left = HashMap::from([(0, left), (1, left)]);
            level(&mut simulated, 1, blocks, &mut left, &usual)
        };
        let all = [block(0, Some(other), &explained), block(1, Some(left), &usual)];
        let found = second(&all)?;
        assert!(found.agrees() && !found.is_undisturbed());
        assert_eq!((found.known, found.as_left, &found.gpu), (2, 1, &usual));
        let found = second(&[block(0, None, &right), block(0, None, &right)])?;
        assert_eq!((found.differing, found.known), (0, 0));
        assert!(compared(vec![found]).unwrap_err().starts_with("at level 1 no block saw"));
        let found = second(&[block(0, Some(left), &usual), block(1, Some(left), &explained)])?;
        assert_eq!((found.differing, &found.simulator, &found.gpu), (1, &usual, &explained));
        assert!(!found.agrees());
        Ok(())
    }
}
