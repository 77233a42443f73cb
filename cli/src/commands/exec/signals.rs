//! Signals between the command, its program and a terminal (POSIX, "Signal Concepts" and "Terminal
//! Access Control").
//!
//! Signals that end, stop or continue the command are passed on to the program, which handles them
//! in its own way. The keys of a terminal reach the program without the command, as long as both
//! are in one process group. When the program stops, the command stops, too, so the waiting shell
//! has the terminal back. It goes on when it is continued.
//!
//! In which direction it can be wrong: `SIGKILL` and `SIGSTOP` of the command cannot be passed on.
//! `SIGKILL` ends the program, too ([`warpsim_driver::end_with_parent`]), and each process that
//! uses the device. `SIGSTOP` leaves the program running.

use std::io;
use std::process::{Child, ExitStatus};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpgid, getpgrp};

/// The signals that are passed on.
const PASSED_ON: [Signal; 8] = [
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGTSTP,
    Signal::SIGCONT,
];

/// What the system says of a signal that it sent itself: because of a key, mostly.
const BY_SYSTEM: i32 = 0x80;

/// The signals that this thread, which is the only one of the process, holds back.
pub(super) struct Signals {
    descriptor: SignalFd,
    /// The signals that it blocked before.
    before: SigSet,
}

impl Signals {
    /// Holds signals back from now on. It has to be called before the program starts: a signal in
    /// between would end the command alone.
    pub(super) fn hold_back() -> io::Result<Signals> {
        let mut held: SigSet = PASSED_ON.into_iter().collect();
        held.add(Signal::SIGCHLD);
        let before = held.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let descriptor = SignalFd::with_flags(&held, SfdFlags::SFD_CLOEXEC)?;
        Ok(Signals { descriptor, before })
    }

    /// The signals that the program blocks when it starts: what the command was started with.
    pub(super) fn of_the_program(&self) -> libc::sigset_t {
        *self.before.as_ref()
    }

    /// Waits for the end of the program, and passes signals on meanwhile.
    pub(super) fn wait(self, child: &mut Child) -> io::Result<ExitStatus> {
        let status = pass_on(child, &self.descriptor);
        // What comes now is for the command.
        self.before.thread_set_mask()?;
        status
    }
}

fn pass_on(child: &mut Child, signals: &SignalFd) -> io::Result<ExitStatus> {
    let id = i32::try_from(child.id()).map_err(io::Error::other)?;
    let program = Pid::from_raw(id);
    loop {
        // It may have ended, or stopped, before signals were held back.
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if has_stopped(program)? {
            raise(Signal::SIGSTOP)?;
            // The command was continued.
            continue;
        }
        let Some(signal) = signals.read_signal()? else { continue };
        let number = i32::try_from(signal.ssi_signo).map_err(io::Error::other)?;
        let is_shared = signal.ssi_code == BY_SYSTEM && getpgid(Some(program)) == Ok(getpgrp());
        match Signal::try_from(number)? {
            Signal::SIGCHLD => {}
            _ if is_shared => {}
            signal => match kill(program, signal) {
                // It has ended just now, which is noticed next.
                Ok(()) | Err(Errno::ESRCH) => {}
                // It may run for another user by now, who alone may send it signals.
                Err(Errno::EPERM) => {}
                Err(error) => return Err(error.into()),
            },
        }
    }
}

fn has_stopped(program: Pid) -> io::Result<bool> {
    match waitid(Id::Pid(program), WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG) {
        Ok(WaitStatus::Stopped(..)) => Ok(true),
        Ok(WaitStatus::StillAlive) => Ok(false),
        // It has ended since it was asked.
        Err(Errno::ECHILD) => Ok(false),
        Ok(other) => Err(io::Error::other(format!("{other:?} instead of a stop"))),
        Err(error) => Err(error.into()),
    }
}
