//! Launch files: `NAME.launch.toml` beside a kernel says how to launch it and what to expect. So
//! kernels are tested without a line of Rust.
//!
//! ```toml
//! file = "scan.cu"                       # without it: NAME.cu or NAME.ptx
//!
//! [[launch]]
//! name = "32 numbers"
//! kernel = "scan"
//! block = 32                             # or [32, 2]; grid likewise
//! args = ["s32[32]=iota:1", "s32[32]"]
//! expect = { 1 = "sums.npy" }            # INIT or a .npy file, by parameter
//!
//! [[launch]]
//! name = "without the barrier"
//! args = ["s32[32]=iota:1", "s32[32]"]
//! findings = ["race"]                    # what `check` has to find
//! ```
//!
//! Paths are relative to the launch file. A key that is not known is an error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use warpsim_files as files;

/// The ending of a launch file's name.
pub(super) const ENDING: &str = ".launch.toml";

/// Longest launch file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchFile {
    file: Option<PathBuf>,
    #[serde(default)]
    launch: Vec<Launch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Launch {
    name: Option<String>,
    file: Option<PathBuf>,
    kernel: Option<String>,
    grid: Option<Extent>,
    block: Option<Extent>,
    shared: Option<u32>,
    launches: Option<u32>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    globals: BTreeMap<String, String>,
    #[serde(default)]
    expect: BTreeMap<String, String>,
    ulp: Option<u64>,
    abs: Option<f64>,
    #[serde(default)]
    findings: Vec<String>,
    /// Further options of `check`.
    #[serde(default)]
    options: Vec<String>,
}

/// One to three dimensions.
#[derive(Deserialize)]
#[serde(untagged)]
enum Extent {
    One(u32),
    Several(Vec<u32>),
}

impl Extent {
    fn text(&self) -> String {
        match self {
            Extent::One(cells) => cells.to_string(),
            Extent::Several(all) => {
                let all: Vec<String> = all.iter().map(u32::to_string).collect();
                all.join(",")
            }
        }
    }
}

/// A launch that is a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// The launch file, and the name or the number of the launch.
    pub(super) name: String,
    /// The launch file.
    pub(super) file: PathBuf,
    /// The words of `check`, its own name first.
    pub(super) words: Vec<String>,
    /// The codes that have to be found.
    pub(super) findings: Vec<String>,
}

/// The tests of a launch file.
///
/// # Errors
/// What is wrong with the file, with its place.
pub(super) fn cases(path: &Path) -> Result<Vec<Case>, String> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let bytes = files::read(path, LONGEST).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    let read: LaunchFile = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if read.launch.is_empty() {
        return Err(wrong("it has no [[launch]]".to_owned()));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = file.strip_suffix(ENDING).unwrap_or(&file);
    let mut cases = Vec::new();
    for (launch, number) in read.launch.iter().zip(1..) {
        let program = match launch.file.as_ref().or(read.file.as_ref()) {
            Some(named) => folder.join(named),
            None => beside(folder, stem).map_err(wrong)?,
        };
        let called = launch.name.clone().unwrap_or_else(|| format!("launch {number}"));
        cases.push(Case {
            name: format!("{}: {called}", path.display()),
            file: path.to_owned(),
            words: launch.words(&program, folder),
            findings: launch.findings.clone(),
        });
    }
    Ok(cases)
}

/// The program beside a launch file of this name.
fn beside(folder: &Path, stem: &str) -> Result<PathBuf, String> {
    let both = ["cu", "ptx"].map(|ending| folder.join(format!("{stem}.{ending}")));
    match both.iter().find(|path| path.is_file()) {
        Some(program) => Ok(program.clone()),
        None => Err(format!("there is no {stem}.cu or {stem}.ptx beside it; name one: file = ...")),
    }
}

