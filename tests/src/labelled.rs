//! Labelled kernels: a program whose head says of each kernel what `warpsim check` must find in it.
//!
//! The head is the run of comment lines that the file begins with:
//!
//! ```text
//! // what: the copy is read before all have written it; in `good` a barrier lies between
//! //   more words, indented, if a line is not enough
//! // launch: --grid 2 --block 64
//! // launch good: --arg s32[4]=iota
//! // arg: s32[64]
//! // expect bad: race
//! // expect good: clean
//! ```
//!
//! `launch` has options of `warpsim check`, for all kernels or, with a name, for one: those take
//! the place of the same options for all, and its `--arg`s come after the others. `arg` is one
//! `--arg` SPEC, in the order of the parameters. `expect` is `clean`, or codes: `race + unordered`
//! when both must be found, `race | unordered` when either will do (or both). Nothing else may be
//! found at the level of a warning or above. `note unordered` is clean at that level, with a note
//! of this code. Anything that is not understood is an error: a label that is silently ignored
//! would be a test that cannot fail.

use std::collections::BTreeSet;
use std::fmt;

/// The codes that a label may name.
const CODES: [&str; 15] = [
    "race",
    "same-value",
    "unordered",
    "barrier-divergence",
    "deadlock",
    "livelock",
    "sync-mask",
    "shuffle-inactive-lane",
    "out-of-bounds",
    "misaligned",
    "use-after-free",
    "uninitialized",
    "schedule-dependent",
    "redundant-barrier",
    "fault",
];

/// The options that may be given several times, and add up.
const REPEATABLE: [&str; 5] = ["--arg", "--global", "--pass", "--allow", "--dump"];

/// A file's labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The mistake in the bad kernels, and why the good ones do not have it, in a sentence.
    pub what: String,
    /// The kernels in the order of their labels.
    pub kernels: Vec<Labelled>,
}

/// A kernel and the findings that it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The name of its `.entry`.
    pub kernel: String,
    /// The options of `warpsim check` that launch it, arguments last.
    pub options: Vec<String>,
    /// The findings that it should have.
    pub expected: Expected,
}

/// The findings that a kernel should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Clean,
    /// Nothing but a note of this code.
    Note(String),
    /// All codes of at least one of these sets, and none that is in none of them.
    AnyOf(Vec<BTreeSet<String>>),
}

/// The result of `warpsim check`, as far as a label speaks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The exit code.
    pub exit: u8,
    /// The codes of the findings at the level of a warning or above.
    pub codes: BTreeSet<String>,
    /// The codes of its notes.
    pub notes: BTreeSet<String>,
}

impl Checked {
    /// What was found, each finding by its code and whether it is a mere note.
    pub fn new(exit: u8, findings: impl IntoIterator<Item = (String, bool)>) -> Checked {
        let mut checked = Checked { exit, codes: BTreeSet::new(), notes: BTreeSet::new() };
        for (code, is_note) in findings {
            let of = if is_note { &mut checked.notes } else { &mut checked.codes };
            of.insert(code);
        }
        checked
    }
}

/// A line of a head that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Counted from 1; the line behind the head when something is missing in it.
    pub line: usize,
    /// The mistake.
    pub what: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// The lines of a head, sorted by keyword, before they are put together.
#[derive(Default)]
struct Head {
    what: String,
    launch: Vec<String>,
    launch_of: Vec<(usize, String, Vec<String>)>,
    arguments: Vec<String>,
    expected: Vec<(String, Expected)>,
}

impl Manifest {
    /// Reads the head of a file.
    ///
    /// ```
    /// use warpsim_tests::labelled::Manifest;
    /// let head = "// what: w\n// launch: --block 64\n// arg: s32[4]\n// expect bad: race\n";
    /// let kernel = &Manifest::parse(head).unwrap().kernels[0];
    /// assert_eq!(kernel.kernel, "bad");
    /// assert_eq!(kernel.options, ["--block", "64", "--arg", "s32[4]"]);
    /// ```
    ///
    /// # Errors
    /// A line is not understood (the first one is named), or something is missing.
    pub fn parse(text: &str) -> Result<Manifest, Malformed> {
        let mut head = Head::default();
        let lines = text.lines().map_while(|line| line.strip_prefix("//"));
        let mut end = 1;
        for (line, number) in lines.zip(1..) {
            end = number + 1;
            head.add(line, number).map_err(|what| Malformed { line: number, what })?;
        }
        head.finish(end)
    }

