//! Handles and what they remember ("cuBLAS Helper Function Reference").
//!
//! A workspace and modes are kept to be asked for. Logs are not written, and the function for them
//! is not called.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{DefaultStream, Handle};

use super::plain;
use super::status::{Done, Status};
use crate::pointers::Out;
use crate::process::with;

/// The version that we report, which is the header's.
const VERSION: [i32; 3] = [12, 9, 0];

/// What a handle remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub(super) stream: Handle,
    pub(super) pointer_mode: u32,
    atomics_mode: u32,
    math_mode: u32,
    multiprocessors: i32,
    emulation: u32,
}

impl Settings {
    /// The settings of a call with an explicit stream.
    pub(super) fn in_stream(stream: Handle) -> Settings {
        Settings { stream, ..Settings::default() }
    }
}

struct Handles {
    all: BTreeMap<u64, Settings>,
    made: u64,
}

static HANDLES: Mutex<Handles> = Mutex::new(Handles { all: BTreeMap::new(), made: 0 });

fn handles() -> MutexGuard<'static, Handles> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle looks like an address and is none.
const FIRST: u64 = (1 << 46) | (0xb1 << 36);

/// A new handle.
pub(super) fn create() -> Done<u64> {
    crate::runtime::ready()?;
    let mut handles = handles();
    handles.made += 1;
    let handle = FIRST + (handles.made << 4);
    handles.all.insert(handle, Settings::default());
    Ok(handle)
}

/// What a handle remembers.
///
/// # Errors
/// There is no such handle.
pub(super) fn settings(handle: u64) -> Done<Settings> {
    handles().all.get(&handle).copied().ok_or(Status::NotInitialized)
}

fn change(handle: u64, change: impl FnOnce(&mut Settings)) -> Done {
    handles().all.get_mut(&handle).map(change).ok_or(Status::NotInitialized)
}

/// A number of the program's that is one of the first few.
fn among(number: u32, count: u32) -> Done<u32> {
    if number < count { Ok(number) } else { Err(Status::InvalidValue) }
}

/// Gives a value.
pub(super) fn put<T>(to: Out<T>, value: T) -> Done {
    to.put(value).map_err(|_| Status::InvalidValue)
}

/// Forgets a handle.
pub(super) fn remove(handle: u64) -> Done {
    handles().all.remove(&handle).map(|_| ()).ok_or(Status::NotInitialized)
}

/// The version in one number.
pub(super) fn version() -> i32 {
    let [major, minor, patch] = VERSION;
    major * 10_000 + minor * 100 + patch
}

/// A part of the version.
pub(super) fn property(kind: u32, value: Out<i32>) -> Done {
    put(value, *VERSION.get(kind as usize).ok_or(Status::InvalidValue)?)
}

/// The function for messages, which is kept to be asked for.
static LOGGER: AtomicUsize = AtomicUsize::new(0);

/// The status of the API without handles, and its handle.
static LEGACY: Mutex<(u64, u32)> = Mutex::new((0, 0));

fn legacy() -> MutexGuard<'static, (u64, u32)> {
    LEGACY.lock().unwrap_or_else(PoisonError::into_inner)
}

