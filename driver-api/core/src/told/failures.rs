//! Failed calls of the API that the program does not notice, if launches are checked.
//!
//! A call returns its error, and nothing says whether the program looks. These rules decide:
//!
//! - An error is *seen* if the code behind the call reads the result, and [`Unread::Dropped`] if it
//!   does not. The caller of [`Failures::failed`] finds out. An error also counts as seen if the
//!   same thread asks afterwards for the runtime's last error and gets one. A program that asks for
//!   the name or the words of this error has also seen it.
//! - If it is unknown whether the code reads it ([`Unread::Unknown`]), a call counts unless it is a
//!   probe ([`PROBES`]).
//! - Some errors are never reported here, because they are answers or are reported elsewhere
//!   ([`ANSWERS`]).
//!
//! Calls that fail alike (function, error, place of the program, thread) are one, with a count.
//!
//! In which direction it can be wrong: towards silence. A program that stores a result and never
//! compares it counts as looking. So does a program that throws away the result of
//! `cudaGetLastError`. A process that is killed reports nothing.

use std::collections::BTreeMap;

use crate::host::Site;
use crate::told::journal::{Entry, FailedEntry};

/// The known facts about a call's error, if the program was not seen to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unread {
    /// The code behind the call does not read it.
    Dropped,
    /// This is unknown.
    Unknown,
}

/// A call that failed.
#[derive(Debug)]
pub struct FailedCall {
    /// The number of the thread that called.
    pub thread: u64,
    /// Whether it is of the runtime API, whose last error can be asked for.
    pub is_runtime: bool,
    /// The function.
    pub function: &'static str,
    /// Its arguments, in words.
    pub arguments: String,
    /// The error's number, the same in both APIs if both have it.
    pub number: u32,
    /// Its name, and its meaning.
    pub error: [String; 2],
    /// The reasons, if they are known.
    pub reasons: Vec<String>,
    /// A number that calls from one place of the program share.
    pub place: usize,
    /// Where the call came from.
    pub site: Option<Box<dyn Site>>,
    /// Whether the program read the error, as far as is known.
    pub answer: Unread,
}

/// Errors that are never reported, by their numbers, and why.
const ANSWERS: &[(&[u32], &str)] = &[
    (&[600], "a query's answer that the work is not done"),
    (&[704], "access between peers is enabled, as was asked for"),
    (&[801], "warpsim says itself what it does not support"),
    (&[4], "the process is at its end"),
    (
        &[214, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721],
        "a kernel came to it, which is told as its finding; all calls return it from then on",
    ),
];

/// Functions that are called to find something out, and the errors that answer this. They are not
/// reported if it is unknown whether the program looks. An empty list means all functions, or all
/// errors.
const PROBES: &[(&[&str], &[u32], &str)] = &[
    (&[], &[2], "a framework empties its cache and tries again"),
    (&[], &[500], "whether there is such a symbol"),
    (&[], &[3, 201], "whether there is a driver or a context"),
    (&[], &[705, 712, 713], "whether it was done before"),
    (
        &["cudaPointerGetAttributes", "cuPointerGetAttribute", "cuPointerGetAttributes"],
        &[],
        "what an address is",
    ),
    (&["cudaHostGetFlags", "cuMemHostGetFlags"], &[], "what an address is"),
    (&["cudaFuncGetAttributes", "cuFuncGetAttribute"], &[], "whether there is such a kernel"),
    (
        &["cudaDeviceGetAttribute", "cuDeviceGetAttribute"],
        &[],
        "whether there is such an attribute",
    ),
    (&["cuGetProcAddress", "cuGetProcAddress_v2"], &[], "whether there is such a function"),
    (
        &["cudaDeviceEnablePeerAccess", "cudaDeviceCanAccessPeer", "cuCtxEnablePeerAccess"],
        &[],
        "whether two devices reach each other",
    ),
];

/// Whether an error is an answer, or is reported elsewhere.
pub fn is_answer(number: u32) -> bool {
    ANSWERS.iter().any(|(numbers, _)| numbers.contains(&number))
}

fn is_probe(function: &str, number: u32) -> bool {
    PROBES.iter().any(|(functions, numbers, _)| {
        (functions.is_empty() || functions.contains(&function))
            && (numbers.is_empty() || numbers.contains(&number))
    })
}

/// The function, the error, the place and the thread.
type Key = (&'static str, u32, usize, u64);

/// The calls that failed and were not asked about.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// By what makes them alike, with their place in the order and how many there were.
    calls: BTreeMap<Key, (u64, FailedCall, u64)>,
    next: u64,
}

