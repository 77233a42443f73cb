//! How values become bytes: `postcard`, a compact format of serde's.
//!
//! Both ends are the same program, or two of the same version. The first message of each begins
//! with its version as a text, which separates another version from nonsense. Input is still
//! checked, because a dying process may write anything. Nothing may be missing and nothing left
//! over, and no length is believed before the bytes are there.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What must be equal at both ends.
pub(super) const VERSION: &str = concat!("warpsim-gpu ", env!("CARGO_PKG_VERSION"), " wire 3");

/// The longest version that is read, in bytes.
const LONGEST: usize = 64;

/// The bytes are no value of the type that was expected, or the value cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Why the first message of the other end is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Strange {
    /// The other end is of this version.
    OtherVersion(String),
    /// It is no such message.
    Malformed,
}

/// The bytes of a value.
///
/// # Errors
/// It holds what points into the memory of this process
/// ([`DeviceError::Program`](warpsim::host::DeviceError::Program)).
pub(super) fn encode(value: &impl Serialize) -> Result<Vec<u8>, Malformed> {
    postcard::to_stdvec(value).map_err(|_| Malformed)
}

/// The value that all of these bytes encode.
///
/// # Errors
/// When they are no such value, or there are too many.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Malformed> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok(_) | Err(_) => Err(Malformed),
    }
}

/// The bytes of the first message, which begins with the version.
///
/// # Errors
/// As [`encode`].
pub(super) fn encode_first(value: &impl Serialize) -> Result<Vec<u8>, Malformed> {
    encode(&(VERSION, value))
}

/// The bytes of the first message of an end that has not understood the other's.
///
/// # Errors
/// None: a text can be sent.
pub(super) fn encode_version() -> Result<Vec<u8>, Malformed> {
    encode(&VERSION)
}

/// What the first message says.
///
/// # Errors
/// Why it is not understood.
pub(super) fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Strange> {
    let (version, rest): (String, _) =
        postcard::take_from_bytes(bytes).map_err(|_| Strange::Malformed)?;
    let is_one =
        version.len() <= LONGEST && version.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    match version == VERSION {
        true => decode(rest).map_err(|_| Strange::Malformed),
        false if is_one => Err(Strange::OtherVersion(version)),
        false => Err(Strange::Malformed),
    }
}
