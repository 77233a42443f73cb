//! Messages on a stream of bytes: the lengths of head and body, the head, the body.
//!
//! Lengths are checked against limits first. Allocations grow with the bytes that come, not with
//! the announced lengths. A body streams: it is written from its place, and only the system's
//! buffers are ahead of the reader.

use std::io::{self, ErrorKind, Read, Write};

/// The longest head: a module of PTX is in one.
pub(super) const MOST_HEAD: u32 = 256 << 20;

/// The longest body: no GPU has more memory.
pub(super) const MOST_BODY: u64 = 1 << 40;

/// A message that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) head: Vec<u8>,
    pub(super) body: Vec<u8>,
}

/// Writes a message.
///
/// # Errors
/// When it is too long, or nobody reads.
pub(super) fn send(to: &mut impl Write, head: &[u8], body: &[u8]) -> io::Result<()> {
    /// Up to here, copying is cheaper than another system call.
    const SMALL: usize = 16 << 10;

    let too_long = |_| io::Error::from(ErrorKind::InvalidInput);
    let head_length = u32::try_from(head.len()).map_err(too_long)?;
    let body_length = u64::try_from(body.len()).map_err(too_long)?;
    if head_length > MOST_HEAD || body_length > MOST_BODY {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut first = Vec::with_capacity(12 + head.len() + body.len().min(SMALL));
    first.extend_from_slice(&head_length.to_le_bytes());
    first.extend_from_slice(&body_length.to_le_bytes());
    first.extend_from_slice(head);
    if body.len() <= SMALL {
        first.extend_from_slice(body);
        return to.write_all(&first);
    }
    to.write_all(&first)?;
    to.write_all(body)
}

/// Reads a message; `None` when the stream ends before one begins.
///
/// # Errors
/// When the stream ends within a message ([`ErrorKind::UnexpectedEof`]), a length is over its limit
/// ([`ErrorKind::InvalidData`]), or reading fails.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut lengths = [0; 12];
    if !fill(from, &mut lengths)? {
        return Ok(None);
    }
    let [a, b, c, d, body @ ..] = lengths;
    let head = u32::from_le_bytes([a, b, c, d]);
    let body = u64::from_le_bytes(body);
    if head > MOST_HEAD || body > MOST_BODY {
        return Err(ErrorKind::InvalidData.into());
    }
    let head = take(from, head.into())?;
    let body = take(from, body)?;
    Ok(Some(Frame { head, body }))
}

/// Fills a buffer; whether there was anything.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// This many bytes.
fn take(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let count = from.take(length).read_to_end(&mut bytes)?;
    if u64::try_from(count) == Ok(length) {
        Ok(bytes)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}
