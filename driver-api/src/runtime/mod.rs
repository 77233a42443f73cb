//! The C functions of the CUDA runtime API, over the same core (CUDA runtime API reference,
//! versions 12 and 13): `libcudart.so.12` and `libcudart.so.13`.
//!
//! A program compiled with `<<<>>>` registers its fat binaries before `main`. They are loaded when
//! a kernel or a variable of them is first used. Each thread uses the primary context of the
//! device; its first call makes the context. Error numbers are the same as in the driver API. The
//! last error of each thread is kept for a later query. Errors of the runtime alone are in
//! [`errors`].
//!
//! One object is both libraries. A function with one signature in both has one symbol without a
//! version, which the loader takes for any. Functions that differ are in [`versioned`], with a
//! symbol for each version. A program that asks for a symbol by its name alone (`dlsym`) gets the
//! symbol of version 12.

mod absent;
mod advice;
mod arrays;
mod cuboids;
mod devices;
mod entry_points;
mod errors;
mod launches;
mod libraries;
mod memory;
mod mipmaps;
mod pools;
mod properties;
mod properties_13;
mod registered;
mod spans;
mod streams;
mod versioned;

use std::cell::Cell;
use std::sync::OnceLock;

use warpsim_driver_core::{Answer, Call, CudaError, DefaultStream};

use crate::process::Api;
use crate::process::{self, Arguments, initialise};

/// A function of the runtime, whose error is the thread's last one.
macro_rules! runtime {
    ($($name:ident $(/ $thread:ident)? |$default:ident| $arguments:tt $body:block)*) => {
        $(
            $crate::functions::function!(
                $crate::runtime::entered, $name,
                $default = warpsim_driver_core::DefaultStream::Legacy, $arguments, { let () = $body?; Ok(()) });
            $($crate::functions::function!(
                $crate::runtime::entered, $thread,
                $default = warpsim_driver_core::DefaultStream::PerThread, $arguments, { let () = $body?; Ok(()) });)?
        )*

        /// The symbols of this file.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),
                $((stringify!($thread), $thread as *const () as usize),)?)*]
        }
    };
}

/// A function that gives something else than an error.
macro_rules! answers {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $answer:ty $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name($($argument: $ty),*) -> $answer $body
        )*

        /// The symbols of this file that give no error.
        pub(super) fn answers() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

pub(crate) use cuboids::RuntimeCopy3D;
pub(crate) use errors::RuntimeError;
pub(crate) use launches::Extent;
pub(crate) use memory::{inside, spots};
pub(crate) use registered::{host_of, kernel};
use {answers, runtime};

/// What a function ends in that has nothing to do.
const DONE: Answer<()> = Ok(());

thread_local! {
    /// The error of the thread's last call that failed.
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// All symbols with their addresses.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, usize)> {
    [
        absent::table(),
        advice::table(),
        arrays::table(),
        devices::table(),
        errors::table(),
        errors::answers(),
        entry_points::table(),
        launches::table(),
        launches::answers(),
        libraries::table(),
        memory::table(),
        mipmaps::table(),
        pools::table(),
        registered::table(),
        spans::table(),
        streams::table(),
        versioned::table(),
        registered::answers(),
    ]
    .into_iter()
    .flatten()
}

/// `cudaErrorNotReady`, which is an answer and no error.
const NOT_READY: u32 = 600;

/// A call from C, as [`process::answered`]; an error of it is the thread's last one from then on.
pub(crate) fn entered(
    name: &'static str,
    arguments: Arguments<'_>,
    body: &mut dyn FnMut() -> Result<(), RuntimeError>,
) -> u32 {
    let result = process::answered(Api::Runtime, name, arguments, body);
    if result != 0 && result != NOT_READY {
        LAST.set(result);
    }
    result
}

/// Calls the core with the primary context, or with the one that the thread made current by the
/// driver API.
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
        Ok(())
    })?;
    registered::ready_managed();
    process::with(body)
}

/// Sees to it that the thread has a context.
pub(crate) fn ready() -> Answer<()> {
    with(|_| Ok(()))
}

/// The same before a function that works in a stream.
pub(crate) fn in_stream(default: DefaultStream) -> Answer<DefaultStream> {
    ready().map(|()| default)
}

/// What the API's own functions for devices say of any but the first.
fn only_device(ordinal: i32) -> Answer<()> {
    if ordinal == 0 { Ok(()) } else { Err(CudaError::InvalidDevice) }
}
