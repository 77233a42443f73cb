//! The options, files and libraries of a command line, in their order.

use std::fs;
use std::path::{Path, PathBuf};

use super::architecture::{Architecture, Architectures};
use super::options::{self, Choice, Dependencies, Meaning, Phase, Value};
use super::words;

/// A command line of nvcc, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) phase: Phase,
    pub(super) inputs: Vec<Input>,
    pub(super) output: Option<PathBuf>,
    pub(super) output_folder: Option<PathBuf>,
    /// `-D`, `-U`, `-I`, `-isystem`, `-include` with their values, in order.
    pub(super) preprocessor: Vec<String>,
    /// For the compiler of host code.
    pub(super) host: Vec<String>,
    pub(super) archiver: Vec<String>,
    pub(super) host_compiler: Option<PathBuf>,
    pub(super) archiver_program: Option<PathBuf>,
    pub(super) standard: Option<String>,
    pub(super) level: Option<String>,
    pub(super) architectures: Architectures,
    pub(super) runtime: Runtime,
    pub(super) dependencies: Option<Dependencies>,
    pub(super) dependency_file: Option<PathBuf>,
    pub(super) dependency_targets: Vec<String>,
    pub(super) default_stream: Option<String>,
    pub(super) run_arguments: Vec<String>,
    /// The options without a value.
    pub(super) flags: Flags,
    /// Notes about options that change nothing here.
    pub(super) notes: Vec<String>,
}

/// The options without a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) relocatable: bool,
    pub(super) debug: bool,
    pub(super) device_debug: bool,
    pub(super) fast_math: bool,
    pub(super) flushes_denormals: bool,
    pub(super) is_not_fused: bool,
    pub(super) shared: bool,
    pub(super) dependency_phony: bool,
    pub(super) extended_lambda: bool,
    pub(super) relaxed_constexpr: bool,
    pub(super) no_exceptions: bool,
    pub(super) profile: bool,
    pub(super) no_warnings: bool,
    pub(super) warnings_as_errors: bool,
    pub(super) forwards_to_compiler: bool,
    pub(super) forwards_to_linker: bool,
    pub(super) verbose: bool,
    pub(super) dry_run: bool,
    pub(super) run: bool,
    pub(super) version: bool,
    pub(super) help: bool,
    pub(super) list_architectures: bool,
    pub(super) list_codes: bool,
}

/// Which runtime library a program is linked with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Runtime {
    #[default]
    Static,
    Shared,
    None,
}

/// A file or a library of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    File(PathBuf, Kind),
    /// `-lNAME`.
    Library(String),
    /// `-LDIR`.
    LibraryFolder(PathBuf),
    /// A word for the linker.
    Linker(String),
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cuda,
    Cpp,
    C,
    Ptx,
    /// An object, an archive or a library.
    Linkable,
}

/// Why a command line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    UnknownOption { word: String, nearest: Vec<String> },
    NoValue { word: String },
    BadValue { word: String, value: String, allowed: String },
    NotMade { what: &'static str },
    UnknownFile { file: PathBuf },
    Unreadable { file: PathBuf, why: String },
    NestedTooDeep { file: PathBuf },
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mistake::UnknownOption { word, nearest } if nearest.is_empty() => {
                write!(f, "unknown option '{word}'")
            }
            Mistake::UnknownOption { word, nearest } => {
                write!(f, "unknown option '{word}'; did you mean {}?", nearest.join(", "))
            }
            Mistake::NoValue { word } => write!(f, "option '{word}' needs a value"),
            Mistake::BadValue { word, value, allowed } => {
                write!(f, "value '{value}' of option '{word}' is not one of: {allowed}")
            }
            Mistake::NotMade { what } => write!(f, "{what}: warpsim cannot make that"),
            Mistake::UnknownFile { file } => write!(
                f,
                "do not know how to handle '{}': it is not .cu, .cpp, .c, .ptx or an object; name \
                 its language with `-x cu`, `-x c++` or `-x c`",
                file.display()
            ),
            Mistake::Unreadable { file, why } => write!(f, "cannot read {}: {why}", file.display()),
            Mistake::NestedTooDeep { file } => {
                write!(f, "{}: files of options are nested too deep", file.display())
            }
        }
    }
}

/// Files of options may name others, so deep.
const DEEPEST: usize = 16;

/// Reads a command line, without the name of the command.
///
/// # Errors
/// The first mistake in it.
pub(super) fn read(arguments: &[String]) -> Result<Request, Mistake> {
    let mut reader = Reader::default();
    reader.read(arguments, 0)?;
    let mut request = reader.request;
    let old = request.architectures.finish();
    request.notes.extend(old);
    Ok(request)
}

