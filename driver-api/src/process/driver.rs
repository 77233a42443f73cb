//! The driver of the process: it is made at the first `cuInit`, entered by each call, and finished
//! at the end of the process.

use std::cell::RefCell;
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpsim_driver_core::{
    Answer, Call, Caller, CudaError, Driver, HostCall, Options, Unsupported, VARIABLE,
};

use super::host::Process;
use super::system_calls::tell;
use crate::pointers::{data, host_function};
use crate::records::{self, Records};

/// How many calls threads of the process are in.
pub(super) static CALLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CALLER: RefCell<Caller> = RefCell::default();
}

/// The driver of the process; `None` where what it was asked for cannot be read.
static DRIVER: OnceLock<Option<(Driver, u32)>> = OnceLock::new();

/// What was asked for, in the environment.
fn asked() -> Option<Options> {
    match std::env::var(VARIABLE) {
        Err(std::env::VarError::NotPresent) => Some(Options::default()),
        Err(error) => {
            tell(&format!("warpsim: {VARIABLE}: {error}"));
            None
        }
        Ok(text) => match Options::read(&text) {
            Ok(options) => Some(options),
            Err(error) => {
                tell(&format!("warpsim: {VARIABLE}: {error}"));
                None
            }
        },
    }
}

fn opened() -> Option<(Driver, u32)> {
    let options = asked()?;
    let records = records::open_log(&options).and_then(|()| Records::open(&options));
    let records = match records {
        Ok(records) => records,
        Err(what) => {
            tell(&format!("warpsim: {what}"));
            return None;
        }
    };
    // SAFETY: a function without arguments that does not unwind.
    unsafe { libc::atexit(at_exit) };
    Some((Driver::new(options, Box::new(Process { records })), std::process::id()))
}

/// The driver of this process. A child that was forked off has none: what threads of its parent
/// held is held for ever.
fn driver() -> Answer<&'static Driver> {
    match DRIVER.get() {
        Some(Some((driver, process))) if *process == std::process::id() => Ok(driver),
        Some(_) | None => Err(CudaError::NotInitialized),
    }
}

/// The driver of this process, where it checks launches.
pub(crate) fn checked() -> Option<&'static Driver> {
    driver().ok().filter(|driver| driver.is_checked())
}

/// The process ends.
extern "C" fn at_exit() {
    let finished = catch_unwind(|| {
        if let Ok(driver) = driver() {
            driver.finish(CALLS.load(Ordering::Relaxed) > 0);
        }
    });
    if finished.is_err() {
        tell("this is a bug in warpsim: a panic at the end of the process");
    }
}

/// `cuInit`.
pub(crate) fn initialise(flags: u32) -> Answer<()> {
    match DRIVER.get_or_init(opened) {
        Some((driver, process)) if *process == std::process::id() => driver.initialise(flags),
        Some(_) => Err(CudaError::NotInitialized),
        None => Err(CudaError::InvalidValue),
    }
}

/// Something that is not supported was asked for.
pub(crate) fn unsupported(what: &str) -> Answer<()> {
    lacks(what, Unsupported::Call)
}

/// The same, for a missing feature without which something does not run.
pub(crate) fn cannot_run(what: &str) -> Answer<()> {
    lacks(what, Unsupported::Launches)
}

fn lacks(what: &str, kind: Unsupported) -> Answer<()> {
    match driver() {
        Ok(driver) => driver.tell_unsupported(what, kind),
        Err(_) => tell(&format!("warpsim does not support {what}")),
    }
    Err(CudaError::NotSupported)
}

/// Something that is not supported was asked for, whose answer is another error.
pub(crate) fn named_once(what: &str) {
    // This reports the missing support. The caller gives the answer.
    let _ = unsupported(what);
}

/// Calls the core.
pub(crate) fn with<T>(body: impl FnOnce(&mut Call<'_>) -> Answer<T>) -> Answer<T> {
    let mut body = Some(body);
    let mut answer = None;
    // Some hundred functions call this: what each of them is compiled for is kept small.
    once(&mut |call| answer = body.take().map(|body| body(call)))?;
    answer.unwrap_or(Err(CudaError::Unknown))
}

/// The same of a body that is called once, or not at all where there is an error.
fn once(body: &mut dyn FnMut(&mut Call<'_>)) -> Answer<()> {
    let driver = driver()?;
    let mut entered = |caller: &mut Caller| {
        let mut call = driver.enter(caller)?;
        body(&mut call);
        Ok(call.take_destroyed())
    };
    let called = CALLER.try_with(|caller| {
        // It is taken where a panic has left it so, or a signal's handler calls.
        let mut caller = caller.try_borrow_mut().map_err(|_| CudaError::NotPermitted)?;
        entered(&mut caller)
    });
    // The thread is at its end, and has no thread-local data.
    let destroyed = called.unwrap_or_else(|_| entered(&mut Caller::default()));
    destroyed?.into_iter().for_each(destroy);
    Ok(())
}

/// Why the call that this thread has made failed.
pub(super) fn take_reasons() -> Vec<String> {
    let taken = CALLER.try_with(|caller| Some(caller.try_borrow_mut().ok()?.take_reasons()));
    // The thread is at its end, or in a call around this one.
    taken.ok().flatten().unwrap_or_default()
}

/// Calls the function of an object without references. The driver is not held, and the function
/// calls nothing of it.
fn destroy(HostCall { function, data: with }: HostCall) {
    if let Some(function) = host_function(function) {
        function(data(with as usize));
    }
}
