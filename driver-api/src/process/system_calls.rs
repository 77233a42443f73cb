//! The services that the process takes from its C library and from the system: messages, mapped
//! files, texts that stay.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use warpsim_driver_core::{Answer, CudaError, Moment};

unsafe extern "C" {
    /// The C library's standard output.
    pub(crate) static stdout: *mut libc::FILE;
}

/// A message to the person.
pub(crate) fn tell(message: &str) {
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// The number of this thread among the calling threads of the process, from 1.
pub(crate) fn thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: Cell<u64> = const { Cell::new(0) };
    }
    let number = NUMBER.get();
    if number != 0 {
        return number;
    }
    let number = THREADS.fetch_add(1, Ordering::Relaxed);
    NUMBER.set(number);
    number
}

/// This moment, by the clock that all processes share.
pub(crate) fn now() -> Moment {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a structure of ours, for the length of the call; where it fails it is as it was.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let nanoseconds = time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs();
    Moment { thread: thread(), nanoseconds }
}

/// The next line of the program's standard input, without its line feed; `None` at the end. It is
/// read byte by byte, so that the program finds all that comes after it.
pub(crate) fn input_line() -> Option<String> {
    let mut line = Vec::new();
    loop {
        let mut byte = 0u8;
        // SAFETY: one byte of ours, for the length of the call.
        let read = unsafe { libc::read(0, (&raw mut byte).cast(), 1) };
        match (read, byte) {
            (1, b'\n') => break,
            (1, byte) => line.push(byte),
            _ if read < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            _ if line.is_empty() => return None,
            _ => break,
        }
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

/// Ends the process as a person does who stops it.
pub(crate) fn end_process() {
    // SAFETY: a signal for the process itself; a program that catches it ends as it wants to.
    unsafe { libc::raise(libc::SIGTERM) };
}

/// The words of a file, which other processes have, too.
///
/// # Errors
/// The system does not map it.
pub(crate) fn shared_words(file: &File, words: usize) -> io::Result<&'static [AtomicU64]> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let (bytes, descriptor) = (words * size_of::<AtomicU64>(), file.as_raw_fd());
    // SAFETY: fresh memory at an address that the system chooses; nothing that is mapped is
    // replaced.
    let mapped = unsafe {
        libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, descriptor, 0)
    };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: this many bytes were mapped just now, at the beginning of a page, and are never
    // unmapped; any bits are a value of an atomic word, and all who have the file change it by
    // atomic words alone.
    Ok(unsafe { std::slice::from_raw_parts(mapped.cast::<AtomicU64>(), words) })
}

/// A text that C keeps as long as the process is there; each name once.
pub(crate) fn interned(text: &str) -> Answer<*const c_char> {
    static NAMES: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
    let text = CString::new(text).map_err(|_| CudaError::Unknown)?;
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(text.as_c_str()) {
        return Ok(known.as_ptr());
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    names.insert(kept);
    Ok(kept.as_ptr())
}
