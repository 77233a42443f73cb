//! Inputs and bytes of the workloads.

use warpsim::host::{Device, DeviceError, Pointer};

/// The generator that the inputs come from: `s * 1664525 + 1013904223` modulo 2^32
/// (Numerical Recipes, "An Even Quicker Generator").
pub(super) fn lcg(seed: u32) -> impl Iterator<Item = u32> {
    let next = |s: &u32| Some(s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(seed), next).skip(1)
}

/// Little-endian bytes of words.
pub(super) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Words from little-endian bytes.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |c: &[u8]| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
    bytes.chunks_exact(4).map(word).collect()
}

/// Words that are uploaded at once, so that a large input is never held whole by the host.
const AT_ONCE: usize = 1 << 18;

/// New device memory that holds these words. There are `length` of them.
pub(super) fn upload(
    device: &mut dyn Device,
    length: u64,
    mut words: impl Iterator<Item = u32>,
) -> Result<Pointer, DeviceError> {
    let pointer = device.allocate(length * 4)?;
    let mut at = pointer;
    let mut part = Vec::new();
    loop {
        part.clear();
        part.extend(words.by_ref().take(AT_ONCE).flat_map(u32::to_le_bytes));
        if part.is_empty() {
            return Ok(pointer);
        }
        device.upload(at, &part)?;
        at = at.offset(part.len() as u64);
    }
}
