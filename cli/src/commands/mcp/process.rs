//! A run of this command in its own process, with limits for its time, its memory and its output.
//! The process and its compiler are in one process group, which is killed as a whole.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// Bytes of address space; `warpsim.verify` has the same.
const MEMORY: u64 = 4 << 30;
/// Bytes of each stream.
const OUTPUT: u64 = 4 << 20;

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself, with this code, or by a signal.
    Exit { code: Option<i32>, stdout: String, stderr: String },
    /// Its time was over.
    Time,
    /// It wrote more than [`OUTPUT`] bytes.
    Output,
}

/// Kills the process group when the request is done or dropped.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // There may be none left of the group.
            let _ = kill(Pid::from_raw(-leader.as_raw()), Signal::SIGKILL);
        }
    }
}

/// Runs the command in a folder.
pub(super) async fn run(
    arguments: &[OsString],
    folder: &Path,
    limit: Duration,
) -> io::Result<Ended> {
    let command = std::env::current_exe()?;
    let kilobytes = (MEMORY >> 10).to_string();
    let mut child = Command::new("/bin/sh")
        .args(["-c", r#"ulimit -c 0; ulimit -v "$1"; shift; exec "$@""#, "sh", &kilobytes])
        .arg(command)
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let leader = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let group = Group(leader);
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let all = async {
        let (stdout, stderr) = tokio::try_join!(text(out), text(err))?;
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else { return Ok(Ended::Output) };
        let code = child.wait().await?.code();
        Ok(Ended::Exit { code, stdout, stderr })
    };
    let ended = tokio::time::timeout(limit, all).await.unwrap_or(Ok(Ended::Time));
    drop(group);
    ended
}

/// What a stream has, if it is not too much.
async fn text(stream: Option<impl AsyncRead + Unpin>) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(OUTPUT + 1).read_to_end(&mut bytes).await?;
    }
    let fits = bytes.len() as u64 <= OUTPUT;
    Ok(fits.then(|| String::from_utf8_lossy(&bytes).into_owned()))
}
