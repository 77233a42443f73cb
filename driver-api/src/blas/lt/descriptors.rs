//! Descriptors of cublasLt: some words, by attributes. A created descriptor is a handle and is kept
//! here. If the program made the room for one (`cublasLtMatmulDescInit`), it is in the program's
//! memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::status::{Done, Status};
use crate::pointers::{Out, bytes_at, out_at};

/// The words of the largest descriptor.
pub(super) const WORDS: usize = 32;

/// What a descriptor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Layout,
    Product,
    Transform,
    Preference,
}

struct Descriptors {
    all: BTreeMap<u64, Vec<u64>>,
    made: u64,
}

static DESCRIPTORS: Mutex<Descriptors> = Mutex::new(Descriptors { all: BTreeMap::new(), made: 0 });

fn descriptors() -> MutexGuard<'static, Descriptors> {
    DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A descriptor looks like an address and is none.
const FIRST: u64 = (1 << 46) | (0xb2 << 36);

/// An attribute that is set or asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub(super) number: u32,
    pub(super) buffer: u64,
    pub(super) bytes: usize,
}

/// The words of a matrix: type and order, rows, columns, leading dimension, batch count, stride,
/// planes, batch mode.
pub(super) fn of_layout(kind: u32, rows: u64, columns: u64, ld: i64) -> Vec<u64> {
    vec![kind.into(), rows, columns, ld as u64, 1, 0, 0, 0]
}

/// The words of a product's descriptor, each at the number of its attribute.
pub(super) fn of_product(compute: u32, scale: u32) -> Vec<u64> {
    let mut words = vec![0; WORDS];
    // All of a matrix, nothing behind the product; the types of bias and auxiliary matrix are not
    // said.
    let told = [(0, compute.into()), (1, scale.into()), (6, 2), (7, 1), (22, UNSAID), (26, UNSAID)];
    for (at, value) in told {
        if let Some(word) = words.get_mut(at) {
            *word = value;
        }
    }
    words
}

/// A type that is not given: -1 in 32 bits.
pub(super) const UNSAID: u64 = 0xffff_ffff;

/// The words of a transformation's descriptor.
pub(super) fn of_transform(scale: u32) -> Vec<u64> {
    vec![scale.into(), 0, 0, 0, 0, 0, 0, 0]
}

/// The words of a preference: search mode, workspace, reduction schemes, alignments (A to D), the
/// rest.
pub(super) fn of_preference() -> Vec<u64> {
    vec![0, 0, 7, 256 | 256 << 32, 256 | 256 << 32, 0, u64::MAX, 0]
}

/// A new descriptor.
pub(super) fn create(words: Vec<u64>) -> u64 {
    let mut descriptors = descriptors();
    descriptors.made += 1;
    let handle = FIRST + (descriptors.made << 4);
    descriptors.all.insert(handle, words);
    handle
}

pub(super) fn destroy(descriptor: u64) -> Done {
    descriptors().all.remove(&descriptor).map(|_| ()).ok_or(Status::InvalidValue)
}

/// One in the program's memory.
pub(super) fn initialise(descriptor: u64, bytes: usize, words: Vec<u64>) -> Done {
    if descriptor == 0 || bytes < words.len() * 8 {
        return Err(Status::InvalidValue);
    }
    let at = std::ptr::with_exposed_provenance_mut(descriptor as usize);
    out_at::<u64>(at).put_all(words).map_err(|_| Status::InvalidValue)
}

/// The words of a descriptor.
pub(super) fn words(form: Form, descriptor: u64) -> Done<Vec<u64>> {
    let count = if form == Form::Product { WORDS } else { 8 };
    if let Some(known) = descriptors().all.get(&descriptor) {
        // A descriptor of something else may have fewer.
        return if known.len() == count { Ok(known.clone()) } else { Err(Status::InvalidValue) };
    }
    if descriptor == 0 || (FIRST..FIRST + (1 << 36)).contains(&descriptor) {
        return Err(Status::InvalidValue);
    }
    let bytes = bytes_at(std::ptr::with_exposed_provenance(descriptor as usize), count * 8)?;
    Ok(bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes).collect())
}

