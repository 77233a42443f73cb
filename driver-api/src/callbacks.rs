//! Functions of the program that a stream calls (CUDA driver API, `cuLaunchHostFunc`, `cuStreamAddCallback`).
//!
//! They run one after the other on a thread of their own, as with a driver. What was issued before has happened by then;
//! what is issued later waits for them, whatever its stream, and so does a host that waits. A function that waits for
//! something that the program does only after it has issued more work never returns.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;

use warpsim_driver_core::{Answer, CudaError, Handle};

/// `CUhostFn`.
pub(crate) type HostFunction = Option<extern "C" fn(*mut c_void)>;

/// `CUstreamCallback`.
pub(crate) type StreamCallback = Option<extern "C" fn(Handle, u32, *mut c_void)>;

/// A function with what it is called with. Addresses are numbers here, because they go to another thread.
pub(crate) enum Callback {
    Host(extern "C" fn(*mut c_void), usize),
    Stream(extern "C" fn(Handle, u32, *mut c_void), Handle, usize),
}

struct Queue {
    waiting: Mutex<(VecDeque<Callback>, bool)>,
    changed: Condvar,
    thread: OnceLock<ThreadId>,
}

static QUEUE: OnceLock<Queue> = OnceLock::new();

fn data(address: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address)
}

impl Callback {
    fn call(self) {
        match self {
            Callback::Host(function, address) => function(data(address)),
            Callback::Stream(function, stream, address) => function(stream, 0, data(address)),
        }
    }
}

impl Queue {
    fn run(&self) {
        let mut state = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match state.0.pop_front() {
                Some(callback) => {
                    state.1 = true;
                    drop(state);
                    callback.call();
                    state = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    state.1 = false;
                    self.changed.notify_all();
                }
                None => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// Calls a function when its turn comes.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn enqueue(callback: Callback) -> Answer<()> {
    let fresh =
        || Queue { waiting: Mutex::default(), changed: Condvar::new(), thread: OnceLock::new() };
    let queue = QUEUE.get_or_init(fresh);
    let mut state = queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
    if queue.thread.get().is_none() {
        let thread = std::thread::Builder::new().name("warpsim callbacks".to_owned());
        let started = thread.spawn(|| {
            if let Some(queue) = QUEUE.get() {
                queue.run();
            }
        });
        let started = started.map_err(|_| CudaError::OperatingSystem)?;
        let _ = queue.thread.set(started.thread().id());
    }
    state.0.push_back(callback);
    queue.changed.notify_all();
    Ok(())
}

/// Waits for the functions that were issued. One of them waits for nothing.
pub(crate) fn settle() {
    let Some(queue) = QUEUE.get() else { return };
    if queue.thread.get() == Some(&std::thread::current().id()) {
        return;
    }
    let mut state = queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
    while state.1 || !state.0.is_empty() {
        state = queue.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Whether this is the thread of the functions, which may not call the API.
pub(crate) fn is_inside() -> bool {
    let thread = QUEUE.get().and_then(|queue| queue.thread.get());
    thread == Some(&std::thread::current().id())
}
