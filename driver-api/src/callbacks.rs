//! Functions of the program that a stream calls (CUDA driver API, `cuLaunchHostFunc`,
//! `cuStreamAddCallback`).
//!
//! They run one after the other on their own thread, as with a driver. Work issued before has
//! happened by then. Work issued later waits for them, whatever its stream, and so does a host that
//! waits. A function never returns if it waits for something that the program does only after it
//! has issued more work. An event recorded behind the functions is no such work. It is done when
//! they have returned, and the host may ask for that.
//!
//! A function that ends its thread (`pthread_exit`) has returned by that, and the next one runs on
//! another thread. A function that throws an exception without catching it ends the process, as
//! with a driver. A jump out of a function to another thread's stack is undefined in C.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{Answer, CudaError, Handle};

use crate::pointers::data;
use crate::process::{tell, with};
use crate::system::start_thread;

/// A function with what it is called with. Addresses are numbers here, because they go to another
/// thread.
#[derive(Clone, Copy)]
pub(crate) enum Callback {
    Host(extern "C-unwind" fn(*mut c_void), usize),
    Stream(extern "C-unwind" fn(Handle, u32, *mut c_void), Handle, usize),
    /// An event, which is done when everything before it has returned.
    Event(Handle),
}

/// The callbacks that have not returned, each with the number of its stream. The first one runs.
/// `has_thread` says whether there is a thread for them.
struct Queue {
    waiting: VecDeque<(u64, Callback)>,
    has_thread: bool,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { waiting: VecDeque::new(), has_thread: false });

/// The queue has changed.
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Whether this is the thread of the functions.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Callback {
    fn call(self) {
        match self {
            Callback::Host(function, address) => function(data(address)),
            Callback::Stream(function, stream, address) => function(stream, 0, data(address)),
            // An event that was destroyed since is no longer reported.
            Callback::Event(event) => {
                // Without a driver there is no event.
                let _ = with(|call| {
                    call.passed(event);
                    Ok(())
                });
            }
        }
    }
}

/// Runs one function after the other. A function may end the thread: while one runs there is
/// nothing here to be dropped.
fn run() -> ! {
    IS_INSIDE.set(true);
    loop {
        let (_, callback) = next();
        callback.call();
        returned();
    }
}

/// The next one, which stays the first of the queue while it runs.
fn next() -> (u64, Callback) {
    let mut queue = queue();
    loop {
        match queue.waiting.front() {
            Some(first) => return *first,
            None => queue = CHANGED.wait(queue).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

fn returned() {
    queue().waiting.pop_front();
    CHANGED.notify_all();
}

/// The function that runs has ended the thread.
fn left() {
    returned();
    let mut queue = queue();
    if let Err(error) = start_thread(run, left) {
        let lost = queue.waiting.len();
        tell(&format!(
            "warpsim: a function of the program has ended its thread, and no new thread starts: \
             {error}; {lost} more functions are not called"
        ));
        queue.waiting.clear();
        queue.has_thread = false;
        CHANGED.notify_all();
    }
}

/// Calls a function of the stream with this number when its turn comes.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn enqueue(stream: u64, callback: Callback) -> Answer<()> {
    let mut queue = queue();
    if !queue.has_thread {
        start_thread(run, left).map_err(|_| CudaError::OperatingSystem)?;
        queue.has_thread = true;
    }
    queue.waiting.push_back((stream, callback));
    CHANGED.notify_all();
    Ok(())
}

/// An event was recorded in the stream with this number: it is done when the functions have
/// returned that were issued.
pub(crate) fn recorded(stream: u64, event: Handle) {
    let mut queue = queue();
    if !queue.waiting.is_empty() {
        queue.waiting.push_back((stream, Callback::Event(event)));
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
    queue().waiting.iter().any(is_one)
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
    if is_inside() {
        return;
    }
    let mut queue = queue();
    while queue.waiting.iter().any(&is_one) {
        queue = CHANGED.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Whether this is the thread of the functions, which may not call the API.
pub(crate) fn is_inside() -> bool {
    // A thread at its end has no thread-local data, and calls nothing.
    IS_INSIDE.try_with(Cell::get).unwrap_or(false)
}
