//! The files that are changed: the PTX files of the repository that are not enormous.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A larger file than this takes so long that it is not worth it.
const LARGEST: u64 = 24 * 1024;

/// A PTX file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path, from the root of the repository.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The files below `tests` and `programs` of the repository, by name.
///
/// # Errors
/// A folder or a file cannot be read, or there is no file.
pub fn files(root: &Path) -> io::Result<Vec<File>> {
    let mut paths = Vec::new();
    for folder in ["tests", "programs"] {
        collect(&root.join(folder), &mut paths)?;
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        files.push(File { name, text: fs::read_to_string(&path)? });
    }
    if files.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no PTX file to change"));
    }
    Ok(files)
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|e| e == "ptx") && entry.metadata()?.len() <= LARGEST
        {
            into.push(path);
        }
    }
    Ok(())
}
