//! The file: its head, and runs that are added, replaced, written and read.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use warpsim_files as files;

use super::error::RecordingError;
use super::run::Run;
use super::wire::WireRun;
use crate::probe::GpuFacts;

/// The version of the format that this program reads and writes.
pub const SCHEMA: u64 = 1;

/// The longest file that is read, in bytes: some hundred times the longest that there is.
const LONGEST: u64 = 64 << 20;

/// What the hardware did with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Where the module lies, from the root of the repository, with `/`.
    pub module: String,
    /// SHA-256 of the module's text.
    pub ptx_sha256: String,
    /// On what all runs ran that do not say otherwise.
    pub made: Made,
    /// The runs, in the order in which they were added.
    pub runs: Vec<Run>,
}

/// On what a recording was made, and when.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The GPU's name: `NVIDIA H200`.
    pub device: String,
    /// The driver's version: `580.159.04`; `unknown` if the system does not say.
    pub driver: String,
    /// The version of CUDA that the driver supports: `13.0`.
    pub cuda: String,
    /// The day, in UTC: `2026-03-01`.
    pub date: String,
}

/// The file's fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFile {
    #[serde(rename = "schema")]
    _schema: u64,
    module: String,
    ptx_sha256: String,
    made: Made,
    runs: Vec<WireRun>,
}

/// The only field that every version has.
#[derive(Deserialize)]
struct AnyVersion {
    schema: u64,
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Made {
    /// On this GPU, today.
    pub fn now(facts: &GpuFacts) -> Made {
        Made {
            device: facts.name.clone(),
            driver: facts.driver.clone().unwrap_or_else(|| "unknown".to_owned()),
            cuda: format!("{}.{}", facts.cuda.0, facts.cuda.1),
            date: super::today(),
        }
    }
}

impl Recording {
    /// A recording without runs.
    pub fn new(module: &str, ptx: &[u8], made: Made) -> Recording {
        let module = module.to_owned();
        Recording { module, ptx_sha256: sha256(ptx), made, runs: Vec::new() }
    }

    /// Adds a run, in place of what was recorded of the same work at the same levels. Two runs of
    /// the same work that gave the same are kept as one, with the levels of both.
    pub fn add(&mut self, run: Run) {
        let (mut index, mut place) = (0, None);
        self.runs.retain_mut(|old| {
            let is_kept = old.work != run.work || old.compiled.remove(&run.compiled);
            if !is_kept {
                place.get_or_insert(index);
            }
            index += 1;
            is_kept
        });
        match self.runs.iter_mut().find(|old| old.gave_the_same(&run)) {
            Some(old) => old.compiled.join(run.compiled),
            None => self.runs.insert(place.unwrap_or(self.runs.len()), run),
        }
    }

    /// That a module's text is the one that was recorded.
    ///
    /// # Errors
    /// [`RecordingError::Stale`] with both hashes.
    pub fn is_of(&self, ptx: &[u8]) -> Result<(), RecordingError> {
        let found = sha256(ptx);
        if found == self.ptx_sha256 {
            return Ok(());
        }
        Err(RecordingError::Stale { expected: self.ptx_sha256.clone(), found })
    }

    /// On what a run ran.
    pub fn made_of<'a>(&'a self, run: &'a Run) -> &'a Made {
        run.made.as_ref().unwrap_or(&self.made)
    }