plain! {
    cublasCreate_v2(handle: Out<u64>) {
        if handle.is_null() {
            return Err(Status::InvalidValue);
        }
        put(handle, create()?)
    }
    cublasDestroy_v2(handle: u64) {
        remove(handle)
    }
    cublasGetVersion_v2(handle: u64, version: Out<i32>) {
        let _ = handle;
        put(version, self::version())
    }
    cublasGetProperty(kind: u32, value: Out<i32>) {
        property(kind, value)
    }
    cublasSetWorkspace_v2(handle: u64, workspace: u64, bytes: usize) {
        let _ = bytes;
        settings(handle)?;
        match workspace % 256 {
            0 => Ok(()),
            1.. => Err(Status::InvalidValue),
        }
    }
    cublasSetStream_v2(handle: u64, stream: Handle) {
        settings(handle)?;
        with(|call| call.stream(stream, DefaultStream::Legacy)).map_err(|_| Status::InvalidValue)?;
        change(handle, |settings| settings.stream = stream)
    }
    cublasGetStream_v2(handle: u64, stream: Out<Handle>) {
        put(stream, settings(handle)?.stream)
    }
    cublasGetPointerMode_v2(handle: u64, mode: Out<u32>) {
        put(mode, settings(handle)?.pointer_mode)
    }
    cublasSetPointerMode_v2(handle: u64, mode: u32) {
        settings(handle)?;
        let mode = among(mode, 2)?;
        change(handle, |settings| settings.pointer_mode = mode)
    }
    cublasGetAtomicsMode(handle: u64, mode: Out<u32>) {
        put(mode, settings(handle)?.atomics_mode)
    }
    cublasSetAtomicsMode(handle: u64, mode: u32) {
        settings(handle)?;
        let mode = among(mode, 2)?;
        change(handle, |settings| settings.atomics_mode = mode)
    }
    cublasGetMathMode(handle: u64, mode: Out<u32>) {
        put(mode, settings(handle)?.math_mode)
    }
    cublasSetMathMode(handle: u64, mode: u32) {
        settings(handle)?;
        // The flag that forbids narrower sums may be combined with any of the modes.
        among(mode & !16, 5)?;
        change(handle, |settings| settings.math_mode = mode)
    }
    cublasGetSmCountTarget(handle: u64, count: Out<i32>) {
        put(count, settings(handle)?.multiprocessors)
    }
    cublasSetSmCountTarget(handle: u64, count: i32) {
        settings(handle)?;
        match count {
            0.. => change(handle, |settings| settings.multiprocessors = count),
            ..0 => Err(Status::InvalidValue),
        }
    }
    cublasGetEmulationStrategy(handle: u64, strategy: Out<u32>) {
        put(strategy, settings(handle)?.emulation)
    }
    cublasSetEmulationStrategy(handle: u64, strategy: u32) {
        settings(handle)?;
        let strategy = among(strategy, 3)?;
        change(handle, |settings| settings.emulation = strategy)
    }
    cublasLoggerConfigure(is_on: i32, to_output: i32, to_error: i32, file: *const c_char) {
        let _ = (is_on, to_output, to_error, file);
        Ok(())
    }
    cublasSetLoggerCallback(function: *const c_void) {
        LOGGER.store(function.expose_provenance(), Ordering::Relaxed);
        Ok(())
    }
    cublasGetLoggerCallback(function: Out<usize>) {
        put(function, LOGGER.load(Ordering::Relaxed))
    }
    cublasInit() {
        let handle = create()?;
        *legacy() = (handle, 0);
        Ok(())
    }
    cublasShutdown() {
        let (handle, _) = std::mem::take(&mut *legacy());
        remove(handle)
    }
    cublasSetKernelStream(stream: Handle) {
        let (handle, _) = *legacy();
        change(handle, |settings| settings.stream = stream)
    }
}

macro_rules! answers {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $answer:ty $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name($($argument: $ty),*) -> $answer $body
        )*

        /// The symbols of this file that give no status.
        pub(super) fn answers() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

answers! {
    cublasGetCudartVersion() -> usize {
        12_090
    }
    cublasGetStatusName(status: u32) -> *const c_char {
        Status::of(status).map_or(c"CUBLAS_STATUS_UNKNOWN", Status::text).as_ptr()
    }
    cublasGetStatusString(status: u32) -> *const c_char {
        Status::of(status).map_or(c"unknown status", Status::meaning).as_ptr()
    }
    cublasXerbla(name: *const c_char, info: i32) -> () {
        let _ = (name, info);
    }
    // What the functions of `cublas.h` call, which are written in the header.
    cublasLegacyHandle() -> u64 {
        legacy().0
    }
    cublasLegacyStatus(status: u32) -> u32 {
        let mut legacy = legacy();
        if status != 0 {
            legacy.1 = status;
        }
        status
    }
    cublasGetError() -> u32 {
        std::mem::take(&mut legacy().1)
    }
}
