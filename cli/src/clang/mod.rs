//! clang as a compiler of CUDA C++, with our headers in place of CUDA's: it needs no part of
//! NVIDIA's toolkit.
//!
//! The headers (`headers`) are included before the file and replace `cuda_runtime.h`. They have the
//! common language and the runtime functions that warpsim has. Anything they lack is a compiler
//! error that names it. clang writes its messages to standard error itself.

mod choice;
mod headers;
mod inlined;
mod mended;
mod trial;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use warpsim_files::private_folder;

pub(crate) use self::choice::{Installed, Said, installed};
pub(crate) use self::mended::compiled;
pub(crate) use self::trial::{Mistake, Verdict};
use crate::failure::Failure;
use crate::output::Output;

/// The architecture that code is compiled for by default.
pub(crate) const ARCHITECTURE: &str = "sm_80";

/// What to do where there is none.
pub(crate) const INSTALL: &str = "install clang 17 or later (`apt install clang-19`)";

/// A clang, and the folder in which it works.
pub(crate) struct Clang<'a> {
    path: &'a Path,
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

/// The facts about a clang that are needed before it compiles anything.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) clang: Installed,
    pub(crate) verdict: Verdict,
}

/// The verdict on a clang: the result of its trial, unless it cannot even have one.
///
/// # Errors
/// Files of the trial cannot be written.
pub(crate) fn tried(clang: Installed) -> Result<Tried, Failure> {
    let verdict = match &clang.said {
        Said::Nothing => Verdict::Unusable("it does not run".to_owned()),
        Said::Unknown(line) => Verdict::Unusable(format!("it is not clang; it says: {line}")),
        Said::Version(version, _) if version.major < choice::OLDEST => {
            let oldest = choice::OLDEST;
            Verdict::Unusable(format!("it is too old: at least {oldest} is needed"))
        }
        Said::Version(..) => trial::verdict(&clang.path)?,
    };
    Ok(Tried { clang, verdict })
}

/// The clang that compiles: the newest one that passes its trial; `None` where there is no clang.
/// Where none passes, the newest one that compiles at all is taken if that is allowed, with a
/// warning.
///
/// # Errors
/// There are some, and none may be taken.
pub(crate) fn chosen(is_allowed: bool, output: &mut Output) -> Result<Option<PathBuf>, Failure> {
    let mut refused = Vec::new();
    for clang in installed() {
        let tried = tried(clang)?;
        match tried.verdict {
            Verdict::Passes => return Ok(Some(tried.clang.path)),
            Verdict::Fails(_) | Verdict::Unusable(_) => refused.push(tried),
        }
    }
    if refused.is_empty() {
        return Ok(None);
    }
    let fails = |tried: &&Tried| matches!(tried.verdict, Verdict::Fails(_));
    let newest = refused.iter().find(fails);
    match newest.filter(|_| is_allowed) {
        Some(tried) => {
            output.message(&format!("warning: --allow-compiler uses {}", in_words(tried)));
            Ok(Some(tried.clang.path.clone()))
        }
        None => Err(refusal(&refused, newest)),
    }
}

/// Why no clang is taken, though there are some.
fn refusal(refused: &[Tried], newest: Option<&Tried>) -> Failure {
    let all: Vec<String> = refused.iter().map(in_words).collect();
    let message = format!("no clang that compiles CUDA C++ correctly:\n  {}", all.join("\n  "));
    let all_the_same = newest.map(|tried| {
        let path = tried.clang.path.display();
        format!(
            "; --allow-compiler uses {path} anyway, but its mistakes then look like mistakes of \
             the program"
        )
    });
    let help = format!("{INSTALL}{}", all_the_same.unwrap_or_default());
    Failure::Missing { message, help: Some(help) }
}

/// A clang and the result of its trial, in a few lines.
pub(crate) fn in_words(tried: &Tried) -> String {
    let path = tried.clang.path.display();
    let name = match &tried.clang.said {
        Said::Version(version, _) => format!("{path} (clang {version})"),
        Said::Unknown(_) | Said::Nothing => path.to_string(),
    };
    match &tried.verdict {
        Verdict::Passes => format!("{name}: passes its trial"),
        Verdict::Unusable(why) => format!("{name}: cannot be used: {why}"),
        Verdict::Fails(mistakes) => {
            let lines = mistakes_in_words(mistakes).join("\n    ");
            format!("{name}: fails its trial:\n    {lines}")
        }
    }
}

