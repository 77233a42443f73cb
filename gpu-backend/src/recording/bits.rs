//! Buffers as text: `3f800000*31 40000000`.
//!
//! Each cell is a hexadecimal numeral of the cell's full width, most significant digit first. An
//! f32 of 1 reads `3f800000` whatever the order of its bytes. Cells are separated by blanks; `V*N`
//! means N cells that are all V.

use warpsim::element::ElementType;

use super::file::sha256;

/// Cells of a part of a buffer that has its own digest.
pub const PART: usize = 256;
/// Buffers of more bytes than this are kept as digests.
pub const WHOLE: usize = 16 << 10;
/// Hexadecimal digits of a part's digest: the beginning of its SHA-256.
const DIGEST: usize = 8;

/// The cells of a buffer.
///
/// ```
/// use warpsim::element::ElementType;
/// use warpsim_gpu::recording::bits;
/// let bytes = [1, 0, 1, 0, 0xff, 0x7f];
/// assert_eq!(bits::text(&bytes, ElementType::U16), "0001*2 7fff");
/// assert_eq!(bits::bytes("0001*2 7fff", ElementType::U16).unwrap(), bytes);
/// ```
pub fn text(bytes: &[u8], ty: ElementType) -> String {
    let mut out = String::new();
    let mut cells = ty.numbers(bytes).peekable();
    while let Some(cell) = cells.next() {
        let mut times = 1;
        while cells.next_if_eq(&cell).is_some() {
            times += 1;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&ty.hex(cell));
        if times > 1 {
            out.push_str(&format!("*{times}"));
        }
    }
    out
}

/// Reads what [`text`] wrote, for cells of the same type.
///
/// # Errors
/// The piece that is no cell of that size.
pub fn bytes(text: &str, ty: ElementType) -> Result<Vec<u8>, String> {
    let width = ty.size();
    let mut out = Vec::new();
    for piece in text.split_ascii_whitespace() {
        let (digits, times) = piece.split_once('*').unwrap_or((piece, "1"));
        let bad = || format!("`{piece}` is not a cell of {width} bytes");
        let times: usize = times.parse().ok().filter(|n| *n > 0).ok_or_else(bad)?;
        if digits.len() != 2 * width || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        if out.len().saturating_add(times.saturating_mul(width)) > 2 * WHOLE {
            return Err(format!("`{piece}`: so many cells are kept as digests, not as bits"));
        }
        let bits = u64::from_str_radix(digits, 16).map_err(|_| bad())?;
        (0..times).for_each(|_| out.extend(ty.bytes(bits)));
    }
    Ok(out)
}

/// Short digests of a buffer's parts of [`PART`] cells.
pub fn parts(bytes: &[u8], ty: ElementType) -> String {
    let digests = bytes.chunks(PART * ty.size()).map(|part| {
        let mut digest = sha256(part);
        digest.truncate(DIGEST);
        digest
    });
    digests.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_every_type_come_back_as_they_were() {
        let memory: Vec<u8> = (0..=255).chain([0; 64]).collect();
        for ty in ElementType::ALL {
            assert_eq!(bytes(&text(&memory, ty), ty), Ok(memory.clone()));
        }
    }

    #[test]
    fn a_float_reads_as_its_bits_and_repeats_are_counted() {
        let cells: Vec<u8> = [1f32, 2.0, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(text(&cells, ElementType::F32), "3f800000 40000000*2");
        assert_eq!(text(&[], ElementType::F32), "");
        assert_eq!(bytes("", ElementType::F32), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_cell_of_the_width_is_an_error_that_names_it() {
        for wrong in ["1", "0000000g", "000000001", "00000001*0", "00000001*", "00000001*x", "*2"] {
            let error = bytes(wrong, ElementType::U32).unwrap_err();
            assert!(error.contains(wrong), "{error}");
        }
        assert!(bytes("00*99999999999", ElementType::U8).is_err());
    }

    #[test]
    fn a_part_s_digest_is_the_beginning_of_its_sha256() {
        // SHA-256 of 256 and of 1 zero bytes, from `head -c N /dev/zero | sha256sum`.
        assert_eq!(parts(&[0; 257], ElementType::U8), "5341e6b2 6e340b9c");
        assert_eq!(parts(&[0; 512], ElementType::U16), "076a27c7");
    }
}
