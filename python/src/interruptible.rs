//! Work that Ctrl-C and a time limit end.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use pyo3::prelude::*;
use warpsim::host::Meter;

use crate::errors::{Kind, refused};

/// How often Python is asked for signals.
const EACH: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own, without the interpreter's lock, until it ends. When a signal
/// raises an exception, or `limit` is over, the meter ends the work first.
///
/// # Errors
/// The exception of the signal, or the time is over, or the work panicked: a bug.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    meter: &Arc<Meter>,
    limit: Option<Duration>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let begun = Instant::now();
    thread::scope(|scope| {
        let (sender, ended) = crossbeam_channel::bounded(1);
        scope.spawn(move || {
            let result = panic::catch_unwind(AssertUnwindSafe(work));
            // Nobody waits any more where a signal has ended it.
            let _ = sender.send(result);
        });
        loop {
            match py.detach(|| ended.recv_timeout(EACH)) {
                Ok(Ok(result)) => return Ok(result),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(refused(Kind::Internal, "this is a bug in warpsim: a panic"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_over = limit.is_some_and(|limit| begun.elapsed() >= limit);
            let stopped = match py.check_signals() {
                Err(raised) => Some(raised),
                Ok(()) if is_over => {
                    let seconds = begun.elapsed().as_secs_f64();
                    let what = format!("ended after {seconds:.1} s, the time that was given");
                    Some(refused(Kind::Time, what))
                }
                Ok(()) => None,
            };
            if let Some(error) = stopped {
                meter.interrupt();
                py.detach(|| drop(ended.recv()));
                return Err(error);
            }
        }
    })
}
