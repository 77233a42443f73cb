//! Why a source did not become PTX.

use std::fmt;
use std::path::PathBuf;

use crate::messages::{Message, OptionError};

/// Why a source did not become PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NvrtcError {
    /// There is no library where they are looked for.
    NotFound {
        /// The path that was given, and at which there is none.
        given: Option<PathBuf>,
    },
    /// The library is there and cannot be opened.
    CannotOpen {
        /// Its path or its name.
        library: PathBuf,
        /// What the system says.
        words: String,
    },
    /// The library lacks a function.
    MissingFunction {
        /// Which.
        name: &'static str,
    },
    /// A call failed for another reason than the source.
    Call {
        /// The function.
        call: &'static str,
        /// The number of the error: 5 is an option that it does not know, 6 an error in the source.
        code: i32,
        /// The library's words.
        words: String,
    },
    /// The compiler refuses an option.
    Option {
        /// The error.
        kind: OptionError,
        /// What it says.
        words: String,
    },
    /// The compiler does not know an architecture.
    Architecture {
        /// What was asked for.
        asked: String,
        /// Those that it knows: 80 is `compute_80`.
        known: Vec<u32>,
    },
    /// The source, its name or an option holds a zero byte.
    Zero {
        /// Which of them.
        what: &'static str,
    },
    /// The compiler fails where it is not to optimise, and compiles the source where it is. NVRTC
    /// 13 has no `__dp4a` without optimisation, for one.
    OnlyOptimised {
        /// What it says when it fails.
        words: String,
    },
    /// There are errors in the source.
    Source {
        /// What the compiler says, errors and warnings, in its order.
        messages: Vec<Message>,
        /// The same as it came.
        log: String,
    },
}

impl fmt::Display for NvrtcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NvrtcError::NotFound { given: None } => {
                f.write_str("no CUDA compiler found (libnvrtc)")
            }
            NvrtcError::NotFound { given: Some(path) } => {
                write!(f, "no CUDA compiler found (libnvrtc) at {}", path.display())
            }
            NvrtcError::CannotOpen { library, words } => {
                write!(f, "the CUDA compiler {} cannot be opened: {words}", library.display())
            }
            NvrtcError::MissingFunction { name } => {
                write!(f, "the CUDA compiler (libnvrtc) has no function {name}: is it too old?")
            }
            NvrtcError::Call { call, words, .. } => write!(f, "{call}: {words}"),
            NvrtcError::Option { words, .. } => {
                write!(f, "the CUDA compiler refuses its options: {words}")
            }
            NvrtcError::Architecture { asked, known } => {
                let known: Vec<_> = known.iter().map(|n| format!("sm_{n}")).collect();
                write!(
                    f,
                    "the CUDA compiler does not know the architecture {asked}; it knows {}",
                    known.join(", ")
                )
            }
            NvrtcError::OnlyOptimised { words } => write!(
                f,
                "the CUDA compiler can compile this only when it optimises, and cannot keep all \
                 accesses of the source: {words}"
            ),
            NvrtcError::Zero { what } => write!(f, "{what} holds a zero byte"),
            NvrtcError::Source { log, .. } => f.write_str(log.trim_end()),
        }
    }
}

impl std::error::Error for NvrtcError {}

impl NvrtcError {
    /// Whether it is the compiler that is missing or broken, and not the source or an option.
    pub fn is_about_the_compiler(&self) -> bool {
        use NvrtcError as E;
        matches!(
            self,
            E::NotFound { .. } | E::CannotOpen { .. } | E::MissingFunction { .. } | E::Call { .. }
        )
    }
}