    /// That the labelled kernels are the kernels of the program.
    ///
    /// # Errors
    /// A kernel without a label, or a label without a kernel.
    pub fn covers(&self, ptx: &str) -> Result<(), String> {
        let entries = ptx.split(".entry").skip(1).filter_map(|rest| {
            rest.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next()
        });
        let entries: BTreeSet<&str> = entries.collect();
        let labelled: BTreeSet<&str> = self.kernels.iter().map(|k| k.kernel.as_str()).collect();
        match entries.symmetric_difference(&labelled).next() {
            None => Ok(()),
            Some(name) if labelled.contains(name) => {
                Err(format!("`expect {name}`: the program has no such kernel"))
            }
            Some(name) => Err(format!("the kernel `{name}` has no `// expect {name}: ...`")),
        }
    }
}

impl Head {
    fn add(&mut self, line: &str, number: usize) -> Result<(), String> {
        if line.trim().is_empty() || line.starts_with("  ") {
            return Ok(());
        }
        let keyword = line.split_once(':').ok_or("no keyword: `// KEYWORD: ...` is expected")?;
        let (keyword, rest) = (keyword.0.trim(), keyword.1.trim());
        let words: Vec<&str> = keyword.split_whitespace().collect();
        match words.as_slice() {
            ["what"] if self.what.is_empty() => self.what = rest.to_owned(),
            ["what"] => return Err("a second `what`".to_owned()),
            ["launch"] => self.launch.extend(options(rest)?),
            ["launch", name] => {
                self.launch_of.push((number, (*name).to_owned(), options(rest)?));
            }
            ["arg"] => self.arguments.extend(["--arg".to_owned(), rest.to_owned()]),
            ["expect", name] if self.expected.iter().any(|(known, _)| known == name) => {
                return Err(format!("a second label of `{name}`"));
            }
            ["expect", name] => self.expected.push(((*name).to_owned(), Expected::parse(rest)?)),
            _ => {
                return Err(format!(
                    "`{keyword}` is none of `what`, `launch`, `launch KERNEL`, `arg`, `expect \
                     KERNEL`"
                ));
            }
        }
        Ok(())
    }

    fn finish(self, end: usize) -> Result<Manifest, Malformed> {
        let missing = |what: &str| Err(Malformed { line: end, what: what.to_owned() });
        if self.what.is_empty() {
            return missing("`// what: ...` is missing");
        }
        if self.expected.is_empty() {
            return missing("`// expect KERNEL: ...` is missing");
        }
        for (line, name, _) in &self.launch_of {
            if !self.expected.iter().any(|(kernel, _)| kernel == name) {
                let what = format!("`launch {name}`: no label names this kernel");
                return Err(Malformed { line: *line, what });
            }
        }
        let kernels = self.expected.iter().map(|(kernel, expected)| {
            let own = self.launch_of.iter().filter(|(_, name, _)| name == kernel);
            let own: Vec<String> = own.flat_map(|(_, _, options)| options.clone()).collect();
            let common = without_replaced(&self.launch, &own);
            let options = [common.as_slice(), &self.arguments, &own].concat();
            Labelled { kernel: kernel.clone(), options, expected: expected.clone() }
        });
        Ok(Manifest { kernels: kernels.collect(), what: self.what.clone() })
    }
}

/// The common options, except those that a kernel replaces with its own.
fn without_replaced(common: &[String], own: &[String]) -> Vec<String> {
    let name = |word: &String| word.split('=').next().unwrap_or_default().to_owned();
    let replaces = |word: &String| {
        let name = name(word);
        name.starts_with("--") && !REPEATABLE.contains(&name.as_str())
    };
    let replaced: BTreeSet<String> = own.iter().filter(|word| replaces(word)).map(name).collect();
    let mut kept = true;
    let keep = |word: &&String| {
        if word.starts_with("--") {
            kept = !replaced.contains(&name(word));
        }
        kept
    };
    common.iter().filter(keep).cloned().collect()
}

