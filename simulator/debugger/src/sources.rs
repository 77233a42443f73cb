//! The texts that a person sees: the PTX, and the source that it was compiled from.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use warpsim::lower::Place;
use warpsim::ptx::Source;

use crate::dwarf::Known;

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where an editor finds it.
    pub path: PathBuf,
    /// Its text.
    pub text: Rc<str>,
}

/// Finds a source file by the name that the PTX gives it.
type Lookup = Box<dyn Fn(&str) -> Option<SourceFile>>;

/// The PTX of a program, and the source files that can be found.
pub struct Sources {
    ptx: Source,
    ptx_path: Option<PathBuf>,
    lookup: Lookup,
    known: RefCell<HashMap<String, Option<SourceFile>>>,
    /// The debug information of the files of the PTX that was asked for.
    debug: RefCell<HashMap<String, Rc<Known>>>,
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").field("ptx_path", &self.ptx_path).finish_non_exhaustive()
    }
}

impl Sources {
    /// The PTX alone.
    pub fn new(ptx: Source) -> Sources {
        Sources::with_files(ptx, |_| None)
    }

    /// The PTX, and source files that a function finds by their names in the PTX.
    pub fn with_files(
        ptx: Source,
        lookup: impl Fn(&str) -> Option<SourceFile> + 'static,
    ) -> Sources {
        Sources {
            ptx,
            ptx_path: None,
            lookup: Box::new(lookup),
            known: RefCell::default(),
            debug: RefCell::default(),
        }
    }

    /// The same, for PTX that lies in a file.
    #[must_use]
    pub fn with_ptx_path(self, path: PathBuf) -> Sources {
        Sources { ptx_path: Some(path), ..self }
    }

    /// The file of the PTX, where it lies in one.
    pub fn ptx_path(&self) -> Option<&Path> {
        self.ptx_path.as_deref()
    }

    /// A source file, where it can be found.
    pub fn file(&self, name: &str) -> Option<SourceFile> {
        let mut known = self.known.borrow_mut();
        if !known.contains_key(name) {
            known.insert(name.to_owned(), (self.lookup)(name));
        }
        known.get(name).cloned().flatten()
    }

    /// The text of a source file, where it can be found.
    pub fn text(&self, name: &str) -> Option<Rc<str>> {
        self.file(name).map(|file| file.text)
    }

    /// The files of the PTX, with their texts.
    pub fn ptx_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.ptx.files()
    }

    /// The PTX file that an instruction is in: its name and its text.
    pub fn ptx_of<'a>(&'a self, place: &Place) -> Option<(&'a str, &'a str)> {
        let named = |(name, _): &(&str, &str)| place.file.as_ref().is_some_and(|f| *name == &**f);
        self.ptx.files().find(named).or_else(|| self.ptx.files().next())
    }

    /// What the PTX file of an instruction says of variables. It is read when this is first asked.
    pub(crate) fn known(&self, place: &Place) -> Rc<Known> {
        let Some((name, text)) = self.ptx_of(place) else { return Rc::new(Known::Nothing) };
        let mut debug = self.debug.borrow_mut();
        if let Some(known) = debug.get(name) {
            return Rc::clone(known);
        }
        let known = Rc::new(Known::of(name, text));
        debug.insert(name.to_owned(), Rc::clone(&known));
        known
    }
}

/// The last part of a path.
pub(crate) fn short(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether two paths may name one file: they are equal, or one is the end of the other.
pub(crate) fn same_file(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches("./"), b.trim_start_matches("./"));
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/')) && !short.is_empty()
    };
    a == b || ends(a, b) || ends(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_by_whole_parts() {
        assert!(same_file("/a/scan.cu", "scan.cu"));
        assert!(same_file("a/scan.cu", "/x/a/scan.cu"));
        assert!(same_file("./scan.cu", "scan.cu"));
        assert!(!same_file("/a/myscan.cu", "scan.cu"));
        assert!(!same_file("/b/scan.cu", "/a/scan.cu"));
        assert!(!same_file("/b/scan.cu", ""));
    }
}
