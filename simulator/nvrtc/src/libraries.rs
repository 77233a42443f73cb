//! Where shared libraries are looked for, NVRTC's and the driver's: absolute folders, and files
//! that are there.
//!
//! The system's loader takes a name without a folder through `LD_LIBRARY_PATH`. An empty or a
//! relative entry there is the current directory, and someone who can write there would run code in
//! this process. So the loader never gets such a name. The folders that it looks through are looked
//! through here, without those entries, and it is given paths.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

pub use crate::ffi::open;

/// The file that says where the loader of Linux looks (`ld.so.conf`, see ldconfig(8)).
const CONFIGURATION: &str = "/etc/ld.so.conf";

/// How deep such files may include each other.
const DEPTH: u32 = 4;

/// Folders that loaders always look through, and the folders of drivers in containers, in NixOS and
/// in WSL.
const USUAL: [&str; 11] = [
    "/lib",
    "/usr/lib",
    "/lib64",
    "/usr/lib64",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/local/nvidia/lib64",
    "/run/opengl-driver/lib",
    "/usr/lib/wsl/lib",
];

/// The folders that the variable `LD_LIBRARY_PATH` names.
pub fn asked_for() -> Vec<PathBuf> {
    folders_in(env::var_os("LD_LIBRARY_PATH"))
}

/// The folders that the system's loader looks through, the first choice first.
pub fn of_the_system() -> Vec<PathBuf> {
    if cfg!(windows) {
        let root = env::var_os("SystemRoot").map(PathBuf::from);
        return absolute(root.map(|root| root.join("System32")).into_iter().collect());
    }
    let mut folders = configured(Path::new(CONFIGURATION), DEPTH);
    folders.extend(USUAL.iter().map(PathBuf::from));
    absolute(folders)
}

/// The folders in a variable such as `PATH`. Entries that are empty or relative mean the current
/// directory, and are left out.
pub(crate) fn folders_in(value: Option<OsString>) -> Vec<PathBuf> {
    absolute(value.map(|value| env::split_paths(&value).collect()).unwrap_or_default())
}

/// The paths that do not depend on the current directory.
pub(crate) fn absolute(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.retain(|path| path.is_absolute());
    paths
}

/// The folders that a configuration of the loader names.
fn configured(file: &Path, depth: u32) -> Vec<PathBuf> {
    let Ok(text) = fs::read_to_string(file) else { return Vec::new() };
    let mut folders = Vec::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            Some(patterns) if depth > 0 => {
                let files = patterns.split_whitespace().flat_map(|pattern| included(file, pattern));
                folders.extend(files.flat_map(|file| configured(&file, depth - 1)));
            }
            Some(_) => {}
            None => folders.extend(line.split([' ', '\t', ':', ',']).map(PathBuf::from)),
        }
    }
    absolute(folders)
}

/// The files of `include /etc/ld.so.conf.d/*.conf`, sorted; relative to the file that says so.
fn included(by: &Path, pattern: &str) -> Vec<PathBuf> {
    let path = by.parent().unwrap_or(Path::new("/")).join(pattern);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((beginning, end)) = name.split_once('*') else { return vec![path] };
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let rest = name.strip_prefix(beginning);
        rest.is_some_and(|rest| rest.ends_with(end))
    };
    let folder = path.parent().unwrap_or(Path::new("/"));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_empty_or_a_relative_entry_is_no_folder() {
        let folders = folders_in(Some(":/a::b:./c:/d/e:..:".into()));
        assert_eq!(folders, ["/a", "/d/e"].map(PathBuf::from));
        assert!(folders_in(Some("".into())).is_empty() && folders_in(None).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_configuration_names_folders_and_includes_others() -> Result<(), std::io::Error> {
        let folder = tempfile::tempdir()?;
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        fs::create_dir(folder.path().join("d"))?;
        write("main", "# /no\n/first /second:/third # /no\ninclude d/*.conf\nrelative\n\n/last")?;
        write("d/2.conf", "/two\ninclude ../main\n")?;
        write("d/1.conf", "/one\n")?;
        write("d/none", "/none\n")?;
        let found = configured(&folder.path().join("main"), 1);
        let expected = ["/first", "/second", "/third", "/one", "/two", "/last"];
        assert_eq!(found, expected.map(PathBuf::from));
        Ok(())
    }
}
