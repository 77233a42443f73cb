//! The images that a program gives to be loaded: PTX text, or a fat binary with PTX in it.
//!
//! NVIDIA does not document the containers; their fields are as public projects describe them. A
//! wrapper (`__fatBinC_Wrapper_t` of `fatbinary_section.h`) points to a header, and entries follow
//! it. Each entry has its own header, a kind (PTX or machine code) and, if it is compressed, two
//! sizes. Sizes are bounded by the bytes of the image, and the unpacked texts together by
//! [`LONGEST`]. So no container costs more than that.
//!
//! A third container is our own ([`container`]). Our replacements for programs and libraries that
//! make machine code give it in place of a cubin. It is [`CONTAINER`], a version (1), the bytes of
//! the text as 64 bits, all little-endian, and the text.
//!
//! Machine code alone cannot run here: it is refused with advice.

use std::io::Read as _;

use ruzstd::decoding::StreamingDecoder;

/// The first word of a fat binary.
pub const FAT_BINARY: u32 = 0xba55_ed50;

/// The first word of a wrapper, which holds the address of a fat binary.
pub const WRAPPER: u32 = 0x4662_43b1;

/// The first word of an object file.
pub const ELF: u32 = 0x464c_457f;

/// The first word of our own container: `\x7fPTX`. Neither a text nor an object file begins with
/// it.
pub const CONTAINER: u32 = 0x5854_507f;

/// Bytes of the header of our own container.
pub const CONTAINER_HEADER: usize = 16;

/// The version of our own container.
const CONTAINER_VERSION: u32 = 1;

/// Bytes of the header of a fat binary: magic, version, bytes of the header, bytes of the rest.
pub const FAT_HEADER: usize = 16;

/// The most bytes of the unpacked texts of an image, all together.
const LONGEST: usize = 1 << 28;

/// The kind of an entry that holds PTX.
const KIND_PTX: u16 = 1;

/// The flag of an entry that is packed by LZ4, and of one that is packed by Zstandard.
const LZ4: u64 = 1 << 13;
const ZSTANDARD: u64 = 1 << 15;

/// Why an image cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// A size in it points outside of it, or its packing is invalid.
    Broken {
        /// The part that is broken.
        what: &'static str,
    },
    /// It is a fat binary without an entry.
    Empty,
    /// Its texts together would be longer than the limit.
    TooLong,
    /// It holds machine code alone.
    MachineCode,
    /// Its PTX is packed in a way that warpsim does not unpack.
    Packed,
}

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ImageError::Broken { what } => write!(f, "the image is broken: {what}"),
            ImageError::Empty => f.write_str("the image is a fat binary with nothing in it"),
            ImageError::TooLong => {
                write!(f, "the PTX texts of the image have more than {LONGEST} bytes unpacked")
            }
            ImageError::MachineCode => f.write_str(
                "the image holds machine code and no PTX; compile it with PTX in it \
                 (nvcc -gencode arch=compute_80,code=compute_80)",
            ),
            ImageError::Packed => f.write_str(
                "the PTX of the image is packed in a way that warpsim cannot unpack; compile it \
                 without compression (nvcc --no-compress)",
            ),
        }
    }
}

/// The PTX texts of an image; of several versions, the newest. `bytes` is the whole image, without
/// the wrapper.
///
/// # Errors
/// There is no such text.
pub fn texts(bytes: &[u8]) -> Result<Vec<Vec<u8>>, ImageError> {
    texts_for(bytes, u32::MAX)
}

/// The same for a device of a compute capability (90): the newest of those that are no newer than
/// the device, as drivers take it. Where all are newer, which a driver refuses, the oldest: it may
/// do without what only newer devices have.
pub(crate) fn texts_for(bytes: &[u8], device: u32) -> Result<Vec<Vec<u8>>, ImageError> {
    match bytes.first_chunk().map(|magic| u32::from_le_bytes(*magic)) {
        Some(ELF) => Err(ImageError::MachineCode),
        Some(FAT_BINARY) => best(&entries(bytes)?, device),
        Some(CONTAINER) => Ok(vec![contained(bytes)?.to_vec()]),
        Some(_) | None => Ok(vec![without_zeros(bytes).to_vec()]),
    }
}

