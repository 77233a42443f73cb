//! The C functions of the CUDA runtime API, over the same core (CUDA runtime API reference, version 12): `libcudart.so.12`.
//!
//! A program that is compiled with `<<<>>>` registers its fat binaries before `main`; they are loaded when a kernel or a variable of them is first used. Each thread uses the primary context
//! of the device, which is made at its first call. The numbers of errors are those of the driver API; a thread's last
//! error is kept to be asked for. What is not implemented is a symbol that is not there: the program's loader says so.
//!
//! Deviation: a module's managed variables (`__managed__`) are not supported.

mod devices;
mod errors;
mod launches;
mod memory;
mod properties;
mod registered;
mod streams;

use std::cell::Cell;
use std::sync::OnceLock;

use warpsim_driver_core::{Answer, Call, CudaError};

use crate::process::{self, initialise};

/// A function of the runtime, whose error is the thread's last one.
macro_rules! runtime {
    ($($name:ident $(/ $thread:ident)? |$default:ident| $arguments:tt $body:block)*) => {
        $(
            $crate::functions::function!(
                $crate::runtime::entered, $name,
                $default = warpsim_driver_core::DefaultStream::Legacy, $arguments, $body);
            $($crate::functions::function!(
                $crate::runtime::entered, $thread,
                $default = warpsim_driver_core::DefaultStream::PerThread, $arguments, $body);)?
        )*

        /// The symbols of this file.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),
                $((stringify!($thread), $thread as *const () as usize),)?)*]
        }
    };
}

use runtime;

thread_local! {
    /// What the thread's last call that failed came to.
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// All symbols with their addresses.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, usize)> {
    [
        devices::table(),
        errors::table(),
        errors::answers(),
        launches::table(),
        memory::table(),
        registered::table(),
        streams::table(),
        vec![(
            "__cudaRegisterFatBinary",
            registered::__cudaRegisterFatBinary as *const () as usize,
        )],
    ]
    .into_iter()
    .flatten()
}

/// `cudaErrorNotReady`, which is an answer and no error.
const NOT_READY: u32 = 600;

/// A call from C, as [`process::entered`]; an error of it is the thread's last one from then on.
fn entered(
    name: &'static str,
    arguments: impl FnOnce() -> Vec<(&'static str, String)>,
    body: impl FnOnce() -> Answer<()>,
) -> u32 {
    let result = process::entered(name, arguments, body);
    if result != 0 && result != NOT_READY {
        LAST.set(result);
    }
    result
}

/// Calls the core with the primary context, or with the one that the thread made current by the driver API.
fn with<T>(body: impl FnOnce(&mut Call<'_>) -> Answer<T>) -> Answer<T> {
    static RETAINED: OnceLock<Answer<u64>> = OnceLock::new();
    let retain = || {
        initialise(0)?;
        process::with(|call| Ok(call.retain_primary()))
    };
    let primary = (*RETAINED.get_or_init(retain))?;
    process::with(|call| {
        if call.current_context().is_none() {
            call.push_context(primary)?;
        }
        body(call)
    })
}

/// What the API's own functions for devices say of any but the first.
fn only_device(ordinal: i32) -> Answer<()> {
    if ordinal == 0 { Ok(()) } else { Err(CudaError::InvalidDevice) }
}
