//! A launch that a person steps through: at the program's terminal, or in an editor.
//!
//! The debugger reads commands from the program's standard input, as debuggers of processes do, and
//! answers on standard error: standard output is the program's. With a socket, it is the debug
//! adapter of the client behind it.

use std::convert::Infallible;
use std::io::{self, BufReader, IsTerminal as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use warpsim::observe::width;
use warpsim::ptx::Type;
use warpsim_debugger::dap::{Part, SessionEnd, WireError, serve};
use warpsim_debugger::text::{Console, Person};
use warpsim_debugger::{Buffer, Debugger, SourceFile, Sources};
use warpsim_driver_core::{Debugged, DebuggedLaunch, readable};
use warpsim_files as files;

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
    // A module that was loaded from a file may lie beside its source.
    let folders: Vec<PathBuf> = program
        .source
        .files()
        .filter_map(|(name, _)| Path::new(name).parent().map(Path::to_owned))
        .collect();
    let sources =
        Sources::with_files(program.source.clone(), move |name| source_file(name, &folders));
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
    let mut person = ProgramsPerson { types: io::stdin().is_terminal() };
    let Ok(conversation) = Console::new(debugger).converse(commands, &mut person);
    conversation.end.unwrap_or(SessionEnd::GoesOn)
}

/// The person behind the program's standard input and standard error.
struct ProgramsPerson {
    types: bool,
}

impl Person for ProgramsPerson {
    type Error = Infallible;

    fn types(&self) -> bool {
        self.types
    }

    fn line(&mut self) -> Result<Option<String>, Infallible> {
        if self.types {
            let mut to = io::stderr();
            // If standard error is closed, there is no person to type commands.
            let _ = to.write_all(b"(warpsim) ").and_then(|()| to.flush());
        }
        Ok(input_line())
    }

    fn answer(&mut self, text: &str) -> Result<(), Infallible> {
        tell(text);
        Ok(())
    }

    fn mistake(&mut self, text: &str) -> Result<(), Infallible> {
        tell(text);
        Ok(())
    }
}

/// A source file by the name that the PTX gives it.
fn source_file(name: &str, folders: &[PathBuf]) -> Option<SourceFile> {
    let own = Path::new(name);
    let beside = folders.iter().flat_map(|folder| {
        let last = own.file_name().map(|last| folder.join(last));
        std::iter::once(folder.join(own)).chain(last)
    });
    std::iter::once(own.to_owned()).chain(beside).find_map(|path| {
        let bytes = files::read(&path, LONGEST).ok()?;
        let path = path.canonicalize().unwrap_or(path);
        Some(SourceFile { path, text: String::from_utf8_lossy(&bytes).into() })
    })
}
