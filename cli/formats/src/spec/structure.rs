//! Structs passed by value: `{OFFSET: SPEC, OFFSET: SPEC, ...}`, with zeros where nothing is given.
//!
//! A field ends where a comma is followed by a number and a colon, so a list of values needs no
//! brackets. A field has no type unless it names one itself. This module takes the fields apart and
//! lays them out. The launch decides which buffers they are, and where.

use super::error::SpecError;
use super::{Spec, unsigned};

/// A field: bytes from the start of the struct, and its contents.
pub type Field = (u64, Spec);

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// The fields between the braces, by offset.
pub(super) fn parse(inside: &str) -> Result<Vec<Field>, SpecError> {
    let mut fields = Vec::new();
    let mut rest = inside.trim();
    if rest.ends_with(',') {
        return Err(no_field(","));
    }
    while !rest.is_empty() {
        let (offset, after) = rest.split_once(':').ok_or_else(|| no_field(rest))?;
        let offset = unsigned(offset.trim(), "the offset of a field")?;
        let end = end_of_field(after);
        let (spec, more) = after.split_at(end);
        fields.push((offset, field(offset, spec.trim())?));
        rest = more.strip_prefix(',').unwrap_or(more).trim_start();
    }
    fields.sort_by_key(|(offset, _)| *offset);
    Ok(fields)
}

fn no_field(text: &str) -> SpecError {
    SpecError::Field { text: text.trim().to_owned() }
}

/// The bytes up to the comma before the next field, or all.
fn end_of_field(text: &str) -> usize {
    let begins_field = |comma: &usize| {
        let number = text[*comma + 1..].trim_start();
        let digits = number.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        number.starts_with(|c: char| c.is_ascii_digit()) && digits.trim_start().starts_with(':')
    };
    text.match_indices(',').map(|(at, _)| at).find(begins_field).unwrap_or(text.len())
}

fn field(offset: u64, text: &str) -> Result<Spec, SpecError> {
    let inside = |error| SpecError::InField { offset, error: Box::new(error) };
    let spec = Spec::parse(text).map_err(inside)?;
    match &spec {
        Spec::Struct(_) => Err(inside(SpecError::StructInStruct)),
        Spec::Image(_) => Err(inside(SpecError::ImageInside)),
        Spec::Scalar { element: None, text } => Err(inside(SpecError::NoType(text.clone()))),
        Spec::Scalar { element: Some(_), .. }
        | Spec::Null
        | Spec::Alias { .. }
        | Spec::Bytes(_)
        | Spec::Buffer(_) => Ok(spec),
    }
}

/// Bytes of a field of an argument, where a buffer is a pointer.
pub fn size(spec: &Spec) -> u64 {
    match spec {
        Spec::Null | Spec::Alias { .. } | Spec::Buffer(_) | Spec::Image(_) | Spec::Struct(_) => {
            POINTER
        }
        Spec::Bytes(bytes) => bytes.len() as u64,
        Spec::Scalar { element, .. } => element.map_or(POINTER, |element| element.size() as u64),
    }
}

/// So many zeros, where there is room for them: a module or a person may say any size.
pub fn zeros(size: u64) -> Result<Vec<u8>, SpecError> {
    let size = usize::try_from(size).map_err(|_| SpecError::TooLarge)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| SpecError::TooLarge)?;
    bytes.resize(size, 0);
    Ok(bytes)
}

/// The bytes of a struct of this size. `bytes_of` gives the bytes of each field.
pub fn lay_out(
    fields: &[Field],
    size_of_struct: u64,
    mut bytes_of: impl FnMut(&Field) -> Result<Vec<u8>, SpecError>,
) -> Result<Vec<u8>, SpecError> {
    let mut bytes = zeros(size_of_struct)?;
    let mut before: Option<(u64, u64)> = None;
    for field in fields {
        let of_field = bytes_of(field)?;
        let (offset, length) = (field.0, of_field.len() as u64);
        let outside = SpecError::FieldOutside { offset, bytes: length, size: size_of_struct };
        let place = usize::try_from(offset).ok().and_then(|at| bytes.get_mut(at..));
        let Some(place) = place.and_then(|place| place.get_mut(..of_field.len())) else {
            return Err(outside);
        };
        if let Some((first, end)) = before.filter(|(_, end)| *end > offset) {
            return Err(SpecError::Overlap { first, end, second: offset });
        }
        before = Some((offset, offset + length));
        place.copy_from_slice(&of_field);
    }
    Ok(bytes)
}