/// Each mistake once, with the first kernel that shows it.
pub(crate) fn mistakes_in_words(mistakes: &[Mistake]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, mistake) in mistakes.iter().enumerate() {
        let Mistake { wrong, kernel, level, evidence } = mistake;
        let is_same = |other: &&Mistake| other.wrong == *wrong;
        if !mistakes[..index].iter().any(|other| is_same(&other)) {
            let more = mistakes[index + 1..].iter().filter(is_same).count();
            let more = if more > 0 { format!("; {more} more") } else { String::new() };
            lines.push(format!("{wrong} (`{kernel}` at {level}: {evidence}{more})"));
        }
    }
    lines
}

/// A folder in which a compiler may work, for a while.
///
/// # Errors
/// There is none to be had.
pub(crate) fn folder() -> Result<TempDir, Failure> {
    let folder = private_folder("warpsim-clang-");
    folder.map_err(|error| Failure::usage(format!("a temporary folder: {error}")))
}

impl<'a> Clang<'a> {
    /// A clang by its path. Headers are written into the folder.
    ///
    /// # Errors
    /// They cannot be written.
    pub(crate) fn at(
        path: &'a Path,
        folder: &'a Path,
        defines: &[String],
        includes: &[PathBuf],
    ) -> Result<Clang<'a>, Failure> {
        let include = folder.join("include");
        headers::write(&include).map_err(|error| failed(&include, &error))?;
        let mut options: Vec<OsString> =
            defines.iter().map(|define| format!("-D{define}").into()).collect();
        for folder in includes {
            match folder.join("cuda_runtime.h").is_file() {
                false => options.extend([OsString::from("-I"), folder.into()]),
                // A toolkit's headers. Only its template libraries are used, and ours replace the
                // rest.
                true => options.extend(["-isystem".into(), folder.join("cccl").into()]),
            }
        }
        Ok(Clang { path, folder, options })
    }

    fn command(&self, mode: &str, is_naive: bool) -> Command {
        let include = self.folder.join("include");
        let mut command = Command::new(self.path);
        let level = if is_naive { "-O0" } else { "-O2" };
        command.args(language(&include)).args(["-std=c++17", level, mode]);
        command.args(&self.options);
        command
    }

    /// The PTX of a file's device code, with its lines. clang's messages go to the person; without
    /// an output the first error is in the failure.
    ///
    /// # Errors
    /// clang refuses it.
    pub(crate) fn device(
        &self,
        file: &Path,
        device: Device<'_>,
        output: Option<&mut Output>,
    ) -> Result<String, Failure> {
        let architecture = device.architecture.unwrap_or(ARCHITECTURE);
        let ptx = self.folder.join("device.ptx");
        let mut command = self.command("--cuda-device-only", device.is_naive);
        command.arg(format!("--cuda-gpu-arch={architecture}"));
        command.args(["-Xclang", "-target-feature", "-Xclang", feature(architecture)]);
        // What `-gline-tables-only` asks for, and with it the calls that were inlined.
        command.args(["-Xclang", "-debug-info-kind=line-tables-only"]);
        command.args(["-S", "-o"]).arg(&ptx).arg(file);
        self.run(&command, file, output)?;
        let text = fs::read_to_string(&ptx).map_err(|error| failed(&ptx, &error))?;
        Ok(finished(&text))
    }

    fn run(
        &self,
        command: &Command,
        file: &Path,
        output: Option<&mut Output>,
    ) -> Result<(), Failure> {
        let is_coloured = output.as_ref().is_some_and(|output| output.colour_of_messages());
        let mut arguments: Vec<OsString> = command.get_args().map(OsString::from).collect();
        arguments.push(colours(is_coloured).into());
        let done = compiled(self.path, &arguments, self.folder);
        let done = done.map_err(|error| failed(file, &error))?;
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().find(|line| line.contains("error"));
        let first = first.map_or(String::new(), |line| format!(": {}", line.trim()));
        let first = match output {
            Some(output) => {
                tell(&said, output);
                String::new()
            }
            None => first,
        };
        match done.status.success() {
            true => Ok(()),
            false => {
                let message = format!("clang does not build {}{first}", file.display());
                Err(match advice(&said) {
                    Some(help) => Failure::usage_with_help(message, help),
                    None => Failure::usage(message),
                })
            }
        }
    }
}