/// A fat binary with this PTX text, for a program that registers one.
///
/// ```
/// use warpsim_driver_core::{fat_binary, texts};
///
/// assert_eq!(texts(&fat_binary(b".version 8.0")), Ok(vec![b".version 8.0".to_vec()]));
/// ```
pub fn fat_binary(text: &[u8]) -> Vec<u8> {
    /// Bytes of an entry's header, and the compute capability that it is for: any will do.
    const ENTRY: u32 = 64;
    const ARCH: u32 = 80;
    let padded = (text.len() + 1).next_multiple_of(8);
    let mut bytes = FAT_BINARY.to_le_bytes().to_vec();
    bytes.extend(1u16.to_le_bytes());
    bytes.extend((FAT_HEADER as u16).to_le_bytes());
    bytes.extend((u64::from(ENTRY) + padded as u64).to_le_bytes());
    bytes.extend(KIND_PTX.to_le_bytes());
    bytes.extend([0; 2]);
    bytes.extend(ENTRY.to_le_bytes());
    bytes.extend((padded as u64).to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(ARCH.to_le_bytes());
    bytes.extend([0; 32]);
    bytes.extend(text);
    bytes.resize(FAT_HEADER + ENTRY as usize + padded, 0);
    bytes
}

/// Our own container with this text, in place of machine code.
///
/// ```
/// use warpsim_driver_core::{container, texts};
///
/// assert_eq!(texts(&container(b".version 8.0")), Ok(vec![b".version 8.0".to_vec()]));
/// ```
pub fn container(text: &[u8]) -> Vec<u8> {
    let mut bytes = CONTAINER.to_le_bytes().to_vec();
    bytes.extend(CONTAINER_VERSION.to_le_bytes());
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    bytes
}

/// The bytes of a container of ours with its header; `None` if we write no such header.
pub fn bytes_of_container(header: [u8; CONTAINER_HEADER]) -> Option<usize> {
    let length = usize::try_from(long(&header, 8)?).ok().filter(|length| *length <= LONGEST)?;
    (word(&header, 4)? == CONTAINER_VERSION).then_some(CONTAINER_HEADER + length)
}

/// The text of a container of ours, whose bytes are all there.
fn contained(bytes: &[u8]) -> Result<&[u8], ImageError> {
    let broken = ImageError::Broken { what: "its header is not one of warpsim's containers" };
    let (header, rest) = bytes.split_first_chunk().ok_or(broken.clone())?;
    let all = bytes_of_container(*header).ok_or(broken)?;
    let text = rest.get(..all - CONTAINER_HEADER);
    text.map(without_zeros).ok_or(ImageError::Broken { what: "its text is cut off" })
}

/// The number of bytes after the header of a fat binary.
pub fn bytes_of_fat_binary(header: [u8; FAT_HEADER]) -> Option<usize> {
    let own = u64::from(half(&header, 6)?);
    usize::try_from(own.checked_add(long(&header, 8)?)?).ok()
}

/// An entry of a fat binary.
struct Entry<'a> {
    kind: u16,
    flags: u64,
    /// The compute capability that it is for: 80.
    arch: u32,
    body: &'a [u8],
    unpacked: usize,
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ImageError> {
    let broken = |what| move || ImageError::Broken { what };
    let header = half(bytes, 6).ok_or_else(broken("its header is cut off"))?;
    let mut rest = bytes.get(usize::from(header)..).ok_or_else(broken("its header is cut off"))?;
    let mut entries = Vec::new();
    while rest.len() >= 64 {
        let (entry, bytes) = entry(rest).ok_or_else(broken("an entry points outside of it"))?;
        entries.push(entry);
        rest = rest.get(bytes..).ok_or_else(broken("an entry points outside of it"))?;
    }
    Ok(entries)
}

/// The entry that begins here, and its bytes with its header.
fn entry(bytes: &[u8]) -> Option<(Entry<'_>, usize)> {
    let header = usize::try_from(word(bytes, 4)?).ok().filter(|header| *header >= 64)?;
    let padded = usize::try_from(long(bytes, 8)?).ok()?;
    let body = bytes.get(header..)?.get(..padded)?;
    let flags = long(bytes, 40)?;
    let packed = usize::try_from(word(bytes, 16)?).ok()?;
    let body = match flags & (LZ4 | ZSTANDARD) {
        0 => body,
        1.. => body.get(..packed)?,
    };
    let unpacked = usize::try_from(long(bytes, 56)?).ok()?;
    let entry = Entry { kind: half(bytes, 0)?, flags, arch: word(bytes, 28)?, body, unpacked };
    Some((entry, header + padded))
}

/// The PTX for a device.
fn best(entries: &[Entry<'_>], device: u32) -> Result<Vec<Vec<u8>>, ImageError> {
    if entries.is_empty() {
        return Err(ImageError::Empty);
    }
    let texts = || entries.iter().filter(|entry| entry.kind == KIND_PTX);
    let fitting = texts().map(|entry| entry.arch).filter(|arch| *arch <= device).max();
    let chosen = fitting.or_else(|| texts().map(|entry| entry.arch).min());
    let chosen = chosen.ok_or(ImageError::MachineCode)?;
    let chosen: Vec<&Entry<'_>> = texts().filter(|entry| entry.arch == chosen).collect();
    // Before anything is unpacked: many small entries may say each that they are long.
    let bytes = chosen.iter().map(|entry| entry.bytes());
    if bytes.fold(0, usize::saturating_add) > LONGEST {
        return Err(ImageError::TooLong);
    }
    chosen.into_iter().map(unpacked).collect()
}

impl Entry<'_> {
    /// Bytes of its text, unpacked.
    fn bytes(&self) -> usize {
        match self.flags & (LZ4 | ZSTANDARD) {
            0 => self.body.len(),
            1.. => self.unpacked,
        }
    }
}

fn unpacked(entry: &Entry<'_>) -> Result<Vec<u8>, ImageError> {
    match (entry.flags & LZ4 != 0, entry.flags & ZSTANDARD != 0) {
        (false, false) => Ok(without_zeros(entry.body).to_vec()),
        (true, false) => lz4(entry.body, entry.unpacked)
            .map(|text| without_zeros(&text).to_vec())
            .ok_or(ImageError::Broken { what: "its PTX cannot be unpacked" }),
        (false, true) => zstandard(entry.body, entry.unpacked)
            .map(|text| without_zeros(&text).to_vec())
            .ok_or(ImageError::Broken { what: "its PTX cannot be unpacked" }),
        (true, true) => Err(ImageError::Packed),
    }
}

/// The bytes before the first zero.
fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

/// Unpacks a Zstandard frame (RFC 8878) of this many bytes.
fn zstandard(packed: &[u8], unpacked: usize) -> Option<Vec<u8>> {
    if unpacked > LONGEST {
        return None;
    }
    let decoder = StreamingDecoder::new(packed).ok()?;
    let mut out = Vec::new();
    decoder.take(unpacked as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() == unpacked).then_some(out)
}

/// Unpacks an LZ4 block ("LZ4 Block Format Description") of this many bytes.
fn lz4(packed: &[u8], unpacked: usize) -> Option<Vec<u8>> {
    if unpacked > LONGEST {
        return None;
    }
    let mut out: Vec<u8> = Vec::new();
    let mut rest = packed;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        let literals = length(usize::from(token >> 4), &mut rest)?;
        let (copied, after) = rest.split_at_checked(literals)?;
        if out.len().checked_add(literals)? > unpacked {
            return None;
        }
        out.extend_from_slice(copied);
        rest = after;
        // The last sequence has no match.
        let Some((offset, after)) = rest.split_first_chunk() else { break };
        rest = after;
        let matched = length(usize::from(token & 15), &mut rest)?.checked_add(4)?;
        let from = out.len().checked_sub(usize::from(u16::from_le_bytes(*offset)))?;
        if out.len().checked_add(matched)? > unpacked {
            return None;
        }
        // A match may copy bytes that it has just written. A match that begins at the end has
        // nothing to copy.
        for at in from..from + matched {
            out.push(*out.get(at)?);
        }
    }
    (out.len() == unpacked).then_some(out)
}

/// A length. The token holds its first part.
fn length(of_token: usize, rest: &mut &[u8]) -> Option<usize> {
    let mut length = of_token;
    if of_token == 15 {
        loop {
            let (byte, after) = rest.split_first()?;
            *rest = after;
            length = length.checked_add(usize::from(*byte))?;
            if *byte != 255 {
                break;
            }
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests;