/// The words of a `launch` line.
fn options(text: &str) -> Result<Vec<String>, String> {
    if !text.starts_with('-') {
        return Err("options of `warpsim check` are expected".to_owned());
    }
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

impl Expected {
    fn parse(text: &str) -> Result<Expected, String> {
        if text == "clean" {
            return Ok(Expected::Clean);
        }
        let code = |word: &str| match CODES.contains(&word.trim()) {
            true => Ok(word.trim().to_owned()),
            false => Err(format!("`{}` is neither a finding's code nor `clean`", word.trim())),
        };
        if let Some(noted) = text.strip_prefix("note ") {
            return Ok(Expected::Note(code(noted)?));
        }
        let set = |part: &str| part.split('+').map(code).collect();
        let sets: Result<Vec<BTreeSet<String>>, String> = text.split('|').map(set).collect();
        Ok(Expected::AnyOf(sets?))
    }

    /// Whether the label says that there is a fault.
    pub fn is_fault(&self) -> bool {
        match self {
            Expected::Clean | Expected::Note(_) => false,
            Expected::AnyOf(_) => true,
        }
    }

    /// Compares the label with what was found.
    ///
    /// # Errors
    /// The difference, for people.
    pub fn judge(&self, checked: &Checked) -> Result<(), String> {
        let codes = &checked.codes;
        let right = match self {
            Expected::Clean => codes.is_empty() && checked.exit == 0,
            Expected::Note(code) => {
                codes.is_empty() && checked.exit == 0 && checked.notes.contains(code)
            }
            Expected::AnyOf(sets) => {
                let allowed = |code: &String| sets.iter().any(|set| set.contains(code));
                checked.exit == 1
                    && sets.iter().any(|set| set.is_subset(codes))
                    && codes.iter().all(allowed)
            }
        };
        if right { Ok(()) } else { Err(format!("expected {self}, {checked}")) }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = match self {
            Expected::Clean => return f.write_str("clean"),
            Expected::Note(code) => return write!(f, "note {code}"),
            Expected::AnyOf(sets) => sets,
        };
        let set = |set: &BTreeSet<String>| Vec::from_iter(set.iter().cloned()).join(" + ");
        f.write_str(&sets.iter().map(set).collect::<Vec<_>>().join(" | "))
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = Vec::from_iter(self.codes.iter().cloned()).join(" + ");
        let codes = if codes.is_empty() { "nothing" } else { &codes };
        let notes: String = self.notes.iter().map(|code| format!(", note {code}")).collect();
        write!(f, "found {codes}{notes} (exit code {})", self.exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\
// what: words: with a colon
//   and a second line
//
// launch: --grid 2 --block 64
// launch good: --grid 1 --arg @0
// arg: s32[64]=list:1, 2
// arg: -7
// expect bad: race
// expect good: clean
extern \"C\" __global__ void bad(int *p, int n);
// not: a line of the head
";

    fn checked(exit: u8, codes: &[&str]) -> Checked {
        Checked::new(
            exit,
            codes.iter().map(|code| match code.strip_prefix("note ") {
                Some(note) => (note.to_owned(), true),
                None => ((*code).to_owned(), false),
            }),
        )
    }

    /// Whether a label agrees with what was found.
    fn agrees(label: &str, exit: u8, codes: &[&str]) -> bool {
        Expected::parse(label).unwrap().judge(&checked(exit, codes)).is_ok()
    }

    /// The line and the words of the error in a head.
    fn wrong(head: &str) -> (usize, String) {
        let error = Manifest::parse(head).unwrap_err();
        (error.line, error.what)
    }

    #[test]
    fn options_of_all_kernels_come_first_then_arguments_then_those_of_one_kernel() {
        let manifest = Manifest::parse(HEAD).unwrap();
        assert_eq!(manifest.what, "words: with a colon");
        let [bad, good] = manifest.kernels.as_slice() else { panic!("two kernels") };
        let all = ["--grid", "2", "--block", "64", "--arg", "s32[64]=list:1, 2", "--arg", "-7"];
        assert_eq!(
            (bad.kernel.as_str(), bad.options.as_slice()),
            ("bad", &all.map(String::from)[..])
        );
        assert_eq!(good.kernel, "good");
        // Its own grid takes the place of the one for all, its argument is the third.
        assert_eq!(good.options[..6], all[2..]);
        assert_eq!(good.options[6..], ["--grid", "1", "--arg", "@0"]);
        assert!(bad.expected.is_fault() && !good.expected.is_fault());
    }

    #[test]
    fn a_head_that_is_not_understood_is_an_error_with_its_line() {
        let (line, what) = wrong("// what: w\n// expects bad: race\n");
        assert_eq!(line, 2);
        assert!(what.contains("`expects bad`"), "{what}");
        let (line, what) = wrong("// what: w\n// arg: 1\n// expect bad: rase\n");
        assert_eq!(line, 3);
        assert!(what.contains("`rase`"), "{what}");
        assert_eq!(wrong("// what: w\n// just words\n").0, 2);
        assert_eq!(wrong("// what: w\n// what: w\n").0, 2);
        assert_eq!(wrong("// what: w\n// launch: grid 2\n").0, 2);
        assert_eq!(wrong("// what: w\n// expect a: race\n// expect a: clean\n").0, 3);
        let (line, what) = wrong("// what: w\n// launch godo: --grid 2\n// expect good: clean\n");
        assert_eq!(line, 2);
        assert!(what.contains("`launch godo`"), "{what}");
    }

    #[test]
    fn a_head_without_words_or_without_labels_is_an_error() {
        assert_eq!(wrong("// expect bad: race\ncode\n"), (2, "`// what: ...` is missing".into()));
        let (line, what) = wrong("// what: w\n\n// expect bad: race\n");
        assert_eq!((line, what), (2, "`// expect KERNEL: ...` is missing".into()));
    }

    #[test]
    fn clean_means_no_code_and_exit_code_0() {
        assert!(agrees("clean", 0, &[]));
        assert!(!agrees("clean", 1, &["race"]));
        assert!(!agrees("clean", 1, &[]));
        assert!(!agrees("clean", 0, &["race"]));
        assert!(!agrees("clean", 3, &[]));
    }

    #[test]
    fn a_code_has_to_be_found_and_no_other() {
        assert!(agrees("race", 1, &["race"]));
        assert!(!agrees("race", 0, &["race"]));
        assert!(!agrees("race", 1, &[]));
        assert!(!agrees("race", 0, &[]));
        assert!(!agrees("race", 3, &[]));
        assert!(!agrees("race", 1, &["unordered"]));
        assert!(!agrees("race", 1, &["race", "unordered"]));
    }

    #[test]
    fn either_of_two_codes_will_do_or_both_must_be_there() {
        for found in [&["race"][..], &["unordered"], &["race", "unordered"]] {
            assert!(agrees("race | unordered", 1, found));
            assert_eq!(agrees("race+unordered", 1, found), found.len() == 2);
        }
        assert!(!agrees("race | unordered", 1, &["race", "livelock"]));
        assert!(!agrees("race + unordered", 1, &["race", "unordered", "livelock"]));
        assert!(!agrees("race | unordered", 0, &[]));
    }

    #[test]
    fn a_note_is_clean_and_has_to_be_there() {
        assert!(agrees("note unordered", 0, &["note unordered"]));
        assert!(agrees("clean", 0, &["note unordered"]));
        assert!(!agrees("note unordered", 0, &[]));
        assert!(!agrees("note unordered", 1, &["unordered"]));
        assert!(!agrees("note unordered", 1, &["race", "note unordered"]));
        assert!(!agrees("unordered", 0, &["note unordered"]));
        assert!(Expected::parse("note luck").is_err());
    }

    #[test]
    fn every_kernel_has_a_label_and_every_label_a_kernel() {
        let manifest = Manifest::parse("// what: w\n// expect bad: race\n").unwrap();
        let entry = |name: &str| format!(".visible .entry {name}(\n.param .u64 p)\n{{ ret; }}\n");
        assert_eq!(manifest.covers(&entry("bad")), Ok(()));
        let both = manifest.covers(&(entry("bad") + &entry("good"))).unwrap_err();
        assert!(both.contains("`good`"), "{both}");
        let none = manifest.covers("").unwrap_err();
        assert!(none.contains("`expect bad`"), "{none}");
    }

    #[test]
    fn a_disagreement_says_what_was_expected_and_what_was_found() {
        let label = Expected::parse("race+unordered | livelock").unwrap();
        assert_eq!(
            label.judge(&checked(0, &[])).unwrap_err(),
            "expected race + unordered | livelock, found nothing (exit code 0)"
        );
        assert_eq!(
            Expected::Clean.judge(&checked(1, &["race", "unordered"])).unwrap_err(),
            "expected clean, found race + unordered (exit code 1)"
        );
    }
}
