//! The place in the program that made a call. It is the frame behind the function of the API, with
//! its line if the program has lines (compiled with `-g`).
//!
//! Taking the stack costs some microseconds; names and lines are looked up on demand. A stack that
//! was taken before is used again. It is recognised by its return addresses. So places can be kept
//! for any number of things. A frame of an interpreter says nothing about its program. For CPython,
//! its own stack is taken, too, and the innermost frame outside libraries counts. Otherwise such a
//! frame is left out.

use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use warpsim_driver_core::{Site, readable};

use crate::process::{code, of_program, python_stack, return_addresses};
use crate::returned::{Returned, looked_at};

/// The stack of a call, and the Python stack if the call is in a Python.
#[derive(Debug)]
pub(crate) struct Stack {
    native: Backtrace,
    python: Option<String>,
    text: OnceLock<Option<String>>,
    /// The return addresses of the program's active functions.
    returns: Vec<usize>,
    returned: OnceLock<Returned>,
}

/// The stacks that were taken, by return addresses and Python stack.
type Known = HashMap<(Vec<usize>, Option<String>), Arc<Stack>>;

/// A stack that others may have, too.
#[derive(Clone, Debug)]
pub(crate) struct Shared(Arc<Stack>);

impl Stack {
    pub(crate) fn now() -> Shared {
        static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
        let python = python_stack();
        let returns = return_addresses();
        let key = (returns.clone(), python.clone());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = || {
            let native = Backtrace::force_capture();
            let (text, returned) = (OnceLock::new(), OnceLock::new());
            Arc::new(Stack { native, python, text, returns: of_program(returns), returned })
        };
        Shared(Arc::clone(known.entry(key).or_insert_with(taken)))
    }
}

