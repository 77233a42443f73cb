//! The connection between the two processes.
//!
//! On Unix it is a pair of connected sockets, and one of them is the child's standard input. It
//! takes both directions, and has no name that others could open. It ends when either process ends,
//! in whatever way. Standard output is no part of it, because the driver writes the output of
//! kernels there; it goes to this process's standard error.
//!
//! Elsewhere the types are there, but no child can be started yet.

use std::io;
use std::process::Stdio;

#[cfg(unix)]
pub(super) type Socket = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
pub(super) type Socket = std::net::TcpStream;

/// This process's end, and the child's as its standard input.
///
/// # Errors
/// When the system has no more sockets, or is not supported.
#[cfg(unix)]
pub(super) fn pair() -> io::Result<(Socket, Stdio)> {
    let (ours, theirs) = Socket::pair()?;
    Ok((ours, Stdio::from(std::os::fd::OwnedFd::from(theirs))))
}

/// The end that this process was started with.
///
/// # Errors
/// When standard input is closed.
#[cfg(unix)]
pub(super) fn inherited() -> io::Result<Socket> {
    use std::os::fd::AsFd;

    Ok(Socket::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// How a process ended, as what follows "the process ".
pub(super) fn how_it_ended(status: std::process::ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "ended".to_owned(),
    }
}

#[cfg(not(unix))]
const NOT_HERE: &str = "GPUs are driven from Unix only, so far";

/// There is none here.
#[cfg(not(unix))]
pub(super) fn pair() -> io::Result<(Socket, Stdio)> {
    Err(io::Error::new(io::ErrorKind::Unsupported, NOT_HERE))
}

/// There is none here.
#[cfg(not(unix))]
pub(super) fn inherited() -> io::Result<Socket> {
    Err(io::Error::new(io::ErrorKind::Unsupported, NOT_HERE))
}
