//! Functions that PTX calls and that no PTX defines: CUDA's toolchain brings them (CUDA C++
//! Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory Allocation and
//! Operations").
//!
//! A module declares them `.extern .func`; which they are is said by their names. A module that
//! defines a function of such a name calls that.

use super::program::Home;

/// A call of a function of the toolchain.
#[derive(Clone, Debug)]
pub struct RuntimeCall {
    /// Which.
    pub function: RuntimeFunction,
    /// Where the caller has the arguments.
    pub arguments: Vec<Home>,
    /// Where the caller wants the results.
    pub results: Vec<Home>,
}

/// A function of the toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuntimeFunction {
    /// `vprintf`: prints a format with arguments.
    Print,
    /// `malloc`: takes memory of the device's heap.
    Allocate,
    /// `free`: gives it back.
    Free,
    /// `__assertfail`: an `assert` failed. It does not return.
    AssertionFailed,
}

impl RuntimeFunction {
    /// The function of this name.
    pub(super) fn named(name: &str) -> Option<RuntimeFunction> {
        match name {
            "vprintf" => Some(RuntimeFunction::Print),
            "malloc" => Some(RuntimeFunction::Allocate),
            "free" => Some(RuntimeFunction::Free),
            "__assertfail" => Some(RuntimeFunction::AssertionFailed),
            _ => None,
        }
    }

    /// How many arguments it looks at, and whether it has a result.
    pub(super) fn takes(self) -> (usize, bool) {
        match self {
            RuntimeFunction::Print => (2, true),
            RuntimeFunction::Allocate => (1, true),
            RuntimeFunction::Free => (1, false),
            // Whatever it is given.
            RuntimeFunction::AssertionFailed => (0, false),
        }
    }
}

/// The functions by which a kernel asks for launches, as `ptx::link` brings them.
const LAUNCHES: [&str; 6] = [
    "cudaGetParameterBuffer",
    "cudaGetParameterBufferV2",
    "cudaLaunchDevice",
    "cudaLaunchDeviceV2",
    "__cudaCDP2GetParameterBufferV2",
    "__cudaCDP2LaunchDeviceV2",
];

/// Why a call by which a kernel asks for launches is refused where nobody carries them out; `None`
/// for other calls.
pub(super) fn refused_launch(name: &str) -> Option<&'static str> {
    let reason = "`warpsim exec` alone carries out what kernels launch (dynamic parallelism)";
    LAUNCHES.contains(&name).then_some(reason)
}

/// Why a function of the toolchain is not there; `None` for one that is no such function.
pub(super) fn refused(name: &str) -> Option<&'static str> {
    match name {
        _ if LAUNCHES.contains(&name) => refused_launch(name),
        _ if name.starts_with("cudaCDP") || name.starts_with("__cudaCDP") => {
            Some("the device runtime has it, and nothing stands for it here")
        }
        "cudaCGGetIntrinsicHandle" | "cudaCGSynchronize" | "cudaCGGetSize" | "cudaCGGetRank" => {
            Some(
                "`ptx::link` brings those of one grid; grids of several devices do not synchronise here",
            )
        }
        _ => None,
    }
}
