//! NVIDIA's own libraries, which this library replaces by name. They are looked for where they are
//! installed, and opened by their paths.
//!
//! The first places are the packages of the running Python. Its mapped files and its own path show
//! where they are. The places of `warpsim::cuda::Search` follow. A file that is this library under
//! another name does not count.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use warpsim_nvrtc::{Found, Search};

/// NVRTC.
pub(crate) const NVRTC: &str = "libnvrtc.so";

/// nvJitLink.
pub(crate) const JIT_LINK: &str = "libnvJitLink.so";

/// The first that there is of a name; it is looked for once.
pub(crate) fn library(name: &'static str) -> Option<Found> {
    static KNOWN: Mutex<BTreeMap<&str, Option<Found>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(name).or_insert_with(|| search(name)).clone()
}

fn search(name: &str) -> Option<Found> {
    // `WARPSIM_NVRTC` says which NVRTC, or that there is none.
    let mut search = match name {
        NVRTC => Search::of_process(None),
        _ => Search::usual(),
    };
    if search.given.is_some() || search == Search::default() {
        return search.found().ok()?.into_iter().next();
    }
    let maps = std::fs::read_to_string("/proc/self/maps").map(|maps| packages(&maps));
    let words = std::fs::read("/proc/self/cmdline").map(|words| of_interpreter(&words));
    let own: Vec<PathBuf> = [maps, words].into_iter().flatten().flatten().collect();
    search.packages.splice(0..0, own);
    search.libraries(name).into_iter().find(|found| is_called(&found.library, name))
}

/// Whether the file behind all links has the name, too: ours has another.
fn is_called(library: &Path, name: &str) -> bool {
    let file = library.canonicalize().ok();
    let called = file.as_deref().and_then(Path::file_name).and_then(|file| file.to_str());
    called.is_some_and(|called| called.starts_with(name))
}

/// The folders of Python packages from which files are mapped (proc(5), `/proc/pid/maps`).
fn packages(maps: &str) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for line in maps.lines() {
        let Some(path) = line.find('/').and_then(|at| line.get(at..)).map(Path::new) else {
            continue;
        };
        let is_folder =
            |folder: &&Path| folder.ends_with("site-packages") || folder.ends_with("dist-packages");
        let folder = path.ancestors().find(is_folder).map(Path::to_owned);
        folders.extend(folder.filter(|folder| !folders.contains(folder)));
    }
    folders
}

/// The package folders of the running interpreter, if there is one: `bin/python` is beside
/// `lib/python3.11/site-packages` (proc(5), `/proc/pid/cmdline`).
fn of_interpreter(words: &[u8]) -> Vec<PathBuf> {
    let Some(word) = words.split(|byte| *byte == 0).next() else { return Vec::new() };
    let interpreter = std::path::absolute(OsStr::from_bytes(word)).ok();
    let root = interpreter.as_deref().and_then(Path::parent).and_then(Path::parent);
    let versions = root.and_then(|root| std::fs::read_dir(root.join("lib")).ok());
    let versions = versions.into_iter().flatten().flatten().map(|entry| entry.path());
    versions.map(|version| version.join("site-packages")).filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_packages_are_told_from_what_is_mapped() {
        let maps = "7f00-7f01 r-xp 00000000 fe:00 12 /v/lib/python3.11/site-packages/numpy/core.so\n\
                    7f01-7f02 r-xp 00000000 fe:00 13 /v/lib/python3.11/site-packages/cuda/b.so\n\
                    7f02-7f03 rw-p 00000000 00:00 0\n\
                    7f03-7f04 r-xp 00000000 fe:00 14 /usr/lib/python3/dist-packages/a b/c.so\n\
                    7f04-7f05 r-xp 00000000 fe:00 15 /usr/lib/libc.so.6\n";
        let wanted = ["/v/lib/python3.11/site-packages", "/usr/lib/python3/dist-packages"];
        assert_eq!(packages(maps), wanted.map(PathBuf::from));
    }

    #[test]
    fn folders_of_packages_are_beside_the_interpreter() {
        let root = std::env::temp_dir().join(format!("warpsim-python-{}", std::process::id()));
        let packages = root.join("lib/python3.11/site-packages");
        std::fs::create_dir_all(&packages).unwrap();
        let words = format!("{}/bin/python\0-c\0pass\0", root.display());
        assert_eq!(of_interpreter(words.as_bytes()), [packages]);
        assert!(of_interpreter(b"").is_empty());
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_link_to_a_file_of_another_name_is_not_the_library() {
        let folder = std::env::temp_dir().join(format!("warpsim-real-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (ours, link) = (folder.join("warpsim"), folder.join("libnvrtc.so.12"));
        std::fs::write(&ours, "").unwrap();
        std::os::unix::fs::symlink(&ours, &link).unwrap();
        assert!(!is_called(&link, "libnvrtc.so"));
        std::fs::write(folder.join("libnvrtc.so.13"), "").unwrap();
        assert!(is_called(&folder.join("libnvrtc.so.13"), "libnvrtc.so"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
