//! Options, the call, and its result.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use crate::error::NvrtcError;
use crate::ffi::RawNvrtc;
use crate::find::{Found, Search};
use crate::headers;
use crate::messages::{self, Message, OptionError, Severity};

/// The answer for an option that the library does not know.
const INVALID_OPTION: i32 = 5;
/// The answer for an error in the source, and for a bad value of an option.
const COMPILATION: i32 = 6;

/// What [`Mode::Naive`] asks for first.
const FAST_COMPILE: &str = "-Ofc=max";
/// What the compiler's front end calls the option of the architecture.
const FRONT_END_ARCHITECTURE: &str = "--nv_arch";

/// The default architecture to compile for: what the programs that come with warpsim are compiled
/// for. Every GPU since Ampere runs it, and it has the instructions of today's sources
/// (`redux.sync`, `cp.async`).
const USUAL: u32 = 80;

/// How much the compiler may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// What it does by default.
    #[default]
    Optimised,
    /// The accesses of the source stay: nearly every one with `-Ofc=max`, where the library knows
    /// it (12.9 and later do); every one with `-G` elsewhere.
    Naive,
}

/// The option that [`Mode::Naive`] became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Naive {
    /// `-Ofc=max`: compile fast, optimise little.
    FastCompile,
    /// `-G`: debug code.
    Debug,
}

/// How to compile.
///
/// ```
/// use warpsim_nvrtc::{CompileOptions, Mode};
///
/// let options = CompileOptions::default().with_mode(Mode::Naive).with_define("N=64");
/// assert_eq!(options.defines, ["N=64"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileOptions {
    /// How much the compiler may do.
    pub mode: Mode,
    /// `sm_90`, `compute_90` or `90`; otherwise compute capability 8.0, or the lowest above it that
    /// the library knows.
    pub arch: Option<String>,
    /// Macros: `N` or `N=VALUE`.
    pub defines: Vec<String>,
    /// Folders of headers, before those that came with the library.
    pub includes: Vec<PathBuf>,
    /// Further options, as NVRTC has them.
    pub extra: Vec<String>,
}

impl CompileOptions {
    /// The same with this [`mode`](CompileOptions::mode).
    pub fn with_mode(mut self, mode: Mode) -> CompileOptions {
        self.mode = mode;
        self
    }

    /// The same for this [`arch`](CompileOptions::arch).
    pub fn with_arch(mut self, arch: impl Into<String>) -> CompileOptions {
        self.arch = Some(arch.into());
        self
    }

    /// The same with one more macro, `N` or `N=VALUE`.
    pub fn with_define(mut self, define: impl Into<String>) -> CompileOptions {
        self.defines.push(define.into());
        self
    }

    /// The same with one more folder of headers.
    pub fn with_include(mut self, folder: impl Into<PathBuf>) -> CompileOptions {
        self.includes.push(folder.into());
        self
    }

    /// The same with one more option of NVRTC's own.
    pub fn with_extra(mut self, option: impl Into<String>) -> CompileOptions {
        self.extra.push(option.into());
        self
    }
}

/// What a source became.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// The PTX.
    pub ptx: String,
    /// Warnings and remarks.
    pub warnings: Vec<Message>,
    /// The log as it came.
    pub log: String,
    /// What was done for [`Mode::Naive`].
    pub naive: Option<Naive>,
}

/// A compiler that was found and opened.
#[derive(Debug)]
pub struct Nvrtc {
    raw: RawNvrtc,
    found: Found,
    version: (u32, u32),
    architectures: Vec<u32>,
}

