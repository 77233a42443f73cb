//! The kinds of findings, in one table: the name, usual severity, rank, meaning, usual cause and
//! remedy of each. The names for `--allow`, the help, `warpsim explain`, the list in the book, every
//! format and the order of findings derive from it.

use std::fmt;
use std::str::FromStr;

use super::Severity;

/// Declares [`Code`] from its table.
macro_rules! codes {
    ($($code:ident: $name:literal, $severity:ident, $rank:ident {
        meaning: $text:literal,
        cause: $cause:literal,
        remedy: $remedy:literal,
    })*) => {
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

            /// Which kinds it leads to, and which lead to it.
            pub const fn rank(self) -> Rank {
                match self {
                    $(Code::$code => Rank::$rank,)*
                    Code::Own(_) => Rank::Other,
                }
            }

            /// The usual cause, in sentences.
            pub const fn cause(self) -> &'static str {
                match self {
                    $(Code::$code => $cause,)*
                    Code::Own(_) => "The user's own analysis looks for it.",
                }
            }

            /// How to mend it, in sentences.
            pub const fn remedy(self) -> &'static str {
                match self {
                    $(Code::$code => $remedy,)*
                    Code::Own(_) => "See that analysis.",
                }
            }
        }
    };
}

codes! {
    Race: "race", Error, Other {
        meaning: "accesses to one place that nothing orders, one a write, one not strong",
        cause: "A `__syncthreads()` or `__syncwarp()` is missing between a write and another \
                thread's access, or two threads compute one index. Blocks are never ordered within \
                a launch.",
        remedy: "Put the barrier between the two lines that the finding names, outside of branches \
                 that only some threads take. Between blocks use atomics, a release and acquire \
                 pair, or a second launch.",
    }
    Unordered: "unordered", Warning, Other {
        meaning: "strong accesses to one place that nothing orders, without synchronisation",
        cause: "Both accesses are atomic or volatile, but nothing says which comes first, and one \
                of them is a plain flag of a protocol without a fence.",
        remedy: "Use `cuda::atomic_ref` with `memory_order_release` for the store and \
                 `memory_order_acquire` for the load, or put `__threadfence()` between data and \
                 flag.",
    }
    SameValue: "same-value", Warning, Other {
        meaning: "plain stores of one value by several threads that nothing orders",
        cause: "Many threads set one flag by plain stores of the same value.",
        remedy: "Let one thread store it, or use a relaxed atomic store. If it is intended, allow \
                 it: `--allow same-value`.",
    }
    BarrierDivergence: "barrier-divergence", Error, Synchronisation {
        meaning: "threads of a block that do not all reach the same barrier",
        cause: "A barrier is inside a branch or a loop that not all threads of the block take, or \
                a thread returns before it.",
        remedy: "Move the barrier out of the branch, and let threads without work skip the work \
                 and not the barrier.",
    }
    Deadlock: "deadlock", Error, Stuck {
        meaning: "threads that wait for ever",
        cause: "Threads wait at a barrier, or for threads that have ended or that wait for them.",
        remedy: "Let every thread that a barrier counts reach it the same number of times.",
    }
    Livelock: "livelock", Error, Stuck {
        meaning: "threads that repeat the same steps for ever",
        cause: "Threads poll memory that nobody will change: the writer waits for them, the block \
                that writes is not resident, or the value is cached in a register.",
        remedy: "Launch no more blocks than fit at once (a cooperative launch), read the flag by \
                 `volatile` or an atomic, and let a lane that holds a lock give it back before \
                 others of its warp wait.",
    }
    ScheduleDependent: "schedule-dependent", Warning, Other {
        meaning: "two schedules that end with different results",
        cause: "The result depends on which thread comes first: a race, an order of atomics, or \
                sums of floating-point numbers in the order of arrival.",
        remedy: "Fix the order, or use an operation whose order does not matter.",
    }
    OutOfBounds: "out-of-bounds", Error, Other {
        meaning: "an access outside every buffer and variable, or past the end of its own",
        cause: "An index is not compared with the length, a grid is rounded up, or a buffer is \
                smaller than the kernel assumes.",
        remedy: "Guard the access by `if (i < n)`, and look at the grid and at the sizes of \
                 buffers.",
    }
    Misaligned: "misaligned", Error, Other {
        meaning: "an address that is not a multiple of the size of the access",
        cause: "A pointer is cast to a wider type, as `float4*`, at an address that is not a \
                multiple of its size.",
        remedy: "Align the address, or access narrower values.",
    }
    InvalidFree: "invalid-free", Error, Other {
        meaning: "`free` of an address that is not memory in use on the device's heap",
        cause: "`free` in a kernel gets a pointer that `malloc` in a kernel did not return, or \
                gets it twice.",
        remedy: "Give each pointer back once, by the thread that owns it.",
    }
    Leak: "leak", Note, Other {
        meaning: "memory of the device's heap that no kernel freed",
        cause: "A kernel calls `malloc` without `free`.",
        remedy: "Give the memory back in this kernel or in a later one.",
    }
    UseAfterFree: "use-after-free", Error, Other {
        meaning: "an access to memory that was freed",
        cause: "Memory is accessed after `free` of a kernel or of the host.",
        remedy: "Free it after the last access: use a barrier, or wait for the end of the stream's \
                 work.",
    }
    Uninitialized: "uninitialized", Error, Other {
        meaning: "a value that is used and was never written",
        cause: "Memory that `cudaMalloc` or `__shared__` gave, or a register, is read before \
                anything is written to it.",
        remedy: "Write it first: a loop over all cells, `cudaMemset`, or a guard that covers the \
                 last cells.",
    }
    ShuffleInactiveLane: "shuffle-inactive-lane", Warning, Other {
        meaning: "a value read from a lane that does not take part",
        cause: "`__shfl_sync` reads from a lane that does not execute it.",
        remedy: "Let all lanes of the mask execute the shuffle, before lanes without work leave.",
    }
    SyncMask: "sync-mask", Error, Synchronisation {
        meaning: "a warp operation whose member mask does not match the lanes that execute it",
        cause: "The mask of a `_sync` operation names lanes that do not execute it, or leaves out \
                one that does.",
        remedy: "Compute the mask by `__ballot_sync` before the branch, or let all lanes execute \
                 the operation.",
    }
    SharedOverlap: "shared-overlap", Note, Other {
        meaning: "one `extern __shared__` array that reads a value written to another one",
        cause: "Several `extern __shared__` arrays are one memory, and one of them reads what \
                another one wrote.",
        remedy: "Cut one array into parts at offsets that do not overlap.",
    }
    RedundantBarrier: "redundant-barrier", Note, Other {
        meaning: "a barrier that can be removed without any change",
        cause: "No access on one side of the barrier conflicts with one on the other side.",
        remedy: "Remove it, if that holds for all inputs.",
    }
    BankConflict: "bank-conflict", Note, Other {
        meaning: "lanes of a warp at different words of one bank of shared memory",
        cause: "Lanes of a warp access different words of one bank: often a column of a tile whose \
                width is a multiple of 32.",
        remedy: "Pad the row by one element, or change the order of indices.",
    }
    Trap: "trap", Error, Other {
        meaning: "the kernel executed `trap`",
        cause: "The kernel executed `trap`, or `__trap()`.",
        remedy: "Look at the condition that leads there.",
    }
    Assert: "assert", Error, Other {
        meaning: "an `assert` of the kernel failed",
        cause: "A condition of `assert` was false.",
        remedy: "The finding names the condition, the line and the thread.",
    }
    StackOverflow: "stack-overflow", Error, Other {
        meaning: "calls that are too deep for the limit of a thread's stack",
        cause: "Functions call each other deeper than the stack of a thread.",
        remedy: "Make the recursion a loop, or raise the limit by `cudaDeviceSetLimit`.",
    }
    Fault: "fault", Error, Other {
        meaning: "another error that stops the hardware",
        cause: "The kernel did something else that stops a GPU; the finding names it.",
        remedy: "Look at the line that the finding names.",
    }
    Limit: "limit", Error, Stuck {
        meaning: "the kernel had not ended after --max-steps",
        cause: "The launch took more instructions than the limit: a loop without end, or much \
                work.",
        remedy: "Use smaller inputs, or a greater `max_steps`.",
    }
    Incomplete: "incomplete", Error, Stuck {
        meaning: "the check was cut short: by a signal, a limit, a full disk",
        cause: "Something ended the check before everything was judged.",
        remedy: "The finding names the cause; remove it, and run the check again.",
    }
    ApiError: "api-error", Warning, Other {
        meaning: "a call of the API failed, and the program did not check",
        cause: "A call of CUDA's API failed, and the program did not check its result.",
        remedy: "Compare each result with `cudaSuccess`.",
    }
    Hung: "hung", Error, Stuck {
        meaning: "a launch on a GPU did not end within its time limit",
        cause: "A launch on a GPU did not end within its time.",
        remedy: "Run it on the simulator, which says where threads wait.",
    }
}

impl Code {
    /// Whether it is about two unordered accesses: the later one first.
    pub const fn is_conflict(self) -> bool {
        matches!(self, Code::Race | Code::SameValue | Code::Unordered)
    }
}

/// Which kinds of findings cause others. Threads that do not synchronise race, and threads that
/// race may wait for ever. Causes come first in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Threads miss each other at a barrier or at a warp operation. Races follow.
    Synchronisation,
    /// A cause, or a mistake on its own.
    Other,
    /// Threads wait, or the launch did not end. It follows from a kind of another rank, if there is
    /// one.
    Stuck,
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

    #[test]
    fn a_cause_and_a_remedy_are_whole_sentences() {
        for code in Code::ALL {
            for text in [code.cause(), code.remedy()] {
                assert!(text.ends_with('.') && !text.contains("  "), "{code}: {text}");
            }
        }
    }
}