impl Failures {
    /// A call failed.
    pub(crate) fn failed(&mut self, call: FailedCall) {
        let is_excused = call.answer == Unread::Unknown && is_probe(call.function, call.number);
        if is_excused || is_answer(call.number) {
            return;
        }
        let key = (call.function, call.number, call.place, call.thread);
        let next = self.next;
        self.next += 1;
        self.calls.entry(key).or_insert((next, call, 0)).2 += 1;
    }

    /// A thread asked for its last error, and was given one.
    pub(crate) fn asked(&mut self, thread: u64) {
        self.calls.retain(|_, (_, call, _)| !(call.is_runtime && call.thread == thread));
    }

    /// The program asked for the name or the words of an error.
    pub(crate) fn asked_about(&mut self, number: u32) {
        self.calls.retain(|_, (_, call, _)| call.number != number);
    }

    /// The calls that are left, in order, as entries of the journal.
    pub(crate) fn take(&mut self, process: u32) -> Vec<Entry> {
        let mut left: Vec<_> = std::mem::take(&mut self.calls).into_values().collect();
        left.sort_by_key(|(order, ..)| *order);
        let entry = |(_, call, count): (u64, FailedCall, u64)| {
            let [error, words] = call.error;
            Entry::Failed(FailedEntry {
                process,
                function: call.function.to_owned(),
                arguments: call.arguments,
                error,
                words,
                reasons: call.reasons,
                site: call.site.and_then(|site| site.text()),
                count,
            })
        };
        left.into_iter().map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &'static str, number: u32, thread: u64, answer: Unread) -> FailedCall {
        FailedCall {
            thread,
            is_runtime: function.starts_with("cuda"),
            function,
            arguments: String::new(),
            number,
            error: [number.to_string(), String::new()],
            reasons: Vec::new(),
            place: 7,
            site: None,
            answer,
        }
    }

    /// Functions and counts of the failures that are left.
    fn left(failures: &mut Failures) -> Vec<(String, u64)> {
        let entries = failures.take(1).into_iter();
        let one = |entry| match entry {
            Entry::Failed(failed) => (failed.function, failed.count),
            other => panic!("{other:?}"),
        };
        entries.map(one).collect()
    }

    #[test]
    fn calls_that_fail_alike_are_one_and_those_that_were_asked_about_are_none() {
        use Unread::{Dropped, Unknown};
        let mut failures = Failures::default();
        for _ in 0..3 {
            failures.failed(call("cudaFree", 1, 1, Dropped));
        }
        failures.failed(call("cudaMemcpy", 1, 1, Unknown));
        failures.failed(call("cudaFree", 1, 2, Dropped));
        let all = [("cudaFree", 3), ("cudaMemcpy", 1), ("cudaFree", 1)];
        assert_eq!(left(&mut failures), all.map(|(name, count)| (name.to_owned(), count)));
        // Another thread's last error is not this one's, and the driver API has none.
        failures.failed(call("cudaFree", 1, 1, Dropped));
        failures.failed(call("cudaFree", 1, 2, Dropped));
        failures.failed(call("cuMemFree_v2", 1, 1, Dropped));
        failures.asked(1);
        let rest = [("cudaFree", 1), ("cuMemFree_v2", 1)];
        assert_eq!(left(&mut failures), rest.map(|(name, count)| (name.to_owned(), count)));
        // What fails after the question is not known.
        failures.asked(1);
        failures.failed(call("cudaFree", 1, 1, Dropped));
        failures.failed(call("cudaLaunchKernel", 9, 1, Dropped));
        failures.asked_about(9);
        assert_eq!(left(&mut failures), [("cudaFree".to_owned(), 1)]);
    }

    #[test]
    fn answers_are_never_told_and_probes_are_where_nobody_looks() {
        use Unread::{Dropped, Unknown};
        let mut failures = Failures::default();
        for number in [600, 700, 704, 719, 801] {
            failures.failed(call("cudaStreamQuery", number, 1, Dropped));
        }
        for (function, number) in
            [("cudaMalloc", 2), ("cuModuleGetFunction", 500), ("cudaPointerGetAttributes", 1)]
        {
            failures.failed(call(function, number, 1, Unknown));
        }
        assert_eq!(left(&mut failures), []);
        failures.failed(call("cudaMalloc", 2, 1, Dropped));
        failures.failed(call("cudaMalloc", 1, 1, Unknown));
        assert_eq!(left(&mut failures).len(), 2);
    }
}
