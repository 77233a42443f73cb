//! Running subjects on the simulator, and the differences.

use std::path::{Path, PathBuf};

use warpsim::host::Simulator;
use warpsim_cli::recorder::{self, Search};
use warpsim_effort::Effort;
use warpsim_gpu::recording::{Ended, Left, Place, ProgramCall, Recording, Run, Work};
use warpsim_programs::{Numbers, Soundness};

use super::listed::Entry;
use super::perform::{Came, run_program, variant_of};

/// The alternatives to try if our result differs: the order of threads may decide it without any
/// race. An exhaustive search that finishes here does so within some 200 schedules. More of them
/// take minutes and find nothing.
pub const THOROUGH: Search = Search { sampled: 60, exhaustive: 300 };

/// The alternatives to try for a run, by its entry in the list of differences. A search for a run
/// in the list was in vain before, so it only has to differ still. In a full run, schedules are
/// sampled for it as for all. They are not searched exhaustively, which takes far longer. If the
/// reason is rounding, schedules have no part in it. A small run searches nothing exhaustively.
pub fn search_of(entry: Option<&Entry>, effort: Effort) -> Search {
    let sampled = Search { exhaustive: 0, ..THOROUGH };
    match entry {
        None => effort.pick(sampled, THOROUGH),
        Some(Entry { ulp: None, .. }) => effort.pick(Search::default(), sampled),
        Some(Entry { ulp: Some(_), .. }) => Search::default(),
    }
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Cells that were compared.
    pub cells: u64,
    /// The recorded result is one that another schedule gives.
    pub is_one_of_several: bool,
    /// Other schedules, which are tried where it differs, gave more than one result.
    pub depends_on_schedule: bool,
    /// The simulator stopped at an access outside of every buffer, and the GPU did not notice.
    pub is_unnoticed: bool,
    /// The largest difference of two finite floats, in units in the last place.
    pub farthest: Option<u64>,
    /// What differs, in words.
    pub differences: Vec<String>,
}

/// Replays a run of a module, and searches among other schedules where it differs.
///
/// # Errors
/// The simulator cannot do it.
pub fn replay(run: &Run, module: &Path, search: Search) -> Result<Replayed, String> {
    match &run.work {
        Work::Launch(_) => {
            let recorder::Replayed {
                cells,
                is_one_of_several,
                depends_on_schedule,
                is_unnoticed,
                farthest,
                differences,
            } = recorder::replay(run, module, search)?;
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
            let came = run_program(call, &mut Simulator::default())?;
            match (run.outcome, came) {
                (Ended::Completed, Came::To(found)) => {
                    compared(result(run)?, &found, is_faulty(call)?)
                }
                (Ended::Completed, Came::ToAStop(_)) if is_faulty(call)? => Ok(Replayed::default()),
                (Ended::Hung, Came::ToAStop(outcome)) if outcome.is_endless() => {
                    Ok(Replayed::default())
                }
                (ended, came) => Ok(Replayed {
                    differences: vec![format!("{} on the GPU, {}", ended.name(), came.in_words())],
                    ..Replayed::default()
                }),
            }
        }
    }
}

/// Compares the result of a program here with the recorded one. Of a variant that is wrong on
/// purpose any other result is as good, and is not counted.
fn compared(left: &Left, found: &Numbers, is_faulty: bool) -> Result<Replayed, String> {
    if left.ty != found.ty {
        return Err(format!("the result is of {}, not of {}", found.ty, left.ty));
    }
    let differences = left.differences(&found.bytes);
    if is_faulty && !differences.is_empty() {
        return Ok(Replayed::default());
    }
    let differences = differences.first().map(in_words).into_iter().collect();
    Ok(Replayed { cells: left.len, differences, ..Replayed::default() })
}

/// The result of a program's run, which is all that a recording of one has.
fn result(run: &Run) -> Result<&Left, String> {
    match run.buffers.as_slice() {
        [left] if left.param == 0.into() => Ok(left),
        _ => Err("the recording of a program has one buffer, of parameter 0".to_owned()),
    }
}

