//! clang as a compiler of CUDA C++, with headers of ours in the place of CUDA's: nothing of NVIDIA's is needed.
//!
//! The headers (`headers`) are included before the file and stand for `cuda_runtime.h`. They have the common language and
//! the runtime's functions that warpsim has; what they lack is an error of the compiler that names it. clang writes its
//! messages to standard error itself.

mod headers;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// The newest and the oldest clang that are looked for by their versions; one without a version comes first.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// What is compiled for unless something else is asked.
const ARCHITECTURE: &str = "sm_80";

/// A clang, and the folder in which it works.
pub(crate) struct Clang<'a> {
    path: PathBuf,
    folder: &'a Path,
    /// `-D`, `-I`.
    options: Vec<OsString>,
}

/// How device code is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device<'a> {
    /// `sm_80`; `None` for the usual one.
    pub(crate) architecture: Option<&'a str>,
    /// Every access of the source stays.
    pub(crate) is_naive: bool,
}

impl<'a> Clang<'a> {
    /// The clang of this machine; `None` if there is none. Headers are written into the folder.
    ///
    /// # Errors
    /// They cannot be written.
    pub(crate) fn find(
        folder: &'a Path,
        defines: &[String],
        includes: &[PathBuf],
    ) -> Result<Option<Clang<'a>>, Failure> {
        let Some(path) = found() else { return Ok(None) };
        let include = folder.join("include");
        headers::write(&include).map_err(|error| failed(&include, &error))?;
        let mut options: Vec<OsString> =
            defines.iter().map(|define| format!("-D{define}").into()).collect();
        for folder in includes {
            match folder.join("cuda_runtime.h").is_file() {
                false => options.extend([OsString::from("-I"), folder.into()]),
                // A toolkit's, which lacks nothing that ours have: only its libraries of templates, and what they need.
                true => {
                    let taken = headers::take(&include, folder);
                    taken.map_err(|error| failed(&include, &error))?;
                    options.extend([OsString::from("-isystem"), folder.join("cccl").into()]);
                }
            }
        }
        Ok(Some(Clang { path, folder, options }))
    }

    fn command(&self, mode: &str, is_naive: bool) -> Command {
        let include = self.folder.join("include");
        let mut command = Command::new(&self.path);
        let level = if is_naive { "-O0" } else { "-O2" };
        command.args(["-x", "cuda", "-nocudainc", "-nocudalib", "-std=c++17", level, mode]);
        command.args(&self.options);
        // Libraries of templates declare such functions and never call them.
        command.args(["-Xclang", "-fcuda-allow-variadic-functions"]);
        // Which functions a launch calls goes by the version of CUDA.
        command.args(["-Xclang", "-target-sdk-version=11.5", "-Wno-unknown-cuda-version"]);
        // That a loop is not unrolled which was to be, changes nothing here.
        command.arg("-Wno-pass-failed");
        command.arg("-isystem").arg(&include).arg("-include").arg(include.join(headers::FIRST));
        command
    }

    /// The PTX of a file's device code, with its lines.
    ///
    /// # Errors
    /// clang refuses it.
    pub(crate) fn device(&self, file: &Path, device: Device<'_>) -> Result<String, Failure> {
        let architecture = device.architecture.unwrap_or(ARCHITECTURE);
        let ptx = self.folder.join("device.ptx");
        let mut command = self.command("--cuda-device-only", device.is_naive);
        command.arg(format!("--cuda-gpu-arch={architecture}"));
        command.args(["-Xclang", "-target-feature", "-Xclang", feature(architecture)]);
        command.args(["-S", "-gline-tables-only", "-o"]).arg(&ptx).arg(file);
        run(&mut command, file)?;
        fs::read_to_string(&ptx).map_err(|error| failed(&ptx, &error))
    }

    /// The program of a file whose device code is in this fat binary. The folder holds a `libcudart.so`.
    ///
    /// # Errors
    /// clang refuses it.
    pub(crate) fn program(&self, file: &Path, device: &[u8]) -> Result<PathBuf, Failure> {
        let (binary, object) = (self.folder.join("device.fatbin"), self.folder.join("host.o"));
        fs::write(&binary, device).map_err(|error| failed(&binary, &error))?;
        let mut host = self.command("--cuda-host-only", false);
        host.args(["-Xclang", "-fcuda-include-gpubinary", "-Xclang"]).arg(&binary);
        host.args(["-g", "-c", "-o"]).arg(&object).arg(file);
        run(&mut host, file)?;
        let program = self.folder.join(file.file_stem().unwrap_or_else(|| OsStr::new("program")));
        let mut link = Command::new(&self.path);
        link.arg(&object).arg("-o").arg(&program).arg("-L").arg(self.folder);
        link.args(["-lcudart", "-lpthread", "-ldl"]);
        run(&mut link, file)?;
        Ok(program)
    }
}

/// The version of PTX in which an architecture is written, as the name of a feature: the earliest that has it, but none
/// before 7.5.
fn feature(architecture: &str) -> &'static str {
    let digits = architecture.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
    match digits.parse::<u32>() {
        Ok(100..) => "+ptx86",
        Ok(89..=99) => "+ptx80",
        // What is no architecture is refused by clang.
        Ok(0..=88) | Err(_) => "+ptx75",
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}

/// The compiler says itself what is wrong.
fn run(command: &mut Command, file: &Path) -> Result<(), Failure> {
    let status = command.status().map_err(|error| failed(file, &error))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::usage(format!("clang does not build {}", file.display()))),
    }
}

/// The environment variable that names a clang, or says `none`.
const VARIABLE: &str = "WARPSIM_CLANG";

/// The clang of this machine, by its path: what the environment variable names, else the first one that is found.
pub(crate) fn found() -> Option<PathBuf> {
    match env::var_os(VARIABLE) {
        Some(none) if none == "none" => None,
        Some(path) => Some(path.into()),
        None => on_path(),
    }
}

/// What a clang says of itself, in a line; `None` if it does not run.
pub(crate) fn version(clang: &Path) -> Option<String> {
    let said = Command::new(clang).arg("--version").output().ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    said.lines().next().map(|line| line.trim().to_owned())
}

fn on_path() -> Option<PathBuf> {
    let versioned = VERSIONS.rev().map(|version| format!("clang++-{version}"));
    let names: Vec<String> = std::iter::once("clang++".to_owned()).chain(versioned).collect();
    // What lies in the current directory is not run.
    let folders = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&folders).filter(|f| f.is_absolute()).collect();
    names
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}
