//! The debug adapter of a program. It is between an editor, on standard input and output, and the
//! program's process that reaches the launch.
//!
//! That process connects to a socket in the folder of the run when it stops there. Until then,
//! requests wait here; only `initialize` and the end of a session are answered at once. What the
//! program writes goes to the editor as `output` events.

use std::io::{self, BufReader, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use warpsim_debugger::dap::{SILENT, capabilities, read_message, write_message};
use warpsim_driver_core::Debugged;

use super::child::refused;
use super::folder::Folder;
use crate::args::ExecArgs;
use crate::commands::step::read_commands;
use crate::failure::Failure;
use crate::output::Output;

/// The name of the socket in the folder of the run.
const SOCKET: &str = "debug";
/// The name of the file that says that a process has reached the launch.
const REACHED: &str = "debugged";

/// The instructions for the program's process.
pub(super) fn asked(args: &ExecArgs, folder: &Folder) -> Result<Option<Debugged>, Failure> {
    let Some((kernel, launch)) = args.debug.clone() else { return Ok(None) };
    let commands = read_commands(&args.commands)?;
    let adapter = args.dap.then(|| folder.path().join(SOCKET));
    let reached = Some(folder.path().join(REACHED));
    Ok(Some(Debugged { kernel, launch, commands, reached, adapter }))
}

/// Says that the launch never came, where the program has ended without it.
pub(super) fn tell_unreached(asked: &Debugged, output: &mut Output) {
    let was_reached = asked.reached.as_ref().is_some_and(|file| file.exists());
    if asked.adapter.is_none() && !was_reached {
        let Debugged { kernel, launch, .. } = asked;
        output.message(&format!(
            "warning: the program has ended without launch {launch} of `{kernel}`; \
             --log FILE writes the launches of a program"
        ));
    }
}

/// The editor, and where its requests go.
struct Client {
    /// How many messages it has been sent.
    sequence: u64,
    /// The process that is stopped at the launch.
    stopped: Stopped,
}

enum Stopped {
    /// No process has reached it, and requests wait.
    NotYet(Vec<Value>),
    At(UnixStream),
    /// The session is over, and the program goes on.
    Over,
}

type Shared = Arc<Mutex<Client>>;

/// A debug adapter that waits for its program.
pub(super) struct Adapter {
    client: Shared,
    listener: Option<UnixListener>,
    socket: PathBuf,
    outputs: Vec<JoinHandle<()>>,
    asked: String,
}

impl Adapter {
    /// Takes the program's streams.
    pub(super) fn prepare(
        asked: &Debugged,
        socket: &Path,
        command: &mut Command,
    ) -> Result<Adapter, Failure> {
        let listener = UnixListener::bind(socket).map_err(|error| refused("a socket", &error))?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let stopped = Stopped::NotYet(Vec::new());
        Ok(Adapter {
            client: Arc::new(Mutex::new(Client { sequence: 0, stopped })),
            listener: Some(listener),
            socket: socket.to_owned(),
            outputs: Vec::new(),
            asked: format!("launch {} of {}", asked.launch, asked.kernel),
        })
    }

    /// Serves the editor, beside the program.
    pub(super) fn start(&mut self, child: &mut Child) {
        let streams: [(&str, Option<Box<dyn Read + Send>>); 2] = [
            ("stdout", child.stdout.take().map(|stream| Box::new(stream) as _)),
            ("stderr", child.stderr.take().map(|stream| Box::new(stream) as _)),
        ];
        for (category, stream) in streams {
            let Some(stream) = stream else { continue };
            let client = Arc::clone(&self.client);
            self.outputs.push(thread::spawn(move || pass_output(&client, category, stream)));
        }
        let client = Arc::clone(&self.client);
        let program = child.id();
        thread::spawn(move || read_requests(&client, program));
        if let Some(listener) = self.listener.take() {
            let client = Arc::clone(&self.client);
            thread::spawn(move || pass_answers(&client, &listener));
        }
    }

    /// Tells the editor that the program has ended.
    pub(super) fn end(self, code: u8) {
        for output in self.outputs {
            // A thread that has panicked has printed so.
            let _ = output.join();
        }
        let mut client = lock(&self.client);
        if let Stopped::NotYet(waiting) = &client.stopped {
            let mut waiting = waiting.clone();
            waiting.retain(|request| request.get(SILENT).is_none());
            let reason = format!("the program has ended without {}", self.asked);
            for request in waiting {
                client.refuse(&request, &reason);
            }
            let text = format!("warpsim: {reason}\n");
            client.event("output", &json!({"category": "important", "output": text}));
        }
        client.stopped = Stopped::Over;
        client.event("exited", &json!({"exitCode": code}));
        client.event("terminated", &json!({}));
        drop(client);
        // The folder of the run goes away as a whole.
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn lock(client: &Shared) -> MutexGuard<'_, Client> {
    client.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    fn send(&mut self, mut message: Value) {
        self.sequence += 1;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".into(), self.sequence.into());
        }
        // An editor that is gone needs no message: its end of standard input says so.
        let _ = write_message(&mut io::stdout(), &message);
    }

    fn event(&mut self, name: &str, body: &Value) {
        self.send(json!({"type": "event", "event": name, "body": body}));
    }

    fn answer(&mut self, request: &Value, body: &Value) {
        self.send(json!({
            "type": "response",
            "request_seq": request.get("seq"),
            "command": request.get("command"),
            "success": true,
            "body": body,
        }));
    }

    fn refuse(&mut self, request: &Value, reason: &str) {
        self.send(json!({
            "type": "response",
            "request_seq": request.get("seq"),
            "command": request.get("command"),
            "success": false,
            "message": reason,
        }));
    }

    /// Passes a message to the process at the launch.
    fn pass(&mut self, message: &Value) {
        if let Stopped::At(stream) = &mut self.stopped {
            // If it has ended, the next request shows that.
            let _ = write_message(stream, message);
        }
    }

    /// Carries a request on, or answers it. Gives whether the program has to end.
    fn handle(&mut self, request: Value) -> bool {
        let command = request.get("command").and_then(Value::as_str).unwrap_or_default();
        let leaves = matches!(command, "disconnect" | "terminate");
        if command == "initialize" {
            self.answer(&request, &capabilities());
            // What the editor says of itself is for the process at the launch, too.
            let mut silent = request;
            if let Some(fields) = silent.as_object_mut() {
                fields.insert(SILENT.into(), true.into());
            }
            match &mut self.stopped {
                Stopped::NotYet(waiting) => waiting.push(silent),
                Stopped::At(_) => self.pass(&silent),
                Stopped::Over => {}
            }
            return false;
        }
        match &mut self.stopped {
            Stopped::At(stream) => {
                if write_message(stream, &request).is_err() {
                    self.stopped = Stopped::Over;
                    self.refuse(&request, "the process of the launch has ended");
                }
                false
            }
            Stopped::NotYet(_) | Stopped::Over if leaves => {
                let ends = command == "terminate"
                    || request.pointer("/arguments/terminateDebuggee") == Some(&Value::Bool(true))
                    || matches!(self.stopped, Stopped::NotYet(_));
                self.answer(&request, &json!({}));
                ends
            }
            Stopped::NotYet(waiting) => {
                waiting.push(request);
                false
            }
            Stopped::Over if command == "threads" => {
                self.answer(&request, &json!({"threads": []}));
                false
            }
            Stopped::Over => {
                self.refuse(&request, "the launch is over, and the program goes on");
                false
            }
        }
    }
}

/// Passes what the program writes on to the editor.
fn pass_output(client: &Shared, category: &str, mut stream: impl Read) {
    let mut bytes = [0; 4096];
    let mut rest = Vec::new();
    while let Ok(read) = stream.read(&mut bytes) {
        rest.extend(bytes.iter().take(read));
        // A character may be cut in two: its other part comes with the next bytes.
        let whole = match std::str::from_utf8(&rest) {
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            Ok(_) | Err(_) => rest.len(),
        };
        let text: Vec<u8> = rest.drain(..whole).collect();
        if !text.is_empty() {
            let text = String::from_utf8_lossy(&text);
            lock(client).event("output", &json!({"category": category, "output": text}));
        }
        if read == 0 {
            break;
        }
    }
}

/// Reads the editor's requests until it is gone.
fn read_requests(client: &Shared, program: u32) {
    let mut input = BufReader::new(io::stdin());
    loop {
        let ends = match read_message(&mut input) {
            Ok(Some(request)) => {
                let is_request = request.get("type").and_then(Value::as_str) == Some("request");
                is_request && lock(client).handle(request)
            }
            Ok(None) => break,
            Err(error) => {
                let text = format!("warpsim: {error}\n");
                lock(client).event("output", &json!({"category": "stderr", "output": text}));
                break;
            }
        };
        if ends {
            end(program);
        }
    }
    // Without an editor nobody can continue a process at the launch.
    let mut client = lock(client);
    match std::mem::replace(&mut client.stopped, Stopped::Over) {
        Stopped::At(stream) => {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        Stopped::NotYet(_) | Stopped::Over => {}
    }
}

/// Waits for the process that reaches the launch, and passes its answers on to the editor.
fn pass_answers(client: &Shared, listener: &UnixListener) {
    let Ok((stream, _)) = listener.accept() else { return };
    let Ok(reader) = stream.try_clone() else { return };
    {
        let mut client = lock(client);
        let before = std::mem::replace(&mut client.stopped, Stopped::At(stream));
        match before {
            Stopped::NotYet(waiting) => {
                for request in waiting {
                    match request.get(SILENT).is_some() {
                        true => client.pass(&request),
                        false => drop(client.handle(request)),
                    }
                }
            }
            // The editor is gone already.
            Stopped::Over | Stopped::At(_) => {
                client.stopped = Stopped::Over;
                let _ = reader.shutdown(std::net::Shutdown::Both);
            }
        }
    }
    let mut reader = BufReader::new(reader);
    while let Ok(Some(message)) = read_message(&mut reader) {
        lock(client).send(message);
    }
    lock(client).stopped = Stopped::Over;
}

/// Asks the program to end.
fn end(program: u32) {
    if let Ok(id) = i32::try_from(program) {
        // It may have ended already.
        let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
    }
}