/// Whether the variant is wrong on purpose.
fn is_faulty(call: &ProgramCall) -> Result<bool, String> {
    let (_, variant) = variant_of(call)?;
    Ok(matches!(variant.soundness, Soundness::Faulty(_)))
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
    use warpsim::element::ElementType;
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
        let right = Left::of(0, ElementType::I32, &sums);
        let replayed = |buffers| replay(&run(buffers), Path::new(""), THOROUGH);
        let cells = replayed(vec![right.clone()]).map(|r| (r.cells, r.differences));
        assert_eq!(cells, Ok((32, Vec::new())));
        for wrong in [
            vec![],
            vec![right.clone(), right],
            vec![Left::of(1, ElementType::I32, &sums)],
            vec![Left::of(0, ElementType::U32, &sums)],
        ] {
            assert!(replayed(wrong).is_err());
        }
    }

    #[test]
    fn a_program_that_hangs_on_a_gpu_has_to_be_endless_here() {
        let hung = |program: &str, variant: &str| {
            let call = ProgramCall {
                program: program.to_owned(),
                form: "naive".to_owned(),
                variant: variant.to_owned(),
                input: "s32[64]=iota:1".to_owned(),
            };
            let work = Work::Program(call);
            let run = Run { work, outcome: Ended::Hung, ..run(Vec::new()) };
            replay(&run, Path::new(""), THOROUGH).map(|r| r.differences)
        };
        assert_eq!(hung("barrier", "both-sides"), Ok(Vec::new()));
        assert_eq!(hung("barrier", "all"), Ok(vec!["hung on the GPU, completed here".to_owned()]));
    }

    #[test]
    fn another_result_of_a_variant_that_is_wrong_on_purpose_is_no_difference() {
        let (one, two) = (Numbers::from(vec![1]), Numbers::from(vec![2]));
        let left = Left::of(0, one.ty, &one.bytes);
        let of = |found: &Numbers, is_faulty| {
            let replayed = compared(&left, found, is_faulty).unwrap();
            (replayed.cells, replayed.differences.len())
        };
        assert_eq!((of(&one, true), of(&two, true)), ((1, 0), (0, 0)));
        assert_eq!((of(&one, false), of(&two, false)), ((1, 0), (1, 1)));
        assert!(compared(&left, &Numbers::from(vec![1u32]), true).is_err());
    }

    #[test]
    fn a_listed_run_is_sampled_and_one_that_is_rounded_otherwise_is_compared_in_order_alone() {
        let entry = |ulp| Entry { module: String::new(), run: String::new(), ulp };
        assert_eq!(search_of(None, Effort::Full), THOROUGH);
        let sampled = Search { sampled: THOROUGH.sampled, exhaustive: 0 };
        assert_eq!(search_of(None, Effort::Small), sampled);
        assert_eq!(search_of(Some(&entry(None)), Effort::Full), sampled);
        assert_eq!(search_of(Some(&entry(None)), Effort::Small), Search::default());
        let rounded = Search { sampled: 0, exhaustive: 0 };
        assert_eq!(search_of(Some(&entry(Some(3))), Effort::Full), rounded);
    }

    #[test]
    fn a_listed_run_that_another_schedule_explains_does_not_differ() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let path = "tests/recordings/corpus/nvrtc13-sm80-naive/h200_kernels.json";
        let recording = Recording::read(&root.join(path)).unwrap();
        let of_kernel = |run: &&Run| matches!(&run.work, Work::Launch(s) if s.kernel == "incdec");
        let run = recording.runs.iter().find(|run| of_kernel(run) && run.racy).unwrap();
        let replayed = |search| replay(run, &root.join(&recording.module), search).unwrap();
        let in_order = replayed(Search::default());
        assert!(!in_order.differences.is_empty() && !in_order.is_one_of_several);
        let entry = Entry { module: String::new(), run: String::new(), ulp: None };
        let searched = replayed(search_of(Some(&entry), Effort::Full));
        assert!(searched.differences.is_empty() && searched.is_one_of_several);
    }
}