impl Launch {
    /// The command line of `check` for it.
    fn words(&self, program: &Path, folder: &Path) -> Vec<String> {
        let mut words = vec!["check".to_owned(), program.display().to_string()];
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                words.push(format!("--{option}={value}"));
            }
        };
        add("kernel", self.kernel.clone());
        add("grid", self.grid.as_ref().map(Extent::text));
        add("block", self.block.as_ref().map(Extent::text));
        add("shared", self.shared.map(|bytes| bytes.to_string()));
        add("launches", self.launches.map(|launches| launches.to_string()));
        for spec in &self.args {
            add("arg", Some(from(folder, spec)));
        }
        for (name, spec) in &self.globals {
            add("global", Some(format!("{name}={}", from(folder, spec))));
        }
        for (parameter, contents) in &self.expect {
            add("expect", Some(format!("{parameter}={}", expected_from(folder, contents))));
        }
        if !self.expect.is_empty() {
            add("ulp", self.ulp.map(|ulp| ulp.to_string()));
            add("abs", self.abs.map(|abs| abs.to_string()));
        }
        words.extend(self.options.iter().cloned());
        words
    }
}

/// A specification whose files are seen from a folder: `file:PATH` ends at the end of the text, or
/// of its field.
fn from(folder: &Path, spec: &str) -> String {
    let Some((before, rest)) = spec.split_once("=file:") else { return spec.to_owned() };
    let end = match spec.starts_with('{') {
        true => rest.find([',', '}']).unwrap_or(rest.len()),
        false => rest.len(),
    };
    let (path, after) = rest.split_at(end);
    format!("{before}=file:{}{}", folder.join(path).display(), from(folder, after))
}

/// The same for the expected contents of a buffer.
fn expected_from(folder: &Path, contents: &str) -> String {
    match contents.strip_prefix("file:") {
        Some(path) => format!("file:{}", folder.join(path).display()),
        None if contents.ends_with(".npy") => folder.join(contents).display().to_string(),
        None => contents.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scan.launch.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::write(folder.path().join("scan.ptx"), "").unwrap();
        (folder, path)
    }

    #[test]
    fn a_launch_is_a_command_line_whose_paths_are_seen_from_the_launch_file() {
        let (folder, path) = written(
            "[[launch]]\nname = 'sums'\nblock = [8, 2]\nargs = ['s32[8]=file:in.npy', \
             '{0: f32[4]=file:a.bin, 8: u32:3}', '3']\nexpect = { 1 = 'out.npy', 2 = 'iota:1' }\nulp = 2\n\
             [[launch]]\nfindings = ['race']\noptions = ['--pass', 'register-cache']\n",
        );
        let cases = cases(&path).unwrap();
        let here = |name: &str| folder.path().join(name).display().to_string();
        assert_eq!(
            cases[0].words,
            [
                "check".to_owned(),
                here("scan.ptx"),
                "--block=8,2".to_owned(),
                format!("--arg=s32[8]=file:{}", here("in.npy")),
                format!("--arg={{0: f32[4]=file:{}, 8: u32:3}}", here("a.bin")),
                "--arg=3".to_owned(),
                format!("--expect=1={}", here("out.npy")),
                "--expect=2=iota:1".to_owned(),
                "--ulp=2".to_owned(),
            ]
        );
        assert!(cases[0].name.ends_with("scan.launch.toml: sums"), "{}", cases[0].name);
        assert!(cases[1].name.ends_with("scan.launch.toml: launch 2"), "{}", cases[1].name);
        assert_eq!(cases[1].words[2..], ["--pass", "register-cache"]);
        assert_eq!(cases[1].findings, ["race"]);
    }

    #[test]
    fn a_wrong_launch_file_is_told_with_its_line() {
        for (text, wanted) in [
            ("", "it has no [[launch]]"),
            ("[[launch]]\nblok = 3\n", "unknown field `blok`"),
            ("[[launch]]\nblock = 'many'\n", "line 2"),
            ("[[launch]\n", "line 1"),
            ("file = 'a.ptx'\n[[launch]]\nargs = [1]\n", "line 3"),
        ] {
            let (_folder, path) = written(text);
            let error = cases(&path).unwrap_err();
            assert!(error.contains("scan.launch.toml: ") && error.contains(wanted), "{error}");
        }
        let (folder, path) = written("[[launch]]\n");
        std::fs::remove_file(folder.path().join("scan.ptx")).unwrap();
        assert!(cases(&path).unwrap_err().contains("no scan.cu or scan.ptx"));
    }
}
