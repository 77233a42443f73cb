//! A launch that a person steps through: at the program's terminal, or in an editor.
//!
//! The debugger reads commands from the program's standard input, as debuggers of processes do, and
//! answers on standard error: standard output is the program's. With a socket, it is the debug
//! adapter of the client behind it.

use std::io::{self, BufReader, IsTerminal as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use warpsim::observe::width;
use warpsim::ptx::Type;
use warpsim_debugger::dap::{Part, SessionEnd, WireError, serve};
use warpsim_debugger::text::Console;
use warpsim_debugger::{Buffer, Debugger, SourceFile, Sources};
use warpsim_driver_core::{Debugged, DebuggedLaunch, readable};

use super::system_calls::{end_process, input_line, tell};

/// The longest source file that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// Has a person step through a launch.
pub(super) fn debug(launch: DebuggedLaunch<'_>, asked: &Debugged) {
    let DebuggedLaunch { stepper, buffers, number, kernel } = launch;
    if let Some(reached) = &asked.reached {
        // Without the file, the command says once too often that nothing came here.
        let _ = std::fs::write(reached, []);
    }
    let Some(program) = stepper.program() else { return };
    let sources = Sources::with_files(program.source.clone(), source_file);
    // What an argument points to has no type in PTX.
    let buffers = buffers.into_iter().map(|(place, pointer, bytes)| {
        let cell = u64::from(width(Type::B32));
        Buffer::new(place, pointer, Type::B32, bytes / cell * cell)
    });
    let shape = stepper.launch().map(ToString::to_string).unwrap_or_default();
    let debugger = Debugger::new(stepper, sources, buffers.collect());
    let end = match &asked.adapter {
        Some(socket) => adapt(debugger, socket),
        None => {
            tell(&format!(
                "warpsim: stopped at launch {number} of {}, {shape}; `help` lists commands, \
                 `detach` has the program go on, `quit` ends it",
                readable(kernel)
            ));
            Ok(converse(debugger, &asked.commands))
        }
    };
    match end {
        Ok(SessionEnd::GoesOn) => {}
        Ok(SessionEnd::Terminates) => end_process(),
        Err(error) => tell(&format!("warpsim: {error}; the program goes on")),
    }
}

/// Serves the client behind a socket.
fn adapt(debugger: Debugger<'_>, socket: &Path) -> Result<SessionEnd, WireError> {
    let mut output = UnixStream::connect(socket)?;
    let input = BufReader::new(output.try_clone()?);
    let end = serve(debugger, Part::OfProgram, input, &mut output);
    // The thread that reads ends with the stream. A client that is gone needs no farewell.
    let _ = output.shutdown(std::net::Shutdown::Both);
    end
}

/// Carries out commands until the person leaves.
fn converse(debugger: Debugger<'_>, commands: &[String]) -> SessionEnd {
    let mut console = Console::new(debugger);
    let is_typed = io::stdin().is_terminal();
    let mut scripted = commands.iter();
    loop {
        let (line, repeats) = match scripted.next() {
            Some(line) => {
                tell(&format!("(warpsim) {line}"));
                (Some(line.clone()), false)
            }
            // A file of commands is a whole session, unless a person is there to go on.
            None if !commands.is_empty() && !is_typed => (None, false),
            None => {
                if is_typed {
                    prompt();
                }
                (input_line(), is_typed)
            }
        };
        let Some(line) = line else { return SessionEnd::GoesOn };
        let said = match line.trim().is_empty() && repeats {
            true => console.repeat(),
            false => console.execute(&line),
        };
        if !said.text.is_empty() {
            tell(&said.text);
        }
        if let Some(error) = said.error {
            tell(&format!("error: {error}"));
        }
        if let Some(end) = said.end {
            return end;
        }
    }
}

fn prompt() {
    let mut to = io::stderr();
    // Where standard error is closed, nobody types.
    let _ = to.write_all(b"(warpsim) ").and_then(|()| to.flush());
}

/// A source file by the name that the PTX gives it.
fn source_file(name: &str) -> Option<SourceFile> {
    let path = PathBuf::from(name);
    let is_file = path.metadata().is_ok_and(|m| m.is_file() && m.len() <= LONGEST);
    let bytes = is_file.then(|| std::fs::read(&path).ok()).flatten()?;
    let path = path.canonicalize().unwrap_or(path);
    Some(SourceFile { path, text: String::from_utf8_lossy(&bytes).into() })
}
