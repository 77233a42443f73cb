//! The debug adapter: the [Debug Adapter Protocol](https://microsoft.github.io/debug-adapter-protocol/specification)
//! over two streams.
//!
//! Lanes are the protocol's threads. All requests that [`capabilities`] claims are answered, and
//! others get an error. The launch runs in the caller's thread. Another thread reads requests, so
//! that `pause` reaches a launch that runs.
//!
//! When the launch has ended it stops once more, with the reason `end`. A person can go back from
//! there. Going on ends the session.

mod adapter;
mod breakpoints;
mod memory;
mod part;
mod requests;
mod shown;
mod stacks;
mod variables;
mod wire;

use std::io::{BufRead, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc;

use serde_json::Value;

use crate::session::Debugger;
pub use crate::stops::SessionEnd;
use adapter::Adapter;
pub use adapter::capabilities;
pub use part::{Part, SILENT};
pub use wire::{WireError, read_message, write_message};

/// Serves one client until it leaves or the input ends.
///
/// # Errors
/// The streams fail, or a message is no message of the protocol.
pub fn serve(
    debugger: Debugger<'_>,
    part: Part,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> Result<SessionEnd, WireError> {
    let pause = debugger.pause_flag();
    let (sender, receiver) = mpsc::channel();
    // The thread ends with its input. It outlives the session if its input stays open.
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let message = read_message(&mut input);
            let is_last = !matches!(message, Ok(Some(_)));
            if let Ok(Some(message)) = &message
                && message.get("command").and_then(Value::as_str) == Some("pause")
            {
                pause.store(true, Ordering::Relaxed);
            }
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
    });
    let mut adapter = Adapter::new(debugger, part, output);
    while let Ok(message) = receiver.recv() {
        let Some(message) = message? else { break };
        if let Some(end) = adapter.handle(&message)? {
            return Ok(end);
        }
    }
    Ok(SessionEnd::GoesOn)
}
