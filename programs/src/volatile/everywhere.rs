//! The scan on every multiprocessor at once, with known contents of shared memory.
//!
//! A block lands on any multiprocessor, and a read that is too early finds what another kernel left
//! there. So each launch has a block for every multiprocessor, and each block is too large for a
//! second one beside it. The blocks wait for each other, and report where they are. An earlier
//! launch reads shared memory on every multiprocessor as well, and changes nothing. This gives the
//! result of the scan on a multiprocessor, whatever program has used the GPU before.
//!
//! Hardware leaves two things open: a block may still share its multiprocessor with another one,
//! and another process may come between the two launches. [`Seen::found`] is `None` for the first.
//! Only another launch can distinguish the second from a wrong simulator.

use std::collections::HashMap;

use warpsim::host::{
    Argument, Device, DeviceError, DeviceProfile, Launch, ModuleHandle, Pointer, SharedInit,
    Simulator,
};
use warpsim::passes;
use warpsim::ptx::Module;

use super::LANES;
use super::leftovers::H200;
use crate::ints;
use crate::program::{RunError, Text, completed};

/// Words of shared memory of the scan.
pub const WORDS: usize = 2 * LANES;

/// The kernels: the scan of [`BY_HAND`](super::BY_HAND), and those that look and leave.
const EVERYWHERE: Text =
    Text { file: "scan_everywhere.ptx", text: include_str!("scan_everywhere.ptx") };

/// Bytes of shared memory that are left out of what a block may have: its own variables, and what
/// the system keeps beside them.
const APART: u32 = 4096;

/// What shared memory held, cell by cell.
pub type Held = [i32; WORDS];

/// The row of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The multiprocessor that it ran on.
    pub multiprocessor: u32,
    /// What shared memory held there before; `None` if it is unknown, because the multiprocessor
    /// had no block in the launch that looked, or several in one of the two launches.
    pub found: Option<Held>,
    /// The sums.
    pub row: Vec<i32>,
}

/// The module with the scan.
///
/// # Errors
/// It does not parse: a defect of ours.
pub fn module() -> Result<Module, RunError> {
    warpsim::ptx::parse(EVERYWHERE.file, EVERYWHERE.text).map_err(RunError::Parse)
}

/// Launches the scan five times in a row on all `multiprocessors` of a device whose blocks may have
/// `shared` bytes of shared memory: `module_of` loads [`module`] for each launch, counted from 0,
/// as in [`five_rows`](super::five_rows). Gives the blocks of each launch.
///
/// # Errors
/// The device refuses a call, or a launch does not complete.
pub fn five_launches<D: Device>(
    device: &mut D,
    multiprocessors: u32,
    shared: u32,
    input: &[i32],
    mut module_of: impl FnMut(&mut D, usize) -> Result<ModuleHandle, RunError>,
) -> Result<Vec<Vec<Seen>>, RunError> {
    let shape = Launch { shared: shared.saturating_sub(APART), ..Launch::new(multiprocessors, 32) };
    let blocks = multiprocessors as usize;
    let from = ints::upload(device, input)?;
    let seen = ints::allocate(device, (1 + WORDS) * blocks)?;
    let arrived = ints::upload(device, &[0])?;
    let mut goal = 0;
    let mut launches = Vec::new();
    for number in 0..H200.len() {
        let module = module_of(device, number)?;
        let (seen_there, arrived) = (Argument::Pointer(seen), Argument::Pointer(arrived));
        goal += multiprocessors;
        let look = [seen_there.clone(), arrived.clone(), Argument::U32(goal)];
        completed("found", device.launch(module, "found", &shape, &look)?)?;
        let found = blocks_of(device, seen, blocks, WORDS)?;
        goal += multiprocessors;
        let scan = [Argument::Pointer(from), seen_there, arrived, Argument::U32(goal)];
        completed("scan", device.launch(module, "scan", &shape, &scan)?)?;
        launches.push(joined(&found, blocks_of(device, seen, blocks, LANES)?));
    }
    Ok(launches)
}

/// What each block has written: this many words, and last its multiprocessor.
fn blocks_of(
    device: &mut dyn Device,
    from: Pointer,
    blocks: usize,
    words: usize,
) -> Result<Vec<(u32, Vec<i32>)>, RunError> {
    let all = ints::download(device, from, (1 + words) * blocks)?;
    let block = |cells: &[i32]| {
        let (multiprocessor, words) = cells.split_last()?;
        Some((multiprocessor.cast_unsigned(), words.to_vec()))
    };
    Ok(all.chunks_exact(1 + words).filter_map(block).collect())
}

/// The rows with what was found before.
fn joined(found: &[(u32, Vec<i32>)], rows: Vec<(u32, Vec<i32>)>) -> Vec<Seen> {
    /// What the only block of a multiprocessor has written.
    fn alone(blocks: &[(u32, Vec<i32>)], multiprocessor: u32) -> Option<&Vec<i32>> {
        let mut there = blocks.iter().filter(|(of, _)| *of == multiprocessor);
        let first = there.next().map(|(_, words)| words);
        first.filter(|_| there.next().is_none())
    }
    let known = |multiprocessor: u32| {
        alone(&rows, multiprocessor)?;
        Held::try_from(alone(found, multiprocessor)?.as_slice()).ok()
    };
    let found: Vec<Option<Held>> = rows.iter().map(|(of, _)| known(*of)).collect();
    let seen = rows.into_iter().zip(found);
    seen.map(|((multiprocessor, row), found)| Seen { multiprocessor, found, row }).collect()
}

