//! The folders of Python packages on this machine.

use std::env;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::tree::matching;
use crate::libraries::{absolute, folders_in};

/// How long Python may take to say where its packages are.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The program that says it: one folder a line.
const QUESTION: &str = "import site, sysconfig; print(sysconfig.get_path('purelib'), *site.getsitepackages(), \
     site.getusersitepackages(), sep='\\n')";

/// The folders that are known without running Python: of the virtual environment, of the Pythons on
/// the `PATH`, of the user, and of the system.
pub(super) fn packages() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> =
        env::var_os("VIRTUAL_ENV").map(PathBuf::from).into_iter().collect();
    for folder in folders_in(env::var_os("PATH")) {
        let python = folder.join("python3");
        roots.extend(prefix(&python));
        roots.extend(python.canonicalize().ok().and_then(|python| prefix(&python)));
    }
    roots.extend(env::home_dir().map(|home| home.join(".local")));
    roots.extend(["/usr/local", "/usr"].map(PathBuf::from));
    let roots = absolute(roots);
    let mut folders: Vec<PathBuf> = roots.iter().flat_map(|root| packages_of(root)).collect();
    let mut seen: Vec<PathBuf> = Vec::new();
    folders.retain(|folder| {
        let is_new = !seen.contains(folder);
        seen.push(folder.clone());
        is_new
    });
    folders
}

/// The folder that contains `bin/python3`, where there is one.
fn prefix(python: &Path) -> Option<PathBuf> {
    if !python.exists() {
        return None;
    }
    python.parent()?.parent().map(Path::to_owned)
}

fn packages_of(root: &Path) -> Vec<PathBuf> {
    let folders = [["lib", "python*", "site-packages"], ["lib", "python*", "dist-packages"]];
    folders.iter().flat_map(|parts| matching(root, parts)).collect()
}

/// The folders that the Python on the `PATH` names, when it does so in time. A `python3` that is a
/// script, as version managers have it, cannot be known otherwise.
///
/// `-I` keeps it from importing modules that lie in the current directory.
pub(super) fn asked() -> Vec<PathBuf> {
    let pythons = folders_in(env::var_os("PATH")).into_iter().map(|folder| folder.join("python3"));
    let Some(python) = pythons.into_iter().find(|python| python.is_file()) else {
        return Vec::new();
    };
    let mut command = Command::new(python);
    command.args(["-I", "-c", QUESTION]).stdin(Stdio::null()).stderr(Stdio::null());
    let Ok(child) = command.stdout(Stdio::piped()).spawn() else { return Vec::new() };
    absolute(answer(child, TIMEOUT).lines().map(PathBuf::from).collect())
}

/// What a process writes, or nothing when it does not end in time.
fn answer(mut child: Child, timeout: Duration) -> String {
    let deadline = Instant::now() + timeout;
    while let Ok(None) = child.try_wait() {
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            return String::new();
        }
        thread::sleep(Duration::from_millis(5));
    }
    // A few lines fit into the pipe, so that the process can end before anybody reads.
    let mut text = String::new();
    let read = child.stdout.take().map(|mut out| out.read_to_string(&mut text));
    if matches!(read, Some(Ok(_))) { text } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_that_does_not_answer_in_time_is_given_up() {
        let sleeper = Command::new("sleep").arg("60").stdout(Stdio::piped()).spawn();
        let started = Instant::now();
        if let Ok(child) = sleeper {
            assert_eq!(answer(child, Duration::from_millis(20)), "");
        }
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