#[derive(Debug, Default)]
struct Reader {
    request: Request,
    /// The language of files that follow, if it is said.
    language: Option<Kind>,
}

impl Reader {
    fn read(&mut self, arguments: &[String], depth: usize) -> Result<(), Mistake> {
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            if let Some(file) = word.strip_prefix('@') {
                self.read_file(Path::new(file), depth)?;
                continue;
            }
            if !word.starts_with('-') || word == "-" {
                self.add_file(word)?;
                continue;
            }
            let Some(named) = options::named(word) else {
                self.unknown(word)?;
                continue;
            };
            let value = match (named.option.value, named.value) {
                (Value::None, _) => String::new(),
                (Value::One | Value::List | Value::Optional, Some(value)) => value.to_owned(),
                (Value::One | Value::List, None) => match rest.next() {
                    Some(value) => value.clone(),
                    None => return Err(Mistake::NoValue { word: word.clone() }),
                },
                // `-O 3`.
                (Value::Optional, None) => {
                    let mut ahead = rest.clone();
                    let next = ahead.next().filter(|next| next.parse::<u8>().is_ok());
                    match next {
                        Some(value) => {
                            rest = ahead;
                            value.clone()
                        }
                        None => String::new(),
                    }
                }
            };
            if named.option.meaning == Meaning::OptionsFile {
                for file in words::listed(&value) {
                    self.read_file(Path::new(&file), depth)?;
                }
                continue;
            }
            self.take(named.option, word, value)?;
        }
        Ok(())
    }

    fn read_file(&mut self, file: &Path, depth: usize) -> Result<(), Mistake> {
        if depth == DEEPEST {
            return Err(Mistake::NestedTooDeep { file: file.to_owned() });
        }
        let text = fs::read_to_string(file).map_err(|error| Mistake::Unreadable {
            file: file.to_owned(),
            why: error.to_string(),
        })?;
        self.read(&words::split(&text), depth + 1)
    }

    fn unknown(&mut self, word: &str) -> Result<(), Mistake> {
        let flags = self.request.flags;
        match (flags.forwards_to_compiler, flags.forwards_to_linker) {
            (true, _) => self.request.host.push(word.to_owned()),
            (false, true) => self.request.inputs.push(Input::Linker(word.to_owned())),
            (false, false) => {
                let nearest = options::nearest(word);
                return Err(Mistake::UnknownOption { word: word.to_owned(), nearest });
            }
        }
        Ok(())
    }

    fn add_file(&mut self, word: &str) -> Result<(), Mistake> {
        let file = PathBuf::from(word);
        let kind = match self.language {
            Some(kind) if Kind::of(&file) != Some(Kind::Linkable) => Some(kind),
            Some(_) | None => Kind::of(&file),
        };
        let kind = kind.ok_or_else(|| Mistake::UnknownFile { file: file.clone() })?;
        self.request.inputs.push(Input::File(file, kind));
        Ok(())
    }

    /// What an option asks for.
    fn take(&mut self, option: &Choice, word: &str, value: String) -> Result<(), Mistake> {
        let request = &mut self.request;
        let flags = &mut request.flags;
        match option.meaning {
            Meaning::Phase(phase) => {
                request.phase = phase;
                flags.relocatable |= matches!(option.short, "dc" | "dlink");
            }
            Meaning::Output => request.output = Some(value.into()),
            Meaning::OutputFolder => request.output_folder = Some(value.into()),
            Meaning::Preprocessor(letter) => {
                let values = match letter {
                    "-D" | "-U" => words::macros(&value),
                    _ => words::listed(&value),
                };
                let all = values.into_iter().flat_map(|value| [letter.to_owned(), value]);
                request.preprocessor.extend(all);
            }
            Meaning::LibraryFolder => {
                let folders = words::listed(&value).into_iter();
                request.inputs.extend(folders.map(|folder| Input::LibraryFolder(folder.into())));
            }
            Meaning::Library => {
                request.inputs.extend(words::listed(&value).into_iter().map(Input::Library));
            }
            Meaning::Host => request.host.extend(words::passed_on(&value)),
            Meaning::Linker => {
                request.inputs.extend(words::passed_on(&value).into_iter().map(Input::Linker));
            }
            Meaning::Archiver => request.archiver.extend(words::passed_on(&value)),
            Meaning::HostCompiler => request.host_compiler = Some(value.into()),
            Meaning::ArchiverProgram => request.archiver_program = Some(value.into()),
            Meaning::Language => self.language = Some(language(word, &value)?),
            Meaning::Standard => request.standard = Some(value),
            Meaning::Optimize => request.level = Some(value),
            Meaning::Relocatable => flags.relocatable = truth(word, &value)?,
            Meaning::Architecture => request.architectures.set(word, &value)?,
            Meaning::Code => request.architectures.add_codes(word, &value)?,
            Meaning::Generate => request.architectures.generate(word, &value)?,
            Meaning::FlushDenormals => flags.flushes_denormals = truth(word, &value)?,
            Meaning::Fused => flags.is_not_fused = !truth(word, &value)?,
            Meaning::Runtime => request.runtime = runtime(word, &value)?,
            Meaning::Dependencies(which) => request.dependencies = Some(which),
            Meaning::DependencyFile => request.dependency_file = Some(value.into()),
            Meaning::DependencyTarget => request.dependency_targets.push(value),
            Meaning::DefaultStream => request.default_stream = Some(value),
            Meaning::Threads => {
                let number = value.parse::<u32>();
                number.map_err(|_| bad(word, &value, "a number"))?;
            }
            Meaning::RunArguments => request.run_arguments.extend(words::passed_on(&value)),
            Meaning::Without(what) => {
                request.notes.push(format!("{word}: there is no {what} here"));
            }
            Meaning::Refused(what) => return Err(Mistake::NotMade { what }),
            Meaning::WarningsAsErrors => {
                flags.warnings_as_errors |= value.split(',').any(|kind| kind == "all-warnings");
            }
            Meaning::Debug => flags.debug = true,
            Meaning::DeviceDebug => flags.device_debug = true,
            Meaning::FastMath => flags.fast_math = true,
            Meaning::Shared => flags.shared = true,
            Meaning::DependencyPhony => flags.dependency_phony = true,
            Meaning::ExtendedLambda => flags.extended_lambda = true,
            Meaning::RelaxedConstexpr => flags.relaxed_constexpr = true,
            Meaning::NoExceptions => flags.no_exceptions = true,
            Meaning::Profile => flags.profile = true,
            Meaning::ForwardToCompiler => flags.forwards_to_compiler = true,
            Meaning::ForwardToLinker => flags.forwards_to_linker = true,
            Meaning::NoWarnings => flags.no_warnings = true,
            Meaning::Verbose => flags.verbose = true,
            Meaning::DryRun => flags.dry_run = true,
            Meaning::Run => flags.run = true,
            Meaning::Version => flags.version = true,
            Meaning::Help => flags.help = true,
            Meaning::ListArchitectures => flags.list_architectures = true,
            Meaning::ListCodes => flags.list_codes = true,
            Meaning::Harmless => {}
            // It was read in its place.
            Meaning::OptionsFile => {}
        }
        Ok(())
    }
}

