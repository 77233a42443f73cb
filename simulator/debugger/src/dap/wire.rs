//! Messages of the protocol on a stream: a header with the length, an empty line, and JSON.

use std::fmt;
use std::io::{self, BufRead, Write};

use serde_json::Value;

/// The longest message that is read, in bytes.
const LONGEST: usize = 64 << 20;
/// The longest line of a header.
const LONGEST_LINE: u64 = 4096;

/// Why a stream can no longer be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireError {
    /// Reading or writing failed.
    Io(io::Error),
    /// The header of a message is not one.
    Header {
        /// The error.
        reason: String,
    },
    /// A message is not JSON.
    Json(serde_json::Error),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Io(error) => write!(f, "the debug adapter lost its client: {error}"),
            WireError::Header { reason } => write!(
                f,
                "the debug adapter cannot read a message: {reason}; each message begins with \
                 `Content-Length: N`"
            ),
            WireError::Json(error) => {
                write!(f, "a message to the debug adapter is not JSON: {error}")
            }
        }
    }
}

impl std::error::Error for WireError {}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> WireError {
        WireError::Io(error)
    }
}

/// The next message; `None` at the end of the stream.
///
/// # Errors
/// The stream fails, or holds no message.
///
/// ```
/// use warpsim_debugger::dap::read_message;
///
/// let mut stream = "Content-Length: 11\r\n\r\n{\"seq\": 12}".as_bytes();
/// assert_eq!(read_message(&mut stream)?, Some(serde_json::json!({"seq": 12})));
/// assert_eq!(read_message(&mut stream)?, None);
/// # Ok::<(), warpsim_debugger::dap::WireError>(())
/// ```
pub fn read_message(input: &mut impl BufRead) -> Result<Option<Value>, WireError> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = io::Read::take(&mut *input, LONGEST_LINE).read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line);
        match (read, line.trim_end()) {
            (0, _) => return Ok(None),
            (_, "") if length.is_some() => break,
            (_, "") => {}
            (_, line) => {
                let (name, value) = line.split_once(':').ok_or_else(|| WireError::Header {
                    reason: format!("`{}` is no header", line.escape_debug()),
                })?;
                if name.trim().eq_ignore_ascii_case("content-length") {
                    let parsed = value.trim().parse::<usize>().ok().filter(|n| *n <= LONGEST);
                    length = Some(parsed.ok_or_else(|| WireError::Header {
                        reason: format!("`{}` is no length", value.trim()),
                    })?);
                }
            }
        }
    }
    let mut bytes = vec![0; length.unwrap_or_default()];
    input.read_exact(&mut bytes)?;
    serde_json::from_slice(&bytes).map(Some).map_err(WireError::Json)
}

/// Writes a message.
///
/// # Errors
/// The stream fails.
pub fn write_message(output: &mut dyn Write, message: &Value) -> Result<(), WireError> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_headers_and_bodies_are_errors() {
        for text in [
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            "hello\r\n\r\n{}",
            "Content-Length: 5\r\n\r\n{}",
            "Content-Length: 3\r\n\r\n{]}",
        ] {
            assert!(read_message(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
