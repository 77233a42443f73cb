//! The values of number literals (PTX ISA 4.5.1, 4.5.2).
//!
//! Integers are decimal, `0x`, `0b` or octal with a leading `0`, of at most 64 bits, with an
//! optional `U`. Floating-point literals are decimal (read as `f64`, correctly rounded) or the
//! exact bits after `0f` (8 digits) or `0d` (16 digits).

use super::error::SyntaxErrorKind;

/// The value of a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// An integer, and whether it ends in `U`.
    Integer(u64, bool),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
}

/// The value of a literal as the lexer cut it out.
pub(crate) fn parse(text: &str) -> Result<Number, SyntaxErrorKind> {
    match plain(text.as_bytes()) {
        Some(value) => Ok(Number::Integer(value, false)),
        None => parse_any(text),
    }
}

/// The value of a decimal integer, as most literals are. None for a longer literal, or another
/// form.
#[inline]
fn plain(text: &[u8]) -> Option<u64> {
    // This many digits always fit. After a leading 0 come octal ones.
    const DIGITS: usize = 19;
    if text.len() > DIGITS || text.is_empty() || (text[0] == b'0' && text.len() > 1) {
        return None;
    }
    text.iter().try_fold(0, |value: u64, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + u64::from(digit))
    })
}

fn parse_any(text: &str) -> Result<Number, SyntaxErrorKind> {
    let exact = |digits: &str, count: usize| {
        (digits.len() == count).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => {
            let bits = exact(text.get(2..).unwrap_or(""), 8).and_then(|b| u32::try_from(b).ok());
            bits.map(Number::F32).ok_or_else(|| invalid(text, "`0f` takes 8 hexadecimal digits"))
        }
        [b'0', b'd' | b'D', ..] => {
            let bits = exact(text.get(2..).unwrap_or(""), 16);
            bits.map(Number::F64).ok_or_else(|| invalid(text, "`0d` takes 16 hexadecimal digits"))
        }
        [b'0', b'x' | b'X', ..] => integer(text, 2, 16, "`0x` takes hexadecimal digits"),
        [b'0', b'b' | b'B', ..] => integer(text, 2, 2, "`0b` takes binary digits"),
        bytes if bytes.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) => decimal(text),
        [b'0', b'0'..=b'9', ..] => integer(text, 1, 8, "after a leading 0 come octal digits"),
        _ => integer(text, 0, 10, "a decimal integer has digits, and `U` at most at its end"),
    }
}

fn integer(
    text: &str,
    prefix: usize,
    radix: u32,
    form: &'static str,
) -> Result<Number, SyntaxErrorKind> {
    let digits = text.get(prefix..).unwrap_or("");
    let (digits, unsigned) = match digits.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(invalid(text, form));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) => Ok(Number::Integer(value, unsigned)),
        Err(_) => Err(SyntaxErrorKind::NumberTooLarge { text: shorten(text) }),
    }
}

fn decimal(text: &str) -> Result<Number, SyntaxErrorKind> {
    let plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    match text.parse::<f64>() {
        Ok(value) if plain => Ok(Number::F64(value.to_bits())),
        _ => Err(invalid(text, "a floating-point literal is like `1.5` or `2.5e-3`")),
    }
}

fn invalid(text: &str, form: &'static str) -> SyntaxErrorKind {
    SyntaxErrorKind::InvalidNumber { text: shorten(text), form }
}

/// The first 40 characters of a piece of text, for messages.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_four_bases_and_an_unsigned_suffix() {
        for (text, value, unsigned) in [
            ("0", 0, false),
            ("42U", 42, true),
            ("0x1fU", 31, true),
            ("0XfF", 255, false),
            ("017", 15, false),
            ("0b101", 5, false),
            ("18446744073709551615", u64::MAX, false),
        ] {
            assert_eq!(parse(text), Ok(Number::Integer(value, unsigned)), "{text}");
        }
    }

    #[test]
    fn floats_are_decimal_or_exact_bits() {
        // 1.0 and 1.5 in IEEE 754 binary32 and binary64.
        assert_eq!(parse("0f3F800000"), Ok(Number::F32(0x3f80_0000)));
        assert_eq!(parse("0d3ff8000000000000"), Ok(Number::F64(0x3ff8_0000_0000_0000)));
        for text in ["1.5", "15e-1", ".15E1", "0.15e+1", "1.5000"] {
            assert_eq!(parse(text), Ok(Number::F64(0x3ff8_0000_0000_0000)), "{text}");
        }
    }

    #[test]
    fn what_only_begins_like_a_number_is_refused() {
        for text in ["08", "0b2", "0x", "12a", "1_000", "0f3F8", "0d00", "1.5f", "1.2.3", "1e", "U"]
        {
            let error = parse(text);
            assert!(matches!(error, Err(SyntaxErrorKind::InvalidNumber { .. })), "{text}");
        }
        for text in ["18446744073709551616", "0x10000000000000000", "02000000000000000000000"] {
            let error = parse(text);
            assert!(matches!(error, Err(SyntaxErrorKind::NumberTooLarge { .. })), "{text}");
        }
    }
}
