//! Lines of the source that a program was compiled from, if it is available.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use warpsim_files as files;

/// Longest source file that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// The source files of one PTX file. A file is looked for where the PTX names it, seen from the PTX
/// file, and then beside the PTX file.
#[derive(Debug)]
pub(crate) struct SourceFiles {
    folder: PathBuf,
    lines: RefCell<HashMap<String, Vec<String>>>,
}

impl SourceFiles {
    /// The source files of the PTX file at this path.
    pub(crate) fn of(ptx: &Path) -> SourceFiles {
        let folder = ptx.parent().map(Path::to_owned).unwrap_or_default();
        SourceFiles { folder, lines: RefCell::default() }
    }

    /// A line of a file, from 1, without blanks around it; `None` if there is no such file, or the
    /// line is empty or missing.
    pub(crate) fn line(&self, file: &str, number: u32) -> Option<String> {
        let mut lines = self.lines.borrow_mut();
        let lines = lines.entry(file.to_owned()).or_insert_with(|| self.read(file));
        let line = lines.get((number as usize).checked_sub(1)?)?.trim();
        (!line.is_empty()).then(|| line.to_owned())
    }

    /// The text of a file; `None` if it is not available.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        self.found(file).map(|(_, text)| text)
    }

    /// A file's path and its text; `None` if it is not available.
    pub(crate) fn found(&self, file: &str) -> Option<(PathBuf, String)> {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let paths = [self.folder.join(file), self.folder.join(name)];
        paths.into_iter().find_map(|path| file_lines(&path).map(|text| (path, text)))
    }

    fn read(&self, file: &str) -> Vec<String> {
        let text = self.text(file).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// The text of a source file, when it is there and not too long.
pub(crate) fn file_lines(path: &Path) -> Option<String> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let bytes = is_file.then(|| files::read(path, LONGEST).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_beside_the_ptx_and_what_is_not_there_is_none() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render/scan.ptx");
        let sources = SourceFiles::of(&here);
        let first = include_str!("source.rs").lines().next();
        for file in ["source.rs", "elsewhere/source.rs", "../render/source.rs"] {
            assert_eq!(sources.line(file, 1).as_deref(), first, "{file}");
        }
        assert_eq!(sources.line("source.rs", 2), None);
        assert_eq!(sources.line("source.rs", 0), None);
        assert_eq!(sources.line("source.rs", 1_000_000), None);
        assert_eq!(sources.line("nothing.cu", 1), None);
    }
}