impl Kind {
    /// What a file holds, by its name.
    fn of(file: &Path) -> Option<Kind> {
        let name = file.file_name()?.to_str()?;
        // `libx.so.1.2`.
        if name.contains(".so.") {
            return Some(Kind::Linkable);
        }
        Some(match file.extension()?.to_str()? {
            "cu" => Kind::Cuda,
            "cc" | "cpp" | "cxx" | "c++" | "C" => Kind::Cpp,
            "c" => Kind::C,
            "ptx" => Kind::Ptx,
            "o" | "obj" | "a" | "lib" | "so" | "lo" => Kind::Linkable,
            _ => return None,
        })
    }
}

impl Request {
    /// The files that are compiled.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&Path, Kind)> {
        self.inputs.iter().filter_map(|input| match input {
            Input::File(_, Kind::Linkable)
            | Input::Library(_)
            | Input::LibraryFolder(_)
            | Input::Linker(_) => None,
            Input::File(file, kind) => Some((file.as_path(), *kind)),
        })
    }

    /// The architecture for which device code is compiled.
    pub(super) fn architecture(&self) -> Architecture {
        self.architectures.chosen()
    }
}

fn bad(word: &str, value: &str, allowed: &str) -> Mistake {
    Mistake::BadValue {
        word: word.to_owned(),
        value: value.to_owned(),
        allowed: allowed.to_owned(),
    }
}

fn truth(word: &str, value: &str) -> Result<bool, Mistake> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(bad(word, value, "true, false")),
    }
}

fn runtime(word: &str, value: &str) -> Result<Runtime, Mistake> {
    match value {
        "static" => Ok(Runtime::Static),
        "shared" => Ok(Runtime::Shared),
        "none" => Ok(Runtime::None),
        _ => Err(bad(word, value, "static, shared, none")),
    }
}

fn language(word: &str, value: &str) -> Result<Kind, Mistake> {
    match value {
        "cu" => Ok(Kind::Cuda),
        "c++" => Ok(Kind::Cpp),
        "c" => Ok(Kind::C),
        _ => Err(bad(word, value, "cu, c++, c")),
    }
}

#[cfg(test)]
mod tests;