/// The words by which clang compiles CUDA with the headers of a folder.
pub(crate) fn language(include: &Path) -> Vec<String> {
    let folder = include.display().to_string();
    let first = include.join(headers::FIRST).display().to_string();
    let before_libraries = include.join(headers::BEFORE_LIBRARIES).display().to_string();
    let words = [
        "-x",
        "cuda",
        // Before what a project names.
        "-I",
        &before_libraries,
        "-nocudainc",
        "-nocudalib",
        // Libraries of templates declare such functions and never call them.
        "-Xclang",
        "-fcuda-allow-variadic-functions",
        // Which functions a launch calls goes by the version of CUDA.
        "-Xclang",
        "-target-sdk-version=11.5",
        "-Wno-unknown-cuda-version",
        // It does not matter here if clang fails to unroll a loop.
        "-Wno-pass-failed",
        "-isystem",
        &folder,
        "-include",
        &first,
    ];
    words.map(str::to_owned).to_vec()
}

/// Writes the headers into a folder.
///
/// # Errors
/// They cannot be written.
pub(crate) fn write_headers(folder: &Path) -> io::Result<()> {
    headers::write(folder)
}

/// The names and texts of the headers.
pub(crate) fn header_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    headers::all()
}

/// PTX of clang as it is run: with the calls that lines were inlined into beside them, and with the
/// sources' names of variables.
pub(crate) fn finished(ptx: &str) -> String {
    mended::with_own_names(&inlined::beside_lines(ptx))
}

/// The same with the debug information about variables, of a text without optimisation: no call is
/// inlined into its lines that the debug information does not name, too.
pub(crate) fn finished_with_variables(ptx: &str) -> String {
    mended::with_own_names(ptx)
}

/// The version of PTX in which an architecture is written, as the name of a feature: the earliest
/// that has it, but none before 7.5.
pub(crate) fn feature(architecture: &str) -> &'static str {
    let digits = architecture.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
    match digits.parse::<u32>() {
        Ok(100..) => "+ptx86",
        Ok(89..=99) => "+ptx80",
        // Clang itself refuses a word that is no architecture.
        Ok(0..=88) | Err(_) => "+ptx75",
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}

/// How messages are written where they are shown to a person.
pub(crate) fn colours(is_coloured: bool) -> &'static str {
    if is_coloured { "-fcolor-diagnostics" } else { "-fno-color-diagnostics" }
}

/// Shows a compiler's messages, if there are any.
pub(crate) fn tell(said: &str, output: &mut Output) {
    if !said.trim().is_empty() {
        output.message(said);
    }
}

/// What to do about errors that come of what cannot be compiled here at all, or of headers of
/// NVIDIA's that are not here.
pub(crate) fn advice(said: &str) -> Option<String> {
    const LAUNCH: &str = "reference to __global__ function";
    if said.contains(LAUNCH) {
        let text = "a kernel that starts another kernel must name all template arguments, \
                    `kernel<int><<<...>>>(...)`, and the started kernel must not have overloads";
        return Some(text.to_owned());
    }
    let header = said.lines().find_map(|line| {
        let (before, _) = line.split_once("' file not found")?;
        before.rsplit_once('\'').map(|(_, name)| name)
    })?;
    // The others are in the toolkit's folder.
    let is_of_core_libraries = ["thrust/", "cub/", "cuda/", "nv/"];
    is_of_core_libraries.iter().any(|folder| header.starts_with(folder)).then(|| {
        format!(
            "{header} is one of NVIDIA's C++ core libraries: run pip install nvidia-cuda-cccl in \
             the active environment, or name their folder in WARPSIM_CCCL"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_the_core_libraries_that_is_not_here_is_told_with_what_installs_it() {
        let said = |header: &str| {
            format!("a.cu:1:10: fatal error: \u{1b}[1m'{header}' file not found\n 1 | #include\n")
        };
        let help = advice(&said("thrust/complex.h")).unwrap();
        assert!(help.starts_with("thrust/complex.h is one of NVIDIA's"), "{help}");
        assert!(help.contains("pip install nvidia-cuda-cccl"), "{help}");
        assert_eq!(advice(&said("mine.h")), None);
        assert_eq!(advice("a.cu:1:1: error: unknown type name 'thrust'"), None);
    }
}
