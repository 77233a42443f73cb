//! Functions of the program that a stream calls (CUDA driver API, `cuLaunchHostFunc`, `cuStreamAddCallback`).
//!
//! They run one after the other on a thread of their own, as with a driver. What was issued before has happened by then;
//! what is issued later waits for them, whatever its stream, and so does a host that waits. A function that waits for
//! something that the program does only after it has issued more work never returns. An event that is recorded behind them
//! is no such work: it is done when they have returned, and the host may ask for that.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;

use warpsim_driver_core::{Answer, CudaError, Handle, HostCall};

use crate::pointers::host_function;
use crate::process::with;

/// `CUhostFn`.
pub(crate) type HostFunction = Option<extern "C" fn(*mut c_void)>;

/// `CUstreamCallback`.
pub(crate) type StreamCallback = Option<extern "C" fn(Handle, u32, *mut c_void)>;

/// A function with what it is called with. Addresses are numbers here, because they go to another thread.
#[derive(Clone, Copy)]
pub(crate) enum Callback {
    Host(extern "C" fn(*mut c_void), usize),
    Stream(extern "C" fn(Handle, u32, *mut c_void), Handle, usize),
    /// An event, which is done when what stands before it has returned.
    Event(Handle),
}

struct Queue {
    /// What has not returned, the first of which runs, each with the number of its stream.
    waiting: Mutex<VecDeque<(u64, Callback)>>,
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
            // One that was destroyed since is no more to be told of.
            Callback::Event(event) => {
                // Where there is no driver any more there is no event.
                let _ = with(|call| {
                    call.passed(event);
                    Ok(())
                });
            }
        }
    }
}

impl Queue {
    fn run(&self) {
        let mut state = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match state.front().copied() {
                Some((_, callback)) => {
                    drop(state);
                    callback.call();
                    state = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    state.pop_front();
                    self.changed.notify_all();
                }
                None => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// Calls a function of the stream with this number when its turn comes.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn enqueue(stream: u64, callback: Callback) -> Answer<()> {
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
    state.push_back((stream, callback));
    queue.changed.notify_all();
    Ok(())
}

/// An event was recorded in the stream with this number: it is done when the functions have returned that were issued.
pub(crate) fn recorded(stream: u64, event: Handle) {
    let Some(queue) = QUEUE.get() else { return };
    let mut state = queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
    if !state.is_empty() {
        state.push_back((stream, Callback::Event(event)));
    }
}

/// Whether something of the stream with this number has not returned.
pub(crate) fn is_busy(stream: u64) -> bool {
    waits(|(of, _)| *of == stream)
}

/// Whether an event was recorded behind functions that have not returned.
pub(crate) fn is_behind(event: Handle) -> bool {
    waits(|(_, callback)| is_event(callback, event))
}

fn is_event(callback: &Callback, wanted: Handle) -> bool {
    match callback {
        Callback::Event(event) => *event == wanted,
        Callback::Host(..) | Callback::Stream(..) => false,
    }
}

fn waits(is_one: impl Fn(&(u64, Callback)) -> bool) -> bool {
    let Some(queue) = QUEUE.get() else { return false };
    queue.waiting.lock().unwrap_or_else(PoisonError::into_inner).iter().any(is_one)
}

/// Whether something has not returned.
pub(crate) fn are_pending() -> bool {
    waits(|_| true)
}

/// Waits for the functions that were issued. One of them waits for nothing.
pub(crate) fn settle() {
    settle_those(|_| true);
}

/// Waits for the functions behind which an event was recorded.
pub(crate) fn settle_event(event: Handle) {
    settle_those(|(_, callback)| is_event(callback, event));
}

fn settle_those(is_one: impl Fn(&(u64, Callback)) -> bool) {
    let Some(queue) = QUEUE.get() else { return };
    if is_inside() {
        return;
    }
    let mut state = queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
    while state.iter().any(&is_one) {
        state = queue.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Calls the function of an object that nobody refers to any more. The driver is not held, and the function calls nothing of it.
pub(crate) fn destroy(HostCall { function, data }: HostCall) {
    if let Some(function) = host_function(function) {
        function(self::data(data as usize));
    }
}

/// Whether this is the thread of the functions, which may not call the API.
pub(crate) fn is_inside() -> bool {
    let thread = QUEUE.get().and_then(|queue| queue.thread.get());
    thread == Some(&std::thread::current().id())
}
