//! The kinds of findings, in one table: name, usual severity and meaning of each. The names for
//! `--allow`, the help, the list in the book and every format derive from it.

use std::fmt;
use std::str::FromStr;

use super::Severity;

/// Declares [`Code`] from its table.
macro_rules! codes {
    ($($code:ident: $name:literal, $severity:ident, $text:literal;)*) => {
        /// What kind of finding it is.
        ///
        /// ```
        /// use warpsim::report::{Code, Severity};
        ///
        /// let code: Code = "use-after-free".parse()?;
        /// assert_eq!(code, Code::UseAfterFree);
        /// assert_eq!((code.to_string(), code.severity()), ("use-after-free".into(), Severity::Error));
        /// assert!(Code::ALL.contains(&code));
        /// # Ok::<(), warpsim::report::UnknownCode>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`: ", $text, ".")] $code,)*
            /// A kind that a user's own [`crate::observe::Analysis`] looks for.
            Own(OwnCode),
        }

        impl Code {
            /// All kinds that warpsim itself looks for, in the order of the list.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// The name in messages, in JSON and for `--allow`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)*
                    Code::Own(own) => own.name,
                }
            }

            /// The usual severity of a finding of this kind; some are milder.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$severity,)*
                    Code::Own(own) => own.severity,
                }
            }

            /// Its meaning, in a few words.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Code::$code => $text,)*
                    Code::Own(own) => own.text,
                }
            }
        }
    };
}

codes! {
    Race: "race", Error, "accesses to one place that nothing orders, one a write, one not strong";
    Unordered: "unordered", Warning, "strong accesses to one place that nothing orders, without \
                                      synchronisation";
    SameValue: "same-value", Warning, "plain stores of one value by several threads that nothing orders";
    BarrierDivergence: "barrier-divergence", Error, "threads of a block that do not all reach the \
                                                     same barrier";
    Deadlock: "deadlock", Error, "threads that wait for ever";
    Livelock: "livelock", Error, "threads that repeat the same steps for ever";
    ScheduleDependent: "schedule-dependent", Warning, "two schedules that end with different results";
    OutOfBounds: "out-of-bounds", Error, "an access outside every buffer and variable, or past the \
                                          end of its own";
    Misaligned: "misaligned", Error, "an address that is not a multiple of the size of the access";
    InvalidFree: "invalid-free", Error, "`free` of an address that is not memory in use on the \
                                         device's heap";
    Leak: "leak", Note, "memory of the device's heap that no kernel freed";
    UseAfterFree: "use-after-free", Error, "an access to memory that was freed";
    Uninitialized: "uninitialized", Error, "a value that is used and was never written";
    ShuffleInactiveLane: "shuffle-inactive-lane", Warning, "a value read from a lane that does not take part";
    SyncMask: "sync-mask", Error, "a warp operation whose member mask does not match the lanes \
                                   that execute it";
    SharedOverlap: "shared-overlap", Note, "one `extern __shared__` array that reads a value \
                                            written to another one";
    RedundantBarrier: "redundant-barrier", Note, "a barrier that can be removed without any change";
    BankConflict: "bank-conflict", Note, "lanes of a warp at different words of one bank of shared memory";
    Trap: "trap", Error, "the kernel executed `trap`";
    Assert: "assert", Error, "an `assert` of the kernel failed";
    StackOverflow: "stack-overflow", Error, "calls that are too deep for the limit of a thread's \
                                             stack";
    Fault: "fault", Error, "another error that stops the hardware";
    Limit: "limit", Error, "the kernel had not ended after --max-steps";
    Incomplete: "incomplete", Error, "the check was cut short: by a signal, a limit, a full disk";
    ApiError: "api-error", Warning, "a call of the API failed, and the program did not check";
    Hung: "hung", Error, "a launch on a GPU did not end within its time limit";
}

impl Code {
    /// Whether it is about two unordered accesses: the later one first.
    pub const fn is_conflict(self) -> bool {
        matches!(self, Code::Race | Code::SameValue | Code::Unordered)
    }
}

/// A kind of finding that a user's own analysis looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct OwnCode {
    /// The name in messages and in JSON: small letters and `-`, none of the names in [`Code::ALL`].
    pub name: &'static str,
    /// The usual severity of a finding of this kind.
    pub severity: Severity,
    /// Its meaning, in a few words.
    pub text: &'static str,
}

impl OwnCode {
    /// A kind of finding with this name, severity and meaning.
    pub const fn new(name: &'static str, severity: Severity, text: &'static str) -> OwnCode {
        OwnCode { name, severity, text }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a name that no kind of finding has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownCode {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        write!(f, "unknown finding `{}`; use one of {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownCode {}

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(name: &str) -> Result<Code, UnknownCode> {
        let found = Code::ALL.iter().find(|code| code.name() == name);
        found.copied().ok_or_else(|| UnknownCode { name: name.to_owned() })
    }
}

impl From<Code> for String {
    fn from(code: Code) -> String {
        code.name().to_owned()
    }
}

impl TryFrom<String> for Code {
    type Error = UnknownCode;

    fn try_from(name: String) -> Result<Code, UnknownCode> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_no_two_are_the_same() {
        for (i, code) in Code::ALL.iter().enumerate() {
            assert_eq!(code.name().parse(), Ok(*code));
            assert_eq!(code.to_string(), code.name());
            assert!(Code::ALL[..i].iter().all(|other| other.name() != code.name()), "{code}");
            assert!(code.name().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{code}");
        }
    }

    #[test]
    fn a_name_that_no_kind_has_is_refused_with_those_that_there_are() {
        let error = "races".parse::<Code>().unwrap_err();
        assert!(error.to_string().starts_with("unknown finding `races`; use one of race, "));
    }

    #[test]
    fn a_meaning_fits_a_line_beside_the_name() {
        for code in Code::ALL {
            assert!(code.name().len() <= 21 && code.text().len() <= 75, "{code}");
            assert!(!code.text().ends_with('.'), "{code}");
        }
    }
}