/// The simulator's results on one multiprocessor that holds something: as written, and as the
/// register-caching pass made it.
#[derive(Debug)]
pub struct Simulated {
    as_written: Module,
    cached: Module,
    input: Vec<i32>,
    known: HashMap<(bool, Held), (Vec<i32>, Held)>,
}

impl Simulated {
    /// Of the scan of an input.
    ///
    /// # Errors
    /// The module does not parse: a defect of ours.
    pub fn new(input: &[i32]) -> Result<Simulated, RunError> {
        let as_written = module()?;
        let cached = passes::register_cache(&as_written).map_err(DeviceError::from)?.module;
        Ok(Simulated { as_written, cached, input: input.to_vec(), known: HashMap::new() })
    }

    /// The row of a launch, counted from 0, where shared memory holds this, and what it leaves. The
    /// first launch runs the scan as written, the others what the pass made of it.
    ///
    /// # Errors
    /// It does not run: a defect of ours.
    pub fn row(&mut self, number: usize, found: &Held) -> Result<(Vec<i32>, Held), RunError> {
        let key = (number > 0, *found);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let result = self.run(if number > 0 { &self.cached } else { &self.as_written }, found)?;
        self.known.insert(key, result.clone());
        Ok(result)
    }

    fn run(&self, module: &Module, found: &Held) -> Result<(Vec<i32>, Held), RunError> {
        let mut profile = DeviceProfile::h200();
        profile.multiprocessors = 1;
        let mut device = Simulator::new(profile);
        device.settings_mut().shared_init = SharedInit::Leftover;
        let shape = Launch::new(1, LANES as u32);
        let [plain, scan] = [device.load(&self.as_written)?, device.load(module)?];
        let held = Argument::Pointer(ints::upload(&mut device, found)?);
        completed("leave", device.launch(plain, "leave", &shape, &[held])?)?;
        let from = Argument::Pointer(ints::upload(&mut device, &self.input)?);
        let to = ints::allocate(&mut device, 1 + WORDS)?;
        let arrived = Argument::Pointer(ints::upload(&mut device, &[0])?);
        let (seen, goal) = (Argument::Pointer(to), Argument::U32(1));
        let arguments = [from, seen.clone(), arrived.clone(), goal.clone()];
        completed("scan", device.launch(scan, "scan", &shape, &arguments)?)?;
        let row = ints::download(&mut device, to, LANES)?;
        completed("found", device.launch(plain, "found", &shape, &[seen, arrived, goal])?)?;
        let left = ints::download(&mut device, to, WORDS)?;
        let left = Held::try_from(left.as_slice());
        Ok((row, left.map_err(|_| RunError::NothingToTell("what shared memory holds"))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Vec<i32> {
        (1..=32).collect()
    }

    #[test]
    fn one_launch_after_the_other_gives_the_rows_of_the_gpu() -> Result<(), RunError> {
        let mut simulated = Simulated::new(&input())?;
        let mut held = [0; WORDS];
        for (number, expected) in H200.iter().enumerate() {
            let (row, left) = simulated.row(number, &held)?;
            assert_eq!(row, expected);
            held = left;
        }
        Ok(())
    }

    /// A simulator of three multiprocessors. Each holds one of the blocks.
    fn on_three(shared_init: SharedInit) -> Result<Vec<Vec<Seen>>, RunError> {
        let mut profile = DeviceProfile::h200();
        profile.multiprocessors = 3;
        let shared = profile.shared_per_block;
        let mut device = Simulator::new(profile);
        device.settings_mut().shared_init = shared_init;
        let simulated = Simulated::new(&input())?;
        five_launches(&mut device, 3, shared, &input(), |device, number| {
            Ok(device.load(if number > 0 { &simulated.cached } else { &simulated.as_written })?)
        })
    }

    #[test]
    fn every_multiprocessor_finds_what_the_launch_before_left() -> Result<(), RunError> {
        for (launch, expected) in on_three(SharedInit::Leftover)?.iter().zip(H200) {
            let places: Vec<u32> = launch.iter().map(|seen| seen.multiprocessor).collect();
            assert_eq!(places, [0, 1, 2]);
            assert!(launch.iter().all(|seen| seen.found.is_some() && seen.row == expected));
        }
        Ok(())
    }

    #[test]
    fn what_somebody_else_left_is_found_and_gives_the_row_that_it_should() -> Result<(), RunError> {
        let mut simulated = Simulated::new(&input())?;
        for (number, launch) in on_three(SharedInit::Poison)?.iter().enumerate() {
            for seen in launch {
                let found = seen.found.ok_or(RunError::NothingToTell("what was found"))?;
                assert_eq!(found, [i32::from_le_bytes([0xa5; 4]); WORDS]);
                assert_eq!(seen.row, simulated.row(number, &found)?.0);
                assert_eq!(number == 0, seen.row == H200[number]);
            }
        }
        Ok(())
    }

    #[test]
    fn what_several_blocks_of_one_multiprocessor_found_is_not_known() {
        let words = |of: u32, length: usize| (of, vec![7; length]);
        let found = [words(0, WORDS), words(0, WORDS), words(1, WORDS), words(3, WORDS)];
        let rows = [0, 1, 2, 3, 3].map(|of| words(of, LANES)).to_vec();
        let known: Vec<bool> =
            joined(&found, rows).iter().map(|seen| seen.found.is_some()).collect();
        assert_eq!(known, [false, true, false, false, false]);
    }
}