impl Shared {
    /// A number that no other stack has.
    pub(crate) fn number(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether the program looks at what the call returns.
    pub(crate) fn returned(&self) -> Returned {
        *self.0.returned.get_or_init(|| looked_at(&self.0.returns, &mut code))
    }
}

impl Site for Shared {
    fn text(&self) -> Option<String> {
        let stack = &*self.0;
        let of_python = || stack.python.as_deref().and_then(of_python);
        stack.text.get_or_init(|| of_python().or_else(|| caller(&stack.native.to_string()))).clone()
    }
}

/// The innermost frame of a program in Python, without its libraries: `<module> at reduce.py:31`.
fn of_python(stack: &str) -> Option<String> {
    const LIBRARIES: [&str; 3] = ["/site-packages/", "/dist-packages/", "/lib/python3"];
    let frames = stack.lines().filter_map(|line| {
        let (file, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
        let (line, function) = rest.split_once(" in ")?;
        Some((file, line, function))
    });
    let mut own = frames.filter(|(file, _, _)| {
        !file.starts_with('<') && !LIBRARIES.iter().any(|library| file.contains(library))
    });
    own.next().map(|(file, line, function)| format!("{function} at {file}:{line}"))
}

/// The frame behind the function of the API and what headers put before it: `main at sum.cu:31`.
///
/// The API's function has no frame where the compiler made its last call a jump. Then the first
/// frame behind ours counts.
fn caller(stack: &str) -> Option<String> {
    let frames = frames(stack);
    let mut is_inside = false;
    let mut called = frames.iter().skip_while(|(name, _)| {
        is_inside |= is_ours(name);
        let is_behind = is_inside && !is_ours(name) && !is_of_rust(name);
        !is_of_api(name) && !is_behind
    });
    let (name, place) = called.find(|(name, _)| !is_of_api(name) && !is_wrapper(name))?;
    let is_program = !["ffi_", "_Py", "Py", "<unknown>"].iter().any(|of| name.starts_with(of));
    let function = readable(name);
    let text = match place {
        Some(place) => format!("{function} at {place}"),
        None => function.into_owned(),
    };
    is_program.then_some(text)
}

/// A function of the driver, which has no C name.
fn is_ours(name: &str) -> bool {
    name.contains("warpsim_driver")
}

/// A function of a crate that makes calls of the API for its users.
fn is_wrapper(name: &str) -> bool {
    name.trim_start_matches('<').starts_with("cudarc::")
}

/// A function of Rust's library, which the driver calls and which calls the driver.
fn is_of_rust(name: &str) -> bool {
    ["std::", "core::", "alloc::", "<", "__rust"].iter().any(|of| name.starts_with(of))
}

/// A function of the API, or what compilers and CUDA's headers put before one.
fn is_of_api(name: &str) -> bool {
    // A closure of a function here:
    // `warpsim_driver::runtime::launches::cudaLaunchKernel::{{closure}}`.
    if name.starts_with("warpsim_driver::") {
        return false;
    }
    // Headers have templates of the API's names: `cudaMallocAsync<int>`.
    let name = &*readable(name);
    let begins = |with: &str| {
        let rest = name.strip_prefix(with);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let of_headers = ["__device_stub__", "cudaLaunchKernel", "cudaLaunchCooperativeKernel"];
    begins("cu")
        || begins("cublas")
        || begins("cuda")
        || begins("__cuda")
        || of_headers.iter().any(|of| name.contains(of))
}

/// The frames of a stack, the innermost first: a name, and `file:line` where it is known.
fn frames(stack: &str) -> Vec<(String, Option<String>)> {
    let mut frames: Vec<(String, Option<String>)> = Vec::new();
    for line in stack.lines() {
        let line = line.trim();
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(last) = frames.last_mut() {
                last.1 = Some(without_column(place).to_owned());
            }
        } else if let Some((number, name)) = line.split_once(": ")
            && number.bytes().all(|digit| digit.is_ascii_digit())
        {
            frames.push((name.to_owned(), None));
        }
    }
    frames
}

/// `sum.cu:31:5` without the 5.
fn without_column(place: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match place.rsplit_once(':') {
        Some((rest, column)) if is_number(column) => match rest.rsplit_once(':') {
            Some((_, line)) if is_number(line) => rest,
            Some(_) | None => place,
        },
        Some(_) | None => place,
    }
}

#[cfg(test)]
mod tests {
    use super::{caller, of_python};

    #[test]
    fn the_innermost_frame_of_python_that_is_not_of_a_library_counts() {
        let stack = "Stack (most recent call first):\n\
            \x20 File \"/v/lib/python3.11/site-packages/numba_cuda/numba/cuda/dispatcher.py\", line 440 in launch\n\
            \x20 File \"<frozen importlib._bootstrap>\", line 241 in _call\n\
            \x20 File \"/home/someone/reduce.py\", line 31 in total sums\n\
            \x20 File \"/home/someone/reduce.py\", line 40 in <module>\n";
        let wanted = "total sums at /home/someone/reduce.py:31";
        assert_eq!(of_python(stack).as_deref(), Some(wanted));
        assert_eq!(of_python("Stack (most recent call first):\n  <no Python frame>\n"), None);
        assert_eq!(crate::process::python_stack(), None, "no Python calls here");
    }

    #[test]
    fn the_caller_is_the_frame_behind_the_api_and_what_headers_put_before_it() {
        let stack = "   0: std::backtrace::Backtrace::create\n   1: warpsim_driver::site::Stack::now\n\
                     \x20  2: cudaLaunchKernel\n   3: _Z18__device_stub__addPKfS0_Pfi\n             at ./add.cu:3:1\n\
                     \x20  4: _ZN4host3runEi\n             at /home/someone/add.cu:31:5\n   5: main\n";
        assert_eq!(caller(stack).as_deref(), Some("host::run at /home/someone/add.cu:31"));
        let without_lines = "   0: cuLaunchKernel\n   1: main\n";
        assert_eq!(caller(without_lines).as_deref(), Some("main"));
        let within = "   0: warpsim_driver::runtime::launches::cudaLaunchKernel::{{closure}}\n   1: core::ops::function::FnOnce::call_once\n\
                      \x20  2: warpsim_driver::process::answered\n   3: cudaLaunchKernel\n   4: main\n";
        assert_eq!(caller(within).as_deref(), Some("main"));
        // A compiler made a jump of the call in `cublasSgemm`.
        let jumped = "   0: std::backtrace::Backtrace::create\n   1: warpsim_driver::site::Stack::now\n\
                      \x20  2: core::ops::function::FnOnce::call_once\n   3: <warpsim_driver::blas::Product>::issue\n\
                      \x20  4: _ZL7streamsP13cublasContext\n             at ./blas.cu:356:5\n   5: main\n";
        assert!(caller(jumped).is_some_and(|at| at.ends_with("at ./blas.cu:356")));
        let wrapped = "   0: cuLaunchKernel\n   1: cudarc::driver::sys::cuLaunchKernel\n\
                       \x20  2: <cudarc::driver::safe::launch::LaunchArgs>::launch\n   3: app::run\n\
                       \x20            at ./src/main.rs:12:5\n";
        assert_eq!(caller(wrapped).as_deref(), Some("app::run at ./src/main.rs:12"));
        // A function of the program may be called as if it were of the API.
        let template = "   0: cudaMalloc\n   1: _Z10cudaMallocIiE9cudaErrorPPT_m\n   2: _Z3runv\n   3: _Z6cudaGov\n";
        assert_eq!(caller(template).as_deref(), Some("run"));
        let interpreted = "   0: cuLaunchKernel\n   1: ffi_call_unix64\n   2: main\n";
        assert_eq!(caller(interpreted), None);
        assert_eq!(caller("   0: main\n"), None);
    }
}
