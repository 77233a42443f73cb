//! Sources that NVIDIA's compiler takes, but that clang refuses because they break rules of the
//! language. They are mended in a copy, at the places that clang's own messages name, and compiled
//! again.
//!
//! clang reads the copy in place of the file (`-ivfsoverlay`), so lines, file names and
//! dependencies stay. The mends ([`edits`]) change no line number:
//!
//! | clang's message | what NVIDIA's compiler does | what the copy has |
//! |---|---|---|
//! | a `__shared__` variable is initialised | calls no constructor, and warns | raw memory |
//! | an overloaded function is not called | takes it for a template | the word `template` |
//! | an expression is missing in `k << <1, 1>> >()` | takes it for a launch | `<<<` and `>>>` |
//! | the same, at a macro that has `#pragma` | takes it for the directive | `_Pragma` |
//! | `%clock` is no operand of `asm` | takes it for a register | `%%clock` |
//! | `asm` has no comma between operands | takes it as present | the comma |
//! | a specialization is for fewer sides than its template | takes it | `__host__ __device__` |
//! | device code calls the host's, in the host's pass | does not look there | `__host__ __device__` |
//! | a kernel in device code | launches it | a call of `children.h` |
//!
//! If a source has other errors, clang's messages about the source itself are shown.

mod edits;
mod messages;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use self::edits::{Edit, MEMORY, applied, edit_for, edit_of_callee, edit_of_macro};
use self::messages::{ErrorAt, errors};

/// How often a source is compiled at most: a mended place may uncover others.
const ROUNDS: usize = 8;

/// The option of clang for the host's pass alone.
const HOST_PASS: &str = "--cuda-host-only";

/// Runs a compilation by clang, and mends what can be mended. `folder` is for the copies. The
/// answer is the last try's if it succeeded, else the first one's.
///
/// # Errors
/// clang cannot be started, or a copy cannot be written.
pub(crate) fn compiled(
    program: &Path,
    arguments: &[impl AsRef<OsStr>],
    folder: &Path,
) -> io::Result<Output> {
    let tried = |more: &[String]| {
        let mut command = Command::new(program);
        command.args(arguments).args(more).stdin(Stdio::null()).output()
    };
    let first = tried(&[])?;
    if first.status.success() {
        return Ok(first);
    }
    let is_host = arguments.iter().any(|word| word.as_ref() == HOST_PASS);
    let mut copies = Copies { folder, is_host, texts: BTreeMap::new() };
    let mut said = first.stderr.clone();
    for _ in 1..ROUNDS {
        if !copies.mend(&errors(&said)) {
            break;
        }
        let next = tried(&["-ivfsoverlay".to_owned(), copies.write()?])?;
        if next.status.success() {
            return Ok(next);
        }
        said = next.stderr;
    }
    Ok(first)
}

/// Files that were mended, by the paths under which clang looks for them.
struct Copies<'a> {
    folder: &'a Path,
    /// The compilation is the host's pass alone.
    is_host: bool,
    texts: BTreeMap<PathBuf, String>,
}

