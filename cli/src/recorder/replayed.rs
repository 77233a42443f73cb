//! Replaying a run: the same launch on the simulator, compared with the recording.

use std::path::Path;

use warpsim::host::{Device as _, DeviceError, Simulator};
use warpsim_gpu::recording::{Ended, Place, Run, Work};

use super::recorded::FromRecording;
use super::submission::{parse, simulated_options};
use crate::compare::{How, Tolerances, Verdict, compare};
use crate::failure::Failure;
use crate::launch::device::simulator;
use crate::launch::{Chosen, Prepared};
use crate::output::Output;
use crate::spec::cell::Cell;

/// Warp instructions after which a launch is given up; no recorded launch comes near it.
const MAX_STEPS: u64 = 100_000_000;

/// How many other schedules are tried if a replay differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Schedules of different kinds, one after the other.
    pub sampled: u64,
    /// Schedules of the exhaustive search of a small launch, if the others did not reach the whole
    /// recorded result. Each costs far more than one of those.
    pub exhaustive: u64,
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Cells that were compared one by one, or by digests.
    pub cells: u64,
    /// The simulator reached the recorded result under another schedule than its own.
    pub is_one_of_several: bool,
    /// Other schedules, which are tried if it differs, gave more than one result.
    pub depends_on_schedule: bool,
    /// The simulator stopped at an access outside every buffer, and the GPU did not notice it.
    pub is_unnoticed: bool,
    /// The largest distance between two finite floats, in units in the last place.
    pub farthest: Option<u64>,
    /// The differences, in words; empty if there are none.
    pub differences: Vec<String>,
}

/// Repeats a GPU's run on the simulator, with the module's text from `file`, and compares the
/// results bit by bit. If they differ, it tries other schedules, to find another legal result that
/// is the recorded one.
///
/// # Errors
/// The run is not a kernel's, or the simulator cannot do it.
pub fn replay(run: &Run, file: &Path, search: Search) -> Result<Replayed, String> {
    let Work::Launch(submission) = &run.work else {
        return Err("this run is a program's: only that program can replay it".to_owned());
    };
    let mut words = simulated_options(file, submission, run.simulated.as_ref());
    words.extend(["--max-steps".to_owned(), MAX_STEPS.to_string()]);
    let options = parse(&words)?;
    let (mut output, ..) = Output::to_memory(Vec::new());
    let failed = |failure: Failure| failure.to_string();
    let chosen = Chosen::read(&options, &mut output).map_err(failed)?;
    let device = simulator(&options).map_err(failed)?;
    let mut ours = Prepared::on(device, &chosen, &options, &output).map_err(failed)?;
    let mut theirs = FromRecording::of(run, &ours, options.launches).map_err(failed)?;
    let how = How {
        tolerances: Tolerances::default(),
        keep: 4,
        schedules: search.sampled,
        exhaustive: search.exhaustive,
        seed: 0,
    };
    let compared = compare(&mut ours, &mut theirs, &options, &how, &output).map_err(failed)?;
    let mut replayed = Replayed {
        cells: compared.cells().0,
        is_one_of_several: compared.verdict() == Verdict::OneOfSeveral,
        depends_on_schedule: compared
            .launches
            .iter()
            .any(|launch| launch.several.as_ref().is_some_and(|several| several.results > 1)),
        is_unnoticed: compared.verdict() == Verdict::Unnoticed,
        farthest: None,
        differences: Vec::new(),
    };
    for launch in compared.launches.iter().filter(|l| l.verdict == Verdict::Different) {
        if launch.ours.outcome != launch.theirs.outcome {
            replayed.differences.push(format!(
                "launch {}: {} on the simulator, {} on the GPU",
                launch.number, launch.ours.outcome, launch.theirs.outcome
            ));
        }
        for object in &launch.objects {
            replayed.farthest = replayed.farthest.max(object.differences.farthest);
            replayed.differences.extend(object.differences.first.iter().map(|d| {
                let element = object.object.element;
                let cell = |bits| Cell { element, bits, as_bits: false }.text();
                format!(
                    "{}, cell {}: {} on the simulator, {} on the GPU ({:#x}, {:#x}); {} of {} differ",
                    object.object.heading(),
                    d.index,
                    cell(d.ours),
                    cell(d.theirs),
                    d.ours,
                    d.theirs,
                    object.differences.differing,
                    object.differences.compared,
                )
            }));
        }
    }
    if run.outcome == Ended::Completed && !replayed.is_unnoticed {
        let (cells, differences) = digests_that_differ(run, &mut ours).map_err(failed)?;
        replayed.cells += cells;
        replayed.differences.extend(differences);
    }
    Ok(replayed)
}

/// Compares the buffers whose digests alone were kept, as they are now. Returns how many cells they
/// have, and the differences in words.
pub(crate) fn digests_that_differ(
    run: &Run,
    ours: &mut Prepared<Simulator>,
) -> Result<(u64, Vec<String>), Failure> {
    let (mut cells, mut differences) = (0, Vec::new());
    for left in run.buffers.iter().filter(|left| left.bytes().is_none()) {
        let buffer = ours.buffers.iter().find(|buffer| buffer.parameter == left.param);
        let buffer = buffer.ok_or(DeviceError::Lost)?;
        let mut bytes = vec![0; (buffer.length * buffer.element.size() as u64) as usize];
        ours.device.download(buffer.pointer, &mut bytes)?;
        cells += left.len;
        for place in left.differences(&bytes) {
            let words = match place {
                Place::Within { first, last } => format!("cells {first} to {last}"),
                Place::Cell { index, .. } => format!("cell {index}"),
                Place::Size { recorded, found } => format!("{found} cells, not {recorded}"),
            };
            differences.push(format!("parameter {}: {words} differ", left.param));
        }
    }
    Ok((cells, differences))
}