    /// The file's text: a line for each run and each buffer.
    ///
    /// # Errors
    /// Something cannot be said in JSON, which would be a bug.
    pub fn to_text(&self) -> Result<String, RecordingError> {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let made = json(&self.made)?;
        let runs = self.runs.iter().map(run_text).collect::<Result<Vec<String>, _>>()?;
        Ok(format!(
            "{{\n\"schema\": {SCHEMA},\n\"module\": {},\n\"ptx_sha256\": {},\n\"made\": {made},\n\
             \"runs\": [\n{}\n]\n}}\n",
            quoted(&self.module),
            quoted(&self.ptx_sha256),
            runs.join(",\n")
        ))
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// What is wrong in it, and where.
    pub fn from_text(text: &str) -> Result<Recording, RecordingError> {
        let malformed = |reason: String| RecordingError::Malformed { reason };
        let version: AnyVersion =
            serde_json::from_str(text).map_err(|e| malformed(e.to_string()))?;
        if version.schema != SCHEMA {
            return Err(RecordingError::Schema { found: version.schema });
        }
        let file: WireFile = serde_json::from_str(text).map_err(|e| malformed(e.to_string()))?;
        let mut runs = Vec::new();
        for (number, wire) in file.runs.into_iter().enumerate() {
            let run = Run::try_from(wire);
            runs.push(run.map_err(|e| malformed(format!("run {number}: {e}")))?);
        }
        let WireFile { module, ptx_sha256, made, .. } = file;
        Ok(Recording { module, ptx_sha256, made, runs })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or there is an error in it.
    pub fn read(path: &Path) -> Result<Recording, RecordingError> {
        let bytes = files::read(path, LONGEST).map_err(|e| of_file(path, &e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| of_file(path, &e.to_string()))?;
        Recording::from_text(&text).map_err(|error| match error {
            RecordingError::Malformed { reason } => of_file(path, &reason),
            other => other,
        })
    }

    /// Writes a file, and the folders that it lies in.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, path: &Path) -> Result<(), RecordingError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = self.to_text()?;
        let contents = |to: &mut dyn Write| to.write_all(text.as_bytes());
        let written = fs::create_dir_all(folder).and_then(|()| files::write(path, contents));
        written.map_err(|e| of_file(path, &e.to_string()))
    }
}

fn of_file(path: &Path, reason: &str) -> RecordingError {
    RecordingError::File { path: path.to_owned(), reason: reason.to_owned() }
}

/// A run in a line, and its buffers in one each.
fn run_text(run: &Run) -> Result<String, RecordingError> {
    let mut wire = WireRun::from(run.clone());
    let buffers = std::mem::take(&mut wire.buffers);
    let buffers = buffers.iter().map(json).collect::<Result<Vec<String>, _>>()?;
    // An empty list of buffers is the last field.
    let head = json(&wire)?;
    let head = head.trim_end_matches("]}");
    let separator = if buffers.is_empty() { "" } else { "\n  " };
    Ok(format!("{head}{separator}{}]}}", buffers.join(",\n  ")))
}

fn json<T: Serialize>(value: &T) -> Result<String, RecordingError> {
    serde_json::to_string(value)
        .map_err(|error| RecordingError::Unsayable { reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use warpsim::element::ElementType;
    use warpsim::host::Launch;

    use super::*;
    use crate::recording::{Compiled, Ended, Left, ProgramCall, Submission, Work};

    fn made(date: &str) -> Made {
        let [device, driver, cuda] = ["GPU", "1.2", "13.0"].map(str::to_owned);
        Made { device, driver, cuda, date: date.to_owned() }
    }

    /// A run of a kernel at levels, that left one word.
    fn run(kernel: &str, levels: &[Option<u8>], word: u32) -> Run {
        Run {
            work: Work::Launch(Submission {
                kernel: kernel.to_owned(),
                launch: Launch { shared: 64, ..Launch::new(2, 32) },
                args: vec!["u32[1]".to_owned()],
                globals: vec!["g=1".to_owned()],
                links: vec!["lib.ptx".to_owned()],
                launches: 2,
                passes: vec!["register-cache@2".to_owned()],
            }),
            compiled: Compiled::At(levels.to_vec()),
            racy: true,
            simulated: None,
            outcome: Ended::Completed,
            words: None,
            buffers: vec![Left::of(0, ElementType::U32, &word.to_le_bytes())],
            made: None,
        }
    }

    fn recording(runs: Vec<Run>) -> Recording {
        Recording { runs, ..Recording::new("a/b.ptx", b"text", made("2026-01-02")) }
    }

    fn levels(recording: &Recording) -> Vec<Compiled> {
        recording.runs.iter().map(|run| run.compiled.clone()).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let fault = Run {
            outcome: Ended::Fault,
            words: Some("an illegal \"address\"]}".to_owned()),
            buffers: Vec::new(),
            made: Some(made("2026-03-04")),
            ..run("f", &[None], 0)
        };
        let [program, form, variant] = ["scan", "naive", "plain"].map(str::to_owned);
        let input = "s32[4]=iota:1".to_owned();
        let work = Work::Program(ProgramCall { program, form, variant, input });
        let rows = Run {
            compiled: Compiled::InTurn(vec![0, 4]),
            buffers: vec![Left { launch: Some(2), ..Left::of(1, ElementType::F64, &[0; 20_000]) }],
            ..run("r", &[None], 0)
        };
        let all = recording(vec![
            run("k", &[Some(0), None], 7),
            fault,
            rows,
            Run { work, ..run("", &[None], 1) },
        ]);
        assert_eq!(Recording::from_text(&all.to_text().unwrap()), Ok(all));
    }

    #[test]
    fn a_run_and_a_buffer_are_a_line_each() {
        let text = recording(vec![run("k", &[Some(0), None], 0x12)]).to_text().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "\"schema\": 1,");
        assert!(lines[6].starts_with(r#"{"kernel":"k","grid":[2,1,1],"#), "{text}");
        assert!(lines[7].contains(r#""bits":"00000012""#), "{text}");
    }

    #[test]
    fn levels_that_give_the_same_are_one_run_and_another_result_takes_its_level_away() {
        let mut all = recording(Vec::new());
        all.add(run("k", &[Some(0)], 1));
        all.add(run("k", &[None], 1));
        assert_eq!(levels(&all), [Compiled::At(vec![Some(0), None])]);
        all.add(run("k", &[None], 2));
        assert_eq!(levels(&all), [Compiled::At(vec![Some(0)]), Compiled::At(vec![None])]);
        all.add(run("k", &[Some(0)], 2));
        assert_eq!(levels(&all), [Compiled::At(vec![None, Some(0)])]);
        all.add(run("other", &[None], 2));
        assert_eq!(all.runs.len(), 2);
    }

    #[test]
    fn a_run_that_is_recorded_again_keeps_its_place() {
        let mut all = recording(Vec::new());
        for kernel in ["a", "b", "c"] {
            all.add(run(kernel, &[Some(0), None], 1));
        }
        let again = run("b", &[None, Some(0)], 2);
        all.add(again.clone());
        assert_eq!(all.runs[1], again);
        assert_eq!(all.runs.len(), 3);
    }

    #[test]
    fn launches_at_levels_in_turn_replace_only_those_at_the_same_and_are_never_joined() {
        let rows = |levels: [u8; 2], word| Run {
            compiled: Compiled::InTurn(levels.to_vec()),
            ..run("k", &[], word)
        };
        let mut all = recording(vec![run("k", &[None], 1)]);
        all.add(rows([0, 1], 1));
        all.add(rows([0, 2], 1));
        all.add(rows([0, 1], 2));
        assert_eq!(all.runs, [run("k", &[None], 1), rows([0, 1], 2), rows([0, 2], 1)]);
        all.add(run("k", &[None], 2));
        assert_eq!(all.runs, [run("k", &[None], 2), rows([0, 1], 2), rows([0, 2], 1)]);
    }

    /// The error in the text of a recording in which one piece replaces another.
    fn wrong(from: &str, to: &str) -> String {
        let text = recording(vec![run("k", &[Some(0)], 7)]).to_text().unwrap();
        assert!(text.contains(from), "{text}");
        Recording::from_text(&text.replace(from, to)).map_err(|e| e.to_string()).unwrap_err()
    }

    #[test]
    fn what_is_not_understood_or_does_not_agree_is_an_error_that_says_what() {
        let cases = [
            ("\"schema\": 1", "\"schema\": 2", "schema 2, and this program reads schema 1"),
            ("\"kernel\"", "\"kernal\"", "unknown field `kernal`"),
            ("\"module\"", "\"modul\"", "unknown field `modul`"),
            ("\"grid\":[2,1,1],", "", "the launch of `k` has no `grid`"),
            ("\"jit_opt\":[0]", "\"jit_opt\":[5]", "a level is 0 to 4, not 5"),
            ("\"jit_opt\":[0],", "", "either `jit_opt` or"),
            ("completed", "done", "the outcome `done` is not completed"),
            ("\"u32\"", "\"x32x\"", "`x32x` is not a type; there are u8, "),
            ("\"len\":1", "\"len\":2", "`len` is 2, and `bits` has 1 cells"),
            ("00000007", "00000006", "`bits` and `sha256` do not agree"),
            ("00000007", "7", "`7` is not a cell of 4 bytes"),
            ("completed", "hung", "memory is lost after `hung`"),
            ("\"shared\":64", "\"shared\":64,\"program\":\"scan\"", "either of a kernel"),
        ];
        for (from, to, what) in cases {
            let error = wrong(from, to);
            assert!(error.contains(what), "{to}: {error}");
        }
        assert!(Recording::from_text("[]").is_err());
    }

    #[test]
    fn a_buffer_after_a_launch_that_there_was_not_is_refused() {
        for number in [0, 3] {
            let error = wrong("\"param\":0", &format!("\"param\":0,\"launch\":{number}"));
            let what = format!("`launch` is {number}, and there are launches 1 to 2");
            assert!(error.contains(&what), "{error}");
        }
        let [program, form, variant, input] = ["p", "naive", "v", "s32[1]"].map(str::to_owned);
        let left = Left { launch: Some(1), ..Left::of(0, ElementType::U32, &[0; 4]) };
        let work = Work::Program(ProgramCall { program, form, variant, input });
        let all = recording(vec![Run { work, buffers: vec![left], ..run("", &[None], 0) }]);
        let error =
            Recording::from_text(&all.to_text().unwrap()).map_err(|e| e.to_string()).unwrap_err();
        assert!(error.contains("a program's result has no `launch`"), "{error}");
    }

    #[test]
    fn what_a_buffer_held_after_a_launch_is_there_once() {
        let left = |launch, word: u8| Left { launch, ..Left::of(0, ElementType::U8, &[word]) };
        let read = |buffers| {
            let all = recording(vec![Run { buffers, ..run("k", &[None], 0) }]);
            Recording::from_text(&all.to_text().unwrap()).map_err(|e| e.to_string())
        };
        assert!(read(vec![left(Some(1), 1), left(Some(2), 2)]).is_ok());
        // There are two launches, so that no number says the same as 2.
        for twice in [[Some(1); 2], [None; 2], [Some(2), None]] {
            let error = read(twice.map(|launch| left(launch, 1)).to_vec()).unwrap_err();
            assert!(error.contains("twice after the same launch"), "{error}");
        }
    }

    #[test]
    fn a_text_that_was_not_recorded_is_refused_with_both_hashes() {
        let all = recording(Vec::new());
        assert_eq!(all.is_of(b"text"), Ok(()));
        let error = all.is_of(b"texts").map_err(|e| e.to_string()).unwrap_err();
        // `printf text | sha256sum`, `printf texts | sha256sum`
        assert!(
            error.contains("982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"),
            "{error}"
        );
        assert!(
            error.contains("a4b992ab42964e5b7112ad2609ec66bcec05b99340bbb063ec00a52af5ea9d3d"),
            "{error}"
        );
    }
}
