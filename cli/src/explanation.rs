//! The meaning of a kind of finding, its usual cause, and the way to mend it.
//!
//! The meaning is the engine's own text. The rest is here, for every kind.

use serde::Serialize;
use warpsim::report::{Code, Severity, UnknownCode};

/// An explanation.
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) meaning: &'static str,
    /// Where it usually comes from.
    pub(crate) cause: &'static str,
    /// How to mend it.
    pub(crate) remedy: &'static str,
}

/// Kinds whose names are less like a word than this are not meant.
const LIKE: f64 = 0.85;

/// What is wrong with a name that no kind of finding has: the kind that may be meant, or all.
pub(crate) fn unknown(error: &UnknownCode) -> String {
    let likeness = |code: &&Code| strsim::jaro_winkler(&error.name, code.name());
    let nearest = Code::ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|code| likeness(code) > LIKE) {
        Some(code) => format!("unknown finding `{}`; did you mean `{code}`?", error.name),
        None => error.to_string(),
    }
}

/// The explanation of a kind that has this name.
pub(crate) fn explanation(name: &str) -> Result<Explanation, UnknownCode> {
    name.parse().map(of)
}

/// The explanations of all kinds.
pub(crate) fn all() -> Vec<Explanation> {
    Code::ALL.iter().copied().map(of).collect()
}

fn of(code: Code) -> Explanation {
    let (cause, remedy) = cause_and_remedy(code);
    Explanation {
        code: code.name(),
        severity: code.severity(),
        meaning: code.text(),
        cause,
        remedy,
    }
}

/// The usual cause and the remedy.
fn cause_and_remedy(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::Race => (
            "A `__syncthreads()` or `__syncwarp()` is missing between a write and another thread's \
             access, or two threads compute one index. Blocks are never ordered within a launch.",
            "Put the barrier between the two lines that the finding names, outside of branches \
             that only some threads take. Between blocks use atomics, a release and acquire pair, \
             or a second launch.",
        ),
        Code::Unordered => (
            "Both accesses are atomic or volatile, but nothing says which comes first, and one of \
             them is a plain flag of a protocol without a fence.",
            "Use `cuda::atomic_ref` with `memory_order_release` for the store and \
             `memory_order_acquire` for the load, or put `__threadfence()` between data and flag.",
        ),
        Code::SameValue => (
            "Many threads set one flag by plain stores of the same value.",
            "Let one thread store it, or use a relaxed atomic store. If it is intended, allow it: \
             `--allow same-value`.",
        ),
        Code::BarrierDivergence => (
            "A barrier is inside a branch or a loop that not all threads of the block take, or a \
             thread returns before it.",
            "Move the barrier out of the branch, and let threads without work skip the work and \
             not the barrier.",
        ),
        Code::Deadlock => (
            "Threads wait at a barrier, or for threads that have ended or that wait for them.",
            "Let every thread that a barrier counts reach it the same number of times.",
        ),
        Code::Livelock => (
            "Threads poll memory that nobody will change: the writer waits for them, the block \
             that writes is not resident, or the value is cached in a register.",
            "Launch no more blocks than fit at once (a cooperative launch), read the flag by \
             `volatile` or an atomic, and let a lane that holds a lock give it back before others \
             of its warp wait.",
        ),
        Code::ScheduleDependent => (
            "The result depends on which thread comes first: a race, an order of atomics, or sums \
             of floating-point numbers in the order of arrival.",
            "Fix the order, or use an operation whose order does not matter.",
        ),
        Code::OutOfBounds => (
            "An index is not compared with the length, a grid is rounded up, or a buffer is \
             smaller than the kernel assumes.",
            "Guard the access by `if (i < n)`, and look at the grid and at the sizes of buffers.",
        ),
        Code::Misaligned => (
            "A pointer is cast to a wider type, as `float4*`, at an address that is not a multiple \
             of its size.",
            "Align the address, or access narrower values.",
        ),
        Code::InvalidFree => (
            "`free` in a kernel gets a pointer that `malloc` in a kernel did not return, or gets \
             it twice.",
            "Give each pointer back once, by the thread that owns it.",
        ),
        Code::Leak => (
            "A kernel calls `malloc` without `free`.",
            "Give the memory back in this kernel or in a later one.",
        ),
        Code::UseAfterFree => (
            "Memory is accessed after `free` of a kernel or of the host.",
            "Free it after the last access: use a barrier, or wait for the end of the stream's \
             work.",
        ),
        Code::Uninitialized => (
            "Memory that `cudaMalloc` or `__shared__` gave, or a register, is read before \
             anything is written to it.",
            "Write it first: a loop over all cells, `cudaMemset`, or a guard that covers the last \
             cells.",
        ),
        Code::ShuffleInactiveLane => (
            "`__shfl_sync` reads from a lane that does not execute it.",
            "Let all lanes of the mask execute the shuffle, before lanes without work leave.",
        ),
        Code::SyncMask => (
            "The mask of a `_sync` operation names lanes that do not execute it, or leaves out \
             one that does.",
            "Compute the mask by `__ballot_sync` before the branch, or let all lanes execute the \
             operation.",
        ),
        Code::SharedOverlap => (
            "Several `extern __shared__` arrays are one memory, and one of them reads what \
             another one wrote.",
            "Cut one array into parts at offsets that do not overlap.",
        ),
        Code::RedundantBarrier => (
            "No access on one side of the barrier conflicts with one on the other side.",
            "Remove it, if that holds for all inputs.",
        ),
        Code::BankConflict => (
            "Lanes of a warp access different words of one bank: often a column of a tile whose \
             width is a multiple of 32.",
            "Pad the row by one element, or change the order of indices.",
        ),
        Code::Trap => (
            "The kernel executed `trap`, or `__trap()`.",
            "Look at the condition that leads there.",
        ),
        Code::Assert => (
            "A condition of `assert` was false.",
            "The finding names the condition, the line and the thread.",
        ),
        Code::StackOverflow => (
            "Functions call each other deeper than the stack of a thread.",
            "Make the recursion a loop, or raise the limit by `cudaDeviceSetLimit`.",
        ),
        Code::Fault => (
            "The kernel did something else that stops a GPU; the finding names it.",
            "Look at the line that the finding names.",
        ),
        Code::Limit => (
            "The launch took more instructions than the limit: a loop without end, or much work.",
            "Use smaller inputs, or a greater `max_steps`.",
        ),
        Code::Incomplete => (
            "Something ended the check before everything was judged.",
            "The finding names the cause; remove it, and run the check again.",
        ),
        Code::ApiError => (
            "A call of CUDA's API failed, and the program did not check its result.",
            "Compare each result with `cudaSuccess`.",
        ),
        Code::Hung => (
            "A launch on a GPU did not end within its time.",
            "Run it on the simulator, which says where threads wait.",
        ),
        Code::Own(_) => ("The user's own analysis looks for it.", "See that analysis."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_finding_is_explained_and_another_name_is_refused() {
        for code in Code::ALL {
            let explained = explanation(code.name()).unwrap();
            assert_eq!(explained.code, code.name());
            assert!(explained.cause.ends_with('.') && explained.remedy.ends_with('.'));
        }
        let of = |name: &str| unknown(&explanation(name).unwrap_err());
        assert_eq!(of("rase"), "unknown finding `rase`; did you mean `race`?");
        assert!(of("out-of-bound").ends_with("did you mean `out-of-bounds`?"));
        assert!(of("mistake").contains("use one of race, "));
        assert!(explanation("rase").unwrap_err().to_string().contains("unknown finding `rase`"));
    }
}
