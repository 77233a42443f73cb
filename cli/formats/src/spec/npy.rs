//! NumPy's `.npy` files, versions 1.0 to 3.0: a magic string, a header that is a Python dictionary,
//! and the cells.
//!
//! Read: little-endian cells in C order, of the buffer's type, in any shape with the right number
//! of cells; a buffer of several dimensions takes its own shape alone. Written: version 1.0, the
//! buffer's shape. NumPy has no bf16, so such cells are stored as u16, bit for bit, and read back
//! the same way.

use warpsim::element::ElementType;

use super::Shape;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read, in bytes; those that NumPy writes for one type have some
/// hundred.
pub const LONGEST_HEADER: u64 = 1 << 16;

/// NumPy's name for cells of this type.
fn descriptor(element: ElementType) -> &'static str {
    match element {
        ElementType::U8 => "|u1",
        ElementType::I8 => "|i1",
        ElementType::U16 | ElementType::Bf16 => "<u2",
        ElementType::I16 => "<i2",
        ElementType::U32 => "<u4",
        ElementType::I32 => "<i4",
        ElementType::U64 => "<u8",
        ElementType::I64 => "<i8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
    }
}

/// A whole file: the header for cells of this shape; the cells follow it.
pub fn header(element: ElementType, shape: &Shape) -> Vec<u8> {
    let descr = descriptor(element);
    let dimensions: Vec<String> = shape.dimensions().iter().map(u64::to_string).collect();
    // Python's tuple of one has a comma.
    let comma = if dimensions.len() == 1 { "," } else { "" };
    let shape = dimensions.join(", ");
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}{comma}), }}");
    // The cells start at a multiple of 64 bytes; the header ends with a line feed.
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// The cells of a file, which must be of this type: as many as the buffer has, and in its shape if
/// it has several dimensions.
pub fn cells(file: &[u8], element: ElementType, wanted: &Shape) -> Result<Vec<u8>, String> {
    let length = wanted.length().ok_or("the buffer is too large")?;
    let (header, cells) = split(file).ok_or("this is not a whole .npy file")?;
    let descr = text_value(header, "descr").ok_or("its header names no type")?;
    let ours = descriptor(element);
    if descr != ours && descr.trim_start_matches(['|', '<', '=']) != &ours[1..] {
        return Err(format!("its cells are '{descr}', the buffer's are '{ours}'"));
    }
    let shape = shape(header).ok_or("its header has no readable shape")?;
    if flag(header, "fortran_order") && shape.len() > 1 {
        return Err("its cells are in Fortran order: save it in C order".to_owned());
    }
    let found = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
    let found = found.ok_or("its shape is too large")?;
    if found != length {
        return Err(format!("it holds {found} cells, the buffer {length}"));
    }
    if wanted.dimensions().len() > 1 && shape != wanted.dimensions() {
        let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
        return Err(format!("its shape is {}, the buffer's is {wanted}", shape.join("x")));
    }
    let expected = length.saturating_mul(element.size() as u64);
    if cells.len() as u64 != expected {
        return Err(format!("it has {} bytes of cells instead of {expected}", cells.len()));
    }
    Ok(cells.to_vec())
}

/// Header text and cells.
fn split(file: &[u8]) -> Option<(&str, &[u8])> {
    let rest = file.strip_prefix(MAGIC)?;
    let (length_bytes, width) = match rest.first()? {
        1 => (rest.get(2..4)?, 2),
        2 | 3 => (rest.get(2..6)?, 4),
        _ => return None,
    };
    let length = length_bytes.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
    let header = rest.get(2 + width..)?.get(..length)?;
    let cells = rest.get(2 + width + length..)?;
    Some((std::str::from_utf8(header).ok()?, cells))
}

/// The text after `'key':` in the dictionary.
fn after_key<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let at = quoted.iter().find_map(|q| header.find(q.as_str()).map(|i| i + q.len()))?;
    header.get(at..)?.trim_start().strip_prefix(':').map(str::trim_start)
}

fn text_value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let value = after_key(header, key)?;
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    value.get(1..)?.split(quote).next()
}

fn flag(header: &str, key: &str) -> bool {
    after_key(header, key).is_some_and(|value| value.starts_with("True"))
}

fn shape(header: &str) -> Option<Vec<u64>> {
    let value = after_key(header, "shape")?.strip_prefix('(')?;
    let (dimensions, _) = value.split_once(')')?;
    let texts = dimensions.split(',').map(str::trim).filter(|d| !d.is_empty());
    texts.map(|d| d.parse().ok()).collect()
}
