//! Doing it on the simulator, and what is different then.

use std::path::{Path, PathBuf};

use warpsim::host::Simulator;
use warpsim_cli::recorder;
use warpsim_gpu::recording::{Left, Place, Recording, Run, Work};

use super::perform::run_program;

/// Schedules that are tried where ours differs: who comes first may decide without any race.
const SCHEDULES: u64 = 60;

/// What a replay came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Cells that were compared.
    pub cells: u64,
    /// The recorded result is one that another schedule gives.
    pub is_one_of_several: bool,
    /// Other schedules, which are tried where it differs, came to more than one result.
    pub depends_on_schedule: bool,
    /// The simulator stopped at an access outside of every buffer, and the GPU did not notice.
    pub is_unnoticed: bool,
    /// The farthest apart that two finite floats are, in units in the last place.
    pub farthest: Option<u64>,
    /// What differs, in words.
    pub differences: Vec<String>,
}

/// Replays a run of a module.
///
/// # Errors
/// The simulator cannot do it.
pub fn replay(run: &Run, module: &Path) -> Result<Replayed, String> {
    match &run.work {
        Work::Launch(_) => {
            let recorder::Replayed {
                cells,
                is_one_of_several,
                depends_on_schedule,
                is_unnoticed,
                farthest,
                differences,
            } = recorder::replay(run, module, SCHEDULES)?;
            Ok(Replayed {
                cells,
                is_one_of_several,
                depends_on_schedule,
                is_unnoticed,
                farthest,
                differences,
            })
        }
        Work::Program(call) => {
            let left = result(run)?;
            let found = run_program(call, &mut Simulator::default())?;
            let bytes: Vec<u8> = found.iter().flat_map(|int| int.to_le_bytes()).collect();
            let differences = left.differences(&bytes).first().map(in_words).into_iter().collect();
            Ok(Replayed { cells: left.len, differences, ..Replayed::default() })
        }
    }
}

/// What a program's run came to, which is all that a recording of one has.
fn result(run: &Run) -> Result<&Left, String> {
    match run.buffers.as_slice() {
        [left] if left.param == 0 && left.ty == "s32" => Ok(left),
        _ => Err("the recording of a program has one buffer of s32, of parameter 0".to_owned()),
    }
}

fn in_words(place: &Place) -> String {
    match place {
        Place::Cell { index, recorded, found } => {
            format!("cell {index}: {found:#x} on the simulator, {recorded:#x} on the GPU")
        }
        Place::Within { first, last } => format!("cells {first} to {last} differ"),
        Place::Size { recorded, found } => format!("{found} cells, not {recorded}"),
    }
}

/// All recordings of the repository, by their paths, sorted. Files of another kind are none.
///
/// # Errors
/// A file that is no recording.
pub fn recordings(root: &Path) -> Result<Vec<(PathBuf, Recording)>, String> {
    let mut folders = vec![root.join("tests/recordings")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder);
        let entries = entries.map_err(|e| format!("{}: {e}", folder.display()))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let is_top = path.parent() == Some(root.join("tests/recordings").as_path());
            if path.is_dir() {
                folders.push(path);
            } else if !is_top && path.extension().is_some_and(|e| e == "json") {
                let recording = Recording::read(&path);
                found.push((path.clone(), recording.map_err(|e| e.to_string())?));
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use warpsim_gpu::recording::{Compiled, Ended, ProgramCall};

    use super::*;

    /// A run of a program that left these buffers.
    fn run(buffers: Vec<Left>) -> Run {
        let [program, form, variant] = ["volatile", "naive", "plain"].map(str::to_owned);
        let input = "s32[32]=iota:1".to_owned();
        Run {
            work: Work::Program(ProgramCall { program, form, variant, input }),
            compiled: Compiled::At(vec![Some(0)]),
            racy: false,
            simulated: None,
            outcome: Ended::Completed,
            words: None,
            buffers,
            made: None,
        }
    }

    #[test]
    fn a_program_has_one_result_and_none_or_another_is_no_recording_of_it() {
        let sums: Vec<u8> = (1..=32).flat_map(|n: i32| (n * (n + 1) / 2).to_le_bytes()).collect();
        let right = Left::of(0, "s32", &sums);
        let replayed = |buffers| replay(&run(buffers), Path::new(""));
        let cells = replayed(vec![right.clone()]).map(|r| (r.cells, r.differences));
        assert_eq!(cells, Ok((32, Vec::new())));
        for wrong in [vec![], vec![right.clone(), right], vec![Left::of(1, "s32", &sums)]] {
            assert!(replayed(wrong).is_err());
        }
    }
}
