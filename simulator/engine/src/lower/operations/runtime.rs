//! Functions that PTX calls but does not define: CUDA's toolchain provides them (CUDA C++
//! Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory Allocation and
//! Operations").
//!
//! A module declares them `.extern .func`, and their names identify them. A module that defines a
//! function of such a name calls its own.

use crate::lower::operations::operand::Home;

/// A call of a function of the toolchain.
#[derive(Clone, Debug)]
pub struct RuntimeCall {
    /// The function.
    pub function: RuntimeFunction,
    /// The caller's arguments.
    pub arguments: Vec<Home>,
    /// The caller's places for the results.
    pub results: Vec<Home>,
}

/// A function of the toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuntimeFunction {
    /// `vprintf`: prints a format with arguments.
    Print,
    /// `malloc`: allocates memory of the device's heap.
    Allocate,
    /// `free`: frees it.
    Free,
    /// `__assertfail`: an `assert` failed. It does not return.
    AssertionFailed,
}

impl RuntimeFunction {
    /// The function of this name.
    pub(in crate::lower) fn named(name: &str) -> Option<RuntimeFunction> {
        match name {
            "vprintf" => Some(RuntimeFunction::Print),
            "malloc" => Some(RuntimeFunction::Allocate),
            "free" => Some(RuntimeFunction::Free),
            "__assertfail" => Some(RuntimeFunction::AssertionFailed),
            _ => None,
        }
    }

    /// The number of arguments that it reads, and whether it has a result.
    pub(in crate::lower) fn takes(self) -> (usize, bool) {
        match self {
            RuntimeFunction::Print => (2, true),
            RuntimeFunction::Allocate => (1, true),
            RuntimeFunction::Free => (1, false),
            // Whatever its arguments are.
            RuntimeFunction::AssertionFailed => (0, false),
        }
    }
}

/// The functions by which a kernel asks for launches, as `ptx::link` provides them.
const LAUNCHES: [&str; 6] = [
    "cudaGetParameterBuffer",
    "cudaGetParameterBufferV2",
    "cudaLaunchDevice",
    "cudaLaunchDeviceV2",
    "__cudaCDP2GetParameterBufferV2",
    "__cudaCDP2LaunchDeviceV2",
];

/// Why a kernel's call for launches is refused if nothing carries them out; `None` for other calls.
pub(in crate::lower) fn refused_launch(name: &str) -> Option<&'static str> {
    let reason = "`warpsim exec` alone carries out what kernels launch (dynamic parallelism)";
    LAUNCHES.contains(&name).then_some(reason)
}

/// Why a function of the toolchain is missing; `None` for other functions.
pub(in crate::lower) fn refused(name: &str) -> Option<&'static str> {
    match name {
        _ if LAUNCHES.contains(&name) => refused_launch(name),
        _ if name.starts_with("cudaCDP") || name.starts_with("__cudaCDP") => {
            Some("the device runtime has it, but warpsim does not")
        }
        "cudaCGGetIntrinsicHandle" | "cudaCGSynchronize" | "cudaCGGetSize" | "cudaCGGetRank" => {
            Some(
                "`ptx::link` adds the functions for one grid; warpsim does not synchronise grids \
                 of several devices",
            )
        }
        _ => None,
    }
}
