//! The child as its parent holds it: started, asked, awaited for a limited time, killed.
//!
//! There is one request at a time, so a [`Worker`] that did not answer in time is of no more use: a
//! caller that gets [`Gone`] drops it. Dropping kills the process and waits for its end, so none is
//! left over, not even as a zombie. If it cannot be killed, nothing waits for ever for its end.

use std::io::{self, ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::frames::{self, Frame};
use super::messages::{Answer, Opened, Opening, Request};
use super::stand_in;
use super::transport::{self, Socket};
use super::wire::{Strange, VERSION, decode, decode_first, encode, encode_first};
use super::{IsolatedSettings, WORKER_VARIABLE, WorkerProgram};
use crate::error::GpuError;
use crate::probe::GpuFacts;

/// How long the driver may take to begin, or to compile a module.
pub(super) const GENEROUS: Duration = Duration::from_secs(60);

/// The driver's variable that says when kernels are loaded (CUDA C++ Programming Guide, "Lazy
/// Loading").
const MODULE_LOADING: &str = "CUDA_MODULE_LOADING";

/// How long a message that has begun may stop, and how long a process may take to end.
const STALLED: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// It did not come in time.
    TimedOut,
    /// The child ended, in these words: "ended by signal 6".
    Ended(String),
    /// The child had ended before it was asked, or cannot be asked.
    NotAsked,
    /// The answer makes no sense.
    Nonsense,
}

/// A child process that has opened its GPU.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    socket: Socket,
}

impl Worker {
    /// Starts the child and opens the GPU.
    ///
    /// # Errors
    /// When the program cannot be started, does not answer, is of another version, or finds no GPU.
    pub(super) fn start(
        settings: &IsolatedSettings,
        stand_in: Option<&str>,
    ) -> Result<(Worker, GpuFacts), GpuError> {
        let mut worker = Worker::spawn(&settings.program, stand_in)
            .map_err(|error| failed(format!("cannot be started: {error}")))?;
        let opening = encode_first(&Opening { ordinal: settings.ordinal });
        let answer = match opening.map(|head| worker.exchange(&head, &[], GENEROUS)) {
            // It ended before it read the question; how, it is early enough to say.
            Ok(Err(Gone::NotAsked)) => Err(worker.ended()),
            Ok(answer) => answer,
            Err(_) => Err(Gone::NotAsked),
        };
        match answer.map(|frame| decode_first::<Opened>(&frame.head)) {
            Ok(Ok(Ok(facts))) => Ok((worker, facts)),
            Ok(Ok(Err(error))) => Err(error),
            Ok(Err(Strange::OtherVersion(version))) => {
                Err(failed(format!("is `{version}`, and this program `{VERSION}`")))
            }
            Ok(Err(Strange::Malformed)) | Err(Gone::Nonsense) => {
                Err(failed("gives an answer that makes no sense"))
            }
            Err(Gone::TimedOut) => {
                Err(failed(format!("did not open the GPU within {} s", GENEROUS.as_secs())))
            }
            Err(Gone::Ended(how)) => Err(failed(format!("{how} before it opened the GPU"))),
            Err(Gone::NotAsked) => Err(failed("ended at once")),
        }
    }

    fn spawn(program: &WorkerProgram, stand_in: Option<&str>) -> io::Result<Worker> {
        let path = match program {
            WorkerProgram::ThisProgram => std::env::current_exe()?,
            WorkerProgram::At(path) => path.clone(),
        };
        let (socket, theirs) = transport::pair()?;
        let mut command = Command::new(path);
        command.env(WORKER_VARIABLE, "1");
        match stand_in {
            Some(text) => command.env(stand_in::VARIABLE, text),
            None => command.env_remove(stand_in::VARIABLE),
        };
        // By default the driver loads a kernel when it is launched first, within that launch's
        // time.
        if std::env::var_os(MODULE_LOADING).is_none() {
            command.env(MODULE_LOADING, "EAGER");
        }
        command.stdin(theirs).stdout(Stdio::from(io::stderr()));
        // The command holds the child's end; with it dropped, the child's death closes the pair.
        let child = command.spawn()?;
        drop(command);
        Ok(Worker { child, socket })
    }

    /// The process's number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks and waits for the answer, so long.
    ///
    /// # Errors
    /// When none comes. The worker is of no use any more.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        body: &[u8],
        limit: Duration,
    ) -> Result<(Answer, Vec<u8>), Gone> {
        let head = encode(request).map_err(|_| Gone::NotAsked)?;
        let frame = self.exchange(&head, body, limit)?;
        let answer = decode(&frame.head).map_err(|_| Gone::Nonsense)?;
        Ok((answer, frame.body))
    }

    /// Sends a message and waits for the one that answers it.
    fn exchange(&mut self, head: &[u8], body: &[u8], limit: Duration) -> Result<Frame, Gone> {
        self.socket.set_write_timeout(Some(limit.max(STALLED))).map_err(|_| Gone::NotAsked)?;
        match frames::send(&mut &self.socket, head, body) {
            Ok(()) => {}
            Err(error) if is_timeout(&error) => return Err(Gone::TimedOut),
            Err(_) => return Err(Gone::NotAsked),
        }
        let mut timed = Timed { socket: &self.socket, until: after(limit) };
        match frames::receive(&mut timed) {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => Err(self.ended()),
            Err(error) if is_timeout(&error) => Err(Gone::TimedOut),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(Gone::Nonsense),
            Err(_) => Err(self.ended()),
        }
    }

    /// How the process ended that has closed its socket.
    fn ended(&mut self) -> Gone {
        let how = match self.wait(STALLED) {
            Some(status) => transport::how_it_ended(status),
            None => "stopped answering".to_owned(),
        };
        Gone::Ended(how)
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let until = after(limit);
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill or to wait for.
        let _ = self.child.kill();
        // One that a driver holds on to even now is left to the system rather than waited for.
        let _ = self.wait(STALLED);
    }
}

fn failed(what: impl Into<String>) -> GpuError {
    GpuError::Worker { what: what.into() }
}

/// The point in time after this duration; practically never if the clock does not reach it.
fn after(limit: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    let now = Instant::now();
    now.checked_add(limit).or_else(|| now.checked_add(YEAR)).unwrap_or(now)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Reads until a point in time, which moves on while bytes come.
struct Timed<'a> {
    socket: &'a Socket,
    until: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(count) => {
                    self.until = self.until.max(after(STALLED));
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }
}