impl Nvrtc {
    /// Opens the first that can be opened.
    ///
    /// ```
    /// use warpsim_nvrtc::{CompileOptions, Nvrtc, NvrtcError, Search};
    ///
    /// let source = "extern \"C\" __global__ void one(int *out) { out[threadIdx.x] = 1; }";
    /// match Nvrtc::find(&Search::of_process(None)) {
    ///     Ok(nvrtc) => {
    ///         let compiled = nvrtc.compile("one.cu", source, &CompileOptions::default())?;
    ///         assert!(compiled.ptx.contains(".entry one"));
    ///     }
    ///     Err(error) => println!("{error}"), // no CUDA compiler found (libnvrtc)
    /// }
    /// # Ok::<(), NvrtcError>(())
    /// ```
    ///
    /// # Errors
    /// [`NvrtcError::NotFound`], or why the first that is there cannot be opened.
    pub fn find(search: &Search) -> Result<Nvrtc, NvrtcError> {
        let mut first = None;
        for found in search.found()? {
            match Nvrtc::open(found) {
                Ok(nvrtc) => return Ok(nvrtc),
                Err(error) => {
                    first.get_or_insert(error);
                }
            }
        }
        Err(first.unwrap_or(NvrtcError::NotFound { given: None }))
    }

    /// Opens a library.
    ///
    /// # Errors
    /// It cannot be opened, or is not NVRTC.
    pub fn open(found: Found) -> Result<Nvrtc, NvrtcError> {
        let raw = RawNvrtc::open(&found.library, &found.builtins())?;
        let version = raw.version()?;
        let mut architectures = raw.architectures()?;
        architectures.sort_unstable();
        Ok(Nvrtc { raw, found, version, architectures })
    }

