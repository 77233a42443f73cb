//! Why a command did not do its work, and the exit code for it.

use std::fmt;
use std::io;

use warpsim::host::DeviceError;
use warpsim::internal::InternalError;
use warpsim::passes::PassError;
use warpsim_campaign::CampaignError;
use warpsim_formats::arguments::ArgumentError;

/// An exit code of the command's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(u8);

impl Exit {
    /// Nothing to complain about.
    pub(crate) const CLEAN: Exit = Exit(0);
    /// A finding, a fault, a deadlock, a difference, a limit.
    pub(crate) const FINDING: Exit = Exit(1);
    /// Wrong usage or bad input.
    pub(crate) const USAGE: Exit = Exit(2);
    /// PTX that warpsim does not support yet.
    pub(crate) const UNSUPPORTED: Exit = Exit(3);
    /// No GPU, or no compiler, where one was needed.
    pub(crate) const MISSING: Exit = Exit(4);
    /// A bug in warpsim.
    pub(crate) const BUG: Exit = Exit(101);

    /// The code that `--error-exitcode` asks for.
    pub(crate) fn custom(code: u8) -> Exit {
        Exit(code)
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        self.0
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage or bad input, in a sentence, with what to do about it.
    Usage { message: String, help: Option<String> },
    /// Bad input that was already drawn with its place in the source.
    Rendered(String),
    /// PTX that is not supported yet. `drawn` is the message with its place in the source.
    Unsupported { drawn: String, message: String, line: Option<u32> },
    /// A GPU or a compiler that is not there.
    Missing { message: String, help: Option<String> },
    /// Standard output or a file cannot be written.
    Write(io::Error),
    /// It was ended from outside before there was a result.
    Interrupted(String),
    /// A bug in warpsim, with what it is. `drawn` shows where in the program it came out.
    Bug { what: String, drawn: Option<String> },
}

impl Failure {
    /// Wrong usage or bad input.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::Usage { message: message.into(), help: None }
    }

    /// The same, with what to do about it.
    pub(crate) fn usage_with_help(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Usage { message: message.into(), help: Some(help.into()) }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Usage { .. } | Failure::Rendered(_) => Exit::USAGE,
            Failure::Unsupported { .. } => Exit::UNSUPPORTED,
            Failure::Missing { .. } => Exit::MISSING,
            // The reader has read enough: `warpsim ... | head`.
            Failure::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::CLEAN,
            Failure::Write(_) => Exit::USAGE,
            Failure::Interrupted(_) => Exit::FINDING,
            Failure::Bug { .. } => Exit::BUG,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage { message, help } | Failure::Missing { message, help } => {
                f.write_str(message)?;
                help.as_ref().map_or(Ok(()), |help| write!(f, "\n  = help: {help}"))
            }
            Failure::Rendered(text) | Failure::Unsupported { message: text, .. } => {
                f.write_str(text)
            }
            Failure::Write(error) => write!(f, "cannot write the results: {error}"),
            Failure::Interrupted(what) => f.write_str(what),
            Failure::Bug { what, .. } => f.write_str(what),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Write(error)
    }
}

/// A refusal that is the user's business, or a bug of ours.
impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Failure {
        match error {
            ArgumentError::Device(error) => error.into(),
            ArgumentError::Argument { .. } | ArgumentError::Buffer { .. } => {
                Failure::usage(error.to_string())
            }
        }
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        match error {
            DeviceError::Internal(error) | DeviceError::Pass(PassError::Internal(error)) => {
                Failure::from(error)
            }
            other => Failure::usage(other.to_string()),
        }
    }
}

impl From<InternalError> for Failure {
    fn from(error: InternalError) -> Failure {
        Failure::Bug { what: error.to_string(), drawn: None }
    }
}

/// The user can mend errors in the files of shards. A result that no file can hold is a bug.
impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Failure {
        match error {
            CampaignError::Unsayable(_) => Failure::Bug { what: error.to_string(), drawn: None },
            other => Failure::usage(other.to_string()),
        }
    }
}

/// What to do about a bug in warpsim.
pub(crate) const REPORT_IT: &str =
    "the program is not to blame; please report it with the command line and the PTX file";

/// The message for a bug in warpsim itself.
pub(crate) fn bug_message(what: &str) -> String {
    format!("error: this is a bug in warpsim: {what}\n  = help: {REPORT_IT}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Output;

    #[test]
    fn a_broken_invariant_of_warpsim_is_exit_code_101_and_says_what_to_report() {
        let error = warpsim::internal!("a planted one");
        let of_a_pass = DeviceError::from(PassError::from(error.clone()));
        for failure in
            [Failure::from(error.clone()), DeviceError::Internal(error).into(), of_a_pass.into()]
        {
            let (mut output, _, written) = Output::to_memory(Vec::new());
            assert_eq!(failure.report(&mut output).code(), 101);
            let text = written.text();
            assert!(text.contains("error: this is a bug in warpsim: a planted one ("), "{text}");
            assert!(
                text.contains("= help: the program is not to blame; please report it"),
                "{text}"
            );
        }
    }
}
