//! Things that only the system's C library provides: a thread that a function of the program may
//! end, and a child that ends with this process.

use std::ffi::c_void;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::OnceLock;

/// The value of the key below in threads that are noticed when they are ended.
const NOTICED: *const c_void = std::ptr::dangling::<c_void>();

/// The function that is called in a thread that ends within `body`.
static LEFT: OnceLock<(libc::pthread_key_t, fn())> = OnceLock::new();

/// Starts a thread that runs `body`, which never returns. It is not one of Rust's, in which
/// `pthread_exit` would end the process: a function of the program that `body` calls may end it so,
/// and then `left` is called, in the same thread; the first `left` that was given is.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn start_thread(body: fn() -> !, left: fn()) -> io::Result<()> {
    static BODY: OnceLock<fn() -> !> = OnceLock::new();

    // Nothing here has to be dropped when it is unwound through, and nothing catches what unwinds.
    extern "C-unwind" fn run(_: *mut c_void) -> *mut c_void {
        if let Some((key, _)) = LEFT.get() {
            // SAFETY: the key was made before this thread was; its destructor does not read the
            // value.
            unsafe { libc::pthread_setspecific(*key, NOTICED) };
        }
        match BODY.get() {
            Some(body) => body(),
            None => std::ptr::null_mut(),
        }
    }
    unsafe extern "C" fn ended(_: *mut c_void) {
        if let Some((_, left)) = LEFT.get() {
            left();
        }
    }

    if LEFT.get().is_none() {
        let mut key = 0;
        // SAFETY: the place is this function's, and `ended` is a function of the type that is asked
        // for.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) };
        if made != 0 {
            return Err(io::Error::from_raw_os_error(made));
        }
        LEFT.get_or_init(|| (key, left));
    }
    BODY.get_or_init(|| body);
    type Run = extern "C-unwind" fn(*mut c_void) -> *mut c_void;
    type Start = extern "C" fn(*mut c_void) -> *mut c_void;
    // SAFETY: the two types differ in what may happen when something unwinds, and the C library,
    // which calls it, lets `pthread_exit` unwind.
    let start = unsafe { std::mem::transmute::<Run, Start>(run) };
    let mut thread = 0;
    // SAFETY: the places are this function's; without attributes a thread is as usual.
    let made = unsafe {
        let made =
            libc::pthread_create(&raw mut thread, std::ptr::null(), start, std::ptr::null_mut());
        if made == 0 {
            // No thread waits for its end.
            libc::pthread_detach(thread);
        }
        made
    };
    if made == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(made)) }
}

/// Ends this process at once, as if the system had been asked for that.
pub(crate) fn kill_process() {
    // SAFETY: a system call about this process alone.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

/// Makes a program that will be started end with this process, whatever ends the process (Linux,
/// `prctl(2)`, `PR_SET_PDEATHSIG`). This holds for the program, also after an `exec`, but not for
/// programs that it starts. The end of the thread that starts it counts, so that must be the
/// process's first thread.
///
/// The program starts with these signals blocked, whatever the starting thread itself blocks. So a
/// command can wait for signals from before the program is there.
pub fn end_with_parent(command: &mut Command, held_back: libc::sigset_t) {
    let parent = std::process::id();
    let ask = move || {
        // SAFETY: a system call that changes a setting of the calling process.
        let asked = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        if asked != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it reads a set of this closure, and changes a setting of the calling thread.
        let asked = unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const held_back, std::ptr::null_mut())
        };
        if asked != 0 {
            return Err(io::Error::from_raw_os_error(asked));
        }
        // It may have ended before that was asked for.
        match std::os::unix::process::parent_id() == parent {
            true => Ok(()),
            false => Err(io::Error::from_raw_os_error(libc::ESRCH)),
        }
    };
    // SAFETY: between `fork` and `exec` it makes three system calls. None of them allocates or
    // locks.
    unsafe { command.pre_exec(ask) };
}