impl Copies<'_> {
    /// Mends all of these; whether each could be.
    fn mend(&mut self, errors: &[ErrorAt]) -> bool {
        let mut by_file: BTreeMap<PathBuf, Vec<Edit>> = BTreeMap::new();
        for error in errors {
            if let Some((path, edits)) = self.in_macro(error) {
                by_file.entry(path).or_default().extend(edits);
                continue;
            }
            if let Some((path, edits)) = self.of_callee(error) {
                let all = by_file.entry(path).or_default();
                // Several calls name one function.
                for edit in edits {
                    if !all.contains(&edit) {
                        all.push(edit);
                    }
                }
                continue;
            }
            let Some(path) = whole(&error.file) else { return false };
            let Some(text) = self.text(&path) else { return false };
            let Some(edits) = edit_for(error, text) else { return false };
            by_file.entry(path).or_default().extend(edits);
        }
        for (path, edits) in &by_file {
            let Some(text) = self.texts.get_mut(path) else { return false };
            let Some(mended) = applied(text, edits) else { return false };
            *text = mended;
        }
        !errors.is_empty()
    }

    /// What mends an error at the definition of a macro.
    fn in_macro(&mut self, error: &ErrorAt) -> Option<(PathBuf, Vec<Edit>)> {
        let place = error.definition.as_ref()?;
        let path = whole(&place.file)?;
        let edits = edit_of_macro(error, place, self.text(&path)?)?;
        Some((path, edits))
    }

    /// What mends a call of a function of the host by device code, in the host's pass.
    fn of_callee(&mut self, error: &ErrorAt) -> Option<(PathBuf, Vec<Edit>)> {
        let place = error.callee.as_ref().filter(|_| self.is_host)?;
        let path = whole(&place.file)?;
        let edits = edit_of_callee(place, self.text(&path)?)?;
        Some((path, edits))
    }

    fn text(&mut self, path: &Path) -> Option<&str> {
        if !self.texts.contains_key(path) {
            let bytes = fs::read(path).ok()?;
            self.texts.insert(path.to_owned(), String::from_utf8(bytes).ok()?);
        }
        self.texts.get(path).map(String::as_str)
    }

    /// Writes the copies; the path of the file that names them to clang.
    fn write(&self) -> io::Result<String> {
        let mut roots = Vec::new();
        for (number, (path, text)) in self.texts.iter().enumerate() {
            let copy = self.folder.join(format!("mended-{number}"));
            fs::write(&copy, text)?;
            roots.push(serde_json::json!({
                "name": path.display().to_string(),
                "type": "file",
                "external-contents": copy.display().to_string(),
            }));
        }
        let overlay =
            serde_json::json!({"version": 0, "use-external-names": false, "roots": roots});
        let at = self.folder.join("mended.json");
        fs::write(&at, overlay.to_string())?;
        Ok(at.display().to_string())
    }
}

/// PTX in which the memory of objects that were mended has the objects' names: `4tile` for
/// `20__warpsim_bytes_tile`, as C++ writes names with their lengths.
pub(crate) fn with_own_names(ptx: &str) -> String {
    let (mut named, mut rest) = (String::with_capacity(ptx.len()), ptx);
    while let Some(at) = rest.find(MEMORY) {
        let before = &rest[..at];
        let digits = before.len() - before.trim_end_matches(|l: char| l.is_ascii_digit()).len();
        let length: Option<usize> = before[at - digits..].parse().ok();
        let behind = &rest[at + MEMORY.len()..];
        match length.and_then(|length| length.checked_sub(MEMORY.len())) {
            Some(own) => named += &format!("{}{own}", &before[..at - digits]),
            None => named += &rest[..at + MEMORY.len()],
        }
        rest = behind;
    }
    named + rest
}

/// A path as clang's overlay looks for it: from the root, without `.` and `..`.
fn whole(file: &str) -> Option<PathBuf> {
    let absolute = std::path::absolute(file).ok()?;
    let mut path = PathBuf::new();
    for part in absolute.components() {
        match part {
            std::path::Component::ParentDir => _ = path.pop(),
            std::path::Component::CurDir => (),
            std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::Normal(_) => path.push(part),
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_an_object_has_the_name_of_the_object() {
        let ptx = "_ZZ1kE20__warpsim_bytes_tile, [_ZZ1kIiEvE18__warpsim_bytes_ab_0+4]; x";
        assert_eq!(with_own_names(ptx), "_ZZ1kE4tile, [_ZZ1kIiEvE2ab_0+4]; x");
        assert_eq!(with_own_names("__warpsim_bytes_x"), "__warpsim_bytes_x");
    }

    #[test]
    fn paths_are_looked_for_from_the_root() {
        assert_eq!(whole("/a/./b/../c.h"), Some(PathBuf::from("/a/c.h")));
    }
}