/// Where an attribute lies: the word, how many bits up in it, and its bytes. `None` where it can
/// have but one value, 0.
fn place(form: Form, number: u32) -> Done<(Option<(usize, u32)>, usize)> {
    let whole = |word: u32, bytes| Ok((Some((word as usize, 0)), bytes));
    match (form, number) {
        (Form::Layout, 0) => Ok((Some((0, 0)), 4)),
        (Form::Layout, 1) => Ok((Some((0, 32)), 4)),
        (Form::Layout, 5 | 8) => whole(number - 1, 4),
        (Form::Layout, 2..=7) => whole(number - 1, 8),
        (Form::Product, 0..=7 | 15 | 22 | 26) => whole(number, 4),
        (Form::Product, 25) => whole(number, 1),
        (Form::Product, 8 | 10..=14 | 17..=21) => whole(number, 8),
        (Form::Product, 23 | 24 | 29 | 30 | 36) => Ok((None, 8)),
        (Form::Product, 27 | 28 | 31..=35 | 37) => Ok((None, 4)),
        (Form::Transform, 0..=3) => whole(number, 4),
        (Form::Preference, 0) => whole(0, 4),
        (Form::Preference, 1) => whole(1, 8),
        (Form::Preference, 3) => whole(2, 4),
        (Form::Preference, 5 | 6) => Ok((Some((3, 32 * (number - 5))), 4)),
        (Form::Preference, 7 | 8) => Ok((Some((4, 32 * (number - 7))), 4)),
        (Form::Preference, 9) => whole(5, 4),
        (Form::Preference, 12) => whole(6, 8),
        (_, _) => Err(Status::InvalidValue),
    }
}

/// Bits of this many bytes.
fn mask(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes.clamp(1, 8))
}

/// Sets an attribute.
pub(super) fn set(form: Form, descriptor: u64, attribute: Attribute) -> Done {
    let (place, size) = place(form, attribute.number)?;
    if attribute.buffer == 0 || attribute.bytes != size {
        return Err(Status::InvalidValue);
    }
    let at = std::ptr::with_exposed_provenance(attribute.buffer as usize);
    let mut word = [0; 8];
    word.iter_mut().zip(bytes_at(at, size)?).for_each(|(to, from)| *to = from);
    let value = u64::from_le_bytes(word);
    let Some((at, up)) = place else {
        return match value {
            0 => Ok(()),
            1.. => Err(super::lacks(&format!("cublasLt's attribute {}", attribute.number))),
        };
    };
    let mut all = words(form, descriptor)?;
    let word = all.get_mut(at).ok_or(Status::InvalidValue)?;
    *word = (*word & !(mask(size) << up)) | (value << up);
    let kept = descriptors().all.get_mut(&descriptor).map(|known| known.clone_from(&all));
    match kept {
        Some(()) => Ok(()),
        None => initialise(descriptor, all.len() * 8, all),
    }
}

/// Gives an attribute, or its size where there is no room.
pub(super) fn get(form: Form, descriptor: u64, attribute: Attribute, written: Out<usize>) -> Done {
    let (place, size) = place(form, attribute.number)?;
    let all = words(form, descriptor)?;
    if attribute.bytes == 0 {
        return written.put(size).map_err(|_| Status::InvalidValue);
    }
    if attribute.buffer == 0 || attribute.bytes != size {
        return Err(Status::InvalidValue);
    }
    // The word is there: `words` gives all that this form has.
    let value = place.map_or(0, |(at, up)| all.get(at).copied().unwrap_or(0) >> up);
    let at = std::ptr::with_exposed_provenance_mut(attribute.buffer as usize);
    out_at::<u8>(at).put_all(value.to_le_bytes().into_iter().take(size))?;
    written.put_if_wanted(size);
    Ok(())
}
