//! The folders of wheels and toolkits, and the libraries in a folder.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders below a root that may hold the library: of a toolkit, of a folder of Python
/// packages, and of a virtual environment. Each part that ends in `*` is a beginning.
const FOLDERS: [&[&str]; 7] = [
    &[],
    &["lib64"],
    &["lib"],
    &["targets", "*", "lib"],
    &["nvidia", "*", "lib"],
    &["lib", "python*", "site-packages", "nvidia", "*", "lib"],
    &["lib", "python*", "dist-packages", "nvidia", "*", "lib"],
];

/// Those that are there.
pub(super) fn folders_below(root: &Path) -> Vec<PathBuf> {
    FOLDERS.iter().flat_map(|parts| matching(root, parts)).collect()
}

/// The folders at the end of a path; some parts of the path are only beginnings.
pub(super) fn matching(root: &Path, parts: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    for part in parts {
        folders = folders
            .iter()
            .flat_map(|folder| match part.strip_suffix('*') {
                Some(beginning) => children(folder, beginning),
                None => vec![folder.join(part)],
            })
            .collect();
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

/// The entries of a folder whose names have this beginning, the highest version first.
pub(super) fn children(folder: &Path, beginning: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(|p| name_of(p).starts_with(beginning)).collect();
    found.sort_by_cached_key(|path| Reverse((numbers(name_of(path)), name_of(path).to_owned())));
    found
}

/// The libraries in a folder that have a name (`libnvrtc.so`) and perhaps a version: the highest
/// first.
pub(super) fn libraries_in(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = children(folder, name);
    found.retain(|path| {
        let version = name_of(path).strip_prefix(name).unwrap_or(".");
        is_version(version) && path.is_file()
    });
    found
}

/// The libraries in a folder that NVRTC looks for by name.
pub(super) fn builtins_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = children(folder, "libnvrtc-builtins.so");
    found.retain(|path| path.is_file());
    found
}

/// Nothing, or `.13.0.88`.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.is_empty() || text.strip_prefix('.').is_some_and(|t| t.split('.').all(is_number))
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The numbers in a name, by which versions are in order: 9 is before 13.
fn numbers(name: &str) -> Vec<u64> {
    let parts = name.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}