    /// Where it was found.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Its version, major and minor: (13, 0).
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The architectures that it compiles for, the lowest first: 80 is `compute_80`.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Compiles a source. Messages and line tables call it `name`. A path in `name` is the first
    /// folder in which its headers are looked for.
    ///
    /// The PTX always has line tables. Without them no report could name lines of the source.
    /// Functions without `__device__` are device functions, as NVRTC compiles nothing for the host
    /// and would refuse them.
    ///
    /// # Errors
    /// [`NvrtcError::Source`] with the messages, or why it was not compiled at all.
    pub fn compile(
        &self,
        name: &str,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Compiled, NvrtcError> {
        let common = self.common(name, options)?;
        match options.mode {
            Mode::Optimised => self.attempt(name, source, options, &common, &["-lineinfo"], None),
            Mode::Naive => {
                let naive = Some(Naive::FastCompile);
                let fast = ["-lineinfo", FAST_COMPILE];
                match self.attempt(name, source, options, &common, &fast, naive) {
                    Err(NvrtcError::Option { kind: OptionError::Unknown { option }, .. })
                        if option == FAST_COMPILE =>
                    {
                        // `-G` has its own line tables.
                        self.attempt(name, source, options, &common, &["-G"], Some(Naive::Debug))
                    }
                    Err(NvrtcError::Call { code: COMPILATION, words, .. })
                        if self.attempt(name, source, options, &common, &[], None).is_ok() =>
                    {
                        Err(NvrtcError::OnlyOptimised { words })
                    }
                    other => other,
                }
            }
        }
    }

    /// The options that do not depend on the mode.
    fn common(&self, name: &str, options: &CompileOptions) -> Result<Vec<String>, NvrtcError> {
        let mut common = vec![
            format!("-arch=compute_{}", self.architecture(options.arch.as_deref())?),
            "-default-device".to_owned(),
            // As nvcc, which has `__int128` wherever the host's compiler has it.
            "-device-int128".to_owned(),
        ];
        // `-D` alone would take the next option for its value.
        if options.defines.iter().any(String::is_empty) {
            let kind = OptionError::Macro { definition: String::new() };
            return Err(NvrtcError::Option { kind, words: "invalid macro definition:".to_owned() });
        }
        common.extend(options.defines.iter().map(|define| format!("-D{define}")));
        common.extend(self.folders(name, options).iter().map(|f| format!("-I{}", f.display())));
        common.extend(options.extra.iter().cloned());
        Ok(common)
    }

    /// The folders of headers: the source's own, the folders of the options, CUDA's.
    fn folders(&self, name: &str, options: &CompileOptions) -> Vec<PathBuf> {
        let own = Path::new(name).parent().map(Path::to_owned);
        let own = own.map(|p| if p.as_os_str().is_empty() { PathBuf::from(".") } else { p });
        let given = options.includes.iter().cloned();
        own.into_iter().chain(given).chain(self.found.headers()).collect()
    }

    /// `90` or `90a`.
    fn architecture(&self, asked: Option<&str>) -> Result<String, NvrtcError> {
        let Some(asked) = asked else {
            let suits = self.architectures.iter().find(|a| **a >= USUAL);
            return Ok(suits.or(self.architectures.last()).unwrap_or(&USUAL).to_string());
        };
        let number = ["sm_", "compute_"].iter().find_map(|p| asked.strip_prefix(p));
        let number = number.unwrap_or(asked);
        // `a` and `f` are features of one architecture, or of a family.
        let digits = number.strip_suffix(['a', 'f']).unwrap_or(number);
        let is_known = digits.parse().is_ok_and(|n: u32| self.architectures.contains(&n));
        if is_known {
            return Ok(number.to_owned());
        }
        let known = self.architectures.clone();
        Err(NvrtcError::Architecture { asked: asked.to_owned(), known })
    }

    fn attempt(
        &self,
        name: &str,
        source: &str,
        options: &CompileOptions,
        common: &[String],
        further: &[&str],
        naive: Option<Naive>,
    ) -> Result<Compiled, NvrtcError> {
        let headers: Vec<(CString, CString)> = headers::missing_in(&self.folders(name, options))
            .map(|(name, text)| Ok((zero_ended("a header", name)?, zero_ended("a header", text)?)))
            .collect::<Result<_, NvrtcError>>()?;
        let source = zero_ended("the source", source)?;
        let program = self.raw.program(&source, &zero_ended("its name", name)?, &headers)?;
        let arguments = common.iter().map(String::as_str).chain(further.iter().copied());
        let arguments = arguments.map(|option| zero_ended("an option", option));
        let result = program.compile(&arguments.collect::<Result<Vec<_>, _>>()?);
        let log = program.log().unwrap_or_default();
        let messages = messages::parse(&log);
        match (result, messages::refused_option(&log)) {
            (Ok(()), _) => Ok(Compiled { ptx: program.ptx()?, warnings: messages, log, naive }),
            (
                Err(NvrtcError::Call { code: INVALID_OPTION | COMPILATION, .. }),
                Some((kind, words)),
            ) => Err(self.refused(kind, words, options)),
            (Err(NvrtcError::Call { code: INVALID_OPTION, .. }), None) => {
                Err(NvrtcError::Option { kind: OptionError::Other, words: log.trim().to_owned() })
            }
            (Err(NvrtcError::Call { code: COMPILATION, .. }), None)
                if messages.iter().any(|m| m.severity == Severity::Error) =>
            {
                Err(NvrtcError::Source { messages, log })
            }
            (Err(NvrtcError::Call { call, code, words }), _) if !log.trim().is_empty() => {
                let words = format!("{words}: {}", log.trim());
                Err(NvrtcError::Call { call, code, words })
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The error for an option that was refused.
    fn refused(&self, kind: OptionError, words: &str, options: &CompileOptions) -> NvrtcError {
        match (&kind, &options.arch) {
            // `sm_80a`: the number is known, and has no such features.
            (OptionError::Value { option }, Some(asked)) if option == FRONT_END_ARCHITECTURE => {
                let known = self.architectures.clone();
                NvrtcError::Architecture { asked: asked.clone(), known }
            }
            _ => NvrtcError::Option { kind, words: words.to_owned() },
        }
    }
}

fn zero_ended(what: &'static str, text: &str) -> Result<CString, NvrtcError> {
    CString::new(text).map_err(|_| NvrtcError::Zero { what })
}
