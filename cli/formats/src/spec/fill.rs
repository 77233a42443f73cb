//! The first contents of buffers, as little-endian bytes.
//!
//! The random generator is part of the command's contract, so it is fixed here and not left to a
//! library's distributions. It is ChaCha8 keyed with the seed as 8 little-endian bytes and 24 zero
//! bytes, stream 0, read as 64-bit words. An integer of n possible values takes words until one
//! lies below the largest multiple of n that is at most 2^64. It is then LO + word mod n. A float
//! takes one word w and is LO*(1-u) + HI*u with u = (w >> 11) / (2^53 - 1), in double precision. It
//! is then rounded to its type and kept between LO and HI.

use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use warpsim::element::ElementType;
#[cfg(not(target_family = "wasm"))]
use warpsim_files::{self as files, ReadError};

use super::error::SpecError;
#[cfg(not(target_family = "wasm"))]
use super::npy;
use super::{BufferSpec, Init};

/// The bytes of a buffer; `None` for zeros, which a new allocation holds anyway.
pub fn contents(buffer: &BufferSpec) -> Result<Option<Vec<u8>>, SpecError> {
    let element = buffer.element;
    let bytes = match &buffer.init {
        Init::Zeros => return Ok(None),
        Init::File(path) => return from_file(buffer, path).map(Some),
        Init::Fill(bits) => collect(buffer, |_| Ok(*bits))?,
        Init::List(cells) => {
            collect(buffer, |i| Ok(cells.get(i as usize).copied().unwrap_or_default()))?
        }
        Init::Iota { start, step } => collect(buffer, |i| counted(element, *start, *step, i))?,
        Init::Random { seed, low, high } => {
            let mut generator = generator(*seed);
            collect(buffer, |_| Ok(draw(element, &mut generator, *low, *high)))?
        }
    };
    Ok(Some(bytes))
}

fn collect(
    buffer: &BufferSpec,
    mut cell: impl FnMut(u64) -> Result<u64, SpecError>,
) -> Result<Vec<u8>, SpecError> {
    let total = buffer.bytes().and_then(|b| usize::try_from(b).ok()).ok_or(SpecError::TooLarge)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(total).map_err(|_| SpecError::TooLarge)?;
    for index in 0..buffer.length {
        bytes.extend(buffer.element.bytes(cell(index)?));
    }
    Ok(bytes)
}

/// START + index * STEP: exact for integers; for floats computed in double precision and rounded.
fn counted(element: ElementType, start: u64, step: u64, index: u64) -> Result<u64, SpecError> {
    // Only values out of range become text: a buffer may have millions of values.
    let out_of_range = |value: String| SpecError::IotaRange { index, value, element };
    match element.integer(start) {
        Some(start) => {
            let value = start + i128::from(index) * i128::from(step as i64);
            element.integer_bits(value).ok_or_else(|| out_of_range(value.to_string()))
        }
        None => {
            let value = element.float(start) + index as f64 * element.float(step);
            let bits = element.of_finite_float(value).filter(|_| value.is_finite());
            bits.ok_or_else(|| out_of_range(format!("{value:e}")))
        }
    }
}

fn generator(seed: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

fn draw(element: ElementType, generator: &mut impl Rng, low: u64, high: u64) -> u64 {
    let (Some(low), Some(high)) = (element.integer(low), element.integer(high)) else {
        let (low_value, high_value) = (element.float(low), element.float(high));
        let u = (generator.next_u64() >> 11) as f64 / ((1u64 << 53) - 1) as f64;
        let value = low_value * (1.0 - u) + high_value * u;
        return element.of_finite_float(value.clamp(low_value, high_value)).unwrap_or(high);
    };
    let values = (high - low + 1) as u128;
    let words = 1u128 << 64;
    let usable = words - words % values;
    loop {
        let word = u128::from(generator.next_u64());
        if word < usable {
            return element.of_integer(low + (word % values) as i128);
        }
    }
}

#[cfg(target_family = "wasm")]
fn from_file(_buffer: &BufferSpec, path: &Path) -> Result<Vec<u8>, SpecError> {
    let reason = "a page in a browser reads no files".to_owned();
    Err(SpecError::File { path: path.display().to_string(), reason })
}

#[cfg(not(target_family = "wasm"))]
fn from_file(buffer: &BufferSpec, path: &Path) -> Result<Vec<u8>, SpecError> {
    let refused = |reason: String| SpecError::File { path: path.display().to_string(), reason };
    let expected = buffer.bytes().ok_or(SpecError::TooLarge)?;
    let has_header = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    let most = if has_header { expected.saturating_add(npy::LONGEST_HEADER) } else { expected };
    let wrong_size = |found: &str| {
        let size = buffer.element.size();
        let cells = format!("{} cells of {size} bytes", buffer.length);
        refused(format!("the file has {found}, the buffer {expected} ({cells})"))
    };
    let bytes = files::read(path, most).map_err(|error| match error {
        ReadError::TooLong { found: Some(found), .. } => wrong_size(&format!("{found} bytes")),
        ReadError::TooLong { found: None, .. } => wrong_size(&format!("more than {most} bytes")),
        error => refused(error.to_string()),
    })?;
    if has_header {
        return npy::cells(&bytes, buffer.element, &buffer.shape).map_err(refused);
    }
    if bytes.len() as u64 != expected {
        return Err(wrong_size(&format!("{} bytes", bytes.len())));
    }
    Ok(bytes)
}
